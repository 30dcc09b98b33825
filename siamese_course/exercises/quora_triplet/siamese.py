"""Exercise 6 of notebook 02: the siamese model in Trax."""

from functools import partial

import jax
import numpy as np

from siamese_course.batching.padding import PAD
from siamese_course.exercises import observe
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
from siamese_course.models import questions_trax as models
from siamese_course.runtime.trax_patch import trax

tl, jnp = trax.layers, trax.fastmath.numpy
WORDS, DIM = 50, 8


def build_siamese(vocabulary_size, dim=128):
    """One classic encoder, twice."""
    return models.build_siamese(models.build_classic_encoder(vocabulary_size, dim))


def _mean(states):
    return jnp.mean(states, axis=1)


def _unit(vectors):
    return models.unit_length()(vectors)


# what an encoder makes of the LSTM's states, (batch, length, dim) -> (batch, dim)
MISTAKES = [
    Mistake(
        _mean,
        "The embeddings do not have unit length: the last layer, the normalization, is missing.",
        "not_normalized",
    ),
    Mistake(
        lambda states: _unit(states[:, -1]),
        "This takes the last state of the LSTM. Take the mean of all states, `tl.Mean(axis=1)`.",
        "last_state",
    ),
    Mistake(
        lambda states: _unit(jnp.max(states, axis=1)),
        "This takes the maximum over time. Take the mean, `tl.Mean(axis=1)`.",
        "max",
    ),
    Mistake(
        lambda states: jnp.sum(states, axis=1),
        "The states are summed over time. Take their mean, `tl.Mean(axis=1)`, and normalize it.",
        "sum",
    ),
    Mistake(
        lambda states: _mean(_unit(states)),
        "Every state is normalized before the mean is taken, so the mean is shorter than 1. Take the mean first.",
        "normalized_first",
    ),
    Mistake(
        lambda states: (m := _mean(states)) / jnp.linalg.norm(m, axis=0, keepdims=True),
        "The normalization runs over the batch (axis 0): an embedding would depend on its neighbors. Use the last axis.",
        "normalized_over_batch",
    ),
    Mistake(
        lambda states: (m := _mean(states)) / jnp.linalg.norm(m),
        "The whole batch is divided by one number. Every embedding has its own length: `axis=-1, keepdims=True`.",
        "one_length",
    ),
    Mistake(
        lambda states: (m := _mean(states)) / jnp.sum(m**2, axis=-1, keepdims=True),
        "The embeddings are divided by their squared length: the square root is missing.",
        "no_root",
    ),
]


def _case():
    words, dim, batch, length = (70, 6, 4, 9) if is_hidden() else (WORDS, DIM, 5, 6)
    rng = seeded(0)
    questions = rng.integers(2, words, (2, batch, length))
    questions[:, 0, -2:], questions[:, 1, 1] = PAD, 0  # padding and an unknown word
    weights = [rng.normal(0, 0.5, shape).astype("float32") for shape in _shapes(words, dim)]
    return words, dim, *questions, weights


def _shapes(words, dim):
    """The shapes of the weights of the Embedding, and of the LSTM's kernel and bias."""
    return [(words, dim), (2 * dim, 4 * dim), (4 * dim,)]


def _test(seen, words, dim, left, right, weights):
    batch, length = left.shape
    _require_layers(seen["shapes"], words, dim)
    known = {
        (batch, length, dim): (
            "Every word still has a vector of its own: `tl.Mean(axis=1)` is missing.",
            "no_mean",
        ),
        (batch, length): (
            "The mean runs over the dimensions. Axis 1 is time: `tl.Mean(axis=1)`.",
            "mean_over_dim",
        ),
        (length, dim): (
            "The mean runs over the batch. Axis 1 is time: `tl.Mean(axis=1)`.",
            "mean_over_batch",
        ),
    }
    outputs = [as_array(output, "An embedding") for output in seen["outputs"]]
    for output in outputs:
        require_shape(output, (batch, dim), known, "An embedding")
    changes = _require_formula(weights, words, dim, (left, right), outputs)
    for side, found, wanted in zip(("left", "right"), seen["changes"], changes, strict=True):
        expected = dict(zip(_shapes(words, dim), wanted, strict=True))
        for shape, change in zip(map(tuple, seen["shapes"]), found, strict=True):
            if not np.any(change):
                layer = "Embedding" if shape == (words, dim) else "LSTM"
                raise Wrong(
                    f"The {side} side does not train the {layer}: no gradient flows back to it. Both sides must train "
                    "both layers: leave out `stop_gradient`.",
                    "no_gradient",
                )
            most = np.abs(expected[shape]).max()
            if not np.allclose(change, expected[shape], rtol=1e-2, atol=1e-2 * most):
                raise Wrong(
                    "The embeddings are right, but not their gradient: a part of it is cut off, in the normalization "
                    "perhaps, or not finite. Leave out `stop_gradient`, and don't convert to NumPy.",
                    "part_of_gradient",
                )
    for output, alone in zip(outputs, seen["alone"], strict=True):
        alone = as_array(alone, "The embedding of one question")
        require_shape(alone, (1, dim), what="The embedding of one question")
        if not np.allclose(alone, output[:1], atol=1e-4):
            raise Wrong(
                "A question gets a different embedding alone than in a batch: does an operation run over the batch "
                "axis?",
                "alone",
            )
    if (words + 1, 128) not in map(tuple, seen["default"]):
        raise Wrong(
            f"For {words + 1} words, and without `dim`, the weights have shapes {seen['default']}; expected an embedding "
            f"({words + 1}, 128): use `vocabulary_size`, and keep the default, `dim=128`.",
            "default_dim",
        )


