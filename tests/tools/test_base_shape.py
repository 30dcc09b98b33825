"""RoBERTa base's shape, 12 layers of 768 and a vocabulary of 50,265, with random weights, in place of the course's own."""

import json
import subprocess
import sys

import nbformat
import pytest

from siamese_course.notebooks import run as running
from siamese_course.notebooks.build import STORED_SETTING
from siamese_course.notebooks.catalog import BY_NAME
from tests.conftest import ROOT

WRITE = """
import sys
import keras_hub
from benchmarks.machine import BASE, BASE_VOCABULARY
from siamese_course.models.sentences import load_backbone

own, tokenizer = load_backbone()
config = {**own.get_config(), **BASE, "vocabulary_size": BASE_VOCABULARY, "max_sequence_length": 512}
backbone = keras_hub.models.RobertaBackbone.from_config({**config, "dtype": "float16"})
backbone.save_to_preset(sys.argv[1])
tokenizer.save_to_preset(sys.argv[1])
"""

STEP = """
import json, sys
import keras, numpy as np
from benchmarks.side import peak_bytes
from siamese_course.losses import cosine_regression_loss
from siamese_course.batching.sentences import pad_rows
from siamese_course.models.sentences import build_siamese, make_encoder

encoder = make_encoder(sys.argv[1])
text = " ".join(["A long sentence of many words, which fills all that is read of it."] * 20)
rows = encoder.tokenize([text] * 12)
batch = {name: ids.reshape(6, 2, -1) for name, ids in pad_rows(rows, encoder.pad_id).items()}
siamese = build_siamese(encoder.model, 2)
siamese.compile(keras.optimizers.Adam(2e-5, clipnorm=1.0), cosine_regression_loss)
loss = float(siamese.train_on_batch(batch, np.zeros(6, "float32")))
print(json.dumps([encoder.backbone.count_params(), batch["token_ids"].shape, loss, peak_bytes()]))
"""


def child(code, folder):
    command = [sys.executable, "-c", code, str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=400)
    assert run.returncode == 0, run.stderr[-3000:]
    return run.stdout


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A KerasHub preset of that shape."""
    folder = tmp_path_factory.mktemp("base") / "preset"
    child(WRITE, folder)
    return folder


@pytest.mark.release
def test_a_training_step_takes_less_than_8_gigabytes(base):
    parameters, shape, loss, peak = json.loads(child(STEP, base).splitlines()[-1])
    assert 123e6 < parameters < 125e6
    assert shape == [6, 2, 128]
    assert loss == pytest.approx(1, abs=1e-5)  # one text twice, called unlike: (1 - 0)^2
    assert peak < 8e9


@pytest.mark.release
def test_notebook_03_takes_it_by_its_name_alone(base, monkeypatch, tmp_path):
    for name, value in {**STORED_SETTING, "SIAMESE_COURSE_BUDGET": "smoke"}.items():
        monkeypatch.setenv(name, value)
    solution = BY_NAME["03_sbert_roberta"].solution
    notebook = nbformat.read(solution, as_version=4)
    (cell,) = [c for c in notebook.cells if c.source == 'BACKBONE = "course_roberta_en"']
    cell.source = f"BACKBONE = {str(base)!r}"
    nbformat.write(notebook, tmp_path / solution.name)
    (report,) = running.run_notebooks([tmp_path / solution.name], tmp_path / "out")
    assert report.error is None
    assert report.points == report.max_points == 100
    assert f"backbone: {base}, " in report.page.read_text()
