"""Exercise 7: known mistakes are named; a loss without its gradient loses points."""

import numpy as np
from keras import ops

from siamese_course.exercises.omniglot_one_shot import supervised
from siamese_course.exercises.omniglot_one_shot.supervised import ALONE, MISTAKES
from siamese_course.losses import supervised_contrastive_loss
from tests.exercises.mistakes import cases, require_named


@cases([*MISTAKES, ALONE])
def test_a_known_mistake_is_named(mistake):
    require_named(supervised.check(mistake.answer), mistake)


def in_numpy(labels, embeddings, temperature=0.1):
    return np.float32(
        ops.convert_to_numpy(
            supervised_contrastive_loss(labels, embeddings, temperature=temperature)
        )
    )


def test_a_loss_in_numpy_is_right_and_cannot_be_trained_with():
    result = supervised.check(in_numpy)
    assert (result.points, result.tags) == (13, ["no_gradient"])


def test_embeddings_of_one_dimension_are_compared_too():
    def answer(labels, embeddings, temperature=0.1):
        wide = float(embeddings.shape[1] > 1)
        return supervised_contrastive_loss(labels, wide * embeddings, temperature=temperature)

    assert not supervised.check(answer).passed


def half_stopped(labels, embeddings, temperature=0.1):
    value = supervised_contrastive_loss(labels, embeddings, temperature=temperature)
    return 0.5 * (value + ops.stop_gradient(value))


def test_a_loss_with_half_its_gradient_is_named():
    result = supervised.check(half_stopped)
    assert (result.points, result.tags) == (13, ["other_gradient"])


def test_a_loss_that_cannot_be_traced_is_right_and_not_used():
    """``len`` of a symbolic tensor is an error, which training would meet."""

    def counted(labels, embeddings, temperature=0.1):
        assert len(labels)
        return supervised_contrastive_loss(labels, embeddings, temperature=temperature)

    result = supervised.check(counted)
    assert result.points == result.max_points
    assert supervised.use(counted) is supervised_contrastive_loss
