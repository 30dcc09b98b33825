"""The encoders of the recipes: for images of any size, and for line drawings.

All raise ValueError for a size below 1; ``seed`` sets the initial weights.
"""

from itertools import count
from typing import Any

import keras
import numpy as np
from keras import layers

from siamese_course.models.encoder import require_sizes
from siamese_course.models.images import build_encoder


def default_encoder(shape: tuple[int, ...], dim: int = 2, *, seed: int = 0) -> keras.Model:
    """Build the encoder for images of a shape: dense if flat or (height, width) up to 28 x 28, else convolutional.

    Args:
        shape: (pixels,), (height, width) or (height, width, channels).
        dim: dimensions of the embedding.
    """
    if len(shape) == 1 or (len(shape) == 2 and shape[0] * shape[1] <= 28 * 28):
        return build_encoder(dim, pixels=int(np.prod(shape)), seed=seed)
    height, width, *channels = shape
    return build_conv_encoder((height, width, channels[0] if channels else 1), dim, seed=seed)


def build_conv_encoder(shape: tuple[int, int, int], dim: int = 2, *, seed: int = 0) -> keras.Model:
    """Build a small convolutional encoder, for images larger than MNIST's or in color.

    Each block halves height and width, until the smaller of them is at most 7: convolution, group
    normalization (Wu and He 2018, which does not depend on the rest of the batch), ReLU, largest of 2 x 2.
    Then the mean over all places, a ReLU layer of 256 units and a linear one.

    Args:
        shape: (height, width, channels).
        dim: dimensions of the embedding.

    Returns:
        A Keras model (batch, height, width, channels) -> (batch, dim).
    """
    require_sizes(dim=dim, shape=min(shape))
    seeds = count(seed)

    def start() -> Any:
        return keras.initializers.GlorotUniform(seed=next(seeds))

    model = keras.Sequential([keras.Input(shape, name="image")])
    side, filters = min(shape[:2]), 32
    while True:
        model.add(layers.Conv2D(filters, 3, padding="same", kernel_initializer=start()))
        model.add(layers.GroupNormalization(8))
        model.add(layers.ReLU())
        if side < 8:
            break
        model.add(layers.MaxPooling2D())
        side, filters = side // 2, min(2 * filters, 128)
    model.add(layers.GlobalAveragePooling2D())
    model.add(layers.Dense(256, activation="relu", kernel_initializer=start()))
    model.add(layers.Dense(dim, kernel_initializer=start(), name="embedding"))
    return model


def build_character_encoder(dim: int = 128, *, seed: int = 0) -> keras.Model:
    """Build a convolutional encoder for line drawings, made for many images a second on a CPU.

    Four convolutions with batch normalization and ReLU, then one linear layer. The first has a stride of 2, so
    that the largest arrays of a network, those of the full image, never arise.

    Returns:
        A Keras model (batch, 28, 28, 1) -> (batch, dim); 504,096 parameters by default.
    """
    require_sizes(dim=dim)
    model = keras.Sequential([keras.Input((28, 28, 1), name="image")])
    for number, channels in enumerate((32, 64, 128, 128)):
        kernel, strides = (5, 2) if number == 0 else (3, 1)
        start = keras.initializers.HeNormal(seed=seed + number)
        options = {"strides": strides, "padding": "same", "kernel_initializer": start}
        model.add(layers.Conv2D(channels, kernel, use_bias=False, **options))
        model.add(layers.BatchNormalization(momentum=0.95))
        model.add(layers.ReLU())
        if number in (1, 2):
            model.add(layers.MaxPooling2D(padding="same"))
    model.add(layers.Flatten())
    start = keras.initializers.GlorotUniform(seed=seed + 4)
    model.add(layers.Dense(dim, kernel_initializer=start, name="embedding"))
    return model
