"""Exercise 6: known mistakes are named; a loss without its gradient or without the epsilon loses points."""

import numpy as np
import pytest
from keras import ops

from siamese_course.exercises.omniglot_one_shot import mining
from siamese_course.exercises.omniglot_one_shot.mining import (
    ALONE_MISTAKES,
    MISTAKES,
    NO_EPSILON,
    hard_triplet_loss,
)
from tests.exercises.mistakes import cases, require_named


@cases([*MISTAKES, *ALONE_MISTAKES, NO_EPSILON])
def test_a_known_mistake_is_named(mistake):
    require_named(mining.check(mistake.answer), mistake)


def test_a_loss_without_epsilon_keeps_the_points_of_the_other_parts():
    assert mining.check(NO_EPSILON.answer).points == 7


def in_numpy(labels, embeddings, margin=0.2):
    return np.float32(ops.convert_to_numpy(hard_triplet_loss(labels, embeddings, margin)))


def test_a_loss_in_numpy_is_right_and_cannot_be_trained_with():
    result = mining.check(in_numpy)
    assert (result.points, result.tags) == (9, ["no_gradient"])


def half_stopped(labels, embeddings, margin=0.2):
    value = hard_triplet_loss(labels, embeddings, margin)
    return 0.5 * (value + ops.stop_gradient(value))


def test_a_loss_with_half_its_gradient_is_named():
    result = mining.check(half_stopped)
    assert (result.points, result.tags) == (9, ["other_gradient"])


def by_anchor(labels, embeddings, *, margin=0.2):
    """A loop over the anchors that looks at the labels' values."""
    unit = ops.normalize(embeddings, axis=-1)
    classes, rows = np.asarray(labels), []
    for i in range(len(classes)):
        apart = ops.sqrt(ops.sum(ops.square(unit - unit[i]), axis=1) + 1e-6)
        others = [
            [j for j in np.flatnonzero((classes == classes[i]) == own) if j != i] for own in (1, 0)
        ]
        if others[0]:
            near = ops.max(ops.take(apart, others[0]))
            far = ops.min(ops.take(apart, others[1])) if others[1] else 9.0
            rows.append(ops.maximum(0.0, near - far + margin))
    return sum(rows) / len(rows) if rows else ops.sum(0.0 * unit)


def test_a_loop_over_labels_gets_no_points_for_gradients():
    result = mining.check(by_anchor)
    assert (result.points, result.tags) == (9, ["not_symbolic"])
    assert mining.use(by_anchor) is hard_triplet_loss


def default_of(margin):
    return lambda labels, embeddings, margin=margin: hard_triplet_loss(labels, embeddings, margin)


@pytest.mark.parametrize(("margin", "passes"), [(0.2, True), (0.25, False)])
def test_the_default_margin_counts(margin, passes):
    assert mining.check(default_of(margin)).passed == passes


def test_neighboring_classes_are_told_apart():
    def halved(labels, embeddings, margin=0.2):
        return hard_triplet_loss(labels // 5, embeddings, margin)

    assert not mining.check(halved).passed
