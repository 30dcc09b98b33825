"""The losses against loops written by hand and finite differences, on TensorFlow and on JAX."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from siamese_course import losses

# The oracle knows no framework: plain Python floats.


def distance_by_hand(a, b):
    return (sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) + 1e-6) ** 0.5


def contrastive_by_hand(same, pairs, margin):
    total = 0.0
    for s, (a, b) in zip(same, pairs, strict=True):
        if s == 1:
            total += 0.5 * sum((x - y) ** 2 for x, y in zip(a, b, strict=True))
        else:
            total += 0.5 * max(0.0, margin - distance_by_hand(a, b)) ** 2
    return total / len(same)


def all_pairs_by_hand(labels, points, margin):
    similar, different = [], []
    for i in range(len(labels)):
        for j in range(i):
            if labels[i] == labels[j]:
                similar.append(
                    0.5 * sum((x - y) ** 2 for x, y in zip(points[i], points[j], strict=True))
                )
            else:
                different.append(
                    0.5 * max(0.0, margin - distance_by_hand(points[i], points[j])) ** 2
                )
    return sum(kind and sum(kind) / len(kind) for kind in (similar, different) if kind)


def supervised_contrastive_by_hand(labels, points, temperature):
    unit = [p / (np.sum(np.square(p)) + 1e-6) ** 0.5 for p in points]
    total = 0.0
    for i in range(len(labels)):
        others = [j for j in range(len(labels)) if j != i]
        bottom = sum(np.exp(unit[i] @ unit[j] / temperature) for j in others)
        partners = [j for j in others if labels[j] == labels[i]]
        if partners:
            log_fractions = [
                np.log(np.exp(unit[i] @ unit[j] / temperature) / bottom) for j in partners
            ]
            total -= sum(log_fractions) / len(partners)
    return total / len(labels)


def prototypical_by_hand(labels, points, shots):
    rows = {label: [i for i, each in enumerate(labels) if each == label] for label in set(labels)}
    prototypes = {
        label: sum(points[i] for i in indices[:shots]) / len(indices[:shots])
        for label, indices in rows.items()
    }
    terms = []
    for label, indices in rows.items():
        for query in indices[shots:]:
            up = {k: np.exp(-sum((points[query] - c) ** 2)) for k, c in prototypes.items()}
            terms.append(-np.log(up[label] / sum(up.values())))
    return sum(terms) / max(1, len(terms))


def mined_by_hand(labels, points, margin, mining):
    unit = [p / (sum(p * p)) ** 0.5 for p in points]
    n, terms = len(labels), []
    for anchor in range(n):
        distance = [distance_by_hand(unit[anchor], other) for other in unit]
        positives = [distance[i] for i in range(n) if i != anchor and labels[i] == labels[anchor]]
        negatives = [distance[i] for i in range(n) if labels[i] != labels[anchor]]
        if not positives or not negatives:
            continue
        if mining == "hard":
            terms.append(max(0.0, max(positives) - min(negatives) + margin))
            continue
        for positive in positives:
            farther = [negative for negative in negatives if negative > positive]
            negative = min(farther) if farther else max(negatives)
            terms.append(max(0.0, positive - negative + margin))
    return sum(terms) / max(1, len(terms))


def negatives_by_hand(similarities):
    """Closest and mean negative of every row, loops only."""
    n = len(similarities)
    rows = [[similarities[i][j] for j in range(n) if j != i] for i in range(n)]
    return [max(row) for row in rows], [sum(row) / len(row) for row in rows]


def triplet_by_hand(pairs, margin):
    total = 0.0
    similarities = [[sum(a * b) for b in pairs[:, 1]] for a in pairs[:, 0]]
    for i, (hardest, mean) in enumerate(zip(*negatives_by_hand(similarities), strict=True)):
        total += max(0.0, margin - similarities[i][i] + hardest)
        total += max(0.0, margin - similarities[i][i] + mean)
    return total / len(pairs)


def in_batch_softmax_by_hand(pairs, temperature, weights=None):
    n = len(pairs)
    s = [[float(sum(a * b)) for b in pairs[:, 1]] for a in pairs[:, 0]]
    total = 0.0
    weights = [1] * n if weights is None else weights
    for i in range(n):
        up = np.exp(s[i][i] / temperature)
        forward = -np.log(up / sum(np.exp(s[i][j] / temperature) for j in range(n)))
        backward = -np.log(up / sum(np.exp(s[j][i] / temperature) for j in range(n)))
        total += weights[i] * (forward + backward) / 2
    return total / max(1, sum(weights))


def labeled_pairs_by_hand(same, pairs, scale=20.0, threshold=0.6):
    kinds = {0: [], 1: []}
    for s, (a, b) in zip(same, pairs, strict=True):
        sign = 1 if s == 1 else -1
        kinds[int(s)].append(np.log1p(np.exp(-sign * scale * (sum(a * b) - threshold))))
    return sum(sum(kind) / len(kind) / 2 for kind in kinds.values() if kind)


def cosine_by_hand(a, b):
    a, b = np.asarray(a, "float64"), np.asarray(b, "float64")
    lengths = [(sum(x * x) + 1e-12) ** 0.5 for x in (a, b)]
    return float(sum(a / lengths[0] * (b / lengths[1])))


def cosine_regression_by_hand(targets, pairs):
    errors = [cosine_by_hand(a, b) - t for t, (a, b) in zip(targets, pairs, strict=True)]
    return sum(error**2 for error in errors) / len(errors)


def score_ranking_by_hand(scores, pairs, scale=20.0):
    cosines = [cosine_by_hand(a, b) for a, b in pairs]
    total = 1.0
    for i in range(len(scores)):
        for j in range(len(scores)):
            if scores[i] > scores[j]:
                total += np.exp(scale * (cosines[j] - cosines[i]))
    return float(np.log(total))


def distance_triplets_by_hand(triplets, margin=1.0):
    total = 0.0
    for anchor, positive, negative in triplets:
        gap = distance_by_hand(anchor, positive) - distance_by_hand(anchor, negative)
        total += max(0.0, gap + margin)
    return total / len(triplets)


def unit_pairs(n=7, dim=5, seed=0):
    """(n, 2, dim) unit vectors, the two of a pair somewhat alike."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(n, 1, dim))
    pairs = np.concatenate([first, first + rng.normal(size=(n, 1, dim))], axis=1)
    return pairs / np.linalg.norm(pairs, axis=-1, keepdims=True)


