"""Getting unstuck: hints in three steps, the solution last, and after every error a sentence about the exercise."""

import re
from types import SimpleNamespace

import nbformat.v4 as notebooks
import pytest

from siamese_course.exercises import explain
from siamese_course.notebooks.run import execute
from tests.exercises.test_all import EXERCISES, each


def breaks_with(error):
    def answer(*arguments, **options):
        raise error

    return answer


def breaks_in_keras(*arguments, **options):
    import keras

    return keras.ops.matmul(keras.ops.ones((2, 3)), keras.ops.ones((2, 3)))


def takes_nothing():
    return 0.0


BROKEN = {
    "stub": breaks_with(NotImplementedError("not attempted")),
    "type": breaks_with(TypeError("no such type")),
    "name": breaks_with(NameError("name 'opps' is not defined", name="opps")),
    "lines": breaks_with(RuntimeError("first line\nsecond line\n\tthird line")),
    "silent": breaks_with(AssertionError()),
    "exit": breaks_with(SystemExit(2)),
    "recursion": breaks_with(RecursionError("maximum recursion depth exceeded")),
    "shapes": breaks_in_keras,
    "arguments": takes_nothing,
    "nothing": lambda *arguments, **options: None,
    "no function": None,
}


@each
def test_three_hints_come_nearer_to_the_code(exercise):
    idea, place, code = exercise.hints

    def share_of_code(hint):
        return sum(map(len, re.findall(r"`([^`]+)`", hint))) / len(hint)

    assert share_of_code(idea) < 0.4
    assert max(share_of_code(idea), share_of_code(place)) < share_of_code(code)
    assert len(idea.split()) > 10  # the idea is told in words
    assert all(hint.count("`") % 2 == 0 for hint in exercise.hints)
    assert "..." in code or len(code) < len(
        repr(exercise.solution(show=True))
    )  # nearly, and not all of it


@each
def test_the_solution_is_named_last(exercise):
    told = [repr(exercise.hint(number)) for number in (1, 2, 3)]
    assert [text[:11] for text in told] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3"]
    assert ["solution() is next" in text for text in told] == [False, False, True]
    solution = repr(exercise.solution(show=True))  # given whenever it is asked for
    assert all(f"def {function.__name__}(" in solution for function in exercise.reference)


@each
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_answer_is_told_in_sentences_and_the_last_names_the_exercise(exercise, kind):
    result = exercise.check(*[BROKEN[kind]] * len(exercise.reference))
    assert result.points == 0
    assert result.messages[-1].endswith(
        f"`exercises.{exercise.short_name}.hint()` helps step by step."
    )
    assert all(len(message.splitlines()) == 1 for message in result.messages)
    assert "Traceback" not in str(result)
    if kind == "stub":
        assert (result.status, len(result.messages)) == ("not attempted", 1)
    else:
        assert result.status == "wrong"
        assert len(result.messages) >= 2


@each
def test_the_notebook_goes_on_after_a_broken_answer(exercise, capsys):
    for kind in ("stub", "shapes", "nothing"):
        used = exercise.use(*[BROKEN[kind]] * len(exercise.reference))
        used = used if isinstance(used, tuple) else (used,)
        assert used == tuple(exercise.reference)
    assert "goes on with the course's own" in capsys.readouterr().out.splitlines()[-1]


@each
def test_another_number_of_functions_is_told_with_the_names_and_the_help(exercise):
    told = exercise.check(*[abs] * (len(exercise.reference) + 1)).messages
    assert all(function.__name__ in told[0] for function in exercise.reference)
    assert f"exercises.{exercise.short_name}.hint()" in told[-1]


def cell(source: str, error: Exception):
    info = SimpleNamespace(raw_cell=source)
    return SimpleNamespace(info=info, error_before_exec=None, error_in_exec=error)


@each
def test_a_cell_of_an_exercise_that_fails_names_the_exercise(exercise, capsys):
    same = [each for each in EXERCISES if each.name[:2] == exercise.name[:2]]
    for function in exercise.reference:
        missing = NameError("name ...", name=function.__name__)
        explain.explain(
            cell(f"exercises.{exercise.short_name}.check({function.__name__})", missing), same
        )
        told = capsys.readouterr().out
        assert told.startswith(f"Exercise {exercise.title}: `{function.__name__}` is your answer")
        assert f"exercises.{exercise.short_name}.hint()" in told
        explain.explain(cell(f"def {function.__name__}(x):\n  return x +", SyntaxError("no")), same)
        assert capsys.readouterr().out.startswith(f"Exercise {exercise.title}: the last line above")


def test_other_cells_and_other_endings_are_left_alone(capsys):
    explain.explain(cell("1 / 0", ZeroDivisionError()), EXERCISES)
    explain.explain(cell("def mine(x):\n    oops", NameError("oops", name="oops")), EXERCISES)
    explain.explain(cell("exercises.distance.check(f)", None), EXERCISES)
    assert capsys.readouterr().out == ""


def shown(output):
    return "\0" if output.output_type == "error" else output.get("text", "")


@pytest.mark.slow
def test_in_a_notebook_the_sentence_comes_after_the_traceback(tmp_path):
    """A check of an answer that was not run, an answer that is no Python, and a stub that is called."""
    sources = [
        "from siamese_course.exercises import mnist_contrastive as exercises",
        "exercises.distance.check(euclidean_distance)",
        "def euclidean_distance(embeddings):\n    return embeddings +",
        "def knn_score(*arguments):\n    raise NotImplementedError('not attempted')",
        "knn_score(1, 2)",
        "1 / 0",
    ]
    notebook = notebooks.new_notebook(cells=[notebooks.new_code_cell(each) for each in sources])
    for each_cell in notebook.cells:
        each_cell.metadata["tags"] = ["raises-exception"]
    execute(notebook, tmp_path)
    # one print may come in several pieces
    ends = ["".join(map(shown, each.outputs)).split("\0")[-1] for each in notebook.cells]
    assert "Euclidean distance: `euclidean_distance` is your answer" in ends[1]
    assert "Euclidean distance: the last line above" in ends[2]
    assert notebook.cells[3].outputs == []
    assert "k-NN" in ends[4] or "`exercises.knn.hint()`" in ends[4]
    assert "your answer to it isn't written yet" in ends[4]
    assert notebook.cells[5].outputs[-1].output_type == "error"
