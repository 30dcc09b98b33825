"""Exercise 4: right negatives pass, known mistakes in either are named."""

import jax
import numpy as np
import pytest

from siamese_course.exercises.quora_triplet import negatives
from siamese_course.exercises.quora_triplet.negatives import HARDEST_MISTAKES, MEAN_MISTAKES
from siamese_course.runtime.trax_patch import trax
from tests.exercises.mistakes import cases, require_named

jnp = trax.fastmath.numpy
(hard_negatives,) = negatives.reference


@pytest.fixture(autouse=True)
def compile_quickly():
    """Most time goes into compiling."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@cases(HARDEST_MISTAKES)
def test_a_known_mistake_in_the_hardest_is_named(mistake):
    result = negatives.check(lambda s: (mistake.answer(s), hard_negatives(s)[1]))
    require_named(result, mistake)
    assert repr(result) == "4"


@cases(MEAN_MISTAKES)
def test_a_known_mistake_in_the_mean_is_named(mistake):
    result = negatives.check(lambda s: (hard_negatives(s)[0], mistake.answer(s)))
    require_named(result, mistake)
    assert repr(result) == "4"


def along_the_columns(s):
    diagonal = jnp.eye(len(s))
    return jnp.max(s - 2 * diagonal, axis=0), jnp.sum(s * (1 - diagonal), axis=0) / (len(s) - 1)


OTHERS = [
    (along_the_columns, ["columns"]),
    (lambda s: (jnp.max(s, axis=1), jnp.mean(s, axis=1)), ["diagonal", "with_positives"]),
    (lambda s: hard_negatives(s)[::-1], ["swapped"]),
    (lambda s: (0 * s[0], 0 * s[0]), ["constant"]),
    (lambda s: s, ["one_array"]),
    (lambda s: hard_negatives(s)[0], ["one_array"]),
    (lambda s: (jnp.max(s), jnp.mean(s)), ["all_axes"]),
    (lambda s: [jnp.reshape(x, (-1, 1)) for x in hard_negatives(s)], ["keepdims"]),
]


@pytest.mark.parametrize(("answer", "tags"), OTHERS, ids=range(len(OTHERS)))
def test_two_mistakes_get_no_points_and_both_are_named(answer, tags):
    result = negatives.check(answer)
    assert repr(result) == "0"
    assert list(dict.fromkeys(result.tags)) == tags


def negatives_in_numpy(similarities):
    s = np.array(similarities)
    b = len(s)
    mean = (s.sum(axis=1) - np.diag(s)) / (b - 1)
    np.fill_diagonal(s, -np.inf)
    return s.max(axis=1), mean


def negatives_by_loops(similarities):
    rows = np.asarray(similarities).tolist()
    others = [[x for j, x in enumerate(row) if j != i] for i, row in enumerate(rows)]
    return [max(row) for row in others], [sum(row) / len(row) for row in others]


def negatives_by_mask(similarities):
    b = len(similarities)
    mask = jnp.eye(b, dtype=bool)
    hardest = jnp.where(mask, -jnp.inf, similarities).max(axis=-1)
    return hardest, jnp.where(mask, 0, similarities).sum(-1) / (b - 1)


def negatives_by_sorting(similarities):
    b = similarities.shape[0]
    off = similarities[~np.eye(b, dtype=bool)].reshape(b, b - 1)
    return jnp.sort(off, axis=1)[:, -1], off.mean(axis=1)


RIGHT = [(negatives_by_mask,), (negatives_by_sorting,)]


@pytest.mark.parametrize("answers", RIGHT, ids=range(len(RIGHT)))
def test_a_right_answer_in_another_style_passes(answers):
    result = negatives.check(*answers)
    assert result.passed, str(result)


@pytest.mark.parametrize("answer", [negatives_in_numpy, negatives_by_loops])
def test_what_cannot_be_trained_with_loses_points_and_is_replaced(answer):
    result = negatives.check(answer)
    assert (result.points, result.tags) == (8, ["no_gradient"])
    assert negatives.use(answer) == hard_negatives


def test_a_right_answer_is_kept(capsys):
    assert negatives.use(negatives_by_mask) == negatives_by_mask
    assert "goes on with your own answer" in capsys.readouterr().out
