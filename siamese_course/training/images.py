"""MNIST recipes: the classic one, and the course's own.

============  =====================================  =================================================
              classic                                course
============  =====================================  =================================================
pairs         two shuffled batches side by side      every pair inside a batch
loss          contrastive                            contrastive, similar and different pairs in balance,
                                                     and supervised contrastive on the hidden layer
pictures      as they are                            moved by up to one pixel
optimizer     SGD, 0.01                              Adam, rising to 0.004 and falling to zero
============  =====================================  =================================================

Both train the same encoder with nothing but comparisons of pairs.
"""

from dataclasses import dataclass
from functools import partial

import keras
import numpy as np
from keras import ops

from siamese_course import losses
from siamese_course.datasets import mnist
from siamese_course.evaluation import knn_score
from siamese_course.models.images import build_encoder, build_siamese
from siamese_course.runtime import settings
from siamese_course.training.loop import History, OneCycle, repeat, train, whole_stretches
from siamese_course.validation import require_images, require_labels

RECIPES = ("classic", "course")
CLASSIC_BATCH = 128
COURSE_BATCH = 400  # divides 60,000 and 4,000: one length, one compilation
PEAK_RATE = 4e-3
HIDDEN_WEIGHT = 3.0
EMBED_BATCH = 4096


@dataclass
class Run:
    """A trained encoder and how it got there."""

    recipe: str
    encoder: keras.Model
    history: History
    steps: int


def train_classic(
    images, labels, *, kilo_images: float, margin=5.0, seed=0, snapshots=0, watch=None, verbose=True
) -> Run:
    """Train on classic pairs with plain SGD.

    Args:
        images: (n, 784) in [0, 1].
        labels: (n,) whole numbers.
        kilo_images: thousands of pictures to pass through the encoder; 600 is ten epochs of 60,000.
        margin: of the contrastive loss.
        seed: of the weights and the pairs.
        snapshots: how many moments of the embedding to keep, start and end included.
        watch: (m, 784) pictures to embed at those moments.
        verbose: show a progress bar.

    Raises:
        ValueError: bad images, labels or margin, or fewer rows than two batches hold.
    """
    images, labels = _require_digits(images, labels)
    encoder = build_encoder(seed=seed)
    siamese = build_siamese(encoder)
    siamese.compile(keras.optimizers.SGD(0.01), partial(losses.contrastive_loss, margin=margin))
    rng = np.random.default_rng(seed)
    epochs = 1000 * kilo_images / len(labels)
    steps = whole_stretches(epochs * (len(labels) // (2 * CLASSIC_BATCH)))
    history = train(
        siamese,
        repeat(
            lambda: mnist.pair_batches(
                images, labels, mnist.classic_pairs(labels, CLASSIC_BATCH, rng)
            )
        ),
        steps,
        name="classic",
        embed=_embedder(encoder, watch),
        snapshots=snapshots,
        verbose=verbose,
    )
    return Run("classic", encoder, history, steps)


def train_course(
    images,
    labels,
    *,
    kilo_images: float,
    dim=2,
    margin=5.0,
    seed=0,
    snapshots=0,
    watch=None,
    verbose=True,
) -> Run:
    """Train on all pairs inside a batch; arguments as ``train_classic``, and ``dim`` of the embedding.

    The hidden layer gets a siamese loss of its own. In a plane a cluster cannot pass through another
    one, so that digits which start on the wrong side stay there; 1,024 dimensions have room, and the
    last layer then projects what is sorted already.
    """
    images, labels = _require_digits(images, labels)
    encoder = build_encoder(dim, seed=seed)
    hidden = encoder.layers[-2].output
    trainer = keras.Model(encoder.inputs, [hidden, *encoder.outputs])

    batch_size = min(COURSE_BATCH, max(2, len(images) // 4))
    steps = whole_stretches(1000 * kilo_images / batch_size)
    trainer.compile(
        keras.optimizers.Adam(OneCycle(PEAK_RATE, steps), beta_2=0.99),
        [
            losses.supervised_contrastive_loss,
            partial(losses.all_pairs_contrastive_loss, margin=margin),
        ],
        loss_weights=[HIDDEN_WEIGHT, 1.0],
    )
    rng = np.random.default_rng(seed)

    def epoch():
        for batch, classes in mnist.all_pairs_batches(images, labels, batch_size, rng):
            yield mnist.shift_images(batch, rng), (classes, classes)

    history = train(
        trainer,
        repeat(epoch),
        steps,
        name="course",
        embed=_embedder(encoder, watch),
        snapshots=snapshots,
        verbose=verbose,
    )
    return Run("course", encoder, history, steps)


TRAINERS = {"classic": train_classic, "course": train_course}


def run(recipe: str, digits: mnist.Digits, budget: str, *, seed: int = 0, verbose: bool = True):
    """Train one recipe and score it.

    Returns:
        (run, report): the report is what ``siamese-course train mnist`` prints as JSON.
    """
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


def embed(encoder, images) -> np.ndarray:
    """Embed pictures in large batches: (n, 784) -> (n, dim) float32."""
    starts = range(0, len(images), EMBED_BATCH)
    parts = [encoder(images[start : start + EMBED_BATCH], training=False) for start in starts]
    return np.concatenate([ops.convert_to_numpy(part) for part in parts])


def score(encoder, digits: mnist.Digits, k: int = 5) -> float:
    """k-NN accuracy: fitted on the training embedding, scored on the test digits."""
    return knn_score(
        embed(encoder, digits.train_images),
        digits.train_labels,
        embed(encoder, digits.test_images),
        digits.test_labels,
        k,
    )


def _require_digits(images, labels):
    images = require_images(images)
    return images, require_labels(labels, len(images))


def _embedder(encoder, watch):
    return None if watch is None else lambda: embed(encoder, watch)
