"""The MNIST models: an encoder, and the siamese model that applies it to both sides of a pair."""

import keras
from keras import layers, ops

from siamese_course.validation import require_between


def build_encoder(dim: int = 2, *, pixels: int = 784, units: int = 1024, seed: int = 0):
    """The encoder G: two ReLU layers and a linear one, from a picture to a point.

    Weights start Glorot uniform, biases zero. There is no activation at the end: an embedding may lie
    anywhere in the plane.

    Args:
        dim: dimensions of the embedding.
        pixels: numbers in a flattened picture.
        units: width of the two hidden layers.
        seed: of the initial weights; the same seed gives the same weights.

    Returns:
        A Keras model (batch, pixels) -> (batch, dim); 1,855,490 parameters as it stands.

    Raises:
        ValueError: a size below 1.
    """
    for name, value in {"dim": dim, "pixels": pixels, "units": units}.items():
        require_between(value, name, 1, float("inf"))
    initializers = [keras.initializers.GlorotUniform(seed=seed + i) for i in range(3)]
    return keras.Sequential(
        [
            keras.Input((pixels,), name="image"),
            layers.Dense(units, activation="relu", kernel_initializer=initializers[0]),
            layers.Dense(units, activation="relu", kernel_initializer=initializers[1]),
            layers.Dense(dim, kernel_initializer=initializers[2], name="embedding"),
        ],
    )


def build_siamese(encoder):
    """The siamese model: one encoder, applied to both pictures of a pair.

    The encoder object is called twice, so there is one set of weights, and the order of the two
    pictures cannot matter to the distance between their embeddings.

    Args:
        encoder: a model (batch, pixels) -> (batch, dim).

    Returns:
        A model of two inputs (batch, pixels) and one output (batch, 2, dim): the embeddings of the left
        and the right picture, as ``losses.contrastive_loss`` takes them.
    """
    left = keras.Input(encoder.input_shape[1:], name="left")
    right = keras.Input(encoder.input_shape[1:], name="right")
    embeddings = ops.stack([encoder(left), encoder(right)], axis=1)
    return keras.Model([left, right], embeddings, name="siamese")
