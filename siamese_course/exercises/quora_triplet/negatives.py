"""Exercise 4 of notebook 02: the hardest and the mean negative."""

from collections.abc import Callable

import numpy as np

from siamese_course.exercises.cases import gradients, is_pair, require_traceable, unit
from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Wrong,
    as_array,
    compare,
    is_hidden,
    require_returned,
    require_shape,
    seeded,
)
from siamese_course.runtime.trax_patch import trax

jnp = trax.fastmath.numpy
ASYMMETRIC = [[0.6, 0.7, -0.2], [0.1, 0.3, 0.2], [0.4, -0.5, 0.8]]
ALL_BELOW_ZERO = [[0.9, -0.8, -0.3], [-0.2, 0.5, -0.1], [-0.6, -0.7, 0.95]]
# A negative equal to its positive, as where two questions are the same; and a collapsed encoder
TIED = [[0.5, 0.5, -0.2], [0.1, 0.3, 0.3], [0.8, -0.5, 0.8]]
COLLAPSED = [[0.7] * 3] * 3
WITH_ZEROS = [[0.9, 0.0, -0.2], [0.0, 0.5, 0.4], [0.1, 0.0, 0.0]]


def hard_negatives(similarities):
    """The hardest and the mean negative of every row, in Trax's NumPy."""
    batch = similarities.shape[0]
    diagonal = jnp.eye(batch)
    hardest = jnp.max(similarities - 2.0 * diagonal, axis=1)
    mean = jnp.sum(similarities * (1.0 - diagonal), axis=1) / (batch - 1)
    return hardest, mean


def below_the_positive(s):
    """One lecture's hardest negative: the largest value below the positive."""
    allowed = (s < jnp.diagonal(s)[:, None]) & (jnp.eye(len(s)) == 0)
    return jnp.max(jnp.where(allowed, s, -2.0), axis=1)


def _off(s):
    return s * (1.0 - jnp.eye(len(s)))


def _lowered(s):
    return s - 2.0 * jnp.eye(len(s))


def _equal(s):
    """Where a value is the row's positive, or equal to it."""
    return s == jnp.diagonal(s)[:, None]


EQUAL = "Negatives equal to the positive are left out, too. The positive is known by its place: the diagonal, `jnp.eye`."
HARDEST_MISTAKES = [
    Mistake(
        lambda s: jnp.max(s, axis=1),
        "The hardest negative is taken from the diagonal too, where the positives are. Lower the diagonal by 2 first.",
        "diagonal",
    ),
    Mistake(
        lambda s: jnp.max(s - jnp.eye(len(s)), axis=1),
        "The diagonal is lowered by 1. That is not enough: a positive of 0.9 becomes -0.1, and can still be the "
        "largest. Lower it by 2.",
        "lowered_by_1",
    ),
    Mistake(
        lambda s: jnp.max(_off(s), axis=1),
        "The diagonal is set to 0, and where all negatives are below 0 that zero becomes the hardest. Lower it by 2.",
        "diagonal_zero",
    ),
    Mistake(
        lambda s: jnp.max(_lowered(s), axis=0),
        "The maximum is taken over the columns (axis 0). A row is one question of left: use axis=1.",
        "columns",
    ),
    Mistake(
        lambda s: jnp.min(s + 2.0 * jnp.eye(len(s)), axis=1),
        "This is the *least* similar negative, the easiest. The hardest one is the largest.",
        "easiest",
    ),
    Mistake(
        below_the_positive,
        "Only values below the positive are considered. That is one lecture's definition; it leaves out the negatives "
        "with the largest error. Here the hardest negative is the largest one, even above the positive.",
        "below_the_positive",
    ),
    Mistake(
        lambda s: jnp.argmax(_lowered(s), axis=1),
        "These are the positions of the hardest negatives. Return their similarities: `max`, not `argmax`.",
        "argmax",
    ),
    Mistake(
        lambda s: jnp.max(_lowered(s)) + 0.0 * s[0],
        "This is the largest negative of the whole batch. Every row has its own: use axis=1.",
        "whole_batch",
    ),
    Mistake(
        lambda s: hard_negatives(s)[1],
        "The two are swapped: return the hardest negative first, then the mean.",
        "swapped",
    ),
    Mistake(
        lambda s: jnp.max(jnp.where(_equal(s), s - 2.0, s), axis=1), EQUAL, "equal_to_positive"
    ),
    Mistake(lambda s: jnp.max(jnp.where(_equal(s), -2.0, s), axis=1), EQUAL, "equal_to_positive"),
]
MEAN_MISTAKES = [
    Mistake(
        lambda s: jnp.sum(_off(s), axis=1) / jnp.maximum(jnp.sum(_off(s) != 0, axis=1), 1),
        "Negatives with a cosine of exactly 0 are not counted. A row always has b - 1 negatives: divide by that.",
        "zeros_not_counted",
    ),
    Mistake(
        lambda s: jnp.sum(jnp.where(_equal(s), 0.0, s), axis=1) / (len(s) - 1),
        EQUAL,
        "equal_to_positive",
    ),
    Mistake(
        lambda s: jnp.mean(_off(s), axis=1),
        "The mean is taken over b values, but the diagonal does not count: divide by b - 1.",
        "divided_by_b",
    ),
    Mistake(
        lambda s: jnp.mean(s, axis=1),
        "The mean includes the positives. Set the diagonal to 0, and divide by b - 1.",
        "with_positives",
    ),
    Mistake(
        lambda s: jnp.sum(s, axis=1) / (len(s) - 1),
        "The sum includes the positives. Set the diagonal to 0 first.",
        "with_positives",
    ),
    Mistake(
        lambda s: jnp.sum(_off(s)) / (len(s) - 1) + 0.0 * s[0],
        "The sum runs over the whole matrix. Every row has its own: use axis=1.",
        "whole_batch",
    ),
    Mistake(
        lambda s: jnp.sum(_off(s), axis=0) / (len(s) - 1),
        "The mean is taken over the columns (axis 0). A row is one question of left: use axis=1.",
        "columns",
    ),
    Mistake(
        lambda s: jnp.sum(_off(s), axis=1),
        "This is the sum of the negatives. Divide by b - 1.",
        "sum",
    ),
    Mistake(
        lambda s: jnp.sum(_lowered(s), axis=1) / (len(s) - 1),
        "The mean is taken from the matrix with the diagonal lowered by 2. For the mean, the diagonal must be 0.",
        "lowered",
    ),
    Mistake(
        lambda s: hard_negatives(s)[0],
        "The two are swapped: return the hardest negative first, then the mean.",
        "swapped",
    ),
]


