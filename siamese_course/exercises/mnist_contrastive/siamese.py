"""Exercise 5 of notebook 01: the siamese model."""

import numpy as np

from siamese_course.exercises import observe
from siamese_course.exercises.cases import (
    ROWS_MIXED,
    dense_layers,
    gradient_norms,
    linear,
    relu,
    same_rows,
)
from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Wrong,
    all_close,
    as_array,
    is_hidden,
    require_shape,
    seeded,
)
from siamese_course.models.images import build_siamese

# functions of the two sides' embeddings
MISTAKES = [
    Mistake(
        lambda left, right: np.stack([left, left], axis=1),
        "Both sides are the left image's embedding: the other input is never used.",
        "left_twice",
    ),
    Mistake(
        lambda left, right: np.stack([right, right], axis=1),
        "Both sides are the right image's embedding: the other input is never used.",
        "right_twice",
    ),
    Mistake(
        lambda left, right: np.stack([right, left], axis=1),
        "Left and right are swapped in the output.",
        "swapped",
    ),
]


def _case():
    rng = seeded(1)
    widths = ((784, 32), (32, 32), (32, 4 if is_hidden() else 3))
    weights = [
        array
        for ins, outs in widths
        for array in (3 * rng.normal(size=(ins, outs)) / np.sqrt(ins), rng.normal(size=outs))
    ]
    return [w.astype("float32") for w in weights], *rng.random((2, 5, 784)).astype("float32")


def _test(seen, weights, left, right):
    got, dim, batch = as_array(seen["output"], "The output"), len(weights[-1]), len(left)
    distances = (
        "The model returns distances. Return both embeddings, so that the loss can use them.",
        "distances",
    )
    known = {
        (batch,): distances,
        (batch, 1): distances,
        (batch, 2 * dim): (
            "The embeddings are concatenated to (batch, 2 dim). Stack them along a new axis 1: (batch, 2, dim).",
            "concatenated",
        ),
        (2, batch, dim): (
            "The embeddings are stacked along axis 0, to (2, batch, dim). The batch comes first: use axis=1.",
            "first_axis",
        ),
        (batch, dim, 2): (
            "The embeddings are stacked along the last axis, to (batch, dim, 2). Use axis=1.",
            "last_axis",
        ),
    }
    require_shape(got, (batch, 2, dim), known, "The output")
    sides = [dense_layers(relu, relu, linear)(side, weights) for side in (left, right)]
    if not all_close([got], [np.stack(sides, axis=1)], atol=1e-4):
        for mistake in MISTAKES:
            if all_close([got], [mistake.answer(*sides)], atol=1e-4):
                raise Wrong(mistake.message, mistake.tag)
        if same_rows(got, np.stack(sides, axis=1)):
            raise Wrong(ROWS_MIXED, "rows_mixed")
        raise Wrong(
            "The output is not the encoder's embeddings. Stack them as they are: no other layer, no activation.",
            "changed",
        )
    require_shape(as_array(seen["alone"]), (1, 2, dim), None, "For one pair, the output")
    for name, side, found in zip(("left", "right"), (left, right), seen["gradients"], strict=True):
        if not np.allclose(found, gradient_norms(weights, side), rtol=1e-2):
            some = "some of its layers or rows are" if any(found) else "it is"
            raise Wrong(
                f"The {name} side does not train the encoder as it should: {some} cut off from the gradient. Both sides "
                "must train all of it.",
                "no_gradient",
            )
    if not seen["whole"]:
        raise Wrong(*observe.LAYER_BY_LAYER)


siamese = Exercise(
    name="01.siamese",
    title="Siamese model",
    parts=[Part(15, _test, look=observe.siamese, case=_case)],
    reference=[build_siamese],
    hints=(
        "There is one encoder, and it is called twice. So both sides have the same weights, and what one side "
        "learns, the other learns, too.",
        "Make two `keras.Input`s of shape (784,), or better `encoder.input_shape[1:]`. You can call a model like a "
        "function, as often as you like, and always with the same weights.",
        "`keras.Model([left, right], ops.stack([encoder(left), ...], axis=...))`.",
    ),
)
