"""Batches of images: pairs as index arrays, and plain batches for losses that form pairs themselves.

Pairs are index arrays ``(left, right)`` into the data, so that a generator copies no image. One call of
a generator is one epoch by default. ``same`` is 1.0 for a pair of one class and 0.0 for a pair of two.
"""

import itertools
import math
from collections.abc import Iterable, Iterator

import numpy as np

from siamese_course.validation import (
    require_count,
    require_images,
    require_labels,
    require_rng,
    require_shape,
)


def classic_pairs(
    labels: np.ndarray, batch_size: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield one epoch of pairs as the classic example draws them: two shuffled batches side by side.

    One permutation is cut into an even number of nearly equal batches of at least ``batch_size`` rows;
    batch 1 is paired with batch 2 row by row, 3 with 4, and so on. With ten classes about one pair
    in ten is similar. Where two neighbors differ by a row, the longer one drops it (the published code
    fails there), and no batch is left over (the published code drops an odd last one).

    Args:
        labels: (n,) labels; only how many there are matters here.
        batch_size: minimum pairs in a batch; 60,000 rows and 128 give 234 steps.

    Yields:
        (left, right): index arrays of equal length.

    Raises:
        ValueError: ``batch_size`` is not between 1 and half the number of rows.
    """
    require_shape(np.shape(labels), "labels", (None,), "(n,)")
    require_rng(rng)
    n = len(labels)
    require_count(batch_size, "batch_size", n // 2, f"half of the {n} rows")
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2], strict=True):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(
    labels: np.ndarray, batch_size: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield one epoch of pairs, half of them similar; every row is the left side once.

    A similar pair joins a row with another one of its class, a different pair with any row of another
    class; which of the two a row gets is drawn anew in every epoch.

    Args:
        labels: (n,) labels: at least two classes, at least two rows in each.
        batch_size: pairs in a batch; the last batch may be shorter.

    Yields:
        (left, right): index arrays of equal length.

    Raises:
        ValueError: ``batch_size`` is not between 1 and n, or the labels allow no such pairs.
    """
    labels = require_labels(labels)
    require_rng(rng)
    n = len(labels)
    require_count(batch_size, "batch_size", n, f"the {n} rows there are")
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
    images: np.ndarray, labels: np.ndarray, pairs: Iterable[tuple[np.ndarray, np.ndarray]]
) -> Iterator[tuple[tuple[np.ndarray, np.ndarray], np.ndarray]]:
    """Yield the images and targets of index pairs, as a siamese model trains on them.

    Args:
        images: (n, pixels) in [0, 1].
        labels: (n,) whole numbers.
        pairs: index arrays (left, right), as ``classic_pairs`` and ``balanced_pairs`` give them; they
            may be endless. Images are checked once, at the start.

    Yields:
        ((left images, right images), same): each (batch, pixels) float32, same (batch,) float32,
        1.0 where the two labels are equal.

    Raises:
        ValueError: images or labels of the wrong shape or range.
    """
    images = require_images(images)
    labels = require_labels(labels, len(images))
    if not isinstance(pairs, Iterable):
        raise TypeError(f"pairs is {pairs!r}; expected index arrays (left, right)")
    for left, right in pairs:
        if np.shape(left) != np.shape(right) or np.max([left, right]) >= len(images):
            raise ValueError(
                f"pairs holds {len(left)} and {len(right)} indices up to "
                f"{max(np.max(left), np.max(right))}; expected equal counts, below {len(images)}"
            )
        same = (labels[left] == labels[right]).astype("float32")
        yield (images[left], images[right]), same


def all_pairs_batches(
    images: np.ndarray,
    labels: np.ndarray,
    batch_size: int,
    rng: np.random.Generator,
    *,
    endless: bool = False,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield shuffled batches, for a loss that forms every pair inside a batch.

    A batch of B rows holds B (B - 1) / 2 pairs for the price of B forward passes. Every row occurs once
    in an epoch; batches differ in length by at most one row.

    Args:
        images: (n, pixels) in [0, 1].
        labels: (n,) whole numbers.
        batch_size: maximum rows in a batch.
        endless: one epoch after another instead of a single one. Images are checked only once.

    Yields:
        (images, labels): (batch, pixels) float32 and (batch,) int64.

    Raises:
        ValueError: bad images or labels, or ``batch_size`` not between 2 and n.
    """
    images = require_images(images)
    labels = require_labels(labels, len(images))
    require_rng(rng)
    require_count(batch_size, "batch_size", len(images), f"the {len(images)} rows there are", 2)
    count = -(-len(images) // batch_size)
    for _ in itertools.repeat(None) if endless else range(1):
        for rows in np.array_split(rng.permutation(len(images)), count):
            yield images[rows], labels[rows]


def shift_images(images: np.ndarray, rng: np.random.Generator, max_shift: int = 1) -> np.ndarray:
    """Shift every image by up to ``max_shift`` pixels in both directions; zeros fill the edge.

    Args:
        images: (n, side * side), (n, height, width) or (n, height, width, channels), in [0, 1].
        max_shift: the largest shift in pixels.

    Returns:
        A copy of the same shape.

    Raises:
        ValueError: another shape, or a flat image that is not square.
    """
    images = require_images(images)
    require_rng(rng)
    require_count(max_shift, "max_shift", low=0)
    side = math.isqrt(images.shape[1])
    if images.ndim == 2 and side * side != images.shape[1]:
        raise ValueError(f"images has {images.shape[1]} pixels; expected a square of a number")
    height, width = images.shape[1:3] if images.ndim > 2 else (side, side)
    edge = (max_shift, max_shift)
    padded = np.pad(images.reshape(len(images), height, width, -1), ((0, 0), edge, edge, (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (height, width), axis=(1, 2))
    down, right = rng.integers(0, 2 * max_shift + 1, size=(2, len(images)))
    shifted = windows[np.arange(len(images)), down, right]
    # The axes of a window come last; the channels belong behind them
    return np.moveaxis(shifted, 1, -1).reshape(images.shape)