def with_similarities(matrix):
    """(n, 2, n) embeddings whose similarities are this matrix: left its rows, right the unit vectors."""
    return np.stack([np.array(matrix), np.eye(len(matrix))], axis=1)


def sample(n=9, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    return labels, rng.normal(scale=2, size=(n, dim)), rng.normal(scale=2, size=(n, 2, dim))


def tensor(x):
    from keras import ops

    return ops.convert_to_tensor(np.asarray(x, "float32"))


def test_distance_is_the_loop():
    _, a, _ = sample()
    _, b, _ = sample(seed=1)
    got = losses.euclidean_distance(tensor(a), tensor(b))
    np.testing.assert_allclose(
        got, [distance_by_hand(x, y) for x, y in zip(a, b, strict=True)], rtol=1e-5
    )


def test_distance_of_a_point_to_itself_is_the_root_of_epsilon():
    point = tensor([[3.0, -4.0]])
    np.testing.assert_allclose(losses.euclidean_distance(point, point), [1e-3], rtol=1e-5)


@pytest.mark.parametrize("margin", [0.5, 5.0])
def test_contrastive_loss_is_the_loop(margin):
    _, _, pairs = sample()
    same = np.array([1, 0, 0, 1, 0, 1, 0, 0, 1.0])
    got = losses.contrastive_loss(tensor(same), tensor(pairs), margin=margin)
    np.testing.assert_allclose(got, contrastive_by_hand(same, pairs, margin), rtol=1e-5)


def test_same_means_similar():
    """The label convention: 1 pulls (far pairs pay), 0 pushes (far pairs pay nothing)."""
    far = tensor([[[0.0, 0.0], [30.0, 40.0]]])
    assert float(losses.contrastive_loss(tensor([1.0]), far)) == pytest.approx(1250.0)
    assert float(losses.contrastive_loss(tensor([0.0]), far)) == 0.0


def test_similar_term_has_no_epsilon():
    twin = tensor([[[1.0, 2.0], [1.0, 2.0]]])
    assert float(losses.contrastive_loss(tensor([1.0]), twin)) == 0.0


@pytest.mark.parametrize("margin", [0.5, 5.0])
def test_all_pairs_loss_is_the_loop(margin):
    labels, points, _ = sample(20)
    got = losses.all_pairs_contrastive_loss(labels, tensor(points), margin=margin)
    np.testing.assert_allclose(got, all_pairs_by_hand(labels, points, margin), rtol=1e-4)


@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 1, 2]])
def test_all_pairs_loss_with_only_one_kind_of_pair(labels):
    points = sample(3)[1]
    got = losses.all_pairs_contrastive_loss(np.array(labels), tensor(points))
    np.testing.assert_allclose(got, all_pairs_by_hand(labels, points, 5.0), rtol=1e-4)


def test_squared_distances_far_from_the_origin():
    """Distances of 1 at an offset of 1,000: the plain formula would lose three digits and more."""
    points = np.array([[1000.0, 1000.0], [1001.0, 1000.0], [1000.0, 1001.0]])
    got = losses.squared_distances(tensor(points))
    np.testing.assert_allclose(got, [[0, 1, 1], [1, 0, 2], [1, 2, 0]], atol=1e-4)


def test_supervised_contrastive_loss_is_the_loop():
    labels, points, _ = sample(12)
    got = losses.supervised_contrastive_loss(labels, tensor(points), temperature=0.5)
    np.testing.assert_allclose(got, supervised_contrastive_by_hand(labels, points, 0.5), rtol=1e-4)


@pytest.mark.parametrize("shots", [1, 2])
def test_prototypical_loss_is_the_loop(shots):
    labels, points, _ = sample(14)
    got = losses.prototypical_loss(labels, tensor(points), shots=shots)
    np.testing.assert_allclose(got, prototypical_by_hand(labels, points, shots), rtol=1e-4)


