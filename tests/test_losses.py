"""The losses against loops written by hand and finite differences, on TensorFlow and on JAX."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from siamese_course import losses

# The oracle knows no framework: plain Python floats.


def distance_by_hand(a, b):
    return (sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) + 1e-6) ** 0.5


def contrastive_by_hand(same, pairs, margin):
    total = 0.0
    for s, (a, b) in zip(same, pairs, strict=True):
        if s == 1:
            total += 0.5 * sum((x - y) ** 2 for x, y in zip(a, b, strict=True))
        else:
            total += 0.5 * max(0.0, margin - distance_by_hand(a, b)) ** 2
    return total / len(same)


def all_pairs_by_hand(labels, points, margin):
    similar, different = [], []
    for i in range(len(labels)):
        for j in range(i):
            if labels[i] == labels[j]:
                similar.append(
                    0.5 * sum((x - y) ** 2 for x, y in zip(points[i], points[j], strict=True))
                )
            else:
                different.append(
                    0.5 * max(0.0, margin - distance_by_hand(points[i], points[j])) ** 2
                )
    return sum(kind and sum(kind) / len(kind) for kind in (similar, different) if kind)


def supervised_contrastive_by_hand(labels, points, temperature):
    unit = [p / (np.sum(np.square(p)) + 1e-6) ** 0.5 for p in points]
    total = 0.0
    for i in range(len(labels)):
        others = [j for j in range(len(labels)) if j != i]
        bottom = sum(np.exp(unit[i] @ unit[j] / temperature) for j in others)
        partners = [j for j in others if labels[j] == labels[i]]
        if partners:
            shares = [np.log(np.exp(unit[i] @ unit[j] / temperature) / bottom) for j in partners]
            total -= sum(shares) / len(partners)
    return total / len(labels)


def sample(n=9, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    return labels, rng.normal(scale=2, size=(n, dim)), rng.normal(scale=2, size=(n, 2, dim))


def tensor(x):
    from keras import ops

    return ops.convert_to_tensor(np.asarray(x, "float32"))


def test_distance_is_the_loop():
    _, a, _ = sample()
    _, b, _ = sample(seed=1)
    got = losses.euclidean_distance(tensor(a), tensor(b))
    np.testing.assert_allclose(
        got, [distance_by_hand(x, y) for x, y in zip(a, b, strict=True)], rtol=1e-5
    )


def test_distance_of_a_point_to_itself_is_the_root_of_epsilon():
    point = tensor([[3.0, -4.0]])
    np.testing.assert_allclose(losses.euclidean_distance(point, point), [1e-3], rtol=1e-5)


@pytest.mark.parametrize("margin", [0.5, 5.0])
def test_contrastive_loss_is_the_loop(margin):
    _, _, pairs = sample()
    same = np.array([1, 0, 0, 1, 0, 1, 0, 0, 1.0])
    got = losses.contrastive_loss(tensor(same), tensor(pairs), margin)
    np.testing.assert_allclose(got, contrastive_by_hand(same, pairs, margin), rtol=1e-5)


def test_same_means_similar():
    """The label convention: 1 pulls (far pairs pay), 0 pushes (far pairs pay nothing)."""
    far = tensor([[[0.0, 0.0], [30.0, 40.0]]])
    assert float(losses.contrastive_loss(tensor([1.0]), far)) == pytest.approx(1250.0)
    assert float(losses.contrastive_loss(tensor([0.0]), far)) == 0.0


def test_similar_term_has_no_epsilon():
    twin = tensor([[[1.0, 2.0], [1.0, 2.0]]])
    assert float(losses.contrastive_loss(tensor([1.0]), twin)) == 0.0


@pytest.mark.parametrize("margin", [0.5, 5.0])
def test_all_pairs_loss_is_the_loop(margin):
    labels, points, _ = sample(20)
    got = losses.all_pairs_contrastive_loss(labels, tensor(points), margin)
    np.testing.assert_allclose(got, all_pairs_by_hand(labels, points, margin), rtol=1e-4)


@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 1, 2]])
def test_all_pairs_loss_with_only_one_kind_of_pair(labels):
    points = sample(3)[1]
    got = losses.all_pairs_contrastive_loss(np.array(labels), tensor(points))
    np.testing.assert_allclose(got, all_pairs_by_hand(labels, points, 5.0), rtol=1e-4)


def test_squared_distances_far_from_the_origin():
    """Distances of 1 at an offset of 1,000: the plain formula would lose three digits and more."""
    points = np.array([[1000.0, 1000.0], [1001.0, 1000.0], [1000.0, 1001.0]])
    got = losses.squared_distances(tensor(points))
    np.testing.assert_allclose(got, [[0, 1, 1], [1, 0, 2], [1, 2, 0]], atol=1e-4)


def test_supervised_contrastive_loss_is_the_loop():
    labels, points, _ = sample(12)
    got = losses.supervised_contrastive_loss(labels, tensor(points), 0.5)
    np.testing.assert_allclose(got, supervised_contrastive_by_hand(labels, points, 0.5), rtol=1e-4)


@pytest.mark.parametrize("margin", [0, -1.0, float("nan"), float("inf")])
def test_a_margin_must_be_positive(margin):
    with pytest.raises(ValueError, match=f"margin is {margin}; expected a positive number"):
        losses.contrastive_loss(tensor([1.0]), tensor(np.zeros((1, 2, 2))), margin)
    with pytest.raises(ValueError, match="margin"):
        losses.all_pairs_contrastive_loss(np.array([1]), tensor(np.zeros((1, 2))), margin)


@pytest.mark.parametrize("temperature", [0, -0.1, float("nan")])
def test_a_temperature_must_be_positive(temperature):
    with pytest.raises(ValueError, match="temperature"):
        losses.supervised_contrastive_loss(np.array([1, 1]), tensor(np.ones((2, 2))), temperature)


# Values and gradients on each backend. A process has one backend, so each runs in its own.

PROBE = """
import json, sys
import numpy as np
import keras
from siamese_course import losses

