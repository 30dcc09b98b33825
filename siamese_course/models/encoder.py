"""What all encoders share, whether they embed images, questions or sentences."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from siamese_course import search
from siamese_course.runtime.errors import CourseError
from siamese_course.validation import require_count

MARKS = {
    "image_encoder.json": "images",
    "encoder.json": "questions",
    "sentence_encoder.json": "sentences",
    "modules.json": "sentences",
}
"""The file by which a folder of each kind is known, and the module that reads it."""


def require_sizes(**sizes: int) -> None:
    """Require sizes of a model, each an integer of at least 1; a ValueError names the first that is not."""
    for name, value in sizes.items():
        require_count(value, name)


@contextmanager
def reading(folder: Path, kind: str, remedy: str = "") -> Iterator[None]:
    """Make one CourseError of what missing or damaged files of an encoder raise."""
    damaged = AttributeError, BadZipFile, EOFError, LookupError, OSError, TypeError, ValueError
    try:
        yield
    except damaged as error:
        raise CourseError(f"{folder} holds no {kind} encoder ({error}).{remedy}") from error


class Encoder:
    """An encoder that embeds items: ``encode``, ``search`` and ``save``.

    Items are a list, a NumPy array, a pandas column or a Hugging Face one.
    """

    def encode(self, items: Any, batch_size: int = 64) -> np.ndarray:
        """Embed n items: (n, dim) float32."""
        raise NotImplementedError

    def save(self, folder: Path | str) -> None:
        """Write the encoder to a folder, wholly or not at all."""
        raise NotImplementedError

    def search(self, queries: Any, collection: Any, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
        """Return the k items of a collection most similar to each query; see ``search.semantic_search``.

        Args:
            queries: m items.
            collection: n items, or their index from ``search.build_index``.
            k: items for each query, from 1 to n.

        Returns:
            (similarities, indices), each (m, k): cosines, best first, and indices of the collection's items.
        """
        if not hasattr(collection, "metric_type"):
            collection = self.encode(collection)
        return search.semantic_search(self.encode(queries), collection, k)


def load(folder: Path | str) -> Encoder:
    """Read an encoder of any kind that ``save`` wrote, or a folder of sentence-transformers.

    Raises:
        CourseError: the folder holds none, or a damaged one.
    """
    for name, module in MARKS.items():
        if Path(folder, name).is_file():
            return import_module(f"siamese_course.models.{module}").load_encoder(folder)
    raise CourseError(f"{folder} holds no encoder. Make one: siamese-course train --help")
