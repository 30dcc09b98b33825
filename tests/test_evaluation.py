"""The metrics against loops written by hand, and what they refuse."""

from types import SimpleNamespace

import numpy as np
import pytest

from siamese_course.evaluation import (
    accuracy_at,
    accuracy_curve,
    balanced_accuracy,
    choose_similarity_threshold,
    choose_threshold,
    cosine_similarities,
    knn_score,
    one_shot_accuracy,
    pearson,
    roc_auc,
    same_clusters,
    spearman,
    triplet_accuracy,
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


def test_verification_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match=r"reference has shape \(1, 2\); expected \(dim,\)"):
        verify_one_shot(np.zeros((1, 2)), np.zeros((3, 2)), 1.0)
    with pytest.raises(ValueError, match="queries has dim 3; expected 2"):
        verify_one_shot(np.zeros(2), np.zeros((3, 3)), 1.0)
    with pytest.raises(ValueError, match="threshold is nan"):
        verify_one_shot(np.zeros(2), np.zeros((3, 2)), float("nan"))


# --- similarities: large means same ---


def similar_pairs(seed, n=200, ties=False):
    """(similarities, same): cosines, duplicates higher on average, 37 in 100 of them."""
    rng = np.random.default_rng(seed)
    same = rng.random(n) < 0.37
    cosines = np.clip(rng.normal(np.where(same, 0.7, 0.3), 0.25), -1, 1)
    return (np.round(cosines, 1) if ties else cosines), same.astype(int)


def accuracy_by_hand(similarities, same, threshold):
    right = [(s > threshold) == (label == 1) for s, label in zip(similarities, same, strict=True)]
    return sum(right) / len(right)


def test_above_the_threshold_means_same_and_at_it_does_not():
    assert accuracy_at([0.2, 0.5, 0.8], [0, 0, 1], 0.5) == 1.0
    assert accuracy_at([0.2, 0.5, 0.8], [0, 1, 1], 0.5) == pytest.approx(2 / 3)


@pytest.mark.parametrize("ties", [False, True])
def test_accuracy_is_the_loop(ties):
    similarities, same = similar_pairs(1, ties=ties)
    for threshold in (-2, 0.1, 0.5, 0.61, 2):
        by_hand = accuracy_by_hand(similarities, same, threshold)
        assert accuracy_at(similarities, same, threshold) == pytest.approx(by_hand)
    share = same.mean()
    assert accuracy_at(similarities, same, -2) == pytest.approx(share)
    assert accuracy_at(similarities, same, 2) == pytest.approx(1 - share)


def test_the_ends_of_the_accuracy_curve_are_beyond_large_values():
    similarities, same = [1e12, 2e12, 3e12], [1, 1, 0]
    thresholds, accuracies = accuracy_curve(similarities, same)
    assert thresholds[0] < 1e12 and thresholds[-1] > 3e12
    assert [accuracy_at(similarities, same, t) for t in thresholds] == accuracies.tolist()


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_accuracy_curve_is_the_loop_at_every_threshold(seed, ties):
    similarities, same = similar_pairs(seed, ties=ties)
    thresholds, accuracies = accuracy_curve(similarities, same)
    assert len(thresholds) == len(accuracies) == len(set(similarities)) + 1
    assert (np.diff(thresholds) > 0).all()
    by_hand = [accuracy_by_hand(similarities, same, t) for t in thresholds]
    np.testing.assert_allclose(accuracies, by_hand, rtol=1e-12)
    # one between any two neighboring values: no threshold makes another decision
    values = np.unique(similarities)
    assert thresholds[0] < values[0] and values[-1] < thresholds[-1]
    assert ((values[:-1] < thresholds[1:-1]) & (thresholds[1:-1] < values[1:])).all()


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_no_similarity_threshold_is_better_than_the_chosen_one(seed, ties):
    similarities, same = similar_pairs(seed, ties=ties)
    best = accuracy_at(similarities, same, choose_similarity_threshold(similarities, same))
    everywhere = [*similarities, similarities.min() - 1, *np.linspace(-1, 1, 401)]
    assert best == pytest.approx(max(accuracy_at(similarities, same, t) for t in everywhere))
    assert best == accuracy_curve(similarities, same)[1].max()


