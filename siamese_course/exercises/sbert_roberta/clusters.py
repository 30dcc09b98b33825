"""Exercise 10 of notebook 03: cluster by k-means, choose k, name the clusters."""

import keras
import numpy as np

from siamese_course.evaluation import same_clusters
from siamese_course.exercises.cases import require_kept
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
    return _choice_by(_best)(embeddings, choices)


def typical_rows(embeddings, labels):
    """The index of the row nearest to the center of each cluster, in the order of the labels."""
    return _nearest_rows()(embeddings, labels)


# --- k-means ------------------------------------------------------------------------------------------


def _groups(centers, each: int, seed: int = 0, spread: float = 0.15):
    """(embeddings, groups): points around centers, in mixed order."""
    rng = seeded(seed)
    groups = rng.permutation(np.repeat(np.arange(len(centers)), each))
    points = np.asarray(centers, "float64")[groups] + spread * rng.normal(size=(len(groups), 5))
    return points.astype("float32"), groups


# two groups in one direction, told apart by their length; and four, for another k
TWO = [[1, 1, 0, 0, 0], [5, 5, 0, 0, 0]]
FOUR = [[3, 0, 0, 0, 0], [0, 3, 0, 0, 0], [0, 0, 3, 0, 0], [0, 0, 0, 6, 0]]
# two by two, for k = 2
NEAR = [[0, 0, 0, 0, 0], [1.2, 0, 0, 0, 0], [8, 0, 0, 0, 0], [9.2, 0, 0, 0, 0]]
# the corners of a rectangle, for k = 2: one start may end in its upper and lower half
CORNERS = [[0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1.2, 0, 0, 0, 0], [1.2, 1, 0, 0, 0]]


def _hard(init: str):
    """(embeddings, groups) that scikit-learn does not find in one start, and finds in ten."""
    from sklearn.cluster import KMeans

    for seed in range(200):
        points, corners = _groups(CORNERS, 6, seed, spread=0.1)
        halves = corners // 2
        one = KMeans(2, init=init, n_init=1, random_state=0).fit_predict(points)
        if not same_clusters(one, halves) and same_clusters(cluster(points, 2), halves):
            break
    return points, halves


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
        raise Wrong("The result is not an array: expected a label for each row.", "type") from None
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


