"""Padding: rows of ids of different lengths as one array."""

from collections.abc import Sequence

import numpy as np

from siamese_course.validation import require_between, require_count, require_ids

PAD = 1
"""The id of padding."""


def power_of_two(length: int) -> int:
    """Return the power of two at or above a length: 1, 2, 4, 8, ..."""
    require_between(length, "length", float("-inf"), float("inf"))
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
    longest = max(map(len, rows), default=1)
    length = power_of_two(longest) if length is None else length
    require_count(length, "length", low=1)
    if length < longest:
        raise ValueError(f"length is {length}; expected {longest} at least, the longest row's")
    padded = np.full((len(rows), length), PAD, "int32")
    for place, row in zip(padded, rows, strict=True):
        place[: len(row)] = row
    return padded


def pad_pair(
    left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Pad both sides of a batch to one common length: two (n, length) int32 arrays.

    Raises:
        TypeError: a row is not a list of ids.
        ValueError: sides of unequal length.
    """
    require_ids(left, "left")
    require_ids(right, "right")
    if len(left) != len(right):
        raise ValueError(f"left has {len(left)} rows and right has {len(right)}; expected as many")
    length = power_of_two(max(map(len, [*left, *right]), default=1))
    return pad(left, length), pad(right, length)
