"""Which cells are run for a grade, and what counts as borrowed."""

import ast

import pytest

from siamese_course.grading import cells
from siamese_course.grading.cells import Cell, borrowed, needed
from siamese_course.notebooks.catalog import NAMES


def test_only_what_the_answers_need_is_run_in_order():
    notebook = [
        Cell(0, "import numpy as np"),
        Cell(1, "data = np.arange(3)"),
        Cell(2, "expensive = [x ** 2 for x in data]"),
        Cell(3, "def helper(x):\n    return x + len(data)"),
        Cell(4, "def answer(x, expensive=None):\n    return helper(x)", "one"),
        Cell(5, "raise SystemExit"),
        Cell(6, "def second(np):\n    left = np\n    return left", "two"),
    ]
    assert [cell.number for cell in needed(notebook)] == [0, 1, 3, 4, 6]


def test_names_are_found_in_nested_functions_classes_and_default_values():
    notebook = [
        Cell(0, "a = 1"),
        Cell(1, "b = 2"),
        Cell(2, "c = 3"),
        Cell(
            3, "def f(x=a):\n    class C:\n        y = b\n    return [lambda: c for _ in x]", "one"
        ),
        Cell(4, "d = 4"),
    ]
    assert [cell.number for cell in needed(notebook)] == [0, 1, 2, 3]


def test_a_syntax_error_needs_nothing_and_is_run():
    notebook = [Cell(0, "import os"), Cell(1, "def f(:\n    os", "one")]
    assert [cell.number for cell in needed(notebook)] == [1]


@pytest.mark.parametrize("name", NAMES)
def test_what_the_course_own_answers_need_trains_nothing(name):
    answers = {
        e.split(".")[1]: text for e, text in cells.solutions().items() if name.startswith(e[:2])
    }
    chosen = needed(cells.code_cells(cells.with_answers(name, answers)))
    called = {
        ast.unparse(node.func).rsplit(".", 1)[-1]
        for cell in chosen
        if not cell.exercise
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Call)
    }
    assert not [
        call
        for call in called
        if call in {"fit", "train", "run", "encode"} or call.startswith("load_")
    ]
    assert any("import" in cell.source for cell in chosen)


IMPORTS = Cell(
    0,
    "import numpy as np\nfrom siamese_course import losses, plotting\nfrom siamese_course.batching.padding import pad_pair\n"
    "from siamese_course.models.trax_patch import training, trax\nfrom siamese_course.training.loop import train",
)


@pytest.mark.parametrize(
    "answer",
    [
        "from siamese_course.losses import contrastive_loss as mine",
        "import siamese_course.losses\ndef f(x):\n    return x",
        "def f(x):\n    from siamese_course import losses as other\n    return other.f(x)",
        "def f(x):\n    return losses.contrastive_loss(x)",
        "f = losses.contrastive_loss",
        "def f(x, g=losses.contrastive_loss):\n    return g(x)",
    ],
)
def test_the_course_own_code_is_told(answer):
    assert "the course's own code (`siamese_course" in borrowed(
        [IMPORTS, Cell(1, answer, "one")], "one"
    )


@pytest.mark.parametrize(
    "answer",
    [
        "def f(train, train_labels):\n    return train",  # a name of its own
        "def f(x):\n    losses = [x]\n    return losses[0]",
        "def f(a, b):\n    return pad_pair(a, b)",  # handed out by the notebook
        "def f(x):\n    return training.Loop(x)",
        "def f(x):\n    return np.sum(x)",
        "def f(:",
    ],
)
def test_what_is_not_borrowed(answer):
    assert borrowed([IMPORTS, Cell(1, answer, "one")], "one") is None


def test_only_the_exercise_itself_is_looked_at():
    notebook = [IMPORTS, Cell(1, "f = losses.f", "one"), Cell(2, "def g(x):\n    return x", "two")]
    assert borrowed(notebook, "two") is None


def test_magics_are_taken_out_where_they_are_magics():
    code = {"cell_type": "code", "metadata": {}}
    sources = [
        "%matplotlib inline\nx = 1",
        "if x:\n    !pip install y",
        'y = (\n    "%s"\n    % x\n)',
    ]
    notebook = {"cells": [code | {"source": source} for source in sources]}
    notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "text"})
    kept = [cell.source for cell in cells.code_cells(notebook)]
    assert kept == ["pass\nx = 1", "if x:\n    pass", sources[2]]


@pytest.mark.parametrize(
    "source", ["-" * 90_000 + "1", "(" * 1000, "(" + "\n" * 50_000, "x = \x00"]
)
def test_hostile_cells_are_looked_through_quickly(source):
    notebook = {
        "cells": [
            {
                "cell_type": "code",
                "metadata": {"nbgrader": {"grade_id": "distance"}},
                "source": source,
            }
        ]
    }
    found = cells.code_cells(notebook)
    assert [cell.number for cell in needed(found)] == [0]
    assert borrowed(found, "distance") is None


def test_a_cell_that_asks_for_hints_may_still_import_something():
    notebook = [
        Cell(0, "import math\nexercises.distance.hint()"),
        Cell(1, "def f(x):\n    return math.sqrt(x)", "one"),
    ]
    assert [cell.number for cell in needed(notebook)] == [0, 1]