def test_prototypical_loss_of_a_worked_example():
    """Two classes, prototypes at 0 and 3 on a line; the queries at 1 and 3 give log(1 + e^-3), log(1 + e^-9)."""
    points, labels = tensor([[0.0], [3.0], [1.0], [3.0]]), np.array([7, 5, 7, 5])
    expected = (np.log1p(np.exp(-3)) + np.log1p(np.exp(-9))) / 2
    assert float(losses.prototypical_loss(labels, points)) == pytest.approx(expected, rel=1e-4)
    # Of two shots the prototypes are the means, and no query is left
    assert float(losses.prototypical_loss(labels, points, shots=2)) == 0.0


def test_prototypical_loss_far_from_the_origin():
    labels, points, _ = sample(14)
    near, far = (
        float(losses.prototypical_loss(labels, tensor(points + offset))) for offset in (0, 100)
    )
    assert near == pytest.approx(far, rel=1e-3)


@pytest.mark.parametrize("shots", [0, -1, 1.5, None])
def test_shots_must_be_a_count(shots):
    with pytest.raises(ValueError, match="shots is"):
        losses.prototypical_loss(np.array([1, 1]), tensor(np.ones((2, 2))), shots=shots)


@pytest.mark.parametrize("margin", [0.2, 1.0])
@pytest.mark.parametrize("mining", losses.MININGS)
def test_mined_triplet_loss_is_the_loop(mining, margin):
    for seed in range(4):
        labels, points, _ = sample(14, seed=seed)
        got = losses.mined_triplet_loss(labels, tensor(points), margin=margin, mining=mining)
        by_hand = mined_by_hand(labels, points, margin, mining)
        np.testing.assert_allclose(got, by_hand, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("mining", losses.MININGS)
@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 1, 2]])
def test_mined_triplets_need_a_positive_and_a_negative(labels, mining):
    got = losses.mined_triplet_loss(np.array(labels), tensor(sample(3)[1]), mining=mining)
    assert float(got) == 0.0


def test_another_mining_is_refused():
    with pytest.raises(ValueError, match="mining is 'easy'; expected one of semi-hard, hard"):
        losses.mined_triplet_loss(np.array([1, 1]), tensor(np.ones((2, 2))), mining="easy")


@pytest.mark.parametrize("margin", [0, -1.0, float("nan"), float("inf")])
def test_a_margin_must_be_positive(margin):
    with pytest.raises(ValueError, match=f"margin is {margin}; expected a positive"):
        losses.contrastive_loss(tensor([1.0]), tensor(np.zeros((1, 2, 2))), margin=margin)
    with pytest.raises(ValueError, match="margin"):
        losses.all_pairs_contrastive_loss(np.array([1]), tensor(np.zeros((1, 2))), margin=margin)


@pytest.mark.parametrize("temperature", [0, -0.1, float("nan")])
def test_a_temperature_must_be_positive(temperature):
    with pytest.raises(ValueError, match="temperature"):
        losses.supervised_contrastive_loss(
            np.array([1, 1]), tensor(np.ones((2, 2))), temperature=temperature
        )


# Questions: similarities inside a batch. The two examples are worked out by hand in the course.

SYMMETRIC = [
    [0.9, -0.8, 0.3, -0.5],
    [-0.8, 0.5, 0.1, -0.2],
    [0.3, 0.1, 0.7, -0.8],
    [-0.5, -0.2, -0.8, 1],
]
ASYMMETRIC = [[0.6, 0.7, -0.2], [0.1, 0.3, 0.2], [0.4, -0.5, 0.8]]


def test_similarity_matrix_is_the_loop():
    pairs = unit_pairs()
    got = losses.similarity_matrix(tensor(pairs[:, 0]), tensor(pairs[:, 1]))
    by_hand = [[sum(a * b) for b in pairs[:, 1]] for a in pairs[:, 0]]
    np.testing.assert_allclose(got, by_hand, atol=1e-6)


@pytest.mark.parametrize("n", [2, 3, 40])
def test_hard_negatives_are_the_loop(n):
    similarities = np.random.default_rng(n).uniform(-1, 1, (n, n))
    hardest, mean = losses.hard_negatives(tensor(similarities))
    by_hand = negatives_by_hand(similarities)
    np.testing.assert_allclose(hardest, by_hand[0], atol=1e-6)
    np.testing.assert_allclose(mean, by_hand[1], atol=1e-6)


def test_hard_negatives_of_the_worked_examples():
    hardest, mean = losses.hard_negatives(ASYMMETRIC)
    np.testing.assert_allclose(hardest, [0.7, 0.2, 0.4], atol=1e-6)
    np.testing.assert_allclose(mean, [0.25, 0.15, -0.05], atol=1e-6)
    hardest, mean = losses.hard_negatives(SYMMETRIC)
    np.testing.assert_allclose(hardest, [0.3, 0.1, 0.3, -0.2], atol=1e-6)
    np.testing.assert_allclose(mean, [-1 / 3, -0.3, -0.4 / 3, -0.5], atol=1e-6)