def _test_clusters(centers, init):
    k = len(centers)

    def test(answer):
        for seed in (0, 1):
            points, groups = _groups(centers, 6, seed)
            if is_hidden():
                points = points * np.float32(0.2) + seeded(9).normal(size=5).astype("float32")
            labels = _labels(answer, points, k)
            _require_groups(labels, points, groups)
        # two groups get the same labels by chance in every other call
        if k > 2:
            _require_repeated(answer, points, k, labels)
        near, groups = _groups(NEAR, 6, 2)
        for points, halves in ((near[:, :1], groups // 2), _hard(init)):
            _require_groups(_labels(answer, points, 2), points, halves)
        _require_settled(answer, k)

    return test


def _require_repeated(answer, points, k, labels):
    """Three more calls give the same labels: with other starts, four groups get them once in 14,000 times."""
    again = [_labels(answer, points, k) for _ in range(3)]
    if not all(np.array_equal(each, labels) for each in again):
        raise Wrong(
            "Two calls with the same embeddings give different labels. With `random_state=0`, every call starts the "
            "same way.",
            "other_labels",
        )
    require_kept(answer(points.copy(), k), lambda: answer(points[::-1].copy(), k))


def _require_settled(answer, k):
    """In points without groups, too, each is nearest to the center of its own cluster."""
    points = seeded(6).normal(size=(40, 5)).astype("float32")
    labels = _labels(answer, points, k)
    distances = _distances(labels, points)
    nearest = distances.argmin(axis=1)
    if (count := len(np.unique(labels))) != k:
        raise Wrong(f"There are {count} clusters; k is {k}.", "k_ignored")
    for row in np.flatnonzero(nearest != labels):
        own, other = distances[row, [labels[row], nearest[row]]]
        raise Wrong(
            f"A row is {own:.3f} from the center of its own cluster and {other:.3f} from that of another. K-means moves "
            "rows and centers until nothing changes.",
            "not_settled",
        )


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
            "The rows are scaled to unit length first, and groups that differ only in length are lost. Use the "
            "embeddings as they are.",
            "unit_length",
        )
    if np.array_equal(_distances(found, points).argmin(axis=1), found):
        raise Wrong(
            "K-means stops at these groups, but they are not the best: the squared distances to their centers add up "
            f"to {_cost(found, points):.4g}, and those of the best ones to {_cost(groups, points):.4g}. Try more "
            "starts and keep the best: `n_init=10`.",
            "one_start",
        )
    place = np.arange(len(found))
    if any(same_clusters(found, by) for by in (place * k // len(found), place % k)):
        raise Wrong("The rows are divided by their order, not by their embeddings.", "by_order")
    raise Wrong(
        "The clusters are not those of k-means: rows that are close together have different labels. Did the centers "
        "move until they stopped, and was more than one start tried (`n_init=10`)?",
        "not_k_means",
    )


def _centers(labels, points):
    return np.array([points[labels == label].mean(axis=0) for label in np.unique(labels)])


def _cost(labels, points):
    """The sum of squared distances from the centers."""
    return float(np.sum((points - _centers(labels, points)[labels]) ** 2))


def _distances(labels, points):
    """(n, k) distances from the centers of the clusters."""
    return np.linalg.norm(points[:, None] - _centers(labels, points), axis=-1)


# --- choosing k ---------------------------------------------------------------------------------------

WIDE = [[8, 0, 0, 0, 0], [0, 8, 0, 0, 0], [0, 0, 8, 0, 0], [0, 0, 0, 8, 0], [8, 8, 8, 0, 0]]
LINE = [[1, 1, 0, 0, 0], [5, 5, 0, 0, 0], [9, 9, 0, 0, 0]]
# (centers of groups, choices, the best one): each known mistake gives other numbers in some of the three
CHOICES = [(WIDE[:4], [3, 2, 4, 6, 5], 4), (WIDE[:3], [5, 3, 4, 2], 3), (WIDE, [4, 7, 5, 2], 5)]
HIDDEN_CHOICES = [(WIDE[:3], [2, 6, 3], 3), (WIDE, [7, 3, 5], 5), (WIDE[:2], [3, 2, 4], 2)]
# four groups, and no 4; groups in one direction; two groups of two
HARD_CHOICES = [(WIDE[:4], [2, 3, 6], 3), (LINE, [4, 2, 3], 3), (NEAR, [4, 3, 2], 2)]


def _choice_by(pick, cluster_by=cluster, score="silhouette_score"):
    """``choose_k`` with another way to cluster, to score or to pick from (choices, scores)."""

    def choose(embeddings, choices):
        from sklearn import metrics

        labels = [np.asarray(cluster_by(embeddings, k)) for k in choices]
        return pick(choices, [getattr(metrics, score)(embeddings, each) for each in labels])

    return choose


def _best(choices, scores):
    return choices[int(np.argmax(scores))]


CHOICE_MISTAKES = [
    Mistake(
        _choice_by(lambda choices, scores: int(np.argmax(scores))),
        "This is the position of the best choice. Return the choice itself.",
        "position",
    ),
    Mistake(
        _choice_by(lambda choices, scores: choices[int(np.argmin(scores))]),
        "This is the choice with the *lowest* silhouette score. Take the highest.",
        "lowest",
    ),
    Mistake(
        _choice_by(lambda choices, scores: max(scores)),
        "This is the best score. Return the choice that has it.",
        "score",
    ),
    Mistake(
        lambda embeddings, choices: max(choices),
        "This is always the largest choice: the distances to the centers (`inertia_`) shrink with every additional "
        "cluster. The silhouette score does not.",
        "inertia",
    ),
    Mistake(
        lambda embeddings, choices: min(choices), "This is always the smallest choice.", "smallest"
    ),
    Mistake(
        lambda embeddings, choices: choices[0],
        "This is always the first choice. Try all of them.",
        "first",
    ),
    Mistake(
        lambda embeddings, choices: choices[-1],
        "This is always the last choice. Keep the best one.",
        "last",
    ),
    Mistake(
        lambda embeddings, choices: choose_k(embeddings, range(min(choices), max(choices) + 1)),
        "Numbers between the choices are tried, too. Try only the choices.",
        "other_numbers",
    ),
    Mistake(
        _choice_by(_best, score="calinski_harabasz_score"),
        "This is the choice with the best Calinski-Harabasz score. Take the silhouette score.",
        "other_score",
    ),
]


def _test_choice(own_cluster, answer, _):
    def choice(points, choices):
        got = as_array(answer(points, choices))
        scores = "These are all the scores. Return the choice with the best one.", "scores"
        require_shape(got, (), {(len(choices),): scores})
        return got

    others = Mistake(
        _choice_by(_best, cluster_by=own_cluster),
        "This is the best choice for the clusters from your `cluster`, which are not those of k-means. Fix `cluster` "
        "first.",
        "own_clusters",
    )
    for groups in (HIDDEN_CHOICES if is_hidden() else CHOICES, HARD_CHOICES):
        best = {tuple(choices): k for _, choices, k in groups}
        cases = [
            (_groups(centers, 7, seed)[0], choices)
            for seed, (centers, choices, _) in enumerate(groups)
        ]
        compare(
            choice,
            lambda embeddings, choices, best=best: best[tuple(choices)],
            cases,
            [others, *CHOICE_MISTAKES],
        )


# --- naming the clusters ------------------------------------------------------------------------------


def _nearest_rows(
    center_of=lambda rows, all_rows: rows.mean(axis=0),
    measure=lambda rows, center: np.linalg.norm(rows - center, axis=1),
    pick=np.argmin,
    labels_of=np.unique,
    index_of=lambda members, place: members[place],
):
    """``typical_rows`` that differs in one place."""

    def typical(embeddings, labels):
        embeddings, labels = np.asarray(embeddings, "float64"), np.asarray(labels)
        found = []
        for label in labels_of(labels):
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
        "gives those of a cluster.",
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
        _nearest_rows(labels_of=lambda labels: list(dict.fromkeys(labels))),
        "The rows are right, but in the order in which the clusters appear. Return them in the order of the labels.",
        "order_of_appearance",
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
        got = answer(embeddings, labels)
        k, (n, dim) = len(np.unique(labels)), embeddings.shape
        known = {
            (k, dim): (
                "These are embeddings. Return the indices of the rows, one for each cluster.",
                "embeddings",
            ),
            (n,): ("This has an entry for each row. Return one index for each cluster.", "per_row"),
            (): (
                "This is one number. Return an array with one index for each cluster, even if there is only one.",
                "one_number",
            ),
        }
        require_shape(as_array(got), (k,), known)
        if np.asarray(got).dtype.kind not in "iu":
            raise Wrong(
                "The indices are not integers, so they cannot index anything. Keep their integer type.",
                "not_integers",
            )
        return got

    cases = _typical_cases()
    points = cases[0][0]
    # three rows each: of two, both are equally near to their center
    few = np.array([1, 1, 0, 1, 0, 0])
    edges = [(points[:1], few[2:3]), (points[:6], few), (points[:6, :1], few)]
    compare(indices, typical_rows, cases, TYPICAL_MISTAKES, edges=edges)


clusters = Exercise(
    name="03.clusters",
    title="Clustering",
    parts=[
        Part(2, _test_clusters(TWO, "random"), of=0),
        Part(2, _test_clusters(FOUR, "k-means++"), of=0),
        Part(3, _test_choice),
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
