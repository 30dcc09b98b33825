"""Exercise 5 of notebook 02: the triplet loss."""

import numpy as np

from siamese_course.exercises.cases import gradients, require_traceable, unit
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden
from siamese_course.exercises.quora_triplet.negatives import (
    ALL_BELOW_ZERO,
    ASYMMETRIC,
    below_the_positive,
    hard_negatives,
)
from siamese_course.models.questions_trax import cosine_triplet_loss
from siamese_course.runtime.trax_patch import trax

jnp = trax.fastmath.numpy


def triplet_loss(left, right, margin=0.25):
    """Mean over the batch of L1 + L2, in Trax's NumPy."""
    return cosine_triplet_loss(left, right, margin)


def _like(
    hardest=lambda s: hard_negatives(s)[0],
    mean=lambda s: hard_negatives(s)[1],
    positive=jnp.diagonal,
    turn=lambda s: s,
    hinge=lambda x: jnp.maximum(0.0, x),
    combine=lambda l1, l2: jnp.mean(l1 + l2),
    margin_of=lambda margin: margin,
    sign=1.0,
):
    """``triplet_loss`` that differs in one place."""

    def mistaken(left, right, margin=0.25):
        s = turn(jnp.dot(left, right.T))
        m, p = margin_of(margin), positive(s)
        return combine(hinge(m + sign * (hardest(s) - p)), hinge(m + sign * (mean(s) - p)))

    return mistaken


MISTAKES = [
    Mistake(
        _like(sign=-1.0),
        "The sign is wrong: this pushes the positives away. It is margin - positive + negative.",
        "sign",
    ),
    Mistake(
        _like(hinge=lambda x: x),
        "`max(0, ...)` is missing: rows that are already right pull the loss below zero and hide the wrong ones.",
        "no_hinge",
    ),
    *(
        Mistake(
            _like(hinge=lambda x: x, combine=combine),
            "`max(0, ...)` is taken of the batch's mean, so rows that are right make up for wrong ones. Take it in each "
            "row; the mean comes last.",
            "mean_before_hinge",
        )
        for combine in (
            lambda l1, l2: jnp.maximum(0.0, jnp.mean(l1)) + jnp.maximum(0.0, jnp.mean(l2)),
            lambda l1, l2: jnp.maximum(0.0, jnp.mean(l1 + l2)),
        )
    ),
    Mistake(
        _like(margin_of=lambda margin: 0.0),
        "The margin is missing: being just a little better than the negative would be enough.",
        "no_margin",
    ),
    Mistake(
        _like(margin_of=lambda margin: 0.25),
        "The margin is always 0.25. Use the argument `margin`.",
        "margin_fixed",
    ),
    Mistake(
        _like(combine=lambda l1, l2: jnp.mean(l1)),
        "Only L1, with the hardest negative, is included. Add L2, with the mean negative.",
        "hardest_only",
    ),
    Mistake(
        _like(combine=lambda l1, l2: jnp.mean(l2)),
        "Only L2, with the mean negative, is included. Add L1, with the hardest negative.",
        "mean_only",
    ),
    Mistake(
        _like(combine=lambda l1, l2: jnp.mean(l1 + l2) / 2),
        "This is half the loss. L1 and L2 are added; the mean is taken over the batch only.",
        "half",
    ),
    Mistake(
        _like(combine=lambda l1, l2: jnp.sum(l1 + l2)),
        "The losses are summed over the batch, as in the slides of the original course. Take the mean, as its code "
        "does, so that the loss does not grow with the batch.",
        "sum",
    ),
    Mistake(
        _like(combine=lambda l1, l2: l1 + l2),
        "This is one loss per row. Return their mean.",
        "per_row",
    ),
    Mistake(
        _like(turn=lambda s: s.T),
        "The similarity matrix is transposed: the negatives of a left question are in its row, left times right.T.",
        "transposed",
    ),
    Mistake(
        _like(hardest=lambda s: jnp.max(s, axis=1)),
        "The hardest negative is taken from the diagonal: that is the positive. Use your `hard_negatives`.",
        "diagonal",
    ),
    Mistake(
        _like(mean=lambda s: jnp.sum(s * (1.0 - jnp.eye(len(s))), axis=1) / len(s)),
        "The mean negative is divided by b instead of b - 1. Use your `hard_negatives`.",
        "divided_by_b",
    ),
    Mistake(
        _like(hardest=below_the_positive),
        "The hardest negative is taken from values below the positive only. Here it is the largest one, even above the "
        "positive.",
        "below_the_positive",
    ),
    Mistake(
        _like(positive=lambda s: jnp.max(s, axis=1)),
        "The positive is the largest value of the row. It is the one on the diagonal.",
        "largest_as_positive",
    ),
    Mistake(
        _like(hinge=lambda x: jnp.square(jnp.maximum(0.0, x))),
        "The hinge is squared. This loss takes max(0, ...) as it is.",
        "squared",
    ),
]


def _sides(rows: int, dim: int, seed: int = 0):
    return tuple(jnp.array(unit(rows, dim, seed=s)) for s in (seed, seed + 1))


def _sides_of(similarities):
    """Rows of unit length with these similarities, divided by the length of their longest row if that is above 1."""
    table = np.array(similarities, "float32")
    table /= max(1.0, float(np.linalg.norm(table, axis=1).max()))
    rest = np.sqrt(np.maximum(0.0, 1.0 - np.square(table).sum(axis=1)))
    left, right = np.hstack([table, np.diag(rest)]), np.eye(len(table), 2 * len(table))
    return jnp.array(left, "float32"), jnp.array(right, "float32")


def _cases():
    # Few sizes: JAX compiles each operation anew for each.
    return [
        (*_sides_of(ASYMMETRIC), 0.25),
        (*_sides_of(np.transpose(ASYMMETRIC)), 0.25),
        (*_sides_of(ALL_BELOW_ZERO), 1.9),
        (*_sides(6, 4), 0.5),
        _sides(6, 4),  # the default margin
        *([(*_sides(2, 4, 2), 0.4)] if is_hidden() else []),
    ]


def _test(answer):
    compare(
        answer,
        trax.fastmath.jit(triplet_loss),
        _cases(),
        MISTAKES,
        edges=[(*_sides(2, 1), 0.3), (*_sides(6, 4), 0.0)],
    )


def _ready(answer):
    left, right = _sides(6, 4)
    require_traceable(lambda rows: answer(rows, right, 0.25), left)


loss = Exercise(
    name="02.loss",
    title="Triplet loss",
    parts=[
        Part(7, _test),
        gradients(
            2,
            triplet_loss,
            lambda: [(*_sides(6, 4, 3), 0.3)],
            by=(0, 1),
            backend="jax",
            unit_rows=True,
        ),
    ],
    reference=[triplet_loss],
    ready=_ready,
    hints=(
        "For each row: how far is the positive ahead of the negative? If it is ahead by the margin, the loss is 0. "
        "Do this once with the hardest negative and once with the mean one, and add the two.",
        "The positives are `jnp.diagonal(similarities)`. `jnp.maximum(0.0, x)` works element by element; `jnp.mean` "
        "at the very end.",
        "`jnp.mean(jnp.maximum(0.0, margin - ... + hardest) + jnp.maximum(0.0, margin - ... + ...))`.",
    ),
)
