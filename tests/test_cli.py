"""The command line: errors are one line and exit code 1, data commands say what they found."""

import os
import subprocess
import sys

import pytest


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
