"""Data-parallel training: several processes train one model, each on its own rows of every batch.

It uses Keras's ``DataParallel`` on the JAX backend, on as many machines as there are addresses. All processes
draw the same batches from the same seed and keep their own rows. Losses and gradients are those of the whole
batch, so the loss curve is the one that a single process would have.
"""

from collections.abc import Callable, Iterator, Sequence

import keras
import numpy as np

from siamese_course.models.sentences import SentenceEncoder
from siamese_course.recipes.sentences import Run, Team
from siamese_course.runtime.errors import CourseError


def join(addresses: Sequence[str], number: int) -> Team:
    """Make this process one of several; returns when all of them have joined.

    Call it before anything is computed, because JAX starts only once.

    Args:
        addresses: of every process, the first one with a port: ``["10.0.0.1:12345", "10.0.0.2"]``.
        number: of this process, from 0.

    Returns:
        The team, for the training recipes.

    Raises:
        CourseError: Keras's backend is not JAX, or the number is out of range.
    """
    if keras.backend.backend() != "jax":
        raise CourseError(
            f"Training on several processes needs Keras on JAX, not on {keras.backend.backend()}: "
            "set KERAS_BACKEND=jax."
        )
    if not 0 <= number < len(addresses):
        raise CourseError(
            f"The process is {number}, and must be from 0 to {len(addresses) - 1}: "
            f"there are {len(addresses)} addresses."
        )
    import jax

    jax.config.update("jax_cpu_collectives_implementation", "gloo")  # on CPUs there is no default
    keras.distribution.initialize(",".join(addresses), len(addresses), number)
    return team()


def team() -> Team:
    """Return the processes that ``join`` brought together, or this one alone."""
    return Team(processes()[1], own_rows, train_together)


def processes() -> tuple[int, int]:
    """Return the number of this process and how many there are: (0, 1) unless ``join`` was called."""
    if keras.backend.backend() != "jax":
        return 0, 1
    import jax

    return jax.process_index(), jax.process_count()


def own_rows(batches: Iterator) -> Iterator:
    """Yield this process's rows of every batch, which are all of them unless ``join`` was called.

    Args:
        batches: of ({name: (batch, ...) array}, (batch,) targets).

    Raises:
        CourseError: the processes cannot share a batch equally.
    """
    number, count = processes()
    for inputs, targets in batches:
        if len(targets) % count:
            raise CourseError(
                f"A batch has {len(targets)} rows, and must divide by {count} processes."
            )
        own = slice(number * len(targets) // count, (number + 1) * len(targets) // count)
        yield {name: rows[own] for name, rows in inputs.items()}, targets[own]


def train_together(
    encoder: SentenceEncoder,
    make: Callable[[], SentenceEncoder],
    train: Callable[[SentenceEncoder], Run],
) -> Run:
    """Train an encoder on all processes; a single process just trains it.

    A distributed model belongs to all processes from its creation. So a copy with the weights of ``encoder`` is
    trained, and ``encoder``, which can embed and be saved without the other processes, gets them back.

    Args:
        encoder: gets the trained weights.
        make: makes another encoder like it.
        train: called with the encoder to train.

    Returns:
        What ``train`` returns.
    """
    if processes()[1] == 1:
        return train(encoder)
    with keras.distribution.DataParallel(auto_shard_dataset=False).scope():
        copy = make()
        copy.model.set_weights(encoder.model.get_weights())
        result = train(copy)
        weights = [np.asarray(weight.value.addressable_data(0)) for weight in copy.model.weights]
    encoder.model.set_weights(weights)
    return result
