"""How good is an embedding? Nearest neighbors, thresholds, correlations, triplets, clusters.

Every function raises ValueError for arguments of other shapes or values than stated, NaN and infinity included.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from siamese_course.validation import (
    require_callable,
    require_count,
    require_embeddings,
    require_labels,
    require_number,
    require_numbers,
    require_pairs,
    require_same_dim,
    require_series,
)


def knn_score(
    train_embeddings: npt.ArrayLike,
    train_labels: npt.ArrayLike,
    test_embeddings: npt.ArrayLike,
    test_labels: npt.ArrayLike,
    k: int = 5,
) -> float:
    """Return the fraction of test embeddings that a vote of the k nearest neighbors gets right.

    The neighbors are training embeddings, by Euclidean distance; a tie goes to the smaller label.

    Args:
        train_embeddings: (n, dim).
        train_labels: (n,) integers.
        test_embeddings: (m, dim).
        test_labels: (m,) integers.
        k: neighbors that vote, from 1 to n.
    """
    from sklearn.neighbors import KNeighborsClassifier

    train_embeddings = require_embeddings(train_embeddings, "train_embeddings")
    test_embeddings = require_embeddings(test_embeddings, "test_embeddings")
    train_labels = require_labels(train_labels, len(train_embeddings), "train_labels")
    test_labels = require_labels(test_labels, len(test_embeddings), "test_labels")
    require_count(k, "k", len(train_embeddings), "the number of training embeddings")
    require_same_dim(train_embeddings, test_embeddings, "train_embeddings", "test_embeddings")
    classifier = KNeighborsClassifier(n_neighbors=k).fit(train_embeddings, train_labels)
    return float(np.mean(classifier.predict(test_embeddings) == test_labels))


def cosine_similarities(queries: npt.ArrayLike, references: npt.ArrayLike) -> np.ndarray:
    """Return the cosine of the angle between every query and every reference.

    Args:
        queries: (q, dim).
        references: (r, dim).

    Returns:
        (q, r) float64 from -1 to 1. A row of zeros has no direction: its cosines are 0.
    """
    from sklearn.metrics.pairwise import cosine_similarity

    queries = require_embeddings(queries, "queries").astype("float64")
    references = require_embeddings(references, "references").astype("float64")
    require_same_dim(queries, references, "queries", "references")
    return cosine_similarity(queries, references)


def one_shot_accuracy(
    similarity: Callable[[np.ndarray, np.ndarray], npt.ArrayLike], runs: Iterable[Any]
) -> float:
    """Return the fraction of one-shot trials that a similarity gets right, over all runs.

    A test image is assigned to the train image that is most similar to it; a tie goes to the first. Guessing
    scores 1 in n, for runs of n classes.

    Args:
        similarity: takes test images (q, ...) and train images (n, ...), and returns (q, n), larger for more
            similar images. For a distance, return it with a minus sign.
        runs: objects with ``test``, ``train`` and ``answers``, (q,) integers: test image i shows the class of
            train image answers[i]. The official runs are ``load_omniglot().runs``.

    Raises:
        TypeError: the similarity is not a function.
        ValueError: no runs, an answer that is no train image, or the similarity returns another shape.

    Source: the protocol of Lake, Salakhutdinov and Tenenbaum (2015).
    """
    require_callable(similarity, "similarity")
    right = []
    for run in runs:
        answers = require_labels(run.answers, len(run.test), "answers")
        if not ((answers >= 0) & (answers < len(run.train))).all():
            raise ValueError(f"answers must be from 0 to {len(run.train) - 1}, train images")
        shape = len(run.test), len(run.train)
        found = similarity(run.test, run.train)
        found = require_numbers(found, "similarity", shape, f"{shape}, tests by examples")
        right.extend(found.argmax(axis=1) == answers)
    if not right:
        raise ValueError("runs is empty; expected at least one run")
    return float(np.mean(right))


def verify_one_shot(
    reference: npt.ArrayLike, queries: npt.ArrayLike, threshold: float
) -> np.ndarray:
    """Decide same or different from one example: a distance at or below the threshold means same.

    Args:
        reference: (dim,) embedding of the example.
        queries: (n, dim) embeddings of the images to verify.
        threshold: tau, as ``choose_threshold`` finds it on labeled pairs.

    Returns:
        (n,) bool. (With a similarity it is the other way round: same if it is at or *above* tau.)
    """
    reference = require_numbers(reference, "reference", (None,), "(dim,), one example")
    queries = require_embeddings(queries, "queries").astype("float64")
    require_same_dim(reference[None], queries, "reference", "queries")
    require_number(threshold, "threshold")
    return np.linalg.norm(queries - reference, axis=1) <= threshold


def balanced_accuracy(distances: npt.ArrayLike, same: npt.ArrayLike, threshold: float) -> float:
    """Return the mean of two fractions: similar pairs at or below the threshold, different pairs above.

    With nine different pairs for each similar one, plain accuracy would reward rejecting everything.

    Args:
        distances: (n,) distances.
        same: (n,) 1 for a similar pair, 0 for a different one; both kinds must occur.
        threshold: tau.

    Returns:
        From 0 to 1; chance is 1/2.
    """
    distances, same = require_pairs(distances, same)
    require_number(threshold, "threshold")
    accepted = distances <= threshold
    return float((accepted[same].mean() + (~accepted[~same]).mean()) / 2)


def choose_threshold(distances: npt.ArrayLike, same: npt.ArrayLike) -> float:
    """Return the threshold with the best balanced accuracy.

    Arguments and errors are those of ``balanced_accuracy``.

    Returns:
        The midpoint between the largest accepted distance and the next one.
    """
    distances, same = require_pairs(distances, same)
    order = np.argsort(distances, kind="stable")
    values, hits = distances[order], same[order]
    accepted_same = np.cumsum(hits) / hits.sum()
    accepted_different = np.cumsum(~hits) / (~hits).sum()
    # Equal distances are accepted together
    is_last_of_value = np.append(values[1:] > values[:-1], True)
    best = int(np.argmax(np.where(is_last_of_value, accepted_same - accepted_different, -2)))
    upper = values[best + 1] if best + 1 < len(values) else values[best]
    return float((values[best] + upper) / 2)


def accuracy_at(similarities: npt.ArrayLike, same: npt.ArrayLike, threshold: float) -> float:
    """Return the fraction of correct pairs when a similarity *above* the threshold means same.

    Args:
        similarities: (n,), larger for more similar pairs.
        same: (n,) 1 for a duplicate pair, 0 for a different one; both kinds must occur.
        threshold: tau.

    Returns:
        A fraction from 0 to 1. It holds for this fraction of duplicates only.
    """
    similarities, same = require_pairs(similarities, same, "similarities")
    require_number(threshold, "threshold")
    return float(np.mean((similarities > threshold) == same))


def accuracy_curve(
    similarities: npt.ArrayLike, same: npt.ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Return the accuracy at every threshold that makes a difference.

    Arguments and errors are those of ``accuracy_at``.

    Returns:
        (thresholds, accuracies), thresholds ascending: one below all similarities, one at the midpoint
        of every two neighboring values, one above all.
    """
    similarities, same = require_pairs(similarities, same, "similarities")
    values, place = np.unique(similarities, return_inverse=True)
    duplicates = np.bincount(place, same, len(values))
    others = np.bincount(place, ~same, len(values))
    # A threshold above the first k values gets their different pairs right, and the others' duplicates
    right = np.r_[0, np.cumsum(others)] + np.r_[np.cumsum(duplicates[::-1])[::-1], 0]
    # Of values above 1e10, 1e-6 is less than the distance to the next number
    below = min(values[0] - 1e-6, np.nextafter(values[0], -np.inf))
    above = max(values[-1] + 1e-6, np.nextafter(values[-1], np.inf))
    thresholds = np.r_[below, (values[1:] + values[:-1]) / 2, above]
    return thresholds, right / len(same)


