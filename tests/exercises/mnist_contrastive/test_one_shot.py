"""Exercise 7: right answers in several styles pass, known mistakes are named."""

import numpy as np
import pytest

from siamese_course.evaluation import choose_threshold, verify_one_shot
from siamese_course.exercises.mnist_contrastive import one_shot
from siamese_course.exercises.mnist_contrastive.one_shot import CHOOSE_MISTAKES, VERIFY_MISTAKES
from tests.exercises.mistakes import cases, require_named


@cases(CHOOSE_MISTAKES)
def test_a_known_mistake_of_the_threshold_is_named(mistake):
    require_named(one_shot.check(mistake.answer, verify_one_shot), mistake)


@cases(VERIFY_MISTAKES)
def test_a_known_mistake_of_the_verification_is_named(mistake):
    require_named(one_shot.check(choose_threshold, mistake.answer), mistake)


@pytest.mark.parametrize(
    ("answer", "tag"),
    [
        (lambda d, s: len(d) / 2, "position"),
        (lambda d, s: 0.8 * choose_threshold(d, s), "not_best"),
        (lambda d, s: np.sort(d), "axis_left"),
        (lambda d, s: "0.3 m", "type"),
        (lambda d, s: choose_threshold(d.round(3), s), "strict"),
    ],
)
def test_other_wrong_thresholds_are_described(answer, tag):
    assert one_shot.check(answer, verify_one_shot).tags == [tag]


def test_distances_are_not_rounded_before_they_are_compared():
    def rounded(reference, queries, threshold):
        return np.linalg.norm(queries - reference, axis=-1).round(3) <= threshold

    assert one_shot.check(choose_threshold, rounded).tags == ["value"]


def by_loop(distances, same):
    best, best_threshold = -1, None
    for t in sorted(distances):
        right = ((distances[same == 1] <= t).mean() + (distances[same == 0] > t).mean()) / 2
        if right > best:
            best, best_threshold = right, t
    return np.float32(best_threshold) + np.float32(1e-5)


def test_right_answers_in_other_styles_pass():
    def verify(reference, queries, threshold):
        return [float(np.linalg.norm(x - reference)) <= threshold for x in queries]

    result = one_shot.check(by_loop, verify)
    assert result.passed, str(result)
