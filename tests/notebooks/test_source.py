"""The notebooks come from their source and nowhere else, and keep to the house rules."""

import re
import statistics

import nbformat
import pytest

from siamese_course.grading import authoring
from siamese_course.notebooks.run import NOTEBOOKS, SOLUTIONS

SOURCES = authoring.all_sources()
REMEDY = "is stale: run `make notebooks`"

pytestmark = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)


def stored(folder, source):
    return nbformat.read(folder / f"{source.stem}.ipynb", as_version=4)


def test_the_learners_notebook_is_what_its_source_makes(source):
    fresh = authoring.learner_notebook(source)
    assert stored(NOTEBOOKS, source) == fresh, f"{source.stem} {REMEDY}"


def test_the_solution_notebook_is_what_its_source_makes_with_outputs(source):
    fresh, kept = authoring.solution_notebook(source), stored(SOLUTIONS, source)
    assert kept.metadata["siamese_course"] == fresh.metadata["siamese_course"], REMEDY
    cells = [(cell.id, cell.source, cell.metadata) for cell in kept.cells]
    assert cells == [(cell.id, cell.source, cell.metadata) for cell in fresh.cells], REMEDY
    for cell in kept.cells:
        if "nbval-check-output" in cell.metadata.get("tags", []):
            assert cell.outputs, f"{cell.id} has nothing that nbval could compare"
        if cell.cell_type == "code":
            assert not any(output.output_type == "error" for output in cell.outputs)
            assert not any(output.get("name") == "stderr" for output in cell.outputs)


def test_the_solution_texts_are_what_the_sources_make(source):
    import json

    assert json.loads(authoring.SOLUTION_TEXTS.read_text()) == authoring.solution_texts(SOURCES), REMEDY


def test_no_solution_and_no_output_is_in_the_learners_notebook(source):
    notebook = stored(NOTEBOOKS, source)
    for cell in notebook.cells:
        assert "SOLUTION" not in cell.source
        assert not cell.get("outputs")
    answers = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("solution")]
    assert all("YOUR CODE HERE" in cell.source and '"""' in cell.source for cell in answers)


def test_every_exercise_has_an_answer_a_check_and_its_points(source):
    notebook = authoring.learner_notebook(source)
    known = authoring.exercises(source)
    settings = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    points = {s["grade_id"].removesuffix("-check"): s["points"] for s in settings if s.get("grade")}
    assert points == {name: exercise.points for name, exercise in known.items()}
    assert sum(points.values()) == 100
    answered = {s["grade_id"].split("-")[0] for s in settings if s.get("solution")}
    assert answered == set(known)
    assert all(s["locked"] for s in settings if s.get("grade"))


def test_points_in_the_headings_are_the_points(source):
    text = source.read_text()
    stated = [
        int(points) for points in re.findall(r"^# ## Exercise \d+ · .*\((\d+) points\)", text, re.M)
    ]
    assert stated == [exercise.points for exercise in authoring.exercises(source).values()]


def test_code_cells_are_short(source):
    lengths = [
        len([line for line in cell.source.splitlines() if line.strip()])
        for cell in authoring.solution_notebook(source).cells
        if cell.cell_type == "code"
    ]
    assert statistics.median(lengths) <= 7
    assert max(lengths) <= 25


def test_every_chart_is_accompanied_by_compared_figures(source):
    """One of the two code cells on either side of a picture prints what nbval compares."""
    cells = [cell for cell in stored(SOLUTIONS, source).cells if cell.cell_type == "code"]
    compared = ["nbval-check-output" in cell.metadata.get("tags", []) for cell in cells]
    charts = [
        number
        for number, cell in enumerate(cells)
        if any("image/png" in output.get("data", {}) for output in cell.outputs)
    ]
    assert len(charts) >= 5
    alone = [n for n in charts if not any(compared[max(0, n - 2) : n + 3])]
    assert [cells[n].source for n in alone] == []
