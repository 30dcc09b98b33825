"""The command line: errors are one line and exit code 1, data commands say what they found."""

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from siamese_course.cli import main as cli
from siamese_course.runtime import settings


def course(*arguments, **environment):
    variables = {**os.environ, **environment}
    command = [sys.executable, "-m", "siamese_course.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=variables)


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        (
            ["train", "mnist", "--recipe", "clasic", "--out", "x"],
            {},
            "The recipe is 'clasic'; expected one of classic, course",
        ),
        (
            ["train", "mnist", "--recipe", "course", "--budget", "tiny", "--out", "x"],
            {},
            "The budget is 'tiny'",
        ),
        (
            ["train", "quora", "--recipe", "best", "--out", "x"],
            {},
            "The recipe is 'best'; expected one of classic, course, compare",
        ),
        (
            ["train", "quora", "--recipe", "course", "--framework", "torch", "--out", "x"],
            {},
            "The framework is 'torch'; expected one of trax, keras",
        ),
        (
            ["train", "quora", "--recipe", "course", "--longer", "0", "--out", "x"],
            {},
            "--longer is 0.0, and must be above 0 and at most 100",
        ),
        (
            ["train", "quora", "--recipe", "course", "--longer", "nan", "--out", "x"],
            {},
            "--longer is nan",
        ),
        (
            ["train", "quora", "--recipe", "course", "--out", "x"],
            {"SIAMESE_COURSE_BUDGET": "huge"},
            "The budget is 'huge'",
        ),
        (
            ["train", "stsb", "--recipe", "course", "--out", "x", "--process", "1"],
            {},
            "--process needs --processes",
        ),
        (
            ["train", "stsb", "--recipe", "compare", "--out", "x"],
            {},
            "The recipe is 'compare'; expected one of classic, course.",
        ),
        (
            ["train", "triplets", "--recipe", "classic", "--budget", "tiny", "--out", "x"],
            {},
            "The budget is 'tiny'",
        ),
        (["score", "x"], {}, "Give one of --pairs FILE, --triplets FILE and --images FOLDER."),
        (
            ["score", "x", "--pairs", "a.tsv", "--triplets", "b.csv"],
            {},
            "Give one of --pairs FILE, --triplets FILE and --images FOLDER.",
        ),
        (["score", "x", "--triplets", "b.csv"], {}, "x contains no sentence encoder"),
        (["data", "verify", "minst"], {}, "There is no data set 'minst'"),
        (
            ["data", "status"],
            {"SIAMESE_COURSE_DATA": "/no/such"},
            "SIAMESE_COURSE_DATA is '/no/such', and no directory",
        ),
        (["run", "/no/such.ipynb"], {}, "/no/such.ipynb is not a notebook"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_1(arguments, environment, message):
    run = course(*arguments, **environment)
    assert run.returncode == 1
    assert run.stderr.startswith(f"siamese-course: {message}")
    assert "Traceback" not in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_a_pipe_takes_every_character(tmp_path):
    """Also on Windows, where Python would write cp1252 to it."""
    run = course("copy", str(tmp_path / "课程"), PYTHONIOENCODING="cp1252")
    assert run.returncode == 0 and run.stderr == ""
    assert f"{tmp_path / '课程'}" in run.stdout


def test_status_lists_every_data_set():
    run = course("data", "status", SIAMESE_COURSE_DATA="shipped", COLUMNS="200")
    assert run.returncode == 0
    for name in ("mnist", "quora", "stsb", "wikisections", "omniglot", "punkt_tab"):
        assert name in run.stdout


def test_fetch_without_a_network_says_so_and_keeps_nothing(own_cache):
    nowhere = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    run = course("data", "fetch", "mnist", **nowhere)
    assert run.returncode == 1
    assert "train-images-idx3-ubyte.gz of mnist could not be downloaded" in run.stderr
    assert "SIAMESE_COURSE_DATA" in run.stderr
    assert not any(path.is_file() for path in own_cache.rglob("*"))


@pytest.mark.real_data
@pytest.mark.slow
def test_verify_says_how_it_knows(real_data):
    run = course("data", "verify", "mnist", "wikisections")
    assert run.returncode == 0, run.stdout
    assert "train-images-idx3-ubyte.gz - sha256 matches" in run.stdout
    assert "structure, 61,242 rows (no checksum is published)" in run.stdout
    assert run.stdout.splitlines()[-1] == "7 files looked at, 0 faults"


def test_verify_of_a_damaged_file_exits_with_1(tmp_path):
    (tmp_path / "stsb").mkdir()
    (tmp_path / "stsb" / "sts-dev.csv").write_text("damaged")
    run = course("data", "verify", "stsb", SIAMESE_COURSE_DATA=str(tmp_path))
    assert run.returncode == 1
    assert "FAULT" in run.stdout


@pytest.fixture(scope="module")
def questions_trained(tmp_path_factory):
    """(run, folder): ``train quora`` on the course's own questions."""
    folder = tmp_path_factory.mktemp("quora") / "encoder"
    options = ["--recipe", "course", "--framework", "keras", "--budget", "smoke"]
    run = course("train", "quora", *options, "--out", str(folder), SIAMESE_COURSE_DATA="shipped")
    return run, folder


@pytest.mark.slow
def test_training_on_questions_ends_with_one_json_object(questions_trained):
    run, folder = questions_trained
    assert run.returncode == 0, run.stderr
    assert not re.search("cuda|oneDNN|TensorRT|WARNING|[EWI]0000", run.stderr)  # of TensorFlow
    report = json.loads(run.stdout.splitlines()[-1])
    expected = {"framework", "recipe", "seconds", "steps", "auc", "accuracy", "threshold"}
    assert expected <= set(report)
    assert (report["framework"], report["recipe"]) == ("keras", "course")
    assert report["steps"] == settings.QUORA_SIZES["smoke"].course_steps
    assert report["seconds"] >= report["training_seconds"] > 0
    assert 0.8 < report["auc"] <= 1  # guessing is 0.5
    assert 0.75 < report["accuracy"] <= 1  # 37 in 100 pairs are duplicates
    assert -1 <= report["threshold"] <= 1
    assert json.loads((folder / "report.json").read_text()) == report


@pytest.mark.slow
def test_score_on_pairs_of_ones_own_ends_with_one_json_object(questions_trained, tmp_path):
    lines = ["question1\tquestion2\tis_duplicate"]
    for thing in ("bread", "violin", "bicycle", "tent"):
        lines.append(f"How do I repair a {thing}?\tHow can I repair a {thing}?\t1")
        lines.append(f"How do I repair a {thing}?\tWhat does the moon weigh?\t0")
    lines.insert(3, '"How do I open a quote?\tAnd never close it?\t1')
    (tmp_path / "pairs.tsv").write_text("\n".join(lines) + "\n")
    run = course("score", str(questions_trained[1]), "--pairs", str(tmp_path / "pairs.tsv"))
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout.splitlines()[-1])
    assert {"n", "auc", "accuracy", "best_accuracy"} <= set(report)
    assert "1 malformed and left out: line 4 (a quote that is never closed" in run.stdout
    assert report["n"] == 8
    assert report["duplicates"] == 0.5
    assert report["auc"] == report["best_accuracy"] == 1.0
    assert 0.5 <= report["accuracy"] <= 1.0


HEADER = "question1\tquestion2\tis_duplicate\n"


@pytest.mark.slow
def test_scoring_what_is_not_there_is_one_line(tmp_path):
    (tmp_path / "encoder.json").write_text("{}")
    run = course("score", str(tmp_path), "--pairs", str(tmp_path / "pairs.tsv"))
    assert run.returncode == 1
    assert "pairs.tsv cannot be read" in run.stderr
    assert run.stderr.startswith(f"siamese-course: {tmp_path / 'pairs.tsv'}")
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("question1\tquestion2\nb\n", "separated by tabs. Missing: is_duplicate."),
        (HEADER + "a\tb\tmaybe\n", "1 malformed and left out: line 2 (is_duplicate is 'maybe')"),
        (HEADER + "a\tb\t1\n", "pairs.tsv holds 1 pairs, 1 of them duplicates; expected"),
        (HEADER + "a\tb\t1\na\tc\t0\n", "holds no question encoder"),
    ],
)
def test_what_cannot_be_scored_is_one_line(tmp_path, monkeypatch, capfd, content, message):
    """In this process, where the backend is loaded once for all of them."""
    (tmp_path / "encoder.json").write_text("{}")
    (tmp_path / "pairs.tsv").write_text(content)
    arguments = ["score", str(tmp_path), "--pairs", str(tmp_path / "pairs.tsv")]
    monkeypatch.setattr(sys, "argv", ["siamese-course", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.app()
    error = capfd.readouterr().err
    assert ended.value.code == 1
    assert error.startswith(f"siamese-course: {tmp_path}")
    assert message in error
    assert len(error.splitlines()) == 1


# --- sentences ---


@pytest.fixture(scope="module")
def tiny_preset(tmp_path_factory):
    """The folder of a backbone that is trained in seconds."""
    from tests.tools import write_tiny_preset

    return str(write_tiny_preset(tmp_path_factory.mktemp("preset")))


def train_sentences(what, recipe, preset, folder, *more):
    options = ["--recipe", recipe, "--backbone", preset, "--budget", "smoke", "--seed", "1", *more]
    return course("train", what, *options, "--out", str(folder), SIAMESE_COURSE_DATA="shipped")


@pytest.fixture(scope="module")
def pairs_trained(tiny_preset, tmp_path_factory):
    """(run, folder): ``train stsb`` by the course recipe on the course's own sentences."""
    folder = tmp_path_factory.mktemp("stsb") / "encoder"
    return train_sentences("stsb", "course", tiny_preset, folder), folder


@pytest.mark.slow
def test_training_on_scored_pairs_ends_with_one_json_object(pairs_trained, tiny_preset):
    run, folder = pairs_trained
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout.splitlines()[-1])
    assert (report["recipe"], report["backbone"]) == ("course", tiny_preset)
    assert report["seconds"] >= report["training_seconds"] > 0
    assert report["pairs_per_second"] > 0
    assert report["data_source"] == "the course's own sentence pairs"
    assert all(-1 <= report[name] <= 1 for name in ("spearman_before", "spearman"))
    assert report["spearman_before"] != report["spearman"]
    assert report["n"] > 50
    assert json.loads((folder / "report.json").read_text()) == report


@pytest.mark.slow
def test_a_control_starts_from_other_weights_and_has_the_pooling_asked_for(
    pairs_trained, tiny_preset, tmp_path
):
    control = train_sentences(
        "stsb", "course", tiny_preset, tmp_path / "encoder", "--from-scratch", "--pooling=cls"
    )
    assert control.returncode == 0, control.stderr
    report, usual = (json.loads(run.stdout.splitlines()[-1]) for run in (control, pairs_trained[0]))
    assert [report[name] for name in ("pretrained", "pooling")] == [False, "cls"]
    assert [usual[name] for name in ("pretrained", "pooling")] == [True, "mean"]
    assert report["spearman_before"] != usual["spearman_before"]


@pytest.mark.slow
def test_an_unknown_pooling_is_one_line(tmp_path):
    run = train_sentences("stsb", "course", "any", tmp_path / "encoder", "--pooling=median")
    assert run.returncode == 1
    assert "The pooling is 'median'; expected one of mean, max, cls." in run.stderr
    assert not (tmp_path / "encoder").exists()


@pytest.mark.slow
def test_training_on_triplets_ends_with_one_json_object(tiny_preset, tmp_path):
    run = train_sentences("triplets", "classic", tiny_preset, tmp_path / "encoder")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout.splitlines()[-1])
    assert (report["recipe"], report["rows"]) == ("classic", 20 * 6)
    assert {"seconds", "pairs_per_second", "accuracy_before", "n"} <= set(report)
    assert 0.4 < report["accuracy"] <= 1
    assert json.loads((tmp_path / "encoder" / "report.json").read_text()) == report


