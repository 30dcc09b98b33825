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

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import keras
import numpy as np
import numpy.typing as npt
from keras import ops

from siamese_course import losses
from siamese_course.batching.images import (
    all_pairs_batches,
    classic_pairs,
    pair_batches,
    shift_images,
)
from siamese_course.datasets.mnist import Digits
from siamese_course.evaluation import knn_score
from siamese_course.models.images import build_encoder, build_siamese
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
EMBED_BATCH = 4096


@dataclass
class Run:
    """A trained encoder and how it was trained."""

    recipe: str
    encoder: keras.Model
    history: History
    steps: int


def train_classic(
    images: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    kilo_images: float,
    margin: float = 5.0,
    seed: int = 0,
    snapshots: int = 0,
    watch: np.ndarray | None = None,
    verbose: bool = True,
) -> Run:
    """Train on classic pairs with plain SGD.

    Args:
        images: (n, 784) in [0, 1].
        labels: (n,) integers.
        kilo_images: thousands of images to pass through the encoder; 600 is ten epochs of 60,000.
        margin: of the contrastive loss.
        seed: of the weights and the pairs.
        snapshots: how many snapshots of the embedding to keep, start and end included.
        watch: (m, 784) images to embed for the snapshots.
        verbose: show a progress bar.

    Raises:
        ValueError: invalid images, labels or margin, or fewer rows than two batches hold.
    """
    images, labels = _require_digits(images, labels)
    encoder = build_encoder(seed=seed)
    siamese = build_siamese(encoder)
    siamese.compile(keras.optimizers.SGD(0.01), partial(losses.contrastive_loss, margin=margin))
    rng = np.random.default_rng(seed)
    epochs = 1000 * kilo_images / len(labels)
    steps = round_steps(epochs * (len(labels) // (2 * CLASSIC_BATCH)))
    history = train(
        siamese,
        pair_batches(images, labels, repeat(lambda: classic_pairs(labels, CLASSIC_BATCH, rng))),
        steps,
        name="classic",
        embed=_embedder(encoder, watch),
        snapshots=snapshots,
        verbose=verbose,
    )
    return Run("classic", encoder, history, steps)


def train_course(
    images: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    kilo_images: float,
    dim: int = 2,
    margin: float = 5.0,
    seed: int = 0,
    snapshots: int = 0,
    watch: np.ndarray | None = None,
    verbose: bool = True,
) -> Run:
    """Train on all pairs inside a batch; arguments as ``train_classic``, and ``dim`` of the embedding.

    The hidden layer gets a siamese loss of its own. In a plane, clusters cannot pass through each
    other, so digits that start on the wrong side stay there. With 1,024 dimensions there is room to
    move, and the last layer then projects clusters that are separate already.
    """
    images, labels = _require_digits(images, labels)
    encoder = build_encoder(dim, seed=seed)
    hidden = encoder.layers[-2].output
    trainer = keras.Model(encoder.inputs, [hidden, *encoder.outputs])

    batch_size = min(COURSE_BATCH, max(2, len(images) // 4))
    steps = round_steps(1000 * kilo_images / batch_size)
    trainer.compile(
        keras.optimizers.Adam(OneCycle(PEAK_LEARNING_RATE, steps), beta_2=0.99),
        [
            losses.supervised_contrastive_loss,
            partial(losses.all_pairs_contrastive_loss, margin=margin),
        ],
        loss_weights=[HIDDEN_WEIGHT, 1.0],
    )
    rng = np.random.default_rng(seed)
    batches = (
        (shift_images(batch, rng), (classes, classes))
        for batch, classes in all_pairs_batches(images, labels, batch_size, rng, endless=True)
    )
    history = train(
        trainer,
        batches,
        steps,
        name="course",
        embed=_embedder(encoder, watch),
        snapshots=snapshots,
        verbose=verbose,
    )
    return Run("course", encoder, history, steps)


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
    sizes = settings.mnist_sizes(budget)
    kilo_images = getattr(sizes, f"{recipe}_kilo_images")
    trained = TRAINERS[recipe](
        digits.train_images,
        digits.train_labels,
        kilo_images=kilo_images,
        seed=seed,
        verbose=verbose,
    )
    accuracy = score(trained.encoder, digits)
    return trained, {
        "recipe": recipe,
        "budget": budget,
        "seconds": round(trained.history.seconds, 2),
        "knn5_accuracy": round(accuracy, 4),
        "data_source": digits.source,
        "train_rows": len(digits.train_images),
        "test_rows": len(digits.test_images),
        "steps": trained.steps,
        "last_loss": round(trained.history.losses[-1], 4),
        "seed": seed,
        "backend": keras.backend.backend(),
    }


def embed(encoder: keras.Model, images: np.ndarray) -> np.ndarray:
    """Embed images in large batches: (n, 784) -> (n, dim) float32."""
    starts = range(0, len(images), EMBED_BATCH)
    batches = [encoder(images[start : start + EMBED_BATCH], training=False) for start in starts]
    return np.concatenate([ops.convert_to_numpy(batch) for batch in batches])


def score(encoder: keras.Model, digits: Digits, k: int = 5) -> float:
    """Return the k-NN accuracy on the test digits, with the training digits as neighbors."""
    return knn_score(
        embed(encoder, digits.train_images),
        digits.train_labels,
        embed(encoder, digits.test_images),
        digits.test_labels,
        k,
    )


def _require_digits(images: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    images = require_images(images)
    return images, require_labels(labels, len(images))


def _embedder(encoder: keras.Model, watch: np.ndarray | None) -> Callable[[], np.ndarray] | None:
    return None if watch is None else lambda: embed(encoder, watch)
