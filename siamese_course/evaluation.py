"""How good is an embedding: nearest neighbours, thresholds, correlations, triplets, clusters."""

import numpy as np

from siamese_course.validation import require_between, require_embeddings, require_labels


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k: int = 5) -> float:
    """Share of test embeddings that a k-nearest-neighbour vote gets right.

    The neighbours are training embeddings by Euclidean distance; a tie goes to the smaller label.

    Args:
        train_embeddings: (n, dim).
        train_labels: (n,) whole numbers.
        test_embeddings: (m, dim).
        test_labels: (m,) whole numbers.
        k: neighbours that vote, from 1 to n.

    Returns:
        A share from 0 to 1.

    Raises:
        ValueError: shapes that do not fit, values that are not finite, or k out of range.
    """
    from sklearn.neighbors import KNeighborsClassifier

    train_embeddings = require_embeddings(train_embeddings, "train_embeddings")
    test_embeddings = require_embeddings(test_embeddings, "test_embeddings")
    train_labels = require_labels(train_labels, len(train_embeddings), "train_labels")
    test_labels = require_labels(test_labels, len(test_embeddings), "test_labels")
    require_between(k, "k", 1, len(train_embeddings), "the training embeddings there are")
    classifier = KNeighborsClassifier(n_neighbors=k).fit(train_embeddings, train_labels)
    return float(np.mean(classifier.predict(test_embeddings) == test_labels))


def distances_to(references, queries) -> np.ndarray:
    """Euclidean distance from every query to every reference.

    Args:
        references: (r, dim).
        queries: (q, dim).

    Returns:
        (q, r) float64.
    """
    from sklearn.metrics import pairwise_distances

    references = require_embeddings(references, "references")
    queries = require_embeddings(queries, "queries")
    if references.shape[1] != queries.shape[1]:
        raise ValueError(
            f"queries has dim {queries.shape[1]}; expected {references.shape[1]}, as references"
        )
    return pairwise_distances(queries.astype("float64"), references.astype("float64"))


def verify_one_shot(reference, queries, threshold: float) -> np.ndarray:
    """Same or different from a single example: a distance at or below the threshold means same.

    Args:
        reference: (dim,) embedding of the one example.
        queries: (n, dim) embeddings of the pictures in question.
        threshold: tau, as ``choose_threshold`` finds it on pairs of known answer.

    Returns:
        (n,) bool. (A similarity would turn this round: same where it is at or *above* tau.)

    Raises:
        ValueError: shapes that do not fit, or values that are not finite.
    """
    reference = np.asarray(reference)
    if reference.ndim != 1:
        raise ValueError(f"reference has shape {reference.shape}; expected (dim,), one example")
    if np.isnan(threshold):
        raise ValueError("threshold is nan; expected a number")
    return distances_to(reference[None], queries)[:, 0] <= threshold


def balanced_accuracy(distances, same, threshold: float) -> float:
    """The mean of two shares: similar pairs at or below the threshold, different pairs above it.

    With nine different pairs to a similar one, plain accuracy would reward refusing everything.

    Args:
        distances: (n,) distances.
        same: (n,) 1 for a similar pair, 0 for a different one; both kinds must occur.
        threshold: tau.

    Returns:
        A share from 0 to 1; chance is 1/2.

    Raises:
        ValueError: shapes that do not fit, NaN, or only one kind of pair.
    """
    distances, same = _require_pairs(distances, same)
    accepted = distances <= threshold
    return float((accepted[same].mean() + (~accepted[~same]).mean()) / 2)


def choose_threshold(distances, same) -> float:
    """The threshold of the best balanced accuracy; arguments and errors as ``balanced_accuracy``.

    Returns:
        The middle between the last distance to accept and the next one: room on both sides.
    """
    distances, same = _require_pairs(distances, same)
    order = np.argsort(distances, kind="stable")
    values, hits = distances[order], same[order]
    accepted_same = np.cumsum(hits) / hits.sum()
    accepted_different = np.cumsum(~hits) / (~hits).sum()
    is_last_of_value = np.append(values[1:] > values[:-1], True)  # equal distances fall together
    best = int(np.argmax(np.where(is_last_of_value, accepted_same - accepted_different, -2)))
    upper = values[best + 1] if best + 1 < len(values) else values[best]
    return float((values[best] + upper) / 2)


