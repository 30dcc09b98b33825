"""Exercise 12: right vectors and importances pass, known mistakes are named."""

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from siamese_course.exercises.quora_triplet import token_vectors
from siamese_course.exercises.quora_triplet.token_vectors import (
    IMPORTANCE_MISTAKES,
    VECTOR_MISTAKES,
)
from tests.exercises.mistakes import cases, require_named

prepare_vectors, token_importance = token_vectors.reference


@cases(VECTOR_MISTAKES)
def test_a_known_mistake_in_the_vectors_is_named(mistake):
    result = token_vectors.check(mistake.answer, token_importance)
    require_named(result, mistake)
    assert repr(result) == "3"


@cases(IMPORTANCE_MISTAKES)
def test_a_known_mistake_in_the_importance_is_named(mistake):
    result = token_vectors.check(prepare_vectors, mistake.answer)
    require_named(result, mistake)
    assert repr(result) == "3"


def by_loop(table):
    mean = sum(table) / len(table)
    return [(row - mean) / np.sqrt(np.sum((row - mean) ** 2)) for row in table]


def by_sklearn(table):
    return normalize(table - np.mean(table, axis=0, keepdims=True))


def by_einsum(table):
    centered = table - np.full(len(table), 1 / len(table)) @ table
    return centered / np.sqrt(np.einsum("td,td->t", centered, centered))[:, None]


def importance_by_loop(counts, a=0.001):
    total = sum(counts)
    return [a / (a + count / total) for count in counts]


def importance_rearranged(counts, a=0.001):
    return 1 / (1 + counts / (a * np.sum(counts)))


@pytest.mark.parametrize("vectors", [by_loop, by_sklearn, by_einsum])
@pytest.mark.parametrize("importance", [importance_by_loop, importance_rearranged])
def test_right_answers_in_other_styles_pass(vectors, importance):
    result = token_vectors.check(vectors, importance)
    assert result.passed, str(result)


OTHERS = [
    (lambda table: table, "value"),
    (lambda table: table.mean(axis=0), "axis_gone"),
    (lambda table: table.T, "axis_order"),
    (lambda table: (table - table.mean(axis=0)) / np.linalg.norm(table, axis=1), "error"),
]


@pytest.mark.parametrize(("answer", "tag"), OTHERS, ids=range(len(OTHERS)))
def test_other_wrong_answers_get_a_word(answer, tag):
    assert token_vectors.check(answer, token_importance).tags[0] == tag
