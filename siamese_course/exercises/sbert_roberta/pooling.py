"""Exercise 2 of notebook 03: mean, max and CLS pooling."""

import keras
import numpy as np
from keras import ops

from siamese_course.exercises.cases import (
    Known,
    gradients,
    normal,
    require_trainable,
    reworded,
    tensor,
)
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden, seeded
from siamese_course.exercises.sbert_roberta.common import PYTHON_MAX
from siamese_course.losses import unit_length
from siamese_course.models.sentences import pool


def mean_pooling(states, padding_mask):
    """The mean over the real tokens."""
    return pool(states, padding_mask, "mean")


def max_pooling(states, padding_mask):
    """The largest value over the real tokens."""
    return pool(states, padding_mask, "max")


def cls_pooling(states, padding_mask):
    """The state of the first token."""
    return pool(states, padding_mask, "cls")


def _real(states, mask):
    return ops.expand_dims(ops.cast(mask, states.dtype), -1)


def _without_markers(states, mask):
    """The mask with the first and the last real token taken out."""
    mask = np.array(mask)
    for row in mask:
        row[[0, int(row.sum()) - 1]] = 0
    return tensor(mask)


def _lowered(states, mask):
    """The states, with the padding far below everything."""
    return ops.where(_real(states, mask) > 0, states, -1e4)


MEAN_MISTAKES = [
    Mistake(
        lambda s, m: ops.mean(s, axis=1),
        "The padding is counted: an embedding depends on how long the other sentences of the batch are. Multiply the states "
        "by the mask, and divide by the number of *real* tokens.",
        "padding_counted",
    ),
    Mistake(
        lambda s, m: ops.mean(s * _real(s, m), axis=1),
        "The padding is set to 0, but still counted: you divide by the length of the batch. Divide by the number of real "
        "tokens, the sum of the mask.",
        "divided_by_length",
    ),
    Mistake(
        lambda s, m: ops.sum(s * _real(s, m), axis=1),
        "This is the sum over the real tokens: long sentences get long vectors. Divide by the number of real tokens.",
        "sum",
    ),
    Mistake(
        lambda s, m: ops.sum(s * _real(s, m), axis=1) / ops.sum(_real(s, m)),
        "You divide by the real tokens of the whole batch. Every sentence has its own count: `axis=1`.",
        "divided_by_batch",
    ),
    Mistake(
        lambda s, m: ops.sum(s, axis=1) / ops.sum(_real(s, m), axis=1),
        "The number of real tokens is right, but the padding is still in the sum. Multiply the states by the mask first.",
        "padding_in_sum",
    ),
    Mistake(
        lambda s, m: (
            ops.sum(s * (1 - _real(s, m)), axis=1)
            / ops.maximum(ops.sum(1 - _real(s, m), axis=1), 1.0)
        ),
        "This is the mean of the *padding*: the mask is 1 for real tokens. Multiply by the mask itself.",
        "mean_of_padding",
    ),
    Mistake(
        lambda s, m: pool(s, _without_markers(s, m), "mean"),
        "The markers <s> and </s> are left out. They count as real tokens, as the mask says.",
        "without_markers",
    ),
    Mistake(
        lambda s, m: ops.mean(s, axis=-1),
        "The mean runs over the dimensions (the last axis). Axis 1 is the tokens.",
        "dimensions_axis",
    ),
    Mistake(
        lambda s, m: ops.mean(s, axis=0),
        "The mean runs over the batch (axis 0): sentences are mixed. Axis 1 is the tokens.",
        "batch_axis",
    ),
    Mistake(
        lambda s, m: unit_length(pool(s, m, "mean")),
        "The mean is scaled to unit length. Leave it as it is: the triplet objective needs the lengths.",
        "unit_length",
    ),
    Mistake(
        lambda s, m: (
            ops.sum(s * _real(s, m), axis=1, keepdims=True)
            / ops.sum(_real(s, m), axis=1, keepdims=True)
        ),
        "The result has shape (batch, 1, dim). Expected (batch, dim): leave out `keepdims`.",
        "keepdims",
    ),
]