def test_curve_and_threshold_of_four_pairs_by_hand():
    thresholds, accuracies = accuracy_curve([0.9, 0.1, 0.5, 0.5], [1, 0, 1, 0])
    np.testing.assert_allclose(thresholds, [0.1, 0.3, 0.7, 0.9], atol=1e-5)
    assert accuracies.tolist() == [0.5, 0.75, 0.75, 0.5]
    assert choose_similarity_threshold([0.9, 0.1, 0.5, 0.5], [1, 0, 1, 0]) == pytest.approx(0.3)
    assert choose_similarity_threshold([0.9, 0.1], [1, 0]) == pytest.approx(0.5)


def test_one_value_for_all_pairs_leaves_two_thresholds():
    thresholds, accuracies = accuracy_curve([0.4] * 5, [1, 0, 0, 0, 0])
    assert accuracies.tolist() == [0.2, 0.8]
    assert thresholds[0] < 0.4 < thresholds[1]
    assert roc_auc([0.4] * 5, [1, 0, 0, 0, 0]) == 0.5


def test_thresholds_of_single_precision_similarities_decide_as_they_should():
    """Cosines come as float32: the middle of two neighboring ones must still lie between them."""
    low = np.float32(0.6)
    similarities = np.array([low, np.nextafter(low, np.float32(1))])
    threshold = choose_similarity_threshold(similarities, [0, 1])
    assert accuracy_at(similarities, [0, 1], threshold) == 1.0


def auc_by_hand(similarities, same):
    wins = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for a, s in zip(similarities, same, strict=True)
        for b, t in zip(similarities, same, strict=True)
        if s == 1 and t == 0
    ]
    return sum(wins) / len(wins)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_roc_auc_counts_pairs_of_pairs(seed, ties):
    similarities, same = similar_pairs(seed, ties=ties)
    assert roc_auc(similarities, same) == pytest.approx(auc_by_hand(similarities, same))
    assert roc_auc(-similarities, same) == pytest.approx(1 - roc_auc(similarities, same))


def test_roc_auc_does_not_depend_on_the_share_of_duplicates():
    similarities, same = similar_pairs(0)
    doubled = np.r_[np.arange(len(same)), np.flatnonzero(same == 1)]
    expected = roc_auc(similarities, same)
    assert roc_auc(similarities[doubled], same[doubled]) == pytest.approx(expected)
    assert roc_auc([0.1, 0.9], [0, 1]) == 1.0
    assert roc_auc([0.9, 0.1], [0, 1]) == 0.0


@pytest.mark.parametrize(
    "function",
    [lambda s, y: accuracy_at(s, y, 0.5), accuracy_curve, choose_similarity_threshold, roc_auc],
)
@pytest.mark.parametrize(
    ("similarities", "same", "message"),
    [
        ([0.1, 0.2], [1, 1], "only one kind of pair"),
        ([0.1, 0.2], [0, 0], "only one kind of pair"),
        ([], [], "similarities is empty"),
        ([0.1, np.nan], [1, 0], "similarities holds NaN"),
        ([0.1, 0.2], [1, 0, 1], r"same has shape \(3,\); expected \(2,\), as similarities"),
        ([[0.1], [0.2]], [1, 0], r"similarities has shape \(2, 1\); expected \(n,\)"),
    ],
)
def test_similarities_and_labels_must_fit(function, similarities, same, message):
    with pytest.raises(ValueError, match=message):
        function(similarities, same)


# --- correlations ---


def scored_pairs(seed, n=50, ties=False):
    """(predicted, expected): cosines, and scores from 0 to 5 that go with them loosely."""
    rng = np.random.default_rng(seed)
    expected = rng.uniform(0, 5, n)
    predicted = expected / 2.5 - 1 + rng.normal(0, 0.4, n)
    return (np.round(predicted, 1), np.round(expected)) if ties else (predicted, expected)


def pearson_by_hand(predicted, expected):
    mean_p, mean_e = sum(predicted) / len(predicted), sum(expected) / len(expected)
    pairs = list(zip(predicted, expected, strict=True))
    products = sum((p - mean_p) * (e - mean_e) for p, e in pairs)
    squares = sum((p - mean_p) ** 2 for p in predicted) * sum((e - mean_e) ** 2 for e in expected)
    return products / squares**0.5


