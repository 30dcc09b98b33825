"""Exercise 4 of notebook 03: cosines of pairs, and the regression loss."""

import numpy as np
from keras import ops

from siamese_course import losses
from siamese_course.exercises.cases import Known, gradients, normal, reworded, tensor
from siamese_course.exercises.engine import Exercise, Mistake, Part, Wrong, compare
from siamese_course.exercises.sbert_roberta.common import SIDES, ready_to_train


def _sides(embeddings):
    return embeddings[:, 0], embeddings[:, 1]


def _lengths(x, **options):
    return ops.sqrt(ops.sum(ops.square(x), **options) + 1e-12)


def _product(embeddings):
    left, right = _sides(losses.unit_length(embeddings))
    return ops.matmul(left, ops.transpose(right))


def _cosine_by(length, combine=lambda left, right: ops.sum(left * right, axis=-1)):
    """``row_cosines`` with another length to divide by, or another way to compare."""
    return lambda embeddings: combine(*_sides(embeddings / length(embeddings)))


def _right_length(x):
    return _lengths(x, axis=-1, keepdims=True)


NO_AXIS = Known(
    ("Invalid axis", "axis should be an integer or a tuple"),
    "Each row has its own length: give the axis, `axis=-1`, and keep it for the division, `keepdims=True`.",
    "no_axis",
)
SHAPES = Known(
    ("broadcast", "ncompatible shapes"),
    "The shapes don't match. To divide embeddings by their lengths, keep the axis, `keepdims=True`; cosines and "
    "targets are both (batch,).",
    "shapes",
)
COSINE_MISTAKES = [
    Mistake(
        _product,
        "This is the cosine of the whole batch, every left side with every right one: (batch, batch). A pair needs row "
        "i with row i only: `ops.sum(left * right, axis=-1)`. (This is the mistake in the published example.)",
        "whole_batch",
    ),
    Mistake(
        _cosine_by(lambda x: 1.0),
        "This is the dot product: long embeddings count more. Divide each embedding by its length first.",
        "dot_product",
    ),
    Mistake(
        _cosine_by(lambda x: _lengths(x, axis=0, keepdims=True)),
        "The lengths are taken along the batch (axis 0): an embedding would depend on the rest of the batch. Use the last axis.",
        "batch_axis",
    ),
    Mistake(
        _cosine_by(lambda x: _lengths(x, axis=1, keepdims=True)),
        "The lengths are taken along axis 1, across the two sides of a pair. Every embedding has its own length: "
        "`axis=-1`.",
        "sides_axis",
    ),
    Mistake(
        _cosine_by(_lengths),
        "The whole batch is divided by one number. Every embedding has its own length: `axis=-1, keepdims=True`.",
        "one_length",
    ),
    Mistake(
        _cosine_by(lambda x: ops.sum(ops.square(x), axis=-1, keepdims=True)),
        "The embeddings are divided by their squared length: the square root is missing.",
        "squared_length",
    ),
    Mistake(
        _cosine_by(lambda x: ops.sqrt(ops.mean(ops.square(x), axis=-1, keepdims=True))),
        "The embeddings are divided by the root of the *mean* of the squares. A length is the root of their sum.",
        "mean_of_squares",
    ),
    Mistake(
        _cosine_by(lambda x: ops.sum(ops.abs(x), axis=-1, keepdims=True)),
        "The embeddings are divided by the sum of their absolute values. A length is the root of the sum of squares.",
        "manhattan_length",
    ),
    Mistake(
        _cosine_by(_right_length, lambda a, b: 1 - ops.sum(a * b, axis=-1)),
        "This is 1 - cosine, a distance: small means similar. Return the cosine.",
        "distance",
    ),
    Mistake(
        _cosine_by(_right_length, lambda a, b: -ops.sum(a * b, axis=-1)),
        "The sign is reversed: 1 must mean similar. (`keras.losses.cosine_similarity` gives the negative cosine, so "
        "that less is better.)",
        "negative",
    ),
    Mistake(
        _cosine_by(_right_length, lambda a, b: ops.mean(a * b, axis=-1)),
        "The products are averaged over the dimensions. A dot product *sums* them.",
        "mean_of_products",
    ),
    Mistake(
        _cosine_by(_right_length, lambda a, b: ops.sum(a * b, axis=0)),
        "The sum runs over the batch (axis 0). Sum over the last axis, the dimensions.",
        "sum_over_batch",
    ),
    Mistake(
        _cosine_by(_right_length, lambda a, b: ops.sum(a * b)),
        "All pairs were summed into one number. Sum over the last axis only: one cosine per pair.",
        "summed",
    ),
    Mistake(
        _cosine_by(_right_length, lambda a, b: a * b),
        "This multiplies element by element, (batch, dim). Sum over the last axis.",
        "elementwise",
    ),
    Mistake(
        _cosine_by(_right_length, lambda a, b: ops.sum(a * b, axis=-1, keepdims=True)),
        "The result has shape (batch, 1). Expected (batch,): leave out the last `keepdims`, or the cosines will broadcast "
        "against the targets into a (batch, batch) table.",
        "keepdims",
    ),
    Mistake(
        _cosine_by(_right_length, lambda a, b: ops.sum(a * a, axis=-1)),
        "Every cosine is 1: is the left side compared with itself?",
        "left_twice",
    ),
    Mistake(
        lambda e: ops.sum(losses.unit_length(e[0]) * losses.unit_length(e[1]), axis=-1),
        SIDES.message,
        "batch_is_second",
    ),
    Mistake(
        lambda e: ops.sqrt(ops.sum(ops.square(e[:, 0] - e[:, 1]), axis=-1)),
        "This is the Euclidean distance. The regression objective compares directions: the cosine.",
        "euclidean",
    ),
]


