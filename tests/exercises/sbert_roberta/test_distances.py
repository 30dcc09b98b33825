"""Exercise 6: right answers in several styles pass, wrong ones get the hint meant for them."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from scipy.spatial.distance import cdist

from siamese_course import losses
from siamese_course.exercises.sbert_roberta import distances
from siamese_course.exercises.sbert_roberta.distances import MISTAKES, triplet_distances
from tests.exercises.mistakes import cases, require_named


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(distances.check(mistake.answer), mistake)


def both_by(measure):
    """Both distances by another measure of two embeddings."""
    return lambda e: (measure(e[:, 0], e[:, 1]), measure(e[:, 0], e[:, 2]))


def unstacked_triplets(embeddings):
    anchor, positive, negative = tf.unstack(embeddings, axis=0)
    return losses.euclidean_distance(anchor, positive), losses.euclidean_distance(anchor, negative)


def triplets_along_the_batch(embeddings):
    anchor, positive, negative = embeddings[0], embeddings[1], embeddings[2]
    return losses.euclidean_distance(anchor, positive), losses.euclidean_distance(anchor, negative)


def far_and_near(embeddings):
    return triplet_distances(embeddings)[::-1]


def distances_in_numpy(embeddings):
    anchor, *others = np.asarray(embeddings).swapaxes(0, 1)
    return tuple(np.sqrt(((anchor - other) ** 2).sum(axis=1) + 1e-6) for other in others)


def distances_by_a_loop(embeddings):
    near, far = [], []
    for anchor, positive, negative in np.asarray(embeddings).tolist():
        for found, other in ((near, positive), (far, negative)):
            found.append(
                (sum((a - b) ** 2 for a, b in zip(anchor, other, strict=True)) + 1e-6) ** 0.5
            )
    return near, far


def distances_in_tensorflow(embeddings):
    anchor, positive, negative = tf.unstack(embeddings, axis=1)
    return [
        tf.sqrt(tf.reduce_sum(tf.math.squared_difference(anchor, other), axis=-1) + 1e-6)
        for other in (positive, negative)
    ]


def distances_at_once(embeddings):
    squares = ops.sum(ops.square(embeddings[:, 1:] - embeddings[:, :1]), axis=-1)
    return ops.transpose(ops.sqrt(squares + 1e-6))


def distances_with_a_floor(embeddings):
    """As many libraries do it: the gradient is finite, too, but it is another formula."""
    anchor, positive, negative = (embeddings[:, side] for side in range(3))
    near, far = (ops.sum((anchor - other) ** 2, axis=-1) for other in (positive, negative))
    return ops.sqrt(ops.maximum(near, 1e-6)), ops.maximum(far, 1e-6) ** 0.5


WRONG = [
    (both_by(lambda a, b: ops.norm(a - b, axis=-1)), "The epsilon is missing"),
    (both_by(lambda a, b: tf.norm(a - b, axis=-1)), "The epsilon is missing"),
    (both_by(lambda a, b: np.linalg.norm(a - b, axis=-1)), "The epsilon is missing"),
    (both_by(lambda a, b: ops.norm(a - b, axis=-1) + 1e-6), "is outside the square root"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2, -1) + 1e-7)), "The epsilon is 1e-07"),
    (
        both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2, -1) + keras.config.epsilon())),
        "The epsilon is 1e-07",
    ),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2, -1) + 1e-12)), "The epsilon is 1e-12"),
    (both_by(lambda a, b: ops.norm(a - b + 1e-6, axis=-1)), "added to the differences"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2 + 1e-6, -1))), "to every square"),
    (both_by(lambda a, b: ops.sum((a - b) ** 2, -1)), "These are *squared* distances"),
    (both_by(lambda a, b: ops.sum((a - b) ** 2, -1) + 1e-6), "These are *squared* distances"),
    (both_by(lambda a, b: ops.mean((a - b) ** 2, -1)), "A value is off"),
    (both_by(lambda a, b: ops.norm(a - b, ord=1, axis=-1)), "Manhattan"),
    (both_by(lambda a, b: ops.sqrt(ops.mean((a - b) ** 2, -1) + 1e-6)), "averaged"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2, 0) + 1e-6)), "over the batch"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2, 1, True) + 1e-6)), "(batch, 1)"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2) + 1e-6)), "summed into one number"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a + b) ** 2, -1) + 1e-6)), "A value is off"),
    (both_by(lambda a, b: ops.sum(a * b, -1)), "A value is off"),
    (both_by(lambda a, b: ops.sqrt(ops.sum(a - b, -1) ** 2 + 1e-6)), "A value is off"),
    (both_by(cdist), "has shape (2, 5, 5); expected (2, 5)"),
    (both_by(lambda a, b: losses.euclidean_distance(a, a)), "A value is off"),
    (
        both_by(
            lambda a, b: losses.euclidean_distance(losses.unit_length(a), losses.unit_length(b))
        ),
        "scaled to unit length first",
    ),
    (both_by(lambda a, b: 1 + keras.losses.cosine_similarity(a, b)), "1 - cosine"),
    (far_and_near, "Positive and negative are swapped"),
    (unstacked_triplets, "the second one is the sides"),
    (triplets_along_the_batch, "the second one is the sides"),
    (lambda e: losses.euclidean_distance(e[:, 0], e[:, 1]), "Return two arrays"),
    (lambda e: triplet_distances(e)[0], "Return two arrays"),
    (lambda e: (*triplet_distances(e), 0), "Return two arrays"),
    (lambda e: ops.stack(triplet_distances(e), axis=-1), "Return two arrays"),
    (distances_at_once, "Return two arrays"),  # which Exercise 7 cannot unpack in training
    (lambda e: ops.sum(triplet_distances(e)[0]), "Return two arrays"),
    (lambda e: e, "Return two arrays"),
    (lambda e: (e[:, 0], e[:, 1]), "expected (2, 5)"),
    (lambda e: (triplet_distances(e)[0], None), "A result is `None`"),
    (lambda e: (triplet_distances(e)[0], 1.0), "have shapes (5,) and ()"),
    (lambda e: (ops.zeros(len(e)), ops.ones(len(e))), "A value is off: 0"),
    (distances_with_a_floor, "A value is off"),
]


@pytest.mark.parametrize(("answer", "text"), WRONG)
def test_a_wrong_answer_gets_the_hint_meant_for_it(answer, text):
    result = distances.check(answer)
    assert result.status == "wrong"
    assert text in result.messages[0]


@pytest.mark.parametrize("answer", [distances_in_numpy, distances_by_a_loop])
def test_what_no_gradient_comes_through_gets_the_points_of_its_values(answer):
    result = distances.check(answer)
    assert (result.points, result.tags) == (6, ["no_gradient"])


RIGHT = [
    (distances_in_tensorflow,),
]


@pytest.mark.parametrize("answers", RIGHT)
def test_right_answers_in_other_styles_pass(answers):
    result = distances.check(*answers)
    assert result.passed, str(result)
