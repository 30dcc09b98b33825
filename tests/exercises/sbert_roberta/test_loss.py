"""Exercise 7: right answers in several styles pass, wrong ones get the hint meant for them."""

import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from siamese_course import losses
from siamese_course.exercises.sbert_roberta import loss
from siamese_course.exercises.sbert_roberta.distances import triplet_distances
from siamese_course.exercises.sbert_roberta.loss import MISTAKES, triplet_loss
from tests.exercises.mistakes import cases, require_named


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(loss.check(mistake.answer), mistake)


def unstacked_triplets(embeddings):
    anchor, positive, negative = tf.unstack(embeddings, axis=0)
    return losses.euclidean_distance(anchor, positive), losses.euclidean_distance(anchor, negative)


def triplets_along_the_batch(embeddings):
    anchor, positive, negative = embeddings[0], embeddings[1], embeddings[2]
    return losses.euclidean_distance(anchor, positive), losses.euclidean_distance(anchor, negative)


def far_and_near(embeddings):
    return triplet_distances(embeddings)[::-1]


def triplet_with(
    hinge=lambda near, far, margin: ops.relu(near - far + margin),
    distances=triplet_distances,
    finish=ops.mean,
    default=1.0,
):
    """The triplet loss with one thing changed."""

    def loss(targets, embeddings, margin=default):
        near, far = distances(embeddings)
        return finish(hinge(near, far, margin))

    return loss


def hinge_of_the_mean(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.maximum(0.0, ops.mean(near - far) + margin)


def wrong_ones_only(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    costs = ops.relu(near - far + margin)
    return ops.sum(costs) / ops.sum(ops.cast(costs > 0, "float32"))


def triplet_of_cosines(targets, embeddings, margin=1.0):
    unit = losses.unit_length(embeddings)
    near, far = (ops.sum(unit[:, 0] * unit[:, side], axis=-1) for side in (1, 2))
    return ops.mean(ops.relu(margin - near + far))


def published_triplet_loss(targets, embeddings, margin=1.0):
    near, far = unstacked_triplets(embeddings)
    return tf.reduce_mean(tf.maximum(near - far + margin, 0.0))


def without_default(targets, embeddings, margin):
    return triplet_loss(targets, embeddings, margin)


def no_margin_argument(targets, embeddings):
    return triplet_loss(targets, embeddings)


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


def triplet_in_numpy(targets, embeddings, margin=1.0):
    near, far = distances_in_numpy(embeddings)
    return np.clip(near - far + margin, 0, None).mean()


def triplet_by_a_loop(targets, embeddings, margin=1.0):
    costs = [
        max(0.0, p - n + margin) for p, n in zip(*distances_by_a_loop(embeddings), strict=True)
    ]
    return sum(costs) / len(costs)


def triplet_in_tensorflow(targets, embeddings, margin=1):
    near, far = distances_in_tensorflow(embeddings)
    return tf.reduce_mean(tf.nn.relu(near - far + margin))


def triplet_by_choice(targets, embeddings, margin=1.0):
    near, far = losses.euclidean_distance(embeddings[:, :1], embeddings[:, 1:]).numpy().T
    return np.where(far - near < margin, near - far + margin, 0).sum() / len(near)


def triplet_by_relu(targets, embeddings, margin=1.0):
    distances = losses.euclidean_distance(embeddings[:, 1:], embeddings[:, :1])
    return ops.mean(ops.relu(margin - (distances[:, 1] - distances[:, 0])))


WRONG = [
    (triplet_with(lambda n, f, m: ops.relu(f - n + m)), "swapped: this pulls"),
    (triplet_with(distances=far_and_near), "swapped: this pulls"),
    (triplet_with(lambda n, f, m: ops.relu(n - f - m)), "The sign of the margin"),
    (triplet_with(lambda n, f, m: n - f + m), "`max(0, ...)` is missing"),
    (triplet_with(lambda n, f, m: ops.relu(n - f)), "The margin is missing"),
    (triplet_with(lambda n, f, m: ops.relu(n - f + 1)), "The margin is always 1"),
    (triplet_with(lambda n, f, m: ops.relu(n - f) + m), "Add it inside"),
    (triplet_with(lambda n, f, m: ops.relu(n + f + m)), "A value is off"),
    (triplet_with(lambda n, f, m: ops.softplus(n - f + m)), "A value is off"),
    (triplet_with(lambda n, f, m: ops.minimum(0.0, n - f + m)), "This is `minimum`"),
    (triplet_with(lambda n, f, m: ops.max(n - f + m, 0)), "`ops.max` finds the largest"),
    (triplet_with(lambda n, f, m: ops.relu(n - f + m) ** 2), "The hinge is squared"),
    (triplet_with(lambda n, f, m: ops.relu(n**2 - f**2 + m)), "The distances are squared"),
    (triplet_with(lambda n, f, m: max(0, n - f + m)), "Python's own `max`"),
    (triplet_with(finish=ops.sum), "This is the sum"),
    (triplet_with(finish=lambda costs: costs), "a loss is one number"),
    (triplet_with(finish=lambda costs: -ops.mean(costs)), "A value is off"),
    (triplet_with(finish=ops.max), "`ops.max` finds the largest"),
    (triplet_with(default=0.25), "The default margin must be 1"),
    (triplet_with(default=0.5), "The default margin must be 1"),
    (triplet_with(default=5.0), "The default margin must be 1"),
    (without_default, "missing 1 required positional argument: 'margin'"),
    (no_margin_argument, "unexpected keyword argument 'margin'"),
    (triplet_with(distances=unstacked_triplets), "the second one is the sides"),
    (published_triplet_loss, "the second one is the sides"),
    (triplet_with(distances=triplets_along_the_batch), "A value is off"),
    (hinge_of_the_mean, "The mean comes last"),
    (wrong_ones_only, "The mean is taken over the triplets"),
    (triplet_of_cosines, "A value is off"),
    (lambda t, e, margin=1.0: 0.0, "With targets of 0 your loss is 0"),
    (lambda t, e, margin=1.0: margin, "A value is off: 1"),
    (lambda t, e, margin=1.0: ops.mean(t), "With targets of 0 your loss is 0"),
    (lambda t, e, margin=1.0: e, "expected one number"),
    (lambda t, e, margin=1.0: ops.mean(t * triplet_distances(e)[0]), "With targets of 0"),
]


@pytest.mark.parametrize(("answer", "text"), WRONG)
def test_a_wrong_answer_gets_the_hint_meant_for_it(answer, text):
    result = loss.check(answer)
    assert result.status == "wrong"
    assert text in result.messages[0]


@pytest.mark.parametrize("answer", [triplet_in_numpy, triplet_by_a_loop, triplet_by_choice])
def test_what_no_gradient_comes_through_gets_the_points_of_its_values(answer):
    result = loss.check(answer)
    assert (result.points, result.tags) == (6, ["no_gradient"])
    assert loss.use(answer) == loss.reference[0]


RIGHT = [(triplet_in_tensorflow,), (triplet_by_relu,)]


@pytest.mark.parametrize("answers", RIGHT)
def test_right_answers_in_other_styles_pass(answers):
    result = loss.check(*answers)
    assert result.passed, str(result)
