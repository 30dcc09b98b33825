"""What holds for every exercise of every notebook."""

import time
from importlib import import_module

import pytest

from siamese_course.exercises.record import POINTS
from siamese_course.notebooks.catalog import CATALOG

NOTEBOOKS = [import_module(entry.module).EXERCISES for entry in CATALOG]
EXERCISES = [exercise for exercises in NOTEBOOKS for exercise in exercises]
each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


@pytest.mark.parametrize("exercises", NOTEBOOKS, ids=[entry.name for entry in CATALOG])
def test_a_notebook_is_worth_100_points(exercises):
    assert sum(exercise.points for exercise in exercises) == POINTS


@each
def test_the_courses_own_answer_passes_and_is_checked_at_once(exercise):
    exercise.check(*exercise.reference)  # the first call loads what a notebook has loaded before
    started = time.process_time()
    result = exercise.check(*exercise.reference)
    assert result.passed, str(result)
    assert (result.status, result.tags) == ("right", [])
    # Most take less than one; this many CPU seconds mean that a check hangs, not that a machine is slow
    assert time.process_time() - started < 20


@each
def test_the_courses_own_answer_passes_with_the_instructors_numbers(exercise):
    result = exercise.grade(20_251, *exercise.reference)
    assert result.passed, str(result)


@each
def test_the_courses_own_answer_can_be_trained_with(exercise):
    if exercise.ready:
        exercise.ready(*exercise.reference)


@each
def test_a_stub_is_not_attempted_and_none_is_wrong(exercise):
    def stub(*arguments, **options):
        raise NotImplementedError("not attempted")

    result = exercise.check(*[stub] * len(exercise.reference))
    assert (result.status, repr(result)) == ("not attempted", "0")
    result = exercise.check(*[lambda *a, **k: None] * len(exercise.reference))
    assert (result.status, repr(result)) == ("wrong", "0")
    assert "none" in result.tags
    assert any("return" in message for message in result.messages)


@each
def test_the_reference_has_the_names_that_the_notebook_asks_for(exercise):
    solution = repr(exercise.solution(show=True))
    assert all(f"def {function.__name__}(" in solution for function in exercise.reference)


@each
def test_an_exercise_has_a_title_and_three_different_hints(exercise):
    assert exercise.title
    assert len(set(exercise.hints)) == 3
