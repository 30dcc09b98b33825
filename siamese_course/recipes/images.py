"""MNIST recipes: the classic one, and the course's own.

============  =====================================  =================================================
              classic                                course
============  =====================================  =================================================
pairs         two shuffled batches side by side      every pair inside a batch
loss          contrastive                            contrastive, with equal weight for similar and
                                                     different pairs; and supervised contrastive on the
                                                     hidden layer
images        as they are                            shifted by up to one pixel
optimizer     SGD, learning rate 0.01                Adam, rising to 0.004 and falling to zero
============  =====================================  =================================================

Both train the same encoder, and all they use of the labels is which images share one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np
import numpy.typing as npt

from siamese_course import losses
from siamese_course.batching.images import (
    all_pairs_batches,
    classic_pairs,
    pair_batches,
    shift_images,
)
from siamese_course.datasets.mnist import Digits
from siamese_course.evaluation import knn_score
from siamese_course.models.images import build_siamese, embed, fit_shape
from siamese_course.recipes.image_encoders import default_encoder
from siamese_course.runtime import settings
from siamese_course.training.loop import History, repeat, round_steps, train
from siamese_course.training.schedules import OneCycle
from siamese_course.validation import require_choice, require_images, require_labels

RECIPES = ("classic", "course")
CLASSIC_BATCH = 128
# Divides 60,000 and 4,000: all batches have one shape, which is compiled once
COURSE_BATCH = 400
PEAK_LEARNING_RATE = 4e-3
HIDDEN_WEIGHT = 3.0


@dataclass
class Run:
    """A trained encoder and how it was trained."""

    encoder: keras.Model
    history: History
    steps: int


def train_classic(
    images: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    kilo_images: float,
    seed: int = 0,
    verbose: bool = True,
) -> Run:
    """Train on classic pairs with plain SGD.

    Args:
        images: in [0, 1], flat (n, pixels), or of any size, (n, height, width[, channels]). ``default_encoder``
            says which encoder they get.
        labels: (n,) integers; any number of classes.
        kilo_images: thousands of images to pass through the encoder; 600 is ten epochs of 60,000.
        seed: of the weights and the pairs.
        verbose: show a progress bar.

    Raises:
        ValueError: invalid images or labels, or fewer rows than two batches hold.
    """
    encoder, images, labels = _prepare(images, labels, 2, seed)
    siamese = build_siamese(encoder)
    siamese.compile(keras.optimizers.SGD(0.01), losses.contrastive_loss)
    rng = np.random.default_rng(seed)
    epochs = 1000 * kilo_images / len(labels)
    steps = round_steps(epochs * (len(labels) // (2 * CLASSIC_BATCH)))
    pairs = repeat(lambda: classic_pairs(labels, CLASSIC_BATCH, rng))
    batches, jit = pair_batches(images, labels, pairs), images.ndim == 2
    history = train(siamese, batches, steps, name="classic", jit=jit, verbose=verbose)
    return Run(encoder, history, steps)


def train_course(
    images: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    kilo_images: float,
    dim: int = 2,
    seed: int = 0,
    verbose: bool = True,
    folder: Path | None = None,
) -> Run:
    """Train on all pairs inside a batch; arguments as ``train_classic``, and ``dim`` of the embedding.

    In ``folder``, if given, training keeps checkpoints, and goes on from the last one there.

    The hidden layer gets a siamese loss of its own. In a plane, clusters cannot pass through each
    other, so digits that start on the wrong side stay there. With 1,024 dimensions there is room to
    move, and the last layer then projects clusters that are separate already.
    """
    shape = require_images(images).shape[1:]
    encoder, images, labels = _prepare(images, labels, dim, seed)
    hidden = encoder.layers[-2].output
    trainer = keras.Model(encoder.inputs, [hidden, *encoder.outputs])

    batch_size = min(COURSE_BATCH, max(2, len(images) // 4))
    steps = round_steps(1000 * kilo_images / batch_size)
    both: list[Callable] = [
        losses.supervised_contrastive_loss,
        losses.all_pairs_contrastive_loss,
    ]
    optimizer = keras.optimizers.Adam(OneCycle(PEAK_LEARNING_RATE, steps), beta_2=0.99)
    trainer.compile(optimizer, both, loss_weights=[HIDDEN_WEIGHT, 1.0])
    rng = np.random.default_rng(seed)
    # Only a square can be seen in an image that came flat
    can_shift = len(shape) > 1 or math.isqrt(shape[0]) ** 2 == shape[0]

    def shifted(batch: np.ndarray) -> np.ndarray:
        return shift_images(batch.reshape(-1, *shape), rng).reshape(batch.shape)

    batches = (
        (shifted(batch) if can_shift else batch, (classes, classes))
        for batch, classes in all_pairs_batches(images, labels, batch_size, rng, endless=True)
    )
    jit = images.ndim == 2
    history = train(trainer, batches, steps, name="course", jit=jit, verbose=verbose, folder=folder)
    return Run(encoder, history, steps)


TRAINERS: dict[str, Callable[..., Run]] = {"classic": train_classic, "course": train_course}


def run(
    recipe: str, digits: Digits, budget: str, *, seed: int = 0, verbose: bool = True
) -> tuple[Run, dict]:
    """Train one recipe and score it.

    Returns:
        (run, report): the report is what ``siamese-course train mnist`` prints as JSON.

    Raises:
        ValueError: an unknown recipe.
    """
    require_choice(recipe, "recipe", RECIPES)
    kilo_images = getattr(settings.mnist_sizes(budget), f"{recipe}_kilo_images")
    rows = digits.train_images, digits.train_labels
    trained = TRAINERS[recipe](*rows, kilo_images=kilo_images, seed=seed, verbose=verbose)
    return trained, {
        "recipe": recipe,
        "budget": budget,
        "seconds": round(trained.history.seconds, 2),
        "knn5_accuracy": round(score(trained.encoder, digits), 4),
        "data_source": digits.source,
        "train_rows": len(digits.train_images),
        "test_rows": len(digits.test_images),
        "steps": trained.steps,
        "last_loss": round(trained.history.losses[-1], 4),
        "seed": seed,
        "backend": keras.backend.backend(),
    }


def score(encoder: keras.Model, digits: Digits) -> float:
    """Return the 5-NN accuracy on the test digits, with the training digits as neighbors."""
    train_rows, test_rows = (
        embed(encoder, images) for images in (digits.train_images, digits.test_images)
    )
    return knn_score(train_rows, digits.train_labels, test_rows, digits.test_labels, k=5)


def _prepare(
    images: npt.ArrayLike, labels: npt.ArrayLike, dim: int, seed: int
) -> tuple[keras.Model, np.ndarray, np.ndarray]:
    """A new encoder for images, the images in its shape, and their labels."""
    images = require_images(images)
    labels = require_labels(labels, len(images))
    encoder = default_encoder(images.shape[1:], dim, seed=seed)
    return encoder, fit_shape(images, encoder), labels
