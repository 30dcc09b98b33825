"""Exercise 2 of notebook 01: the contrastive loss."""

import numpy as np
from keras import ops

from siamese_course import losses
from siamese_course.exercises.cases import gradients, normal, require_trainable, tensor
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden, seeded
from siamese_course.models.images import build_encoder, build_siamese


def _terms(
    pull=lambda d2, d: d2 / 2,
    push=lambda m, d2, d: _hinge(m - d) ** 2 / 2,
    total=ops.mean,
    epsilon=1e-6,
):
    """The contrastive loss, with one thing changed."""

    def mistaken(same, embeddings, margin=5.0):
        squared = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
        distance = ops.sqrt(squared + epsilon)
        return total(same * pull(squared, distance) + (1 - same) * push(margin, squared, distance))

    return mistaken


def _hinge(x):
    return ops.maximum(0.0, x)


def _swapped(loss):
    return lambda same, embeddings, margin=5.0: loss(1 - same, embeddings, margin)


def _default_margin_of_one(same, embeddings, margin=1.0):
    return losses.contrastive_loss(same, embeddings, margin=margin)


def _unlabeled(same, embeddings, margin=5.0):
    return 2 * _terms()(same * 0 + 0.5, embeddings, margin)


def _table(same, embeddings, margin=5.0):
    """Each label with each distance: the distances have an axis too many."""
    d = losses.euclidean_distance(embeddings[:, 0], embeddings[:, 1])[:, None]
    return ops.mean(same * d**2 / 2 + (1 - same) * _hinge(margin - d) ** 2 / 2)


SWAPPED = (
    "The labels are swapped: here `same` is 1 for a *similar* pair. (The paper writes 0 for similar; this is the most "
    "common mistake of all.)"
)
UNHALVED = {"pull": lambda d2, d: d2, "push": lambda m, d2, d: _hinge(m - d) ** 2}
USES_SQUARED = "The term for different pairs compares the margin with the *squared* distance. Use D itself there."
MISTAKES = [
    Mistake(_swapped(_terms()), SWAPPED, "swapped"),
    Mistake(
        _swapped(_terms(**UNHALVED)),
        f"{SWAPPED} The factor 1/2 is also missing.",
        "swapped_no_half",
    ),
    Mistake(_swapped(_terms(total=ops.sum)), f"{SWAPPED} The mean is also missing.", "swapped_sum"),
    Mistake(
        _default_margin_of_one,
        "The default margin must be 5: `margin=5.0` in the first line.",
        "default_margin",
    ),
    Mistake(
        _terms(push=lambda m, d2, d: ops.max(m - d) ** 2 / 2),
        "`ops.max` returns the largest value of the whole batch. `ops.maximum(0.0, ...)` compares element by element.",
        "max_of_batch",
    ),
    Mistake(
        _table,
        "Each label is combined with each distance, in a (batch, batch) table: the distances have shape (batch, 1). Leave "
        "out `keepdims`.",
        "table",
    ),
    Mistake(
        _terms(total=ops.sum),
        "The mean is missing: this is the sum over the pairs, which grows with the batch.",
        "sum",
    ),
    Mistake(
        _terms(total=lambda x: x),
        "The mean is missing: this is one value per pair, and a loss is one number.",
        "per_pair",
    ),
    Mistake(
        _terms(push=lambda m, d2, d: _hinge(m**2 - d2) / 2),
        "The margin is inside the square: this is max(0, m^2 - D^2). Subtract the distance from the margin first, then "
        "square the result.",
        "margin_squared",
    ),
    Mistake(
        _terms(push=lambda m, d2, d: _hinge(m - d2) ** 2 / 2), USES_SQUARED, "squared_distance"
    ),
    Mistake(_terms(push=lambda m, d2, d: _hinge(m - d2) / 2), USES_SQUARED, "squared_distance"),
    Mistake(
        _terms(pull=lambda d2, d: d / 2),
        "The distance of similar pairs is not squared: their term is 1/2 D^2.",
        "pull_not_squared",
    ),
    Mistake(
        _terms(pull=lambda d2, d: d2**2 / 2),
        "The *squared* distance of similar pairs is squared again: the root of the sum of squares is missing, or "
        "their term should be 1/2 D^2 and not 1/2 D^4.",
        "pull_squared_twice",
    ),
    Mistake(
        _terms(push=lambda m, d2, d: _hinge(m - d) / 2),
        "The term for different pairs is not squared: it is 1/2 max(0, m - D)^2.",
        "push_not_squared",
    ),
    Mistake(_terms(**UNHALVED), "The factor 1/2 is missing.", "no_half"),
    Mistake(
        _terms(push=lambda m, d2, d: (m - d) ** 2 / 2),
        "The max(0, ...) is missing: different pairs that are farther apart than the margin would be pulled together "
        "again.",
        "no_hinge",
    ),
    Mistake(
        _terms(push=lambda m, d2, d: _hinge(d - m) ** 2 / 2),
        "The sign inside the max is reversed: different pairs have a loss if they are *closer* than the margin, so "
        "it is m - D.",
        "sign",
    ),
    Mistake(
        _terms(push=lambda m, d2, d: _hinge(5.0 - d) ** 2 / 2),
        "The margin is hard-coded as 5. Use the argument `margin`.",
        "margin_ignored",
    ),
    Mistake(
        _unlabeled,
        "Every pair gets both terms. `same` selects one of them: the first where it is 1, the second where it is 0.",
        "same_ignored",
    ),
]
NO_EPSILON = Mistake(
    _terms(epsilon=0.0),
    "The epsilon is missing under the root: two different images at the same point get a gradient of NaN. Use "
    "`euclidean_distance`, or add 1e-6 inside `ops.sqrt`.",
    "no_epsilon",
)


