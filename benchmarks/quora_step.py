"""Seconds of one training step of the classic model, Trax beside Keras, in one run; the last line is JSON.

python benchmarks/quora_step.py [--batch 256] [--length 32] [--repeats 7]

Both train Embedding, LSTM, mean, unit length on the triplet loss with Adam, on the same random ids. The
two take turns, ten steps each, after a warm-up that compiles; the median of the repeats counts.
"""

import argparse
import contextlib
import io
import json
import os
import statistics
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import keras
import numpy as np

from siamese_course.losses import triplet_loss
from siamese_course.models import quora_keras, quora_trax
from siamese_course.models.trax_patch import training, trax

WORDS, STEPS = 20_000, 10


def trax_steps(batches):
    """A function that trains ten steps in Trax."""
    task = training.TrainTask(
        batches,
        quora_trax.triplet_loss_layer(),
        trax.optimizers.Adam(0.01),
        n_steps_per_checkpoint=10**9,
    )
    model = quora_trax.build_siamese(quora_trax.build_classic_encoder(WORDS))
    with contextlib.redirect_stdout(io.StringIO()):
        loop = training.Loop(model, task, random_seed=0)

    def steps():
        with contextlib.redirect_stdout(io.StringIO()):
            loop.run(STEPS)
        jax.block_until_ready(
            loop.model.weights
        )  # JAX runs ahead: what is asked for is not yet done

    return steps


def keras_steps(batches):
    """A function that trains ten steps in Keras."""
    siamese = quora_keras.build_siamese(quora_keras.build_classic_encoder(WORDS))
    siamese.compile(
        keras.optimizers.Adam(0.01),
        lambda unused, e: triplet_loss(e),
        jit_compile=keras.backend.backend() == "jax",
    )

    def steps():
        for _ in range(STEPS):
            sides = next(batches)
            siamese.train_on_batch(list(sides), np.zeros(len(sides[0]), "float32"))

    return steps


def main() -> None:
    """Measure, and print one line a repeat."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    shape = (options.batch, options.length)
    batches = iter(lambda: tuple(rng.integers(2, WORDS, shape, "int32") for _ in range(2)), None)
    sides = {"trax": trax_steps(batches), "keras": keras_steps(batches)}
    for steps in sides.values():
        steps()
    seconds = {name: [] for name in sides}
    for _ in range(options.repeats):
        for name, steps in sides.items():
            started = time.perf_counter()
            steps()
            seconds[name].append((time.perf_counter() - started) / STEPS)
        print({name: round(values[-1], 4) for name, values in seconds.items()})
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    print(
        json.dumps(
            {
                "batch": options.batch,
                "length": options.length,
                "backend": keras.backend.backend(),
                **{f"{name}_seconds": round(value, 4) for name, value in medians.items()},
                "ratio": round(medians["keras"] / medians["trax"], 3),
            }
        )
    )


if __name__ == "__main__":
    main()
