"""Exercise 6 of notebook 01: the k-NN score of an embedding."""

import numpy as np

from siamese_course.evaluation import knn_score
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden, seeded


def _knn(
    metric=lambda x: (x**2).sum(-1), order=1, first=0, k_of=lambda k: k, vote=None, finish=np.mean
):
    """A k-NN score with one thing changed."""

    def mistaken(train, train_labels, test, test_labels, k=5):
        distances = metric(np.asarray(test, "float64")[:, None] - np.asarray(train, "float64"))
        nearest = np.argsort(order * distances, axis=1)[:, first : first + k_of(k)]
        majority = vote or (lambda labels: np.bincount(labels).argmax())
        found = np.array([majority(train_labels[row]) for row in nearest])
        return finish(found == test_labels)

    return mistaken


def _agreement(train, train_labels, test, test_labels, k=5):
    """The mean fraction of neighbors that have the label."""
    distances = ((np.asarray(test, "float64")[:, None] - np.asarray(train, "float64")) ** 2).sum(-1)
    nearest = np.argsort(distances, axis=1)[:, :k]
    return (train_labels[nearest] == np.asarray(test_labels)[:, None]).mean()


MISTAKES = [
    Mistake(
        _knn(finish=lambda hits: 100 * hits.mean()),
        "This is a percentage. Return the fraction, from 0 to 1.",
        "percentage",
    ),
    Mistake(
        _knn(finish=np.sum),
        "This is the number of hits. Divide by the number of test embeddings.",
        "count",
    ),
    Mistake(
        _knn(finish=lambda hits: 1 - hits.mean()),
        "This is the error rate. Return the fraction that is right.",
        "error_rate",
    ),
    Mistake(
        _knn(finish=lambda hits: hits),
        "This is one value per test embedding. Return the fraction that is right, one number.",
        "per_row",
    ),
    Mistake(
        _knn(k_of=lambda k: 1), "Only the nearest neighbor votes. Let `k` of them vote.", "k_is_1"
    ),
    Mistake(
        _knn(first=1),
        "The nearest neighbor is skipped. Leave it in: no test embedding is among the training ones.",
        "nearest_skipped",
    ),
    Mistake(_knn(k_of=lambda k: k + 1), "`k` + 1 neighbors vote, one too many.", "one_more"),
    Mistake(
        _knn(vote=lambda labels: min(set(labels), key=list(labels).count)),
        "The *rarest* label among the neighbors wins. Take the most frequent one.",
        "rarest",
    ),
    Mistake(_knn(k_of=lambda k: 5), "Always 5 neighbors vote. Use the argument `k`.", "k_is_5"),
    Mistake(
        _knn(order=-1), "The *farthest* neighbors vote. Sort by ascending distance.", "farthest"
    ),
    Mistake(
        _knn(vote=lambda labels: round(labels.mean())),
        "The labels are averaged. A 3 and a 9 do not make a 6: take the most frequent label.",
        "mean_label",
    ),
    Mistake(
        _knn(metric=lambda x: np.abs(x[..., 0])),
        "Only the first coordinate is compared. Use all of them.",
        "first_coordinate",
    ),
    Mistake(
        _knn(metric=lambda x: np.abs(x).sum(-1)),
        "This uses the Manhattan distance, the sum of absolute differences. The score is about Euclidean distances.",
        "manhattan",
    ),
    Mistake(
        _agreement,
        "This is the mean fraction of neighbors with the right label. Let the neighbors vote: a test embedding is right "
        "or wrong.",
        "no_vote",
    ),
    Mistake(
        _knn(metric=lambda x: x.sum(-1)),
        "The differences are summed with their signs. Square them first.",
        "not_squared",
    ),
    Mistake(
        lambda train, train_labels, test, test_labels, k=5: _knn()(
            train, train_labels, train, train_labels, k
        ),
        "This scores the training embeddings. The neighbors come from there; the score is about the test embeddings.",
        "scores_train",
    ),
    Mistake(
        lambda train, train_labels, test, test_labels, k=5: _knn()(
            test, test_labels, test, test_labels, k
        ),
        "The neighbors come from the test embeddings, and every point finds itself. Take them from the training ones.",
        "neighbors_from_test",
    ),
]


def _cases():
    rng = seeded(11)
    dim = 3 if is_hidden() else 2
    centers = rng.normal(scale=3.0, size=(5, dim))

    def sample(n):
        labels = rng.integers(0, 5, size=n)
        return (centers[labels] + rng.normal(scale=2.0, size=(n, dim))).astype("float32"), labels

    for k in (5, 3, 1):
        train, train_labels = sample(120)
        test, test_labels = sample(60)
        clear = _without_tie(train, train_labels, test, k)
        yield train, train_labels, test[clear], test_labels[clear], k


def _without_tie(train, train_labels, test, k):
    """Which test rows have a vote with one winner: how to break a tie is up to the learner."""
    distances = ((test[:, None] - train) ** 2).sum(-1)
    nearest = train_labels[np.argsort(distances, axis=1)[:, :k]]
    counts = np.sort([np.bincount(row, minlength=5) for row in nearest], axis=1)
    return counts[:, -1] > counts[:, -2]


def _column(values):
    return np.asarray(values, "float32")[:, None]


def _edges():
    """Without k; one point on a side; narrow labels; many rows; one dimension; neighbors equal to four digits."""
    train, labels, test, test_labels, _ = next(_cases())
    clear = _without_tie(train, labels, test, 5)
    yield train, labels, test[clear], test_labels[clear]
    # two groups of six, in which four or six votes are a tie
    steps = np.arange(1.0, 7.0, dtype="float32")
    groups = np.concatenate([steps, 100 + steps])[:, None]
    votes = np.array([0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1])
    yield groups, votes, np.array([[0.0], [100.0]], "float32"), np.array([1, 0])
    yield train, labels, test[:1], test_labels[:1], 1
    yield train[:1], labels[:1], test[:20], test_labels[:20], 1
    yield train, labels.astype("uint8"), test, test_labels.astype("uint8"), 1
    # enough rows for `np.argpartition` to leave them unsorted; the label is the hundreds
    rows = seeded(9).permutation(1_000)
    points = np.arange(20.2, 1_000, 50)
    yield _column(rows), rows // 100, _column(points), points.astype(int) // 100, 1
    line = _column(np.linspace(0, 1, 9))
    # each test point lies between two training points, a little nearer to the left one
    yield line, np.arange(9), line[:-1] + np.float32(0.0624), np.arange(8), 1


def _test(answer):
    compare(answer, knn_score, list(_cases()), MISTAKES, edges=list(_edges()), rtol=1e-6, atol=1e-6)


knn = Exercise(
    name="01.knn",
    title="k-NN score",
    parts=[Part(10, _test)],
    reference=[knn_score],
    hints=(
        "A good embedding puts images of the same digit side by side. So ask the neighbors: for each test point "
        "find the k nearest training points, let their labels vote, and count how often the vote is right.",
        "scikit-learn's `KNeighborsClassifier` does it: `fit` on the training embeddings and labels, then `score` on the "
        "test ones. Or by hand: distances, `np.argsort`, `np.bincount(...).argmax()`.",
        "`KNeighborsClassifier(n_neighbors=...).fit(..., ...).score(..., ...)`.",
    ),
)
