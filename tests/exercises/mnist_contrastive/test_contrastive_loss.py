"""Exercise 2: right answers in several styles pass, known mistakes are named."""

import numpy as np
import pytest
from keras import ops

from siamese_course import losses
from siamese_course.exercises.mnist_contrastive import contrastive_loss
from siamese_course.exercises.mnist_contrastive.contrastive_loss import MISTAKES, NO_EPSILON
from tests.exercises.mistakes import cases, require_named


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(contrastive_loss.check(mistake.answer), mistake)


def test_a_loss_without_epsilon_loses_points():
    result = contrastive_loss.check(NO_EPSILON.answer)
    assert (result.points, result.tags) == (16, ["no_epsilon"])


def by_numpy(same, embeddings, margin=5.0):
    same, embeddings = np.asarray(same, "float64"), np.asarray(embeddings, "float64")
    squared = ((embeddings[:, 0] - embeddings[:, 1]) ** 2).sum(-1)
    push = np.clip(margin - np.sqrt(squared + 1e-6), 0, None) ** 2
    return np.where(same == 1, squared, push).mean() / 2


def with_epsilon_everywhere(same, embeddings, *, margin=5.0):
    d = losses.euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    return ops.mean(same * 0.5 * d**2 + (1 - same) * 0.5 * ops.relu(margin - d) ** 2)


def by_numpy_function(same, embeddings, margin=5.0):
    import tensorflow as tf

    return tf.numpy_function(
        lambda s, e: by_numpy(s, e, margin).astype("float32"), [same, embeddings], "float32"
    )


@pytest.mark.parametrize("answer", [by_numpy, by_numpy_function])
def test_a_loss_that_cannot_be_trained_with_loses_points_and_is_replaced(answer):
    result = contrastive_loss.check(answer)
    assert (result.points, result.tags) == (18, ["no_gradient"])
    assert contrastive_loss.use(answer) is losses.contrastive_loss


def test_a_loss_whose_push_moves_nothing_is_named():
    def stopped(same, embeddings, margin=5.0):
        left, right = embeddings[:, 0], embeddings[:, 1]
        pull = 0.5 * ops.sum(ops.square(left - right), axis=-1)
        push = 0.5 * ops.square(ops.relu(margin - losses.euclidean_distance(left, right)))
        return ops.mean(same * pull + (1.0 - same) * ops.stop_gradient(push))

    result = contrastive_loss.check(stopped)
    assert (result.points, result.tags) == (18, ["other_gradient"])


def test_a_trainable_loss_is_kept():
    assert contrastive_loss.use(with_epsilon_everywhere) is with_epsilon_everywhere
