"""The result object and the engine: what nbgrader reads, what learners read, what may not leak."""

import io
import os
import sys
import threading
from types import SimpleNamespace
from typing import ClassVar

import keras
import numpy as np
import pytest

from siamese_course.exercises import engine
from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Result,
    Wrong,
    as_array,
    compare,
    is_hidden,
    require_shape,
    seeded,
)


def exercise(test, points=4.0, **options) -> Exercise:
    return Exercise("01.sample", "Sample", [Part(points, test)], ("a", "b", "c"), [abs], **options)


def test_the_repr_is_a_bare_number_that_nbgrader_can_read():
    result = exercise(lambda answer: None).check(abs)
    assert repr(result) == "4"
    assert float(repr(exercise(lambda answer: None, 2.5).check(abs))) == 2.5


def test_points_never_exceed_the_maximum():
    assert repr(Result("x", 11, 10, [], "right")) == "10"


def test_a_tag_belongs_to_the_message_at_its_place():
    tags = ["shape", "shape", "", "shape"]
    result = Result("x", 0, 10, ["A", "B", "C", "A", "help"], "wrong", tags)
    assert result.messages == ["A", "B", "C", "help"]
    assert result.tags == ["shape", "shape", ""]


def test_not_attempted_differs_from_wrong():
    def stub(answer):
        raise NotImplementedError("not attempted")

    def wrong(answer):
        raise Wrong("two is not three")

    assert exercise(stub).check(abs).status == "not attempted"
    result = exercise(wrong).check(abs)
    assert (result.status, result.messages[0], repr(result)) == ("wrong", "two is not three", "0")


def test_an_error_in_the_answer_is_told_and_costs_the_part_only():
    def breaks(answer):
        return [][3]

    sample = Exercise(
        "01.s", "S", [Part(3, breaks), Part(2, lambda a: None)], ("a", "b", "c"), [abs]
    )
    result = sample.check(abs)
    assert repr(result) == "2"
    assert "`IndexError`" in result.messages[0]


@pytest.mark.parametrize("leave", [sys.exit, lambda: sys.exit(3)])
def test_leaving_does_not_end_the_notebook(leave):
    assert exercise(lambda answer: leave()).check(abs).status == "wrong"


def test_stderr_is_kept_out_at_both_levels(capfd):
    def noisy(answer):
        print("from Python", file=sys.stderr)
        os.write(2, b"from C\n")

    assert exercise(noisy).check(abs).passed
    assert capfd.readouterr().err == ""
    print("afterwards", file=sys.stderr)
    assert capfd.readouterr().err == "afterwards\n"


def test_html_escapes_what_the_learner_wrote():
    def wrong(answer):
        raise Wrong("got `<script>alert(1)</script>`")

    page = exercise(wrong).check(abs)._repr_html_()
    assert "<script>" not in page
    assert "<code>&lt;script&gt;" in page


def test_use_takes_the_answer_if_it_passes_and_the_reference_if_not(capsys):
    def mine(x):
        return x

    assert exercise(lambda answer: None).use(mine) is mine
    assert "your own answer" in capsys.readouterr().out

    def wrong(answer):
        raise Wrong("no")

    assert exercise(wrong).use(mine) is abs
    assert "the course's own" in capsys.readouterr().out


def test_use_falls_back_if_a_right_answer_cannot_be_trained_with(capsys):
    def not_ready(answer):
        raise TypeError("no gradient")

    assert exercise(lambda answer: None, ready=not_ready).use(len) is abs
    assert (
        "yours is right, but it can't be used for training (no gradient)" in capsys.readouterr().out
    )


def test_hints_come_one_after_another():
    sample = exercise(lambda answer: None)
    texts = [repr(sample.hint()) for _ in range(4)]
    assert [text[:11] for text in texts] == [
        "Hint 1 of 3",
        "Hint 2 of 3",
        "Hint 3 of 3",
        "Hint 3 of 3",
    ]
    with pytest.raises(ValueError, match="number is 4"):
        sample.hint(4)
    sample.reset()
    assert [repr(sample.hint(number))[5] for number in (2, 1, None)] == ["2", "1", "3"]


