"""Exercise 9: right means pass, known mistakes are named."""

import keras
import numpy as np
import pytest
from keras import ops

from siamese_course.exercises.quora_triplet import padding
from siamese_course.exercises.quora_triplet.padding import MISTAKES
from tests.exercises.mistakes import cases, require_named

(masked_mean,) = padding.reference


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(padding.check(mistake.answer), mistake)


def in_numpy(words, values):
    words, values = np.asarray(words), np.asarray(values)
    return np.stack([v[w != 1].mean(axis=0) for w, v in zip(words, values, strict=True)])


def by_layer(words, values):
    return keras.layers.GlobalAveragePooling1D()(values, mask=ops.not_equal(words, 1))


def by_matrix_product(words, values):
    real = ops.cast(words != 1, values.dtype)
    weights = real / ops.sum(real, axis=1, keepdims=True)
    return ops.matmul(weights[:, None], values)[:, 0]


def by_where(words, values):
    real = ops.not_equal(words, 1)[:, :, None]
    total = ops.sum(ops.where(real, values, 0.0), axis=1)
    return total / ops.cast(ops.count_nonzero(real, axis=1), values.dtype)


@pytest.mark.parametrize("answer", [by_layer, by_matrix_product, by_where])
def test_a_right_answer_in_another_style_passes(answer):
    result = padding.check(answer)
    assert result.passed, str(result)


@pytest.mark.parametrize("answer", [by_layer, by_matrix_product, by_where])
def test_a_right_answer_is_kept(answer):
    assert padding.use(answer) == answer


def test_numpy_cannot_be_trained_with():
    result = padding.check(in_numpy)
    assert (result.points, result.tags) == (7, ["no_gradient"])
    assert padding.use(in_numpy) == masked_mean


OTHERS = [
    (lambda words, values: values, "axis_left"),
    (lambda words, values: words, "shape"),
    (lambda words, values: values[:, 0], "value"),
    (lambda words, values: ops.mean(values, axis=-1), "shape"),
    (lambda words, values: values * (words != 1), "error"),
]


@pytest.mark.parametrize(("answer", "tag"), OTHERS, ids=range(len(OTHERS)))
def test_other_wrong_answers_get_a_word(answer, tag):
    assert padding.check(answer).tags[0] == tag
