"""Exercise 4 of notebook 01: the encoder."""

import tempfile

import keras
import numpy as np

from siamese_course.exercises import observe
from siamese_course.exercises.cases import dense_layers, gradient_norms, linear, relu
from siamese_course.exercises.engine import Exercise, Mistake, Part, Wrong, is_hidden, seeded
from siamese_course.models.images import build_encoder, build_siamese


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _softmax(x):
    return np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)


LAST = (
    ("ReLU", relu, "it cuts off every negative coordinate"),
    ("sigmoid", _sigmoid, "it squeezes the plane into the unit square"),
    ("tanh", np.tanh, "it squeezes the plane into a square"),
    ("softmax", _softmax, "an embedding is not a probability"),
)
MISTAKES = [
    Mistake(
        dense_layers(linear, linear, linear),
        "The hidden layers have no activation: without ReLU, three layers can do no more than one.",
        "all_linear",
    ),
    *(
        Mistake(
            dense_layers(relu, relu, activation),
            f"There is a {name} after the last layer: {why}. Leave the last layer linear.",
            f"{name.lower()}_at_end",
        )
        for name, activation, why in LAST
    ),
    Mistake(
        dense_layers(relu, linear, linear), "The second hidden layer has no ReLU.", "second_linear"
    ),
    Mistake(
        dense_layers(linear, relu, linear), "The first hidden layer has no ReLU.", "first_linear"
    ),
    *(
        Mistake(
            dense_layers(activation, activation, linear),
            f"The hidden layers use {name}; expected ReLU.",
            name,
        )
        for name, activation in (("sigmoid", _sigmoid), ("tanh", np.tanh))
    ),
    *(
        Mistake(
            dense_layers(*activations, linear),
            f"The {place} hidden layer uses {name}; expected ReLU.",
            f"{place}_{name}",
        )
        for name, activation in (("sigmoid", _sigmoid), ("tanh", np.tanh))
        for place, activations in (("first", (activation, relu)), ("second", (relu, activation)))
    ),
]


def _case():
    return 5 if is_hidden() else 2, seeded(0).random((16, 784)).astype("float32")


def _test_layers(seen, dim, images):
    if any(np.ptp(kernel) == 0 for kernel in seen["kernels"]):
        raise Wrong(
            "All weights of a layer start with the same value, so its units would stay identical. Leave out the "
            "initializer.",
            "constant_weights",
        )
    if not np.allclose(seen["outputs"], seen["again"], atol=1e-5):
        raise Wrong(
            "The model gives two different results for one image: is there a Dropout layer? Leave it out.",
            "dropout",
        )
    got = np.asarray(seen["outputs"], "float64")
    layers = zip(seen["kernels"], seen["biases"], strict=True)
    weights = [np.asarray(array, "float64") for layer in layers for array in layer]

    def is_made_by(forward):
        return np.allclose(got, forward(images, weights), rtol=1e-3, atol=1e-4)

    if is_made_by(dense_layers(relu, relu, linear)):
        expected = dense_layers(relu, relu, linear)(observe.LARGE * images, weights)
        if not np.allclose(seen["large"], expected, rtol=1e-3, atol=1e-2):
            raise Wrong(
                "For brighter images, the result is not Dense-ReLU, Dense-ReLU, Dense: large values are cut off. Use "
                "plain ReLU, max(0, x).",
                "capped",
            )
        _require_gradients(seen["gradients"], gradient_norms(weights, images))
        return
    for mistake in MISTAKES:
        # a ReLU at the end may hide what else is different
        if is_made_by(mistake.answer) or (mistake.tag == "relu_at_end" and (got == 0).any()):
            raise Wrong(mistake.message, mistake.tag)
    raise Wrong(
        "The layers have the right sizes, but the result is not Dense-ReLU, Dense-ReLU, Dense. Does a hidden layer have another activation? "
        "Is there another layer?",
        "another_layer",
    )


def _require_gradients(found, expected):
    for place, norms in enumerate(zip(found, expected, strict=True)):
        if not np.isclose(*norms, rtol=1e-2):
            raise Wrong(
                f"The weights of layer {place // 2 + 1} do not get their whole gradient, so training would not change "
                "them as it should. Is there a `stop_gradient` after that layer? Leave it out.",
                "no_gradient",
            )


def _test_dim(shapes, dim):
    given, default = map(tuple, shapes)
    if given != (None, dim):
        raise Wrong(
            f"With `dim={dim}`, the output has shape {given}: use the argument `dim` for the last layer.",
            "dim_ignored",
        )
    if default != (None, 2):
        raise Wrong(
            f"Without `dim`, the output has shape {default}: the default is `dim=2`.", "default_dim"
        )


def _test_new(share, _dim):
    if share:
        raise Wrong(
            "Two calls return encoders with the same weights, so training one changes the other. Make new layers in "
            "each call.",
            "shared_layers",
        )


def _ready(answer):
    model = answer()
    build_siamese(model)  # which asks for its inputs
    if answer() is model:
        raise TypeError(
            "every call returns the same model, and the notebook needs a new one each time"
        )
    if model.layers[-2].output.shape[-1] != 1024:
        raise TypeError("the notebook takes the second hidden layer from `layers[-2]`")
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/encoder.keras")
        try:
            keras.saving.load_model(f"{folder}/encoder.keras")
        except (TypeError, ValueError) as error:
            raise TypeError(f"the notebook saves it, and Keras can't load it: {error}") from error


encoder = Exercise(
    name="01.encoder",
    title="Encoder",
    parts=[
        Part(8, _test_layers, look=observe.encoder, case=_case),
        Part(1, _test_dim, look=observe.encoder_shapes, case=lambda: (7 if is_hidden() else 3,)),
        Part(1, _test_new, look=observe.encoders_share, case=lambda: (2,)),
    ],
    reference=[build_encoder],
    ready=_ready,
    hints=(
        "Three dense layers in a row: 784 numbers in, two hidden layers of 1,024 units with ReLU, and `dim` numbers out, "
        "which may take any value.",
        "`keras.Sequential([...])` stacks layers; begin with `keras.Input((784,))`. `keras.layers.Dense(n)` without an "
        "activation is linear.",
        "`keras.Sequential([keras.Input((784,)), keras.layers.Dense(1024, activation='relu'), keras.layers.Dense(..., ...), "
        "keras.layers.Dense(dim)])`.",
    ),
)
