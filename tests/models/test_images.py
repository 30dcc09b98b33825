"""The encoder and the siamese model: shapes, shared weights, what they refuse."""

import numpy as np
import pytest
from keras import ops

from siamese_course.models.encoder import load
from siamese_course.models.images import (
    ImageEncoder,
    build_encoder,
    build_siamese,
    build_verifier,
)
from siamese_course.recipes.image_encoders import default_encoder
from siamese_course.runtime.errors import CourseError


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
    with pytest.raises(ValueError, match=f"{name} is 0; expected at least 1"):
        build_encoder(**{name: 0})


# --- a trained one ---


def test_a_saved_image_encoder_is_the_same(tmp_path):
    images = np.random.default_rng(0).random((6, 10, 12, 3), "float32")
    encoder = ImageEncoder(default_encoder((10, 12, 3), 4), ["a", "b"], (10, 12), 3)
    encoder.save(str(tmp_path / "encoder"))
    again = load(tmp_path / "encoder")
    assert (again.classes, again.size, again.channels) == (["a", "b"], (10, 12), 3)
    np.testing.assert_allclose(again.encode(images), encoder.encode(images), atol=1e-6)
    np.testing.assert_allclose(encoder.similarity(images, images), 1, atol=1e-5)
    cosines, rows = encoder.search(images[2:4], images, k=2)
    assert rows[:, 0].tolist() == [2, 3] and cosines.shape == (2, 2)
    with pytest.raises(ValueError, match=r"images has shape \(6, 10, 11, 3\); expected"):
        encoder.encode(images[:, :, 1:])


def test_a_folder_without_an_encoder_is_refused(tmp_path):
    with pytest.raises(CourseError, match="holds no encoder"):
        load(tmp_path)
    (tmp_path / "image_encoder.json").write_text("{}")
    with pytest.raises(CourseError, match="holds no image encoder"):
        load(tmp_path)


def test_the_verifier_is_a_sigmoid_of_weighted_differences():
    encoder = build_encoder(3, pixels=16, units=8)
    verifier = build_verifier(encoder, seed=1)
    left, right = np.random.default_rng(0).random((2, 5, 16)).astype("float32")
    found = np.asarray(verifier([left, right]))
    weights, bias = (np.asarray(each) for each in verifier.get_layer("probability").weights)
    differences = np.abs(np.asarray(encoder(left)) - np.asarray(encoder(right)))
    by_hand = 1 / (1 + np.exp(-(differences @ weights + bias)))
    assert found.shape == (5, 1)
    np.testing.assert_allclose(found, by_hand, atol=1e-6)
    np.testing.assert_allclose(found, verifier([right, left]), atol=1e-6)
    assert len(verifier.trainable_variables) == len(encoder.trainable_variables) + 2
    again = np.asarray(build_verifier(encoder, seed=1)([left, right]))
    np.testing.assert_allclose(found, again, atol=1e-6)
