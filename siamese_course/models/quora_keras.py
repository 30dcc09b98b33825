"""The siamese LSTM for questions in Keras 3: on the TensorFlow, JAX and PyTorch backends."""

import keras
from keras import layers, ops

from siamese_course.validation import require_between

EPSILON = 1e-12


@keras.saving.register_keras_serializable("siamese_course")
class UnitLength(layers.Layer):
    """Divides every row by its length, so that the dot product of two rows is their cosine: (..., dim)."""

    def call(self, inputs):
        return inputs / ops.sqrt(ops.sum(ops.square(inputs), axis=-1, keepdims=True) + EPSILON)


def build_classic_encoder(vocabulary_size: int, dim: int = 128, *, seed: int = 0):
    """The classic question encoder: Embedding, LSTM, mean over time, unit length.

    Padding is a word like any other here and takes part in the mean, as in the classic Trax model: an
    embedding depends on how far its batch was padded.

    Args:
        vocabulary_size: number of ids, unknown and padding included.
        dim: of the word vectors, the LSTM and the embedding.
        seed: of the initial weights.

    Returns:
        A Keras model (batch, length) int -> (batch, dim).
    """
    for name, value in {"vocabulary_size": vocabulary_size, "dim": dim}.items():
        require_between(value, name, 1, float("inf"))
    words = keras.Input((None,), dtype="int32", name="words")
    initializers = [keras.initializers.RandomNormal(stddev=1.0, seed=seed)]
    initializers += [keras.initializers.GlorotUniform(seed=seed + i) for i in (1, 2)]
    vectors = layers.Embedding(vocabulary_size, dim, embeddings_initializer=initializers[0])(words)
    states = layers.LSTM(
        dim,
        return_sequences=True,
        kernel_initializer=initializers[1],
        recurrent_initializer=initializers[2],
    )(vectors)
    return keras.Model(words, UnitLength()(ops.mean(states, axis=1)))
