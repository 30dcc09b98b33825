"""Notebooks run: nbval compares them and can fail, nbgrader grades them, `siamese-course run` shows them."""

import re
import subprocess
import sys

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from siamese_course.exercises.record import OFF
from siamese_course.notebooks import render
from siamese_course.notebooks import run as running
from siamese_course.notebooks.build import STORED_SETTING
from siamese_course.notebooks.catalog import BY_NAME, CATALOG, NAMES
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.settings import environment_of_course
from tests.notebooks.conftest import nbval, require_run_to_the_end
from tests.notebooks.nbgrader_run import autograde

each_notebook = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def smoke(monkeypatch):
    for name, value in {**STORED_SETTING, "SIAMESE_COURSE_BUDGET": "smoke"}.items():
        monkeypatch.setenv(name, value)


# --- solution notebooks: one execution serves all of these ---


def test_nbval_finds_the_stored_outputs_again(executed):
    assert executed.returncode == 0, executed.report


def test_a_solution_gets_100_points(executed):
    assert running.score(executed.notebook) == (100, 100)


def test_an_executed_solution_becomes_a_page_with_its_figures(executed, tmp_path):
    name, notebook = executed.name, executed.notebook
    (tmp_path / name).mkdir()
    (tmp_path / name / "notes.txt").write_text("not the course's")
    (tmp_path / name / "old.png").touch()
    page = BeautifulSoup(render.write_page(notebook, name, tmp_path).read_text(), "html.parser")
    stored = nbformat.read(BY_NAME[name].solution, as_version=4)
    titles = [title for title, _ in render.figures(stored)]
    written = {path.stem for path in (tmp_path / name).glob("*.png")}
    assert written == set(titles)
    assert (tmp_path / name / "notes.txt").exists()
    assert len(page.select(".jp-OutputArea img")) >= len(titles) > 0


def test_nbgrader_gives_a_solution_100(executed, tmp_path):
    """From nbval's outputs; in ``make test-release`` it runs the solutions, too."""
    entry = BY_NAME[executed.name]
    nbformat.write(executed.notebook, tmp_path / "solved.ipynb")
    course = tmp_path / "course"
    course.mkdir()
    submissions = {"solved": tmp_path / "solved.ipynb"}
    assert autograde(entry, submissions, course, execute=False) == {"solved": 100}


@pytest.mark.slow
def test_nbval_rejects_an_altered_output(tmp_path):
    """The first notebook up to its first compared figure, with one digit of it changed."""
    notebook = nbformat.read(CATALOG[0].solution, as_version=4)
    compared = [
        number
        for number, cell in enumerate(notebook.cells)
        if "nbval-check-output" in cell.metadata.get("tags", [])
        and re.search(r"\d", cell.outputs[0].get("text", ""))
    ]
    notebook.cells = notebook.cells[: compared[0] + 1]
    output = notebook.cells[-1].outputs[0]
    output.text = re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), output.text, count=1)
    nbformat.write(notebook, tmp_path / "altered.ipynb")
    run = nbval(tmp_path / "altered.ipynb", tmp_path / "kept.ipynb")
    assert run.returncode == 1
    assert "1 failed" in run.stdout


# --- the learner's notebooks ---


# The browser, too, runs a learner's notebooks to their ends, and checks the same
@pytest.mark.release
@each_notebook
def test_a_blank_notebook_runs_to_its_end_and_gets_no_point(name, smoke, tmp_path):
    """nbgrader runs and grades it: the learner's notebooks are in its format (docs/instructors.md)."""
    learner = BY_NAME[name].learner
    assert autograde(BY_NAME[name], {"blank": learner}, tmp_path) == {"blank": 0}
    graded = tmp_path / "autograded" / "blank" / name / f"{name}.ipynb"
    require_run_to_the_end(nbformat.read(graded, as_version=4), name, solved=0, points=0)


@pytest.mark.release
@each_notebook
def test_nbgrader_runs_a_solution_and_gives_100(name, smoke, tmp_path):
    assert autograde(BY_NAME[name], {"solved": BY_NAME[name].solution}, tmp_path) == {"solved": 100}


