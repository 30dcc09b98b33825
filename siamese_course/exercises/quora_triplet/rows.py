"""What several exercises of notebook 02 test with: rows of ids, and a stand-in for a model."""

import contextlib
from collections.abc import Iterator

import numpy as np

from siamese_course.batching.padding import PAD
from siamese_course.exercises.cases import RAGGED, in_our_words
from siamese_course.exercises.engine import Wrong, seeded


def id_rows(count: int, max_length: int, seed: int) -> list[list[int]]:
    """Rows of ids without padding. The first id of a row is its largest, and tells which row it is."""
    rng = seeded(seed)
    return [
        [1000 * (seed + 1) + n, *rng.integers(2, 900, rng.integers(0, max_length))]
        for n in range(count)
    ]


@contextlib.contextmanager
def told_to_pad() -> Iterator[None]:
    """Report NumPy's error about rows of different lengths in our words."""
    with in_our_words(RAGGED):
        yield


class Embedder:
    """A stand-in for a model: bags of words as unit vectors, without padding. It records what it gets."""

    def __init__(self):
        self.table = seeded(8).normal(size=(5000, 6))
        self.table[PAD] = 0.0
        self.shapes, self.rows = [], []

    def __call__(self, ids):
        with told_to_pad():
            ids = np.asarray(ids)
        if ids.ndim != 2:
            raise Wrong(
                f"The model got an array of shape {ids.shape}; expected (batch, length). A single question is a batch "
                "of one: `[ids]`.",
                "no_batch",
            )
        self.shapes.append(ids.shape)
        self.rows += ids.tolist()
        vectors = self.table[ids % 5000].sum(axis=1)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
