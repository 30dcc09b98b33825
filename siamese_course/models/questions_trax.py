"""The siamese LSTMs for questions in Trax 1.4.1: the models of ``quora_keras`` in Trax's own layers."""

import numpy as np

from siamese_course.losses import EPSILON as LENGTH_EPSILON
from siamese_course.models.questions import NEIGHBOUR_FACTOR, log_importance
from siamese_course.models.trax_patch import trax
from siamese_course.validation import require_between, require_margin

tl = trax.layers
jnp = trax.fastmath.numpy
EPSILON = 1e-9
PAD = 1


def unit_length():
    """A layer that divides every row by its length: (..., dim) -> (..., dim)."""

    def normalize(rows):
        squared = jnp.sum(rows**2, axis=-1, keepdims=True)
        return rows / jnp.sqrt(jnp.maximum(squared, LENGTH_EPSILON**2))

    return tl.Fn("UnitLength", normalize)


def build_classic_encoder(vocabulary_size: int, dim: int = 128):
    """The classic question encoder: Embedding, LSTM, mean over time, unit length.

    Args:
        vocabulary_size: number of ids, unknown and padding included.
        dim: of the word vectors, the LSTM and the embedding.

    Returns:
        A Trax layer (batch, length) int -> (batch, dim).

    Raises:
        ValueError: a size below 1.
    """
    _require_sizes(vocabulary_size=vocabulary_size, dim=dim)
    return tl.Serial(
        tl.Embedding(vocabulary_size, dim), tl.LSTM(dim), tl.Mean(axis=1), unit_length()
    )


def build_course_encoder(
    vocabulary_size: int,
    dim: int = 128,
    *,
    buckets: int = 0,
    neighbours: int = 0,
    dropout: float = 0.1,
    mode: str = "train",
):
    """The course's question encoder, as ``quora_keras.build_course_encoder`` describes it.

    Trax's LSTM takes its number of units from its input, so both halves have ``dim`` dimensions.

    Args:
        vocabulary_size: number of ids, unknown and padding included.
        dim: of the word vectors and the LSTM.
        buckets: how many ids at the end are for unknown words.
        neighbours: number of ids that pairs of neighbouring words are hashed to; 0 for none of it.
        dropout: share of words dropped where ``mode`` is ``train``.
        mode: ``train`` or ``eval``.

    Returns:
        A Trax layer (batch, length) int -> (batch, 2 dim).

    Raises:
        ValueError: a size below 1.
    """
    _require_sizes(vocabulary_size=vocabulary_size, dim=dim)

    def table(size, stddev):
        start = tl.RandomNormalInitializer(stddev=stddev)
        return [
            tl.Embedding(size, dim, kernel_initializer=start),
            tl.Dropout(rate=dropout, shared_axes=[-1], mode=mode),
        ]

    vectors = tl.Serial(table(vocabulary_size, 0.05))
    if neighbours:
        pairs = tl.Serial(_neighbour_ids(neighbours), table(neighbours, 0.025))
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


def _neighbour_ids(size):
    def ids(words):
        before = jnp.concatenate([jnp.full_like(words[:, :1], PAD), words[:, :-1]], axis=1)
        return (before * NEIGHBOUR_FACTOR + words) % size

    return tl.Fn("NeighbourIds", ids)


def _weighted_mean(values, weights):
    return jnp.sum(values * weights, axis=1) / jnp.maximum(jnp.sum(weights, axis=1), EPSILON)


def build_siamese(encoder):
    """The siamese model: the same encoder *object* twice, side by side.

    Trax shares weights where it meets the same object again. Two encoders that are built alike share
    nothing: their weights start apart and stay apart.

    Args:
        encoder: a Trax layer (batch, length) -> (batch, dim).

    Returns:
        A Trax layer of two inputs (batch, length) and two outputs (batch, dim).
    """
    return tl.Parallel(encoder, encoder)


def triplet_loss(left, right, margin=0.25):
    """``losses.triplet_loss`` in Trax's NumPy, of the two sides: (batch, dim) twice -> a scalar.

    Raises:
        ValueError: a batch of one row, which leaves no negative.
    """
    similarities = jnp.dot(left, right.T)
    batch = similarities.shape[0]
    if batch == 1:
        raise ValueError("similarities has shape (1, 1); expected (batch, batch), batch >= 2")
    diagonal = jnp.eye(batch)
    positive = jnp.diagonal(similarities)
    closest = jnp.max(similarities - 2.0 * diagonal, axis=1)
    mean = jnp.sum(similarities * (1.0 - diagonal), axis=1) / (batch - 1)
    return jnp.mean(
        jnp.maximum(0.0, margin - positive + closest) + jnp.maximum(0.0, margin - positive + mean)
    )


def triplet_loss_layer(margin: float = 0.25):
    """The triplet loss as a Trax layer of two inputs, the two embeddings.

    Raises:
        ValueError: the margin is not a positive number.
    """
    require_margin(margin)
    return tl.Fn("TripletLoss", lambda left, right: triplet_loss(left, right, margin))


def course_loss_layer(temperature: float, scale: float = 20.0, threshold: float = 0.6):
    """``losses.in_batch_softmax_loss`` and ``losses.labeled_pairs_loss`` added, of (left, right, same)."""

    def loss(left, right, same):
        logits = jnp.dot(left, right.T) / temperature
        positive = jnp.diagonal(logits)
        per_row = 0.5 * (_logsumexp(logits, 1) + _logsumexp(logits, 0)) - positive
        border = scale * (temperature * positive - threshold)
        duplicate = _softplus(-border)
        different = _softplus(border)
        labelled = _mean_where(same, duplicate) + _mean_where(1.0 - same, different)
        return _mean_where(same, per_row) + 0.5 * labelled

    return tl.Fn("CourseLoss", loss)


def forward_function(encoder, weights):
    """The encoder as a plain function, compiled: (batch, length) int -> (batch, dim) NumPy array.

    Args:
        encoder: a Trax layer whose input signature is known (one that was trained, or initialised).
        weights: its weights.
    """
    run = trax.fastmath.jit(lambda ids: encoder.pure_fn(ids, weights, encoder.state, None)[0])
    return lambda ids: np.asarray(run(ids))


def leaves(weights) -> list[np.ndarray]:
    """The arrays of a model's weights, in order."""
    import jax

    return [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(weights)]


def with_leaves(encoder, arrays):
    """Initialise an encoder, and return weights of its structure with these arrays in.

    Raises:
        ValueError: the arrays are not as many as the encoder has.
    """
    import jax

    weights, _ = encoder.init(trax.shapes.ShapeDtype((1, 8), dtype=np.int32))
    return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(weights), arrays)


def _logsumexp(values, axis):
    top = jnp.max(values, axis=axis, keepdims=True)
    return jnp.squeeze(top, axis) + jnp.log(jnp.sum(jnp.exp(values - top), axis=axis))


def _softplus(values):
    return jnp.logaddexp(values, 0.0)


def _mean_where(weights, values):
    return jnp.sum(weights * values) / jnp.maximum(jnp.sum(weights), 1.0)


def _require_sizes(**sizes: int) -> None:
    for name, value in sizes.items():
        require_between(value, name, 1, float("inf"))
