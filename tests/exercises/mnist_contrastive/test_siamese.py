"""Exercise 5: right siamese models pass, known mistakes are named."""

import keras
import pytest
from keras import layers, ops

from siamese_course import losses
from siamese_course.exercises.mnist_contrastive import siamese
from siamese_course.models.images import build_encoder


def two_inputs():
    return keras.Input((784,)), keras.Input((784,))


def twins(combine, second=None, first=None):
    """A siamese model with one thing changed."""

    def build(encoder):
        left, right = two_inputs()
        one, two = (first or (lambda e: e))(encoder), (second or (lambda e: e))(encoder)
        return keras.Model([left, right], combine(one(left), two(right)))

    return build


def stacked(a, b):
    return ops.stack([a, b], axis=1)


def fresh(encoder):
    return build_encoder(dim=3, units=8, seed=9)


def left_only(encoder):
    left, right = two_inputs()
    return keras.Model([left, right], stacked(encoder(left), encoder(left)))


class Squeezed(layers.Layer):
    """Stacks two embeddings, and drops the batch's axis where there is one pair."""

    def call(self, a, b):
        return stacked(a, b)[0] if a.shape[0] == 1 else stacked(a, b)


SIAMESE = [
    (twins(stacked, second=fresh), "not_shared"),
    (twins(stacked, second=keras.models.clone_model), "not_shared"),
    (twins(stacked, first=fresh, second=fresh), "other_encoder"),
    (left_only, "left_twice"),
    (twins(lambda a, b: stacked(b, a)), "swapped"),
    (twins(lambda a, b: ops.concatenate([a, b], axis=1)), "concatenated"),
    (twins(lambda a, b: ops.stack([a, b], axis=0)), "first_axis"),
    (twins(lambda a, b: ops.stack([a, b], axis=-1)), "last_axis"),
    (twins(lambda a, b: losses.euclidean_distance(a, b)), "distances"),
    (twins(lambda a, b: [a, b]), "outputs"),
    (lambda encoder: encoder, "inputs"),
    (twins(lambda a, b: ops.relu(stacked(a, b))), "changed"),
    (twins(lambda a, b: Squeezed()(a, b)), "squeezed"),
]


def refused_by_keras(answer) -> bool:
    """Whether this Keras refuses the model, as 3.10 does where an input leads to no output."""
    try:
        answer(build_encoder())
    except ValueError as error:
        return "not connected to" in str(error)
    return False


@pytest.mark.parametrize(("answer", "tag"), SIAMESE, ids=[tag for _, tag in SIAMESE])
def test_a_known_mistake_is_named(answer, tag):
    result = siamese.check(answer)
    assert repr(result) == "0"
    assert result.tags == ["one_input" if refused_by_keras(answer) else tag]


def by_concatenation(encoder):
    left, right = two_inputs()
    sides = [layers.Reshape((1, encoder.output_shape[-1]))(encoder(side)) for side in (left, right)]
    return keras.Model([left, right], layers.Concatenate(axis=1)(sides))


def test_concatenating_along_a_new_axis_passes():
    result = siamese.check(by_concatenation)
    assert result.passed, str(result)