def ranks_by_hand(values):
    """The mean of the places, from 1 on, that equal values take up."""
    return [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_correlations_are_the_loops(seed, ties):
    predicted, expected = scored_pairs(seed, ties=ties)
    assert pearson(predicted, expected) == pytest.approx(pearson_by_hand(predicted, expected))
    ranks = ranks_by_hand(predicted), ranks_by_hand(expected)
    assert spearman(predicted, expected) == pytest.approx(pearson_by_hand(*ranks))


def test_spearman_of_five_pairs_with_ties_by_hand():
    assert ranks_by_hand([0.5, 0.1, 0.5, 0.9, 0.5]) == [3, 1, 3, 5, 3]
    # ranks 3 1 3 5 3 against 1 2 3 4 5: products 0+2+0+2+0 = 4, squares 8 and 10
    got = spearman([0.5, 0.1, 0.5, 0.9, 0.5], [1, 2, 3, 4, 5])
    assert got == pytest.approx(4 / 80**0.5)


def test_the_order_is_enough_for_spearman_and_a_line_is_for_pearson():
    predicted, expected = scored_pairs(0)
    assert spearman(expected**3, expected) == pytest.approx(1)
    assert pearson(expected**3, expected) < 0.99
    assert pearson(3 * expected - 7, expected) == pytest.approx(1)
    for correlation in (pearson, spearman):
        assert correlation(-expected, expected) == pytest.approx(-1)
        assert correlation([1, 2], [5, 9]) == pytest.approx(1)
        order = np.random.default_rng(0).permutation(len(expected))
        got = correlation(predicted[order], expected[order])
        assert got == pytest.approx(correlation(predicted, expected))
        assert got == pytest.approx(correlation(expected, predicted))
        assert correlation(predicted.astype("float32"), expected) == pytest.approx(got, abs=1e-6)


@pytest.mark.parametrize("correlation", [pearson, spearman])
@pytest.mark.parametrize(
    ("predicted", "expected", "message"),
    [
        ([0.3, 0.3, 0.3], [1, 2, 3], "predicted is 0.3 everywhere; expected values that vary"),
        ([0.1, 0.2, 0.3], [4, 4, 4], "expected is 4 everywhere"),
        ([0.1, np.nan], [1, 2], "predicted holds NaN or infinity"),
        ([0.1, 0.2], [1, np.inf], "expected holds NaN or infinity"),
        ([0.1, 0.2, 0.3], [1, 2], "predicted and expected differ in length: 3 and 2"),
        ([0.1], [1], "predicted has 1 values; expected at least two"),
        ([], [], "predicted is empty"),
        ([[0.1], [0.2]], [1, 2], r"predicted has shape \(2, 1\); expected \(n,\)"),
    ],
)
def test_correlations_refuse_what_has_none(correlation, predicted, expected, message):
    with pytest.raises(ValueError, match=message):
        correlation(predicted, expected)


# --- triplets ---


@pytest.mark.parametrize("seed", range(4))
def test_triplet_accuracy_is_the_loop(seed):
    rng = np.random.default_rng(seed)
    anchor, positive, negative = rng.integers(-2, 3, (3, 60, 2)).astype("float32")  # with ties
    hits = 0
    for a, p, n in zip(anchor, positive, negative, strict=True):
        hits += sum((a - p) ** 2) ** 0.5 < sum((a - n) ** 2) ** 0.5
    assert 0 < hits < 60
    assert triplet_accuracy(anchor, positive, negative) == pytest.approx(hits / 60)


def test_triplets_at_equal_distance_are_wrong():
    anchor, positive, negative = [[0.0, 0.0]] * 3, [[3.0, 4.0]] * 3, [[5, 0], [5.01, 0], [4.99, 0]]
    assert triplet_accuracy(anchor, positive, negative) == pytest.approx(1 / 3)
    collapsed = np.ones((9, 4))
    assert triplet_accuracy(collapsed, collapsed, collapsed) == 0.0


def test_triplet_accuracy_of_half_precision_and_large_values_does_not_overflow():
    anchor = np.zeros((1, 4), "float16")
    near, far = np.full((1, 4), 300, "float16"), np.full((1, 4), 400, "float16")
    assert triplet_accuracy(anchor, near, far) == 1.0
    assert triplet_accuracy(anchor, far, near) == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"positive": np.zeros((3, 2))},
            r"positive has shape \(3, 2\); expected \(4, 2\), as anchor",
        ),
        ({"negative": np.zeros((4, 3))}, r"negative has shape \(4, 3\); expected \(4, 2\)"),
        ({"negative": np.full((4, 2), np.nan)}, "negative holds NaN"),
        ({"anchor": np.zeros(4)}, r"anchor has shape \(4,\)"),
        ({"anchor": np.zeros((0, 2))}, "anchor is empty"),
    ],
)
def test_triplet_accuracy_names_what_is_wrong(change, message):
    sides = {"anchor": np.zeros((4, 2)), "positive": np.ones((4, 2)), "negative": np.ones((4, 2))}
    with pytest.raises(ValueError, match=message):
        triplet_accuracy(**{**sides, **change})


