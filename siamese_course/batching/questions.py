"""Batches of question pairs: the classic generator, and batches without false negatives."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from siamese_course.batching.padding import pad_pair
from siamese_course.validation import (
    require_count,
    require_equal_sides,
    require_labels,
    require_numbers,
    require_rng,
)

BATCH_SIZE = 256
LENGTH_BUCKETS = 8


def classic_batches(
    left: Sequence[Sequence[int]],
    right: Sequence[Sequence[int]],
    batch_size: int,
    *,
    shuffle: bool = True,
    rng: np.random.Generator | None = None,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield batches of duplicates endlessly, as the classic generator does.

    A batch that is half full at the end of an epoch is filled from the next one. (The published
    version sets its index to the length of the data there, instead of 0, and fails with an IndexError.)
    Nothing keeps two rows of one duplicate group out of a batch.

    Args:
        left, right: n lists of ids each; row i of both is a duplicate pair.
        batch_size: rows in a batch, from 1 to n.
        shuffle: draw a new order in every epoch.
        rng: generator of the orders; required if ``shuffle``.

    Yields:
        (left, right): two (batch_size, length) int32 arrays, length a power of two.

    Raises:
        TypeError: ``rng`` is not a NumPy random generator.
        ValueError: sides of unequal length, a batch size out of range, or ``shuffle`` without ``rng``.
    """
    require_equal_sides(left, right)
    require_count(batch_size, "batch_size", len(left), f"the {len(left)} rows there are")
    if shuffle and rng is None:
        raise ValueError("shuffle is True and rng is None; expected a NumPy random generator")
    if shuffle:
        require_rng(rng)

    def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        n, rows = len(left), []
        while True:
            for row in rng.permutation(n) if rng is not None and shuffle else range(n):
                rows.append(row)
                if len(rows) == batch_size:
                    yield pad_pair([left[r] for r in rows], [right[r] for r in rows])
                    rows = []

    return batches()  # and the errors above are raised at once, not with the first batch


def group_batches(
    groups: npt.ArrayLike,
    batch_size: int,
    rng: np.random.Generator,
    lengths: npt.ArrayLike | None = None,
) -> list[np.ndarray]:
    """Return one epoch of batches as row indices, without two rows of one group in a batch.

    The rows are dealt like cards: group by group, one row to each batch in turn. There are at least as
    many batches as the largest group has rows, so the rows of a group always go to different ones.
    With ``lengths`` and at least 16 batches, groups of similar length are dealt together, which saves padding.

    Args:
        groups: (n,) the duplicate group of each row.
        batch_size: maximum rows in a batch.
        lengths: (n,) number of tokens of each row.

    Returns:
        Row indices of each batch; every row occurs once. One very large group makes all batches
        smaller.

    Raises:
        TypeError: ``rng`` is not a NumPy random generator.
        ValueError: ``batch_size`` is not between 1 and n, or ``groups`` or ``lengths`` is not (n,).
    """
    groups = as_groups(groups)
    require_count(batch_size, "batch_size", len(groups), f"the {len(groups)} rows there are")
    require_rng(rng)
    if lengths is not None:
        expected = f"({len(groups)},), as groups"
        lengths = require_numbers(lengths, "lengths", (len(groups),), expected)
    _, groups = np.unique(groups, return_inverse=True)
    place = rng.permutation(groups.max() + 1)[groups]  # the groups in random order
    shuffled = rng.permutation(len(groups))
    dealt = shuffled[np.argsort(place[shuffled], kind="stable")]
    # Enough batches for every row of the largest group to get one of its own
    count = max(-(-len(groups) // batch_size), int(np.bincount(groups).max()))
    if lengths is None or count < 2 * LENGTH_BUCKETS:
        batches = _deal(dealt, count)
    else:
        batches = _deal_by_length(dealt, groups, lengths, count)
    return [batches[number] for number in rng.permutation(len(batches))]


def _deal(rows: np.ndarray, count: int) -> list[np.ndarray]:
    """Deal one row to each of ``count`` batches in turn, so that neighbors go to different ones."""
    return [rows[start::count] for start in range(count)]


def _deal_by_length(
    dealt: np.ndarray, groups: np.ndarray, lengths: np.ndarray, count: int
) -> list[np.ndarray]:
    """Fill each batch from one bucket of lengths; groups too large for a bucket go to all batches."""
    sizes = np.bincount(groups)
    mean = np.bincount(groups, lengths) / sizes
    is_large = sizes[groups[dealt]] > count // LENGTH_BUCKETS
    large, small = dealt[is_large], dealt[~is_large]
    small = small[np.argsort(mean[groups[small]], kind="stable")]  # groups stay whole
    ends = np.linspace(0, count, LENGTH_BUCKETS + 1).round().astype(int)
    cuts = (ends * len(small) / count).round().astype(int)
    batches = []
    for start, end, first, last in zip(cuts[:-1], cuts[1:], ends[:-1], ends[1:], strict=True):
        bucket = small[start:end]
        by_group = bucket[np.argsort(groups[bucket], kind="stable")]
        batches += _deal(by_group, last - first)
    by_size = np.argsort([len(batch) for batch in batches], kind="stable")
    for number, rows in zip(by_size, _deal(large, count), strict=True):
        batches[number] = np.concatenate([batches[number], rows])
    return batches


def false_negatives(groups: npt.ArrayLike, batches: Iterable[np.ndarray]) -> float:
    """Return the fraction of rows with a false negative: another row of their group in their batch.

    ``groups`` is (n,), and each of ``batches`` holds row indices, (rows,). Raises TypeError if ``batches`` is not
    iterable, and ValueError if it is empty, an index is not from 0 to n - 1, or ``groups`` has another shape.
    """
    groups = as_groups(groups)
    if not isinstance(batches, Iterable):
        raise TypeError(f"batches is {batches!r}; expected arrays of row indices")
    met = total = 0
    for batch in batches:
        batch = require_labels(batch, name="batches")
        outside = batch[(batch < 0) | (batch >= len(groups))]
        if len(outside):
            raise ValueError(f"batches holds row {outside[0]}; expected 0 to {len(groups) - 1}")
        _, codes, counts = np.unique(groups[batch], return_inverse=True, return_counts=True)
        met += int((counts[codes] > 1).sum())
        total += len(batch)
    if not total:
        raise ValueError("batches is empty; expected at least one")
    return met / total


def as_groups(groups: npt.ArrayLike) -> np.ndarray:
    """Groups may be numbers or strings: (n,)."""
    try:
        groups = np.asarray(groups)
    except ValueError as error:
        raise ValueError("groups is ragged; expected (n,), one group for each row") from error
    if groups.ndim != 1 or groups.dtype == object:
        raise ValueError(
            f"groups has shape {groups.shape} and dtype {groups.dtype}; expected (n,) numbers or strings"
        )
    if groups.dtype.kind == "f" and np.isnan(groups).any():
        raise ValueError("groups holds NaN; expected a group for each row")
    return groups
