"""Exercise 1: known mistakes are named; blank images and changed runs are found."""

import numpy as np
import pytest

from siamese_course.evaluation import cosine_similarities, one_shot_accuracy
from siamese_course.exercises.omniglot_one_shot import accuracy
from siamese_course.exercises.omniglot_one_shot.accuracy import ACCURACY_MISTAKES, COSINE_MISTAKES
from tests.exercises.mistakes import cases, require_named


@cases(COSINE_MISTAKES)
def test_a_known_mistake_in_the_cosine_is_named(mistake):
    require_named(accuracy.check(mistake.answer, one_shot_accuracy), mistake)


@cases(ACCURACY_MISTAKES)
def test_a_known_mistake_in_the_accuracy_is_named(mistake):
    require_named(accuracy.check(cosine_similarities, mistake.answer), mistake)


def unguarded(queries, references):
    lengths = [np.linalg.norm(rows, axis=1) for rows in (queries, references)]
    return queries @ references.T / np.outer(*lengths)


def test_a_blank_image_that_gives_nan_loses_points():
    result = accuracy.check(unguarded, one_shot_accuracy)
    assert (result.points, result.tags) == (8, ["blank"])


def shuffles(similarity, runs):
    found = one_shot_accuracy(similarity, runs)
    runs[0].test[:] = 0
    return found


def sorts(similarity, runs):
    for run in runs:
        run.answers.sort()
    return one_shot_accuracy(similarity, runs)


@pytest.mark.parametrize("answer", [shuffles, sorts])
def test_a_run_that_is_changed_is_found(answer):
    result = accuracy.check(cosine_similarities, answer)
    assert (result.points, result.tags) == (6, ["changed"])


def test_one_trial_after_the_other_passes():
    def by_trial(similarity, runs):
        hits = [
            int(similarity(run.test[i : i + 1], run.train)[0].argmax()) == run.answers[i]
            for run in runs
            for i in range(len(run.test))
        ]
        return sum(hits) / len(hits)

    assert accuracy.check(cosine_similarities, by_trial).passed
