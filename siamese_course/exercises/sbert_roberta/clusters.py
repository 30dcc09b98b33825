"""Exercise 10 of notebook 03: cluster by k-means, choose k, name the clusters."""

import keras
import numpy as np

from siamese_course.evaluation import same_clusters
from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Wrong,
    as_array,
    compare,
    is_hidden,
    require_returned,
    require_shape,
    seeded,
)
from siamese_course.exercises.sbert_roberta.common import CHANGED, unit_rows
from siamese_course.search import cluster


def choose_k(embeddings, choices):
    """The number of clusters, among the choices, whose clusters have the highest silhouette score."""
    from sklearn.metrics import silhouette_score

    scores = [silhouette_score(embeddings, cluster(embeddings, k)) for k in choices]
    return choices[int(np.argmax(scores))]


def typical_rows(embeddings, labels):
    """The index of the row nearest to the center of each cluster, in the order of the labels."""
    return _nearest_rows()(embeddings, labels)


# --- k-means ------------------------------------------------------------------------------------------


def _groups(centers, each: int, seed: int = 0):
    """(embeddings, groups): points around centers, in mixed order."""
    rng = seeded(seed)
    groups = rng.permutation(np.repeat(np.arange(len(centers)), each))
    points = np.asarray(centers, "float64")[groups] + 0.15 * rng.normal(size=(len(groups), 5))
    return points.astype("float32"), groups


# two groups in one direction, told apart by their length; and four, for another k
TWO = [[1, 1, 0, 0, 0], [5, 5, 0, 0, 0]]
FOUR = [[3, 0, 0, 0, 0], [0, 3, 0, 0, 0], [0, 0, 3, 0, 0], [0, 0, 0, 6, 0]]
# two by two, for k = 2
NEAR = [[0, 0, 0, 0, 0], [1.2, 0, 0, 0, 0], [8, 0, 0, 0, 0], [9.2, 0, 0, 0, 0]]


