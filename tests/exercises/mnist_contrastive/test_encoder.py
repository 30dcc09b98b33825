"""Exercise 4: right encoders pass, known mistakes are named."""

import keras
import pytest
from keras import layers

from siamese_course.exercises.mnist_contrastive import encoder
from siamese_course.models.images import build_encoder


def dense(units=(1024, 1024), activations=("relu", "relu", None), extra=(), inputs=784, **options):
    """An encoder with one thing changed."""

    def build(dim=2):
        widths = (*units, dim)
        stack = [layers.Dense(w, a, **options) for w, a in zip(widths, activations, strict=True)]
        return keras.Sequential(
            [keras.Input((inputs,)), *stack[:1], *(layer() for layer in extra), *stack[1:]]
        )

    return build


ENCODERS = [
    (dense(activations=(None, None, None)), "all_linear"),
    (dense(activations=("relu", "relu", "relu")), "relu_at_end"),
    (
        dense(
            activations=("relu", "relu", "relu"),  # of which no picture shows a negative coordinate
            kernel_initializer=keras.initializers.RandomUniform(0, 0.1, seed=0),
        ),
        "relu_at_end",
    ),
    (dense(activations=("relu", "relu", "sigmoid")), "sigmoid_at_end"),
    (dense(activations=("relu", "relu", "softmax")), "softmax_at_end"),
    (dense(activations=("relu", "relu", "tanh")), "tanh_at_end"),
    (dense(activations=("relu", None, None)), "second_linear"),
    (dense(activations=("sigmoid", "sigmoid", None)), "sigmoid"),
    (dense(units=(1024,), activations=("relu", None)), "layers"),
    (dense(units=(512, 1024)), "sizes"),
    (dense(inputs=28), "input_shape"),
    (dense(use_bias=False), "no_bias"),
    (dense(extra=[lambda: layers.Dropout(0.5)]), "dropout"),
    (dense(extra=[lambda: layers.BatchNormalization()]), "not_dense"),
    (
        lambda dim=2: keras.Sequential([layers.Dense(1024), layers.Dense(dim)]),
        "no_input",
    ),
    (lambda dim=2: dense()(3), "output_shape"),
    (lambda dim=2: dense()(2), "dim_ignored"),
    (lambda dim=2: 5, "type"),
]


@pytest.mark.parametrize(("answer", "tag"), ENCODERS, ids=[tag for _, tag in ENCODERS])
def test_a_known_mistake_is_named(answer, tag):
    result = encoder.check(answer)
    assert not result.passed
    assert result.tags[0] == tag


def functional(dim=2):
    image = keras.Input((784,))
    x = layers.ReLU()(layers.Dense(1024)(image))
    x = layers.Dense(1024, activation="relu")(x)
    return keras.Model(image, layers.Dense(dim)(x))


def test_a_functional_model_passes():
    result = encoder.check(functional)
    assert result.passed, str(result)


class OwnEncoder(keras.Sequential):
    """What Keras cannot load again: it does not know the class."""

    def __init__(self, dim):
        super().__init__([keras.Input((784,)), *dense()(dim).layers])


def test_an_encoder_that_cannot_be_loaded_again_is_right_and_not_used():
    """The notebook saves it."""

    def own(dim=2):
        return OwnEncoder(dim)

    result = encoder.check(own)
    assert result.passed, str(result)
    assert encoder.use(own) is build_encoder