def regression_loss(targets, embeddings):
    """The package's loss, under its name in the notebook."""
    return losses.cosine_regression_loss(targets, embeddings)


def _regression(
    predict=losses.row_cosines,
    score=lambda targets, found: ops.mean(ops.square(found - targets)),
    targets_of=lambda targets: targets,
):
    """``cosine_regression_loss`` that differs in one place."""

    def mistaken(targets, embeddings):
        return score(targets_of(ops.reshape(targets, (-1,))), predict(embeddings))

    return mistaken


def _all_with_all(*shape):
    return lambda t, e: ops.mean(ops.square(_product(e) - ops.reshape(t, shape)))


ALL_WITH_ALL = (
    "This compares every left side with every right one, (batch, batch), and the targets broadcast over that table: "
    "the mistake in the published example. Use your `row_cosines`."
)
REGRESSION_MISTAKES = [
    Mistake(_all_with_all(-1, 1), ALL_WITH_ALL, "whole_batch"),
    Mistake(_all_with_all(1, -1), ALL_WITH_ALL, "whole_batch"),
    Mistake(
        lambda t, e: ops.mean(ops.square(losses.row_cosines(e)[:, None] - ops.reshape(t, (1, -1)))),
        "Every cosine is compared with every target: (batch,) and (batch, 1) broadcast into a table, without an error. "
        "Reshape the targets to (batch,) first: `ops.reshape(targets, (-1,))`.",
        "targets_broadcast",
    ),
    Mistake(
        _regression(targets_of=losses.scale_scores),
        "The targets are scaled again. They are already scaled, from -1 to 1.",
        "scaled_twice",
    ),
    Mistake(
        _regression(predict=_cosine_by(lambda x: 1.0)),
        "The embeddings are not scaled to unit length: these are dot products. Use your `row_cosines`.",
        "dot_product",
    ),
    Mistake(
        _regression(score=lambda t, c: ops.sum(ops.square(c - t))),
        "This is the sum over the pairs, which grows with the batch. Take the mean.",
        "sum",
    ),
    Mistake(
        _regression(score=lambda t, c: ops.square(c - t)),
        "This is one value per pair, and a loss is one number: take the mean.",
        "per_pair",
    ),
    Mistake(
        _regression(score=lambda t, c: ops.mean(ops.abs(c - t))),
        "These are absolute differences. Square them.",
        "absolute",
    ),
    Mistake(
        _regression(score=lambda t, c: ops.mean(c - t)),
        "The square is missing: differences above and below cancel out.",
        "not_squared",
    ),
    Mistake(
        _regression(score=lambda t, c: ops.square(ops.mean(c - t))),
        "The mean is taken before the square: differences above and below cancel out. Square first.",
        "mean_before_square",
    ),
    Mistake(
        _regression(score=lambda t, c: ops.sqrt(ops.mean(ops.square(c - t)))),
        "The square root of the mean is taken. Leave the mean squared error as it is.",
        "root",
    ),
    Mistake(
        _regression(score=lambda t, c: ops.mean(ops.square(c + t))),
        "Cosine and target are added. The error is their difference.",
        "added",
    ),
    Mistake(
        _regression(score=lambda t, c: ops.mean(ops.square(c - t)) / 2),
        "This is half the loss. Take the mean of the squares, with no factor.",
        "half",
    ),
    Mistake(
        _regression(score=lambda t, c: ops.mean(ops.square(1 - c - t))),
        "1 - cosine, a distance, is compared with the targets. The targets are similarities: use cosine minus target.",
        "distance",
    ),
    Mistake(
        _regression(score=lambda t, c: ops.mean(ops.square(c - 1))),
        "The targets are not used: every pair is pulled together.",
        "targets_ignored",
    ),
]


