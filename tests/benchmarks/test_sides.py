"""Sides see the same input, and say the right thing about what they found."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import agreement, grading, machine, peer_openvino, profiles, run, search
from benchmarks.common import fingerprint
from siamese_course.notebooks.catalog import NAMES


@pytest.fixture
def work(monkeypatch, tmp_path, shipped):
    monkeypatch.setenv("BENCH_WORK", str(tmp_path))
    return tmp_path


def test_a_fingerprint_tells_data_apart():
    rows = np.arange(6).reshape(3, 2)
    assert fingerprint(rows, ["a"]) == fingerprint(rows.copy(), ["a"])
    assert fingerprint(rows, ["a"]) != fingerprint(rows, ["b"])
    assert fingerprint(rows).startswith("3 rows")


def test_a_side_with_other_tokens_or_other_weights_is_not_timed(work):
    texts, ids, embeddings = ["one", "two words"], [[0, 7, 2], [0, 8, 9, 2]], np.ones((2, 4))
    lengths = [len(row) for row in ids]
    np.savez(
        agreement.agreement_file(texts, 16),
        ids=np.concatenate(ids),
        lengths=lengths,
        embeddings=embeddings,
    )
    mark = agreement.require_agreement(texts, 16, ids, embeddings + 1e-5)
    assert mark.startswith("2 rows") and mark == agreement.require_agreement(
        texts, 16, ids, embeddings
    )
    with pytest.raises(ValueError, match="two words"):
        agreement.require_agreement(texts, 16, [[0, 7, 2], [0, 2]], embeddings)
    with pytest.raises(ValueError, match="other weights"):
        agreement.require_agreement(texts, 16, ids, embeddings + 1e-3)


def test_texts_of_a_length_fill_it_and_are_as_many_as_wanted(shipped):
    texts, max_length = agreement.texts_of(count=7, length=16)
    assert max_length == 16 and len(texts) == 7
    assert {len(text.split()) for text in texts} == {16}


def test_nearest_and_recall_agree_with_a_full_sort(monkeypatch):
    monkeypatch.setattr(search, "CHUNK", 7)
    rng = np.random.default_rng(0)
    collection, queries = (rng.normal(size=(n, 5)).astype("float32") for n in (40, 3))
    cosines = queries @ (collection / np.linalg.norm(collection, axis=1, keepdims=True)).T
    expected = np.argsort(-cosines, axis=1)[:, :4]
    found = search.nearest(collection, queries, 4)
    assert search.recall(found, expected) == 1.0
    assert search.recall(expected[:, ::-1], expected) == 1.0
    assert search.recall(expected + 100, expected) == 0.0


def test_the_search_encoder_is_trained_by_the_course_recipe(work, monkeypatch):
    from siamese_course.models import sentences as models
    from siamese_course.recipes import sentences as recipes
    from siamese_course.scale import openvino

    done = []
    encoder = SimpleNamespace(save=lambda folder: done.append(f"saved {folder.parent == work}"))
    monkeypatch.setattr(agreement, "course_encoder", lambda: encoder)
    monkeypatch.setattr(
        recipes, "standardize", lambda _, texts: done.append(f"standardized by {len(texts)}")
    )
    monkeypatch.setattr(recipes, "train_pairs", lambda *_, **options: done.append("trained"))
    monkeypatch.setattr(models, "load_encoder", lambda folder: encoder)
    monkeypatch.setattr(openvino, "on_openvino", lambda encoder: encoder)
    assert search.search_encoder(tuned=True) is encoder
    count = min(recipes.MAX_STANDARDIZED, len(agreement.scored_pairs().train))
    assert done == [f"standardized by {count}", "trained", "saved True"]


def test_an_environment_that_pip_left_unfinished_is_made_anew(work, monkeypatch):
    commands = []

    def fake_run(command, check):
        commands.append([str(word) for word in command])
        if "venv" in command:
            Path(command[-1]).mkdir(exist_ok=True)
        if "install" in command and len(commands) == 2:
            raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(agreement, "prepare", lambda: {})
    monkeypatch.setattr(peer_openvino, "metadata", SimpleNamespace(version=lambda name: "1"))
    monkeypatch.setattr(peer_openvino, "subprocess", SimpleNamespace(run=fake_run))
    with pytest.raises(subprocess.CalledProcessError):
        peer_openvino.prepare()
    for _ in range(2):  # the second time, all is there
        peer_openvino.prepare()
    assert ["uninstall" in command for command in commands] == [False] * 4 + [True]
    assert all("--clear" in command for command in commands if "venv" in command)


def test_a_profile_names_what_the_loop_calls(monkeypatch):
    import keras

    from siamese_course.training.loop import train

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    batches = iter([(np.ones((4, 2)), np.ones(4))] * 9)
    run_it = lambda budget: lambda: train(model, batches, 4, verbose=False)  # noqa: E731
    monkeypatch.setattr(profiles, "LOOPS", {"small": run_it})
    text = profiles.course("small")["text"]
    callees = text.split("called...")[1].split("function calls")[0]
    assert "(train)" in callees and "_train_on" in callees


@pytest.mark.slow
def test_steps_fuse_adam_as_the_training_loop_does(monkeypatch):
    import keras

    from siamese_course.runtime import fused_adam

    fused = []
    monkeypatch.setattr(fused_adam, "fuse", fused.append)
    monkeypatch.setattr(machine, "seconds_of", lambda call: 1.0)
    machine.training("small", "float32", batch=2, length=4)
    assert [type(optimizer) for optimizer in fused] == [keras.optimizers.Adam]


def test_a_learner_hands_in_one_notebook_or_all(tmp_path):
    grading.hand_in(tmp_path / "one", 2)
    grading.hand_in(tmp_path / "all", 2, len(NAMES))
    found = [path.relative_to(tmp_path) for path in sorted(tmp_path.rglob("*.ipynb"))]
    learners = ("learner-000", "learner-001")
    assert [str(path) for path in found] == [
        *(f"all/{learner}/{name}.ipynb" for learner in learners for name in NAMES),
        *(f"one/{learner}/{NAMES[0]}.ipynb" for learner in learners),
    ]
    first = [tmp_path / which / f"learner-000/{NAMES[0]}.ipynb" for which in ("one", "all")]
    assert first[0].read_text() == first[1].read_text()


@pytest.mark.release
def test_all_notebooks_of_a_learner_are_graded(work):
    (case,) = (each for each in run.ROWS["grading"].tiny if each.get("notebooks") == len(NAMES))
    measures = grading.course(**case)
    assert measures["seconds a submission"] == measures["seconds"] > 0
    assert measures["GiB, all processes"] > 0


@pytest.mark.slow
def test_the_command_measures_a_row_and_writes_the_table(work, monkeypatch, capsys):
    """Search without the peer: the sentences are embedded, and both indexes built, in processes."""
    row = run.ROWS["search"]
    sides = {label: row.sides[label] for label in ("exact", "approximate")}
    monkeypatch.setitem(run.ROWS, "search", type(row)(**{**vars(row), "sides": sides}))
    monkeypatch.setattr(run, "WORK", work)
    out = work / "results"
    monkeypatch.setattr(sys, "argv", ["run", "--tiny", "--out", str(out), "search"])
    run.main()
    report = json.loads((out / "search.json").read_text())
    assert report["failed"] == []
    for one, rows in zip(report["cases"], (64, 128), strict=True):
        for side in one["sides"].values():
            medians = {key: found["median"] for key, found in side["measures"].items()}
            assert medians["vectors"] == rows
            assert medians["recall@10"] > 0.99
    assert "ms a query" in report["growth"]["exact"]
    assert "rows 64, recall@10" in (out / "README.md").read_text()


def test_an_unknown_row_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run", "losess"])
    with pytest.raises(SystemExit):
        run.main()
    assert "losess" in capsys.readouterr().err