def test_the_hardest_negative_is_found_whatever_the_diagonal_holds():
    """All negatives at -1, the least a cosine can be: the diagonal must not be taken for one of them."""
    hardest, mean = losses.hard_negatives(tensor(2 * np.eye(3) - 1))
    np.testing.assert_allclose(hardest, [-1, -1, -1], atol=1e-6)
    np.testing.assert_allclose(mean, [-1, -1, -1], atol=1e-6)
    hardest, _ = losses.hard_negatives(tensor(1 - 2 * np.eye(3)))  # and every positive at -1
    np.testing.assert_allclose(hardest, [1, 1, 1], atol=1e-6)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (3, 2), (4,), (2, 2, 2)])
def test_hard_negatives_need_a_square_with_a_negative(shape):
    with pytest.raises(ValueError, match=r"expected \(batch, batch\), batch >= 2") as raised:
        losses.hard_negatives(tensor(np.zeros(shape)))
    assert str(shape) in str(raised.value)


@pytest.mark.parametrize("margin", [0.05, 0.25, 2.0])
@pytest.mark.parametrize("n", [2, 7, 64])
def test_triplet_loss_is_the_loop(n, margin):
    pairs = unit_pairs(n)
    got = losses.triplet_loss(None, tensor(pairs), margin=margin)
    np.testing.assert_allclose(got, triplet_by_hand(pairs, margin), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [(SYMMETRIC, 0.0), (ASYMMETRIC, 0.2), (np.transpose(ASYMMETRIC), 0.25)],
)
def test_triplet_loss_of_the_worked_examples(matrix, expected):
    embeddings = with_similarities(matrix)
    assert triplet_by_hand(embeddings, 0.25) == pytest.approx(expected)
    assert float(losses.triplet_loss(None, tensor(embeddings), margin=0.25)) == pytest.approx(
        expected, abs=1e-6
    )


def test_mistakes_give_the_other_figures_of_the_worked_example():
    """So that the example tells right from wrong: a mean over b, or the hardest below the positive."""
    s, margin, n = np.array(ASYMMETRIC), 0.25, 3

    def loss(hardest, mean):
        terms = [(margin - s[i, i] + hardest[i], margin - s[i, i] + mean[i]) for i in range(n)]
        return sum(max(0, a) + max(0, b) for a, b in terms) / n

    hardest, mean = negatives_by_hand(s)
    assert loss(hardest, mean) == pytest.approx(0.2000)
    assert loss(hardest, [m * (n - 1) / n for m in mean]) == pytest.approx(0.1833, abs=1e-4)
    below = [max(v for j, v in enumerate(s[i]) if j != i and v < s[i, i]) for i in range(n)]
    assert loss(below, mean) == pytest.approx(0.0833, abs=1e-4)


@pytest.mark.parametrize("n", [2, 256])
@pytest.mark.parametrize("margin", [0.25, 1.0])
def test_collapsed_embeddings_sit_at_twice_the_margin(n, margin):
    collapsed = np.broadcast_to(unit_pairs(1)[:, :1], (n, 2, 5))
    got = losses.triplet_loss(None, tensor(collapsed), margin=margin)
    assert float(got) == pytest.approx(2 * margin, abs=1e-5)


@pytest.mark.parametrize("margin", [0, -1.0, float("nan"), float("inf")])
def test_the_margin_of_triplets_must_be_positive(margin):
    with pytest.raises(ValueError, match=f"margin is {margin}; expected a positive"):
        losses.triplet_loss(None, tensor(unit_pairs()), margin=margin)


def test_a_single_pair_has_no_negative():
    with pytest.raises(ValueError, match=r"\(1, 1\); expected \(batch, batch\), batch >= 2"):
        losses.triplet_loss(None, tensor(unit_pairs(1)))
    from siamese_course.models import questions_trax as quora_trax

    with pytest.raises(ValueError, match=r"\(1, 1\); expected \(batch, batch\), batch >= 2"):
        quora_trax.cosine_triplet_loss(*unit_pairs(1).swapaxes(0, 1))


@pytest.mark.parametrize("n", [2, 7, 64])
def test_triplet_loss_in_trax_is_the_same(n):
    from siamese_course.models import questions_trax as quora_trax

    pairs = unit_pairs(n).astype("float32")
    for margin in (0.05, 0.25, 2.0):
        expected = triplet_by_hand(pairs.astype("float64"), margin)
        for got in (
            losses.triplet_loss(None, tensor(pairs), margin=margin),
            quora_trax.cosine_triplet_loss(pairs[:, 0], pairs[:, 1], margin),
        ):
            assert float(got) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("weights", [[1.0] * 7, [1, 0, 1, 1, 0, 0, 1.0]])
@pytest.mark.parametrize("temperature", [0.05, 1.0])
def test_in_batch_softmax_loss_is_the_loop(temperature, weights):
    pairs = unit_pairs()
    got = losses.in_batch_softmax_loss(tensor(weights), tensor(pairs), temperature=temperature)
    by_hand = in_batch_softmax_by_hand(pairs, temperature, weights)
    np.testing.assert_allclose(got, by_hand, rtol=1e-4, atol=1e-6)


