"""Exercise 2: right answers in several styles pass, wrong ones get the hint meant for them."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from siamese_course import losses
from siamese_course.exercises.sbert_roberta import pooling
from siamese_course.exercises.sbert_roberta.pooling import (
    CLS_MISTAKES,
    MAX_MISTAKES,
    MEAN_MISTAKES,
    max_pooling,
    mean_pooling,
)
from tests.exercises.mistakes import cases, require_named


def among(place, answer):
    """All answers, right but for the one at this place."""
    answers = list(pooling.reference)
    answers[place] = answer
    return answers


@cases(MEAN_MISTAKES)
def test_a_known_mistake_of_the_mean_is_named(mistake):
    require_named(pooling.check(*among(0, mistake.answer)), mistake)


@cases(MAX_MISTAKES)
def test_a_known_mistake_of_the_maximum_is_named(mistake):
    require_named(pooling.check(*among(1, mistake.answer)), mistake)


@cases(CLS_MISTAKES)
def test_a_known_mistake_of_cls_is_named(mistake):
    require_named(pooling.check(*among(2, mistake.answer)), mistake)


def real_of(states, padding_mask):
    return np.asarray(states), np.asarray(padding_mask)[:, :, None]


def mean_of_rows_in_a_loop(states, padding_mask):
    """Divides by the length of the longest sentence."""
    states, mask = np.asarray(states), np.asarray(padding_mask)
    longest = mask.sum(axis=1).max()
    return [row[:n].sum(axis=0) / longest for row, n in zip(states, mask.sum(1), strict=True)]


def mean_of_the_nonzero(states, padding_mask):
    s, m = real_of(states, padding_mask)
    return (s * m).sum(axis=1) / np.count_nonzero(s, axis=1)


def mean_in_place(states, padding_mask):
    states *= padding_mask
    return states.mean(axis=1)


def mean_in_numpy(states, padding_mask):
    states, real = real_of(states, padding_mask)
    return (states * real).sum(axis=1) / real.sum(axis=1)


def mean_by_a_loop(states, padding_mask):
    lengths = np.sum(padding_mask, axis=1)
    return [row[:n].mean(axis=0) for row, n in zip(np.asarray(states), lengths, strict=True)]


def mean_in_tensorflow(states, padding_mask):
    mask = tf.cast(padding_mask, tf.float32)
    return tf.einsum("nld,nl->nd", states, mask) / tf.reduce_sum(mask, axis=1, keepdims=True)


def mean_by_matmul(states, padding_mask):
    weights = ops.cast(padding_mask, "float32")
    weights = weights / ops.sum(weights, axis=-1, keepdims=True)
    return ops.matmul(weights[:, None, :], states)[:, 0]


def mean_by_layer(states, padding_mask):
    return keras.layers.GlobalAveragePooling1D()(states, mask=padding_mask)


def mean_in_double(states, padding_mask):
    real = ops.cast(padding_mask, "float64")[..., None]
    return ops.sum(ops.cast(states, "float64") * real, 1) / ops.maximum(ops.sum(real, 1), 1e-9)


def mean_of_the_masked(states, padding_mask):
    states, real = real_of(states, padding_mask)
    return np.ma.masked_array(states, np.broadcast_to(real == 0, states.shape)).mean(axis=1)


def max_in_numpy(states, padding_mask):
    states, real = real_of(states, padding_mask)
    return np.where(real, states, -np.inf).max(axis=1)


def max_by_a_loop(states, padding_mask):
    lengths = np.sum(padding_mask, axis=1)
    return np.array([max_of(row[:n]) for row, n in zip(np.asarray(states), lengths, strict=True)])


def max_of(rows):
    return [max(column) for column in rows.T.tolist()]


def max_in_tensorflow(states, padding_mask):
    real = tf.cast(padding_mask, tf.bool)[:, :, tf.newaxis]
    return tf.reduce_max(tf.where(real, states, states.dtype.min), axis=1)


def max_by_subtraction(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), 2)
    return ops.amax(states * real - 1e4 * (1.0 - real), axis=-2)


def max_far_below(states, padding_mask):
    return ops.max(states - 1e9 * (1 - ops.cast(padding_mask, "float32"))[..., None], axis=1)


def cls_in_numpy(states, padding_mask):
    return np.asarray(states, "float64")[:, 0, :]


def cls_by_a_loop(states, padding_mask):
    return [sentence[0] for sentence in states]


def cls_by_taking(states, padding_mask):
    return ops.squeeze(ops.take(states, [0], axis=1), axis=1)


def cls_in_tensorflow(states, padding_mask):
    return tf.gather(states, 0, axis=1)


WRONG = [
    (0, lambda s, m: np.asarray(s).mean(axis=1), "The padding is counted"),
    (0, lambda s, m: tf.reduce_mean(s, axis=1), "The padding is counted"),
    (0, lambda s, m: keras.layers.GlobalAveragePooling1D()(s), "The padding is counted"),
    (0, lambda s, m: tf.reduce_mean(s, axis=-1), "The mean runs over the dimensions"),
    (0, lambda s, m: tf.reduce_mean(s, axis=0), "The mean runs over the batch"),
    (0, lambda s, m: ops.mean(s), "has shape (); expected (4, 5)"),
    (0, lambda s, m: np.mean(np.multiply(*real_of(s, m)), axis=1), "by the length of the batch"),
    (0, mean_of_the_nonzero, "by the length of the batch"),
    (0, mean_of_rows_in_a_loop, "by the length of the batch"),
    (0, lambda s, m: np.multiply(*real_of(s, m)).sum(axis=1), "This is the sum"),
    (
        0,
        lambda s, m: ops.sum(s, 1) / ops.sum(ops.cast(m, "float32"), 1)[:, None],
        "still in the sum",
    ),
    (0, lambda s, m: ops.sum(s * ops.cast(m, "float32")[:, :, None], 1) / ops.sum(m), "`ops.cast("),
    (0, lambda s, m: s * m[:, :, None], "`ops.cast("),
    (0, lambda s, m: m[:, :, None] * s, "`ops.cast("),
    (0, lambda s, m: s * m, "`ops.cast("),
    (0, lambda s, m: s * ops.cast(m, s.dtype), "give it a last axis"),
    (0, lambda s, m: ops.multiply(s, m), "give it a last axis"),
    (0, lambda s, m: np.asarray(s) * np.asarray(m), "give it a last axis"),
    (0, lambda s, m: ops.sum(s * ops.cast(m, s.dtype)[:, None, :], axis=1), "give it a last axis"),
    (0, mean_in_place, "`ops.cast("),
    (0, lambda s, m: s, "has shape (4, 6, 5); expected (4, 5)"),
    (0, lambda s, m: m, "has shape (4, 6); expected (4, 5)"),
    (0, lambda s, m: s[:, 0], "A value is off"),
    (0, lambda s, m: ops.zeros((4, 5)), "A value is off: 0"),
    (0, lambda s, m: ops.zeros_like(s[:, 0]), "A value is off: 0"),
    (0, lambda s, m: ops.max(s, axis=1), "A value is off"),
    (0, lambda s, m: ops.sum(s, axis=1) / 0, "contains NaN or infinity"),
    (1, lambda s, m: np.asarray(s).max(axis=1), "The padding is included"),
    (1, lambda s, m: keras.layers.GlobalMaxPooling1D()(s), "The padding is included"),
    (1, lambda s, m: np.multiply(*real_of(s, m)).max(axis=1), "zero wins"),
    (1, lambda s, m: ops.max(ops.where(m[:, :, None] > 0, s, 0.0), axis=1), "zero wins"),
    (
        1,
        lambda s, m: ops.max(ops.where(m[:, :, None] > 0, s, 1e4), axis=1),
        "A value is off: 10000",
    ),
    (1, lambda s, m: ops.max(ops.where(m[:, :, None] > 0, -1e4, s), axis=1), "reversed"),
    (1, lambda s, m: ops.max(ops.where(m[:, :, None] > 0, s, -1e4), axis=-1), "the dimensions"),
    (1, lambda s, m: ops.amax(ops.where(m[:, :, None] > 0, s, -1e4), axis=0), "over the batch"),
    (1, lambda s, m: ops.max(ops.where(m[:, :, None] > 0, s, -1e4)), "has shape (); expected"),
    (1, lambda s, m: ops.min(ops.where(m[:, :, None] > 0, s, 1e4), axis=1), "the smallest value"),
    (1, lambda s, m: ops.argmax(ops.where(m[:, :, None] > 0, s, -1e4), axis=1), "are indices"),
    (1, lambda s, m: ops.where(m > 0, s, -1e4), "give it a last axis"),
    (1, lambda s, m: ops.max(s - m[:, :, None], axis=1), "`ops.cast("),
    (1, lambda s, m: mean_pooling(s, m), "This is the mean"),
    (1, lambda s, m: s[:, 0], "A value is off"),
    (1, lambda s, m: max(s), "Python's own `max`"),
    (2, lambda s, m: s[0], "the first sentence of the batch"),
    (2, lambda s, m: s[:, -1], "the last position"),
    (2, lambda s, m: s[:, 1], "Indices start at 0"),
    (2, lambda s, m: s[..., 0], "the first *dimension*"),
    (2, lambda s, m: s[:, 0, :1], "has shape (4, 1); expected (4, 5)"),
    (2, lambda s, m: s[:, 0:1], "has shape (batch, 1, dim)"),
    (2, lambda s, m: s[:, 0, 0], "has shape (4,); expected (4, 5)"),
    (2, lambda s, m: mean_pooling(s, m), "This is the mean"),
    (2, lambda s, m: max_pooling(s, m), "A value is off"),
    (2, lambda s, m: s, "has shape (4, 6, 5); expected (4, 5)"),
    (2, lambda s, m: m[:, 0], "has shape (4,); expected (4, 5)"),
    (2, lambda s, m: losses.unit_length(s[:, 0]), "A value is off"),
    (2, lambda s, m: np.zeros((4, 5)), "A value is off: 0"),
]


@pytest.mark.parametrize(("place", "answer", "text"), WRONG)
def test_a_wrong_answer_gets_the_hint_meant_for_it(place, answer, text):
    result = pooling.check(*among(place, answer))
    assert result.status == "wrong"
    assert text in result.messages[0]


WITHOUT_GRADIENT = [
    (mean_in_numpy, max_in_numpy, cls_in_numpy),
    (mean_by_a_loop, max_by_a_loop, cls_in_numpy),
    (mean_of_the_masked, max_in_numpy, lambda s, m: s.numpy()[:, 0]),
]


@pytest.mark.parametrize("answers", WITHOUT_GRADIENT)
def test_what_no_gradient_comes_through_gets_the_points_of_its_values(answers):
    result = pooling.check(*answers)
    assert (result.points, result.tags) == (15, ["no_gradient"])
    assert pooling.use(*answers) == tuple(pooling.reference)


RIGHT = [
    (
        mean_in_tensorflow,
        max_in_tensorflow,
        cls_in_tensorflow,
    ),
    (
        mean_by_matmul,
        max_by_subtraction,
        cls_by_taking,
    ),
    (
        mean_by_layer,
        max_far_below,
        lambda s, m: s[:, 0, :],
    ),
    (
        mean_in_double,
        max_far_below,
        lambda s, m: s[..., 0, :],
    ),
]


def test_a_loop_over_rows_cannot_be_trained_with():
    result = pooling.check(mean_by_matmul, max_by_subtraction, cls_by_a_loop)
    assert (result.points, result.tags) == (17, ["not_symbolic"])


@pytest.mark.parametrize("answers", RIGHT)
def test_right_answers_in_other_styles_pass(answers):
    result = pooling.check(*answers)
    assert result.passed, str(result)
