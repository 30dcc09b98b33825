"""Exercise 3 of notebook 03: the siamese model of sentences."""

import numpy as np

from siamese_course.exercises import observe
from siamese_course.exercises.cases import ROWS_MIXED, same_rows
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
from siamese_course.models.sentences import build_siamese

TOKENS = 30


def _embed(
    table, batch, mask_of=lambda mask, side: mask[:, side], side_of=lambda side, sides: side
):
    """The embeddings of a batch, (batch, sides, dim), with one thing changed."""
    ids, mask = batch["token_ids"], batch["padding_mask"]
    rows = []
    for side in range(ids.shape[1]):
        real = mask_of(mask, side_of(side, ids.shape[1]))[..., None]
        states = table[ids[:, side_of(side, ids.shape[1])]]
        rows.append((states * real).sum(1) / np.maximum(real.sum(1), 1))
    return np.stack(rows, axis=1)


def _reshaped(table, batch):
    """(batch, sides) read as (sides, batch)."""
    right = _embed(table, batch)
    batch_size, sides, dim = right.shape
    return right.reshape(sides, batch_size, dim).transpose(1, 0, 2)


# functions of the encoder's table and a batch
MISTAKES = [
    Mistake(
        lambda table, batch: _embed(table, batch, mask_of=lambda mask, side: mask[:, side] * 0 + 1),
        "The padding mask does not reach the encoder: padding is part of the mean. Pass both `token_ids` and "
        "`padding_mask` of the same side.",
        "mask_ignored",
    ),
    Mistake(
        lambda table, batch: _embed(table, batch, mask_of=lambda mask, side: mask[:, 0]),
        "Every side gets the padding mask of the first one. Ids and mask must be of the same side.",
        "first_mask",
    ),
    Mistake(
        lambda table, batch: _embed(table, batch, side_of=lambda side, sides: 0),
        "Every side is the embedding of the first sentence: the other sides are never read.",
        "first_side_only",
    ),
    Mistake(
        lambda table, batch: _embed(table, batch, side_of=lambda side, sides: sides - 1 - side),
        "The sides come in reverse order.",
        "reversed",
    ),
    Mistake(
        lambda table, batch: _embed(table, batch, side_of=lambda side, sides: min(side, 1)),
        "Only two sides are read. The number of sides is an argument: triplets have three.",
        "two_sides",
    ),
    Mistake(
        _reshaped,
        "Rows and sides are mixed up: the embeddings are in row order, so `reshape` them to (batch, sides, dim), not "
        "(sides, batch, dim).",
        "reshaped",
    ),
    Mistake(
        lambda table, batch: _unit(_embed(table, batch)),
        "The embeddings are scaled to unit length. Return them as they are: the triplet objective needs the lengths.",
        "unit_length",
    ),
]


def _unit(rows):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def _batch(rng, size, sides, length):
    lengths = rng.integers(2, length + 1, (size, sides))
    lengths[0, 0] = length
    mask = (np.arange(length) < lengths[..., None]).astype("int32")
    ids = np.where(mask, rng.integers(3, TOKENS, (size, sides, length)), 1).astype("int32")
    return {"token_ids": ids, "padding_mask": mask}


def _case(sides):
    def case():
        rng = seeded(sides)
        table = rng.normal(size=(TOKENS, 5 if is_hidden() else 4)).astype("float32")
        # another length and another number of rows: a model must take both
        return table, [_batch(rng, 5, sides, 8), _batch(rng, 4, sides, 11)]

    return case


def _test(seen, table, batches):
    got = [as_array(output, "The output") for output in seen["outputs"]]
    right = [_embed(table, batch) for batch in batches]
    for output, expected in zip(got, right, strict=True):
        require_shape(output, expected.shape, _known_shapes(*expected.shape), "The output")
    if not all_close(got, right, atol=1e-4):
        raise _explained(got, right, table, batches)
    ids, mask = batches[0].values()
    for side, reached in enumerate(seen["reached"]):
        if not np.array_equal(reached, np.unique(ids[:, side][mask[:, side] == 1])):
            some = "some of its rows are" if reached else "it is"
            raise Wrong(
                f"Side {side + 1} does not train the encoder as it should: {some} cut off from the gradient. All sides "
                "must train it.",
                "no_gradient",
            )


def _known_shapes(size, sides, dim):
    cosines = (
        "The model returns one value per row. Return the embeddings of all sides: the losses compare them.",
        "compared",
    )
    return {
        (size,): cosines,
        (size, 1): cosines,
        (size, size): (
            "The model returns (batch, batch), every sentence with every other. Return the embeddings of all sides.",
            "whole_batch",
        ),
        (sides, size, dim): (
            "The sides come first, (sides, batch, dim). The batch comes first: stack along axis 1.",
            "first_axis",
        ),
        (size, dim, sides): (
            "The sides are stacked along the last axis, (batch, dim, sides). Stack along axis 1.",
            "last_axis",
        ),
        (size, sides * dim): (
            "The embeddings are concatenated, (batch, sides * dim). Stack them along a new axis 1.",
            "concatenated",
        ),
        (size * sides, dim): (
            "The sides are still one batch, (batch * sides, dim). Give them their own axis: (batch, sides, dim).",
            "flat",
        ),
        (size, 2, dim): (
            "The model has two sides whatever `sides` says. Triplets have three.",
            "two_sides",
        ),
        (size, dim): (
            "The output has shape (batch, dim): one embedding per row. Return that of every side.",
            "one_side",
        ),
    }


def _explained(got, right, table, batches):
    """What is wrong with embeddings: a mistake that explains all batches, or where they differ first."""
    for mistake in MISTAKES:
        if all_close(got, [mistake.answer(table, batch) for batch in batches], atol=1e-4):
            return Wrong(mistake.message, mistake.tag)
    if all(map(same_rows, got, right)):
        return Wrong(ROWS_MIXED, "rows_mixed")
    [first, *_] = (
        pair for pair in zip(got, right, strict=True) if not np.allclose(*pair, 1e-4, 1e-4)
    )
    return Wrong(
        f"The output is not the encoder's embeddings of the sides, stacked as they are. ({difference(*first, 1e-4, 1e-4)}.)",
        "value",
    )


siamese = Exercise(
    name="03.siamese",
    title="Siamese model",
    parts=[
        Part(8, _test, look=observe.sentence_siamese, case=_case(2)),
        Part(4, _test, look=observe.sentence_siamese, case=_case(3)),
    ],
    reference=[build_siamese],
    hints=(
        "One encoder, called once for each side: that is what shared weights are. A side is a slice of both inputs, "
        "the ids and the mask.",
        "An input is `keras.Input((sides, None), dtype='int32', name='token_ids')`, and the same for `padding_mask`. "
        "`token_ids[:, side]` is one side, (batch, length). `ops.stack(..., axis=1)` puts the embeddings together.",
        "`rows = [encoder({name: ids[:, side] for name, ids in inputs.items()}) for side in range(...)]`, then "
        "`keras.Model(inputs, ops.stack(rows, axis=...))`.",
    ),
)
