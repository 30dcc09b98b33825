"""Encoders for images of any size: shapes, and which one an image gets."""

import numpy as np
import pytest
from keras import ops

from siamese_course.recipes.image_encoders import build_conv_encoder, default_encoder


@pytest.mark.parametrize("shape", [(8, 8, 1), (40, 32, 3), (64, 64, 3)])
def test_the_convolutional_encoder_takes_any_size(shape):
    encoder = build_conv_encoder(shape, 5)
    x = np.random.default_rng(0).random((3, *shape), "float32")
    found = ops.convert_to_numpy(encoder(x))
    assert found.shape == (3, 5) and np.isfinite(found).all()
    # A row does not depend on the others of its batch
    np.testing.assert_allclose(encoder(x[:1]), found[:1], atol=1e-5)
    assert np.array_equal(build_conv_encoder(shape, 5)(x), found)


def test_the_shape_of_the_images_decides_on_the_encoder():
    assert default_encoder((784,)).input_shape == (None, 784)
    assert default_encoder((28, 28)).input_shape == (None, 784)
    assert default_encoder((32, 32)).input_shape == (None, 32, 32, 1)
    assert default_encoder((8, 8, 3)).input_shape == (None, 8, 8, 3)