def test_check_says_how_many_functions_it_takes():
    assert (
        "check takes 1 function(s): abs"
        in exercise(lambda answer: None).check(abs, abs).messages[0]
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "is a `return` missing"),
        ("text", "is a `str`"),
        ([1, np.nan], "NaN"),
        (object(), "is a `object`"),
    ],
)
def test_as_array_refuses_what_is_no_number(value, message):
    with pytest.raises(Wrong, match=message):
        as_array(value)


def test_compare_names_a_mistake_only_if_it_explains_every_case():
    cases = [(1.0,), (2.0,)]
    mistakes = [Mistake(lambda x: x + 1, "added one", "added")]
    with pytest.raises(Wrong, match="added one") as caught:
        compare(lambda x: x + 1, lambda x: 3 * x, cases, mistakes)
    assert caught.value.tag == "added"
    with pytest.raises(Wrong, match="A value is off: 2, where 3 was expected") as caught:
        compare(lambda x: 2.0, lambda x: 3 * x, cases, mistakes)
    assert caught.value.tag == "value"
    with pytest.raises(Wrong, match=r"has shape \(1,\); expected one number") as caught:
        compare(lambda x: [3 * x], lambda x: 3 * x, cases, mistakes)
    assert caught.value.tag == "axis_left"


def test_of_several_results_the_one_that_is_off_is_named():
    with pytest.raises(Wrong, match="4, where 3 was expected, at \\[2\\] in the indices"):
        compare(
            lambda x: np.stack([x, x + (x == 3)]),
            lambda x: np.stack([x, x]),
            [(np.arange(1.0, 4.0),)],
            parts=("the cosines", "the indices"),
        )


def test_a_last_part_waits_for_the_parts_of_its_answer_and_of_all():
    def wrong(*answers):
        raise Wrong("wrong")

    def right(*answers):
        pass

    def passed(*parts):
        return [outcome is None for outcome in engine._outcomes(parts, [abs, abs])]

    last = Part(1, right, of=1, last=True)
    assert passed(Part(1, wrong, of=0), last) == [False, True]
    assert passed(Part(1, wrong, of=1), last) == [False, False]
    assert passed(Part(1, wrong), last) == [False, False]


def test_a_known_shape_gets_its_own_message():
    known = {(2, 1): ("leave out keepdims", "keepdims")}
    require_shape(np.zeros(2), (2,), known)
    with pytest.raises(Wrong, match="leave out keepdims") as caught:
        require_shape(np.zeros((2, 1)), (2,), known)
    assert caught.value.tag == "keepdims"
    with pytest.raises(Wrong, match=r"A side has shape \(3,\); expected \(2,\)"):
        require_shape(np.zeros(3), (2,), known, "A side")


def test_a_part_can_test_one_of_several_answers():
    def wrong(answer):
        raise Wrong("no", answer.__name__)

    parts = [Part(3, wrong, of=1), Part(2, lambda answer: None, of=0)]
    result = Exercise("01.s", "S", parts, ("a", "b", "c"), [abs, len]).check(abs, len)
    assert (result.points, result.tags) == (2, ["len"])


def test_what_passes_must_pass_with_the_instructors_numbers():
    def knows_the_numbers(answer):
        if is_hidden():
            raise Wrong("secret numbers", "secret")

    result = exercise(knows_the_numbers).grade(7, abs)
    assert (result.points, result.tags) == (0, ["hard_coded"])
    assert "secret" not in str(result)


def test_the_instructors_numbers_are_others():
    drawn = []
    exercise(lambda answer: drawn.append(seeded(3).random())).grade(7, abs)
    assert drawn[0] == np.random.default_rng(3).random()
    assert drawn[1] != drawn[0]


