"""Exercise 9 of notebook 02: a mean without the padding."""

import numpy as np
from keras import ops

from siamese_course.batching.padding import PAD
from siamese_course.exercises.cases import gradients, normal, tensor
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden, seeded
from siamese_course.models.questions import WeightedMean


def masked_mean(words, values):
    """Mean over the real words."""
    return WeightedMean()(values, _real(words, values))


def _real(words, values):
    return ops.expand_dims(ops.cast(ops.not_equal(words, PAD), values.dtype), -1)


def _sum(words, values):
    return ops.sum(values * _real(words, values), axis=1)


def _count(words, values):
    return ops.sum(_real(words, values), axis=1)


def _last(words, values):
    at = ops.cast(_count(words, values), "int32")[:, :, None] - 1
    return ops.take_along_axis(values, ops.broadcast_to(at, (*at.shape[:2], values.shape[2])), 1)[
        :, 0
    ]


MISTAKES = [
    Mistake(
        lambda words, values: ops.mean(values, axis=1),
        "The padding is included in the mean. Count only positions where `words` is not 1.",
        "padding_included",
    ),
    Mistake(
        lambda words, values: _sum(words, values) / values.shape[1],
        "The padding is not in the sum, but it still counts: the sum is divided by the padded length. Divide by the "
        "number of real words.",
        "divided_by_length",
    ),
    Mistake(_sum, "This is the sum. Divide it by the number of real words.", "sum"),
    Mistake(
        lambda words, values: (
            ops.sum(values * (1.0 - _real(words, values)), axis=1)
            / ops.maximum(ops.sum(1.0 - _real(words, values), axis=1), 1.0)
        ),
        "This is the mean over the padding. Take the positions where `words` is *not* 1.",
        "inverted",
    ),
    Mistake(
        lambda words, values: (
            ops.sum(values * ops.cast(words > 1, values.dtype)[:, :, None], axis=1)
            / ops.maximum(ops.sum(ops.cast(words > 1, values.dtype)[:, :, None], axis=1), 1e-9)
        ),
        "Unknown words, id 0, are left out too. They are words: leave out only the padding, id 1.",
        "unknown_left_out",
    ),
    Mistake(
        lambda words, values: (
            ops.sum(values * ops.cast(words != 0, values.dtype)[:, :, None], axis=1)
            / ops.maximum(ops.sum(ops.cast(words != 0, values.dtype)[:, :, None], axis=1), 1e-9)
        ),
        "This masks id 0, the unknown words. The padding has id 1.",
        "zero_masked",
    ),
    Mistake(
        lambda words, values: ops.max(values - 1e9 * (1.0 - _real(words, values)), axis=1),
        "This is the maximum over the words. Take their mean.",
        "max",
    ),
    Mistake(
        _last, "This is the state of the last word. Take the mean of all real words.", "last_state"
    ),
    Mistake(
        lambda words, values: (
            ops.sum(values * _real(words, values), axis=1) / ops.sum(_real(words, values))
        ),
        "The sum is divided by all words of the batch. Every question has its own number of words: `axis=1`.",
        "one_count",
    ),
    Mistake(
        lambda words, values: values * _real(words, values),
        "Every position still has a vector of its own. Sum over axis 1, time.",
        "no_sum",
    ),
    Mistake(
        lambda words, values: (
            ops.sum(values * _real(words, values), axis=-1)
            / ops.maximum(_count(words, values), 1.0)
        ),
        "The sum runs over the dimensions. Axis 1 is time: `axis=1`.",
        "over_dimensions",
    ),
    Mistake(
        lambda words, values: (
            ops.sum(values * _real(words, values), axis=1, keepdims=True)
            / _count(words, values)[:, None]
        ),
        "The result has shape (batch, 1, dim); expected (batch, dim): leave out `keepdims`.",
        "keepdims",
    ),
]


def _case(lengths, length: int, dim: int, seed: int):
    words = seeded(seed).integers(2, 50, (len(lengths), length))
    words[np.arange(length) >= np.array(lengths)[:, None]] = PAD
    words[0, 0] = 0  # an unknown word
    return tensor(words, "int32"), tensor(normal(len(lengths), length, dim, seed=seed))


def _test(answer):
    compare(answer, masked_mean, _cases(), MISTAKES, edges=_edges())


def _cases():
    if is_hidden():
        return [_case((7, 1, 3), 9, 4, 2), _case((2, 2, 1, 4, 3), 4, 7, 3)]
    return [_case((2, 5, 8, 1), 8, 3, 0), _case((4, 3), 6, 5, 1)]


def _edges():
    """One question, one dimension, one word."""
    return [_case(*size, 5) for size in (((3,), 5, 2), ((2, 3), 4, 1), ((1, 1), 1, 3))]


def _test_padding(answer):
    """A question alone, and the same one padded: no difference."""
    words, values = _case((3, 4), 4, 6, 4)
    longer = ops.pad(words, [[0, 0], [0, 4]], constant_values=PAD)
    states = ops.concatenate([values, tensor(normal(2, 4, 6, seed=9, scale=5.0))], axis=1)
    compare(answer, masked_mean, [(words, values), (longer, states)], MISTAKES)


def _ready(answer):
    import keras

    words = keras.Input((None,), dtype="int32")
    keras.Model(words, answer(words, keras.layers.Embedding(9, 2)(words)))


padding = Exercise(
    name="02.padding",
    title="A mean without the padding",
    parts=[
        Part(4, _test),
        Part(3, _test_padding),
        gradients(1, masked_mean, _cases, by=(1,)),
    ],
    reference=[masked_mean],
    ready=_ready,
    hints=(
        "Multiply every state by 1 if its word is real, and by 0 if it is padding. Then sum over time, and divide by "
        "the number of real words.",
        "`ops.not_equal(words, 1)` is True at real words; `ops.cast(..., 'float32')` turns that into 1 and 0. It has "
        "shape (batch, length), and the values have one more axis: `ops.expand_dims(real, -1)`.",
        "`real = ops.expand_dims(ops.cast(ops.not_equal(words, ...), 'float32'), -1)`, "
        "`return ops.sum(values * ..., axis=...) / ops.sum(..., axis=...)`.",
    ),
)
