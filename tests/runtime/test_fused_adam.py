"""Adam in one operation: the formula, computed in NumPy, and Keras's own updates."""

import keras
import numpy as np
import pytest

from siamese_course.runtime.fused_adam import fuse

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="an operation of TensorFlow"
)
OPTIONS = {"beta_1": 0.8, "beta_2": 0.9, "epsilon": 1e-3}


def by_formula(start, gradients, rates, beta_1, beta_2, epsilon):
    """Kingma and Ba (2015): algorithm 1 in the order of computation of the end of section 2."""
    value, first, second = start.astype("float64"), 0.0, 0.0
    for step, (gradient, rate) in enumerate(zip(gradients, rates, strict=True), 1):
        first = beta_1 * first + (1 - beta_1) * gradient
        second = beta_2 * second + (1 - beta_2) * gradient**2
        rate *= np.sqrt(1 - beta_2**step) / (1 - beta_1**step)
        value = value - rate * first / (np.sqrt(second) + epsilon)
    return value


@pytest.mark.parametrize("graph", [True, False])
def test_updates_follow_the_formula(graph):
    rng = np.random.default_rng(0)
    start, gradients = rng.normal(size=(3, 4)), rng.normal(size=(5, 3, 4))
    schedule = keras.optimizers.schedules.PolynomialDecay(0.3, 5, 0.0)
    optimizer = keras.optimizers.Adam(schedule, **OPTIONS)
    variable = keras.Variable(start)
    optimizer.build([variable])
    fuse(optimizer)
    apply = tf.function(optimizer.apply) if graph else optimizer.apply
    for gradient in gradients:
        apply([tf.constant(gradient, "float32")])
    expected = by_formula(start, gradients, [0.3 * (1 - n / 5) for n in range(5)], **OPTIONS)
    np.testing.assert_allclose(np.asarray(variable), expected, rtol=1e-5)


def test_gradients_of_a_repeated_row_are_added_up():
    """Keras alone adds up their squares instead; a row that is never read moves by its moments only, in both."""
    rng = np.random.default_rng(1)
    start, values = rng.normal(size=(4, 2)), rng.normal(size=(3, 3, 2))
    indices = np.array([[0, 2, 2], [1, 1, 1], [2, 0, 2]])
    dense = np.zeros((3, 4, 2))
    for step in range(3):
        np.add.at(dense[step], indices[step], values[step])
    found = {}
    for fused in (True, False):
        optimizer, variable = keras.optimizers.Adam(0.1, **OPTIONS), keras.Variable(start)
        optimizer.build([variable])
        if fused:
            fuse(optimizer)
        for step in range(3):
            slices = tf.IndexedSlices(tf.constant(values[step], "float32"), indices[step], (4, 2))
            optimizer.apply([slices])
        found[fused] = np.asarray(variable)
    expected = by_formula(start, dense, [0.1] * 3, **OPTIONS)
    np.testing.assert_allclose(found[True], expected, rtol=1e-5)
    assert not np.allclose(found[False][2], expected[2], rtol=1e-3)
    np.testing.assert_allclose(found[False][3], expected[3], rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("length", [0.0, 0.5, 1.0, 30.0])
def test_gradients_are_clipped_as_by_keras(dtype, length):
    gradient = np.random.default_rng(2).normal(size=(3, 4))
    gradient = (length * gradient / np.linalg.norm(gradient)).astype(dtype)
    fused, plain = (keras.optimizers.Adam(0.1, clipnorm=1.0) for _ in range(2))
    fuse(fused)
    got, expected = (o._clip_gradients([tf.constant(gradient)])[0] for o in (fused, plain))
    assert got.dtype == dtype
    np.testing.assert_allclose(got, expected, rtol=1e-2 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_variables_of_other_types_are_updated_in_their_type(dtype):
    optimizer, variable = keras.optimizers.Adam(0.1), keras.Variable(np.ones(3), dtype=dtype)
    optimizer.build([variable])
    fuse(optimizer)
    optimizer.apply([tf.constant([1.0, -1.0, 2.0])])
    assert variable.dtype == dtype
    np.testing.assert_allclose(keras.ops.cast(variable, "float32"), [0.9, 1.1, 0.9], rtol=1e-2)


def test_numbers_that_all_variables_share_are_computed_once_a_step():
    """Also if the optimizer is fused again, as for a second training."""
    optimizer = keras.optimizers.Adam(0.1, clipnorm=1.0)
    variables = [keras.Variable(np.ones(n, "float32")) for n in (2, 3, 4)]
    optimizer.build(variables)
    for _ in range(2):
        fuse(optimizer)
    gradients = [tf.constant(np.ones(n, "float32")) for n in (2, 3, 4)]
    graph = tf.function(lambda: optimizer.apply(gradients)).get_concrete_function().graph
    kinds = [operation.type for operation in graph.get_operations()]
    assert kinds.count("Pow") == 2
    assert kinds.count("ResourceApplyAdam") == 3


@pytest.mark.parametrize(
    "optimizer",
    [
        keras.optimizers.Adam(0.1, amsgrad=True),
        keras.optimizers.AdamW(0.1),
        keras.optimizers.SGD(0.1),
        keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(0.1)),
    ],
)
def test_other_optimizers_stay_as_they_are(optimizer):
    fuse(optimizer)
    assert "update_step" not in vars(optimizer)
