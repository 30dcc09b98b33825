"""The siamese LSTMs for questions in Trax 1.4.1: the models of ``models.questions`` in Trax's layers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from siamese_course.batching.padding import MIN_WEIGHT, PAD
from siamese_course.batching.tokens import NEIGHBOR_FACTOR, log_importance
from siamese_course.losses import EPSILON
from siamese_course.models.encoder import require_sizes
from siamese_course.runtime.trax_patch import trax
from siamese_course.validation import require_positive

tl = trax.layers
jnp = trax.fastmath.numpy
Layer = Any
"""A Trax layer."""

Array = Any
"""An array of Trax's NumPy."""


def unit_length() -> Layer:
    """Return ``losses.unit_length`` as a layer: it divides every row by its length, (..., dim)."""

    def normalize(rows: Array) -> Array:
        squared = jnp.sum(rows**2, axis=-1, keepdims=True)
        return rows / jnp.sqrt(jnp.maximum(squared, EPSILON**2))

    return tl.Fn("UnitLength", normalize)


def build_classic_encoder(vocabulary_size: int, dim: int = 128) -> Layer:
    """Build the classic question encoder, as ``models.questions.build_classic_encoder`` does.

    Returns:
        A Trax layer (batch, length) int -> (batch, dim).
    """
    require_sizes(vocabulary_size=vocabulary_size, dim=dim)
    return tl.Serial(
        tl.Embedding(vocabulary_size, dim), tl.LSTM(dim), tl.Mean(axis=1), unit_length()
    )


def build_course_encoder(
    vocabulary_size: int,
    dim: int = 128,
    *,
    buckets: int = 0,
    neighbors: int = 0,
    dropout: float = 0.1,
    mode: str = "train",
) -> Layer:
    """Build the course's question encoder, as ``models.questions.build_course_encoder`` describes it.

    Trax's LSTM takes its number of units from its input, so both halves have ``dim`` dimensions. Words
    are dropped if ``mode`` is ``train``, and not if it is ``eval``.

    Returns:
        A Trax layer (batch, length) int -> (batch, 2 dim).
    """
    require_sizes(vocabulary_size=vocabulary_size, dim=dim)

    def table(size: int, stddev: float) -> list[Layer]:
        start = tl.RandomNormalInitializer(stddev=stddev)
        return [
            tl.Embedding(size, dim, kernel_initializer=start),
            tl.Dropout(rate=dropout, shared_axes=[-1], mode=mode),
        ]

    vectors = tl.Serial(table(vocabulary_size, 0.05))
    if neighbors:
        pairs = tl.Serial(_neighbor_ids(neighbors), table(neighbors, 0.025))
    else:
        pairs = tl.Fn("NoPairs", lambda words: jnp.zeros(()))
    importance = tl.Embedding(
        vocabulary_size,
        1,
        kernel_initializer=lambda shape, rng: jnp.array(log_importance(shape[0], buckets)),
    )
    weights = tl.Serial(
        tl.Branch(importance, tl.Fn("Real", lambda words: (words != PAD)[..., None])),
        tl.Fn("Weights", lambda importance, real: jnp.exp(importance) * real),
    )
    half = tl.Serial(tl.Fn("WeightedMean", _weighted_mean), unit_length())
    meaning = tl.Serial(tl.Fn("Add", lambda vectors, pairs: vectors + pairs), half)
    order = tl.Serial(tl.Select([0, 2], n_in=3), tl.Parallel(tl.LSTM(dim), None), half)
    return tl.Serial(
        tl.Branch(vectors, pairs, weights),
        tl.Branch(meaning, order),
        tl.Concatenate(axis=-1),
        unit_length(),
    )


def _neighbor_ids(size: int) -> Layer:
    def ids(words: Array) -> Array:
        before = jnp.concatenate([jnp.full_like(words[:, :1], PAD), words[:, :-1]], axis=1)
        return (before * NEIGHBOR_FACTOR + words) % size

    return tl.Fn("NeighborIds", ids)


def _weighted_mean(values: Array, weights: Array) -> Array:
    return jnp.sum(values * weights, axis=1) / jnp.maximum(jnp.sum(weights, axis=1), MIN_WEIGHT)


def build_siamese(encoder: Layer) -> Layer:
    """Build the siamese model: the same encoder *object* twice, side by side.

    Trax shares weights if the same object occurs again. Two encoders built alike share nothing: their
    weights start apart and stay apart.

    Returns:
        A Trax layer of two inputs (batch, length) and two outputs (batch, dim).
    """
    return tl.Parallel(encoder, encoder)


def cosine_triplet_loss(left: Array, right: Array, margin: float = 0.25) -> Array:
    """Compute ``losses.triplet_loss`` of the two sides: (batch, dim) each -> a scalar.

    Raises:
        ValueError: the batch has a single row, and so no negative.
    """
    similarities = jnp.dot(left, right.T)
    batch = similarities.shape[0]
    if batch == 1:
        raise ValueError("similarities has shape (1, 1); expected (batch, batch), batch >= 2")
    diagonal = jnp.eye(batch)
    positive = jnp.diagonal(similarities)
    hardest = jnp.max(similarities - 2.0 * diagonal, axis=1)
    mean = jnp.sum(similarities * (1.0 - diagonal), axis=1) / (batch - 1)
    return jnp.mean(
        jnp.maximum(0.0, margin - positive + hardest) + jnp.maximum(0.0, margin - positive + mean)
    )


def triplet_loss_layer(margin: float = 0.25) -> Layer:
    """Return ``cosine_triplet_loss`` as a Trax layer of two inputs."""
    require_positive(margin, "margin")
    return tl.Fn("TripletLoss", lambda left, right: cosine_triplet_loss(left, right, margin))


def course_loss_layer(temperature: float) -> Layer:
    """Return a layer of (left, right, same): in-batch softmax loss plus labeled pairs loss."""

    def loss(left: Array, right: Array, same: Array) -> Array:
        logits = jnp.dot(left, right.T) / temperature
        positive = jnp.diagonal(logits)
        forward, backward = (trax.fastmath.logsumexp(logits, axis=axis) for axis in (1, 0))
        per_row = 0.5 * (forward + backward) - positive
        # Scale and threshold of ``losses.labeled_pairs_loss``
        border = 20.0 * (temperature * positive - 0.6)
        duplicate, different = jnp.logaddexp(-border, 0.0), jnp.logaddexp(border, 0.0)
        labeled = _mean_where(same, duplicate) + _mean_where(1.0 - same, different)
        return _mean_where(same, per_row) + 0.5 * labeled

    return tl.Fn("CourseLoss", loss)


def forward_function(encoder: Layer, weights: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Return an encoder with its weights as a compiled function: (batch, length) int -> (batch, dim) array."""
    run = trax.fastmath.jit(lambda ids: encoder.pure_fn(ids, weights, encoder.state, None)[0])
    return lambda ids: np.asarray(run(ids))


def leaves(weights: Any) -> list[np.ndarray]:
    """Return the arrays of a model's weights, in order."""
    import jax

    return [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(weights)]


def with_leaves(encoder: Layer, arrays: Sequence[np.ndarray]) -> Any:
    """Initialize an encoder, and return these arrays in the structure of its weights.

    Raises:
        ValueError: the encoder has another number of arrays.
    """
    import jax

    weights, _ = encoder.init(trax.shapes.ShapeDtype((1, 8), dtype=np.int32))
    return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(weights), arrays)


def _mean_where(weights: Array, values: Array) -> Array:
    return jnp.sum(weights * values) / jnp.maximum(jnp.sum(weights), 1.0)
