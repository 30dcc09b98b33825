"""``siamese-course grade``: the exit status of ``run``, its list and its last line; refused files and folders."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from siamese_course.cli.grade import grade_app
from siamese_course.grading import cells, package, run
from siamese_course.notebooks.catalog import NAMES
from siamese_course.runtime.errors import CourseError


@pytest.fixture
def grade_run(tmp_path, monkeypatch):
    """Call the command for these files, without a sandbox; a file with the text "broken" cannot be graded."""

    def here(jobs, workers):
        for job in jobs:
            broken = job.contents() == b"broken"
            known = {"problem": "No cell can be read."} if broken else {"notebook": NAMES[2]}
            yield job, run._result(job.submission, job.key, **known)

    monkeypatch.setattr(run, "_here", here)
    monkeypatch.setattr(run, "trial", lambda *options: None)
    monkeypatch.setattr(package, "kept_copy", lambda: None)
    run.copy_for.cache_clear()

    def command(files: dict[str, str | None]):
        for name, text in files.items():
            path = tmp_path / "in" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.mkdir()
            else:
                path.write_text(text)
        arguments = ["run", str(tmp_path / "in"), "--out", str(tmp_path / "class")]
        done = CliRunner().invoke(grade_app, arguments)
        lines = done.stdout.splitlines()
        return done.exit_code, lines[:-1], json.loads(lines[-1])

    yield command
    run.copy_for.cache_clear()


def test_all_graded_gives_status_0(grade_run):
    status, told, counts = grade_run({"anna/a.ipynb": "{}", "anna/data.csv": "1", "ben.ipynb": ""})
    assert (status, told) == (0, ["- anna, anna/data.csv: This is not a notebook."])
    assert counts["learners"] == counts["notebooks"] == counts["graded_now"] == 2
    assert (counts["not_graded"], counts["ignored"]) == (0, 1)


@pytest.mark.slow
def test_a_broken_file_and_an_empty_folder_are_listed_and_give_status_1(grade_run):
    status, told, counts = grade_run({"anna/a.ipynb": "{}", "ben/b.ipynb": "broken", "cleo": None})
    assert status == 1
    assert told == [
        "- ben, ben/b.ipynb: No cell can be read.",
        "- cleo, cleo: The folder is empty.",
    ]
    assert (counts["learners"], counts["notebooks"], counts["graded_now"]) == (3, 2, 1)
    assert (counts["not_graded"], counts["ignored"]) == (2, 0)


def test_files_of_the_system_are_no_learners(grade_run):
    status, _, counts = grade_run({"anna/a.ipynb": "{}", ".DS_Store": "", "Thumbs.db": ""})
    assert (status, counts["learners"], counts["ignored"]) == (0, 1, 2)


@pytest.mark.parametrize("out", [".", "class"])
def test_a_class_in_the_folder_of_submissions_is_refused(out, tmp_path, monkeypatch):
    (tmp_path / "anna.ipynb").write_text("{}")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(grade_app, ["run", str(tmp_path), "--out", out])
    assert isinstance(done.exception, CourseError)
    assert f"--out {out} is in {tmp_path}" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["anna.ipynb"]


@pytest.mark.parametrize("command", [["release"], ["run", "in"], ["report"]])
def test_a_class_needs_a_folder(command, tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "anna.ipynb").write_text("{}")
    (tmp_path / "file").write_text("mine")
    monkeypatch.chdir(tmp_path)
    for out in ("file", "file/class"):
        done = CliRunner().invoke(grade_app, [*command, "--out", out])
        assert isinstance(done.exception, CourseError)
        assert f"{out} cannot be used as a folder" in str(done.exception)


def test_a_repaired_notebook_replaces_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    release = cells.release(NAMES[2]).notebook
    Path("a.ipynb").write_text(json.dumps(release))
    Path("mine.ipynb").write_text("mine")
    for repair, told in (
        ("a.ipynb", "already exists"),
        ("mine.ipynb", "already exists"),
        (".", "already exists"),
        ("fixed/a.ipynb", "cannot be written: No such file or directory."),
    ):
        done = CliRunner().invoke(grade_app, ["check", "a.ipynb", "--repair", repair])
        assert isinstance(done.exception, CourseError)
        assert f"--repair {repair} {told}" in str(done.exception)
    assert Path("mine.ipynb").read_text() == "mine"
    done = CliRunner().invoke(grade_app, ["check", "a.ipynb", "--repair", "b.ipynb"])
    assert (done.exit_code, json.loads(Path("b.ipynb").read_text())) == (0, release)


@pytest.mark.parametrize("jobs", ["0", "-1"])
def test_fewer_than_one_job_is_refused(jobs, tmp_path):
    done = CliRunner().invoke(grade_app, ["run", str(tmp_path), "--jobs", jobs])
    assert done.exit_code == 2
    assert "--jobs" in done.output
    assert not (tmp_path / "class").exists()


def test_an_archive_beside_a_notebook_gives_status_1(grade_run):
    status, told, counts = grade_run({"anna/a.ipynb": "{}", "anna/02_quora_triplet.rar": "Rar!"})
    assert (status, counts["not_graded"]) == (1, 1)
    assert told == ["- anna, anna/02_quora_triplet.rar: This is not a notebook."]


def test_an_answer_may_begin_with_a_byte_order_mark(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(cells, "with_answers", lambda name, answers: read.append(answers) or {})
    monkeypatch.setattr(package, "copy_without_answers", lambda folder: folder)
    (tmp_path / "a.py").write_text("x = 1\n", "utf-8-sig")
    arguments = ["answer", "01.distance", str(tmp_path / "a.py"), "--sandbox", "none"]
    assert CliRunner().invoke(grade_app, arguments).exit_code  # there is no such sandbox
    assert read == [{"distance": "x = 1\n"}]
