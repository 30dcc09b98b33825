"""Exercise 7 of notebook 03: the triplet loss."""

import numpy as np
from keras import ops

from siamese_course import losses
from siamese_course.exercises.cases import gradients, normal, reworded, tensor
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare
from siamese_course.exercises.sbert_roberta.common import (
    PYTHON_MAX,
    SIDES,
    embeddings_of,
    ready_to_train,
)
from siamese_course.exercises.sbert_roberta.distances import triplet_distances


def triplet_loss(targets, embeddings, margin=1.0):
    """The package's loss, under its name in the notebook."""
    return losses.distance_triplet_loss(targets, embeddings, margin=margin)


def _loss_like(
    gap=lambda near, far: near - far,
    hinge=lambda x: ops.maximum(0.0, x),
    finish=ops.mean,
    distances_of=triplet_distances,
    margin_of=lambda margin: margin,
    weigh=lambda targets: 1.0,
):
    """``triplet_loss`` that differs in one place."""

    def mistaken(targets, embeddings, margin=1.0):
        near, far = distances_of(embeddings)
        return finish(weigh(targets) * hinge(gap(near, far) + margin_of(margin)))

    return mistaken


def _squared(embeddings):
    return [ops.square(d) for d in triplet_distances(embeddings)]


def _mean_of_active(losses):
    return ops.sum(losses) / ops.maximum(ops.sum(ops.cast(losses > 0, "float32")), 1.0)


def _margin_outside(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near - far) + margin)


MISTAKES = [
    Mistake(
        _loss_like(gap=lambda near, far: far - near),
        "Positive and negative are swapped: this pulls the negative in and pushes the positive away. Use the distance "
        "to the positive minus the distance to the negative.",
        "exchanged",
    ),
    Mistake(
        _loss_like(margin_of=lambda margin: -margin),
        "The sign of the margin is reversed: triplets that are wrong by less than the margin would have no loss. "
        "Add it.",
        "margin_sign",
    ),
    Mistake(
        _loss_like(hinge=lambda x: x),
        "`max(0, ...)` is missing: triplets that are already right pull the loss below zero and hide the wrong ones.",
        "no_hinge",
    ),
    Mistake(
        _loss_like(hinge=lambda x: x, finish=lambda x: ops.maximum(0.0, ops.mean(x))),
        "The mean is taken before `max(0, ...)`: triplets that are right hide the wrong ones. The mean comes last.",
        "mean_before_hinge",
    ),
    Mistake(
        _margin_outside,
        "The margin is added after `max(0, ...)`, where it is added to every loss and changes no gradient. Add it "
        "inside.",
        "margin_outside",
    ),
    Mistake(
        _loss_like(margin_of=lambda margin: 0.0),
        "The margin is missing: equal distances would be enough, as in a model that gives every "
        "sentence the same embedding.",
        "no_margin",
    ),
    Mistake(
        _loss_like(margin_of=lambda margin: 1.0),
        "The margin is always 1. Use the argument `margin`.",
        "margin_ignored",
    ),
    Mistake(
        _loss_like(finish=_mean_of_active),
        "The mean is taken over the triplets with a loss. Those that are right count, too, with 0.",
        "mean_of_active",
    ),
    Mistake(
        _loss_like(finish=ops.sum),
        "This is the sum over the triplets, which grows with the batch. Take the mean.",
        "sum",
    ),
    Mistake(
        _loss_like(finish=lambda x: x),
        "This is one loss per triplet, and a loss is one number: take the mean.",
        "per_triplet",
    ),
    Mistake(
        _loss_like(distances_of=_squared),
        "The distances are squared. Use them as `triplet_distances` returns them.",
        "squared_distances",
    ),
    Mistake(
        _loss_like(hinge=lambda x: ops.square(ops.maximum(0.0, x))),
        "The hinge is squared. This loss takes max(0, ...) as it is.",
        "squared_hinge",
    ),
    Mistake(
        _loss_like(hinge=lambda x: ops.maximum(0.0, ops.max(x)) + 0.0 * x),
        "`ops.max` finds the largest value of the whole batch. `ops.maximum(0.0, ...)` compares element by element.",
        "max_of_batch",
    ),
    Mistake(
        _loss_like(weigh=lambda targets: targets),
        "With targets of 0 your loss is 0, and in training all of them are: are the targets a factor? They are only "
        "there because Keras requires some. Ignore them.",
        "targets_used",
    ),
    Mistake(
        _loss_like(gap=lambda near, far: near - far, hinge=lambda x: ops.minimum(0.0, x)),
        "This is `minimum`: it drops the triplets that are wrong and keeps those that are right. Use `ops.maximum(0.0, "
        "...)`.",
        "minimum",
    ),
    Mistake(
        _loss_like(
            distances_of=lambda e: (
                ops.sqrt(ops.sum(ops.square(e[:, 0] - e[:, 1]), axis=-1)),
                ops.sqrt(ops.sum(ops.square(e[:, 0] - e[:, 2]), axis=-1)),
            )
        ),
        "The epsilon is missing under the root: where anchor and positive are equal the gradient is infinite. Use "
        "`triplet_distances`.",
        "no_epsilon",
    ),
    Mistake(
        _loss_like(distances_of=lambda e: triplet_distances(losses.unit_length(e))),
        "The embeddings are scaled to unit length first. Take them as they are.",
        "unit_length",
    ),
]


