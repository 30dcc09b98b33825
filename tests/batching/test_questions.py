"""Batches of questions: the classic ones, and those without false negatives."""

import itertools

import numpy as np
import pytest

from siamese_course.batching import questions as batching


def rng(seed=0):
    return np.random.default_rng(seed)


def expected_array(rows, length):
    return [[row[i] if i < len(row) else 1 for i in range(length)] for row in rows]


# --- classic batches ---


def numbered(n, first):
    """Row i says its number, and is as long as its number has digits."""
    return [[first + i] * len(str(i)) for i in range(n)]


def rows_of(batches, first=10_000):
    return [(left[:, 0] - first).tolist() for left, _ in batches]


def take(n, batch_size, count, **options):
    stream = batching.classic_batches(
        numbered(n, 10_000), numbered(n, 20_000), batch_size, **options
    )
    return list(itertools.islice(stream, count))


@pytest.mark.parametrize(("n", "batch_size"), [(10, 4), (10, 5), (7, 7), (5, 1), (11, 10), (1, 1)])
def test_classic_batches_carry_over_from_epoch_to_epoch(n, batch_size):
    batches = take(n, batch_size, 40, rng=rng(3))
    same_source, order = rng(3), []
    while len(order) < 40 * batch_size:
        order += same_source.permutation(n).tolist()
    assert rows_of(batches) == [
        order[batch_size * i : batch_size * (i + 1)] for i in range(40)
    ]  # every epoch is a whole permutation, and no row is left out at its end
    for left, right in batches:
        assert (right[:, 0] - left[:, 0]).tolist() == [10_000] * batch_size
        assert left.shape == right.shape == (batch_size, left.shape[1])


def test_classic_batches_in_the_files_order():
    batches = take(5, 2, 10, shuffle=False)
    assert rows_of(batches) == [[0, 1], [2, 3], [4, 0], [1, 2], [3, 4]] * 2
    assert rows_of(take(5, 2, 10, shuffle=False, rng=rng(7))) == rows_of(batches)


def test_classic_batches_hold_the_padded_rows():
    left, right = [[5, 6, 7], [8]], [[9], [10] * 5]
    ((first, second),) = itertools.islice(
        batching.classic_batches(left, right, 2, shuffle=False), 1
    )
    assert first.tolist() == expected_array(left, 8)
    assert second.tolist() == expected_array(right, 8)
    assert (first.dtype, second.dtype) == ("int32", "int32")


def test_classic_batches_follow_the_seed():
    first, again, other = (rows_of(take(50, 8, 20, rng=rng(seed))) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert first[:6] != first[6:12]


@pytest.mark.parametrize("batch_size", [0, -1, 4])
def test_a_batch_size_that_does_not_fit_is_refused_at_the_call(batch_size):
    rows = numbered(3, 2)
    with pytest.raises(ValueError, match=f"batch_size is {batch_size}; expected 1 to 3"):
        batching.classic_batches(rows, rows, batch_size, rng=rng())


def test_other_errors_are_raised_at_the_call():
    rows = numbered(3, 2)
    with pytest.raises(
        ValueError, match="left has 3 rows and right has 2; expected the same number"
    ):
        batching.classic_batches(rows, rows[:2], 1, rng=rng())
    with pytest.raises(ValueError, match="shuffle is True and rng is None"):
        batching.classic_batches(rows, rows, 1)
    with pytest.raises(ValueError, match="batch_size is 1; expected 1 to 0"):
        batching.classic_batches([], [], 1, rng=rng())


# --- batches with one row of a group ---


def zipf_groups(n, seed=0):
    """Many small groups and a few large ones, with gaps between the numbers."""
    return rng(seed).zipf(1.7, n).clip(max=400) * 17


def require_whole_and_apart(groups, batches, batch_size):
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(len(groups)))
    for batch in batches:
        assert 1 <= len(batch) <= batch_size
        met = [groups[row] for row in batch]
        assert len(met) == len(set(met))


@pytest.mark.parametrize("with_lengths", [False, True])
@pytest.mark.parametrize(("n", "batch_size"), [(1, 1), (7, 3), (200, 200), (500, 8), (3000, 64)])
def test_every_row_once_and_no_two_of_a_group_together(n, batch_size, with_lengths):
    for seed in range(4):
        groups = zipf_groups(n, seed)
        lengths = rng(seed).integers(1, 40, n) if with_lengths else None
        batches = batching.group_batches(groups, batch_size, rng(seed), lengths)
        require_whole_and_apart(groups, batches, batch_size)


