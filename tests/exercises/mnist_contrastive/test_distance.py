"""Exercise 1: right answers in several styles pass, known mistakes are named."""

import numpy as np
import pytest
from keras import ops

from siamese_course.exercises.mnist_contrastive import distance
from siamese_course.exercises.mnist_contrastive.distance import MISTAKES
from tests.exercises.mistakes import cases, require_named


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(distance.check(mistake.answer), mistake)


@pytest.mark.parametrize("tag", ["no_epsilon", "epsilon_outside"])
def test_the_formula_without_the_epsilon_gets_points(tag):
    (mistake,) = [mistake for mistake in MISTAKES if mistake.tag == tag]
    assert distance.check(mistake.answer).points == 4


def by_numpy(left, right):
    left, right = np.asarray(left), np.asarray(right)
    return np.sqrt(((left - right) ** 2).sum(axis=1) + 1e-6)


def by_loop(left, right):
    pairs = zip(np.asarray(left).tolist(), np.asarray(right).tolist(), strict=True)
    return [(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) + 1e-6) ** 0.5 for a, b in pairs]


@pytest.mark.parametrize("answer", [by_numpy, by_loop])
def test_what_no_gradient_comes_through_gets_the_points_of_its_values(answer):
    result = distance.check(answer)
    assert (result.points, result.tags) == (8, ["no_gradient"])
    assert "`ops`" in result.messages[0]


def test_a_right_answer_in_another_style_passes():
    result = distance.check(lambda a, b: ops.power(ops.sum((b - a) ** 2, axis=1) + 1e-6, 0.5))
    assert result.passed, str(result)


@pytest.mark.parametrize("place", [0, 1])
def test_a_side_that_is_cut_off_from_its_gradient_is_named(place):
    def stopped(*sides):
        sides = list(sides)
        sides[place] = ops.stop_gradient(sides[place])
        return ops.sqrt(ops.sum(ops.square(sides[0] - sides[1]), axis=-1) + 1e-6)

    assert distance.check(stopped).tags == ["no_gradient"]


def test_a_raise_left_behind_is_named():
    def begun(left, right):
        difference = left - right
        raise NotImplementedError("not attempted")
        return difference

    result = distance.check(begun)
    assert (result.status, result.tags) == ("wrong", ["still_raises"])
