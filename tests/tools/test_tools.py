"""What stands beside the preset: scoring it, and writing it for transformers."""

import importlib.util
import json
import string
import subprocess
import sys
from pathlib import Path

import keras_hub
import numpy as np
import pytest

from siamese_course.models.sentences import make_encoder

PRESETS = Path(__file__).resolve().parents[2] / "tools"
TEXTS = ["How old are you?", "It didn't, did it?", "", "Zürich 🙂 3.14", "many words " * 40]


def script(name):
    spec = importlib.util.spec_from_file_location(name, PRESETS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def preset(tmp_path_factory):
    """A small RoBERTa with weights large enough that every one of them matters."""
    from tokenizers import ByteLevelBPETokenizer

    folder = tmp_path_factory.mktemp("preset")
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(TEXTS * 3, 400, special_tokens=specials)
    bpe.save_model(str(folder))
    models = keras_hub.models
    tokenizer = models.RobertaTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    backbone = models.RobertaBackbone(
        vocabulary_size=tokenizer.vocabulary_size(),
        num_layers=2,
        num_heads=2,
        hidden_dim=32,
        intermediate_dim=48,
        max_sequence_length=40,
        dropout=0.0,
    )
    preprocessor = models.RobertaMaskedLMPreprocessor(tokenizer, sequence_length=40)
    model = models.RobertaMaskedLM(backbone, preprocessor)
    rng = np.random.default_rng(0)
    model.set_weights([w + rng.normal(0, 0.3, w.shape) for w in model.get_weights()])
    model.save_to_preset(str(folder / "preset"))
    return folder / "preset"


@pytest.fixture(scope="module")
def exported(preset, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hugging_face") / "new" / "folder"
    command = [sys.executable, PRESETS / "to_hugging_face.py", preset, folder]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_keras_hub_reads_the_hugging_face_folder_back_and_embeds_alike(preset, exported):
    ours, theirs = make_encoder(str(preset)), make_encoder(str(exported))
    assert ours.tokenize(TEXTS) == theirs.tokenize(TEXTS)
    expected = ours.encode(TEXTS, verbose=False)
    assert np.ptp(expected, axis=0).max() > 0.1  # the sentences differ, so that this says something
    np.testing.assert_allclose(theirs.encode(TEXTS, verbose=False), expected, atol=1e-4)


@pytest.mark.slow
def test_tokenizer_json_gives_the_same_ids(preset, exported):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(exported / "tokenizer.json"))
    ours = make_encoder(str(preset)).tokenize(TEXTS[:4])
    assert [tokenizer.encode(text).ids for text in TEXTS[:4]] == ours
    assert tokenizer.encode("a <mask> b").tokens.count("<mask>") == 1


@pytest.mark.slow
def test_every_weight_is_exported_under_the_shape_that_the_configuration_says(preset, exported):
    from safetensors.numpy import load_file

    stored = load_file(exported / "model.safetensors")
    config = json.loads((exported / "config.json").read_text())
    dim, inner = config["hidden_size"], config["intermediate_size"]
    assert stored["roberta.embeddings.position_embeddings.weight"].shape == (42, dim)
    assert stored["roberta.encoder.layer.1.intermediate.dense.weight"].shape == (inner, dim)
    assert stored["roberta.encoder.layer.1.output.dense.weight"].shape == (dim, inner)
    model = keras_hub.models.RobertaMaskedLM.from_preset(str(preset), preprocessor=None)
    # two unused positions and the one token type are Hugging Face's own
    assert sum(array.size for array in stored.values()) == model.count_params() + 3 * dim


def oracle(texts, tokenizer, right):
    """A predict function that knows the hidden tokens; it errs where ``right`` is false."""
    by_visible = {}
    for text in texts:
        ids = tokenizer(text)
        for first in range(0, len(ids), 38):
            window = ids[first : first + 38]
            by_visible.setdefault(len(window), []).append(window)

    def predict(batch):
        logits = np.zeros((*batch["mask_positions"].shape, tokenizer.vocabulary_size()))
        for row, mask in enumerate(batch["padding_mask"]):
            for window in by_visible.get(int(mask.sum()) - 2, []):
                shown = batch["token_ids"][row, 1 : 1 + len(window)]
                hidden = shown == tokenizer.mask_token_id
                if np.array_equal(shown[~hidden], np.array(window)[~hidden]):
                    for place, position in enumerate(batch["mask_positions"][row]):
                        if position:
                            logits[row, place, window[position - 1] if right else 0] = 1
        return logits

    return predict


@pytest.mark.parametrize("right", [True, False])
def test_masked_accuracy_of_one_who_knows_is_one_and_else_zero(preset, right):
    tokenizer = keras_hub.models.RobertaTokenizer.from_preset(str(preset))
    texts = ["How old are you?", " ".join(string.ascii_letters)]  # no two windows are alike
    predict = oracle(texts, tokenizer, right)
    found = script("score").masked_accuracy(predict, tokenizer, texts, 40)
    assert found["masked_accuracy"] == float(right)
    lengths = [
        len(ids[first : first + 38])
        for ids in map(tokenizer, texts)
        for first in range(0, len(ids), 38)
    ]
    assert found["masked_tokens"] == sum(round(0.15 * length) for length in lengths) > 0
    assert found["texts"] == 2


def test_masked_accuracy_hides_every_chosen_token_and_no_marker(preset):
    tokenizer = keras_hub.models.RobertaTokenizer.from_preset(str(preset))
    seen = []

    def predict(batch):
        seen.append(batch)
        return np.zeros((*batch["mask_positions"].shape, tokenizer.vocabulary_size()))

    script("score").masked_accuracy(predict, tokenizer, ["many words " * 40], 40)
    (batch,) = seen
    for ids, mask, places in zip(
        batch["token_ids"], batch["padding_mask"], batch["mask_positions"], strict=True
    ):
        hidden = np.flatnonzero(ids == tokenizer.mask_token_id)
        assert np.array_equal(places[places > 0], hidden)
        if mask.any():
            assert ids[0] == tokenizer.start_token_id
            assert ids[mask.sum() - 1] == tokenizer.end_token_id
            assert hidden.size
