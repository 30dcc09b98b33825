"""Padding, against loops by hand."""

import numpy as np
import pytest

from siamese_course.batching import padding


def rng(seed=0):
    return np.random.default_rng(seed)


# --- padding ---


@pytest.mark.parametrize("length", [-1, 0, *range(1, 40), 127, 128, 129, 1000, 1024, 1025])
def test_power_of_two_by_doubling(length):
    power = 1
    while power < length:
        power *= 2
    assert padding.power_of_two(length) == padding.power_of_two(np.int64(length)) == power


def random_rows(n, max_length=20, seed=0):
    source = rng(seed)
    return [source.integers(2, 99, source.integers(1, max_length + 1)).tolist() for _ in range(n)]


def expected_array(rows, length):
    return [[row[i] if i < len(row) else 1 for i in range(length)] for row in rows]


@pytest.mark.parametrize(("max_length", "length"), [(1, 1), (2, 2), (3, 4), (16, 16), (17, 32)])
def test_rows_are_filled_up_to_a_power_of_two(max_length, length):
    rows = [*random_rows(30, max_length), [5] * max_length]
    padded = padding.pad(rows)
    assert (padded.shape, padded.dtype) == ((31, length), "int32")
    assert padded.tolist() == expected_array(rows, length)


def test_padding_to_a_given_length():
    assert padding.pad([[5], [6, 7]], 3).tolist() == [[5, 1, 1], [6, 7, 1]]
    with pytest.raises(ValueError):
        padding.pad([[5, 6, 7, 8]], 3)


def test_padding_of_nothing():
    assert padding.pad([]).shape == (0, 1)
    assert padding.pad([[]]).tolist() == [[1]]
    left, right = padding.pad_pair([], [])
    assert left.shape == right.shape == (0, 1)


@pytest.mark.parametrize(("one", "other", "length"), [(3, 9, 16), (9, 3, 16), (4, 4, 4), (1, 2, 2)])
def test_both_sides_have_one_length(one, other, length):
    left = [*random_rows(10, one, 1), [5] * one]
    right = [*random_rows(10, other, 2), [5] * other]
    padded = padding.pad_pair(left, right)
    assert padded[0].tolist() == expected_array(left, length)
    assert padded[1].tolist() == expected_array(right, length)