def _by_name(loss):
    """A loss that gets its margin by name, as in the notebook."""
    return lambda targets, embeddings, *margin: loss(
        targets, embeddings, **dict(zip(["margin"], margin, strict=False))
    )


def _compare(answer, cases, mistakes, edges=()):
    mistakes = [m._replace(answer=_by_name(m.answer)) for m in mistakes]
    answer = _by_name(reworded(answer, SIDES, PYTHON_MAX))
    compare(answer, _by_name(triplet_loss), cases, mistakes, edges=edges)


def _test_margins(answer):
    targets = tensor([0.0, 1.0, -0.5, 2.0, 0.3, -1.0])
    cases = [
        (targets, embeddings_of(6, 3, 4, seed=seed), margin)
        for seed, margin in ((0, 1.0), (2, 2.5), (3, 0.3))
    ]
    cases.append((targets[:4], embeddings_of(4, 3, 5, seed=5), 0.7))
    twins = np.repeat(normal(5, 1, 3, seed=6), 3, axis=1)  # the anchor is its own positive
    twins[:, 2] += 0.3
    cases.append((targets[:5], tensor(twins), 1.0))
    _compare(answer, cases, MISTAKES, [(targets[:1], embeddings_of(1, 3, 1, seed=7), 3.0)])
    default = Mistake(
        answer,
        "The default margin must be 1: `margin=1.0` in the first line.",
        "default_margin",
    )
    _compare(answer, [(targets, embeddings_of(6, 3, 4, seed=seed)) for seed in (4, 8)], [default])


def _test_zero_targets(answer):
    """As in training: all targets are 0."""
    cases = [(tensor(np.zeros(6)), embeddings_of(6, 3, 4, seed=seed), 1.0) for seed in (5, 22)]
    _compare(answer, cases, [m for m in MISTAKES if m.tag != "margin_ignored"])


def _triplets():
    return [(tensor(np.zeros(9)), embeddings_of(9, 3, 4, seed=5), {"margin": 0.2})]


loss = Exercise(
    name="03.loss",
    title="Triplet loss",
    parts=[
        Part(3, _test_zero_targets),
        Part(3, _test_margins),
        gradients(2, triplet_loss, _triplets, by=(1,)),
    ],
    reference=[triplet_loss],
    ready=ready_to_train(3, 6),
    hints=(
        "How much closer is the positive than the negative? By the margin or more, the loss is 0; otherwise the loss is what's "
        "missing from the margin.",
        "`ops.maximum(0.0, x)` works element by element, `ops.mean` at the very end. The targets are not needed.",
        "`near, far = triplet_distances(embeddings)`, `return ops.mean(ops.maximum(0.0, near - ... + ...))`.",
    ),
)
