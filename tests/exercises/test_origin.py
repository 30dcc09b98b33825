"""Whose answer is it, and is it the present one?"""

import functools
import math
from types import SimpleNamespace

import nbformat.v4 as notebooks
import pytest

from siamese_course import losses
from siamese_course.exercises import origin, record
from siamese_course.exercises.mnist_contrastive import distance
from siamese_course.notebooks.run import execute


class Notebook:
    """A shell with a watch; ``run`` runs a cell in it, as IPython does."""

    def __init__(self, *names):
        self.user_ns = {}
        self.watch = origin.Watch(self, names)

    def transform_cell(self, source):
        return source.replace("%matplotlib inline\n", "")

    def run(self, source, cell=None):
        info = SimpleNamespace(raw_cell=source, cell_id=cell)
        result = SimpleNamespace(info=info, error_before_exec=None, error_in_exec=None)
        self.watch.before_cell(info)
        try:
            code = compile(self.transform_cell(source), "cell", "exec")
        except SyntaxError as error:
            result.error_before_exec = error
        else:
            try:
                exec(code, self.user_ns)
            except Exception as error:
                result.error_in_exec = error
        self.watch.after_cell(result)

    def is_old(self, name):
        return name in self.watch.old


RIGHT, BROKEN = "def f(x):\n    return x", "def f(x):\n    return x +"


@pytest.mark.parametrize(
    ("cells", "old"),
    [
        ([RIGHT], False),
        ([RIGHT, BROKEN], True),
        ([RIGHT, BROKEN, RIGHT], False),
        ([BROKEN], False),  # there is no function at all
        ([RIGHT, "undefined\ndef f(x):\n    return 2"], True),
        ([RIGHT, "def f(x):\n    return 2\nundefined"], False),  # defined, and then an error
        ([RIGHT, "1 / 0"], False),
        ([RIGHT, "def g(x):\n    return x"], False),
        ([RIGHT, "f = f"], False),
    ],
)
def test_an_answer_is_old_if_its_cell_failed_to_define_it(cells, old):
    notebook = Notebook("f")
    for source in cells:
        notebook.run(source)
    assert notebook.is_old("f") == old


def test_an_answer_that_its_cell_no_longer_defines_is_old():
    notebook = Notebook("f")
    notebook.run(RIGHT, cell="a")
    notebook.run("f(1)", cell="b")
    assert not notebook.is_old("f")
    notebook.run("def ff(x):\n    return x", cell="a")
    assert notebook.is_old("f")
    notebook.run(RIGHT, cell="a")
    assert not notebook.is_old("f")


@pytest.mark.parametrize("binding", ["sqrt = mine", "from math import sqrt", "from math import *"])
def test_an_answer_that_its_cell_binds_again_is_not_old(binding):
    notebook, binding = Notebook("sqrt"), f"%matplotlib inline\n{binding}"
    notebook.run("def mine(x):\n    return x")
    for _ in range(2):
        notebook.run(binding, cell="a")
        assert not notebook.is_old("sqrt")
    for stale in ("sqrt(1)", "# sqrt = mine", "sqrt = (", f"{binding}\n1 / 0"):
        notebook.run(stale, cell="a")
        assert notebook.is_old("sqrt")
        notebook.run(binding, cell="a")
        assert not notebook.is_old("sqrt")


def own(left, right):
    return left


def test_the_courses_functions_are_refused(monkeypatch):
    monkeypatch.setattr(own, "__module__", "__main__")
    reference = [losses.euclidean_distance]
    assert origin.refusal([own], reference) is None
    for taken in (reference[0], functools.partial(reference[0]), losses.contrastive_loss):
        assert "is the course's own answer" in origin.refusal([taken], reference)


def borrows_a_module(left, right):
    return losses.euclidean_distance(left, right)


def borrows_by_import(left, right):
    from siamese_course.losses import euclidean_distance

    return euclidean_distance(left, right)


def borrows_deep_inside(left, right):
    return [losses.unit_length(row) for row in left]


@pytest.mark.parametrize("taken", [borrows_a_module, borrows_by_import, borrows_deep_inside])
def test_an_answer_that_calls_the_course_is_refused(taken):
    assert "uses the course's own code" in origin.BORROWED.format(origin.borrowed(taken))


def has_attributes_of_such_names(run):
    run.losses = run.execute.origin
    return run.losses


def has_names_of_its_own(losses, execute):
    return [losses for losses in execute if losses is not functools.partial]


@pytest.mark.parametrize("own_code", [has_attributes_of_such_names, has_names_of_its_own])
def test_attributes_and_own_names_are_not_taken_for_the_courses(own_code):
    assert {"losses", "origin", "execute"} <= set(own_code.__globals__)
    assert origin.borrowed(own_code) is None


def test_check_refuses_and_records_nothing_and_use_goes_on(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("SIAMESE_COURSE_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(record, "in_notebook", lambda: True)
    result = distance.check(losses.euclidean_distance)
    assert (result.points, result.tags) == (0, ["not_own"])
    assert distance.use(losses.euclidean_distance) is losses.euclidean_distance
    assert "the course's own" in capsys.readouterr().out
    assert record.read() == {}


@pytest.mark.slow
def test_in_a_notebook_only_the_present_answer_counts(tmp_path):
    """Skipped, borrowed, right, broken, leaving and printing answers, in one notebook."""
    right = (
        "def euclidean_distance(left, right):\n"
        "    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + 1e-6)"
    )
    check = "exercises.distance.check(euclidean_distance)"
    use = "euclidean_distance = exercises.distance.use(euclidean_distance)"
    stub = "def euclidean_distance(left, right):\n    raise NotImplementedError('not attempted')"
    sources = [
        "from keras import ops\nfrom siamese_course.exercises import mnist_contrastive as exercises",
        stub,
        use,
        check,  # 3: the course's own
        right,
        right.replace("1e-6)", "1e-6"),  # a SyntaxError
        check,  # 6: an old answer
        right,
        check,  # 8: right
        "def euclidean_distance(left, right):\n    exit()",
        check,  # 10
        "def euclidean_distance(left, right):\n    print('x' * 100_000)\n    return left",
        check,  # 12
        "exercises.distance.solution()",
    ]
    notebook = notebooks.new_notebook(cells=[notebooks.new_code_cell(each) for each in sources])
    for cell in notebook.cells:
        cell.metadata["tags"] = ["raises-exception"]
    file = tmp_path / "progress.json"
    execute(notebook, tmp_path, environment={"SIAMESE_COURSE_PROGRESS": str(file)})

    def shown(number):
        data = notebook.cells[number].outputs[-1].data
        return data["text/plain"], data.get("text/html", "")

    points = {number: shown(number)[0] for number in (3, 6, 8, 10, 12)}
    assert points == {3: "0", 6: "0", 8: "10", 10: "0", 12: "0"}
    assert "is the course&#x27;s own answer" in shown(3)[1]
    assert "is from an earlier run" in shown(6)[1]
    assert "exit()" in shown(10)[1]
    streams = [each for each in notebook.cells[12].outputs if each.output_type == "stream"]
    printed = "".join(each.text for each in streams)
    assert "more characters that your code printed are not shown" in printed
    assert len(printed) < 3_000
    assert "solution(show=True)" in shown(13)[0]
    assert "10.0" in file.read_text()


def test_none_is_not_an_old_answer(monkeypatch):
    monkeypatch.setattr(origin, "_watches", [origin.Watch(None, ["fabs"])])
    assert origin.refusal([None], [math.fabs]) is None
