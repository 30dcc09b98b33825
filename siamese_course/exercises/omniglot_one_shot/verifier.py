"""Exercise 5 of notebook 04: a verifier with a learned L1 distance."""

import numpy as np
from keras import ops

from siamese_course.exercises import observe
from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Wrong,
    all_close,
    as_array,
    difference,
    is_hidden,
    require_shape,
    seeded,
)
from siamese_course.models.images import build_verifier


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _head(compare=lambda a, b: np.abs(a - b), finish=_sigmoid):
    """What a head returns: (left, right, kernel, bias) -> (batch, 1)."""
    return lambda left, right, kernel, bias: finish(compare(left, right) @ kernel + bias)


MISTAKES = [
    Mistake(
        _head(finish=lambda x: x),
        "The sigmoid is missing: the output is a probability, from 0 to 1.",
        "no_sigmoid",
    ),
    Mistake(
        _head(lambda a, b: a - b),
        "The differences keep their signs, so swapping the two images changes the answer. Take the absolute value.",
        "signed",
    ),
    Mistake(
        _head(lambda a, b: b - a),
        "The differences keep their signs, so swapping the two images changes the answer. Take the absolute value.",
        "signed",
    ),
    Mistake(
        _head(lambda a, b: (a - b) ** 2),
        "The differences are squared. Koch's head takes their absolute values, an L1 distance.",
        "squared",
    ),
    Mistake(
        _head(lambda a, b: a * b),
        "The embeddings are multiplied. Compare them by |left - right|.",
        "product",
    ),
    Mistake(
        _head(lambda a, b: np.abs(a + b)),
        "The embeddings are added. Compare them by |left - right|.",
        "added",
    ),
    Mistake(_head(lambda a, b: a), "The right embedding is not used.", "right_unused"),
    Mistake(_head(lambda a, b: b), "The left embedding is not used.", "left_unused"),
    Mistake(
        _head(finish=np.tanh),
        "The output goes through tanh, from -1 to 1. A probability is from 0 to 1: `sigmoid`.",
        "tanh",
    ),
    Mistake(
        _head(finish=lambda x: np.maximum(x, 0)),
        "The output goes through ReLU. A probability is from 0 to 1: `sigmoid`.",
        "relu",
    ),
    Mistake(
        _head(finish=lambda x: np.ones_like(x)),
        "The softmax of one number is always 1. Use `sigmoid`.",
        "softmax",
    ),
    Mistake(
        _head(finish=lambda x: 1 - _sigmoid(x)),
        "This is the probability that they are *different*. Leave the sigmoid as it is: 1 means the same.",
        "reversed",
    ),
]


def _case():
    rng = seeded(3)
    dim, rows, side = (6, 7, 4) if is_hidden() else (5, 6, 3)
    pixels = side * side
    weights = [
        rng.normal(size=(pixels, dim)) / np.sqrt(pixels),
        rng.normal(size=dim),
        rng.normal(size=(dim, 1)),
        rng.normal(size=1),
    ]
    left, right = rng.normal(size=(2, rows, side, side, 1)).astype("float32")
    return [each.astype("float32") for each in weights], left, right


def _embedded(weights, *sides):
    return [side.reshape(len(side), -1) @ weights[0] + weights[1] for side in sides]


def _test(seen, weights, left, right):
    got = as_array(seen["output"], "The output")
    known = {
        (len(left),): (
            "The output has shape (batch,); expected (batch, 1), as `Dense(1)` returns it.",
            "flat",
        ),
        (len(left), 2, len(weights[1])): (
            "The output is the two embeddings. Return one probability for each pair.",
            "embeddings",
        ),
    }
    require_shape(got, (len(left), 1), known, "The output")
    sides = _embedded(weights, left, right)
    expected = _head()(*sides, *weights[2:])
    if all_close([got], [expected]):
        if not seen["whole"]:
            raise Wrong(*observe.LAYER_BY_LAYER)
        require_shape(as_array(seen["alone"]), (1, 1), None, "For one pair, the output")
        return
    for mistake in MISTAKES:
        if all_close([got], [mistake.answer(*sides, *weights[2:])]):
            raise Wrong(mistake.message, mistake.tag)
    raise Wrong(
        f"The output is not sigmoid(sum w |a - b| + bias). {difference(got, expected)}.", "value"
    )


def _probability(weights):
    def probability(left, right):
        a, b = (
            ops.matmul(ops.reshape(side, (side.shape[0], -1)), weights[0]) + weights[1]
            for side in (left, right)
        )
        return ops.sigmoid(ops.matmul(ops.abs(a - b), weights[2]) + weights[3])

    return probability


def _test_gradient(seen, weights, left, right):
    sides = [ops.convert_to_tensor(side) for side in (left, right)]
    [expected] = observe.gradients(_probability(weights), [(sides, {})], (0, 1), "keras")
    for name, got, wanted in zip(("left", "right"), seen["gradients"], expected, strict=True):
        if got is None or not np.allclose(got, wanted, rtol=1e-2, atol=1e-4):
            raise Wrong(
                f"The gradient of the {name} image is cut off: is there a `stop_gradient`? If it's around the "
                "embedding, the image does not train the encoder.",
                "no_gradient",
            )
    if not all(np.isfinite(each).all() for each in seen["equal"]):
        raise Wrong(
            "For two equal images the gradient is NaN, and one such pair turns every weight into NaN: the root of a "
            "square has no gradient at 0. Use `ops.abs`.",
            "root_of_square",
        )


verifier = Exercise(
    name="04.verifier",
    title="Verification",
    parts=[
        Part(9, _test, look=observe.verifier, case=_case),
        Part(3, _test_gradient, look=observe.verifier, case=_case, last=True),
    ],
    reference=[build_verifier],
    hints=(
        "One encoder for both images, as in notebook 01. How far apart are the embeddings in each dimension? A "
        "dense layer with one unit weighs the dimensions, and a sigmoid turns the sum into a probability.",
        "Two `keras.Input(encoder.input_shape[1:])`, and the same `encoder` called on both. `ops.abs(a - b)` works on them. "
        "`keras.layers.Dense(1, activation='sigmoid')` is the weighted sum, the bias and the sigmoid in one.",
        "`keras.Model([left, right], keras.layers.Dense(..., activation=...)(ops.abs(encoder(left) - ...)))`.",
    ),
)
