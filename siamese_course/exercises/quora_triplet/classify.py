"""Exercise 8 of notebook 02: similarities of pairs, and a threshold chosen on the validation pairs."""

from copy import deepcopy
from functools import partial

import numpy as np

from siamese_course import evaluation
from siamese_course.batching.padding import pad_pair
from siamese_course.exercises.cases import Known, in_our_words, require_kept
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    as_array,
    difference,
    is_hidden,
    require_returned,
    require_shape,
    same,
    seeded,
)
from siamese_course.exercises.quora_triplet.rows import Embedder, id_rows, told_to_pad

MATRIX = ("This is a similarity matrix. Here only the pairs count: row i with row i.", "matrix")
JOINED = Known(
    ("concatenation axis",),
    "The arrays you join have different shapes. Either the questions aren't padded to the same length, or there are "
    "matrices where a batch should give one number for each pair.",
    "joined",
)
INVERTED = (
    "The comparison is inverted, or this is the fraction of *wrong* answers: *more* similar means duplicate.",
    "inverted",
)


def pair_similarities(embed, left, right, batch_size):
    """The cosine of every pair, batch by batch."""
    cosines = []
    for start in range(0, len(left), batch_size):
        first, second = pad_pair(
            left[start : start + batch_size], right[start : start + batch_size]
        )
        cosines.append(np.sum(embed(first) * embed(second), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    """A threshold from the validation pairs, and the accuracy on the test pairs."""
    threshold = evaluation.choose_similarity_threshold(*validation)
    similarities, same = test
    return threshold, np.mean((similarities > threshold) == (same == 1))


# --- similarities -------------------------------------------------------------------------------------


def _test_similarities(answer):
    if is_hidden():
        _test_other_counts(answer)
        return
    left, right = id_rows(10, 6, 0), id_rows(10, 6, 1)
    embed = Embedder()
    expected = pair_similarities(embed, left, right, 4)
    embed.shapes.clear()
    with told_to_pad(), in_our_words(JOINED):
        got = answer(embed, left, right, 4)
    if isinstance(got, list) and {getattr(part, "ndim", 0) for part in got} == {1}:
        if len(got) == 10:
            raise Wrong(*MATRIX)
        raise Wrong("This is a list of batches. Join them: `np.concatenate`.", "list_of_batches")
    got = as_array(got)
    one_batch = (
        "Only one batch was returned. Collect the similarities of all batches, and join them at the end.",
        "one_batch",
    )
    known = {
        (10, 10): MATRIX,
        (4, 4): MATRIX,
        (2, 2): MATRIX,
        (8,): (
            "Two pairs are missing: the last batch is short, and must be scored too.",
            "short_batch_dropped",
        ),
        (4,): one_batch,
        (2,): one_batch,
        (3,): (
            "There is one number per batch. Sum over the last axis only: `axis=1`.",
            "one_per_batch",
        ),
    }
    require_shape(got, (10,), known)
    # left and right of a batch may go together
    if max((shape[0] for shape in embed.shapes), default=0) > 8:
        raise Wrong(
            "More than batch_size pairs were embedded at once. Go batch by batch: the real data has thousands.",
            "all_at_once",
        )
    _require_values(got, expected)
    _test_other_counts(answer)


def _require_values(got, expected):
    if np.allclose(got, expected, atol=1e-5):
        return
    if np.allclose(got[:8], expected[:8], atol=1e-5):
        raise Wrong(
            "The last two similarities are wrong: check the last, short batch.", "short_batch"
        )
    if np.allclose(got, 1.0):
        raise Wrong("Every similarity is 1: is left compared with itself?", "left_twice")
    if np.allclose(got, 1 - expected, atol=1e-5):
        raise Wrong("This is 1 - cosine, a distance. Return the cosine.", "distance")
    raise Wrong(f"{difference(got, expected, 1e-5)}.", "value")


def _test_other_counts(answer):
    """Other numbers of pairs, batch sizes and lengths: one pair, and a batch of more than all."""
    for n, size in ((13, 5), (6, 1), (1, 4)):
        left, right, embed = id_rows(n, 12, 0), id_rows(n, 12, 1), Embedder()
        expected = pair_similarities(embed, left, right, size)
        embed.shapes.clear()
        kept = [list(map(list, side)) for side in (left, right)]
        made = answer(embed, left, right, size)
        got = as_array(made)
        if [left, right] != kept:
            raise Wrong(
                "Your code changes the lists of questions in place. Work on copies.",
                "changed",
            )
        what = f"{n} pair(s) in batches of {size}"
        require_shape(got, (n,), None, f"The result for {what}")
        if not np.allclose(got, expected, atol=1e-5):
            raise Wrong(f"{difference(got, expected, 1e-5)}, for {what}.", "value")
        require_kept(made, partial(answer, Embedder(), right[::-1], left, size))
        if max(shape[0] for shape in embed.shapes) > 2 * size:
            raise Wrong("More than batch_size pairs were embedded at once.", "all_at_once")


# --- threshold ----------------------------------------------------------------------------------------


def _pairs_to_evaluate(shift=0.0, coarse=1):
    """Pairs to choose a threshold on, and to test: the seed is one for which every mistake shows."""
    rng = seeded(136)

    def pairs(n, center, spread, coarse):
        same = (rng.random(n) < 0.37).astype(float)
        similar, different = rng.normal(center, spread, n), rng.normal(0.4, 0.15, n)
        # rounded, so that some similarities equal the threshold
        return coarse * np.round(
            (np.where(same == 1, similar, different) + shift) / coarse, 2
        ), same

    return pairs(400, 0.75, 0.12, coarse), pairs(300, 0.62, 0.2, 1)


# equal similarities with both labels: no threshold parts them
TIES = np.array([0.2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.8]), np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
# thresholds from 0.403 up to 0.609 are the best ones; wherever one is, test similarities are next to it
FINE = np.array([0.2, 0.403, 0.609, 0.9]), np.array([0.0, 0.0, 1.0, 1.0])
# of the similarities, only the last is a best threshold
SEPARABLE = np.array([0.7, 0.8, 0.2, 0.6]), np.array([1.0, 1.0, 0.0, 0.0])
# as close as those of a nearly collapsed encoder
CLOSE = np.array([0.99, 0.9932, 0.9968, 0.999]), np.array([0.0, 0.0, 1.0, 1.0])
DENSE = np.linspace(0.3, 0.7, 1_999), (np.arange(1_999) > 999).astype(float)


def _test_evaluate(answer):
    # with coarse validation pairs, a threshold between two of them may equal a test pair
    cases = [_pairs_to_evaluate(*each) for each in ((), (-0.8,), (0.1, 2))]
    results = _evaluated(answer, cases)
    _require_evaluated(results, cases)
    more = [(TIES, TIES), (SEPARABLE, SEPARABLE), (FINE, DENSE), (CLOSE, CLOSE)]
    _require_evaluated(results + _evaluated(answer, more), cases + more)


def _evaluated(answer, cases):
    results = []
    for case in cases:
        own = deepcopy(case)
        results.append(_two_numbers(answer(*own)))
        if not same(own, case):
            raise Wrong(
                "Your code changes the similarities or labels in place. Work on copies: the notebook needs them again.",
                "changed",
            )
    return results


def _require_evaluated(results, cases):
    if all(map(_is_swapped, results, cases)):
        raise Wrong(
            "The two are swapped: return the threshold first, then the accuracy.", "swapped"
        )
    _require_thresholds([threshold for threshold, _ in results], cases)
    _require_accuracy(results, cases)


def _is_swapped(result, case):
    (threshold, accuracy), (validation, test) = result, case
    return _is_best(accuracy, validation) and np.isclose(
        threshold, evaluation.accuracy_at(*test, accuracy), atol=1e-4
    )


def _two_numbers(got) -> tuple[float, float]:
    require_returned(got)
    if not isinstance(got, tuple | list | np.ndarray) or len(got) != 2:
        raise Wrong(
            "Return two numbers: the threshold, and the accuracy on the test pairs.", "one_number"
        )
    threshold, accuracy = (as_array(x, "A result") for x in got)
    if threshold.shape or accuracy.shape:
        raise Wrong(
            f"The results have shapes {threshold.shape} and {accuracy.shape}; expected two numbers.",
            "shape",
        )
    return float(threshold), float(accuracy)


def _is_best(threshold, pairs, tolerance=0.003):
    """Whether no threshold has a noticeably higher accuracy."""
    best = evaluation.accuracy_curve(*pairs)[1].max()
    return evaluation.accuracy_at(*pairs, threshold) >= best - tolerance


def _is_one(value, *others):
    return any(np.isclose(value, other) for other in others)


# what a threshold is, with what to tell; named only if it is so for all cases
THRESHOLD_MISTAKES = [
    (
        lambda threshold, validation, test: (
            threshold > validation[0].max()
            or _is_one(threshold, evaluation.accuracy_curve(*validation)[1].max())
        ),
        "This is an accuracy or a position, not a threshold. Return the similarity at which to cut.",
        "no_similarity",
    ),
    (
        lambda threshold, validation, test: _is_best(threshold, test, tolerance=0.001),
        "This threshold is the best one for the *test* pairs. A threshold is part of the model: if you choose it on "
        "the test pairs, it has seen the answers, and the accuracy is too optimistic. Choose it on the validation "
        "pairs.",
        "tuned_on_test",
    ),
    (
        lambda threshold, validation, test: _is_one(
            threshold, validation[0].mean(), np.median(validation[0])
        ),
        "This is the mean or median similarity. Try each value, and keep the one with the best accuracy.",
        "mean",
    ),
    (
        lambda threshold, validation, test: (
            abs(threshold + evaluation.choose_threshold(-validation[0], validation[1])) < 0.011
        ),
        "This maximizes balanced accuracy. Use plain accuracy: these pairs have the task's own fraction of duplicates.",
        "balanced_threshold",
    ),
]


def _require_thresholds(thresholds, cases):
    validations = [validation for validation, _ in cases]
    if all(map(_is_best, thresholds, validations)):
        return
    for explains, message, tag in THRESHOLD_MISTAKES:
        if all(explains(each, *case) for each, case in zip(thresholds, cases, strict=True)):
            raise Wrong(message, tag)
    if len(set(thresholds)) == 1:
        raise Wrong(
            f"The threshold {thresholds[0]:g} is fixed: it is the same for other pairs. Find the best one on the "
            "validation pairs.",
            "threshold_fixed",
        )
    for threshold, validation in zip(thresholds, validations, strict=True):
        if not _is_best(threshold, validation):
            best = evaluation.accuracy_curve(*validation)[1].max()
            reached = evaluation.accuracy_at(*validation, threshold)
            raise Wrong(
                f"At your threshold {threshold:.4g} the accuracy on the validation pairs is {reached:.3f}; {best:.3f} is "
                "possible. Try every similarity as threshold, with `>`.",
                "threshold",
            )


def _accuracy_mistakes(threshold, validation, test):
    """Values that known mistakes give, with what to tell."""
    similarities, same = test
    found, duplicate = similarities > threshold, same == 1
    right = np.mean(found == duplicate)
    return (
        (np.mean((similarities < threshold) == duplicate), *INVERTED),
        (
            np.mean((similarities >= threshold) == duplicate),
            "A similarity equal to the threshold counts as a duplicate. Only one above it should: `>`, just as in "
            "training the positive must be *ahead*.",
            "at_least",
        ),
        (100 * right, "This is a percentage. Return the fraction, from 0 to 1.", "percentage"),
        (
            np.sum(found == duplicate),
            "This is the number of right answers. Divide by the number of pairs.",
            "count",
        ),
        (
            np.mean(found),
            "This is the fraction of pairs called duplicates. Compare with `same`.",
            "called_duplicates",
        ),
        (
            np.mean(found & duplicate),
            "Only duplicates that were found count here. Rejecting a different pair is right, too.",
            "found_only",
        ),
        (
            np.mean(found[duplicate]),
            "This is the fraction of duplicates that were found (recall). Accuracy counts both kinds.",
            "recall",
        ),
        (
            evaluation.balanced_accuracy(-similarities, same, -threshold - 1e-9),
            "This is balanced accuracy. Use plain accuracy: these pairs have the task's own fraction of duplicates.",
            "balanced_accuracy",
        ),
        (
            evaluation.accuracy_at(*validation, threshold),
            "This is the accuracy on the *validation* pairs. The threshold was chosen on them: report the accuracy on "
            "the test pairs.",
            "validation_accuracy",
        ),
        (1 - right, *INVERTED),
    )


def _require_accuracy(results, cases):
    """A mistake is named only if it explains the accuracies of all cases."""
    found = [accuracy for _, accuracy in results]
    right = [
        np.mean((test[0] > threshold) == (test[1] == 1))
        for (threshold, _), (_, test) in zip(results, cases, strict=True)
    ]
    if np.allclose(found, right, atol=1e-4):  # rounded to four places it is right, too
        return
    known = [
        _accuracy_mistakes(threshold, *case)
        for (threshold, _), case in zip(results, cases, strict=True)
    ]
    for same_mistake in zip(*known, strict=True):
        if np.allclose(found, [value for value, *_ in same_mistake], atol=1e-6):
            raise Wrong(*same_mistake[0][1:])
    at = int(np.argmax(np.abs(np.subtract(found, right))))
    raise Wrong(
        f"At your threshold {results[at][0]:.4g} the accuracy on the test pairs is {right[at]:.4f}, not {found[at]:.4f}.",
        "value",
    )


def _ready(similarities, evaluate):
    rows = id_rows(3, 6, 0)
    if not hasattr(similarities(Embedder(), rows, rows, 2), "shape"):
        raise TypeError("the similarities are a list, and the notebook needs an array")


classify = Exercise(
    name="02.classify",
    title="Classify with a threshold",
    parts=[Part(2, _test_similarities, of=0), Part(4, _test_evaluate, of=1)],
    reference=[pair_similarities, evaluate],
    ready=_ready,
    hints=(
        "Two steps. Compute the cosine of every pair, a batch at a time. Then find the threshold at which most "
        "*validation* pairs are right, and count how many *test* pairs are right at that threshold.",
        "`range(0, len(left), batch_size)` gives the beginnings of the batches; a slice past the end is simply shorter. "
        "Row-wise dot products: `np.sum(a * b, axis=1)`. Candidates for the threshold: the similarities themselves.",
        "`max(candidates, key=lambda t: np.mean((similarities > t) == (same == 1)))` with the validation pairs; the same "
        "expression with the test pairs is the accuracy.",
    ),
)
