"""On PyTorch the models train, and embed what they embed on TensorFlow."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from siamese_course.models.sentences import make_encoder
from tests.conftest import ROOT
from tests.tools import SENTENCES, write_tiny_preset

RUN = """
import json, sys
import keras
import numpy as np
from siamese_course import losses
from siamese_course.datasets.sentences import ScoredData
from siamese_course.models import images, questions
from siamese_course.models.sentences import load_encoder, make_encoder
from siamese_course.training.loop import repeat, train
from siamese_course.recipes.sentences import train_pairs
from siamese_course.recipes.images import train_course
from tests.tools import SENTENCES
from tests.recipes.test_sentences import SIZES, made_up_scores

preset, folder = sys.argv[1:]
rng = np.random.default_rng(0)
curves = {}

labels = np.arange(40) % 4
digits = 0.2 * rng.random((40, 784)).astype("float32")
digits[np.arange(784) // 196 == labels[:, None]] += 0.8  # a bright quarter for each class
run = train_course(digits, labels, kilo_images=1, verbose=False)
curves["images"] = run.history.losses

words = rng.integers(2, 20, (2, 16, 6)).astype("int32")
siamese = questions.build_siamese(questions.build_course_encoder(20, 8, 8))
siamese.compile("adam", losses.triplet_loss)
batch = [*words], np.zeros(16, "float32")
curves["questions"] = train(siamese, repeat(lambda: [batch]), 40, verbose=False).losses

encoder = make_encoder(preset)
embeddings = encoder.encode(SENTENCES, verbose=False)
data = ScoredData(made_up_scores(), made_up_scores(), None, "made up")
run = train_pairs("course", encoder, data, SIZES, verbose=False)
curves["scores"] = run.history.losses
encoder.save(folder)
again = load_encoder(folder).encode(SENTENCES, verbose=False)
unchanged = np.allclose(again, encoder.encode(SENTENCES, verbose=False), atol=1e-5)
print(json.dumps([keras.backend.backend(), embeddings.tolist(), curves, bool(unchanged)]))
"""


@pytest.mark.slow
def test_models_train_and_embed_on_pytorch(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed: it is in the bench extra")
    preset = str(write_tiny_preset(tmp_path))
    run = subprocess.run(
        [sys.executable, "-c", RUN, preset, str(tmp_path / "saved")],
        capture_output=True,
        text=True,
        env={**os.environ, "KERAS_BACKEND": "torch"},
        cwd=ROOT,
    )
    assert run.returncode == 0, run.stderr
    backend, embeddings, curves, unchanged = json.loads(run.stdout.splitlines()[-1])
    assert backend == "torch"
    expected = make_encoder(preset).encode(SENTENCES, verbose=False)
    np.testing.assert_allclose(embeddings, expected, atol=1e-4)
    assert list(curves) == ["images", "questions", "scores"]
    for name, curve in curves.items():
        assert np.isfinite(curve).all(), name
        assert curve[-1] < curve[0], name
    assert unchanged
