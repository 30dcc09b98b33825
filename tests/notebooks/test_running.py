"""Notebooks run: nbval compares them and can fail, nbgrader grades them, `siamese-course run` shows them."""

import os
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from siamese_course.grading import authoring
from siamese_course.notebooks import run as running
from siamese_course.runtime.errors import CourseError
from siamese_course.notebooks.run import NOTEBOOKS, SOLUTIONS

SOURCES = authoring.all_sources()
by_source = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)


@pytest.fixture
def smoke(monkeypatch):
    for name, value in {**authoring.STORED_SETTING, "SIAMESE_COURSE_BUDGET": "smoke"}.items():
        monkeypatch.setenv(name, value)


def nbval(*paths) -> subprocess.CompletedProcess:
    """Run nbval in the one setting in which the stored outputs hold."""
    options = [
        "--nbval-lax",
        "--nbval-current-env",
        "--nbval-cell-timeout=300",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    command = [sys.executable, "-m", "pytest", *options, *map(str, paths)]
    environment = {**os.environ, **authoring.STORED_SETTING}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@pytest.mark.slow
@by_source
def test_nbval_finds_the_stored_outputs_again(source):
    run = nbval(SOLUTIONS / f"{source.stem}.ipynb")
    assert run.returncode == 0, run.stdout[-4000:]


@pytest.mark.slow
def test_nbval_rejects_an_altered_output(tmp_path):
    """The same notebook up to its first compared figure, once as it is and once with one digit changed."""
    notebook = nbformat.read(SOLUTIONS / "01_mnist_contrastive.ipynb", as_version=4)
    tagged = [
        i
        for i, c in enumerate(notebook.cells)
        if "nbval-check-output" in c.metadata.get("tags", [])
    ]
    notebook.cells = notebook.cells[: tagged[0] + 1]
    nbformat.write(notebook, tmp_path / "as_it_is.ipynb")
    output = notebook.cells[-1].outputs[0]
    assert "4,000" in output.text
    output.text = output.text.replace("4,000", "4,001")
    nbformat.write(notebook, tmp_path / "altered.ipynb")
    assert nbval(tmp_path / "as_it_is.ipynb").returncode == 0
    run = nbval(tmp_path / "altered.ipynb")
    assert run.returncode == 1
    assert "1 failed" in run.stdout


@pytest.mark.slow
@by_source
def test_nbgrader_gives_a_blank_notebook_0_and_the_solution_100(source, smoke, tmp_path):
    """The blank one also runs to its end: no cell of it may fail, graded or not."""
    submissions = {
        "blank": NOTEBOOKS / f"{source.stem}.ipynb",
        "solved": SOLUTIONS / f"{source.stem}.ipynb",
    }
    assert authoring.autograde(source, submissions, tmp_path) == {"blank": 0, "solved": 100}
    graded = nbformat.read(
        tmp_path / "autograded" / "blank" / source.stem / f"{source.stem}.ipynb", as_version=4
    )
    outputs = [output for cell in graded.cells for output in cell.get("outputs", [])]
    assert [o for o in outputs if o.output_type == "error"] == []
    exercises = len(authoring.exercises(source))
    assert sum("goes on with the course's own" in o.get("text", "") for o in outputs) == exercises


@pytest.mark.slow
def test_one_solved_exercise_gives_its_points_and_the_others_still_run(smoke, tmp_path):
    source = SOURCES[0]
    blank = nbformat.read(NOTEBOOKS / f"{source.stem}.ipynb", as_version=4)
    solved = nbformat.read(SOLUTIONS / f"{source.stem}.ipynb", as_version=4)
    answers = {
        c.metadata["nbgrader"]["grade_id"]: c.source
        for c in solved.cells
        if "nbgrader" in c.metadata
    }
    for cell in blank.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") in ("distance", "pairs-classic"):
            cell.source = answers[cell.metadata["nbgrader"]["grade_id"]]
    nbformat.write(blank, tmp_path / "partly.ipynb")
    (tmp_path / "course").mkdir()
    points = authoring.autograde(source, {"partly": tmp_path / "partly.ipynb"}, tmp_path / "course")
    assert points == {"partly": 10 + 8}


# --- siamese-course run ---


def small_notebook(*sources, points=()) -> nbformat.NotebookNode:
    notebook = new_notebook(cells=[new_markdown_cell("# Title"), *map(new_code_cell, sources)])
    for cell, worth in zip(notebook.cells[1:], points, strict=False):
        cell.metadata["nbgrader"] = {"grade": True, "points": worth}
    return notebook


BAR = "from tqdm import tqdm; import sys\nfor _ in tqdm(range(9), 'bar', file=sys.stdout, mininterval=0): pass"
CHART = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"


@pytest.mark.slow
def test_run_writes_pages_and_pictures_and_reports(tmp_path):
    notebook = small_notebook("x = bytearray(300_000_000)\n7", CHART, BAR, points=[10])
    notebook.cells[2].metadata["tags"] = ["figure-line"]
    nbformat.write(notebook, tmp_path / "small.ipynb")
    (report,) = running.run_notebooks([tmp_path / "small.ipynb"], tmp_path / "out")
    assert (report.points, report.max_points, report.error) == (7, 10, None)
    assert report.peak_bytes > 300_000_000
    page = report.page.read_text()
    assert "<h1" in page and "Title" in page and "data:image/png;base64" in page
    assert page.count("bar: ") == 1 and "bar: 100%" in page  # its last state, not every one
    assert "mathjax/2" not in page and "require.min.js" not in page
    assert (tmp_path / "out" / "small" / "line.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_run_reports_a_failing_and_a_dying_notebook_and_goes_on(tmp_path):
    nbformat.write(small_notebook("1 / 0"), tmp_path / "a.ipynb")
    nbformat.write(small_notebook("import os; os._exit(1)"), tmp_path / "b.ipynb")
    nbformat.write(small_notebook("3", points=[3]), tmp_path / "c.ipynb")
    command = [
        sys.executable,
        "-m",
        "siamese_course.cli",
        "run",
        str(tmp_path),
        "--out",
        str(tmp_path / "out"),
    ]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 1
    assert "a stopped early: ZeroDivisionError: division by zero" in run.stderr
    assert "b stopped early: Kernel died" in run.stderr
    assert "3/3" in run.stdout
    assert "ZeroDivisionError" in (tmp_path / "out" / "a.html").read_text()


def test_run_refuses_what_is_no_notebook(tmp_path):
    with pytest.raises(CourseError, match=r"nothing\.ipynb is no notebook"):
        running.collect([tmp_path / "nothing.ipynb"])
    with pytest.raises(CourseError, match="is no notebook and no folder that holds one"):
        running.collect([tmp_path])


def test_formulas_are_drawn_without_a_network():
    text = "Is $\\tau$ at `$x$`?\n\n$$\\sqrt{x}$$\n\n```\n$y$\n```"
    notebook = new_notebook(cells=[new_markdown_cell(text)])
    drawn = running.with_mathml(notebook).cells[0].source
    assert notebook.cells[0].source == text
    assert drawn.count("<math") == 2
    assert 'display="block"><mrow><msqrt>' in drawn
    assert "`$x$`" in drawn and "```\n$y$\n```" in drawn


def test_progress_bars_are_stored_as_their_last_state():
    text = "\ra:  0%\ra: 50%\ra: 100%\nscore 3\n"
    notebook = small_notebook("")
    pieces = [text[:12], text[12:]]
    notebook.cells[1].outputs = [nbformat.v4.new_output("stream", text=piece) for piece in pieces]
    running.tidy_outputs(notebook)
    assert [output.text for output in notebook.cells[1].outputs] == ["a: 100%\nscore 3\n"]