def accuracy_at(similarities, same, threshold: float) -> float:
    """Share of pairs that are right when a similarity *above* the threshold means same.

    Args:
        similarities: (n,), large for alike.
        same: (n,) 1 for a duplicate pair, 0 for a different one; both kinds must occur.
        threshold: tau.

    Returns:
        A share from 0 to 1. It holds for this share of duplicates only.

    Raises:
        ValueError: shapes that do not fit, NaN, or only one kind of pair.
    """
    similarities, same = _require_pairs(similarities, same, "similarities")
    return float(np.mean((similarities > threshold) == same))


def accuracy_curve(similarities, same) -> tuple[np.ndarray, np.ndarray]:
    """The accuracy at every threshold that makes a difference; arguments and errors as ``accuracy_at``.

    Returns:
        (thresholds, accuracies), thresholds rising: one below all similarities, one midway between
        neighbouring values, one above all.
    """
    similarities, same = _require_pairs(similarities, same, "similarities")
    values, place = np.unique(similarities, return_inverse=True)
    duplicates = np.bincount(place, same, len(values))
    others = np.bincount(place, ~same, len(values))
    # with the threshold above the first k values: k values' others are right, the rest's duplicates
    right = np.r_[0, np.cumsum(others)] + np.r_[np.cumsum(duplicates[::-1])[::-1], 0]
    ends = values[0] - 1e-6, values[-1] + 1e-6
    thresholds = np.r_[ends[0], (values[1:] + values[:-1]) / 2, ends[1]]
    return thresholds, right / len(same)


def choose_similarity_threshold(similarities, same) -> float:
    """The threshold of the best accuracy, to be chosen on validation pairs and never on the test.

    ``choose_threshold`` does it for distances, with balanced accuracy; here the pairs are expected to
    have the share of duplicates that the task has. Arguments and errors as ``accuracy_at``.
    """
    thresholds, accuracies = accuracy_curve(similarities, same)
    return float(thresholds[np.argmax(accuracies)])


def roc_auc(similarities, same) -> float:
    """Area under the ROC curve: how often a random duplicate is more similar than a random other pair.

    1 is perfect, 1/2 is guessing; it needs no threshold and does not depend on the share of duplicates.
    Arguments and errors as ``accuracy_at``.
    """
    from sklearn.metrics import roc_auc_score

    similarities, same = _require_pairs(similarities, same, "similarities")
    return float(roc_auc_score(same, similarities))


def pearson(predicted, expected) -> float:
    """Pearson's correlation: do the predictions lie on a straight line with what was expected?

    r = sum((p - mean p) (e - mean e)) / sqrt(sum((p - mean p)^2) sum((e - mean e)^2)).

    Args:
        predicted: (n,), such as the cosines of n pairs of sentences.
        expected: (n,), such as the scores people gave them; n is at least 2.

    Returns:
        From -1 to 1: 1 on a rising line, whatever its slope, 0 for no linear relation.

    Raises:
        ValueError: shapes that do not fit, NaN or infinity, fewer than two values, or values that
            are all the same, for which a correlation is not defined.
    """
    from scipy.stats import pearsonr

    return float(pearsonr(*_require_series(predicted, expected)).statistic)


