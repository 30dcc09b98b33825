"""The siamese LSTM for questions in Trax 1.4.1: the same model and loss as in Keras, in Trax's own layers."""

from functools import partial

from siamese_course.models.trax_patch import trax
from siamese_course.validation import require_between, require_margin

tl = trax.layers
jnp = trax.fastmath.numpy
EPSILON = 1e-12


def unit_length():
    """A layer that divides every row by its length: (..., dim) -> (..., dim)."""

    def normalize(rows):
        return rows / jnp.sqrt(jnp.sum(rows**2, axis=-1, keepdims=True) + EPSILON)

    return tl.Fn("UnitLength", normalize)


def build_classic_encoder(vocabulary_size: int, dim: int = 128):
    """The classic question encoder: Embedding, LSTM, mean over time, unit length.

    Args:
        vocabulary_size: number of ids, unknown and padding included.
        dim: of the word vectors, the LSTM and the embedding.

    Returns:
        A Trax layer (batch, length) int -> (batch, dim).
    """
    for name, value in {"vocabulary_size": vocabulary_size, "dim": dim}.items():
        require_between(value, name, 1, float("inf"))
    return tl.Serial(
        tl.Embedding(vocabulary_size, dim), tl.LSTM(dim), tl.Mean(axis=1), unit_length()
    )


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


def similarity_loss(left, right, margin):
    """The formula of ``losses.triplet_loss``, in Trax's NumPy: (batch, dim) twice -> a scalar."""
    similarities = jnp.dot(left, right.T)
    batch = similarities.shape[0]
    positive = jnp.diagonal(similarities)
    diagonal = jnp.eye(batch)
    closest = jnp.max(similarities - 2.0 * diagonal, axis=1)
    mean = jnp.sum(similarities * (1.0 - diagonal), axis=1) / (batch - 1)
    return jnp.mean(
        jnp.maximum(0.0, margin - positive + closest) + jnp.maximum(0.0, margin - positive + mean)
    )


def triplet_loss_layer(margin: float = 0.25):
    """``losses.triplet_loss`` as a Trax layer of two inputs, the two embeddings.

    Raises:
        ValueError: the margin is not a positive number.
    """
    require_margin(margin)
    return tl.Fn("TripletLoss", partial(similarity_loss, margin=margin))
