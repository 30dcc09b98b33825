"""Padding: rows of ids of different lengths as one array."""

from collections.abc import Sequence

import numpy as np

from siamese_course.validation import (
    require_count,
    require_equal_sides,
    require_ids,
    require_number,
)

PAD = 1
"""The id of padding."""

MIN_WEIGHT = 1e-9
"""Smallest sum of weights to divide by, in a mean over nothing but padding."""


def power_of_two(length: int) -> int:
    """Return the power of two at or above a length: 1, 2, 4, 8, ..."""
    require_number(length, "length")
    return 1 << max(0, int(length) - 1).bit_length()


def pad(rows: Sequence[Sequence[int]], length: int | None = None) -> np.ndarray:
    """Return rows of ids as one array, padded at the end.

    Args:
        rows: n lists of ids.
        length: length to pad to. The default is the power of two at or above the longest row.

    Returns:
        (n, length) int32.

    Raises:
        TypeError: a row is not a list of ids.
        ValueError: a row is longer than ``length``.
    """
    require_ids(rows)
    return fill(rows, _common_length(rows) if length is None else length, PAD)


def pad_pair(
    left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Pad both sides of a batch to one common length: two (n, length) int32 arrays.

    Raises:
        TypeError: a row is not a list of ids.
        ValueError: sides of unequal length.
    """
    require_equal_sides(left, right)
    length = _common_length([*left, *right])
    return fill(left, length, PAD), fill(right, length, PAD)


def _common_length(rows: Sequence[Sequence[int]]) -> int:
    return power_of_two(max(map(len, rows), default=1))


def fill(rows: Sequence[Sequence[int]], length: int, pad_id: int) -> np.ndarray:
    """Return rows that are known to be ids, padded at the end: (n, length) int32.

    Raises:
        ValueError: a row is longer than ``length``.
    """
    require_count(length, "length")
    longest = max(map(len, rows), default=1)
    if length < longest:
        raise ValueError(f"length is {length}; expected {longest} at least, the longest row's")
    filled = np.full((len(rows), length), pad_id, "int32")
    for place, row in zip(filled, rows, strict=True):
        place[: len(row)] = row
    return filled