def test_the_solution_before_a_hint_needs_a_confirmation(monkeypatch):
    monkeypatch.setattr(engine, "solutions", lambda: {"01.sample": "def f(): ..."})
    sample = exercise(lambda answer: None)
    assert "exercises.sample.solution(show=True)" in repr(sample.solution())
    assert repr(sample.solution(show=True)) == "def f(): ..."
    for number in (None, 3):
        sample.hint(number)
        assert repr(sample.solution()) == "def f(): ..."
        sample.reset()
        assert "show=True" in repr(sample.solution())


def test_only_the_beginning_of_what_an_answer_prints_is_shown(capsys):
    exercise(lambda answer: print("x" * 9_000)).check(abs)
    shown = capsys.readouterr().out
    assert shown.count("x") == engine.MAX_PRINTED
    assert "[7,001 more characters that your code printed are not shown]" in shown


def test_an_interrupted_check_says_so_and_earns_nothing():
    def endless(answer):
        raise KeyboardInterrupt

    result = exercise(endless).check(abs)
    assert (result.points, result.tags) == (0, ["interrupted"])
    assert result.messages[0].startswith("You stopped the check")


def test_a_slow_check_says_so_however_much_the_answer_prints(monkeypatch):
    class Terminal(io.StringIO):
        def write(self, text):
            told.set() if text == engine.SLOW else None
            return super().write(text)

    told = threading.Event()
    monkeypatch.setattr(engine, "SLOW_SECONDS", 0.01)
    monkeypatch.setattr(sys, "stdout", Terminal())
    exercise(lambda answer: (print("x" * 9_000), told.wait(10))).check(abs)
    assert told.is_set()


def test_what_an_answer_displays_is_bounded(monkeypatch, capsys):
    class Publisher:
        hooks: ClassVar[list] = []
        register_hook, unregister_hook = hooks.append, hooks.remove

        def publish(self, message):
            return [hook(message) for hook in self.hooks]

    shell = SimpleNamespace(display_pub=Publisher(), ask_exit=None)
    monkeypatch.setattr(engine.record, "shell", lambda: shell)
    seen = []
    show = shell.display_pub.publish
    exercise(lambda answer: seen.extend(show({"n": n}) for n in range(30))).check(abs)
    assert [each for [each] in seen if each] == [{"n": n} for n in range(engine.MAX_DISPLAYED)]
    assert "[20 more outputs of display are not shown]" in capsys.readouterr().out
    assert not Publisher.hooks


def test_a_huge_list_is_refused_before_it_is_converted(monkeypatch):
    monkeypatch.setattr(engine.np, "array", None)  # it would be called to convert
    for value in ([0] * 200_000, [[0.0] * 1_000] * 101, ([1],) * 100_001):
        with pytest.raises(Wrong, match="far more numbers than expected"):
            engine.as_array(value)


def test_use_says_that_it_was_interrupted(capsys):
    def endless(answer):
        raise KeyboardInterrupt

    assert exercise(endless).use(len) is not len
    assert "You stopped the check, so the notebook goes on with the course's own." in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("one line", "one line"),
        ("two\nlines", "two lines"),
        (
            "Exception encountered when calling Dense.call().\n\n\x1b[1mSizes (3) and (4) differ\x1b[0m\n\n"
            "Arguments received by Dense.call():\n  x",
            "Sizes (3) and (4) differ",
        ),
        ("", ""),
    ],
)
def test_the_reason_of_an_error_is_kept(text, reason):
    assert engine.reason_of(ValueError(text)) == reason


def test_the_error_of_a_layer_that_keras_repeats_is_shown():
    class Broken(keras.layers.Layer):
        def call(self, x):
            return x * self.number

    with pytest.raises(Exception, match="automatically infer") as caught:
        Broken()(keras.Input((3,)))
    assert engine.reason_of(caught.value) == "'Broken' object has no attribute 'number'"


def test_long_arrays_in_an_error_are_cut():
    error = ValueError(f"Expected 2D array, got {np.arange(100.0)} instead")
    assert engine.reason_of(error) == "Expected 2D array, got [...] instead"
