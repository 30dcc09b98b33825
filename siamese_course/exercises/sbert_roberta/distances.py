"""Exercise 6 of notebook 03: the distances inside a triplet."""

import numpy as np
from keras import ops

from siamese_course import losses
from siamese_course.exercises.cases import gradients, in_our_words, normal, tensor
from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Wrong,
    as_array,
    compare,
    require_returned,
)
from siamese_course.exercises.sbert_roberta.common import SIDES, embeddings_of


def triplet_distances(embeddings):
    """Distances from the anchor to the positive and to the negative, by the package's formula."""
    anchor, positive, negative = (embeddings[:, side] for side in range(3))
    return losses.euclidean_distance(anchor, positive), losses.euclidean_distance(anchor, negative)


def _distances(measure, others=((0, 1), (0, 2))):
    """``triplet_distances`` with another measure, or between other sides."""
    return lambda e: [measure(e[:, a], e[:, b]) for a, b in others]


def _euclidean(epsilon=1e-6, outside=0.0, axis=-1, gather=ops.sum, **options):
    def measure(a, b):
        return ops.sqrt(gather(ops.square(a - b), axis=axis, **options) + epsilon) + outside

    return measure


MISTAKES = [
    Mistake(
        _distances(_euclidean(0.0)),
        "The epsilon is missing: where two embeddings are equal the gradient of the square root is infinite, and one such "
        "triplet turns every weight into NaN. Add 1e-6 inside the root.",
        "no_epsilon",
    ),
    Mistake(
        _distances(_euclidean(0.0, outside=1e-6)),
        "The epsilon is outside the square root, where it doesn't help. Add the 1e-6 before taking the root.",
        "epsilon_outside",
    ),
    Mistake(
        _distances(lambda a, b: _euclidean(0.0)(a + 1e-6, b)),
        "The 1e-6 is added to the differences: squared, it is almost nothing. Add it to the sum of the squares.",
        "epsilon_in_difference",
    ),
    Mistake(
        _distances(lambda a, b: ops.sqrt(ops.sum(ops.square(a - b) + 1e-6, axis=-1))),
        "The 1e-6 is added to every square, once for each dimension. Add it to their sum.",
        "epsilon_per_dimension",
    ),
    *[
        Mistake(
            _distances(_euclidean(epsilon)),
            f"The epsilon is {epsilon:g}; the formula has 1e-6.",
            "other_epsilon",
        )
        for epsilon in (1e-12, 1e-10, 1e-8, 1e-7, 1e-5, 1e-4, 1e-3)
    ],
    Mistake(
        lambda e: _distances(losses.euclidean_distance)(ops.swapaxes(e[:3], 0, 1)),
        SIDES.message,
        "batch_is_second",
    ),
    Mistake(
        _distances(losses.euclidean_distance, ((0, 2), (0, 1))),
        "Positive and negative are swapped: return the distance to the positive first.",
        "exchanged",
    ),
    Mistake(
        _distances(losses.euclidean_distance, ((0, 1), (0, 1))),
        "Both distances are to the positive. The second one is to the negative, `embeddings[:, 2]`.",
        "positive_twice",
    ),
    Mistake(
        _distances(losses.euclidean_distance, ((1, 1), (1, 2))),
        "The anchor is the first side, `embeddings[:, 0]`; here it is the second.",
        "other_anchor",
    ),
    Mistake(
        _distances(losses.euclidean_distance, ((0, 1), (1, 2))),
        "The second distance is from the positive to the negative. Both start at the anchor.",
        "positive_to_negative",
    ),
    Mistake(
        _distances(lambda a, b: ops.sum(ops.square(a - b), axis=-1) + 1e-6),
        "These are *squared* distances: the square root is missing.",
        "squared",
    ),
    Mistake(
        _distances(lambda a, b: ops.sum(ops.square(a - b), axis=-1)),
        "These are *squared* distances: the square root is missing.",
        "squared",
    ),
    Mistake(
        _distances(lambda a, b: ops.sum(ops.abs(a - b), axis=-1)),
        "These are Manhattan distances, sums of absolute differences. Square, sum, take the root.",
        "manhattan",
    ),
    Mistake(
        _distances(_euclidean(gather=ops.mean)),
        "The squares are averaged over the dimensions. The Euclidean distance *sums* them.",
        "mean",
    ),
    Mistake(
        _distances(_euclidean(axis=0)),
        "The sum runs over the batch (axis 0). Sum over the last axis, the dimensions of one embedding.",
        "batch_axis",
    ),
    Mistake(
        lambda e: _distances(losses.euclidean_distance)(losses.unit_length(e)),
        "The embeddings are scaled to unit length first. Here they stay as they are: the objective uses distances, "
        "and unit vectors are at most 2 apart, just twice the margin.",
        "unit_length",
    ),
    Mistake(
        _distances(
            lambda a, b: 1 - ops.sum(losses.unit_length(a) * losses.unit_length(b), axis=-1)
        ),
        "These are 1 - cosine. Use the Euclidean distance.",
        "cosine",
    ),
    Mistake(
        _distances(_euclidean(keepdims=True)),
        "The distances have shape (batch, 1). Expected (batch,): leave out `keepdims`.",
        "keepdims",
    ),
    Mistake(
        _distances(lambda a, b: _euclidean(axis=None)(a, b)),
        "All rows were summed into one number. Sum over the last axis only: one distance per triplet.",
        "summed",
    ),
]