def gradient(function, x):
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf
        variable = tf.Variable(x)
        with tf.GradientTape() as tape:
            value = function(variable)
        return float(value), tape.gradient(value, variable).numpy()
    import jax
    value, slope = jax.value_and_grad(function)(x)
    return float(value), np.asarray(slope)

margin = 5.0
twins = np.array([[[1, 2], [1, 2]]], "float32")
edge = np.array([[[0, 0], [3, 4]]], "float32")  # D = 5, the margin, but for the epsilon
inside = np.array([[[0, 0], [1.5, 2]], [[1, 1], [2, -1]]], "float32")
rng = np.random.default_rng(0)
points = rng.normal(size=(6, 2)).astype("float32")
labels = np.array([0, 0, 1, 1, 2, 2])
crowd = np.zeros((4, 2), "float32")
cases = {
    "twins, similar": (lambda x: losses.contrastive_loss(np.ones(1, "float32"), x, margin), twins),
    "twins, different": (lambda x: losses.contrastive_loss(np.zeros(1, "float32"), x, margin), twins),
    "at the margin": (lambda x: losses.contrastive_loss(np.zeros(1, "float32"), x, margin), edge),
    "mixed": (lambda x: losses.contrastive_loss(np.array([1, 0], "float32"), x, margin), inside),
    "all pairs": (lambda x: losses.all_pairs_contrastive_loss(labels, x, margin), points),
    "all in one point": (lambda x: losses.all_pairs_contrastive_loss(labels[:4], x, margin), crowd),
    "directions": (lambda x: losses.supervised_contrastive_loss(labels, x, 0.5), points),
    "directions of zero": (lambda x: losses.supervised_contrastive_loss(labels[:4], x, 0.5), crowd),
}
out = {}
for name, (function, x) in cases.items():
    value, slope = gradient(function, x)
    out[name] = {"x": x.tolist(), "value": value, "gradient": slope.tolist()}
print(json.dumps(out))
"""


@pytest.fixture(scope="module", params=["tensorflow", "jax"])
def probed(request):
    environment = {**os.environ, "KERAS_BACKEND": request.param}
    run = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, env=environment
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def by_finite_differences(function, x, step=1e-5):
    x = np.array(x, dtype="float64")
    slope = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        for sign in (1, -1):
            moved = x.copy()
            moved[index] += sign * step
            slope[index] += sign * function(moved) / (2 * step)
    return slope


def check_against_hand(case, by_hand, atol=1e-4):
    x = np.array(case["x"])
    np.testing.assert_allclose(case["value"], by_hand(x), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(case["gradient"], by_finite_differences(by_hand, x), atol=atol)


@pytest.mark.slow
def test_gradient_at_zero_distance_is_zero_and_finite(probed):
    for name in ("twins, similar", "twins, different", "all in one point", "directions of zero"):
        np.testing.assert_array_equal(
            probed[name]["gradient"], np.zeros_like(probed[name]["x"]), name
        )
    assert probed["twins, different"]["value"] == pytest.approx(0.5 * (5 - 1e-3) ** 2, rel=1e-5)


@pytest.mark.slow
def test_gradient_at_the_margin_is_zero(probed):
    assert probed["at the margin"]["value"] == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_allclose(probed["at the margin"]["gradient"], 0.0, atol=1e-5)


@pytest.mark.slow
def test_gradients_are_finite_differences_of_the_loops(probed):
    check_against_hand(probed["mixed"], lambda x: contrastive_by_hand([1, 0], x, 5.0))
    labels = [0, 0, 1, 1, 2, 2]
    check_against_hand(probed["all pairs"], lambda x: all_pairs_by_hand(labels, x, 5.0))
    check_against_hand(
        probed["directions"], lambda x: supervised_contrastive_by_hand(labels, x, 0.5)
    )
