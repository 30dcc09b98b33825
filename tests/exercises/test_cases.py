"""What the exercises' tests share."""

import keras
import numpy as np
import pytest

from siamese_course.exercises.cases import (
    RAGGED,
    Known,
    draw,
    in_our_words,
    is_pair,
    normal,
    require_kept,
    require_own_order,
    require_rows_shuffled,
    require_traceable,
    require_trainable,
    reworded,
    tensor,
    unit,
)
from siamese_course.exercises.engine import Wrong, hidden_numbers


def test_numbers_are_the_same_in_every_notebook_and_others_for_the_instructor():
    assert np.array_equal(normal(3, 2), normal(3, 2))
    assert not np.array_equal(normal(3, 2), normal(3, 2, seed=1))
    with hidden_numbers(7):
        other = normal(3, 2)
    assert not np.array_equal(other, normal(3, 2))


def test_unit_rows_have_length_one():
    rows = unit(5, 3)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_a_tensor_has_the_type_asked_for():
    assert keras.backend.standardize_dtype(tensor([1, 2]).dtype) == "float32"
    assert keras.backend.standardize_dtype(tensor([1, 2], "int32").dtype) == "int32"


def test_a_known_error_is_reworded_and_another_one_is_not():
    with pytest.raises(Wrong) as caught, in_our_words(RAGGED):
        np.array([[1, 2], [3]])
    assert caught.value.tag == "not_padded"
    division = Known(("ZeroDivisionError",), "divided by zero", "zero")
    with pytest.raises(Wrong, match="divided by zero"):
        reworded(lambda x, y: x / y, division)(1, y=0)
    with pytest.raises(KeyError):
        reworded(lambda: {}["x"], division)()


def two_batches():
    yield from ([1], [2])


@pytest.mark.parametrize(
    ("answer", "tag"),
    [(lambda: None, "none"), (lambda: [1, 2, 3], "no_generator"), (two_batches, "ends")],
)
def test_what_is_no_endless_generator_is_named(answer, tag):
    with pytest.raises(Wrong) as caught:
        draw(answer, (), 3)
    assert caught.value.tag == tag


def test_batches_are_drawn():
    assert draw(two_batches, (), 2) == [[1], [2]]


def test_all_randomness_must_come_from_the_seed():
    require_own_order(lambda seed: seed)
    with pytest.raises(Wrong) as caught:
        require_own_order(lambda seed: 5)
    assert caught.value.tag == "not_shuffled"
    with pytest.raises(Wrong) as caught:
        require_own_order(lambda seed: np.random.random())
    assert caught.value.tag == "other_randomness"


@pytest.mark.parametrize(
    ("first", "second", "tag"),
    [
        ([0, 1, 2, 3, 4, 5], [4, 3, 5, 2, 0, 1], "batches_shuffled"),
        ([2, 3, 0, 1, 4, 5], [4, 5, 2, 3, 0, 1], "blocks_shuffled"),
        ([2, 3, 4, 5, 0, 1], [1, 2, 3, 4, 5, 0], "blocks_shuffled"),
        ([3, 0, 4, 1, 5, 2], [0, 5, 2, 1, 4, 3], None),
    ],
)
def test_blocks_of_rows_that_stay_together_are_named(first, second, tag):
    if tag is None:
        require_rows_shuffled(first, second, 3)
        return
    with pytest.raises(Wrong) as caught:
        require_rows_shuffled(first, second, 3)
    assert caught.value.tag == tag


def test_a_result_must_not_change_later():
    kept = np.zeros(3)
    require_kept(kept, lambda: np.ones(3))
    with pytest.raises(Wrong) as caught:
        require_kept(kept, lambda: kept.fill(1))
    assert caught.value.tag == "reused"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, 2), True),
        ([[1], [2]], True),
        (np.zeros((2, 5)), True),
        (tensor(np.zeros((2, 5))), True),
        ((1, 2, 3), False),
        (np.zeros((5, 2)), False),
        (np.zeros(2), False),
        (None, False),
    ],
)
def test_two_results_may_be_stacked(value, expected):
    assert is_pair(value) == expected


def test_a_loss_without_gradient_cannot_be_trained_with():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    batch = np.ones((4, 2), "float32"), np.ones((4, 1), "float32")
    require_trainable(model, "mse", batch)
    with pytest.raises((TypeError, ValueError), match="gradient"):
        require_trainable(model, lambda y, out: keras.ops.mean(keras.ops.stop_gradient(out)), batch)


def test_what_jax_cannot_trace_is_refused():
    require_traceable(lambda x: (x**2).sum(), np.ones(3, "float32"))
    with pytest.raises(Exception, match=r"Tracer|[Cc]oncrete"):
        require_traceable(lambda x: float(x.sum()), np.ones(3, "float32"))