def _with_margin(loss):
    """A loss that takes its margin by position; the learner's may want it by name."""
    return lambda same, embeddings, *margin: loss(
        same, embeddings, **({"margin": margin[0]} if margin else {})
    )


def _compare(answer, cases, mistakes, edges=()):
    reference = _with_margin(losses.contrastive_loss)
    compare(_with_margin(answer), reference, cases, mistakes, edges=edges)


def _pairs(same_values, rows=8, dim=None, seed=3):
    dim = dim or (4 if is_hidden() else 2)
    embeddings = tensor(normal(rows, 2, dim, seed=seed, scale=2.0))
    return tensor(seeded(seed).permutation(np.resize(same_values, rows))), embeddings


def _cases(same_values, margins):
    pairs = _pairs(same_values)
    others = (*_pairs(same_values, seed=4), margins[0])
    # the last: the default margin
    return [*((*pairs, margin) for margin in margins), others, _pairs(same_values, seed=5)]


def _test(same_values, *margins):
    def test(answer):
        edges = [_pairs(same_values[-1:], 1), _pairs(same_values, 5, 1)]
        _compare(answer, _cases(same_values, margins), MISTAKES, edges)

    return test


def _test_epsilon(answer):
    """Different images at the same point: the value shows the epsilon."""
    twins = tensor(np.zeros(3)), tensor(np.ones((3, 2, 2))), 5.0
    _compare(answer, [twins, *_cases([1, 0, 0], [5.0])], [*MISTAKES, NO_EPSILON])


def _ready(answer):
    """Two batches of different lengths, as in training."""
    siamese = build_siamese(build_encoder(pixels=4, units=4))
    batches = []
    for size in (4, 5):
        images = seeded(0).random((size, 4)).astype("float32")
        batches.append(([images, images[::-1]], (np.arange(size) % 2).astype("float32")))
    require_trainable(siamese, answer, *batches, compiled=True)


contrastive_loss = Exercise(
    name="01.contrastive_loss",
    title="Contrastive loss",
    parts=[
        Part(5, _test([1], 5.0)),
        Part(5, _test([0], 5.0)),
        Part(2, _test_epsilon),
        Part(6, _test([1, 0, 0], 5.0, 2.0)),
        gradients(2, losses.contrastive_loss, lambda: [_pairs([1, 0, 0], 9, 3)], by=(1,)),
    ],
    reference=[losses.contrastive_loss],
    ready=_ready,
    hints=(
        "Two goals in one formula. A similar pair has a loss at any distance, a different pair only if it is closer "
        "than the margin. `same` selects one of the two terms for each pair.",
        "`embeddings[:, 0]` and `embeddings[:, 1]` are the two sides. The similar term is 1/2 D^2 and the different one "
        "1/2 max(0, margin - D)^2; `ops.maximum` is the max.",
        "`pull = 0.5 * ...`, `push = 0.5 * ops.square(ops.maximum(0.0, ...))`, and then "
        "`ops.mean(same * pull + (1 - same) * push)`.",
    ),
)
