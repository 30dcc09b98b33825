"""Data-parallel training: several processes hold one model, and each has its part of every batch.

With Keras' ``DataParallel`` on the JAX backend, over as many machines as there are addresses. All processes draw the same batches from
the same seed and keep their own rows of each; losses and gradients are of the whole batch, so that the losses of
all rows together are what one process alone would have seen.
"""

from collections.abc import Callable, Iterator, Sequence

import keras
import numpy as np

from siamese_course.runtime.errors import CourseError


def join(addresses: Sequence[str], number: int) -> None:
    """Make this process one of several; returns when all have come.

    To be called before anything is computed: JAX can then no longer be told.

    Args:
        addresses: of every process, the first one with a port: ``["10.0.0.1:12345", "10.0.0.2"]``.
        number: of this process among them, from 0.

    Raises:
        CourseError: Keras' backend is not JAX, or there is no process of that number.
    """
    if keras.backend.backend() != "jax":
        raise CourseError(
            f"Several processes need Keras on JAX, and it is on {keras.backend.backend()}: set KERAS_BACKEND=jax."
        )
    if not 0 <= number < len(addresses):
        raise CourseError(
            f"The process is {number}, and must be from 0 to {len(addresses) - 1}: "
            f"there are {len(addresses)} addresses."
        )
    import jax

    jax.config.update("jax_cpu_collectives_implementation", "gloo")  # on CPUs there is no default
    keras.distribution.initialize(",".join(addresses), len(addresses), number)


def processes() -> tuple[int, int]:
    """(number of this process, how many there are): (0, 1) unless ``join`` was called."""
    if keras.backend.backend() != "jax":
        return 0, 1
    import jax

    return jax.process_index(), jax.process_count()


def own_rows(batches: Iterator) -> Iterator:
    """Of every batch the rows of this process, which are all unless ``join`` was called.

    Args:
        batches: of ({name: (batch, ...) array}, (batch,) targets).

    Raises:
        CourseError: a batch does not divide by the number of processes.
    """
    number, count = processes()
    for inputs, targets in batches:
        if len(targets) % count:
            raise CourseError(
                f"A batch has {len(targets)} rows, and must divide by {count} processes."
            )
        part = slice(number * len(targets) // count, (number + 1) * len(targets) // count)
        yield {name: rows[part] for name, rows in inputs.items()}, targets[part]


def train_together(encoder, make: Callable, train: Callable):
    """Train an encoder by all processes; one process alone just trains it.

    A model belongs to all processes from its making on. So it is a copy that is trained, and ``encoder``, which is this
    process' own and can embed and be saved without the others, is given the copy's weights.

    Args:
        encoder: a ``SentenceEncoder``; gets the trained weights.
        make: makes a like one.
        train: is called with the encoder to train.

    Returns:
        What ``train`` returns.
    """
    if processes()[1] == 1:
        return train(encoder)
    with keras.distribution.DataParallel(auto_shard_dataset=False).scope():
        copy = make()
        result = train(copy)
        weights = [np.asarray(weight.value.addressable_data(0)) for weight in copy.model.weights]
    encoder.model.set_weights(weights)
    return result
