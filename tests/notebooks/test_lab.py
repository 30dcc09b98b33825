"""The notebooks in JupyterLab, in a real browser: a wrong answer, a right one, to the end, and the pointer.

Screenshots are saved in build/screens. With -s, the tests print how long a learner waits and how much memory
the kernel used. SIAMESE_COURSE_BUDGET sets the budget; the default here is ``smoke``.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import nbformat
import psutil
import pytest

from siamese_course.notebooks.catalog import NOTEBOOKS
from tests.browser import SLOW, NotebookPage, chromium, lab
from tests.notebooks.conftest import require_run_to_the_end

ROOT = Path(__file__).resolve().parents[2]
SCREENS = ROOT / "build" / "screens"
ANSWERS = ROOT / "tests" / "submissions"
# The cell of a drawing pad, whose answer changes after a stroke
PADS = {"04_omniglot_one_shot": "pad, answer = DrawingPad()"}
LAST = "progress()"
REDRAWN = 2_000  # milliseconds until a chart has followed the width of its window

IMAGE = """cell => [...cell.querySelectorAll("div")].some(
    part => getComputedStyle(part).backgroundImage.startsWith("url(\\"data:image/png")
        && part.getBoundingClientRect().width > 50)"""
SENTENCE = """cell => [...cell.querySelectorAll("div")].map(part => part.innerText)
    .find(text => /^[A-Z][^\\n]{20,}$/.test(text))"""

INSIDE = """part => [part, ...part.querySelectorAll("canvas, img, p, pre, table")].every(
    inner => inner.getBoundingClientRect().right <= part.parentElement.getBoundingClientRect().right + 1)"""

AT_POINTER = {
    "01_mnist_contrastive": IMAGE,
    "03_sbert_roberta": SENTENCE,
    "04_omniglot_one_shot": IMAGE,
}
CHARTS = {
    "01_mnist_contrastive": "plotting.interactive_scatter(",
    "02_quora_triplet": "plotting.similarity_heatmap(",
    "03_sbert_roberta": "plotting.interactive_sentences(",
    "04_omniglot_one_shot": "plotting.interactive_scatter(",
}

# notebook: an exercise, its first line, a wrong and a right answer
CASES = {
    "01_mnist_contrastive": ("distance", "def euclidean_distance", "squared", "keras_ops"),
    "02_quora_triplet": ("similarity", "def similarity_matrix", "distances", "einsum"),
    "03_sbert_roberta": ("scaling", "def scale_scores", "divided_by_five", "one_line"),
    "04_omniglot_one_shot": ("split", "def split_alphabets", "masks", "isin"),
}


@pytest.fixture
def root(tmp_path) -> Path:
    """A learner's folder with the notebooks in it."""
    for name in CASES:
        shutil.copy(NOTEBOOKS / f"{name}.ipynb", tmp_path)
    SCREENS.mkdir(parents=True, exist_ok=True)
    return tmp_path


def settings(folder: Path) -> dict[str, str]:
    """Small data, little training, and no settings of this machine.

    JupyterLab draws all cells, not only the visible ones (and sometimes none), and does not ask about news.
    """
    chosen = {
        "notebook-extension/tracker": {"windowingMode": "none"},
        "apputils-extension/notification": {"fetchNews": "false"},
    }
    for name, values in chosen.items():
        file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(values))
    return {
        "SIAMESE_COURSE_DATA": "shipped",
        "SIAMESE_COURSE_BUDGET": os.environ.get("SIAMESE_COURSE_BUDGET", "smoke"),
        "SIAMESE_COURSE_PROGRESS": str(folder / "progress.json"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
    }


def kernels_peak() -> float:
    """The most memory that the largest kernel started from here has held, in GiB; 0 where /proc is missing."""
    peaks = [0]
    for process in psutil.Process().children(recursive=True):
        status = Path(f"/proc/{process.pid}/status")
        if "ipykernel_launcher" in process.cmdline() and status.exists():
            peaks += map(int, re.findall(r"VmHWM:\s+(\d+) kB", status.read_text()))
    return max(peaks) / 2**20


def points_of(name: str, exercise: str) -> int:
    """Points of an exercise, as the learner's notebook states them."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    marked = (cell["metadata"].get("nbgrader", {}) for cell in cells)
    (check,) = [each for each in marked if each.get("grade_id") == f"{exercise}-check"]
    return check["points"]


def hard_to_read(page) -> list[str]:
    """Visible text and outputs with too little contrast, by axe-core."""
    page.add_style_tag(
        content="body {height: 100vh}"
    )  # axe takes the content of an element without height for hidden
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    options = {"runOnly": ["color-contrast"]}
    found = axe.Axe().run(page, context=".jp-RenderedHTMLCommon", options=options)
    assert found.response["passes"]  # it looked at something
    return [node["html"] for rule in found.response["violations"] for node in rule["nodes"]]


IN_TURN = [
    "01_mnist_contrastive",
    pytest.param("04_omniglot_one_shot", marks=pytest.mark.slow),  # with the drawing pad
    *(
        pytest.param(name, marks=pytest.mark.release)
        for name in ("02_quora_triplet", "03_sbert_roberta")
    ),
]


@pytest.mark.parametrize("name", IN_TURN)
def test_a_learner_works_through_a_notebook(name, root, tmp_path_factory, capsys):
    exercise, first_line, wrong, right = CASES[name]
    points = points_of(name, exercise)
    answers = ANSWERS / name[:2] / exercise
    texts = [
        (answers / f"{kind}.py").read_text("utf-8") for kind in (f"wrong/{wrong}", f"right/{right}")
    ]
    hint, wrong_text = texts[0].split("\n", 1)
    check, chart, screens = f"exercises.{exercise}.check(", CHARTS[name], SCREENS / name[:2]
    started = time.monotonic()
    with (
        chromium(viewport={"width": 1280, "height": 900}) as page,
        lab(root, **settings(tmp_path_factory.mktemp("jupyter"))) as address,
    ):
        notebook = NotebookPage(page, address, name)
        page.screenshot(path=f"{screens}-1-opened.png")
        notebook.run_above(first_line)
        output = notebook.answer(first_line, wrong_text, check)
        output.get_by_text(f"0 of {points} points").wait_for(timeout=SLOW)
        assert hint.removeprefix("# expects: ") in output.inner_text()
        page.screenshot(path=f"{screens}-2-wrong.png")

        output = notebook.answer(wrong_text.splitlines()[0], texts[1], check)
        output.get_by_text(f"{points} of {points} points").wait_for(timeout=SLOW)
        first_right = time.monotonic() - started
        page.screenshot(path=f"{screens}-3-right.png")

        begun = time.monotonic()
        notebook.run_all(LAST)
        all_cells, memory = time.monotonic() - begun, kernels_peak()
        notebook.save()
        saved = nbformat.read(root / f"{name}.ipynb", as_version=4)
        require_run_to_the_end(saved, name, solved=1, points=points)
        page.screenshot(path=f"{screens}-4-end.png")
        if name in AT_POINTER:
            assert notebook.point_at(chart, AT_POINTER[name])
        page.screenshot(path=f"{screens}-5-pointer.png")
        if name in PADS:
            answer = notebook.cell(PADS[name]).locator(".widget-html-content").first
            before = answer.inner_html()
            notebook.draw(PADS[name])
            page.wait_for_function(
                "([shown, old]) => shown.innerHTML !== old",
                arg=[answer.element_handle(), before],
                timeout=SLOW,
            )
            assert answer.locator("img").count() == 3
            page.screenshot(path=f"{screens}-5-drawn.png")

        notebook.menu("Settings", "Theme", "JupyterLab Dark")
        page.locator("body[data-jp-theme-light=false]").wait_for(timeout=SLOW, state="attached")
        for shown, text in (("feedback", check), ("chart", chart)):
            notebook.cell(text).locator(".jp-OutputArea-output").last.scroll_into_view_if_needed()
            page.wait_for_timeout(REDRAWN)
            page.screenshot(path=f"{screens}-6-dark-{shown}.png")
            assert not hard_to_read(page)
        page.set_viewport_size({"width": 640, "height": 900})
        notebook.menu("View", "Appearance", "Show Left Sidebar")
        for shown, text in (("feedback", check), ("chart", chart)):
            output = notebook.cell(text).locator(".jp-OutputArea-output").last
            output.scroll_into_view_if_needed()
            page.wait_for_timeout(REDRAWN)
            page.screenshot(path=f"{screens}-7-narrow-{shown}.png")
            assert output.evaluate(INSIDE), shown
    with capsys.disabled():
        print(
            f"\n{name}: first right answer {first_right:.0f} s after starting JupyterLab; "
            f"all cells {all_cells:.0f} s, kernel {memory:.2f} GiB",
            end=" ",
        )


@pytest.mark.release
def test_from_the_clone_to_the_first_right_answer(tmp_path, capsys):
    """As in the README, in an empty folder: only Python, git, make and the package registry."""
    if shutil.which("git") is None or subprocess.run(["git", "-C", ROOT, "rev-parse"]).returncode:
        pytest.skip("no git, or no repository that it may read")
    exercise, first_line, _, right = CASES["01_mnist_contrastive"]
    points = points_of("01_mnist_contrastive", exercise)
    text = (ANSWERS / "01" / exercise / "right" / f"{right}.py").read_text("utf-8")
    clone, times = tmp_path / "course", [time.monotonic()]
    for command in (
        ["git", "clone", "-q", str(ROOT), str(clone)],
        ["make", "-C", str(clone), ".venv/.stamp-lab"],  # what make lab does first
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2_000:]
        times.append(time.monotonic())
    with (
        chromium(viewport={"width": 1280, "height": 900}) as page,
        lab(clone / "notebooks", clone / ".venv/bin/python", **settings(tmp_path)) as address,
    ):
        notebook = NotebookPage(page, address, "01_mnist_contrastive")
        notebook.run_above(first_line)
        output = notebook.answer(first_line, text, f"exercises.{exercise}.check(")
        output.get_by_text(f"{points} of {points} points").wait_for(timeout=SLOW)
        times.append(time.monotonic())
    shutil.rmtree(clone)  # a gigabyte and more
    cloned, installed, answered = (b - a for a, b in itertools.pairwise(times))
    with capsys.disabled():
        print(
            f"\nclone {cloned:.0f} s, installation {installed:.0f} s, from there to the first right "
            f"answer {answered:.0f} s",
            end=" ",
        )