def _require_layers(shapes, words, dim):
    shapes, wanted = sorted(shapes), sorted(_shapes(words, dim))
    if shapes == wanted:
        return
    if len(shapes) == 2 * len(wanted):
        raise Wrong(
            "The two sides do not share their weights: the same question gets two embeddings. Build *one* encoder, and "
            "pass the same object to `tl.Parallel` twice.",
            "not_shared",
        )
    tables = [shape for shape in shapes if len(shape) == 2 and words in shape]
    if tables and (words, dim) not in shapes:
        raise Wrong(
            f"The embedding must be (vocabulary_size, dim) = ({words}, {dim}): use both arguments.",
            "embedding_size",
        )
    if len(shapes) == 1:
        raise Wrong("There is an embedding but no LSTM: word order would not matter.", "no_lstm")
    if not tables:
        raise Wrong(
            f"No weights have shape ({words}, {dim}): does `tl.Embedding` get `vocabulary_size` and `dim`?",
            "no_embedding",
        )
    raise Wrong(
        "The weights are not those of one Embedding and one LSTM: "
        f"{', '.join(map(str, shapes))}; expected {', '.join(map(str, wanted))}.",
        "layers",
    )


def _require_formula(weights, words, dim, questions, got):
    """Return how the right embeddings of each side change with each weight."""
    lstm, rows = tl.Serial(tl.Embedding(words, dim), tl.LSTM(dim)), np.concatenate(questions)
    given = models.with_leaves(lstm, weights)

    def embedded(weights):
        states = lstm.pure_fn(rows, weights, lstm.state, lstm.rng)[0]
        return _unit(_mean(states)), states

    with observe.compiled_quickly():
        compute = jax.jit(partial(observe.changes_by_weight, embedded))
        changes, states = compute(given)
    sides = jnp.split(states, 2)

    def is_made_by(formula):
        return all_close(got, [np.asarray(formula(side)) for side in sides], 1e-4, 1e-5)

    if is_made_by(lambda states: _unit(_mean(states))):
        return np.split(np.asarray(changes), 2, axis=1)
    for mistake in MISTAKES:
        if is_made_by(mistake.answer):
            raise Wrong(mistake.message, mistake.tag)
    expected = [np.asarray(_unit(_mean(states)), "float64") for states in sides]
    if all_close(got, expected, 1e-2, 1e-3):
        raise Wrong(
            "The result is right to about three digits only. Is something rounded, or computed in float16?",
            "rounded",
        )
    found, wanted = (np.asarray(each[0][0, :4], "float64") for each in (got, expected))
    found, wanted = (np.round(each, 4).tolist() for each in (found, wanted))
    raise Wrong(
        "The layers are there, but the result is not Embedding, LSTM, mean over time, unit length, in this order: the "
        f"first embedding begins with {found}; expected {wanted}.",
        "value",
    )


def _ready(answer):
    model = answer(WORDS, DIM)
    if not isinstance(model, tl.Parallel) or len(model.sublayers) != 2:
        raise TypeError("the notebook takes the encoder out of `tl.Parallel(encoder, encoder)`")


siamese = Exercise(
    name="02.siamese",
    title="Siamese model in Trax",
    parts=[Part(8, _test, look=observe.trax_siamese, case=_case)],
    reference=[build_siamese],
    ready=_ready,
    hints=(
        "Put the encoder's four layers in a row, then put that one encoder next to itself: the same object twice.",
        "`tl.Serial(...)` puts layers in a row, `tl.Parallel(a, b)` side by side. The layers are `tl.Embedding`, "
        "`tl.LSTM`, `tl.Mean(axis=1)`, and `tl.Fn('Normalize', normalize)`.",
        "`encoder = tl.Serial(tl.Embedding(vocabulary_size, dim), tl.LSTM(...), tl.Mean(axis=...), tl.Fn(...))`, "
        "`return tl.Parallel(..., ...)`.",
    ),
)
