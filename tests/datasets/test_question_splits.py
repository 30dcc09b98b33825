"""Splits of question pairs: no question in two of them."""

import itertools

import numpy as np
import pytest

from siamese_course.datasets import question_splits
from tests.made_up import as_set, pairs_of, texts

# --- components ---


def union_find(links):
    """The root of each number, by hand."""
    parent = {}

    def root(number):
        parent.setdefault(number, number)
        return number if parent[number] == number else root(parent[number])

    for left, right in links:
        parent[root(left)] = root(right)
    return root


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("duplicates_only", [False, True])
def test_components_are_those_of_union_find(seed, duplicates_only):
    rng = np.random.default_rng(seed)
    links = rng.integers(0, 100, (70, 2)) * 1_000_003  # ids need not be small or without gaps
    pairs = pairs_of(links, rng.integers(0, 2, 70))
    found = question_splits.components(pairs, duplicates_only=duplicates_only)
    used = links[pairs.same == 1] if duplicates_only else links
    root = union_find(used.tolist())
    roots = [root(number) for number in links[:, 0].tolist()]
    assert found.shape == (70,)
    assert 1 < len(set(roots)) < 70
    for i, j in itertools.combinations(range(70), 2):
        assert (found[i] == found[j]) == (roots[i] == roots[j])


def test_components_by_hand():
    pairs = pairs_of([(1, 2), (2, 3), (3, 4), (5, 6), (7, 7)], [1, 1, 0, 1, 1])
    a, b, c, d, e = question_splits.components(pairs)
    assert a == b == c
    assert len({a, d, e}) == 3
    a, b, c, d, e = question_splits.components(pairs, duplicates_only=True)
    assert a == b == c  # the third pair's first question is in the first group
    assert len({a, d, e}) == 3
    a, b = question_splits.components(pairs_of([(1, 2), (3, 2)], [1, 0]), duplicates_only=True)
    assert a != b


# --- splits ---


def clusters(rng, count=2500, questions_each=4, pairs_each=4):
    """Random pairs inside little clusters of questions, shuffled."""
    cluster = np.repeat(np.arange(count), rng.integers(1, pairs_each + 1, count))
    links = cluster[:, None] * questions_each + rng.integers(0, questions_each, (len(cluster), 2))
    return pairs_of(rng.permutation(links), rng.integers(0, 2, len(links)))


@pytest.mark.parametrize("fractions", [(0.8, 0.1, 0.1), (0.5, 0.5), (0.94, 0.06), (1.0,)])
def test_no_question_is_in_two_splits_and_no_pair_is_lost(fractions):
    pairs = clusters(np.random.default_rng(0))
    splits = question_splits.split_pairs(pairs, fractions)
    assert len(splits) == len(fractions)
    for one, other in itertools.combinations(splits, 2):
        assert not texts(one) & texts(other)
        assert not {*one.qid1, *one.qid2} & {*other.qid1, *other.qid2}
    assert sorted(row for split in splits for row in as_set(split)) == as_set(pairs)
    for split, fraction in zip(splits, fractions, strict=True):
        assert len(split) / len(pairs) == pytest.approx(fraction, abs=0.002)


def test_linked_by_any_pair_is_linked():
    """0-1 is a duplicate and 1-2 is not: all three questions go to one split."""
    pairs = pairs_of([(0, 1), (1, 2), (3, 4), (5, 6)], [1, 0, 1, 0])
    for seed in range(10):
        splits = question_splits.split_pairs(pairs, (0.5, 0.5), seed)
        assert sum(map(len, splits)) == 4
        assert any({"question 0", "question 1", "question 2"} <= texts(split) for split in splits)


def test_large_components_do_not_spoil_the_fractions():
    chains = [(n, n + 1) for n in range(600)] + [(n, n + 1) for n in range(1000, 1300)]
    pairs = pairs_of(chains + [(n, n + 1) for n in range(10_000, 18_000, 2)])
    for seed in range(5):
        splits = question_splits.split_pairs(pairs, (0.8, 0.1, 0.1), seed)
        for split, fraction in zip(splits, (0.8, 0.1, 0.1), strict=True):
            assert len(split) / len(pairs) == pytest.approx(fraction, abs=0.002)


def test_as_many_splits_as_components_leave_none_empty():
    pairs = pairs_of([(0, 1), (1, 2), (2, 3), (4, 5), (6, 7)])
    for seed in range(10):
        assert min(map(len, question_splits.split_pairs(pairs, (0.8, 0.1, 0.1), seed))) >= 1


def test_splits_follow_the_seed():
    pairs = clusters(np.random.default_rng(2), 200)
    first, again, other = (
        list(map(as_set, question_splits.split_pairs(pairs, seed=seed))) for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("fractions", "message"),
    [
        ((0.8, 0.1), r"fractions is \(0\.8, 0\.1\); expected positive numbers that add up to 1"),
        ((1.2, -0.2), "expected positive numbers"),
        ((1, 0), "expected positive numbers"),
        ((0.2,) * 5, r"the pairs form 4 component\(s\); expected at least 5"),
    ],
)
def test_fractions_that_cannot_be_are_refused(fractions, message):
    with pytest.raises(ValueError, match=message):
        question_splits.split_pairs(pairs_of([(0, 1), (2, 3), (4, 5), (6, 7)]), fractions)


def test_one_component_cannot_be_split():
    with pytest.raises(ValueError, match=r"form 1 component\(s\); expected at least 3"):
        question_splits.split_pairs(pairs_of([(0, 1), (1, 2), (2, 3)]))


# --- drawing to a fraction ---


@pytest.mark.parametrize("fraction", [0.37, 0.5, 0.05, 0.9])
@pytest.mark.parametrize(
    ("duplicates", "others"), [(300, 300), (80, 20), (7, 1000), (1000, 70), (37, 63)]
)
def test_as_many_pairs_as_the_fraction_allows(duplicates, others, fraction):
    n = duplicates + others
    same = np.random.default_rng(0).permutation([1] * duplicates + [0] * others)
    pairs = pairs_of([(2 * i, 2 * i + 1) for i in range(n)], same)
    drawn = question_splits.draw_to_fraction(pairs, fraction)
    kinds = np.bincount(drawn.same, minlength=2)
    assert kinds[1] == duplicates or kinds[0] == others  # one kind is used up
    assert abs(kinds[1] - fraction * len(drawn)) <= 0.5
    assert len(set(drawn.qid1.tolist())) == len(drawn)
    assert set(as_set(drawn)) <= set(as_set(pairs))
    assert as_set(drawn) == as_set(question_splits.draw_to_fraction(pairs, fraction))
    assert drawn.qid1.tolist() == sorted(drawn.qid1.tolist())


def test_other_seeds_draw_other_pairs():
    pairs = pairs_of([(2 * i, 2 * i + 1) for i in range(200)], [0, 1] * 100)
    drawn = {tuple(as_set(question_splits.draw_to_fraction(pairs, seed=seed))) for seed in range(5)}
    assert len(drawn) == 5


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 1.5, float("nan")])
def test_a_fraction_that_is_none_is_refused(fraction):
    with pytest.raises(ValueError, match=r"fraction is .*; expected a number between 0 and 1"):
        question_splits.draw_to_fraction(pairs_of([(0, 1), (2, 3)], [0, 1]), fraction)


@pytest.mark.parametrize("same", [[1, 1, 1], [0, 0, 0]])
def test_both_kinds_are_needed(same):
    with pytest.raises(ValueError, match=r"\d duplicates and \d others.*expected enough of both"):
        question_splits.draw_to_fraction(pairs_of([(0, 1), (2, 3), (4, 5)], same))
