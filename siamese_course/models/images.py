"""Image models: the dense encoder, the siamese and the verification model, and a trained encoder in use."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import keras
import numpy as np
import numpy.typing as npt
from keras import layers, ops

from siamese_course.models.encoder import Encoder, reading, require_sizes
from siamese_course.runtime.files import whole_folder
from siamese_course.validation import require_count, require_images

EPSILON = 1e-12


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
        seed: of the weights at the start.

    Returns:
        A Keras model (batch, pixels) -> (batch, dim); 1,855,490 parameters by default.

    Raises:
        ValueError: ``dim``, ``pixels`` or ``units`` is below 1, or not an integer.
    """
    require_sizes(dim=dim, pixels=pixels, units=units)
    starts = [keras.initializers.GlorotUniform(seed=seed + i) for i in range(3)]
    return keras.Sequential(
        [
            keras.Input((pixels,), name="image"),
            layers.Dense(units, activation="relu", kernel_initializer=starts[0]),
            layers.Dense(units, activation="relu", kernel_initializer=starts[1]),
            layers.Dense(dim, kernel_initializer=starts[2], name="embedding"),
        ],
    )


def fit_shape(images: npt.ArrayLike, encoder: keras.Model) -> np.ndarray:
    """Return images in the shape that an encoder takes: flat, or with a dimension for one channel.

    Raises:
        ValueError: not images, or images of another size.
    """
    images = require_images(images)
    expected = tuple(encoder.input_shape[1:])
    gray = (*images.shape[1:], 1)
    same_size = len(expected) == 1 and expected[0] == np.prod(images.shape[1:])
    if images.shape[1:] != expected and gray != expected and not same_size:
        raise ValueError(
            f"images has shape {images.shape}; expected {('n', *expected)}, as in training"
        )
    return images.reshape(-1, *expected)


def build_siamese(encoder: keras.Model) -> keras.Model:
    """Build the siamese model: one encoder, applied to both images of a pair.

    The encoder object is called twice, so there is one set of weights, and the distance between the
    two embeddings does not depend on the order of the images.

    Args:
        encoder: a model (batch, ...) -> (batch, dim).

    Returns:
        A model of two inputs (batch, ...) and one output (batch, 2, dim): the embeddings of the left
        and the right image, as ``losses.contrastive_loss`` takes them.
    """
    left = keras.Input(encoder.input_shape[1:], name="left")
    right = keras.Input(encoder.input_shape[1:], name="right")
    embeddings = ops.stack([encoder(left), encoder(right)], axis=1)
    return keras.Model([left, right], embeddings, name="siamese")


def build_verifier(encoder: keras.Model, *, seed: int = 0) -> keras.Model:
    """Build a verification network: one encoder for both images, a learned L1 distance, a sigmoid.

    p = sigmoid( sum over i of w_i |a_i - b_i| + bias ) is the probability that both images show the same class.
    Train it with binary cross-entropy.

    Args:
        encoder: a model (batch, ...) -> (batch, dim).
        seed: of the weights w at the start.

    Returns:
        A model of two inputs (batch, ...) and one output (batch, 1), from 0 to 1. Its layer ``probability``
        can be called alone, with |a - b| of embeddings.

    Source: Koch, Zemel and Salakhutdinov (2015), "Siamese neural networks for one-shot image recognition".
    """
    left = keras.Input(encoder.input_shape[1:], name="left")
    right = keras.Input(encoder.input_shape[1:], name="right")
    init = keras.initializers.GlorotUniform(seed=seed)
    probability = layers.Dense(1, activation="sigmoid", kernel_initializer=init, name="probability")
    output = probability(ops.abs(encoder(left) - encoder(right)))
    return keras.Model([left, right], output, name="verifier")


def embed(encoder: keras.Model, images: np.ndarray, batch_size: int = 4096) -> np.ndarray:
    """Embed images in large batches: (n, ...) -> (n, dim) float32."""
    starts = range(0, len(images), batch_size)
    batches = [encoder(images[start : start + batch_size], training=False) for start in starts]
    return np.concatenate([ops.convert_to_numpy(batch) for batch in batches])


@dataclass
class ImageEncoder(Encoder):
    """A trained image encoder.

    Attributes:
        model: a Keras model (batch, ...) -> (batch, dim).
        classes: the names of the classes it was trained on.
        size: (height, width) that images from files are scaled to; None if they are not.
        channels: 1 for gray images, 3 for color.
    """

    model: keras.Model
    classes: list[str] = field(default_factory=list)
    size: tuple[int, int] | None = None
    channels: int = 1

    def encode(self, items: npt.ArrayLike, batch_size: int = 512) -> np.ndarray:
        """Embed images: (n, pixels), (n, height, width) or (n, height, width, channels) -> (n, dim).

        Raises:
            ValueError: another shape than in training, or values outside [0, 1].
        """
        require_count(batch_size, "batch_size")
        return embed(self.model, fit_shape(items, self.model), batch_size)

    def similarity(self, left: npt.ArrayLike, right: npt.ArrayLike) -> np.ndarray:
        """Return the cosine of each pair of images: n images twice -> (n,).

        Raises:
            ValueError: as ``encode``, or different numbers of images.
        """
        rows = [self.encode(side) for side in (left, right)]
        if len(rows[0]) != len(rows[1]):
            raise ValueError(f"right has {len(rows[1])} images; expected {len(rows[0])}, as left")
        norms = [np.maximum(np.linalg.norm(side, axis=1), EPSILON) for side in rows]
        return np.sum(rows[0] * rows[1], axis=1) / (norms[0] * norms[1])

    def save(self, folder: Path | str) -> None:
        """Write model and settings to a folder, wholly or not at all; ``load_encoder`` reads it."""
        settings = {"classes": self.classes, "size": self.size, "channels": self.channels}
        with whole_folder(Path(folder)) as part:
            self.model.save(part / "encoder.keras")
            (part / "image_encoder.json").write_text(json.dumps(settings, indent=1) + "\n")


def load_encoder(folder: Path | str) -> ImageEncoder:
    """Read what ``ImageEncoder.save`` wrote.

    Raises:
        CourseError: the folder holds no image encoder, or a damaged one.
    """
    folder = Path(folder)
    with reading(folder, "image"):
        settings = json.loads((folder / "image_encoder.json").read_text())
        model = keras.saving.load_model(folder / "encoder.keras", compile=False)
        size = tuple(settings["size"]) if settings["size"] else None
        return ImageEncoder(model, settings["classes"], size, settings["channels"])
