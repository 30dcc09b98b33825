"""Exercise 4: right answers in several styles pass, wrong ones get the hint meant for them."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from sklearn.metrics.pairwise import cosine_similarity

from siamese_course import losses
from siamese_course.exercises.sbert_roberta import regression
from siamese_course.exercises.sbert_roberta.regression import COSINE_MISTAKES, REGRESSION_MISTAKES
from tests.exercises.mistakes import cases, require_named


def among(place, answer):
    """All answers, right but for the one at this place."""
    answers = list(regression.reference)
    answers[place] = answer
    return answers


@cases(COSINE_MISTAKES)
def test_a_known_mistake_of_the_cosines_is_named(mistake):
    require_named(regression.check(*among(0, mistake.answer)), mistake)


@cases(REGRESSION_MISTAKES)
def test_a_known_mistake_of_the_loss_is_named(mistake):
    require_named(regression.check(*among(1, mistake.answer)), mistake)


def numpy_unit(x, axis=-1, keepdims=True):
    x = np.asarray(x)
    return x / np.linalg.norm(x, axis=axis, keepdims=keepdims)


def unpacked_along_the_batch(embeddings):
    left, right = embeddings
    return ops.sum(left * right, axis=-1)


def unstacked_along_the_batch(embeddings):
    left, right = tf.unstack(embeddings, axis=0)
    return tf.reduce_sum(left * right, axis=-1)


def first_two_rows(embeddings):
    left, right = numpy_unit(embeddings[0]), numpy_unit(embeddings[1])
    return (left * right).sum(axis=-1)


def published_cosines(embeddings):
    unit = tf.linalg.l2_normalize(embeddings, axis=-1)
    return tf.matmul(unit[:, 0], unit[:, 1], transpose_b=True)


def products(embeddings):
    return ops.sum(embeddings[:, 0] * embeddings[:, 1], axis=-1)


def regression_with(cosines_of, shape=None):
    """The mean squared error of other cosines, with the targets as they come or of another shape."""

    def loss(targets, embeddings):
        targets = targets if shape is None else ops.reshape(targets, shape)
        return ops.mean(ops.square(cosines_of(embeddings) - targets))

    return loss


def cosines_in_numpy(embeddings):
    left, right = numpy_unit(embeddings).swapaxes(0, 1)
    return np.einsum("nd,nd->n", left, right)


def cosines_by_a_loop(embeddings):
    cosines = []
    for left, right in np.asarray(embeddings, "float64"):
        cosines.append(left @ right / np.sqrt((left @ left) * (right @ right)))
    return cosines


def cosines_in_tensorflow(embeddings):
    left, right = tf.unstack(tf.math.l2_normalize(embeddings, axis=-1), axis=1)
    return tf.reduce_sum(left * right, axis=-1)


def cosines_of_the_diagonal(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.diagonal(ops.matmul(unit[:, 0], ops.transpose(unit[:, 1])))


def cosines_by_keras(embeddings):
    return -keras.losses.cosine_similarity(embeddings[:, 0], embeddings[:, 1], axis=-1)


def cosines_divided_at_the_end(embeddings):
    left, right = ops.split(embeddings, 2, axis=1)
    lengths = ops.norm(left, axis=-1) * ops.norm(right, axis=-1)
    return ops.squeeze(ops.sum(left * right, axis=-1) / ops.maximum(lengths, 1e-8), axis=1)


def regression_in_numpy(targets, embeddings):
    return ((cosines_in_numpy(embeddings) - np.asarray(targets).ravel()) ** 2).mean()


def regression_by_a_loop(targets, embeddings):
    cosines, targets = cosines_by_a_loop(embeddings), np.ravel(targets).tolist()
    return sum((c - t) ** 2 for c, t in zip(cosines, targets, strict=True)) / len(cosines)


def regression_in_tensorflow(targets, embeddings):
    error = cosines_in_tensorflow(embeddings) - tf.squeeze(tf.reshape(targets, (-1, 1)), axis=-1)
    return tf.reduce_mean(tf.square(error))


def regression_by_keras(targets, embeddings):
    cosines = cosines_by_keras(embeddings)
    return keras.losses.MeanSquaredError()(ops.reshape(targets, ops.shape(cosines)), cosines)


def regression_of_columns(targets, embeddings):
    cosines = losses.row_cosines(embeddings)[:, None]
    return ops.mean((cosines - ops.reshape(targets, (-1, 1))) ** 2)


WRONG = [
    (0, published_cosines, "This is the cosine of the whole batch"),
    (0, lambda e: cosine_similarity(e[:, 0], e[:, 1]), "This is the cosine of the whole batch"),
    (0, lambda e: ops.matmul(e[:, 0], ops.transpose(e[:, 1])), "the cosine of the whole batch"),
    (0, lambda e: np.asarray(e[:, 0]) @ np.asarray(e[:, 1]).T, "the cosine of the whole batch"),
    (0, products, "This is the dot product"),
    (0, lambda e: np.einsum("nd,nd->n", e[:, 0], e[:, 1]), "This is the dot product"),
    (0, lambda e: products(ops.normalize(e, axis=0)), "along the batch (axis 0)"),
    (0, lambda e: products(ops.normalize(e, axis=1)), "along axis 1, across the two sides"),
    (0, lambda e: products(e / tf.norm(e)), "divided by one number"),
    (0, lambda e: products(numpy_unit(e, axis=None, keepdims=False)), "divided by one number"),
    (0, lambda e: products(e / ops.norm(e, axis=-1)), "`keepdims=True`"),
    (0, lambda e: products(numpy_unit(e, keepdims=False)), "`keepdims=True`"),
    (0, lambda e: products(e / tf.norm(e, axis=-1)), "`keepdims=True`"),
    (0, lambda e: keras.losses.cosine_similarity(e[:, 0], e[:, 1]), "The sign is reversed"),
    (0, lambda e: 1 - losses.row_cosines(e), "This is 1 - cosine"),
    (0, lambda e: 1 + keras.losses.cosine_similarity(e[:, 0], e[:, 1]), "This is 1 - cosine"),
    (
        0,
        lambda e: keras.layers.Dot(axes=-1, normalize=True)([e[:, 0], e[:, 1]]),
        "The result has shape (batch, 1)",
    ),
    (0, lambda e: keras.layers.Dot(axes=-1)([e[:, 0], e[:, 1]]), "has shape (5, 1); expected (5,)"),
    (0, lambda e: ops.mean(losses.row_cosines(e)), "has shape (); expected (5,)"),
    (0, lambda e: ops.sum(losses.row_cosines(e)), "All pairs were summed into one number"),
    (0, lambda e: ops.arccos(losses.row_cosines(e)), "A value is off"),
    (0, lambda e: (losses.row_cosines(e) + 1) / 2, "A value is off"),
    (0, lambda e: ops.abs(losses.row_cosines(e)), "A value is off"),
    (0, lambda e: np.linalg.norm(e[:, 0] - e[:, 1], axis=-1), "This is the Euclidean distance"),
    (0, unpacked_along_the_batch, "the second one is the sides"),
    (0, unstacked_along_the_batch, "the second one is the sides"),
    (0, first_two_rows, "the second one is the sides"),
    (0, lambda e: e, "has shape (5, 2, 3); expected (5,)"),
    (0, lambda e: losses.unit_length(e), "has shape (5, 2, 3); expected (5,)"),
    (0, lambda e: ops.ones(len(e)), "Every cosine is 1: is"),
    (0, lambda e: ops.zeros(5), "A value is off: 0"),
    (1, regression_with(published_cosines), "the mistake in the published example"),
    (1, regression_with(published_cosines, (-1,)), "the mistake in the published example"),
    (1, regression_with(published_cosines, (-1, 1)), "the mistake in the published example"),
    (1, regression_with(losses.row_cosines), "`ops.reshape(targets, (-1,))`"),
    (1, regression_with(losses.row_cosines, (-1, 1)), "`ops.reshape(targets, (-1,))`"),
    (1, regression_with(products, (-1,)), "not scaled to unit length"),
    (1, regression_with(first_two_rows, (-1,)), "cosines and targets are both (batch,)"),
    (1, regression_with(unpacked_along_the_batch, (-1,)), "the second one is the sides"),
    (1, regression_with(lambda e: e, (-1,)), "cosines and targets are both (batch,)"),
    (
        1,
        lambda t, e: ops.sum((losses.row_cosines(e) - ops.ravel(t)) ** 2),
        "the sum over the pairs",
    ),
    (1, lambda t, e: (losses.row_cosines(e) - ops.ravel(t)) ** 2, "a loss is one number"),
    (1, lambda t, e: ops.mean(ops.abs(losses.row_cosines(e) - ops.ravel(t))), "Square them"),
    (1, lambda t, e: ops.mean(losses.row_cosines(e) - ops.ravel(t)), "The square is missing"),
    (1, lambda t, e: ops.mean(losses.row_cosines(e) - ops.ravel(t)) ** 2, "before the square"),
    (1, lambda t, e: ops.mean((losses.row_cosines(e) + ops.ravel(t)) ** 2), "are added"),
    (
        1,
        lambda t, e: ops.mean((losses.row_cosines(e) - ops.ravel(t) / 2.5 + 1) ** 2),
        "The targets are scaled again",
    ),
    (1, lambda t, e: 1 - ops.mean(losses.row_cosines(e)), "A value is off"),
    (1, lambda t, e: ops.mean((1 - losses.row_cosines(e)) ** 2), "The targets are not used"),
    (1, lambda t, e: ops.mean(losses.row_cosines(e)), "A value is off"),
    (1, lambda t, e: ops.mean(ops.ravel(t) * losses.row_cosines(e)), "A value is off"),
    (1, lambda t, e: 0.0, "A value is off: 0"),
    (1, lambda t, e: 0.25, "A value is off: 0.25"),
    (1, lambda t, e: t, "expected one number"),
    (1, lambda t, e: keras.losses.cosine_similarity(e[:, 0], e[:, 1]), "expected one number"),
    (1, lambda e, t: losses.cosine_regression_loss(t, e), "Your code stopped with"),
]


@pytest.mark.parametrize(("place", "answer", "text"), WRONG)
def test_a_wrong_answer_gets_the_hint_meant_for_it(place, answer, text):
    result = regression.check(*among(place, answer))
    assert result.status == "wrong"
    assert text in result.messages[0]


WITHOUT_GRADIENT = [
    (cosines_in_numpy, regression_in_numpy),
    (cosines_by_a_loop, regression_by_a_loop),
]


@pytest.mark.parametrize("answers", WITHOUT_GRADIENT)
def test_what_no_gradient_comes_through_gets_the_points_of_its_values(answers):
    result = regression.check(*answers)
    assert (result.points, result.tags) == (11, ["no_gradient"])
    assert regression.use(*answers) == tuple(regression.reference)


def regression_by_the_size(targets, embeddings):
    squares = ops.square(losses.row_cosines(embeddings) - ops.reshape(targets, (-1,)))
    return ops.sum(squares) / ops.shape(squares)[0]


def test_a_loss_that_takes_one_size_of_batch_is_right_and_not_used():
    """The notebook also trains with `fit`, whose last batch may be shorter."""
    answers = losses.row_cosines, regression_by_the_size
    result = regression.check(*answers)
    assert result.passed, str(result)
    assert regression.use(*answers) == tuple(regression.reference)


RIGHT = [
    (
        cosines_in_tensorflow,
        regression_in_tensorflow,
    ),
    (
        cosines_by_keras,
        regression_by_keras,
    ),
    (
        cosines_of_the_diagonal,
        regression_of_columns,
    ),
    (
        cosines_divided_at_the_end,
        regression_of_columns,
    ),
]


@pytest.mark.parametrize("answers", RIGHT)
def test_right_answers_in_other_styles_pass(answers):
    result = regression.check(*answers)
    assert result.passed, str(result)
