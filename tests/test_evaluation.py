"""The metrics against loops written by hand, and what they refuse."""

import numpy as np
import pytest

from siamese_course.evaluation import (
    balanced_accuracy,
    choose_threshold,
    distances_to,
    knn_score,
    verify_one_shot,
)


def knn_by_hand(train, train_labels, test, test_labels, k):
    hits = 0
    for point, label in zip(test, test_labels, strict=True):
        near = sorted(range(len(train)), key=lambda i: sum((train[i] - point) ** 2))[:k]
        votes = {}
        for i in near:
            votes[train_labels[i]] = votes.get(train_labels[i], 0) + 1
        winner = min(votes, key=lambda c: (-votes[c], c))
        hits += winner == label
    return hits / len(test)


@pytest.mark.parametrize("k", [1, 4, 5])
def test_knn_score_is_the_loop(k):
    rng = np.random.default_rng(k)
    train, test = rng.normal(size=(80, 2)), rng.normal(size=(50, 2))
    train_labels, test_labels = rng.integers(0, 4, 80), rng.integers(0, 4, 50)
    got = knn_score(train, train_labels, test, test_labels, k)
    assert got == knn_by_hand(train, train_labels, test, test_labels, k)


def test_knn_score_of_clean_clusters_is_one():
    points = np.repeat([[0.0, 0.0], [9.0, 9.0]], 5, axis=0)
    labels = np.repeat([3, 8], 5)
    assert knn_score(points, labels, points + 0.1, labels) == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "k is 0; expected 1 to 10"),
        ({"k": 11}, "k is 11"),
        ({"train_labels": np.zeros(9, int)}, r"train_labels has shape \(9,\)"),
        ({"test_embeddings": np.full((4, 2), np.nan)}, "test_embeddings holds NaN"),
        ({"test_embeddings": np.zeros((0, 2)), "test_labels": np.zeros(0, int)}, "is empty"),
        ({"train_embeddings": np.zeros(10)}, r"train_embeddings has shape \(10,\)"),
        ({"test_labels": np.zeros(4)}, "test_labels has dtype float64"),
    ],
)
def test_knn_score_names_what_is_wrong(change, message):
    arguments = {
        "train_embeddings": np.zeros((10, 2)),
        "train_labels": np.zeros(10, int),
        "test_embeddings": np.zeros((4, 2)),
        "test_labels": np.zeros(4, int),
    }
    with pytest.raises(ValueError, match=message):
        knn_score(**{**arguments, **change})


def pairs(seed, n=300, ties=False):
    rng = np.random.default_rng(seed)
    same = rng.random(n) < 0.2
    distances = np.where(same, rng.gamma(2, 0.6, n), rng.gamma(8, 0.5, n))
    return (np.round(distances) if ties else distances), same.astype(int)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_no_threshold_is_better_than_the_chosen_one(seed, ties):
    distances, same = pairs(seed, ties=ties)
    best = balanced_accuracy(distances, same, choose_threshold(distances, same))
    everywhere = [*distances, distances.min() - 1]
    assert best == pytest.approx(max(balanced_accuracy(distances, same, t) for t in everywhere))


def test_balanced_accuracy_is_the_loop():
    distances, same = pairs(9)
    right = {0: [], 1: []}
    for d, s in zip(distances, same, strict=True):
        right[s].append((d <= 1.5) == (s == 1))
    by_hand = (sum(right[0]) / len(right[0]) + sum(right[1]) / len(right[1])) / 2
    assert balanced_accuracy(distances, same, 1.5) == pytest.approx(by_hand)


@pytest.mark.parametrize("function", [choose_threshold, lambda d, s: balanced_accuracy(d, s, 1.0)])
@pytest.mark.parametrize(
    ("distances", "same", "message"),
    [
        ([1.0, 2.0], [1, 1], "only one kind of pair"),
        ([1.0, np.nan], [1, 0], "distances holds NaN"),
        ([1.0, 2.0], [1, 0, 1], r"same has shape \(3,\)"),
        ([[1.0], [2.0]], [1, 0], r"distances has shape \(2, 1\)"),
    ],
)
def test_thresholds_refuse_bad_pairs(function, distances, same, message):
    with pytest.raises(ValueError, match=message):
        function(distances, same)


def test_verification_accepts_at_the_threshold_and_refuses_above():
    queries = np.array([[3.0, 4.0], [3.0, 4.001], [0.0, 0.0]])
    assert verify_one_shot(np.zeros(2), queries, 5.0).tolist() == [True, False, True]


def test_distances_to_is_the_loop():
    rng = np.random.default_rng(0)
    references, queries = rng.normal(size=(3, 4)), rng.normal(size=(5, 4))
    by_hand = [[sum((q - r) ** 2) ** 0.5 for r in references] for q in queries]
    np.testing.assert_allclose(distances_to(references, queries), by_hand, atol=1e-7)


def test_verification_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match=r"reference has shape \(1, 2\); expected \(dim,\)"):
        verify_one_shot(np.zeros((1, 2)), np.zeros((3, 2)), 1.0)
    with pytest.raises(ValueError, match="queries has dim 3; expected 2"):
        verify_one_shot(np.zeros(2), np.zeros((3, 3)), 1.0)
    with pytest.raises(ValueError, match="threshold is nan"):
        verify_one_shot(np.zeros(2), np.zeros((3, 2)), float("nan"))