def test_rows_without_weight_are_still_negatives():
    pairs = unit_pairs()
    weights = np.array([1, 1, 1, 0, 0, 0, 0.0])
    with_them = losses.in_batch_softmax_loss(tensor(weights), tensor(pairs), temperature=0.5)
    without = losses.in_batch_softmax_loss(np.ones(3), tensor(pairs[:3]), temperature=0.5)
    assert float(with_them) > float(without)
    assert (
        float(losses.in_batch_softmax_loss(tensor(0 * weights), tensor(pairs), temperature=0.5))
        == 0.0
    )


def test_in_batch_softmax_loss_of_one_point_is_guessing():
    """All alike: every row has as good a chance as any other, log(batch); alone there is none to confuse."""
    collapsed = np.broadcast_to(unit_pairs(1)[:, :1], (8, 2, 5))
    assert float(losses.in_batch_softmax_loss(np.ones(8), tensor(collapsed))) == pytest.approx(
        np.log(8), 1e-5
    )
    assert float(losses.in_batch_softmax_loss(np.ones(1), tensor(unit_pairs(1)))) == pytest.approx(
        0, abs=1e-6
    )


@pytest.mark.parametrize("temperature", [0, -0.1, float("nan"), float("inf")])
def test_the_temperature_of_the_batch_must_be_positive(temperature):
    with pytest.raises(ValueError, match=f"temperature is {temperature}; expected a positive"):
        losses.in_batch_softmax_loss(
            np.ones(len(unit_pairs())), tensor(unit_pairs()), temperature=temperature
        )


@pytest.mark.parametrize("same", [[1, 0, 1, 1, 0, 0, 1.0], [1.0] * 7, [0.0] * 7])
@pytest.mark.parametrize("options", [{}, {"scale": 3.0, "threshold": -0.2}])
def test_labeled_pairs_loss_is_the_loop(same, options):
    pairs = unit_pairs()
    by_hand = labeled_pairs_by_hand(same, pairs, **options)
    for labels in (tensor(same), np.array(same, "int8"), tensor(same)[:, None]):
        got = losses.labeled_pairs_loss(labels, tensor(pairs), **options)
        np.testing.assert_allclose(got, by_hand, rtol=1e-4, atol=1e-6)


def test_labeled_pairs_pull_and_push():
    alike, apart = tensor([[[1.0, 0], [1, 0]]]), tensor([[[1.0, 0], [-1, 0]]])
    for same, near, far in ((1.0, alike, apart), (0.0, apart, alike)):
        low, high = (float(losses.labeled_pairs_loss(tensor([same]), e)) for e in (near, far))
        assert low < 0.001 < 3 < high < 17


# Sentences: rows of any length, a human score or a third sentence.

SCORES = np.array([0.0, 5.0, 2.5, 3.8, 1.2, 3.8, 4.4])


def pairs_of_any_length(n=7, dim=5, seed=0):
    """(n, 2, dim), the two of a pair somewhat alike, lengths from a tenth to ten."""
    rng = np.random.default_rng(seed)
    return unit_pairs(n, dim, seed) * 10 ** rng.uniform(-1, 1, (n, 2, 1))


def random_triplets(n=8, dim=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3, dim))


def test_scores_on_the_range_of_a_cosine():
    np.testing.assert_allclose(losses.scale_scores(np.array([0, 1, 2.5, 5])), [-1, -0.6, 0, 1])
    assert losses.scale_scores(5) == 1.0
    np.testing.assert_allclose(losses.scale_scores(tensor([0, 4])), [-1, 0.6], rtol=1e-6)


def test_unit_length_is_the_loop():
    rows = pairs_of_any_length()
    expected = [[side / sum(x * x for x in side) ** 0.5 for side in pair] for pair in rows]
    np.testing.assert_allclose(losses.unit_length(tensor(rows)), expected, atol=1e-6)
    np.testing.assert_array_equal(losses.unit_length(tensor([[0, 0], [3, 4]]))[0], [0, 0])


def test_row_cosines_are_the_loop():
    pairs = pairs_of_any_length()
    got = losses.row_cosines(tensor(pairs))
    assert got.shape == (7,)
    np.testing.assert_allclose(got, [cosine_by_hand(a, b) for a, b in pairs], atol=1e-6)
    known = tensor([[[1, 0], [7, 0]], [[2, 0], [0, 3]], [[1, 1], [-2, -2]], [[0, 0], [1, 1]]])
    np.testing.assert_allclose(losses.row_cosines(known), [1, 0, -1, 0], atol=1e-6)


