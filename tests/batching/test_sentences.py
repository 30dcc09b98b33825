"""Batches of tokenized sentences: padded to need, every row once, in the order they should have."""

from itertools import islice

import keras
import numpy as np
import pytest

from siamese_course.batching import sentences as batching

# --- padding and batches by length ---


def test_rows_are_padded_to_need_or_to_a_given_length():
    batch = batching.pad_rows([[5, 6, 7], [8]], 1)
    assert batch["token_ids"].tolist() == [[5, 6, 7, 1, 1, 1, 1, 1], [8, 1, 1, 1, 1, 1, 1, 1]]
    assert batch["padding_mask"].tolist() == [[1, 1, 1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0]]
    assert {array.dtype for array in batch.values()} == {np.dtype("int32")}
    assert batching.pad_rows([[1] * 8, [1] * 9], 1)["token_ids"].shape == (2, 16)
    assert batching.pad_rows([[1] * 3], 1, length=5)["token_ids"].shape == (1, 5)
    assert batching.pad_rows([[]], 1)["padding_mask"].tolist() == [[0] * 8]


@pytest.mark.parametrize(("n", "rows", "batches"), [(1, 8, 1), (8, 8, 1), (20, 16, 2), (33, 16, 3)])
def test_length_batches_hold_every_row_once_the_longest_first(n, rows, batches):
    rng = np.random.default_rng(n)
    made = [[100 + index] * rng.integers(1, 30) for index in range(n)]
    got = list(batching.length_batches(made, 16, 1))
    assert len(got) == batches
    assert sorted(np.concatenate([indices for indices, _ in got])) == list(range(n))
    lengths = []
    for indices, batch in got:
        assert batch["token_ids"].shape[0] == rows
        longest = max(len(made[i]) for i in indices)
        rounded = 8 * -(-longest // 8) if keras.backend.backend() == "jax" else longest
        assert batch["token_ids"].shape[1] == rounded
        for index, ids, mask in zip(indices, *batch.values(), strict=False):
            assert ids[mask == 1].tolist() == made[index]
            lengths.append(len(made[index]))
    assert lengths == sorted(lengths, reverse=True)
    assert list(batching.length_batches([], 16, 1)) == []


@pytest.mark.parametrize("tokens", [1, 40, 200, 10_000])
def test_length_batches_hold_so_many_tokens_at_most(tokens):
    rng = np.random.default_rng(0)
    made = [[7] * rng.integers(0, 30) for _ in range(100)]
    got = list(batching.length_batches(made, 16, 1, tokens))
    assert sorted(np.concatenate([indices for indices, _ in got])) == list(range(100))
    for indices, batch in got:
        rows, longest = len(batch["token_ids"]), max(1, len(made[indices[0]]))
        assert rows == 1 or rows * longest <= tokens
        assert rows == 16 or (rows + 1) * longest > tokens  # no fewer than there is room for


# --- random batches ---


def numbered_sides(n, sides=2, max_length=30, seed=0):
    """Row r has the ids 100 + r on every side, from 1 to ``max_length`` of them: it can be told in a batch."""
    rng = np.random.default_rng(seed)
    return [
        [[100 + r] * int(rng.integers(1, max_length + 1)) for r in range(n)] for _ in range(sides)
    ]


def rows_in(batch, sides):
    """The row indices of a batch, after a check of all that it holds."""
    inputs, targets = batch
    ids, mask = inputs["token_ids"], inputs["padding_mask"]
    assert ids.shape == mask.shape == (len(targets), len(sides), ids.shape[2])
    assert ids.dtype == mask.dtype == np.int32
    indices = ids[:, 0, 0] - 100
    for index, row, row_mask in zip(indices, ids, mask, strict=True):
        for side, got, real in zip(sides, row, row_mask, strict=True):
            assert got[real == 1].tolist() == side[index]
            assert set(got[real == 0]) <= {1}
    assert np.array_equal(targets, 0.5 * indices)
    return indices


def epochs(n, batch_size, count, *, sides=2, length=None, seed=0):
    """Row indices of whole epochs: (count, batches, batch)."""
    rows = numbered_sides(n, sides)
    batches = batching.random_batches(
        rows, 0.5 * np.arange(n), batch_size, np.random.default_rng(seed), 1, length
    )
    taken = [rows_in(batch, rows) for batch in islice(batches, count * (n // batch_size))]
    return np.array(taken).reshape(count, n // batch_size, batch_size)


@pytest.mark.parametrize("length", [None, 40])
@pytest.mark.parametrize("sides", [2, 3])
def test_every_row_once_in_an_epoch(length, sides):
    for order in epochs(48, 8, 3, sides=sides, length=length):
        assert sorted(order.ravel()) == list(range(48))


@pytest.mark.parametrize("length", [None, 40])
@pytest.mark.parametrize("pool", [1, 3, 50])
def test_what_does_not_fill_a_batch_is_left_out_of_an_epoch_by_chance(monkeypatch, length, pool):
    """And not the longest rows, which are last where rows of similar length are put together."""
    monkeypatch.setattr(batching, "POOL", pool)
    taken = epochs(60, 8, 60, length=length)
    for order in taken:
        assert len(set(order.ravel())) == 56
    times = np.bincount(taken.ravel(), minlength=60)
    assert times.min() > 40  # of 60 epochs; 56 is the mean
    longest = np.argsort([max(map(len, row)) for row in zip(*numbered_sides(60), strict=True)])[-4:]
    assert times[longest].mean() > 50


@pytest.mark.parametrize("length", [None, 40])
def test_batches_come_in_random_order(length):
    first, second = epochs(48, 8, 2, length=length)
    assert not np.array_equal(first, second)
    assert np.array_equal(epochs(48, 8, 2, length=length), [first, second])  # one seed, one order
    assert not np.array_equal(epochs(48, 8, 2, length=length, seed=1), [first, second])
    lengths = np.max([[len(row) for row in side] for side in numbered_sides(48)], axis=0)
    longest = lengths[first].max(axis=1).tolist()
    assert longest != sorted(longest)  # not from the short ones to the long


def test_a_batch_is_padded_to_its_need_or_to_a_given_length():
    n, rows = 400, numbered_sides(400, max_length=60)
    targets, rng = 0.5 * np.arange(n), np.random.default_rng(0)
    shapes = {
        length: [
            inputs["token_ids"].shape[2]
            for inputs, _ in islice(batching.random_batches(rows, targets, 8, rng, 1, length), 50)
        ]
        for length in (None, 64)
    }
    assert set(shapes[64]) == {64}
    lengths = np.sort(np.max([[len(row) for row in side] for side in rows], axis=0))
    need = [int(batch[-1]) for batch in np.split(lengths, 50)]
    if keras.backend.backend() == "jax":
        need = [8 * -(-length // 8) for length in need]
    assert (
        sorted(shapes[None]) == need
    )  # as well as it can be done: rows of similar length together
    assert np.mean(need) < 0.75 * 64


def test_a_batch_larger_than_the_data_is_all_of_it():
    rows = numbered_sides(5)
    batches = batching.random_batches(rows, 0.5 * np.arange(5), 32, np.random.default_rng(0), 1)
    for batch in islice(batches, 3):
        assert sorted(rows_in(batch, rows)) == list(range(5))


def test_targets_may_be_a_list_or_a_column_of_shuffled_rows():
    import pandas as pd

    rows, scores = numbered_sides(5), [4.0, 0.0, 3.0, 1.0, 2.0]
    column = pd.Series(scores, index=[3, 1, 4, 0, 2])
    for targets in (scores, column):
        batches = batching.random_batches(rows, targets, 5, np.random.default_rng(0), 1)
        batch, found = next(batches)
        assert found.tolist() == [scores[row] for row in batch["token_ids"][:, 0, 0] - 100]
