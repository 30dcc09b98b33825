"""Questions: a step of the classic model in Trax and in Keras, and AUC against seconds of both recipes."""

import contextlib
import io
import statistics
import time

import numpy as np

from benchmarks.common import fingerprint
from siamese_course.runtime.startup import halve_cores

WORDS, STEPS, RATE = 20_000, 20, 0.01


# --- a step of the classic model ---


def random_batches(batch: int, length: int):
    """Batches of random ids without end, the same on both sides."""
    rng = np.random.default_rng(0)
    while True:
        yield tuple(rng.integers(2, WORDS, (batch, length), "int32") for _ in range(2))


def seconds_of_a_step(steps) -> dict:
    """Median over five intervals of twenty steps each, after one that compiles."""
    steps()
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        steps()
        seconds.append((time.perf_counter() - started) / STEPS)
    return {"seconds a step": statistics.median(seconds), "intervals": seconds}


def trax_step(batch: int, length: int) -> dict:
    """Embedding, LSTM, mean, unit length and triplet loss in Trax."""
    import jax

    from siamese_course.models import questions_trax as quora_trax
    from siamese_course.runtime.trax_patch import training, trax

    task = training.TrainTask(
        random_batches(batch, length),
        quora_trax.triplet_loss_layer(),
        trax.optimizers.Adam(RATE),
        n_steps_per_checkpoint=10**9,
    )
    model = quora_trax.build_siamese(quora_trax.build_classic_encoder(WORDS))
    with contextlib.redirect_stdout(io.StringIO()):
        loop = training.Loop(model, task, random_seed=0)

    def steps():
        with contextlib.redirect_stdout(io.StringIO()):
            loop.run(STEPS)
        jax.block_until_ready(loop.model.weights)  # JAX runs ahead of what it has done

    return seconds_of_a_step(steps)


def keras_step(batch: int, length: int) -> dict:
    """The same in Keras."""
    halve_cores()
    import keras

    from siamese_course.losses import triplet_loss
    from siamese_course.models import questions as quora_keras
    from siamese_course.training.loop import train

    siamese = quora_keras.build_siamese(quora_keras.build_classic_encoder(WORDS))
    siamese.compile(keras.optimizers.Adam(RATE), triplet_loss)
    targets = np.zeros(batch, "float32")
    batches = ((list(sides), targets) for sides in random_batches(batch, length))
    return seconds_of_a_step(lambda: train(siamese, batches, STEPS, verbose=False, jit=False))


# --- AUC against seconds ---


def course(share: float, budget: str = "full") -> dict:
    """The course recipe in Keras, at a share of its steps."""
    halve_cores()
    return train("keras", "course", share, budget)


def classic(share: float, budget: str = "full") -> dict:
    """The classic recipe in Trax, at a share of its steps."""
    return train("trax", "classic", share, budget)


def train(framework: str, recipe: str, share: float, budget: str) -> dict:
    """Seconds from plain questions to the trained encoder, and how it does on the validation and test pairs.

    The accuracies are at the threshold that was chosen on the validation pairs.
    """
    from siamese_course.datasets.quora import load_questions
    from siamese_course.recipes import questions as quora

    if framework == "trax":
        import siamese_course.runtime.trax_patch  # noqa: F401 - not while the clock runs, as Keras
    data = load_questions(verbose=False)
    _, report = quora.run(framework, recipe, data, budget, longer=share, verbose=False)
    validation = data.validation
    return {
        "seconds": report["seconds"],
        "AUC, validation": report["auc"],
        "AUC, test": report["test"]["auc"],
        "accuracy, validation": report["accuracy"],
        "accuracy, test": report["test"]["accuracy"],
        "training seconds": report["training_seconds"],
        "steps": report["steps"],
        "data": fingerprint(validation.question1, validation.question2, data.train.question1),
    }
