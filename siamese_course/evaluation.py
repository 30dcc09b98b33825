"""How good is an embedding: k-nearest-neighbour score, thresholds, one-shot verification."""

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


def _require_pairs(distances, same) -> tuple[np.ndarray, np.ndarray]:
    distances = np.asarray(distances, dtype="float64")
    if distances.ndim != 1:
        raise ValueError(f"distances has shape {distances.shape}; expected (n,)")
    if np.isnan(distances).any():
        raise ValueError("distances holds NaN; expected numbers")
    same = np.asarray(same).astype(bool)
    if same.shape != distances.shape:
        raise ValueError(f"same has shape {same.shape}; expected {distances.shape}, as distances")
    if same.all() or not same.any():
        raise ValueError("same holds only one kind of pair; expected similar and different ones")
    return distances, same