@pytest.mark.parametrize("n", [1, 7])
def test_cosine_regression_loss_is_the_loop(n):
    pairs, targets = pairs_of_any_length(n), losses.scale_scores(SCORES[:n])
    expected = cosine_regression_by_hand(targets, pairs)
    assert expected > 0.1
    for given in (tensor(targets), tensor(targets)[:, None], targets):
        got = losses.cosine_regression_loss(given, tensor(pairs))
        assert got.shape == ()
        np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_the_cosines_of_the_whole_batch_give_another_loss():
    """The published example's mistake: left times right transposed, (batch, batch), broadcasts against
    (batch, 1) targets; only a batch of one hides it."""

    def mistaken(targets, pairs):
        unit = pairs / np.linalg.norm(pairs, axis=-1, keepdims=True)
        return np.mean((unit[:, 0] @ unit[:, 1].T - targets[:, None]) ** 2)

    for n in (7, 1):
        pairs, targets = pairs_of_any_length(n), losses.scale_scores(SCORES[:n])
        got = float(losses.cosine_regression_loss(tensor(targets)[:, None], tensor(pairs)))
        assert (abs(got - mistaken(targets, pairs)) > 0.1) == (n > 1)


@pytest.mark.parametrize("scale", [1.0, 20.0])
@pytest.mark.parametrize("scores", [SCORES, SCORES[::-1], np.round(SCORES / 5)])
def test_score_ranking_loss_is_the_loop(scores, scale):
    pairs = pairs_of_any_length()
    expected = score_ranking_by_hand(scores, pairs, scale)
    assert expected > 0.1
    for given in (tensor(scores), tensor(scores)[:, None], scores):
        got = losses.score_ranking_loss(given, tensor(pairs), scale=scale)
        assert got.shape == ()
        np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_score_ranking_loss_has_a_scale_of_20():
    pairs = pairs_of_any_length()
    got = losses.score_ranking_loss(SCORES, tensor(pairs))
    np.testing.assert_allclose(got, score_ranking_by_hand(SCORES, pairs, 20.0), rtol=1e-5)


def test_equal_scores_have_no_order_to_learn():
    pairs = tensor(pairs_of_any_length())
    assert float(losses.score_ranking_loss(np.full(7, 3.2), pairs)) == 0.0
    assert float(losses.score_ranking_loss(SCORES[:1], pairs[:1])) == 0.0


def test_only_the_order_of_the_scores_counts():
    pairs = tensor(pairs_of_any_length())
    expected = float(losses.score_ranking_loss(SCORES, pairs))
    for same_order in (losses.scale_scores(SCORES), np.exp(SCORES), 100 * SCORES + 3):
        assert float(losses.score_ranking_loss(same_order, pairs)) == expected
    assert float(losses.score_ranking_loss(-SCORES, pairs)) != pytest.approx(expected, rel=0.1)


def test_the_right_order_costs_next_to_nothing():
    angles = np.linspace(0, np.pi, 5)  # cosines 1, 0.7, 0, -0.7, -1
    right = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    pairs = tensor(np.stack([np.broadcast_to([1.0, 0.0], (5, 2)), right], axis=1))
    assert float(losses.score_ranking_loss(np.array([5, 4, 3, 2, 1]), pairs)) < 0.01
    assert float(losses.score_ranking_loss(np.array([1, 2, 3, 4, 5]), pairs)) > 39  # 20 times 1 + 1


@pytest.mark.parametrize("margin", [0.05, 1.0, 4.0])
def test_distance_triplet_loss_is_the_loop(margin):
    triplets = random_triplets()
    got = losses.distance_triplet_loss(None, tensor(triplets), margin=margin)
    assert got.shape == ()
    np.testing.assert_allclose(got, distance_triplets_by_hand(triplets, margin), rtol=1e-5)


def test_distance_triplet_loss_of_known_distances():
    """Anchor at 0: D(positive) 3, D(negative) 5 cost nothing; exchanged they cost 3; the margin is 1."""
    near, far = [3.0, 0.0], [0.0, 5.0]
    for sides, expected in (((near, far), 0.0), ((far, near), 3.0), ((near, near), 1.0)):
        got = losses.distance_triplet_loss(None, tensor([[[0.0, 0.0], *sides]]))
        assert float(got) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("margin", [0, -1.0, float("nan"), float("inf")])
def test_the_margin_of_distances_must_be_positive(margin):
    with pytest.raises(ValueError, match=f"margin is {margin}; expected a positive"):
        losses.distance_triplet_loss(None, tensor(random_triplets()), margin=margin)


def test_losses_of_a_batch_in_half_precision():
    pairs = unit_pairs(64)
    half = np.asarray(pairs, "float16")
    same = np.arange(64) % 2
    for function in (
        lambda e: losses.triplet_loss(None, e),
        lambda e: losses.in_batch_softmax_loss(same, e, temperature=0.1),
        lambda e: losses.labeled_pairs_loss(same, e),
    ):
        from keras import ops

        got = function(ops.convert_to_tensor(half))
        assert "float16" in str(got.dtype)
        np.testing.assert_allclose(float(got), float(function(tensor(half))), rtol=5e-3)


# Values and gradients on each backend. A process has one backend, so each runs in its own.

