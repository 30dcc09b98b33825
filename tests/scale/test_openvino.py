"""An encoder on OpenVINO embeds what Keras embeds."""

import numpy as np
import pytest

from siamese_course.models import sentences as sentence
from siamese_course.models.images import ImageEncoder
from siamese_course.recipes.image_encoders import default_encoder
from siamese_course.runtime.errors import CourseError
from siamese_course.scale import openvino
from siamese_course.scale.openvino import export_model, on_openvino
from tests.tools import SENTENCES, write_tiny_preset

pytestmark = pytest.mark.slow

TEXTS = [*SENTENCES, "", "one", " ".join(SENTENCES)]
HOW = [(pooling, unit) for unit in (True, False) for pooling in ("mean", "max", "cls")]


@pytest.fixture(scope="module")
def preset(tmp_path_factory):
    return str(write_tiny_preset(tmp_path_factory.mktemp("preset")))


@pytest.mark.parametrize("how", HOW, ids=str)
def test_it_agrees_with_keras(preset, how):
    pooling, unit_length = how
    pytest.importorskip("openvino")
    encoder = sentence.make_encoder(preset, pooling, unit_length)
    wanted = encoder.encode(TEXTS, 4, verbose=False)
    np.testing.assert_allclose(
        on_openvino(encoder, "f32").encode(TEXTS, 4, verbose=False), wanted, atol=2e-5
    )
    assert encoder.predict is None


def test_bfloat16_points_the_same_way(preset):
    pytest.importorskip("openvino")
    encoder = sentence.make_encoder(preset, unit_length=True)
    wanted, got = (e.encode(TEXTS, verbose=False) for e in (encoder, on_openvino(encoder, "bf16")))
    assert np.sum(wanted * got, axis=1).min() > 0.999


def test_later_training_does_not_change_it(preset):
    pytest.importorskip("openvino")
    encoder = sentence.make_encoder(preset)
    fast = on_openvino(encoder, "f32")
    before = fast.encode(TEXTS, verbose=False)
    for weight in encoder.model.trainable_weights:
        weight.assign(weight * 1.5)
    np.testing.assert_array_equal(fast.encode(TEXTS, verbose=False), before)
    assert np.abs(encoder.encode(TEXTS, verbose=False) - before).max() > 0.01


@pytest.mark.parametrize("shape", [(6, 6), (16, 12, 3)])
def test_an_image_encoder_is_written_as_files(shape, tmp_path):
    runtime = pytest.importorskip("openvino")
    encoder = ImageEncoder(default_encoder(shape, 4))
    images = np.random.default_rng(0).random((3, *shape), "float32")
    export_model(encoder, tmp_path / "model.xml")
    compiled = runtime.Core().compile_model(
        tmp_path / "model.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )
    inputs = images.reshape(-1, *encoder.model.input_shape[1:])
    np.testing.assert_allclose(compiled(inputs)[0], encoder.encode(images), atol=2e-5)


def test_bad_input_is_refused(preset, monkeypatch):
    encoder = sentence.make_encoder(preset)
    with pytest.raises(ValueError, match="expected one of f32, bf16"):
        on_openvino(encoder, "int8")
    with pytest.raises(ValueError, match=r"expected one that ends with .xml"):
        export_model(encoder, "model.onnx")
    monkeypatch.setattr(openvino, "find_spec", lambda name: None)
    with pytest.raises(CourseError, match="pip install"):
        on_openvino(encoder)