# --- clusters ---


def same_clusters_by_hand(labels, expected):
    rows = range(len(labels))
    return all((labels[i] == labels[j]) == (expected[i] == expected[j]) for i in rows for j in rows)


def test_same_clusters_is_the_loop():
    rng = np.random.default_rng(0)
    answers = []
    for _ in range(300):
        labels, expected = rng.integers(0, 3, (2, 4))
        answers.append(same_clusters(labels, expected))
        assert answers[-1] is same_clusters_by_hand(labels, expected)
    assert 20 < sum(answers) < 280


def test_the_names_of_clusters_do_not_matter():
    expected = np.random.default_rng(0).integers(0, 4, 30)
    assert same_clusters(np.array([7, -2, 0, 3])[expected], expected)
    assert not same_clusters(np.array([7, -2, 7, 3])[expected], expected)  # two groups in one
    assert not same_clusters(np.arange(30), expected)  # every row by itself
    assert not same_clusters(np.roll(expected, 1), expected)


@pytest.mark.parametrize(
    ("labels", "expected", "message"),
    [
        ([0, 1], [0, 1, 1], r"expected has shape \(3,\); expected \(2,\)"),
        ([0.0, 1.0], [0, 1], "labels has dtype float64"),
        ([0, 1], [[0], [1]], r"expected has shape \(2, 1\); expected \(2,\)"),
        ([], [], "labels is empty"),
    ],
)
def test_clusters_that_cannot_be_compared_are_refused(labels, expected, message):
    with pytest.raises(ValueError, match=message):
        same_clusters(labels, expected)


# --- one-shot ---


def one_shot_runs(runs=3, ways=5, seed=0):
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(runs):
        train, answers = rng.normal(size=(ways, 4)), rng.permutation(ways)
        test = train[answers] + rng.normal(size=(ways, 4))
        made.append(SimpleNamespace(train=train, test=test, answers=answers))
    return made


def test_one_shot_accuracy_is_the_loop():
    runs, hits = one_shot_runs(), []
    for run in runs:
        for test, answer in zip(run.test, run.answers, strict=True):
            distances = [sum((test - example) ** 2) for example in run.train]
            hits.append(distances.index(min(distances)) == answer)

    def similarity(test, train):
        return -((test[:, None] - train) ** 2).sum(axis=2)

    assert 0 < np.mean(hits) < 1
    assert one_shot_accuracy(similarity, runs) == np.mean(hits)
    assert one_shot_accuracy(lambda test, train: np.ones((len(test), len(train))), runs) == 1 / 5


@pytest.mark.parametrize(
    ("similarity", "runs", "error", "message"),
    [
        (None, one_shot_runs(), TypeError, "similarity is None; expected a function"),
        (
            lambda test, train: np.ones(5),
            one_shot_runs(),
            ValueError,
            r"expected \(5, 5\), tests by",
        ),
        (lambda test, train: np.full((5, 5), np.nan), one_shot_runs(), ValueError, "holds NaN"),
        (lambda test, train: np.ones((5, 5)), [], ValueError, "runs is empty"),
        (
            lambda test, train: np.ones((5, 5)),
            [
                SimpleNamespace(**vars(run) | {"answers": run.answers + 1})
                for run in one_shot_runs()
            ],
            ValueError,
            "answers must be from 0 to 4",
        ),
    ],
)
def test_one_shot_accuracy_names_what_is_wrong(similarity, runs, error, message):
    with pytest.raises(error, match=message):
        one_shot_accuracy(similarity, runs)


def test_cosines_are_those_of_the_angles_and_zero_for_a_blank_row():
    queries = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    references = np.array([[5.0, 0.0], [0.0, -3.0]])
    expected = [[1, 0], [0.5**0.5, -(0.5**0.5)], [0, 0]]
    np.testing.assert_allclose(cosine_similarities(queries, references), expected, atol=1e-12)
