"""What the exercises of notebook 03 share: errors in plain words, pairs and triplets of embeddings."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from siamese_course.exercises.cases import Known, normal, require_trainable, tensor

PYTHON_MAX = Known(
    ("truth value",),
    "Python's own `max` cannot compare arrays: `ops.max` finds the largest value along an axis; `ops.maximum` takes "
    "the larger of two values, element by element.",
    "python_max",
)
SIDES = Known(
    ("too many values to unpack",),
    "The first axis of `embeddings` is the batch, the second one is the sides: `embeddings[:, 0]`, "
    "`embeddings[:, 1]`.",
    "batch_is_second",
)
CHANGED = (
    "Your code changes the embeddings in place. (`/=` and `-=` do that, and so does `faiss.normalize_L2`: give it a "
    "copy.)"
)


def embeddings_of(count: int, sides: int, dim: int, seed: int = 0, scale: float = 1.0) -> Any:
    """Random embeddings of pairs or triplets, (count, sides, dim)."""
    return tensor(normal(count, sides, dim, seed=seed, scale=scale))


def unit_rows(rows: np.ndarray, axis: int | None = 1) -> np.ndarray:
    """Rows divided by their lengths along an axis; with axis 1 each has length 1."""
    return rows / np.linalg.norm(rows, axis=axis, keepdims=True)


def ready_to_train(sides: int, *sizes: int) -> Callable:
    """The test of a loss: does a gradient come through the last of the answers, for batches of these sizes?"""

    def ready(*answers: Callable) -> None:
        inputs = keras.Input((sides, 4))
        model = keras.Model(inputs, keras.layers.Dense(3)(inputs))
        rows = [normal(size, sides, 4).astype("float32") for size in sizes]
        batches = [(each, np.zeros(len(each), "float32")) for each in rows]
        require_trainable(model, answers[-1], *batches)

    return ready