def test_batch_sizes_differ_by_one_and_are_as_large_as_they_can_be():
    groups = np.repeat(np.arange(100), 3)
    sizes = [len(batch) for batch in batching.group_batches(groups, 64, rng())]
    assert sorted(sizes) == [60] * 5
    sizes = [len(batch) for batch in batching.group_batches(groups, 7, rng())]
    assert len(sizes) == 43
    assert set(sizes) == {6, 7}


@pytest.mark.parametrize("lengths", [None, np.full(100, 5)])
def test_one_huge_group_gives_batches_of_one_row(lengths):
    batches = batching.group_batches([4] * 100, 10, rng(), lengths)
    assert [len(batch) for batch in batches] == [1] * 100
    assert sorted(np.concatenate(batches).tolist()) == list(range(100))


def test_one_large_group_among_many_is_spread_over_all_batches():
    groups = np.concatenate([np.zeros(50, int), np.arange(1, 951)])
    batches = batching.group_batches(groups, 100, rng())
    require_whole_and_apart(groups, batches, 100)
    assert len(batches) == 50
    assert [sum(groups[batch] == 0) for batch in batches] == [1] * 50


def test_groups_of_one_row_fill_whole_batches():
    assert [len(batch) for batch in batching.group_batches(np.arange(12), 12, rng())] == [12]
    assert [len(batch) for batch in batching.group_batches(np.arange(12), 4, rng())] == [4, 4, 4]


def test_groups_may_be_any_numbers_or_a_list():
    for groups in ([-5, 10**12, -5, 3], np.array([2.5, 1.5, 2.5, 0.0]), ["b", "a", "b", "c"]):
        require_whole_and_apart(groups, batching.group_batches(groups, 2, rng()), 2)


def padded_size(batches, lengths):
    return sum(len(batch) * max(lengths[row] for row in batch) for batch in batches)


def test_groups_of_similar_length_come_together():
    groups = np.repeat(np.arange(1000), 3)
    lengths = (np.repeat(rng(1).integers(4, 40, 1000), 3) + rng(2).integers(-2, 3, 3000)).tolist()
    mixed = padded_size(batching.group_batches(groups, 32, rng()), lengths)
    alike = padded_size(batching.group_batches(groups, 32, rng(), lengths), lengths)
    assert sum(lengths) < alike < 0.75 * mixed


def test_too_few_rows_for_buckets_fill_whole_batches():
    lengths = rng().integers(1, 40, 100)
    batches = batching.group_batches(np.arange(100), 20, rng(), lengths)
    assert [len(batch) for batch in batches] == [20] * 5


@pytest.mark.parametrize("lengths", [None, np.arange(600) % 30 + 1])
def test_group_batches_follow_the_seed_and_change_with_the_epoch(lengths):
    groups = zipf_groups(600)

    def epochs(seed):
        source = rng(seed)
        return [
            [batch.tolist() for batch in batching.group_batches(groups, 16, source, lengths)]
            for _ in range(2)
        ]

    assert epochs(1) == epochs(1)
    assert epochs(1)[0] != epochs(1)[1]
    assert epochs(1) != epochs(2)


@pytest.mark.parametrize("batch_size", [0, -3, 5])
def test_a_group_batch_size_that_does_not_fit_is_refused(batch_size):
    with pytest.raises(ValueError, match=f"batch_size is {batch_size}; expected 1 to 4"):
        batching.group_batches([0, 0, 1, 2], batch_size, rng())


def test_no_rows_and_lengths_of_others_are_refused():
    with pytest.raises(ValueError, match="batch_size is 1; expected 1 to 0"):
        batching.group_batches([], 1, rng())
    with pytest.raises(ValueError):
        batching.group_batches([0, 1, 2], 2, rng(), [4, 4])


# --- false negatives ---


def test_false_negatives_by_hand():
    groups = [7, 7, 8, 8, 8, 9]
    assert batching.false_negatives(groups, [np.arange(6)]) == pytest.approx(5 / 6)
    assert batching.false_negatives(
        groups, [np.array([0, 2, 5]), np.array([1, 3, 4])]
    ) == pytest.approx(2 / 6)
    assert (
        batching.false_negatives(groups, [np.array([0, 2]), np.array([1, 3]), np.array([4, 5])])
        == 0
    )


@pytest.mark.parametrize("seed", range(5))
def test_false_negatives_count_rows_that_meet_their_group(seed):
    groups = zipf_groups(400, seed)
    batches = np.array_split(rng(seed).permutation(400), 9)
    met = 0
    for batch in batches:
        for row in batch:
            met += any(groups[row] == groups[other] and row != other for other in batch)
    assert batching.false_negatives(groups, batches) == met / 400
    assert batching.false_negatives(groups, iter(batches)) == met / 400
    assert met > 0
    assert batching.false_negatives(groups, batching.group_batches(groups, 50, rng())) == 0
