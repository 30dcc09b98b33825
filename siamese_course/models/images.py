"""The MNIST models: an encoder, and the siamese model that applies it to both images of a pair."""

import keras
from keras import layers, ops

from siamese_course.validation import require_between


def build_encoder(
    dim: int = 2, *, pixels: int = 784, units: int = 1024, seed: int = 0
) -> keras.Model:
    """Build the encoder G: two ReLU layers and a linear one, from an image to a point.

    Weights start Glorot uniform, biases zero. The last layer has no activation, so that an embedding
    may be anywhere in the plane.

    Args:
        dim: dimensions of the embedding.
        pixels: pixels of a flattened image.
        units: width of the two hidden layers.
        seed: of the initial weights; the same seed gives the same weights.

    Returns:
        A Keras model (batch, pixels) -> (batch, dim); 1,855,490 parameters by default.

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


def build_siamese(encoder: keras.Model) -> keras.Model:
    """Build the siamese model: one encoder, applied to both images of a pair.

    The encoder object is called twice, so there is one set of weights, and the distance between the
    two embeddings does not depend on the order of the images.

    Args:
        encoder: a model (batch, pixels) -> (batch, dim).

    Returns:
        A model of two inputs (batch, pixels) and one output (batch, 2, dim): the embeddings of the left
        and the right image, as ``losses.contrastive_loss`` takes them.
    """
    left = keras.Input(encoder.input_shape[1:], name="left")
    right = keras.Input(encoder.input_shape[1:], name="right")
    embeddings = ops.stack([encoder(left), encoder(right)], axis=1)
    return keras.Model([left, right], embeddings, name="siamese")