PROBE = """
import json, sys
import numpy as np
import keras
from siamese_course import losses

def probe(function, x):  # value, gradient, value when compiled (in TensorFlow for a batch of any size)
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf
        variable = tf.Variable(x)
        with tf.GradientTape() as tape:
            value = function(variable)
        slope = tape.gradient(value, variable).numpy()
        signature = [tf.TensorSpec((None, *x.shape[1:]))]
        return value, slope, tf.function(function, input_signature=signature)(x)
    if keras.backend.backend() == "torch":
        import torch
        variable = torch.tensor(x, requires_grad=True)
        value = function(variable)
        value.backward()
        return value, variable.grad.numpy(), value
    import jax
    compiled, slope = jax.jit(jax.value_and_grad(function))(x)
    return function(x), np.asarray(slope), compiled

margin = 5.0
twins = np.array([[[1, 2], [1, 2]]], "float32")
edge = np.array([[[0, 0], [3, 4]]], "float32")  # D = 5, the margin, but for the epsilon
inside = np.array([[[0, 0], [1.5, 2]], [[1, 1], [2, -1]]], "float32")
rng = np.random.default_rng(0)
points = rng.normal(size=(6, 2)).astype("float32")
labels = np.array([0, 0, 1, 1, 2, 2])
crowd = np.zeros((4, 2), "float32")
cases = {
    "twins, similar": (lambda x: losses.contrastive_loss(np.ones(1, "float32"), x, margin=margin), twins),
    "twins, different": (lambda x: losses.contrastive_loss(np.zeros(1, "float32"), x, margin=margin), twins),
    "at the margin": (lambda x: losses.contrastive_loss(np.zeros(1, "float32"), x, margin=margin), edge),
    "mixed": (lambda x: losses.contrastive_loss(np.array([1, 0], "float32"), x, margin=margin), inside),
    "all pairs": (lambda x: losses.all_pairs_contrastive_loss(labels, x, margin=margin), points),
    "all in one point": (lambda x: losses.all_pairs_contrastive_loss(labels[:4], x, margin=margin), crowd),
    "directions": (lambda x: losses.supervised_contrastive_loss(labels, x, temperature=0.5), points),
    "prototypes": (lambda x: losses.prototypical_loss(labels, x), points),
    "prototypes in one point": (lambda x: losses.prototypical_loss(labels[:4], x), crowd),
    "semi-hard": (lambda x: losses.mined_triplet_loss(labels, x, margin=0.7), points),
    "hard": (lambda x: losses.mined_triplet_loss(labels, x, margin=0.7, mining="hard"), points),
    "semi-hard, zeros": (lambda x: losses.mined_triplet_loss(labels[:4], x), crowd),
    "directions of zero": (lambda x: losses.supervised_contrastive_loss(labels[:4], x, temperature=0.5), crowd),
}
unit = rng.normal(size=(5, 2, 3))
unit = (unit / np.linalg.norm(unit, axis=-1, keepdims=True)).astype("float32")
one_point = np.zeros((4, 2, 3), "float32") + np.array([1, 0, 0], "float32")
some = np.array([1, 0, 1, 1, 0], "float32")
cases |= {
    "triplets": (lambda x: losses.triplet_loss(None, x, margin=0.4), unit),
    "triplets collapsed": (lambda x: losses.triplet_loss(None, x, margin=0.25), one_point),
    "softmax": (lambda x: losses.in_batch_softmax_loss(np.ones(5), x, temperature=0.5), unit),
    "softmax, weighted": (lambda x: losses.in_batch_softmax_loss(some, x, temperature=0.5), unit),
    "softmax collapsed": (lambda x: losses.in_batch_softmax_loss(np.ones(4), x), one_point),
    "labeled": (lambda x: losses.labeled_pairs_loss(some, x, scale=5.0), unit),
    "labeled, sharp": (lambda x: losses.labeled_pairs_loss(some[:4], x, scale=500.0), one_point),
}
pairs = (rng.normal(size=(5, 2, 3)) * [[[0.2], [3.0]]]).astype("float32")
pairs[:, 1] += pairs[:, 0]
scores = np.array([0.0, 5.0, 2.5, 4.0, 2.5], "float32")
targets = losses.scale_scores(scores)[:, None]
alike = np.repeat(pairs[:, :1], 2, axis=1)
nothing = np.zeros((5, 2, 3), "float32")
triplets = rng.normal(size=(5, 3, 4)).astype("float32")
cases |= {
    "regression": (lambda x: losses.cosine_regression_loss(targets, x), pairs),
    "regression, coinciding": (lambda x: losses.cosine_regression_loss(targets, x), alike),
    "regression, zeros": (lambda x: losses.cosine_regression_loss(targets, x), nothing),
    "ranking": (lambda x: losses.score_ranking_loss(scores, x, scale=3.0), pairs),
    "ranking, sharp": (lambda x: losses.score_ranking_loss(scores, x, scale=500.0), pairs),
    "ranking, equal scores": (lambda x: losses.score_ranking_loss(0 * scores, x), pairs),
    "ranking, coinciding": (lambda x: losses.score_ranking_loss(scores, x), alike),
    "ranking, zeros": (lambda x: losses.score_ranking_loss(scores, x), nothing),
    "distance triplets": (lambda x: losses.distance_triplet_loss(None, x, margin=0.7), triplets),
    "distance triplets, coinciding": (
        lambda x: losses.distance_triplet_loss(None, x), np.repeat(triplets[:, :1], 3, axis=1)
    ),
}
out = {}
for name, (function, x) in cases.items():
    value, slope, compiled = probe(function, x)
    out[name] = {"x": x.tolist(), "value": float(value), "gradient": slope.tolist(), "compiled": float(compiled)}
print(json.dumps(out))
"""


