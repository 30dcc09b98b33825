"""Pairs to train on, and batches: every duplicate once, labeled differences behind them."""

import itertools
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest

from siamese_course.batching import padding
from siamese_course.datasets import question_splits
from siamese_course.datasets.quora import QuestionData
from siamese_course.recipes.question_batches import (
    DIFFERENT_FRACTION,
    course_batches,
    training_pairs,
)
from tests.made_up import FORMS, made_up_data

# --- batches ---


class Rows(NamedTuple):
    """Encoded pairs, as ``course_batches`` takes them."""

    left: list
    right: list
    same: np.ndarray
    groups: np.ndarray


def made_up_rows(duplicates, others, seed=0, per_group=3):
    """Row r has the left ids [100 + r, ...] and the right ids [1100 + r, ...]: it can be told in a batch."""
    rng = np.random.default_rng(seed)
    n = duplicates + others
    sides = [[[first + r] * rng.integers(1, 15) for r in range(n)] for first in (100, 1100)]
    same = np.repeat(np.array([1, 0], "int8"), [duplicates, others])
    order = rng.permutation(n)  # duplicates and others mixed
    return Rows(*sides, same[order], np.arange(n) // per_group)


def rows_in(batch, rows):
    """The row numbers of a batch, after a look at all that it holds."""
    (left, right), same = batch
    numbers = left[:, 0] - 100
    assert left.shape == right.shape
    assert left.shape[1] % 4 == 0
    assert left.dtype == right.dtype == np.int32 and same.dtype == np.float32
    for number, a, b in zip(numbers, left, right, strict=True):
        for got, side in ((a, rows.left), (b, rows.right)):
            assert got[got != padding.PAD].tolist() == list(side[number])
    assert np.array_equal(same, rows.same[numbers])
    return numbers


def epoch_of(batches, rows):
    """Row numbers of the next batches, until every duplicate was in one."""
    met, epoch = 0, []
    while met < (rows.same == 1).sum():
        epoch.append(rows_in(next(batches), rows))
        met += int((rows.same[epoch[-1]] == 1).sum())
    return epoch


@pytest.mark.parametrize(("duplicates", "others"), [(90, 60), (50, 400), (50, 3), (5, 20)])
def test_every_duplicate_once_an_epoch_filled_with_differences(duplicates, others):
    rows = made_up_rows(duplicates, others)
    batches = course_batches(*rows, np.random.default_rng(0), batch_size=16)
    orders = []
    for _ in range(3):
        epoch = epoch_of(batches, rows)
        (size,) = {
            len(batch) for batch in epoch
        }  # one shape for all, so that nothing is compiled anew
        assert size <= 16
        shares = [np.mean(rows.same[batch] == 0) for batch in epoch]
        assert max(shares) >= DIFFERENT_FRACTION - 0.05
        assert min(shares) > 0
        taken = np.concatenate([batch[rows.same[batch] == 1] for batch in epoch])
        assert sorted(taken) == np.flatnonzero(rows.same == 1).tolist()
        orders.append(taken.tolist())
    assert orders[0] != orders[1] != orders[2]


def test_no_two_duplicates_of_a_group_meet_in_a_batch():
    rows = made_up_rows(90, 60)
    batches = course_batches(*rows, np.random.default_rng(0), batch_size=16)
    for _ in range(3):
        for batch in epoch_of(batches, rows):
            groups = rows.groups[batch[rows.same[batch] == 1]]
            assert len(set(groups)) == len(groups)


def test_without_differences_a_batch_is_all_duplicates():
    rows = made_up_rows(50, 0)
    batches = course_batches(*rows, np.random.default_rng(0), batch_size=16)
    epoch = epoch_of(batches, rows)
    assert sorted(np.concatenate(epoch)) == list(range(50))
    assert {len(batch) for batch in epoch} <= {12, 13}  # four batches, as even as can be


def test_differences_are_about_as_long_as_the_duplicates():
    duplicates = [[7] * 4] * 40
    rng = np.random.default_rng(0)
    others = [[8] * rng.integers(1, 25) for _ in range(1000)]
    rows = Rows(
        duplicates + others,
        duplicates + others,
        np.repeat(np.array([1, 0], "int8"), [40, 1000]),
        np.arange(1040),
    )
    batches = course_batches(*rows, np.random.default_rng(0), batch_size=16)
    lengths = [sides[0].shape[1] for sides, _ in itertools.islice(batches, 20)]
    assert max(lengths) <= 12


def test_one_seed_gives_the_same_batches():
    rows = made_up_rows(50, 30)

    def first(seed):
        batches = course_batches(*rows, np.random.default_rng(seed), batch_size=16)
        return [rows_in(batch, rows).tolist() for batch in itertools.islice(batches, 6)]

    assert first(1) == first(1) != first(2)


# --- pairs to train on ---


@pytest.fixture
def made_up():
    return made_up_data()


def test_training_pairs_join_the_extra_duplicates_and_what_differs_in_writing_only(made_up):
    extra = [("how do i bake a cake", "baking a cake"), ("What's new?", "what s new")]
    pairs = training_pairs(
        QuestionData(made_up.train, made_up.validation, made_up.test, extra, "made up")
    )
    n = len(made_up.train)
    assert len(pairs) == n + 2
    assert pairs.question1[n:] == [left for left, _ in extra]
    assert pairs.question2[n:] == [right for _, right in extra]
    assert np.array_equal(pairs.same, [*made_up.train.same, 1, 1])
    cake = made_up.train.question1.index("How do I bake a cake?")
    assert pairs.qid1[cake] == pairs.qid1[n] != pairs.qid2[n]
    assert pairs.qid1[n + 1] == pairs.qid2[n + 1]
    assert len(set(pairs.qid1) | set(pairs.qid2)) == 20 * len(FORMS) + 2
    groups = question_splits.components(pairs, duplicates_only=True)
    assert groups[cake] == groups[n] != groups[n + 1]


def test_training_pairs_without_extra_duplicates_are_the_training_pairs(made_up):
    pairs = training_pairs(made_up)
    assert pairs.question1 == made_up.train.question1
    assert np.array_equal(pairs.same, made_up.train.same)
    assert np.array_equal(
        question_splits.components(pairs), question_splits.components(made_up.train)
    )


def test_one_very_long_question_does_not_make_room_for_as_many_of_its_length(made_up):
    long = [("word " * 20_000, "words " * 20_000)]
    with_long = QuestionData(made_up.train, made_up.validation, made_up.test, long, "made up")
    tracemalloc.start()
    training_pairs(with_long)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6  # 100,000 letters for each question would be 100 times as much