PARTS = "the distances to the positive", "the distances to the negative"


def _stacked(answer):
    """Both arrays of an answer as one, so that a mistake is reported once."""

    def both(embeddings):
        with in_our_words(SIDES):
            got = answer(embeddings)
        require_returned(got)
        if not isinstance(got, tuple | list) or len(got) != 2:
            raise Wrong(
                "Return two arrays of shape (batch,): the distances to the positive, and those to the negative.",
                "not_two",
            )
        near, far = (as_array(part, "A result") for part in got)
        if near.shape != far.shape:
            raise Wrong(
                f"The two results have shapes {near.shape} and {far.shape}; expected the same.",
                "shape",
            )
        return np.stack([near, far])

    return both


def _test_far(answer):
    """Distances of 1 and more, where the epsilon does not show: the formula alone."""
    shapes = ((5, 3, 4), (4, 3, 6), (1, 3, 4))
    cases = [(embeddings_of(*shape, seed=n, scale=3.0),) for n, shape in enumerate(shapes)]
    cases.append((tensor(normal(4, 3, 1) + 8.0 * np.arange(3)[:, None]),))  # in one dimension
    without_epsilon = [mistake for mistake in MISTAKES if "epsilon" not in mistake.tag]
    both, right = _stacked(answer), _stacked(triplet_distances)
    compare(both, right, cases[:2], without_epsilon, edges=cases[2:], parts=PARTS)


def _test_near(answer):
    """Triplets whose sides coincide, or nearly so: there the epsilon is all there is."""
    together = np.repeat(normal(4, 1, 3), 3, axis=1)
    nearly = 0.01 * together + 2e-6 * normal(4, 3, 3, seed=1)
    # squared distances of about 1e-6: the larger of the two is not their sum
    about = 0.01 * together + 5e-4 * normal(4, 3, 3, seed=2)
    cases = [(embeddings_of(5, 3, 4),), *((tensor(each),) for each in (together, nearly, about))]
    both, right = _stacked(answer), _stacked(triplet_distances)
    compare(both, right, cases, MISTAKES, parts=PARTS, atol=1e-7)


distances = Exercise(
    name="03.distances",
    title="Triplet distances",
    parts=[
        Part(3, _test_far),
        Part(3, _test_near),
        gradients(1, triplet_distances, lambda: [(embeddings_of(5, 3, 4),)]),
    ],
    reference=[triplet_distances],
    hints=(
        "Two distances for each triplet, both starting at the anchor: subtract, square, add up, take the root.",
        "`embeddings[:, 0]` are the anchors, 1 the positives, 2 the negatives. Sum along `axis=-1`; the 1e-6 is added "
        "before the root is taken.",
        "`ops.sqrt(ops.sum(ops.square(anchor - positive), axis=...) + ...)`, and the same once more with the negative.",
    ),
)
