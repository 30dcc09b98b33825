"""The siamese LSTMs for questions in Keras 3: on the TensorFlow, JAX and PyTorch backends."""

import keras
import numpy as np
from keras import initializers, layers, ops

from siamese_course.losses import unit_length
from siamese_course.validation import require_between

EPSILON = 1e-9
PAD = 1
NEIGHBOUR_FACTOR = 7919  # a prime; times a vocabulary of 270,000 still an int32


@keras.saving.register_keras_serializable("siamese_course")
class UnitLength(layers.Layer):
    """Divides every row by its length, so that the dot product of two rows is their cosine: (..., dim)."""

    def call(self, inputs):
        return unit_length(inputs)


@keras.saving.register_keras_serializable("siamese_course")
class WeightedMean(layers.Layer):
    """Mean over time: (batch, length, dim) values and (batch, length, 1) weights -> (batch, dim)."""

    def call(self, values, weights):
        total = ops.maximum(ops.sum(weights, axis=1), EPSILON)
        return ops.sum(values * weights, axis=1) / total


def build_classic_encoder(vocabulary_size: int, dim: int = 128, *, seed: int = 0):
    """The classic question encoder: Embedding, LSTM, mean over time, unit length.

    Padding is a word like any other here and takes part in the mean, as in the classic Trax model: an
    embedding depends on how far its batch was padded. Word vectors start as Trax's do. Trax starts the
    bias of all four gates of its LSTM at 1, which makes all embeddings alike at first; Keras, and so this
    encoder, that of the forget gate only.

    Args:
        vocabulary_size: number of ids, unknown and padding included.
        dim: of the word vectors, the LSTM and the embedding.
        seed: of the initial weights.

    Returns:
        A Keras model (batch, length) int -> (batch, dim).

    Raises:
        ValueError: a size below 1.
    """
    _require_sizes(vocabulary_size=vocabulary_size, dim=dim)
    words = keras.Input((None,), dtype="int32", name="words")
    start = initializers.VarianceScaling(1.0, "fan_out", "uniform", seed=seed)
    vectors = layers.Embedding(vocabulary_size, dim, embeddings_initializer=start)(words)
    states = _lstm(dim, seed)(vectors)
    return keras.Model(words, UnitLength()(ops.mean(states, axis=1)))


def build_course_encoder(
    vocabulary_size: int,
    dim: int = 128,
    units: int = 128,
    *,
    buckets: int = 0,
    neighbours: int = 0,
    dropout: float = 0.1,
    seed: int = 0,
):
    """The course's question encoder: what the words are, beside the order they come in.

    One half is a weighted mean of the word vectors, the other the same mean of the LSTM's states; each
    half has unit length, so that both have a say. With ``neighbours``, a vector for each word and the one
    before it is added to the word's own, as in fastText (Joulin et al. 2016): "new york" is more than its
    two words. Every word has a learned weight: "the" says little, a
    name says much. Padding has weight 0, so that an embedding does not depend on its neighbours. In
    training a word is dropped now and then, which keeps the model from leaning on a single one.

    Args:
        vocabulary_size: number of ids, unknown and padding included.
        dim: of the word vectors.
        units: of the LSTM.
        buckets: how many ids at the end of the vocabulary are for unknown words. Their vectors are never
            trained and stay as short as they began; being rare words, they say much: they weigh double.
        neighbours: number of ids that pairs of neighbouring words are hashed to; 0 for none of it.
        dropout: share of words dropped in training.
        seed: of the initial weights.

    Returns:
        A Keras model (batch, length) int -> (batch, dim + units).

    Raises:
        ValueError: a size below 1.
    """
    _require_sizes(vocabulary_size=vocabulary_size, dim=dim, units=units)
    words = keras.Input((None,), dtype="int32", name="words")
    start = initializers.RandomNormal(stddev=0.05, seed=seed)
    vectors = layers.Embedding(vocabulary_size, dim, embeddings_initializer=start)(words)
    vectors = layers.Dropout(dropout, noise_shape=(None, None, 1), seed=seed)(vectors)
    importances = layers.Embedding(vocabulary_size, 1, embeddings_initializer="zeros")
    importance = importances(words)
    real = ops.expand_dims(ops.cast(ops.not_equal(words, PAD), "float32"), -1)
    weights = ops.exp(importance) * real
    states = _lstm(units, seed)(vectors)
    if neighbours:
        small = initializers.RandomNormal(stddev=0.025, seed=seed + 3)
        pairs = layers.Embedding(neighbours, dim, embeddings_initializer=small)
        pair_vectors = pairs(neighbour_ids(words, neighbours))
        vectors += layers.Dropout(dropout, noise_shape=(None, None, 1), seed=seed + 1)(pair_vectors)
    halves = [UnitLength()(WeightedMean()(values, weights)) for values in (vectors, states)]
    importances.set_weights([log_importance(vocabulary_size, buckets)])
    return keras.Model(words, UnitLength()(ops.concatenate(halves, axis=-1)))


def log_importance(vocabulary_size: int, buckets: int) -> np.ndarray:
    """Where the words' weights start, as logarithms: 0, and log 2 for unknown words; (vocabulary_size, 1)."""
    start = np.zeros((vocabulary_size, 1), "float32")
    start[vocabulary_size - buckets :] = np.log(2.0)
    return start


def neighbour_ids(words, size: int):
    """An id below ``size`` for each word and the one before it, padding before the first: (batch, length)."""
    before = ops.concatenate([ops.full_like(words[:, :1], PAD), words[:, :-1]], axis=1)
    return ops.mod(before * NEIGHBOUR_FACTOR + words, size)


def build_siamese(encoder):
    """The siamese model: one encoder for both sides.

    Args:
        encoder: a model (batch, length) -> (batch, dim).

    Returns:
        A model of two inputs (batch, length) and one output (batch, 2, dim).
    """
    left = keras.Input((None,), dtype="int32", name="left")
    right = keras.Input((None,), dtype="int32", name="right")
    # Not in one go as one batch of twice the rows: an LSTM takes its steps one after the other, and two
    # of them keep two cores busy.
    return keras.Model([left, right], ops.stack([encoder(left), encoder(right)], axis=1))


def _lstm(units: int, seed: int):
    return layers.LSTM(
        units,
        return_sequences=True,
        kernel_initializer=initializers.GlorotUniform(seed=seed + 1),
        recurrent_initializer=initializers.GlorotUniform(seed=seed + 2),
    )


def _require_sizes(**sizes: int) -> None:
    for name, value in sizes.items():
        require_between(value, name, 1, float("inf"))