def choose_similarity_threshold(similarities: npt.ArrayLike, same: npt.ArrayLike) -> float:
    """Return the threshold with the best accuracy. Choose it on validation pairs, never on the test.

    The pairs must have the task's fraction of duplicates. (``choose_threshold`` is for distances, and
    uses balanced accuracy.) Arguments and errors are those of ``accuracy_at``.
    """
    thresholds, accuracies = accuracy_curve(similarities, same)
    return float(thresholds[np.argmax(accuracies)])


def roc_auc(similarities: npt.ArrayLike, same: npt.ArrayLike) -> float:
    """Return the area under the ROC curve.

    It is how often a random duplicate is more similar than a random different pair: 1 is perfect, 1/2
    is guessing. It needs no threshold and does not depend on the fraction of duplicates. Arguments and
    errors are those of ``accuracy_at``.
    """
    from sklearn.metrics import roc_auc_score

    similarities, same = require_pairs(similarities, same, "similarities")
    return float(roc_auc_score(same, similarities))


def pearson(predicted: npt.ArrayLike, expected: npt.ArrayLike) -> float:
    """Return Pearson's correlation: are predicted and expected values on a straight line?

    r = sum((p - mean p) (e - mean e)) / sqrt(sum((p - mean p)^2) sum((e - mean e)^2)).

    Args:
        predicted: (n,), such as the cosines of n sentence pairs.
        expected: (n,), such as their human scores; n is at least 2.

    Returns:
        From -1 to 1: 1 on a rising line of any slope, 0 for no linear relation.

    Raises:
        ValueError: values that are all the same, for which the correlation is undefined.
    """
    from scipy.stats import pearsonr

    return float(pearsonr(*require_series(predicted, expected)).statistic)