in_test_all = [pytest.param(name, marks=pytest.mark.slow) for name in ("jax", "torch")]


@pytest.fixture(scope="module", params=["tensorflow", *in_test_all])
def probed(request):
    if request.param == "torch":
        pytest.importorskip("torch", reason="PyTorch is not installed: it is in the bench extra")
    environment = {**os.environ, "KERAS_BACKEND": request.param}
    run = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, env=environment
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def by_finite_differences(function, x, step=1e-5):
    x = np.array(x, dtype="float64")
    slope = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        for sign in (1, -1):
            moved = x.copy()
            moved[index] += sign * step
            slope[index] += sign * function(moved) / (2 * step)
    return slope


def check_against_hand(case, by_hand, atol=1e-4):
    x = np.array(case["x"])
    np.testing.assert_allclose(case["value"], by_hand(x), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(case["gradient"], by_finite_differences(by_hand, x), atol=atol)


def test_gradient_at_zero_distance_is_zero_and_finite(probed):
    for name in ("twins, similar", "twins, different", "all in one point", "directions of zero"):
        np.testing.assert_array_equal(
            probed[name]["gradient"], np.zeros_like(probed[name]["x"]), name
        )
    assert probed["twins, different"]["value"] == pytest.approx(0.5 * (5 - 1e-3) ** 2, rel=1e-5)


def test_gradient_at_the_margin_is_zero(probed):
    assert probed["at the margin"]["value"] == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_allclose(probed["at the margin"]["gradient"], 0.0, atol=1e-5)


def test_gradients_are_finite_differences_of_the_loops(probed):
    check_against_hand(probed["mixed"], lambda x: contrastive_by_hand([1, 0], x, 5.0))
    labels = [0, 0, 1, 1, 2, 2]
    check_against_hand(probed["all pairs"], lambda x: all_pairs_by_hand(labels, x, 5.0))
    check_against_hand(
        probed["directions"], lambda x: supervised_contrastive_by_hand(labels, x, 0.5)
    )


def test_gradients_of_batches_are_finite_differences_of_the_loops(probed):
    some = [1, 0, 1, 1, 0]
    check_against_hand(probed["triplets"], lambda x: triplet_by_hand(x, 0.4))
    check_against_hand(probed["softmax"], lambda x: in_batch_softmax_by_hand(x, 0.5))
    check_against_hand(
        probed["softmax, weighted"], lambda x: in_batch_softmax_by_hand(x, 0.5, some)
    )
    check_against_hand(probed["labeled"], lambda x: labeled_pairs_by_hand(some, x, 5.0))


def test_values_and_gradients_stay_finite(probed):
    assert probed["triplets collapsed"]["value"] == pytest.approx(0.5)
    assert probed["softmax collapsed"]["value"] == pytest.approx(np.log(4), rel=1e-5)
    for name in ("triplets collapsed", "softmax collapsed", "labeled, sharp"):
        assert np.isfinite(probed[name]["value"])
        assert np.isfinite(probed[name]["gradient"]).all()


def test_gradients_of_sentence_losses_are_finite_differences_of_the_loops(probed):
    scores = [0.0, 5.0, 2.5, 4.0, 2.5]
    targets = [score / 2.5 - 1 for score in scores]
    check_against_hand(probed["regression"], lambda x: cosine_regression_by_hand(targets, x))
    check_against_hand(
        probed["regression, coinciding"], lambda x: cosine_regression_by_hand(targets, x)
    )
    check_against_hand(probed["ranking"], lambda x: score_ranking_by_hand(scores, x, 3.0))
    check_against_hand(probed["ranking, coinciding"], lambda x: score_ranking_by_hand(scores, x))
    check_against_hand(probed["distance triplets"], lambda x: distance_triplets_by_hand(x, 0.7))
    for name in ("regression", "ranking", "distance triplets"):
        assert np.abs(probed[name]["gradient"]).max() > 0.05


def test_coinciding_sentences_have_finite_gradients(probed):
    coinciding = probed["distance triplets, coinciding"]
    assert coinciding["value"] == pytest.approx(1.0)
    np.testing.assert_array_equal(coinciding["gradient"], np.zeros_like(coinciding["x"]))
    np.testing.assert_array_equal(
        probed["ranking, equal scores"]["gradient"], np.zeros_like(probed["ranking"]["x"])
    )
    mean_square = (1 + 1 + 0 + 0.36 + 0) / 5  # of the targets
    assert probed["regression, zeros"]["value"] == pytest.approx(mean_square)
    assert probed["ranking, zeros"]["value"] == pytest.approx(np.log(1 + 9))  # nine ordered pairs
    for name, case in probed.items():
        assert np.isfinite(case["value"]), name
        assert np.isfinite(case["gradient"]).all(), name


def test_compiled_losses_have_the_same_values(probed):
    for name, case in probed.items():
        assert case["compiled"] == pytest.approx(case["value"], rel=1e-4, abs=1e-5), name
