"""The encoder and the siamese model: shapes, shared weights, what they refuse."""

import numpy as np
import pytest
from keras import ops

from siamese_course.models.images import build_encoder, build_siamese


def pictures(n=4, seed=0):
    return np.random.default_rng(seed).random((n, 784)).astype("float32")


def test_the_encoder_is_three_layers_by_hand():
    encoder = build_encoder()
    x = pictures()
    (w1, b1, w2, b2, w3, b3) = (ops.convert_to_numpy(w) for w in encoder.weights)
    by_hand = np.maximum(np.maximum(x @ w1 + b1, 0) @ w2 + b2, 0) @ w3 + b3
    np.testing.assert_allclose(encoder(x), by_hand, rtol=1e-4, atol=1e-5)
    assert all((b == 0).all() for b in (b1, b2, b3))
    for w in (w1, w2, w3):  # Glorot uniform: sqrt(6 / (in + out)) is the bound, and it is used
        bound = (6 / sum(w.shape)) ** 0.5
        assert 0.99 * bound < np.abs(w).max() <= bound


def test_one_seed_one_encoder():
    x = pictures()
    assert np.array_equal(build_encoder(seed=1)(x), build_encoder(seed=1)(x))
    assert not np.allclose(build_encoder(seed=1)(x), build_encoder(seed=2)(x))


def test_both_sides_share_every_weight():
    encoder = build_encoder(dim=3)
    siamese = build_siamese(encoder)
    left, right = pictures(seed=1), pictures(seed=2)
    both = ops.convert_to_numpy(siamese([left, right]))
    assert both.shape == (4, 2, 3)
    np.testing.assert_allclose(both[:, 0], encoder(left), atol=1e-5)
    np.testing.assert_allclose(both[:, 1], encoder(right), atol=1e-5)
    assert siamese.count_params() == encoder.count_params()
    swapped = ops.convert_to_numpy(siamese([right, left]))
    np.testing.assert_allclose(swapped[:, ::-1], both, atol=1e-5)


@pytest.mark.parametrize("name", ["dim", "pixels", "units"])
def test_sizes_below_one_are_refused(name):
    with pytest.raises(ValueError, match=f"{name} is 0; expected 1 to inf"):
        build_encoder(**{name: 0})