def _labels(answer, points, k):
    """Labels of an answer as integers, whatever the clusters are called."""
    given = points.copy()
    got = answer(given, k)
    require_returned(got)
    if not np.array_equal(given, points):
        raise Wrong(CHANGED, "changed")
    if hasattr(got, "fit_predict"):
        raise Wrong(
            f"This is the `{type(got).__name__}` itself. Return its labels: `.fit_predict(embeddings)`.",
            "model",
        )
    if keras.ops.is_tensor(got):
        got = keras.ops.convert_to_numpy(got)
    n, dim = points.shape
    try:
        labels = np.asarray(got)
    except ValueError:
        raise Wrong("The result is no array: expected a label for each row.", "type") from None
    if labels.dtype.kind == "O":
        raise Wrong(
            f"The result is a `{type(got).__name__}`; expected a label for each row, ({n},).",
            "type",
        )
    known = {
        (k, dim): (
            "These are the centers of the clusters. Return a label for each row: `.labels_`.",
            "centers",
        ),
        (n, k): (
            "These are the distances to the centers. Return the nearest one: `.labels_`.",
            "distances",
        ),
        (): ("This is one number. Return a label for each row: `.labels_`.", "one_number"),
        (dim,): ("The columns are clustered: embeddings are rows. Leave out `.T`.", "columns"),
        (k,): (
            "This has an entry for each cluster. Return a label for each row: `.labels_`.",
            "per_cluster",
        ),
    }
    if labels.shape != (n,) and labels.shape not in known:
        raise Wrong(
            f"The result has shape {labels.shape}; expected ({n},), a label for each row.", "shape"
        )
    require_shape(labels, (n,), known)
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def _test_clusters(centers):
    def test(answer):
        for seed in (0, 1):
            points, groups = _groups(centers, 6, seed)
            if is_hidden():
                points = points * np.float32(0.2) + seeded(9).normal(size=5).astype("float32")
            _require_groups(_labels(answer, points, len(centers)), points, groups)
        points, groups = _groups(NEAR, 6, 2)
        _require_groups(_labels(answer, points, 2), points, groups // 2)

    return test


def _require_groups(found, points, groups):
    if same_clusters(found, groups):
        return
    k, count = len(np.unique(groups)), len(np.unique(found))
    if count == 1:
        raise Wrong(f"All rows have the same label; there are {k} groups.", "one_cluster")
    if count == len(found):
        raise Wrong(
            "Every row has a label of its own; rows of one cluster must share a label.", "one_each"
        )
    if count != k:
        raise Wrong(f"There are {count} clusters; k is {k}.", "k_ignored")
    if same_clusters(found, cluster(unit_rows(points), k)):
        raise Wrong(
            "The rows are scaled to unit length first. This encoder was trained on distances: take its embeddings as "
            "they are.",
            "unit_length",
        )
    place = np.arange(len(found))
    if any(same_clusters(found, by) for by in (place * k // len(found), place % k)):
        raise Wrong("The rows are divided by their order, not by their embeddings.", "by_order")
    raise Wrong(
        "The clusters are not those of k-means: rows that lie together have different labels. Did the centers move until "
        "they stopped, and was more than one start tried (`n_init=10`)?",
        "not_k_means",
    )


# --- choosing k ---------------------------------------------------------------------------------------


def _test_choice(answer):
    """The number of groups in the data is among the choices, at several places."""
    wide = [[8, 0, 0, 0, 0], [0, 8, 0, 0, 0], [0, 0, 8, 0, 0], [0, 0, 0, 8, 0], [8, 8, 8, 0, 0]]
    cases = [(4, [2, 3, 4, 5, 6]), (3, [5, 3, 2, 4]), (5, [2, 4, 5])]
    if is_hidden():
        cases = [(3, [2, 3, 6]), (5, [3, 5, 7]), (2, [4, 2, 3])]
    found = []
    for seed, (k, choices) in enumerate(cases):
        points, _ = _groups(wide[:k], 7, seed)
        given = points.copy()
        got = as_array(answer(given, list(choices)))
        require_shape(
            got,
            (),
            {
                (len(choices),): (
                    "These are all the scores. Return the choice with the best one.",
                    "scores",
                )
            },
        )
        if not np.array_equal(given, points):
            raise Wrong(CHANGED, "changed")
        found.append(float(got))
    right = [k for k, _ in cases]
    if found == right:
        _require_a_choice(answer, wide)
        return
    choices = [choices for _, choices in cases]
    known = [
        (
            [c.index(k) for k, c in cases],
            "This is the position of the best choice. Return the choice itself.",
            "position",
        ),
        (
            [max(c) for c in choices],
            "This is always the largest choice: the distances to the centers (`inertia_`) shrink with every further "
            "cluster. The silhouette score does not.",
            "inertia",
        ),
        ([min(c) for c in choices], "This is always the smallest choice.", "smallest"),
        ([c[0] for c in choices], "This is always the first choice. Try all of them.", "first"),
        ([c[-1] for c in choices], "This is always the last choice. Keep the best one.", "last"),
    ]
    for values, message, tag in known:
        if found == values:
            raise Wrong(message, tag)
    if not all(value in c for value, c in zip(found, choices, strict=True)):
        raise Wrong(
            "The result is none of the choices. Return the choice, not its score.", "no_choice"
        )
    raise Wrong(
        "This is not the choice with the highest silhouette score: it must be computed on the embeddings, with the "
        "labels of your `cluster`, and the largest wins.",
        "other_choice",
    )


def _require_a_choice(answer, wide):
    """The number of groups, 4, lies between the choices."""
    points, _ = _groups(wide[:4], 7, 3)
    got, expected = float(as_array(answer(points.copy(), [2, 3, 6]))), choose_k(points, [2, 3, 6])
    if got != expected:
        raise Wrong(
            f"With the choices 2, 3 and 6 the result is {got:g}; expected {expected}. Try the choices, and no other "
            "numbers.",
            "other_numbers",
        )


# --- naming the clusters ------------------------------------------------------------------------------


def _nearest_rows(
    center_of=lambda rows, all_rows: rows.mean(axis=0),
    measure=lambda rows, center: np.linalg.norm(rows - center, axis=1),
    pick=np.argmin,
    rows_of=lambda embeddings, members: embeddings[members],
    index_of=lambda members, place: members[place],
):
    """``typical_rows`` that differs in one place."""

    def typical(embeddings, labels):
        embeddings, labels = np.asarray(embeddings, "float64"), np.asarray(labels)
        found = []
        for label in np.unique(labels):
            members = np.flatnonzero(labels == label)
            rows = embeddings[members]
            found.append(index_of(members, pick(measure(rows, center_of(rows, embeddings)))))
        return np.array(found)

    return typical


def _anywhere(embeddings, labels):
    """Nearest to the center among all rows, of whatever cluster."""
    centers = [embeddings[labels == label].mean(axis=0) for label in np.unique(labels)]
    return np.array([np.argmin(np.linalg.norm(embeddings - center, axis=1)) for center in centers])


TYPICAL_MISTAKES = [
    Mistake(
        _nearest_rows(index_of=lambda members, place: place),
        "These are positions inside the clusters. Return indices of `embeddings`: `np.flatnonzero(labels == label)` "
        "has those of a cluster.",
        "inside_the_cluster",
    ),
    Mistake(
        _nearest_rows(center_of=lambda rows, all_rows: all_rows.mean(axis=0)),
        "The distances are from the center of *all* rows. Each cluster has its own center: the mean of its rows.",
        "center_of_all",
    ),
    Mistake(
        _nearest_rows(pick=np.argmax),
        "These are the rows *farthest* from their center. Take the nearest.",
        "farthest",
    ),
    Mistake(
        _nearest_rows(pick=lambda distances: 0),
        "These are the first rows of the clusters. Take the row nearest to the center.",
        "first_rows",
    ),
    Mistake(
        _nearest_rows(measure=lambda rows, center: -rows @ center),
        "The rows with the largest dot product win: long rows. Take the smallest distance from the center.",
        "dot_product",
    ),
    Mistake(
        _anywhere,
        "The row nearest to a center may belong to another cluster. Look among the cluster's own rows only.",
        "other_cluster",
    ),
]


def _typical_cases():
    cases = []
    for seed in (3, 4):
        rng = seeded(seed)
        labels = np.repeat(np.arange(3), (9, 6, 4))
        # one far row moves the first center towards the second cluster
        points = 2.0 * rng.normal(size=(19, 4)) + 6.0 * np.eye(3, 4)[labels]
        points[labels == 0] = np.where(np.arange(9)[:, None] < 5, 9.0, -3.0) * np.eye(
            1, 4
        ) + rng.normal(size=(9, 4))
        points[12] = points[labels == 0].mean(axis=0) + 0.01
        order = rng.permutation(19)
        cases.append((points[order], labels[order]))
    return cases


def _test_typical(answer):
    def indices(embeddings, labels):
        got = as_array(answer(embeddings.copy(), labels.copy()))
        k, (n, dim) = len(np.unique(labels)), embeddings.shape
        known = {
            (k, dim): (
                "These are embeddings. Return the indices of the rows, one for each cluster.",
                "embeddings",
            ),
            (n,): ("This has an entry for each row. Return one index for each cluster.", "per_row"),
            (): ("This is one number. Return one index for each cluster.", "one_number"),
        }
        require_shape(got, (k,), known)
        return got

    cases = _typical_cases()
    points = cases[0][0]
    edges = [(points[:1], np.array([0])), (points[:5], np.array([1, 1, 0, 1, 0]))]
    compare(indices, typical_rows, cases, TYPICAL_MISTAKES, edges=edges)


clusters = Exercise(
    name="03.clusters",
    title="Clustering",
    parts=[
        Part(2, _test_clusters(TWO), of=0),
        Part(2, _test_clusters(FOUR), of=0),
        Part(3, _test_choice, of=1),
        Part(3, _test_typical, of=2),
    ],
    reference=[cluster, choose_k, typical_rows],
    hints=(
        "K-means starts with k centers, assigns every row to the nearest one, moves each center to the mean of its rows, "
        "and repeats until nothing moves. To choose k, cluster with each choice and score the result. To name a cluster, "
        "take its most typical row.",
        "`sklearn.cluster.KMeans(n_clusters=..., n_init=10, random_state=0)`; `fit_predict` gives the labels. "
        "`sklearn.metrics.silhouette_score(embeddings, labels)` scores them, higher is better. The center of a cluster is "
        "the mean of its rows, `embeddings[labels == label]`.",
        "`max(choices, key=lambda k: silhouette_score(embeddings, cluster(...)))`; and for each label "
        "`members = np.flatnonzero(labels == label)`, `members[np.argmin(np.linalg.norm(embeddings[members] - ..., axis=1))]`.",
    ),
)
