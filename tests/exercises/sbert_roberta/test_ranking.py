"""Exercise 9: recall and mean reciprocal rank."""

import numpy as np
import pytest

from siamese_course.exercises.sbert_roberta import ranking
from siamese_course.exercises.sbert_roberta.ranking import (
    MRR_MISTAKES,
    RECALL_MISTAKES,
    mean_reciprocal_rank,
    recall_at,
)
from tests.exercises.mistakes import cases, require_named

FOUND = np.array([[4, 2, 7], [1, 0, 3], [5, 6, 8]])
ANSWERS = [[7, 2], [1], [9]]


def test_the_reference_by_hand():
    assert recall_at(FOUND, ANSWERS, 1) == pytest.approx(1 / 3)
    assert recall_at(FOUND, ANSWERS, 2) == pytest.approx(2 / 3)
    assert mean_reciprocal_rank(FOUND, ANSWERS) == pytest.approx((1 / 2 + 1 + 0) / 3)


@cases(RECALL_MISTAKES)
def test_a_known_mistake_of_the_recall_is_named(mistake):
    require_named(ranking.check(mistake.answer, mean_reciprocal_rank), mistake)


@cases(MRR_MISTAKES)
def test_a_known_mistake_of_the_reciprocal_rank_is_named(mistake):
    with np.errstate(divide="ignore"):
        require_named(ranking.check(recall_at, mistake.answer), mistake)


def test_each_function_alone_has_its_points():
    assert ranking.check(recall_at, lambda found, answers: 0.5).points == 4
    assert ranking.check(lambda found, answers, k: 0.5, mean_reciprocal_rank).points == 4


def test_arguments_must_stay_as_they_are():
    def sorting(found, answers, k):
        found.sort(axis=1)
        return recall_at(found, answers, k)

    assert ranking.check(sorting, mean_reciprocal_rank).tags == ["changed"]
