"""Which cells are run for a grade, and what counts as borrowed."""

import ast
import time

import pytest

from siamese_course.exercises import engine
from siamese_course.grading import cells
from siamese_course.grading.cells import Cell, borrowed, needed
from siamese_course.grading.worker import Shell
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
        e.split(".")[1]: text for e, text in engine.solutions().items() if name.startswith(e[:2])
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
    "from siamese_course.runtime.trax_patch import training, trax\nfrom siamese_course.training.loop import train",
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
        "def f(run):\n    return run.train",
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
        "%%time\nx = 1",
        "%time x = f()",
        "x = f?",
    ]
    notebook = {"cells": [code | {"source": source} for source in sources]}
    notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "text"})
    kept = [cell.source for cell in cells.code_cells(notebook)]
    assert kept == [
        "get_ipython().run_line_magic('matplotlib', 'inline')\nx = 1\n",
        "if x:\n    get_ipython().system('pip install y')\n",
        sources[2],
        "x = 1\n",
        "x = f()\n",
        "get_ipython().run_line_magic('pinfo', 'f')\n",
    ]


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


def test_a_name_comes_from_above_the_answer_and_from_below_only_if_there_is_no_other():
    notebook = [
        Cell(0, "a = 1"),
        Cell(1, "def f():\n    return a + b", "one"),
        Cell(2, "a = 2"),
        Cell(3, "b = 2"),
        Cell(4, "def g():\n    return a", "two"),
    ]
    assert [cell.number for cell in needed(notebook, "one")] == [0, 1, 3]
    assert [cell.number for cell in needed(notebook, "two")] == [0, 2, 4]


@pytest.mark.parametrize(
    "source",
    [
        "from x import *",
        "globals()['a'] = 1",
        "exec('a = 1')",
        cells.python_of("%%writefile a.py\na = 1\n"),
    ],
)
def test_what_may_bind_anything_is_run(source):
    notebook = [Cell(0, source), Cell(1, "def f():\n    return a", "one")]
    assert [cell.number for cell in needed(notebook, "one")] == [0, 1]
    assert [cell.number for cell in needed(notebook, "one", anything=False)] == [1]


@pytest.mark.parametrize(
    ("source", "run"),
    [
        ("from keras.layers import *", True),
        ("import math\nfrom tensorflow.math import *\nfrom json import dumps", True),
        ("from keras.layers import *\nfrom os import *", False),
        ("from kerasx import *", False),
        ("from .keras import *", False),
        ("from keras.layers import *\nprint()", False),
    ],
)
def test_star_imports_of_libraries_are_run_also_where_an_answer_is_observed(source, run):
    notebook = [Cell(0, source), Cell(1, "def f():\n    return Dense(2)", "one"), Cell(2, source)]
    chosen = needed(notebook, "one", anything=False)
    assert [cell.number for cell in chosen] == ([0, 1] if run else [1])


@pytest.mark.parametrize(
    "source",
    [
        "sys.modules",
        "import sys as s",
        "from numpy import sys",
        "np.sys.path",
        "().__class__",
        "getattr(np, 's' + 'ys')",
        "e.__traceback__",
        "error.tb_frame",
        "os.write(5, b'')",
        "open('/proc/self/mem')",
        "np.load(f, allow_pickle=True)",
        "match x:\n    case object(modules=m):\n        pass",
        "globals()['__builtins__'] = 1",
        "from unittest.mock import patch",
        "import string\nstring.Formatter().get_field('0', [f], {})",
        "typing.get_type_hints(Kind)",
        "setattr(np, 'allclose', print)",
    ],
)
def test_what_reaches_around_is_found(source):
    assert cells.reaching([Cell(0, "x = 1"), Cell(1, source)])


@pytest.mark.parametrize(
    "source",
    [
        "import os\nimport keras\nos.environ['A'] = 'b'\nos.path.join('a', 'b')",
        "from __future__ import annotations\ndef f(x: int) -> int:\n    return x",
        "class Layer(keras.layers.Layer):\n    def __init__(self):\n        super().__init__()",
        "globals()['dim'] = 2",
        "code = 3\nsite = code",
        "import sys\nsys.exit()",
    ],
)
def test_what_does_not_reach_around(source):
    assert cells.reaching([Cell(0, source)]) is None


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import keras\nfrom keras.layers import Dense\nDense(3).build", None),
        (
            "class A:\n    def call(self, x):\n        self.mine = x\n        return self.other",
            None,
        ),
        ("import json", "json"),
        ("from keras.src.utils import build", "src"),
        ("keras.patch()", "patch"),
        ("keras.layers = 1", "layers"),
        ("del keras.layers", "layers"),
        ("def f(self):\n    self.layers = 1", "layers"),
        ("match x:\n    case object(patch=m):\n        pass", "patch"),
    ],
)
def test_what_is_not_plain_is_found(source, found):
    plain = {"keras", "layers", "Dense", "build"}
    assert cells.beyond([Cell(0, "x = 1"), Cell(1, source)], plain) == found


@pytest.mark.parametrize("name", NAMES)
def test_the_course_own_answers_do_not_reach_around(name):
    answers = {
        e.split(".")[1]: text for e, text in engine.solutions().items() if name.startswith(e[:2])
    }
    chosen = [c for c in cells.code_cells(cells.with_answers(name, answers)) if c.exercise]
    assert cells.reaching(chosen) is None


@pytest.mark.parametrize(
    "answer",
    [
        "import importlib\nf = importlib.import_module('x').f",
        "def f():\n    return __import__('x')",
        "name = 'siamese_course.losses'",
    ],
)
def test_hidden_imports_count_as_borrowed(answer):
    assert "the course's own code" in borrowed([Cell(0, answer, "one")], "one")


def test_a_chain_of_thousands_of_cells_is_looked_through_quickly():
    notebook = [Cell(n, f"v{n} = v{n - 1}") for n in range(8000)]
    notebook.append(Cell(8000, "def f():\n    return v7999", "one"))
    seconds = time.process_time()
    assert len(needed(notebook, "one")) == 8001
    assert time.process_time() - seconds < 10


def test_a_cell_that_asks_for_hints_may_still_import_something():
    notebook = [
        Cell(0, "import math\nexercises.distance.hint()"),
        Cell(1, "def f(x):\n    return math.sqrt(x)", "one"),
    ]
    assert [cell.number for cell in needed(notebook)] == [0, 1]


def test_a_written_file_can_be_imported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shell = Shell()
    shell.run_cell_magic("writefile", "small.py", "A = 1\n")
    shell.run_cell_magic("writefile", "-a small.py", "B = 2\n")
    shell.run_cell_magic("html", "", "<b>")
    assert (tmp_path / "small.py").read_text("utf-8") == "A = 1\nB = 2\n"
    assert [path.name for path in tmp_path.iterdir()] == ["small.py"]
