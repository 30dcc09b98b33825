"""Exercise 8: known mistakes are named; a loss without its gradient loses points."""

import numpy as np
from keras import ops

from siamese_course.exercises.omniglot_one_shot import prototypes
from siamese_course.exercises.omniglot_one_shot.prototypes import MANY_COLUMNS, MISTAKES
from siamese_course.losses import prototypical_loss
from tests.exercises.mistakes import cases, require_named


@cases([*MISTAKES, MANY_COLUMNS])
def test_a_known_mistake_is_named(mistake):
    require_named(prototypes.check(mistake.answer), mistake)


def in_numpy(labels, embeddings, shots=1):
    return np.float32(ops.convert_to_numpy(prototypical_loss(labels, embeddings, shots=shots)))


def test_a_loss_in_numpy_is_right_and_cannot_be_trained_with():
    result = prototypes.check(in_numpy)
    assert (result.points, result.tags) == (12, ["no_gradient"])


def half_stopped(labels, embeddings, shots=1):
    value = prototypical_loss(labels, embeddings, shots=shots)
    return 0.5 * (value + ops.stop_gradient(value))


def test_a_loss_with_half_its_gradient_is_named():
    result = prototypes.check(half_stopped)
    assert (result.points, result.tags) == (12, ["other_gradient"])


def test_a_loss_that_cannot_be_traced_is_right_and_not_used():
    def counted(labels, embeddings, shots=1):
        assert len(labels)
        return prototypical_loss(labels, embeddings, shots=shots)

    result = prototypes.check(counted)
    assert result.points == result.max_points
    assert prototypes.use(counted) is prototypical_loss
    assert prototypes.use(prototypical_loss) is prototypical_loss
