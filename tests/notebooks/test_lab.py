"""The notebooks in JupyterLab, in a real browser: a wrong answer, a right one, to the end, and the pointer.

Pictures of the key moments stay under build/screens. Run with -s, the tests print how long a learner waits.
"""

import json
import shutil
import time
from pathlib import Path

import pytest

from siamese_course.notebooks import NOTEBOOKS
from tests.browser import SLOW, NotebookPage, chromium, lab

ROOT = Path(__file__).resolve().parents[2]
SCREENS = ROOT / "build" / "screens"
ANSWERS = ROOT / "tests" / "submissions"
LAST = "checks.progress()"

PICTURE = """cell => [...cell.querySelectorAll("div")].some(
    part => getComputedStyle(part).backgroundImage.startsWith("url(\\"data:image/png")
        && part.getBoundingClientRect().width > 50)"""
SENTENCE = """cell => [...cell.querySelectorAll("div")].map(part => part.innerText)
    .find(text => /^[A-Z][^\\n]{20,}$/.test(text))"""

# notebook: an exercise, its first line, an answer that is wrong and one that is right, the points
CASES = {
    "01_mnist_contrastive": ("distance", "def euclidean_distance", "squared", "keras_ops", 10),
    "02_quora_triplet": ("similarity", "def similarity_matrix", "distances", "einsum", 10),
    "03_sbert_roberta": ("scaling", "def scale_scores", "divided_by_five", "one_line", 5),
}


@pytest.fixture
def root(tmp_path) -> Path:
    """A learner's folder with the three notebooks in it."""
    for name in CASES:
        shutil.copy(NOTEBOOKS / f"{name}.ipynb", tmp_path)
    SCREENS.mkdir(parents=True, exist_ok=True)
    return tmp_path


def settings(folder: Path) -> dict[str, str]:
    """Small data, little training, and nothing of this machine's own.

    JupyterLab draws all cells, where it would draw those in sight only (and now and then none), and does not
    ask about news.
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
        "SIAMESE_COURSE_BUDGET": "smoke",
        "SIAMESE_COURSE_PROGRESS": str(folder / "progress.json"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_learner_works_through_a_notebook(name, root, tmp_path_factory, capsys):
    exercise, first_line, wrong, right, points = CASES[name]
    answers = ANSWERS / name[:2] / exercise
    texts = [(answers / f"{kind}.py").read_text("utf-8") for kind in (f"wrong/{wrong}", f"right/{right}")]
    told, wrong_text = texts[0].split("\n", 1)
    check, screens = f"exercises.{exercise}.check(", SCREENS / name[:2]
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
        assert told.removeprefix("# expects: ") in output.inner_text()
        page.screenshot(path=f"{screens}-2-wrong.png")

        output = notebook.answer(wrong_text.splitlines()[0], texts[1], check)
        output.get_by_text(f"{points} of {points} points").wait_for(timeout=SLOW)
        first_right = time.monotonic() - started
        page.screenshot(path=f"{screens}-3-right.png")

        notebook.run_all(LAST)
        page.screenshot(path=f"{screens}-4-end.png")
        at_end = time.monotonic() - started
        if name.startswith("01"):
            assert notebook.point_at("plotting.interactive_scatter(", PICTURE)
        if name.startswith("03"):
            shown = notebook.point_at("plotting.interactive_sentences(", SENTENCE)
            assert len(shown) > 20
        page.screenshot(path=f"{screens}-5-pointer.png")
    with capsys.disabled():
        print(
            f"\n{name}: first right answer after {first_right:.0f} s, "
            f"at the end after {at_end:.0f} s, from starting JupyterLab",
            end=" ",
        )
