"""Exercise 1: right answers in several styles pass, known mistakes are named."""

import numpy as np
import pytest

from siamese_course.exercises.mnist_contrastive import distance
from siamese_course.exercises.mnist_contrastive.distance import MISTAKES
from tests.exercises.mistakes import cases, require_named


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(distance.check(mistake.answer), mistake)


@pytest.mark.parametrize("tag", ["no_epsilon", "epsilon_outside"])
def test_the_formula_without_the_epsilon_gets_half_of_the_points(tag):
    (mistake,) = [mistake for mistake in MISTAKES if mistake.tag == tag]
    assert distance.check(mistake.answer).points == 5


def by_numpy(left, right):
    left, right = np.asarray(left), np.asarray(right)
    return np.sqrt(((left - right) ** 2).sum(axis=1) + 1e-6)


def by_loop(left, right):
    pairs = zip(np.asarray(left).tolist(), np.asarray(right).tolist(), strict=True)
    return [(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) + 1e-6) ** 0.5 for a, b in pairs]


@pytest.mark.parametrize("answer", [by_numpy, by_loop])
def test_right_answers_in_other_styles_pass(answer):
    result = distance.check(answer)
    assert result.passed, str(result)


def test_a_raise_left_behind_is_named():
    def begun(left, right):
        difference = left - right
        raise NotImplementedError("not attempted")
        return difference

    result = distance.check(begun)
    assert (result.status, result.tags) == ("wrong", ["still_raises"])
