"""The notebooks come from their source and nowhere else, and keep to the house rules."""

import json
import re
import statistics

import nbformat
import pytest

from siamese_course.grading.authoring import release
from siamese_course.notebooks import build
from siamese_course.notebooks.catalog import CATALOG, SOURCES

REMEDY = "is stale: run `make notebooks`"

each_notebook = pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry.name)


def stored(path):
    return nbformat.read(path, as_version=4)


def test_the_catalog_lists_every_source():
    assert [entry.source for entry in CATALOG] == sorted(SOURCES.glob("*.py"))


def test_a_solution_is_taken_from_the_package():
    text = "def loss():\n    # from the package: grading.authoring.release\n"
    made = build.FROM_PACKAGE.sub(build._body, text)
    assert made.startswith("def loss():\n    config = Config()\n    config.ClearSolutions")
    assert made.endswith("    return notebook\n")
    assert "Return the learner" not in made


@each_notebook
def test_the_learners_notebook_is_what_its_source_makes(entry):
    fresh = release(build.read_source(entry))
    assert stored(entry.learner) == fresh, f"{entry.name} {REMEDY}"
    assert stored(entry.working) == fresh, f"{entry.name} {REMEDY}"


@each_notebook
def test_the_solution_notebook_is_what_its_source_makes_with_outputs(entry):
    fresh, kept = build.solution_notebook(entry), stored(entry.solution)
    assert kept.metadata["siamese_course"] == fresh.metadata["siamese_course"], REMEDY
    cells = [(cell.id, cell.source, cell.metadata) for cell in kept.cells]
    assert cells == [(cell.id, cell.source, cell.metadata) for cell in fresh.cells], REMEDY
    for cell in kept.cells:
        if "nbval-check-output" in cell.metadata.get("tags", []):
            assert cell.outputs, f"{cell.id} has nothing that nbval could compare"
        if cell.cell_type == "code":
            assert not any(output.output_type == "error" for output in cell.outputs)
            assert not any(output.get("name") == "stderr" for output in cell.outputs)


def test_the_solution_texts_are_what_the_sources_make():
    assert json.loads(build.SOLUTION_TEXTS.read_text("utf-8")) == build.solution_texts(), REMEDY


@each_notebook
def test_no_solution_and_no_output_is_in_the_learners_notebook(entry):
    notebook = stored(entry.learner)
    for cell in notebook.cells:
        assert "SOLUTION" not in cell.source
        assert not cell.get("outputs")
    answers = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("solution")]
    assert all("YOUR CODE HERE" in cell.source and '"""' in cell.source for cell in answers)


@each_notebook
def test_every_exercise_has_an_answer_a_check_and_its_points(entry):
    notebook = release(build.read_source(entry))
    known = entry.exercises()
    settings = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    points = {s["grade_id"].removesuffix("-check"): s["points"] for s in settings if s.get("grade")}
    assert points == {name: exercise.points for name, exercise in known.items()}
    assert sum(points.values()) == 100
    answered = {s["grade_id"].split("-")[0] for s in settings if s.get("solution")}
    assert answered == set(known)
    assert all(s["locked"] for s in settings if s.get("grade"))


@each_notebook
def test_points_in_the_headings_are_the_points(entry):
    text = entry.source.read_text("utf-8")
    stated = [
        int(points) for points in re.findall(r"^# ## Exercise \d+ · .*\((\d+) points\)", text, re.M)
    ]
    assert stated == [exercise.points for exercise in entry.exercises().values()]


@each_notebook
def test_code_cells_are_short(entry):
    lengths = [
        len([line for line in cell.source.splitlines() if line.strip()])
        for cell in build.solution_notebook(entry).cells
        if cell.cell_type == "code"
    ]
    assert statistics.median(lengths) <= 7
    assert max(lengths) <= 25


@each_notebook
def test_cells_of_prose_are_short(entry):
    texts = [c.source for c in build.read_source(entry).cells if c.cell_type == "markdown"]
    assert [text for text in texts if len(text.split()) > 150 and "## Glossary" not in text] == []


@each_notebook
def test_every_chart_is_accompanied_by_compared_figures(entry):
    """One of the two code cells on either side of a picture prints what nbval compares."""
    cells = [cell for cell in stored(entry.solution).cells if cell.cell_type == "code"]
    compared = ["nbval-check-output" in cell.metadata.get("tags", []) for cell in cells]
    charts = [
        number
        for number, cell in enumerate(cells)
        if any("image/png" in output.get("data", {}) for output in cell.outputs)
    ]
    assert len(charts) >= 5
    alone = [cells[n].source for n in charts if not any(compared[max(0, n - 2) : n + 3])]
    assert [
        source for source in alone if not source.startswith("diagrams.")
    ] == []  # those show no data


def test_outputs_are_kept_where_the_code_is_the_same_apart_from_the_address():
    entry = CATALOG[0]
    fresh = build.solution_notebook(entry)
    assert build._take_outputs(fresh, entry.solution)
    assert fresh == stored(entry.solution)
    (first,) = (cell for cell in fresh.cells if "SIAMESE_COURSE_PACKAGE" in cell.source)
    first.source = first.source.replace('""', '"git+https://github.com/a/fork@trunk"')
    assert "a/fork" in first.source
    assert build._take_outputs(fresh, entry.solution)
    first.source += "\n1"
    assert not build._take_outputs(fresh, entry.solution)
