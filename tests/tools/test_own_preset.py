"""The preset that ships: what it is, and that it has learned to guess words."""

import importlib.util
import json
import os
import re

import keras_hub
import numpy as np
import pytest

from siamese_course.datasets.own_sentences import own_triplets
from siamese_course.models.sentences import OWN_PRESET, load_backbone, make_encoder, preset_path
from tests.conftest import ROOT

FOLDER = ROOT / "data" / "presets" / OWN_PRESET


@pytest.fixture(scope="module")
def masked_lm():
    return keras_hub.models.RobertaMaskedLM.from_preset(str(FOLDER), preprocessor=None)


def load_script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_small():
    assert sum(f.stat().st_size for f in FOLDER.rglob("*") if f.is_file()) <= 20e6
    backbone, _ = load_backbone()
    assert backbone.count_params() <= 8e6


def test_it_loads_with_plain_keras_hub_calls_and_by_its_name(monkeypatch):
    assert os.path.samefile(preset_path(OWN_PRESET), FOLDER)
    backbone = keras_hub.models.RobertaBackbone.from_preset(str(FOLDER))
    tokenizer = keras_hub.models.RobertaTokenizer.from_preset(str(FOLDER))
    assert backbone.dtype_policy.name == "float32"
    sentence = "A puppy is eating from its bowl."
    assert tokenizer.detokenize(tokenizer(sentence)) == sentence
    ours, words = load_backbone()
    assert list(words(sentence)) == list(tokenizer(sentence))
    for one, other in zip(ours.get_weights(), backbone.get_weights(), strict=True):
        assert np.array_equal(one, other)
        assert np.isfinite(one).all()


@pytest.mark.slow
def test_it_guesses_hidden_tokens_of_texts_written_for_this_course(masked_lm):
    """Its corpus holds none of them. Always guessing the most frequent token is right in 5% of the cases."""
    triplets = own_triplets()[0]
    texts = list(dict.fromkeys(triplets.anchor))[:400]
    tokenizer = keras_hub.models.RobertaTokenizer.from_preset(str(FOLDER))
    score = load_script("score")
    found = score.masked_accuracy(masked_lm.predict_on_batch, tokenizer, texts, 64)
    assert found["masked_tokens"] > 500
    assert found["masked_accuracy"] > 0.2


def test_its_raw_embeddings_are_all_alike():
    """The point of notebook 03: without fine-tuning any two sentences have a high cosine."""
    sentences = [
        "The dog is busy with its dinner.",
        "The sky is clear today.",
        "Prices rose by 3%.",
    ]
    rows = make_encoder().encode(sentences, verbose=False)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert (rows @ rows.T)[np.triu_indices(3, 1)].min() > 0.3


def test_the_card_quotes_the_log():
    card = (FOLDER / "README.md").read_text("utf-8")
    lines = (FOLDER / "training.jsonl").read_text("utf-8").splitlines()
    logged = {entry["step"]: entry for entry in map(json.loads, lines)}
    rows = re.findall(r"^\| ([\d,]+) \| [\d.]+ M \| ([\d.]+) \| ([\d.]+)% \|$", card, re.MULTILINE)
    assert len(rows) >= 5
    for step, loss, accuracy in rows:
        entry = logged[int(step.replace(",", ""))]
        assert float(loss) == pytest.approx(entry["loss"], abs=0.006)
        assert float(accuracy) == pytest.approx(100 * entry["accuracy"], abs=0.06)
    assert max(logged) == int(rows[-1][0].replace(",", ""))