def spearman(predicted: npt.ArrayLike, expected: npt.ArrayLike) -> float:
    """Return Spearman's rank correlation: are predicted and expected values in the same order?

    It is Pearson's correlation of the ranks; equal values get their mean rank. It is the usual score of
    sentence encoders, because cosines can order the pairs well without being on the scale of the human
    scores. Arguments and errors are those of ``pearson``.

    Returns:
        From -1 to 1: 1 for the same order, -1 for the opposite one.

    Source: Reimers, Beyer and Gurevych (2016), "Task-Oriented Intrinsic Evaluation of Semantic
    Textual Similarity", on why ranks.
    """
    from scipy.stats import spearmanr

    return float(spearmanr(*require_series(predicted, expected)).statistic)


def triplet_accuracy(
    anchor: npt.ArrayLike, positive: npt.ArrayLike, negative: npt.ArrayLike
) -> float:
    """Return the fraction of triplets whose anchor is nearer to the positive than to the negative.

    Args:
        anchor: (n, dim).
        positive: (n, dim), row i similar to anchor row i.
        negative: (n, dim), row i different from it.

    Returns:
        A fraction from 0 to 1, by Euclidean distance. Equal distances count as wrong: a model that
        gives everything the same embedding scores 0. Guessing scores 1/2.
    """
    start = require_embeddings(anchor, "anchor").astype("float64")
    squared = []
    for name, rows in (("positive", positive), ("negative", negative)):
        end = require_embeddings(rows, name).astype("float64")
        if end.shape != start.shape:
            raise ValueError(f"{name} has shape {end.shape}; expected {start.shape}, as anchor")
        squared.append(np.sum((start - end) ** 2, axis=1))
    return float(np.mean(squared[0] < squared[1]))


def same_clusters(labels: npt.ArrayLike, expected: npt.ArrayLike) -> bool:
    """Return whether two labelings group the rows in the same way, whatever the labels are.

    Args:
        labels: (n,) integers.
        expected: (n,) integers.

    Returns:
        True if any two rows share a label exactly when they are expected to.

    Example:
        >>> same_clusters([1, 1, 0], [0, 0, 5])
        True
    """
    labels = require_labels(labels)
    expected = require_labels(expected, len(labels), "expected")
    both = set(zip(labels.tolist(), expected.tolist(), strict=True))
    return len(both) == len(np.unique(labels)) == len(np.unique(expected))
