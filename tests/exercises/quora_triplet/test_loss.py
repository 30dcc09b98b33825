"""Exercise 5: right triplet losses pass, known mistakes are named."""

import jax
import numpy as np
import pytest

from siamese_course.exercises.quora_triplet import loss
from siamese_course.exercises.quora_triplet.loss import MISTAKES
from siamese_course.runtime.trax_patch import trax
from tests.exercises.mistakes import cases, require_named
from tests.exercises.quora_triplet.test_negatives import (
    negatives_by_loops,
    negatives_by_mask,
    negatives_in_numpy,
)
from tests.exercises.quora_triplet.test_similarity import similarity_by_einsum, similarity_by_loops

jnp = trax.fastmath.numpy
(triplet_loss,) = loss.reference


@pytest.fixture(autouse=True)
def compile_quickly():
    """Most time goes into compiling."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(loss.check(mistake.answer), mistake)


OTHERS = [
    (lambda left, right, margin=0.25: 0.5, "constant"),
    (lambda left, right, margin=0.25: margin, "value"),
    (lambda left, right, margin=0.25: (left, right), "shape"),
    (lambda left, right, margin=1.0: triplet_loss(left, right, margin), "default"),
    (lambda left, right, margin: triplet_loss(left, right, margin), "error"),
]


@pytest.mark.parametrize(("answer", "tag"), OTHERS, ids=range(len(OTHERS)))
def test_other_wrong_numbers_get_no_points_and_a_word(answer, tag):
    result = loss.check(answer)
    assert repr(result) == "0"
    assert result.tags == [tag]


def loss_in_numpy(left, right, margin=0.25):
    s = np.asarray(left) @ np.asarray(right).T
    hardest, mean = negatives_in_numpy(s)
    gaps = np.stack([hardest, mean]) - np.diag(s)
    return np.clip(margin + gaps, 0, None).sum(axis=0).mean()


def loss_by_loops(left, right, margin=0.25):
    rows = similarity_by_loops(left, right)
    total = 0
    for i, (row, hardest, mean) in enumerate(zip(rows, *negatives_by_loops(rows), strict=True)):
        for negative in (hardest, mean):
            total += max(0, margin + negative - row[i])
    return total / len(rows)


def loss_of_two_means(left, right, margin=0.25):
    s = similarity_by_einsum(left, right)
    ahead = jnp.sum(left * right, axis=1)
    return sum(jnp.mean(trax.layers.Relu()(margin - ahead + n)) for n in negatives_by_mask(s))


def loss_as_array(left, right, margin=0.25):
    return jnp.array(triplet_loss(left, right, margin))


RIGHT = [(loss_of_two_means,), (loss_as_array,)]


@pytest.mark.parametrize("answers", RIGHT, ids=range(len(RIGHT)))
def test_a_right_answer_in_another_style_passes(answers):
    result = loss.check(*answers)
    assert result.passed, str(result)


@pytest.mark.parametrize("answer", [loss_in_numpy, loss_by_loops])
def test_what_cannot_be_trained_with_loses_points_and_is_replaced(answer):
    result = loss.check(answer)
    assert (result.points, result.tags) == (7, ["no_gradient"])
    assert loss.use(answer) == triplet_loss


def test_a_right_answer_is_kept(capsys):
    assert loss.use(loss_of_two_means) == loss_of_two_means
    assert "goes on with your own answer" in capsys.readouterr().out
