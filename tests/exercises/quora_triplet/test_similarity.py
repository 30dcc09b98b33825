"""Exercise 3: right similarity matrices pass, known mistakes are named."""

import jax
import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from siamese_course.exercises.quora_triplet import similarity
from siamese_course.exercises.quora_triplet.similarity import MISTAKES
from siamese_course.runtime.trax_patch import trax
from tests.exercises.mistakes import cases, require_named

jnp = trax.fastmath.numpy
(similarity_matrix,) = similarity.reference


@pytest.fixture(autouse=True)
def compile_quickly():
    """Most time goes into compiling."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(similarity.check(mistake.answer), mistake)


OTHERS = [
    (lambda a, b: a @ b, "not_transposed"),
    (lambda a, b: jnp.dot(a, b), "not_transposed"),
    (lambda a, b: a * b.T, "star"),
    (lambda a, b: jnp.sum(a * b), "all_axes"),
    (lambda a, b: a, "shape"),
    (lambda a, b: jnp.eye(len(a)), "value"),
    (lambda a, b: (a, b), "shape"),
]


@pytest.mark.parametrize(("answer", "tag"), OTHERS, ids=range(len(OTHERS)))
def test_other_wrong_numbers_get_no_points_and_a_word(answer, tag):
    result = similarity.check(answer)
    assert repr(result) == "0"
    assert result.tags == [tag]


def similarity_in_numpy(left, right):
    return np.asarray(left) @ np.asarray(right).T


def similarity_by_loops(left, right):
    left, right = np.asarray(left).tolist(), np.asarray(right).tolist()
    return [[sum(x * y for x, y in zip(a, b, strict=True)) for b in right] for a in left]


def similarity_by_einsum(left, right):
    return jnp.einsum("id,jd->ij", left, right)


def similarity_of_lengths(left, right):
    lengths = jnp.sqrt(jnp.sum(left**2, axis=1))
    return jnp.dot(left / lengths[:, None], right.T)


RIGHT = [(similarity_by_einsum,), (similarity_of_lengths,)]


@pytest.mark.parametrize("answers", RIGHT, ids=range(len(RIGHT)))
def test_a_right_answer_in_another_style_passes(answers):
    result = similarity.check(*answers)
    assert result.passed, str(result)


@pytest.mark.parametrize("answer", [similarity_in_numpy, similarity_by_loops, cosine_similarity])
def test_what_cannot_be_trained_with_loses_a_point_and_is_replaced(answer):
    result = similarity.check(answer)
    assert (result.points, result.tags) == (5, ["no_gradient"])
    assert "`jnp`" in result.messages[0]
    assert similarity.use(answer) == similarity_matrix


def test_a_right_answer_is_kept(capsys):
    assert similarity.use(similarity_by_einsum) == similarity_by_einsum
    assert "goes on with your own answer" in capsys.readouterr().out


def test_the_raise_left_behind_is_named():
    def begun(left, right):
        product = left @ right.T
        raise NotImplementedError("not attempted")
        return product

    assert similarity.check(begun).tags == ["still_raises"]
