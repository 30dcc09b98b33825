"""Exercise 5: right verifiers pass, what is wrong with others is named."""

import keras
import pytest
from keras import layers, ops

from siamese_course.exercises.omniglot_one_shot import verifier
from siamese_course.models.images import build_verifier


def verified(
    combine=lambda a, b: ops.abs(a - b),
    head=lambda: layers.Dense(1, activation="sigmoid"),
    second=lambda encoder: encoder,
    finish=lambda p: p,
):
    """A verifier with one thing changed."""

    def build(encoder):
        left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
        output = head()(combine(encoder(left), second(encoder)(right)))
        return keras.Model([left, right], finish(output))

    return build


def headless(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    return keras.Model([left, right], ops.mean(ops.abs(encoder(left) - encoder(right)), -1, True))


def activated(name):
    return lambda: layers.Dense(1, activation=name)


class Squeezed(layers.Layer):
    """Drops the batch's axis where there is one pair."""

    def call(self, p):
        return p[0] if p.shape[0] == 1 else p


WRONG = [
    (verified(head=lambda: layers.Dense(1)), "no_sigmoid"),
    (verified(lambda a, b: a - b), "signed"),
    (verified(lambda a, b: b - a), "signed"),
    (verified(lambda a, b: ops.square(a - b)), "squared"),
    (verified(lambda a, b: a * b), "product"),
    (verified(lambda a, b: ops.abs(a + b)), "added"),
    (verified(lambda a, b: a), "right_unused"),
    (verified(lambda a, b: b), "left_unused"),
    (verified(head=activated("tanh")), "tanh"),
    (verified(head=activated("relu")), "relu"),
    (verified(finish=lambda p: 1 - p), "reversed"),
    (verified(finish=lambda p: p[:, 0]), "flat"),
    (verified(head=activated("softmax")), "softmax"),
    (verified(lambda a, b: ops.concatenate([a, b], axis=1)), "joined"),
    (verified(lambda a, b: ops.sum(ops.abs(a - b), axis=1, keepdims=True)), "one_number"),
    (verified(head=lambda: layers.Dense(1, use_bias=False)), "head"),
    (verified(head=lambda: layers.Dense(2, activation="softmax")), "head"),
    (verified(lambda a, b: ops.abs(a - ops.stop_gradient(b))), "no_gradient"),
    (verified(second=keras.models.clone_model), "not_shared"),
    (verified(finish=lambda p: Squeezed()(p)), "axis_gone"),
    (headless, "no_head"),
    (lambda encoder: encoder, "inputs"),
]


@pytest.mark.parametrize(("answer", "tag"), WRONG, ids=lambda value: str(value)[:20])
def test_a_wrong_verifier_is_named(answer, tag):
    result = verifier.check(answer)
    assert not result.passed
    assert result.tags == [tag], result.messages


def test_weights_that_are_named_and_the_packages_pass():
    named = verified(head=lambda: layers.Dense(1, activation="sigmoid", name="w"))
    assert verifier.check(named).passed
    assert verifier.check(lambda encoder: build_verifier(encoder, seed=3)).passed