@pytest.mark.slow
def test_a_backbone_that_does_not_exist_is_one_line(tmp_path):
    run = train_sentences("stsb", "classic", "roberta_huge_en", tmp_path)
    assert run.returncode == 1
    message = "siamese-course: There is no backbone 'roberta_huge_en': no folder of that name"
    assert run.stderr.splitlines()[-1].startswith(message)
    assert "Traceback" not in run.stderr


def in_this_process(monkeypatch, *arguments):
    """The command line where the backend is loaded once for many tests."""
    monkeypatch.setattr(sys, "argv", ["siamese-course", *map(str, arguments)])
    try:
        cli.app()
    except SystemExit as ended:
        return ended.code


PAIRS = {
    "pairs.tsv": (
        "score\tsentence2\tsentence1\n5\tA dog eats.\tA dog is eating.\n"
        "2.5\tA cat eats.\tA dog is eating.\n0.0\tRain fell, and then some.\tA dog is eating.\n"
    ),
    "pairs.csv": (
        "sentence1,sentence2,score\nA dog is eating.,A dog eats.,5.0\nA dog is eating.,A cat eats.,2.5\n"
        'A dog is eating.,"Rain fell, and then some.",0\n'
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_scoring_pairs_of_ones_own(pairs_trained, tmp_path, monkeypatch, capfd, name):
    from siamese_course.models.sentences import load_encoder

    (tmp_path / name).write_text(PAIRS[name])
    arguments = "score", pairs_trained[1], "--pairs", tmp_path / name
    assert not in_this_process(monkeypatch, *arguments)
    report = json.loads(capfd.readouterr().out.splitlines()[-1])
    others = ["A dog eats.", "A cat eats.", "Rain fell, and then some."]
    found = load_encoder(pairs_trained[1]).similarity(["A dog is eating."] * 3, others)
    expected = np.corrcoef(found, [5, 2.5, 0])[0, 1]
    assert report == {
        "n": 3,
        "pearson": pytest.approx(expected, abs=1e-3),
        "spearman": pytest.approx(
            np.corrcoef(found.argsort().argsort(), [2, 1, 0])[0, 1], abs=1e-3
        ),
    }


@pytest.mark.slow
def test_scoring_triplets_of_ones_own(pairs_trained, tmp_path, monkeypatch, capfd):
    """A positive that is the anchor itself is nearer than anything else."""
    (tmp_path / "triplets.csv").write_text(
        "Sentence1,Sentence2,Sentence3\nA dog eats.,A dog eats.,Rain fell.\n"
        "It rains.,It rains.,A dog eats.\nIt rains.,Not a drop of it fell.,It rains.\n"
    )
    arguments = "score", pairs_trained[1], "--triplets", tmp_path / "triplets.csv"
    assert not in_this_process(monkeypatch, *arguments)
    report = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert report == {"n": 3, "accuracy": 0.6667}


SENTENCES_HEADER = "sentence1\tsentence2\tscore\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "content", "message"),
    [
        ("--pairs", "sentence1\tsentence2\na\tb\n", "pairs.tsv has no column 'score'"),
        ("--pairs", SENTENCES_HEADER + "a\tb\t7\n", "line 2: the score is '7'"),
        ("--pairs", SENTENCES_HEADER, "pairs.tsv holds no sentence pair"),
        (
            "--pairs",
            SENTENCES_HEADER + "a\tb\t3\n",
            "no correlation of cosine and score: predicted has 1 values",
        ),
        ("--pairs", SENTENCES_HEADER + "a\tb\t3\nc\td\t3\n", "expected is 3 everywhere"),
        (
            "--triplets",
            SENTENCES_HEADER + "a\tb\t3\n",
            "expected a header with sentence1, sentence2, s",
        ),
    ],
)
def test_sentences_that_cannot_be_scored_are_one_line(
    pairs_trained, tmp_path, monkeypatch, capfd, option, content, message
):
    (tmp_path / "pairs.tsv").write_text(content)
    arguments = "score", pairs_trained[1], option, tmp_path / "pairs.tsv"
    assert in_this_process(monkeypatch, *arguments) == 1
    error = capfd.readouterr().err
    assert error.startswith("siamese-course: ")
    assert message in error
    assert len(error.splitlines()) == 1


@pytest.mark.slow
def test_scoring_a_damaged_sentence_encoder_is_one_line(
    pairs_trained, tmp_path, monkeypatch, capfd
):
    folder = shutil.copytree(pairs_trained[1], tmp_path / "encoder")
    (folder / "backbone" / "model.weights.h5").write_text("damaged")
    (tmp_path / "pairs.tsv").write_text(PAIRS["pairs.tsv"])
    assert in_this_process(monkeypatch, "score", folder, "--pairs", tmp_path / "pairs.tsv") == 1
    error = capfd.readouterr().err
    assert error.startswith(f"siamese-course: The backbone in {folder / 'backbone'} cannot be read")
    assert len(error.splitlines()) == 1