MAX_MISTAKES = [
    Mistake(
        lambda s, m: ops.max(s, axis=1),
        "The padding is included, and it wins where it is large. Set it far below all other values before taking the "
        "maximum: `ops.where`.",
        "padding_counted",
    ),
    Mistake(
        lambda s, m: ops.max(s * _real(s, m), axis=1),
        "The padding is set to 0, and where all real values are below 0 that zero wins. Set it to a very small number, "
        "such as -1e4.",
        "zero_wins",
    ),
    Mistake(
        lambda s, m: ops.max(ops.where(_real(s, m) > 0, s, -1.0), axis=1),
        "The padding is set to -1, and where all real values are below -1 it wins. Set it far below: -1e4.",
        "minus_one_wins",
    ),
    Mistake(
        lambda s, m: ops.max(s - (1 - _real(s, m)), axis=1),
        "The padding is lowered by 1 only, and can still win. Set it far below: -1e4.",
        "lowered_by_one",
    ),
    Mistake(
        lambda s, m: ops.min(ops.where(_real(s, m) > 0, s, 1e4), axis=1),
        "This is the smallest value of each dimension. Take the largest.",
        "min",
    ),
    Mistake(
        lambda s, m: ops.max(ops.abs(s) * _real(s, m), axis=1),
        "The signs are lost: this is the largest *absolute* value. Take the largest value.",
        "absolute",
    ),
    *[
        Mistake(lambda s, m, axis=axis, of=of: ops.max(of(s, m), axis=axis), message, tag)
        for of in (lambda s, m: s, _lowered)
        for axis, message, tag in (
            (
                -1,
                "The maximum runs over the dimensions (the last axis). Axis 1 is the tokens.",
                "dimensions_axis",
            ),
            (
                0,
                "The maximum runs over the batch (axis 0): sentences are mixed. Axis 1 is the tokens.",
                "batch_axis",
            ),
        )
    ],
    Mistake(
        lambda s, m: ops.max(ops.where(_real(s, m) > 0, ops.full_like(s, -1e4), s), axis=1),
        "The mask is reversed: the *real* tokens were lowered. 1 is a real token.",
        "mask_reversed",
    ),
    Mistake(
        lambda s, m: pool(s, _without_markers(s, m), "max"),
        "The markers <s> and </s> are left out. They count as real tokens, as the mask says.",
        "without_markers",
    ),
    Mistake(
        lambda s, m: pool(s, m, "mean"),
        "This is the mean. Take the largest value of each dimension.",
        "mean",
    ),
    Mistake(
        lambda s, m: ops.argmax(_lowered(s, m), axis=1),
        "These are indices. Return the values: `max`, not `argmax`.",
        "argmax",
    ),
]

CLS_MISTAKES = [
    Mistake(
        lambda s, m: s[:, -1],
        "This is the last position, which may be padding. <s> is the first token: `states[:, 0]`.",
        "last_place",
    ),
    Mistake(
        lambda s, m: tensor(
            [row[int(n) - 1] for row, n in zip(*map(np.array, (s, ops.sum(m, 1))), strict=True)]
        ),
        "This is the last real token, </s>. CLS pooling takes the first, <s>.",
        "last_token",
    ),
    Mistake(
        lambda s, m: s[:, 1],
        "Indices start at 0: the first token is `states[:, 0]`.",
        "second_token",
    ),
    Mistake(
        lambda s, m: s[:, :, 0],
        "This is the first *dimension* of every token. The first token is `states[:, 0]`.",
        "first_dimension",
    ),
    Mistake(
        lambda s, m: s[0],
        "This is the first sentence of the batch. The first token of each: `states[:, 0]`.",
        "first_sentence",
    ),
    Mistake(
        lambda s, m: s[:, :1],
        "The result has shape (batch, 1, dim). Expected (batch, dim): `states[:, 0]`, without the colon.",
        "keepdims",
    ),
    Mistake(
        lambda s, m: pool(s, m, "mean"),
        "This is the mean. CLS pooling takes the first token alone.",
        "mean",
    ),
]