def _pairs(count, dim, seed=0):
    """Embeddings of pairs, of very different lengths."""
    return tensor(normal(count, 2, dim, seed=seed) * (1 + np.arange(count))[:, None, None])


def _test_cosines(answer):
    cases, edges = [(_pairs(5, 3),), (_pairs(4, 6, seed=1),)], [(_pairs(1, 4),), (_pairs(3, 1),)]
    edges.append((0.01 * _pairs(5, 3),))
    table = Wrong(COSINE_MISTAKES[0].message, "whole_batch")

    def in_a_row(embeddings):
        got = answer(embeddings)
        if np.shape(got) == (len(embeddings), len(embeddings)) != (1, 1):
            raise table
        return got

    answer_in_a_row = reworded(in_a_row, SIDES, NO_AXIS, SHAPES)
    compare(answer_in_a_row, losses.row_cosines, cases, COSINE_MISTAKES, edges=edges)


def _scored(count, shape):
    targets = np.linspace(-0.9, 0.7, count).reshape(shape)
    return tensor(targets), _pairs(count, 3, seed=count)


def _test_regression(shape):
    def test(own_cosines, answer):
        cases = [_scored(count, shape) for count in (5, 4)]
        answer = reworded(answer, SIDES, NO_AXIS, SHAPES)
        others = Mistake(
            _regression(predict=own_cosines),
            "This is the mean squared error of your `row_cosines`, which are not the cosines. Fix `row_cosines` first.",
            "own_cosines",
        )
        mistakes = [others, *REGRESSION_MISTAKES]
        compare(answer, regression_loss, cases, mistakes, edges=[_scored(1, shape)])

    return test


regression = Exercise(
    name="03.regression",
    title="Cosines and the regression loss",
    parts=[
        Part(6, _test_cosines, of=0),
        gradients(1, losses.row_cosines, lambda: [(_pairs(5, 3),)], of=0),
        Part(3, _test_regression((-1,))),
        Part(2, _test_regression((-1, 1))),
        gradients(1, regression_loss, lambda: [_scored(4, (-1,))], by=(1,), of=1),
    ],
    reference=[losses.row_cosines, regression_loss],
    ready=ready_to_train(2, 6, 4),  # as in `fit`, whose last batch may be shorter
    hints=(
        "The cosine of two vectors is the dot product after both are divided by their lengths. Do it for the left and the "
        "right side of each row: (batch, 2, dim) gives (batch,). The loss is the mean squared difference from the targets.",
        "A length is `ops.sqrt(ops.sum(ops.square(embeddings), axis=-1, keepdims=True))`; keepdims makes the division work. "
        "`ops.reshape(targets, (-1,))` turns (batch, 1) into (batch,) and leaves (batch,) alone.",
        "`unit = embeddings / ops.sqrt(...)`, `return ops.sum(unit[:, 0] * unit[:, ...], axis=...)`, and "
        "`ops.mean(ops.square(row_cosines(...) - ops.reshape(..., (-1,))))`.",
    ),
)
