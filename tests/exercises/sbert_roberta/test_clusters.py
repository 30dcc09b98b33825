"""Exercise 10: right answers in several styles pass, wrong ones get the hint meant for them."""

import faiss
import numpy as np
import pytest
import tensorflow as tf
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import silhouette_score

from siamese_course.exercises.sbert_roberta import clusters
from siamese_course.exercises.sbert_roberta.clusters import (
    CHOICE_MISTAKES,
    TYPICAL_MISTAKES,
    choose_k,
    typical_rows,
)
from tests.exercises.mistakes import cases, require_named


def among(place, answer):
    """All answers, right but for the one at this place."""
    answers = list(clusters.reference)
    answers[place] = answer
    return answers


def numpy_unit(x, axis=-1, keepdims=True):
    x = np.asarray(x)
    return x / np.linalg.norm(x, axis=axis, keepdims=keepdims)


def cluster_by(prepare=lambda x: x, finish=lambda means: means.labels_, **options):
    def cluster(embeddings, k):
        settings = {"n_clusters": k, "n_init": 10, "random_state": 0, **options}
        return finish(KMeans(**settings).fit(prepare(embeddings)))

    return cluster


def nearest_first_rows(embeddings, k):
    """One step with the first k rows as centres."""
    return cdist(embeddings, embeddings[:k]).argmin(axis=1)


def centred_in_place(embeddings, k):
    embeddings -= embeddings.mean(axis=0)
    return cluster_by()(embeddings, k)


def cluster_by_hand(embeddings, k):
    rng = np.random.default_rng(0)
    tries = []
    for _ in range(20):
        centres = embeddings[rng.choice(len(embeddings), k, replace=False)]
        for _ in range(20):
            labels = cdist(embeddings, centres).argmin(axis=1)
            centres = np.array(
                [embeddings[labels == i].mean(0) if i in labels else centres[i] for i in range(k)]
            )
        tries.append((((embeddings - centres[labels]) ** 2).sum(), labels.tolist()))
    return min(tries)[1]


def cluster_in_faiss(embeddings, k):
    means = faiss.Kmeans(
        embeddings.shape[1], k, niter=20, nredo=10, seed=1, min_points_per_centroid=1
    )
    means.train(embeddings)
    return means.index.search(embeddings, 1)[1].ravel()


WRONG = [
    (0, cluster_by(prepare=numpy_unit), "The rows are scaled to unit length first"),
    (0, cluster_by(n_clusters=2), "There are 2 clusters; k is 4"),
    (0, cluster_by(n_clusters=8), "There are 8 clusters; k is 2"),
    (0, cluster_by(finish=lambda means: means), "This is the `KMeans` itself"),
    (0, cluster_by(finish=lambda means: means.cluster_centers_), "the centers of the clusters"),
    (0, cluster_by(finish=lambda means: means.inertia_), "This is one number"),
    (0, cluster_by(finish=lambda means: np.bincount(means.labels_)), "an entry for each cluster"),
    (0, cluster_by(finish=lambda means: means.labels_[:6]), "has shape (6,); expected (12,)"),
    (0, cluster_by(finish=lambda means: means.labels_[:, None]), "has shape (12, 1)"),
    (0, cluster_by(finish=lambda means: np.sort(means.labels_)), "divided by their order"),
    (0, lambda x, k: cluster_by(finish=lambda means: means.transform(x))(x, k), "the distances to"),
    (0, lambda x, k: KMeans(k, n_init=10).fit_predict(x.T), "The columns are clustered"),
    (0, lambda x, k: KMeans(k, n_init=10).fit_transform(x), "the distances to the centers"),
    (0, lambda x, k: np.zeros(len(x), int), "All rows have the same label"),
    (0, lambda x, k: np.arange(len(x)), "Every row has a label of its own"),
    (0, lambda x, k: np.arange(len(x)) % k, "divided by their order"),
    (0, lambda x, k: np.arange(len(x)) * k // len(x), "divided by their order"),
    (0, lambda x, k: [0, 1, 0, 1, 0, 1], "has shape (6,); expected (12,)"),
    (0, lambda x, k: [i % 2 for i in range(len(x))], "divided by their order"),
    (0, lambda x, k: np.random.default_rng(0).integers(0, k, len(x)), "not those of k-means"),
    (0, lambda x, k: x, "has shape (12, 5); expected (12,)"),
    (0, lambda x, k: x[:, 0], "Every row has a label of its own"),
    (0, lambda x, k: {i: i % k for i in range(len(x))}, "is a `dict`; expected a label"),
    (0, lambda x, k: [[0], [1, 2]], "The result is not an array"),
    (0, lambda x, k: k, "This is one number"),
    (0, nearest_first_rows, "not those of k-means"),
    (0, centred_in_place, "Your code changes the embeddings"),
    (
        0,
        cluster_by(n_init=1, init="random"),
        "K-means stops at these groups, but they are not the best",
    ),
    (0, cluster_by(n_init=1), "K-means stops at these groups, but they are not the best"),
    (0, cluster_by(random_state=None), "Two calls with the same embeddings"),
    (0, lambda x, k: AgglomerativeClustering(k).fit_predict(x), "from the center of its own"),
    (2, lambda x, labels: typical_rows(x, labels) * 1.0, "The indices are not integers"),
]


@pytest.mark.parametrize(("place", "answer", "text"), WRONG)
def test_a_wrong_answer_gets_the_hint_meant_for_it(place, answer, text):
    result = clusters.check(*among(place, answer))
    assert result.status == "wrong"
    assert text in result.messages[0]


RIGHT = [
    (
        cluster_by_hand,
        choose_k,
        typical_rows,
    ),
    (
        cluster_in_faiss,
        choose_k,
        typical_rows,
    ),
    (
        cluster_by(random_state=7),
        choose_k,
        typical_rows,
    ),
    (
        cluster_by(finish=lambda means: means.labels_.astype(float)),
        choose_k,
        typical_rows,
    ),
    (
        lambda x, k: tf.constant(cluster_by()(x, k)),
        choose_k,
        typical_rows,
    ),
]


@pytest.mark.parametrize("answers", RIGHT)
def test_right_answers_in_other_styles_pass(answers):
    result = clusters.check(*answers)
    assert result.passed, str(result)


@cases(TYPICAL_MISTAKES)
def test_a_known_mistake_of_the_typical_rows_is_named(mistake):
    require_named(clusters.check(*among(2, mistake.answer)), mistake)


@cases(CHOICE_MISTAKES)
def test_a_known_mistake_of_the_choice_is_named(mistake):
    require_named(clusters.check(*among(1, mistake.answer)), mistake)


def test_a_choice_by_other_clusters_is_named_as_such():
    def halves(x, k):
        return np.arange(len(x)) % k

    def choose(x, choices):
        return max(choices, key=lambda k: silhouette_score(x, halves(x, k)))

    assert clusters.check(halves, choose, typical_rows).tags == ["by_order", "own_clusters"]


@pytest.mark.parametrize(
    ("answer", "tag"),
    [
        (lambda x, choices: 0.5, "constant"),
        (lambda x, choices: [0.5] * len(choices), "scores"),
    ],
)
def test_another_result_than_a_choice_is_shown(answer, tag):
    assert clusters.check(*among(1, answer)).tags == [tag]
