"""The command line: errors are one line and exit code 1, data commands say what they found."""

import json
import os
import subprocess
import sys

import pytest

from siamese_course import cli


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
            "The recipe is 'clasic', and must be one of classic, course",
        ),
        (
            ["train", "mnist", "--recipe", "course", "--budget", "tiny", "--out", "x"],
            {},
            "The budget is 'tiny'",
        ),
        (
            ["train", "quora", "--recipe", "best", "--out", "x"],
            {},
            "The recipe is 'best', and must be one of classic, course, compare",
        ),
        (
            ["train", "quora", "--recipe", "course", "--framework", "torch", "--out", "x"],
            {},
            "The framework is 'torch', and must be one of trax, keras",
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
        (["data", "verify", "minst"], {}, "There is no data set 'minst'"),
        (
            ["data", "status"],
            {"SIAMESE_COURSE_DATA": "/no/such"},
            "SIAMESE_COURSE_DATA is '/no/such', and no directory",
        ),
        (["run", "/no/such.ipynb"], {}, "/no/such.ipynb is no notebook"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_1(arguments, environment, message):
    run = course(*arguments, **environment)
    assert run.returncode == 1
    assert run.stderr.startswith(f"siamese-course: {message}")
    assert "Traceback" not in run.stderr
    assert len(run.stderr.splitlines()) == 1


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
    assert run.stdout.splitlines()[-1] == "6 files looked at, 0 faults"


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
    report = json.loads(run.stdout.splitlines()[-1])
    expected = {"framework", "recipe", "seconds", "steps", "auc", "accuracy", "threshold"}
    assert expected <= set(report)
    assert (report["framework"], report["recipe"]) == ("keras", "course")
    assert report["steps"] == 40
    assert report["seconds"] >= report["training_seconds"] > 0
    assert 0.55 < report["auc"] <= 1
    assert 0.62 < report["accuracy"] <= 1  # 37 in 100 pairs are duplicates
    assert -1 <= report["threshold"] <= 1
    assert json.loads((folder / "report.json").read_text()) == report


@pytest.mark.slow
def test_score_on_pairs_of_ones_own_ends_with_one_json_object(questions_trained, tmp_path):
    lines = ["question1\tquestion2\tis_duplicate"]
    for thing in ("bread", "violin", "bicycle", "tent"):
        lines.append(f"How do I repair a {thing}?\tHow can I repair a {thing}?\t1")
        lines.append(f"How do I repair a {thing}?\tWhat does the moon weigh?\t0")
    (tmp_path / "pairs.tsv").write_text("\n".join(lines) + "\n")
    run = course("score", str(questions_trained[1]), "--pairs", str(tmp_path / "pairs.tsv"))
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout.splitlines()[-1])
    assert {"n", "auc", "accuracy", "best_accuracy"} <= set(report)
    assert report["n"] == 8
    assert report["duplicates"] == 0.5
    assert report["auc"] == report["best_accuracy"] == 1.0
    assert 0.5 <= report["accuracy"] <= 1.0


HEADER = "question1\tquestion2\tis_duplicate\n"


@pytest.mark.slow
def test_scoring_what_is_not_there_is_one_line(tmp_path):
    run = course("score", str(tmp_path), "--pairs", str(tmp_path / "pairs.tsv"))
    assert run.returncode == 1
    assert "cannot be read as a tab-separated file" in run.stderr
    assert run.stderr.startswith(f"siamese-course: {tmp_path / 'pairs.tsv'}")
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("question1\tquestion2\nb\n", "pairs.tsv lacks the columns ['is_duplicate']"),
        (HEADER + "a\tb\tmaybe\n", "pairs.tsv, row 1: is_duplicate is 'maybe'"),
        (HEADER + "a\tb\t1\n", "pairs.tsv holds 1 pairs, 1 of them duplicates; expected"),
        (HEADER + "a\tb\t1\na\tc\t0\n", "holds no question encoder"),
    ],
)
def test_what_cannot_be_scored_is_one_line(tmp_path, monkeypatch, capfd, content, message):
    """In this process, where the backend is loaded once for all of them."""
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