@pytest.mark.slow
def test_one_solved_exercise_gives_its_points_and_the_others_still_run(smoke, tmp_path):
    entry = CATALOG[0]
    blank = nbformat.read(entry.learner, as_version=4)
    solved = nbformat.read(entry.solution, as_version=4)
    answers = {
        c.metadata["nbgrader"]["grade_id"]: c.source
        for c in solved.cells
        if "nbgrader" in c.metadata
    }
    for cell in blank.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") in ("distance", "pairs-classic"):
            cell.source = answers[cell.metadata["nbgrader"]["grade_id"]]
    nbformat.write(blank, tmp_path / "partly.ipynb")
    known = entry.exercises()
    expected = known["distance"].points + known["pairs"].parts[0].points
    course = tmp_path / "course"
    course.mkdir()
    assert autograde(entry, {"partly": tmp_path / "partly.ipynb"}, course) == {"partly": expected}


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
    with pytest.raises(CourseError, match=r"nothing\.ipynb is not a notebook"):
        running.collect([tmp_path / "nothing.ipynb"])
    with pytest.raises(CourseError, match="is not a notebook, and not a folder that contains one"):
        running.collect([tmp_path])
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        nbformat.write(new_notebook(), tmp_path / folder / "one.ipynb")
    with pytest.raises(CourseError, match=r"two notebooks one\.ipynb"):
        running.collect([tmp_path / "a", tmp_path / "b"])


def test_run_reads_all_notebooks_before_the_first_one_takes_minutes(tmp_path):
    nbformat.write(new_notebook(cells=[new_code_cell("1 / 0")]), tmp_path / "a.ipynb")
    (tmp_path / "b.ipynb").write_text("not a notebook")
    with pytest.raises(CourseError, match=r"b\.ipynb cannot be read"):
        running.run_notebooks([tmp_path / "a.ipynb", tmp_path / "b.ipynb"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_kernel_finds_folders_that_are_named_relative_to_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIAMESE_COURSE_DATA", "shipped")
    monkeypatch.setenv("SIAMESE_COURSE_CACHE", "cache")
    monkeypatch.setenv("SIAMESE_COURSE_PROGRESS", "points.json")
    variables = environment_of_course()
    assert variables["SIAMESE_COURSE_DATA"] == "shipped"
    assert variables["SIAMESE_COURSE_CACHE"] == str(tmp_path / "cache")
    assert variables["SIAMESE_COURSE_PROGRESS"] == str(tmp_path / "points.json")
    monkeypatch.setenv("SIAMESE_COURSE_PROGRESS", OFF)
    assert environment_of_course()["SIAMESE_COURSE_PROGRESS"] == OFF


def test_formulas_are_drawn_without_a_network():
    text = "Is $\\tau$ at `$x$`?\n\n$$\\sqrt{x}$$\n\n```\n$y$\n```"
    notebook = new_notebook(cells=[new_markdown_cell(text)])
    drawn = render.with_mathml(notebook).cells[0].source
    assert notebook.cells[0].source == text
    assert drawn.count("<math") == 2
    assert 'display="block"><mrow><msqrt>' in drawn
    assert "`$x$`" in drawn and "```\n$y$\n```" in drawn


@pytest.mark.parametrize("wrong", ["x_", "d_i_j", r"\left( x"])
def test_a_wrong_formula_stays_as_it_is(wrong):
    text = f"It is ${wrong}$, not $x$."
    drawn = render.with_mathml(new_notebook(cells=[new_markdown_cell(text)])).cells[0].source
    assert f"${wrong}$" in drawn
    assert drawn.count("<math") == 1


def test_progress_bars_are_stored_as_their_last_state():
    text = "\ra:  0%\ra: 50%\ra: 100%\nscore 3\n"
    notebook = small_notebook("")
    pieces = [text[:12], text[12:]]
    notebook.cells[1].outputs = [nbformat.v4.new_output("stream", text=piece) for piece in pieces]
    render.tidy_outputs(notebook)
    assert [output.text for output in notebook.cells[1].outputs] == ["a: 100%\nscore 3\n"]