def _cases():
    # Few sizes: JAX compiles each operation anew for each.
    rng = seeded(5)
    cases = [ASYMMETRIC, ALL_BELOW_ZERO, np.clip(rng.normal(scale=0.5, size=(5, 5)), -1, 1)]
    if is_hidden():
        cases = [rng.uniform(-1, high, (n, n)) for n, high in ((2, 1), (6, 1), (6, -0.1))]
    return [(jnp.array(case, dtype=jnp.float32),) for case in cases]


# Tags of messages that name one of the two arrays, or are about both
COMPLETE = {"changed", "none", "not_finite", "reused", "one_array", "keepdims"}


def _test_one(place: int, name: str, mistakes: list[Mistake]) -> Callable:
    """The test of one of the two arrays, so that a mistake in each is reported."""
    expected = trax.fastmath.jit(hard_negatives)

    def test(answer):
        try:
            compare(
                lambda similarities: _both(answer, similarities)[place],
                lambda similarities: expected(similarities)[place],
                _cases(),
                mistakes,
                edges=[
                    (jnp.array(each),)
                    for each in ([[0.8, -0.4], [0.3, 0.6]], TIED, COLLAPSED, WITH_ZEROS)
                ],
            )
        except Wrong as wrong:
            if wrong.tag in COMPLETE | {mistake.tag for mistake in mistakes}:
                raise
            raise Wrong(f"`{name}`: {wrong}", wrong.tag) from None

    return test


def _both(answer, similarities):
    """Both arrays of an answer."""
    got = answer(similarities)
    require_returned(got)
    if not is_pair(got):
        raise Wrong("Only one array was returned. Return two: hardest, mean.", "one_array")
    batch = len(similarities)
    arrays = []
    for name, array in zip(("hardest", "mean"), got, strict=True):
        array = as_array(array, f"`{name}`")
        kept = (
            f"`{name}` has shape {array.shape}; expected ({batch},): leave out `keepdims`.",
            "keepdims",
        )
        require_shape(array, (batch,), {(batch, 1): kept}, f"`{name}`")
        arrays.append(array)
    return arrays


def _ready(answer):
    require_traceable(lambda left: jnp.sum(answer(jnp.dot(left, left.T))[0]), jnp.array(unit(5, 3)))


negatives = Exercise(
    name="02.negatives",
    title="Hardest and mean negative",
    parts=[
        Part(4, _test_one(0, "hardest", HARDEST_MISTAKES)),
        Part(4, _test_one(1, "mean", MEAN_MISTAKES)),
        gradients(2, hard_negatives, lambda: _cases()[1:], backend="jax"),
    ],
    reference=[hard_negatives],
    ready=_ready,
    hints=(
        "In each row, everything but the diagonal is a negative. Find the largest of them, and their mean. Each time, "
        "exclude the diagonal in the way that suits the operation.",
        "`jnp.eye(b)` has ones on the diagonal. For the maximum, lower the diagonal by 2, so that it can never win. "
        "For the sum, multiply it by 0, and divide by the number of values that are left.",
        "`jnp.max(similarities - ... * jnp.eye(b), axis=...)` and "
        "`jnp.sum(similarities * (1 - jnp.eye(b)), axis=...) / (...)`.",
    ),
)
