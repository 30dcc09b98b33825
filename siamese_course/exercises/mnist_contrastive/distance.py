"""Exercise 1 of notebook 01: the Euclidean distance."""

import numpy as np
from keras import ops

from siamese_course.exercises.cases import gradients, normal, tensor
from siamese_course.exercises.engine import Exercise, Mistake, Part, Wrong, compare
from siamese_course.losses import euclidean_distance


def _squared(left, right, axis=-1, **options):
    return ops.sum(ops.square(left - right), axis=axis, **options)


NO_ROOT = "This is the *squared* distance: the square root is missing."
MISTAKES = [
    Mistake(lambda a, b: _squared(a, b) + 1e-6, NO_ROOT, "no_root"),
    Mistake(_squared, NO_ROOT, "no_root"),
    Mistake(
        lambda a, b: ops.sqrt(_squared(a, b)) + 1e-6,
        "The epsilon is outside the square root, where it does not help: the gradient of `sqrt` is infinite at 0. Add "
        "1e-6 before taking the root.",
        "epsilon_outside",
    ),
    Mistake(
        lambda a, b: ops.sqrt(_squared(a, b)),
        "The epsilon is missing: at distance 0 the gradient of the square root is infinite, and one pair of equal "
        "embeddings turns every weight into NaN. Add 1e-6 inside the root.",
        "no_epsilon",
    ),
    Mistake(
        lambda a, b: ops.sqrt(ops.maximum(_squared(a, b), 1e-6)),
        "This takes the larger of the sum and 1e-6. Add 1e-6 to the sum.",
        "floor",
    ),
    Mistake(
        lambda a, b: ops.sqrt(_squared(a, b, axis=0) + 1e-6),
        "The sum runs over the batch (axis 0). Sum over the last axis, the dimensions of one embedding.",
        "batch_axis",
    ),
    Mistake(
        lambda a, b: ops.sqrt(_squared(a, b, axis=None) + 1e-6),
        "All pairs were summed into one number. Sum over the last axis only: one distance per row.",
        "no_axis",
    ),
    Mistake(
        lambda a, b: ops.sqrt(_squared(a, b, keepdims=True) + 1e-6),
        "The result has shape (batch, 1). Expected (batch,): leave out `keepdims`, or the distances will broadcast "
        "against the labels into a (batch, batch) table.",
        "keepdims",
    ),
    Mistake(
        lambda a, b: ops.sqrt(ops.square(ops.sum(a - b, axis=-1)) + 1e-6),
        "The differences are summed before they are squared, so they cancel out. Square each one, then sum.",
        "sum_before_square",
    ),
    Mistake(
        lambda a, b: ops.sum(ops.abs(a - b), axis=-1),
        "This is the Manhattan distance, the sum of absolute differences. Square, sum, take the root.",
        "manhattan",
    ),
    Mistake(
        lambda a, b: ops.sqrt(ops.mean(ops.square(a - b), axis=-1) + 1e-6),
        "The squares are averaged over the dimensions. The Euclidean distance *sums* them.",
        "mean",
    ),
    Mistake(
        lambda a, b: ops.sqrt(_squared(a, -b) + 1e-6),
        "The embeddings are added. The distance is about their difference, left - right.",
        "added",
    ),
]


def _test_formula(answer):
    """Rows at least 3 apart, where the epsilon does not show; one row, one dimension, and rows far from the origin."""
    cases = []
    for shape in ((6, 3), (4, 5), (1, 4), (5, 1)):
        left, right = (normal(*shape, seed=seed, scale=2.0) for seed in (0, 1))
        apart = 8.0 * (-1.0) ** np.arange(shape[1])
        cases.append((tensor(left), tensor(right + apart)))
    formula = [m for m in MISTAKES if m.tag not in ("no_epsilon", "epsilon_outside", "floor")]
    compare(answer, euclidean_distance, cases[:2], formula, edges=cases[2:])
    far = [tuple(4096.0 + each for each in cases[0])]
    try:
        compare(answer, euclidean_distance, far)
    except Wrong as wrong:
        raise Wrong(
            "The distances of embeddings far from the origin, near 4096, are not right, where a^2 + b^2 - 2ab is a small "
            f"difference of large numbers. Subtract first, then square. ({wrong})",
            "expanded",
        ) from None


def _test_epsilon(answer):
    """Some or all rows are equal, which shows the epsilon."""
    points, others = (normal(6, 3, seed=seed, scale=2.0) for seed in (0, 1))
    half = np.concatenate([points[:3], others[3:]])
    pairs = [
        (points, others),
        (normal(2, 5), normal(2, 5, seed=1)),
        (points, points),
        (points, half),
        (np.zeros((2, 3), "float32"), np.full((2, 3), 5e-4, "float32")),  # as near as the epsilon
    ]
    cases = [(tensor(left), tensor(right)) for left, right in pairs]
    compare(answer, euclidean_distance, cases, MISTAKES, atol=1e-7)


def _close_and_apart():
    points, others = (normal(6, 3, seed=seed) for seed in (2, 3))
    return [(tensor(points), tensor(others)), (tensor(points), tensor(points))]


distance = Exercise(
    name="01.distance",
    title="Euclidean distance",
    parts=[
        Part(4, _test_formula),
        Part(4, _test_epsilon),
        gradients(2, euclidean_distance, _close_and_apart, by=(0, 1)),
    ],
    reference=[euclidean_distance],
    hints=(
        "Use the Pythagorean theorem: subtract the embeddings, square the differences, sum them, and take the square root. Do it "
        "row by row: (batch, dim) and (batch, dim) give (batch,).",
        "`ops.sum` takes an `axis`: -1 is the last one, the dimensions of an embedding. The 1e-6 belongs under the "
        "root, because the derivative of sqrt(x) is 1 / (2 sqrt(x)).",
        "`ops.sqrt(ops.sum(ops.square(left - right), axis=...) + ...)`: two blanks to fill in.",
    ),
)