def spearman(predicted, expected) -> float:
    """Spearman's rank correlation: do the predictions put the rows in the expected order?

    It is Pearson's correlation of the ranks, equal values sharing the mean of theirs. Sentence
    encoders are compared by it: a cosine that orders the pairs well need not be on the scale of the
    scores. Arguments and errors as ``pearson``.

    Returns:
        From -1 to 1: 1 for the same order, -1 for the opposite one.

    Source: Reimers, Beyer and Gurevych (2016), "Task-Oriented Intrinsic Evaluation of Semantic
    Textual Similarity", on why ranks.
    """
    from scipy.stats import spearmanr

    return float(spearmanr(*_require_series(predicted, expected)).statistic)


def triplet_accuracy(anchor, positive, negative) -> float:
    """Share of triplets whose anchor is nearer to its positive than to its negative.

    Args:
        anchor: (n, dim).
        positive: (n, dim), row i belonging with anchor row i.
        negative: (n, dim), row i not belonging with it.

    Returns:
        A share from 0 to 1, by Euclidean distance. Equal distances count as wrong: a model that
        gives everything the same embedding scores 0. Guessing scores 1/2.

    Raises:
        ValueError: shapes that differ, NaN, infinity or no rows.
    """
    anchor = require_embeddings(anchor, "anchor").astype("float64")
    positive = require_embeddings(positive, "positive").astype("float64")
    negative = require_embeddings(negative, "negative").astype("float64")
    for name, side in (("positive", positive), ("negative", negative)):
        if side.shape != anchor.shape:
            raise ValueError(f"{name} has shape {side.shape}; expected {anchor.shape}, as anchor")
    near, far = (np.sum((anchor - side) ** 2, axis=1) for side in (positive, negative))
    return float(np.mean(near < far))


def same_clusters(labels, expected) -> bool:
    """Whether two labellings put the same rows together, whatever the groups are called.

    Args:
        labels: (n,) whole numbers.
        expected: (n,) whole numbers.

    Returns:
        True where any two rows share a label exactly if they are expected to.

    Raises:
        ValueError: shapes that do not fit, no rows, or labels that are not whole numbers.

    Example:
        >>> same_clusters([1, 1, 0], [0, 0, 5])
        True
    """
    rows = np.size(expected)
    if rows == 0:
        raise ValueError("expected is empty; expected at least one label")
    labels = require_labels(labels, rows, "labels")
    expected = require_labels(expected, rows, "expected")
    both = set(zip(labels.tolist(), expected.tolist(), strict=True))
    return len(both) == len(np.unique(labels)) == len(np.unique(expected))


def _require_series(predicted, expected) -> tuple[np.ndarray, np.ndarray]:
    """Two (n,) float64 arrays, finite, of the same length and neither of them constant."""
    series = []
    for name, values in (("predicted", predicted), ("expected", expected)):
        values = np.asarray(values, dtype="float64")
        if values.ndim != 1:
            raise ValueError(f"{name} has shape {values.shape}; expected (n,)")
        if not np.isfinite(values).all():
            raise ValueError(f"{name} holds NaN or infinity; expected finite numbers")
        series.append(values)
    if len(series[0]) != len(series[1]):
        raise ValueError(f"predicted has {len(series[0])} values, expected has {len(series[1])}")
    if len(series[0]) < 2:
        raise ValueError(f"there are {len(series[0])} values; expected at least two to correlate")
    for name, values in zip(("predicted", "expected"), series, strict=True):
        if (values == values[0]).all():
            raise ValueError(f"{name} is {values[0]:g} everywhere; expected values that vary")
    return series[0], series[1]


def _require_pairs(values, same, name: str = "distances") -> tuple[np.ndarray, np.ndarray]:
    values = np.asarray(values, dtype="float64")
    if values.ndim != 1:
        raise ValueError(f"{name} has shape {values.shape}; expected (n,)")
    if np.isnan(values).any():
        raise ValueError(f"{name} holds NaN; expected numbers")
    same = np.asarray(same).astype(bool)
    if same.shape != values.shape:
        raise ValueError(f"same has shape {same.shape}; expected {values.shape}, as {name}")
    if same.all() or not same.any():
        raise ValueError("same holds only one kind of pair; expected similar and different ones")
    return values, same
