"""Exercise 12 of notebook 02: a pretrained model's token vectors, and how much each token says."""

import numpy as np

from siamese_course.exercises.cases import normal
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden, seeded


def prepare_vectors(table):
    """Token vectors without their mean, divided by their lengths."""
    centered = table - table.mean(axis=0)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    """a / (a + fraction) of every token."""
    return a / (a + counts / counts.sum())


def _unit(rows, **options):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True, **options)


def _centered(table):
    return table - table.mean(axis=0)


VECTOR_MISTAKES = [
    Mistake(
        _unit,
        "The mean vector is not subtracted. Subtract it first: `table.mean(axis=0)`.",
        "not_centered",
    ),
    Mistake(_centered, "The vectors do not have length 1. Divide each by its length.", "not_unit"),
    Mistake(
        lambda table: _centered(_unit(table)),
        "The vectors are divided by their lengths first, and then centered. Subtract the mean first.",
        "unit_first",
    ),
    Mistake(
        lambda table: _unit(table - table.mean(axis=1, keepdims=True)),
        "This subtracts each vector's own mean (axis=1). Subtract the mean *vector* of all tokens: axis=0.",
        "own_mean",
    ),
    Mistake(
        lambda table: _unit(table - table.mean()),
        "This subtracts one number, the mean of everything. Each dimension has its own mean: `axis=0`.",
        "one_mean",
    ),
    Mistake(
        lambda table: (c := _centered(table)) / np.linalg.norm(c),
        "All vectors are divided by one number. Each has its own length: `axis=1, keepdims=True`.",
        "one_length",
    ),
    Mistake(
        lambda table: (c := _centered(table)) / np.linalg.norm(c, axis=0),
        "The lengths are those of the columns (axis 0). A vector is a row: `axis=1, keepdims=True`.",
        "columns",
    ),
    Mistake(
        lambda table: (c := _centered(table)) / np.sum(c**2, axis=1, keepdims=True),
        "The vectors are divided by their squared length: the square root is missing.",
        "no_root",
    ),
    Mistake(
        lambda table: _centered(table) / table.std(axis=0),
        "Each dimension is divided by its spread (standardizing). Divide each *vector* by its length.",
        "standardized",
    ),
    Mistake(
        lambda table: _unit(table + table.mean(axis=0)), "The mean is added. Subtract it.", "added"
    ),
]
IMPORTANCE_MISTAKES = [
    Mistake(
        lambda counts, a=1e-3: a / (a + counts),
        "These are the counts. Divide them by their sum, so that they are fractions.",
        "counts",
    ),
    Mistake(
        lambda counts, a=1e-3: counts / counts.sum(),
        "These are the fractions. The importance is a / (a + fraction): small for frequent tokens.",
        "fractions",
    ),
    Mistake(
        lambda counts, a=1e-3: (p := counts / counts.sum()) / (a + p),
        "This grows with the frequency: *the* would count most. The numerator is `a`.",
        "inverted",
    ),
    Mistake(
        lambda counts, a=1e-3: 1e-3 / (1e-3 + counts / counts.sum()),
        "`a` is always 0.001. Use the argument.",
        "a_fixed",
    ),
    Mistake(
        lambda counts, a=1e-3: a / (a + counts / len(counts)),
        "The counts are divided by the number of tokens in the vocabulary. Divide by the sum of the counts.",
        "divided_by_size",
    ),
    Mistake(
        lambda counts, a=1e-3: a / (a + counts / counts.max()),
        "The counts are divided by the largest one. Divide by their sum.",
        "divided_by_max",
    ),
    Mistake(
        lambda counts, a=1e-3: 1 / (a + counts / counts.sum()),
        "The numerator is missing: it is `a`, so that a token that never occurs has importance 1.",
        "no_numerator",
    ),
    Mistake(
        lambda counts, a=1e-3: np.log(a / (a + counts / counts.sum())),
        "This is the logarithm of the importance. Return the importance itself, from 0 to 1.",
        "log",
    ),
    Mistake(
        lambda counts, a=1e-3: (w := token_importance(counts, a)) / w.sum(),
        "The importances are divided by their sum. Leave them as they are: a token that never occurs has importance 1.",
        "normalized",
    ),
    Mistake(
        lambda counts, a=1e-3: np.where(counts > 0, token_importance(counts, a), 0.0),
        "Tokens that never occur in training got 0. They are the rarest of all, so their importance is 1.",
        "unseen_is_zero",
    ),
]


def _test_vectors(answer):
    sizes = ((30, 4), (9, 6)) if is_hidden() else ((12, 5), (20, 3))
    cases = [(normal(*size, seed=n) + np.arange(size[1]),) for n, size in enumerate(sizes)]
    edges = [(np.array([[1.0, 2.0], [3.0, -1.0]], "float32"),), (normal(4, 1, seed=3),)]
    edges.append((normal(*sizes[0], seed=4),))
    compare(answer, prepare_vectors, cases, VECTOR_MISTAKES, edges=edges)


def _test_importance(answer):
    counts = seeded(2).integers(0, 200, 40 if is_hidden() else 25)
    counts[:3] = 0, 1, 5_000
    cases = [(counts,), (counts, 0.02 if is_hidden() else 0.01)]
    edges = [(np.array([200, 200, 0]),), (np.array([5]), 0.5), (counts, 1.0)]
    compare(answer, token_importance, cases, IMPORTANCE_MISTAKES, edges=edges, atol=1e-7)


token_vectors = Exercise(
    name="02.token_vectors",
    title="Token vectors",
    parts=[Part(3, _test_vectors, of=0), Part(3, _test_importance, of=1)],
    reference=[prepare_vectors, token_importance],
    hints=(
        "Subtract the mean of all vectors from each vector, and divide the result by its length. The importance is a / "
        "(a + p), where p is the fraction of all tokens that are this one.",
        "The mean vector is `table.mean(axis=0)`; the lengths are `np.linalg.norm(..., axis=1, keepdims=True)`. The "
        "fractions are `counts / counts.sum()`.",
        "`centered = table - ...`, `return centered / np.linalg.norm(centered, axis=..., keepdims=True)`; "
        "`return a / (a + counts / ...)`.",
    ),
)