def _lengths():
    if is_hidden():
        rng = seeded(5)
        return [(seed, tuple(rng.integers(3, 10, n))) for seed, n in ((0, 5), (1, 3), (2, 1))]
    return [(0, (3, 6, 4, 5)), (1, (7, 3, 4)), (2, (4,))]


def _cases():
    """Sentences of several lengths, and one alone; the last in two dimensions."""
    cases = []
    for seed, lengths in _lengths():
        mask = np.arange(max(lengths)) < np.array(lengths)[:, None]
        states = normal(*mask.shape, 2 if len(lengths) == 1 else 5, seed=seed)
        # where -1 would win the maximum, too, and in the last column -10
        states[..., 0] = -np.abs(states[..., 0]) - 3.0
        if states.shape[-1] > 2:
            states[..., -1] = -np.abs(states[..., -1]) - 30.0
        padding = np.abs(normal(*states.shape, seed=seed + 9)) + 1.0
        padding[:, :, 1] *= 300.0  # nothing says that padding is small
        padding[:, :, 0] -= 2.0
        if len(lengths) == 1:
            states[:, 1] = 0.0  # a real token, whose state is 0
        states = np.where(mask[..., None], states, padding)
        cases.append((tensor(states), tensor(mask, "int32")))
    return cases


CAST = Known(
    ("int32 tensor", "must have the same dtype"),
    "The mask contains integers, the states are floats, and TensorFlow doesn't mix the two. Use "
    "`ops.cast(padding_mask, states.dtype)`.",
    "cast",
)
MASK_AXIS = Known(
    ("ncompatible shapes", "broadcast", "must be equal"),
    "The shapes don't match. The states are (batch, length, dim), the mask (batch, length): give it a last axis, "
    "`padding_mask[:, :, None]`.",
    "mask_axis",
)


def _edges():
    """Sentences of one token; states of one dimension."""
    one, narrow = normal(3, 1, 4, seed=3), normal(3, 2, 1, seed=4)
    masks = np.ones((3, 1)), [[1, 0], [1, 1], [1, 1]]
    return [
        (tensor(states), tensor(mask, "int32"))
        for states, mask in zip((one, narrow), masks, strict=True)
    ]


def _test(reference, mistakes):
    def test(answer):
        *cases, alone = _cases()
        answer = reworded(answer, CAST, MASK_AXIS, PYTHON_MAX)
        compare(answer, reference, cases, mistakes, edges=[alone, *_edges()])

    return test


def _ready(*answers):
    for answer in answers:
        states, mask = keras.Input((None, 4)), keras.Input((None,), dtype="int32")
        layer = keras.layers.Lambda(lambda both, answer=answer: answer(*both))
        dense = keras.layers.Dense(4, use_bias=False)
        model = keras.Model([states, mask], layer([dense(states), mask]))
        require_trainable(model, "mse", ([normal(2, 3, 4), np.ones((2, 3))], np.zeros((2, 4))))


pooling = Exercise(
    name="03.pooling",
    title="Pooling",
    parts=[
        Part(7, _test(mean_pooling, MEAN_MISTAKES), of=0),
        Part(5, _test(max_pooling, MAX_MISTAKES), of=1),
        Part(3, _test(cls_pooling, CLS_MISTAKES), of=2),
        *(
            gradients(1, reference, _cases, of=place)
            for place, reference in enumerate((mean_pooling, max_pooling, cls_pooling))
        ),
    ],
    reference=[mean_pooling, max_pooling, cls_pooling],
    ready=_ready,
    hints=(
        "The mask says which tokens are real. For the mean, padding must neither be added nor counted. For the maximum, it "
        "must be so small that it can never win. For CLS, only the first token matters.",
        "Bring the mask to shape (batch, length, 1) and to the type of the states: "
        "`ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)`. The number of real tokens is its sum along axis 1. "
        "`ops.where(condition, a, b)` takes a where the condition holds, else b.",
        "`ops.sum(states * real, axis=1) / ops.sum(..., axis=1)`, `ops.max(ops.where(real > 0, ..., -1e4), axis=...)`, and "
        "`states[:, ...]`.",
    ),
)
