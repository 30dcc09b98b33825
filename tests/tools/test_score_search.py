"""The script that scores an encoder on the course's own search."""

import importlib.util
import json
import sys

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.tools import write_tiny_preset


@pytest.fixture(scope="module")
def script():
    path = ROOT / "tools" / "score_search.py"
    spec = importlib.util.spec_from_file_location("score_search", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ranks_by_hand(script):
    similarities = np.array([[0.9, 0.5, 0.1], [0.9, 0.5, 0.1], [0.9, 0.5, 0.5], [0.2, 0.9, 0.8]])
    found = script.ranks(similarities, [[0], [2], [1], [0, 2]])
    np.testing.assert_allclose(found, [1, 3, 2.5, 2])


def test_figures_by_hand(script):
    found = script.figures(np.array([1, 4, 2.5]), np.array([False, True, False]))
    assert found == {
        "all": {"mrr": 0.55, "recall_at_1": 0.333},
        "with_distractors": {"mrr": 0.25, "recall_at_1": 0.0},
        "without": {"mrr": 0.7, "recall_at_1": 0.5},
    }


def test_similarities_by_hand(script):
    vectors = {"a": [3.0, 4.0], "b": [1.0, 0.0], "c": [0.0, 2.0]}
    found = script.cosines(lambda texts: np.array([vectors[t] for t in texts]), ["a"], ["b", "c"])
    np.testing.assert_allclose(found, [[0.6, 0.8]])
    found = script.overlaps(["The cat naps."], ["A cat naps!", "Rain falls.", "the CAT naps"])
    np.testing.assert_allclose(found, [[0.5, 0, 1]])


def test_standardized_dimensions_have_mean_0_and_deviation_1(script):
    def encode(texts):
        return np.array([[len(text), 100 + 5 * len(text.split())] for text in texts], "float32")

    known = [
        *script.own_scored_pairs()[0].sentence1,
        *script.silver_pairs().sentence1[:2_000],
    ]
    rows = script.standardized(encode)(known)
    np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(rows.std(axis=0), 1, atol=1e-4)


def test_content_words(script):
    assert script.content_stems("She isn't afraid of the spiders.") == {"isn", "afraid", "spider"}


@pytest.mark.slow
def test_one_line_for_an_encoder_and_for_its_preset(script, tmp_path, monkeypatch, capsys):
    from siamese_course.models.sentences import make_encoder

    preset = write_tiny_preset(tmp_path)
    make_encoder(str(preset)).save(tmp_path / "saved")
    lines = []
    for folder in (preset, tmp_path / "saved"):
        monkeypatch.setattr(sys, "argv", ["score_search.py", str(folder)])
        script.main()
        lines.append(json.loads(capsys.readouterr().out.splitlines()[-1]))
        assert lines[-1].pop("encoder") == str(folder)
    assert lines[0] == lines[1]
    assert -1 < lines[0]["spearman"] < 1
    assert 0 < lines[0]["all"]["mrr"] < 1
    assert 0 < lines[0]["share_a_content_word"] < 83
