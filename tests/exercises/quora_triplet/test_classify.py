"""Exercise 8: right similarities and thresholds pass, known mistakes are named."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from siamese_course import evaluation
from siamese_course.batching import padding
from siamese_course.exercises.quora_triplet import classify
from siamese_course.exercises.quora_triplet.classify import _pairs_to_evaluate
from siamese_course.runtime.trax_patch import trax

jnp = trax.fastmath.numpy
pair_similarities, evaluate_reference = classify.reference


def similarities_of(score, keep=lambda starts, size: starts, join=np.concatenate, pad=None):
    """``pair_similarities`` with one thing changed."""

    def similarities(embed, left, right, batch_size):
        parts = []
        for start in keep(range(0, len(left), batch_size), batch_size):
            rows = slice(start, start + batch_size)
            first, second = (pad or padding.pad_pair)(left[rows], right[rows])
            parts.append(score(embed(first), embed(second)))
        return join(parts)

    return similarities


def row_products(a, b):
    return np.sum(a * b, axis=1)


def all_at_once(embed, left, right, batch_size):
    a, b = padding.pad_pair(left, right)
    return row_products(embed(a), embed(b))


def only_the_last(embed, left, right, batch_size):
    for start in range(0, len(left), batch_size):
        a, b = padding.pad_pair(*(s[start : start + batch_size] for s in (left, right)))
        cosines = row_products(embed(a), embed(b))
    return cosines


def last_batch_doubtful(embed, left, right, batch_size):
    return np.concatenate([pair_similarities(embed, left, right, batch_size)[:8], [0.5, 0.5]])


def rows_of_matrices(parts):
    return [row for matrix in parts for row in matrix]


SIMILARITIES = [
    (all_at_once, "all_at_once"),
    (only_the_last, "one_batch"),
    (similarities_of(row_products, join=lambda parts: parts[0]), "one_batch"),
    (similarities_of(row_products, join=list), "list_of_batches"),
    (similarities_of(row_products, keep=lambda starts, size: starts[:-1]), "short_batch_dropped"),
    (similarities_of(lambda a, b: np.sum(a * b), join=np.array), "one_per_batch"),
    (similarities_of(lambda a, b: np.sum(a * b, axis=0)), "shape"),
    (similarities_of(lambda a, b: a @ b.T, join=rows_of_matrices), "matrix"),
    (
        similarities_of(lambda a, b: a @ b.T, join=lambda parts: parts[0]),
        "matrix",
    ),
    (similarities_of(lambda a, b: row_products(a, a)), "left_twice"),
    (similarities_of(lambda a, b: 1 - row_products(a, b)), "distance"),
    (similarities_of(lambda a, b: np.linalg.norm(a - b, axis=1)), "value"),
    (similarities_of(row_products, pad=lambda a, b: (a, b)), "not_padded"),
    (similarities_of(row_products, pad=lambda *sides: map(np.array, sides)), "not_padded"),
    (last_batch_doubtful, "short_batch"),
    (lambda embed, left, right, batch_size: np.zeros(len(left)), "value"),
    (lambda embed, left, right, batch_size: left, "type"),
]


@pytest.mark.parametrize(("answer", "tag"), SIMILARITIES, ids=range(len(SIMILARITIES)))
def test_pair_similarity_mistakes_are_named(answer, tag):
    result = classify.check(answer, evaluate_reference)
    assert repr(result) == "4"
    assert result.tags[0] == tag


def accuracy(pairs, threshold):
    similarities, same = pairs
    return np.mean((similarities > threshold) == (same == 1))


def best_of(pairs, score=accuracy, candidates=None):
    candidates = np.unique(pairs[0]) if candidates is None else candidates
    return max(candidates, key=lambda threshold: score(pairs, threshold))


def evaluate_by(choose=lambda validation, test: best_of(validation), measure=accuracy):
    """``evaluate`` with one thing changed."""

    def evaluate(validation, test):
        threshold = choose(validation, test)
        return threshold, measure(test, threshold)

    return evaluate


def balanced(pairs, threshold):
    similarities, same = pairs
    found, refused = similarities[same == 1] > threshold, similarities[same == 0] <= threshold
    return (found.mean() + refused.mean()) / 2


def at_least(pairs, threshold):
    return np.mean((pairs[0] >= threshold) == (pairs[1] == 1))


def on_validation(validation, test):
    threshold = best_of(validation)
    return threshold, accuracy(validation, threshold)


def exchanged(validation, test):
    return evaluate_by()(validation, test)[::-1]


def both_together(validation, test):
    return best_of(tuple(np.concatenate(parts) for parts in zip(validation, test, strict=True)))


EVALUATES = [
    (evaluate_by(lambda validation, test: best_of(test)), "tuned_on_test"),
    (evaluate_by(lambda validation, test: 0.5), "threshold_fixed"),
    (evaluate_by(lambda validation, test: 0.6), "threshold_fixed"),
    (evaluate_by(lambda validation, test: np.mean(validation[0])), "mean"),
    (evaluate_by(lambda validation, test: np.median(validation[0])), "mean"),
    (evaluate_by(lambda validation, test: best_of(validation, balanced)), "balanced_threshold"),
    (
        evaluate_by(lambda validation, test: accuracy(validation, best_of(validation))),
        "no_similarity",
    ),
    (
        evaluate_by(lambda validation, test: int(np.argmax(validation[0]))),
        "no_similarity",
    ),
    (
        evaluate_by(lambda validation, test: best_of(validation, candidates=np.arange(-1, 1, 0.2))),
        "threshold",
    ),
    (
        evaluate_by(lambda validation, test: best_of(validation, lambda p, t: -accuracy(p, t))),
        "threshold",
    ),
    (evaluate_by(both_together), "threshold"),
    (evaluate_by(lambda validation, test: best_of(validation, at_least), at_least), "threshold"),
    (evaluate_by(lambda validation, test: 0.63), "threshold_fixed"),
    (evaluate_by(measure=lambda pairs, t: np.mean((pairs[0] < t) == pairs[1])), "inverted"),
    (evaluate_by(measure=lambda pairs, t: np.mean((pairs[0] >= t) == pairs[1])), "at_least"),
    (evaluate_by(measure=lambda pairs, t: 100 * accuracy(pairs, t)), "percentage"),
    (evaluate_by(measure=lambda pairs, t: 300 * accuracy(pairs, t)), "count"),
    (evaluate_by(measure=lambda pairs, t: np.mean(pairs[0] > t)), "called_duplicates"),
    (
        evaluate_by(measure=lambda pairs, t: np.mean((pairs[0] > t) & (pairs[1] == 1))),
        "found_only",
    ),
    (evaluate_by(measure=lambda pairs, t: np.mean(pairs[0][pairs[1] == 1] > t)), "recall"),
    (evaluate_by(measure=balanced), "balanced_accuracy"),
    (evaluate_by(measure=lambda pairs, t: 1 - accuracy(pairs, t)), "inverted"),
    (evaluate_by(measure=lambda pairs, t: 0.9), "value"),
    (on_validation, "validation_accuracy"),
    (exchanged, "swapped"),
    (lambda validation, test: accuracy(test, best_of(validation)), "one_number"),
    (lambda validation, test: test, "shape"),
]


@pytest.mark.parametrize(("answer", "tag"), EVALUATES, ids=range(len(EVALUATES)))
def test_evaluate_mistakes_are_named(answer, tag):
    result = classify.check(pair_similarities, answer)
    assert repr(result) == "2"
    assert result.tags[0] == tag


def similarities_by_dot(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        end = min(start + batch_size, len(left))
        a, b = padding.pad(left[start:end]), padding.pad(right[start:end])
        cosines += [float(np.dot(x, y)) for x, y in zip(embed(a), embed(b), strict=True)]
    return cosines


def similarities_in_place(embed, left, right, batch_size):
    cosines = np.zeros(len(left))
    for start in range(0, len(left), batch_size):
        part = slice(start, start + batch_size)
        a, b = padding.pad_pair(left[part], right[part])
        cosines[part] = np.diag(cosine_similarity(embed(a), embed(b)))
    return cosines


def similarities_of_both_sides_together(embed, left, right, batch_size):
    parts = []
    while len(left):
        both = embed(padding.pad(left[:batch_size] + right[:batch_size]))
        parts.append(jnp.einsum("nd,nd->n", *np.split(both, 2)))
        left, right = left[batch_size:], right[batch_size:]
    return jnp.concatenate(parts)


def evaluate_by_loop(validation, test):
    best, chosen = 0, None
    for threshold in sorted(validation[0].tolist()):
        right = 0
        for similarity, same in zip(*validation, strict=True):
            right += (similarity > threshold) == bool(same)
        if right > best:
            best, chosen = right, threshold
    return chosen, round(float(accuracy(test, chosen)), 4)


def evaluate_on_a_grid(validation, test):
    grid = np.linspace(-1, 1, 2001)
    right = (validation[0][:, None] > grid) == validation[1].astype(bool)[:, None]
    threshold = grid[np.argmax(right.mean(axis=0))]
    return np.array([threshold, accuracy(test, threshold)])


def evaluate_midway(validation, test):
    values = np.unique(validation[0])
    threshold = best_of(validation, candidates=(values[1:] + values[:-1]) / 2)
    return [float(threshold), 1 - np.abs((test[0] > threshold) - test[1]).mean()]


def evaluate_from_above(validation, test):
    """The last of several best thresholds."""
    return evaluate_by(lambda v, _: best_of(v, candidates=np.unique(v[0])[::-1]))(validation, test)


RIGHT = [
    (similarities_by_dot, evaluate_by_loop),
    (similarities_in_place, evaluate_on_a_grid),
    (similarities_of_both_sides_together, evaluate_midway),
    (similarities_of(row_products, join=np.hstack), evaluate_from_above),
]


@pytest.mark.parametrize("answers", RIGHT, ids=range(len(RIGHT)))
def test_a_right_answer_in_another_style_passes(answers):
    result = classify.check(*answers)
    assert result.passed, str(result)


def test_a_right_answer_is_kept(capsys):
    assert classify.use(similarities_in_place, evaluate_on_a_grid) == (
        similarities_in_place,
        evaluate_on_a_grid,
    )
    assert "goes on with your own answer" in capsys.readouterr().out


@pytest.mark.parametrize("answer", [similarities_by_dot])
def test_what_cannot_be_trained_with_is_replaced_and_the_learner_told(answer, capsys):
    assert classify.use(answer, evaluate_reference) == (pair_similarities, evaluate_reference)
    assert "yours is right, but it can't be used for training (" in capsys.readouterr().out


def test_the_cases_of_evaluate_have_similarities_at_the_threshold_and_two_best_thresholds():
    """Otherwise ``>=`` and a threshold tuned on the test could not be named."""
    validation, test = _pairs_to_evaluate()
    threshold = best_of(validation)
    assert np.any(test[0] == threshold)
    assert abs(threshold - best_of(test)) > 0.02
    assert evaluation.accuracy_at(*validation, best_of(test)) < accuracy(validation, threshold)
