"""A class from the folder that was handed in to the report."""

import contextlib
import csv
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from siamese_course.cli.main import typer_app
from siamese_course.grading import cells, package, plain, reading, report, run, sandbox
from siamese_course.grading.authoring import own_programs_first
from siamese_course.grading.run import Job
from siamese_course.grading.submissions import (
    NOT_OWN,
    Submission,
    _learner_of,
    collect,
    read_bytes,
)
from siamese_course.notebooks.catalog import NAMES
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import write_whole

NAME = NAMES[0]
SANDBOX = "bubblewrap" if shutil.which("bwrap") else "limits"
DISTANCE = "def euclidean_distance(left, right):\n    return {}\n"
RIGHT = "ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + 1e-6)"
SQUARED = "ops.sum(ops.square(left - right), axis=-1) + 1e-6"
VERIFY = """
def choose_threshold(distances, same):
    return max(distances, key=lambda t: ((distances[same == 1] <= t).mean() + (distances[same == 0] > t).mean()) / 2)


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
"""


def notebook_of(**answers) -> str:
    return json.dumps(cells.with_answers(NAME, answers))


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    """All right, half right, nothing, a broken file, two that end what they run in, and an empty folder."""
    folder = tmp_path_factory.mktemp("handed_in")
    both = {"distance": DISTANCE.format(RIGHT), "one_shot": VERIFY}
    contents = {
        "anna": notebook_of(**both),
        "ben": notebook_of(distance=DISTANCE.format(SQUARED), one_shot=VERIFY),
        "=cmd()": notebook_of(),
        "dora <b>": "{ this is no notebook",
        "emil": notebook_of(distance="import os\nos._exit(3)", one_shot=VERIFY),
        "frida": notebook_of(
            distance="raise SystemExit\n" + DISTANCE.format(RIGHT), one_shot=VERIFY
        ),
    }
    for learner, content in contents.items():
        (folder / learner).mkdir()
        (folder / learner / f"{NAME}.ipynb").write_text(content)
    (folder / "gone").mkdir()
    return folder


def points_of(results) -> dict:
    return {
        result["learner"]: {o["exercise"]: o["points"] for o in result["outcomes"] if o["points"]}
        for result in results
    }


EXPECTED = {
    "anna": {"distance": 10, "one_shot": 15},
    "ben": {"one_shot": 15},
    "=cmd()": {},
    "dora <b>": {},
    "emil": {"one_shot": 15},
    "frida": {"one_shot": 15},
    "gone": {},
}


@pytest.fixture(scope="module")
def graded(handed_in, tmp_path_factory):
    out = tmp_path_factory.mktemp("class")
    results = run.grade_class(collect(handed_in), out, sandbox=SANDBOX, jobs=2)
    report.write(results, out)
    return out, results


@pytest.mark.slow
def test_every_learner_has_the_points_deserved(graded):
    assert points_of(graded[1]) == EXPECTED


@pytest.mark.slow
def test_what_is_graded_is_not_graded_again_and_what_changed_is(graded, handed_in, tmp_path):
    out = tmp_path / "class"
    shutil.copytree(graded[0], out)
    folder = tmp_path / "handed_in"
    shutil.copytree(handed_in, folder)
    (folder / "ben" / f"{NAME}.ipynb").write_text(notebook_of(distance=DISTANCE.format(RIGHT)))
    told = {}
    results = run.grade_class(
        collect(folder),
        out,
        sandbox=SANDBOX,
        jobs=1,
        callback=lambda r, fresh: told.update({r["learner"]: fresh}),
    )
    assert [learner for learner, fresh in told.items() if fresh] == ["ben"]
    assert points_of(results) == EXPECTED | {"ben": {"distance": 10}}


@pytest.mark.slow
def test_the_csv_file_has_a_row_for_each_exercise_and_no_formulas(graded):
    with (graded[0] / "grades.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 5 * 7 + 2
    assert sum(float(row["points"] or 0) for row in rows) == 10 + 15 + 15 + 15 + 15
    assert {row["learner"] for row in rows} == {"'=cmd()", *(EXPECTED.keys() - {"=cmd()"})}
    problems = {row["learner"]: row["problem"] for row in rows if row["problem"]}
    assert problems.keys() == {"dora <b>", "gone"}
    assert "not a notebook" in problems["dora <b>"]
    assert problems["gone"] == "The folder is empty."
    assert all(row["message"] == "" for row in rows if row["status"] == "right")


@pytest.mark.slow
def test_nbgraders_gradebook_has_the_same_points(graded):
    with own_programs_first(), Gradebook(f"sqlite:///{graded[0] / 'gradebook.db'}") as gradebook:
        scores = {s.student.id: s.score for s in gradebook.assignment_submissions(NAME)}
        assert gradebook.find_assignment(NAME).max_score == 100
    assert scores == {"anna": 25, "ben": 15, "=cmd()": 0, "emil": 15, "frida": 15}


@pytest.mark.slow
def test_tables_have_a_row_for_each_learner(graded):
    read = {}
    for name in ("class", "canvas", "moodle"):
        with (graded[0] / f"{name}.csv").open(newline="") as stream:
            read[name] = list(csv.DictReader(stream))
    of = {row["learner"]: row for row in read["class"]}
    assert len(of) == len(EXPECTED)
    assert (of["anna"]["total"], of["anna"]["of"], of["anna"]["status"]) == ("25", "400", "graded")
    assert (of["dora <b>"][NAME], of["dora <b>"]["status"]) == ("", "not graded")
    assert (of["anna"]["attempts"], of["gone"]["attempts"]) == ("01: 1", "")
    assert (of["gone"]["total"], of["gone"]["status"]) == ("", "not graded")
    assert read["canvas"][0][NAME] == "100"  # the points possible
    assert {row["username"]: row[NAME] for row in read["moodle"]}["ben"] == "15"


@pytest.mark.slow
def test_pages_tell_hints_and_leak_nothing(graded, handed_in):
    out = graded[0]
    secrets = [
        str(run.settings(out)["hidden_seed"]),
        str(handed_in),
        str(out),
        "Traceback",
        "/siamese_course/",
        "hidden",
    ]
    pages = {path.name: path.read_text("utf-8") for path in (out / "feedback").iterdir()}
    assert len(pages) == len(EXPECTED)
    for page in [*pages.values(), (out / "index.html").read_text("utf-8")]:
        for secret in secrets:
            assert secret not in page
        assert "<b>dora" not in page
        assert "dora <b>" not in page
    ben = pages["ben.html"]
    assert "15 of 100 points" in ben
    assert "the square root is missing" in ben
    assert not any(name in ben for name in ("anna", "emil", "dora"))
    assert "ended the process" in pages["emil.html"]
    overview = (out / "index.html").read_text("utf-8")
    assert "the square root is missing" in overview
    assert "dora &lt;b&gt;" in overview
    assert "5 notebooks of 7 learners" in overview
    assert "mean 14.0, median 15.0" in overview


def zipped(path, *names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")


def test_whatever_was_handed_in_is_graded_or_has_a_reason(tmp_path):
    (tmp_path / "anna" / ".ipynb_checkpoints").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "Cleo Li_17_assignsubmission_file").mkdir()
    (tmp_path / "linked").symlink_to("/etc")
    (tmp_path / "link.ipynb").symlink_to("/etc/passwd")
    for name in (
        *(
            "anna/one.ipynb",
            "anna/.ipynb_checkpoints/one.ipynb",
            "anna/data.csv",
            "anna/two.ipynb.txt",
        ),
        *("ben.ipynb", "dan.IPYNB", "eva.ipynb.txt", "fay.pdf", "notes/notes.txt", ".DS_Store"),
        *("Cleo Li_17_assignsubmission_file/a.ipynb", "ginahu_LATE_5_99_01_mnist.ipynb"),
    ):
        (tmp_path / name).write_text("{}")
    (tmp_path / "hal.json").write_text('{"cells": [{"cell_type": "code"}]}')
    zipped(tmp_path / "ida.zip", "x/a.ipynb", "__MACOSX/x/._a.ipynb", "x/b.txt")
    zipped(tmp_path / "jon.zip", "b.txt")
    (tmp_path / "kim.zip").write_text("PK")
    found = collect(tmp_path)
    assert {(each.learner, each.place) for each in found if not each.reason} == {
        ("anna", "anna/one.ipynb"),
        ("anna", "anna/two.ipynb.txt"),
        ("ben", "ben.ipynb"),
        ("dan", "dan.IPYNB"),
        ("eva", "eva.ipynb.txt"),
        ("hal", "hal.json"),
        ("ida", "ida.zip/x/a.ipynb"),
        ("Cleo Li_17", "Cleo Li_17_assignsubmission_file/a.ipynb"),
        ("ginahu_5", "ginahu_LATE_5_99_01_mnist.ipynb"),
    }
    assert {each.place for each in found if each.reason and each.matters} == {
        *("empty", "notes", "linked", "link.ipynb", "fay.pdf", "jon.zip", "kim.zip"),
    }
    assert {each.place for each in found if each.reason and not each.matters} == {
        *("anna/.ipynb_checkpoints", "anna/data.csv", "notes/notes.txt", ".DS_Store"),
        "ida.zip/x/b.txt",
    }
    assert len({each.place for each in found}) == len(found)


def test_what_lies_beside_a_notebook_in_a_zip_has_a_reason(tmp_path):
    made = ("__MACOSX/._01.ipynb", ".DS_Store", ".ipynb_checkpoints/01.ipynb", "x/Thumbs.db", "y/")
    zipped(tmp_path / "anna.zip", "01.ipynb", "02_quora.docx", "inner.zip", "data.json", *made)
    with zipfile.ZipFile(tmp_path / "anna.zip", "a") as archive:
        archive.writestr("03_sbert.json", '{"cells": [{"cell_type": "code"}]}')
    found = {each.place: (each.reason, each.matters) for each in collect(tmp_path)}
    assert found == {
        "anna.zip/01.ipynb": (None, True),
        "anna.zip/02_quora.docx": ("This is not a notebook.", True),
        "anna.zip/03_sbert.json": (None, True),
        "anna.zip/data.json": ("This is not a notebook.", False),
        "anna.zip/inner.zip": ("This is not a notebook.", True),
    }


@pytest.mark.parametrize(
    ("name", "matters"),
    [
        *((f"02_quora{end}", True) for end in (".rar", ".tar.gz", ".pdf", ".py", ".html", "")),
        *((f"data{end}", False) for end in (".csv", ".PNG", ".npy", ".txt", ".json")),
    ],
)
def test_what_may_be_work_matters_and_data_beside_a_notebook_does_not(name, matters, tmp_path):
    (tmp_path / "anna").mkdir()
    for file in ("01.ipynb", name):
        (tmp_path / "anna" / file).write_text("{}")
    # Moodle's download without folders
    for file in ("01.ipynb", name):
        (tmp_path / f"Ben Li_12_assignsubmission_file_{file}").write_text("{}")
    left = [each for each in collect(tmp_path) if each.reason]
    assert {each.learner: each.matters for each in left} == {
        "anna": matters,
        "Ben Li_12": matters,
    }
    assert len(left) == 2


def test_a_learner_who_handed_in_only_data_is_not_left_out(tmp_path):
    (tmp_path / "Ben Li_12_assignsubmission_file_data.csv").write_text("1")
    [submission] = collect(tmp_path)
    assert submission.matters


def test_notebooks_in_a_folder_of_solutions_do_not_count(tmp_path):
    for place in ("anna/notebooks", "anna/notebooks/solutions", "ben/solutions", "solutions"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "01.ipynb").write_text("{}")
    zipped(tmp_path / "ida.zip", "x/01.ipynb", "x/solutions/01.ipynb", "solutions.ipynb")
    found = {each.place: (each.reason, each.matters) for each in collect(tmp_path)}
    assert found == {
        "anna/notebooks/01.ipynb": (None, True),
        "anna/notebooks/solutions/01.ipynb": (NOT_OWN, False),
        "ben/solutions/01.ipynb": (NOT_OWN, True),  # nothing else was handed in
        "ida.zip/solutions.ipynb": (None, True),
        "ida.zip/x/01.ipynb": (None, True),
        "ida.zip/x/solutions/01.ipynb": (NOT_OWN, False),
        "solutions/01.ipynb": (None, True),
    }


@pytest.mark.parametrize(
    ("file", "learner"),
    [("İpek İnan.ipynb", "İpek İnan"), ("DAN.IPYNB.txt", "DAN"), (".x.ipynb", ".x")],
)
def test_the_name_of_a_file_is_that_of_its_learner(file, learner):
    assert _learner_of(Path(file), False) == {"learner": learner}


def test_only_names_of_moodle_and_canvas_have_their_numbers(tmp_path):
    for name in ("mueller_3", "Anna Li_12_assignsubmission_file", "Anna Li_13_assignsubmission_x"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.ipynb").write_text("{}")
    for name in (
        "Cleo Li_14_assignsubmission_file_01_mnist.ipynb",
        "Cleo Li_14_assignsubmission_file_02_quora.ipynb",
        "ginahu_LATE_5_99_01_mnist.ipynb",
        "schmidt_4.ipynb",
    ):
        (tmp_path / name).write_text("{}")
    found = [(each.learner, each.system, each.number) for each in collect(tmp_path)]
    assert sorted(found) == [
        ("Anna Li_12", "moodle", "12"),
        ("Anna Li_13", "moodle", "13"),
        ("Cleo Li_14", "moodle", "14"),
        ("Cleo Li_14", "moodle", "14"),
        ("ginahu_5", "canvas", "5"),
        ("mueller_3", "", ""),
        ("schmidt_4", "", ""),
    ]


def test_a_folder_that_cannot_be_read_has_a_reason(tmp_path, monkeypatch):
    (tmp_path / "anna" / "more").mkdir(parents=True)
    (tmp_path / "anna" / "a.ipynb").write_text("{}")
    locked, scandir = str(tmp_path / "anna" / "more"), os.scandir

    def refuse(path):
        if os.fspath(path) == locked:
            raise PermissionError(13, "Permission denied", locked)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    reasons = {each.place: (each.reason, each.matters) for each in collect(tmp_path)}
    assert reasons == {
        "anna/a.ipynb": (None, True),
        "anna/more": ("The folder cannot be read (Permission denied).", True),
    }


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_zip_whose_bytes_are_wrong_has_a_reason(tmp_path, method):
    path = tmp_path / "ida.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.ipynb", '{"cells": []}' * 99)
    data = bytearray(path.read_bytes())
    first = 30 + len("a.ipynb")
    data[first : first + 9] = b"\xff" * 9
    path.write_bytes(data)
    [submission] = collect(tmp_path)
    with pytest.raises(CourseError, match="The file cannot be read"):
        read_bytes(submission)


def test_a_name_that_is_not_utf_8_is_shown_and_kept(tmp_path):
    name = os.fsdecode(b"\xff\xfe")
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.ipynb").write_text("{}")
    (submission,) = collect(tmp_path)
    assert submission.learner == "\\udcff\\udcfe"
    assert submission.path.read_text() == "{}"
    path = run.result_path(tmp_path, submission.learner, submission.place)
    path.parent.mkdir(parents=True)
    path.write_text("{}")


def test_an_empty_folder_is_told(tmp_path):
    with pytest.raises(CourseError, match="contains no notebook"):
        collect(tmp_path)
    with pytest.raises(CourseError, match="is not a folder"):
        collect(tmp_path / "other")


def test_the_seed_is_drawn_once_for_a_class(tmp_path):
    first = run.settings(tmp_path / "a")
    assert run.settings(tmp_path / "a") == first
    assert run.settings(tmp_path / "b") != first


def test_the_folder_of_a_class_is_private_and_ignored(tmp_path):
    run.settings(tmp_path / "class")
    assert (tmp_path / "class").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "class" / ".gitignore").read_text() == "*\n"


def test_a_folder_with_other_files_does_not_become_a_class(tmp_path):
    (tmp_path / "README.md").write_text("")
    (tmp_path / ".gitignore").write_text("build\n")
    tmp_path.chmod(0o755)
    with pytest.raises(CourseError, match=r"is not a class's folder.*'README.md'.*--out"):
        run.settings(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    (tmp_path / "README.md").unlink()
    run.settings(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "build\n"


def test_a_class_made_earlier_becomes_private_too(tmp_path):
    (tmp_path / "settings.json").write_text('{"hidden_seed": 3}')
    (tmp_path / "index.html").write_text("")
    tmp_path.chmod(0o755)
    assert run.settings(tmp_path) == {"hidden_seed": 3}
    assert tmp_path.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / ".gitignore").read_text() == "*\n"


def test_a_key_changes_with_whatever_may_change_a_grade():
    a, b, bens = (
        Submission(place.split("/")[0], place, Path())
        for place in ("anna/a.ipynb", "anna/b.ipynb", "ben/a.ipynb")
    )
    job = Job(a, "1", "limits", 1)
    others = [Job(a, "2", "limits", 1), Job(a, "1", "limits", 2), Job(b, "1", "limits", 1)]
    assert len({job.key, *(other.key for other in others)}) == 4
    assert job.key == Job(bens, "1", "bubblewrap", 1).key


def test_two_notebooks_of_one_learner_have_two_results(tmp_path):
    places = ("anna/a.ipynb", "anna/b/a.ipynb", "anna/b_a.ipynb")
    assert len({run.result_path(tmp_path, "anna", place) for place in places}) == 3


def test_names_that_look_the_same_have_two_results(by_hand, tmp_path):
    folder = tmp_path / "in" / "anna"
    folder.mkdir(parents=True)
    for space in (" ", "\xa0"):
        (folder / f"x{space}(1).ipynb").write_text(notebook_of())
    found = collect(tmp_path / "in")
    assert fresh_ones(found, tmp_path / "class") == ["anna", "anna"]
    assert fresh_ones(found, tmp_path / "class") == []
    shown = [result["file"] for result in run.results(tmp_path / "class")]
    assert shown == ["anna/x (1).ipynb"] * 2
    assert len(list((tmp_path / "class" / "results").glob("*/*.json"))) == 2


@pytest.fixture
def submission(tmp_path):
    """One notebook, graded by a function of the test's."""
    path = tmp_path / "anna.ipynb"
    path.write_text(notebook_of())
    return Submission("anna", "anna.ipynb", path)


@pytest.fixture
def by_hand(monkeypatch):
    """Grades in this process, without a sandbox, with what the test puts into ``made``."""
    made = {}

    def here(jobs, workers):
        for job in jobs:
            yield job, run._result(job.submission, job.key) | made

    monkeypatch.setattr(run, "_here", here)
    monkeypatch.setattr(run, "trial", lambda *options: None)
    monkeypatch.setattr(package, "kept_copy", lambda: None)
    run.copy_for.cache_clear()
    yield made
    run.copy_for.cache_clear()


def fresh_ones(submissions, out, **options):
    told = []
    run.grade_class(
        submissions,
        out,
        callback=lambda r, fresh: told.append(r["learner"]) if fresh else None,
        **options,
    )
    return told


def test_a_damaged_result_is_computed_again_and_listed_meanwhile(submission, by_hand, tmp_path):
    out = tmp_path / "class"
    by_hand["notebook"] = NAME
    assert fresh_ones([submission], out) == ["anna"]
    assert fresh_ones([submission], out) == []
    (path,) = (out / "results").glob("*/*.json")
    path.write_text(path.read_text()[:50])
    (damaged,) = run.results(out)
    assert "its result is damaged" in damaged["problem"]
    assert fresh_ones([submission], out) == ["anna"]


def test_a_result_that_is_not_the_submissions_fault_is_not_kept(submission, by_hand, tmp_path):
    out = tmp_path / "class"
    by_hand |= {"problem": "The sandbox did not start.", "kept": False}
    assert fresh_ones([submission], out) == ["anna"]
    assert fresh_ones([submission], out) == ["anna"]
    (missing,) = run.results(out)
    assert "has not been graded" in missing["problem"]


def test_what_cannot_be_graded_again_keeps_its_result_unless_it_changed(
    submission, by_hand, tmp_path
):
    out = tmp_path / "class"
    by_hand["notebook"] = NAME
    assert fresh_ones([submission], out) == ["anna"]
    by_hand |= {"problem": "The sandbox did not start.", "kept": False}
    told: list = []
    (before,) = run.grade_class([submission], out, again=None, callback=lambda r, _: told.append(r))
    assert [each["problem"] for each in told] == ["The sandbox did not start."]
    assert (before["notebook"], before["problem"]) == (NAME, None)
    assert run.results(out) == [before]
    submission.path.write_text(notebook_of() + " ")
    assert fresh_ones([submission], out) == ["anna"]
    (missing,) = run.results(out)
    assert "has not been graded" in missing["problem"]


def test_results_of_another_version_are_not_reported(submission, by_hand, tmp_path, monkeypatch):
    """Where a run is interrupted before it comes to a notebook that has changed."""
    out = tmp_path / "class"
    by_hand["notebook"] = NAME
    (graded,) = run.grade_class([submission], out)
    assert run.results(out) == [graded]

    def interrupted(jobs, workers):
        raise KeyboardInterrupt
        yield

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(run, "_here", interrupted)
        submission.path.write_text(notebook_of() + " ")
        run.grade_class([submission], out)
    (missing,) = run.results(out)
    assert (missing["notebook"], missing["problem"]) == (None, run.UNKNOWN)


def test_a_file_that_became_unreadable_is_reported_so(submission, by_hand, tmp_path):
    out, told = tmp_path / "class", []
    by_hand["notebook"] = NAME
    assert fresh_ones([submission], out) == ["anna"]
    submission.path.unlink()
    results = run.grade_class([submission], out, callback=lambda *each: told.append(each))
    assert "cannot be read" in results[0]["problem"]
    assert told == [(results[0], False)]
    assert run.results(out) == results


def test_a_class_of_an_earlier_release_is_reported(submission, by_hand, tmp_path):
    """It has no keys in the list of what was handed in; its exercises may have other names."""
    out = tmp_path / "class"
    by_hand |= {"notebook": NAME, "outcomes": [{"exercise": "distance", "points": 10}]}
    (graded,) = run.grade_class([submission], out)
    listed = json.loads((out / run.HANDED_IN).read_text())
    for each in listed:
        del each["key"]
    (out / run.HANDED_IN).write_text(json.dumps(listed))
    assert run.results(out) == [graded]
    path = run.result_path(out, "anna", "anna.ipynb")
    for old, new in (('"distance"', '"length"'), (NAME, "00_earlier")):
        path.write_text(json.dumps(graded).replace(old, new))
        assert run.results(out)[0]["problem"] == run.UNKNOWN


def test_a_file_that_becomes_unreadable_has_no_result_that_is_kept(submission, tmp_path):
    job = Job(submission, "digest", "limits", 1)
    submission.path.unlink()
    result = run.grade_job(job)
    assert "cannot be read" in result["problem"] and not result["kept"]


def test_without_a_dask_scheduler_one_line_says_so(submission, by_hand, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(run, "WAIT", 0.1)
    with pytest.raises(CourseError, match=r"There is no Dask scheduler at tcp://127\.0\.0\.1:9 "):
        run.grade_class([submission], tmp_path / "class", scheduler="tcp://127.0.0.1:9")
    gc.collect()  # Dask's half client: deleted while another one starts, it would wait for that one for ever


def test_names_of_files_cannot_write_lines_of_their_own(by_hand, tmp_path):
    folder = tmp_path / "in" / "anna"
    folder.mkdir(parents=True)
    (folder / 'x\n{"not_graded": 0}\n.pdf').write_text("")
    command = ["grade", "run", str(tmp_path / "in"), "--out", str(tmp_path / "class")]
    done = CliRunner().invoke(typer_app, command)
    assert done.exit_code == 1
    reports = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert [json.loads(line)["not_graded"] for line in reports] == [1]


def test_a_learner_or_all_can_be_graded_again(submission, by_hand, tmp_path):
    other = Submission("ben", "ben.ipynb", submission.path)
    out = tmp_path / "class"
    assert fresh_ones([submission, other], out) == ["anna", "ben"]
    assert fresh_ones([submission, other], out, again=["ben"]) == ["ben"]
    assert fresh_ones([submission, other], out, again=None) == ["anna", "ben"]


def test_a_sandbox_that_does_not_start_refuses_and_keeps_nothing(submission, tmp_path, monkeypatch):
    fake = tmp_path / "bin"
    fake.mkdir()
    (fake / "bwrap").write_text(
        "#!/bin/sh\necho No permissions to create a namespace >&2\nexit 1\n"
    )
    (fake / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(fake))
    monkeypatch.setattr(package, "kept_copy", lambda: tmp_path)
    run.copy_for.cache_clear()
    sandbox.memory_group.cache_clear()
    with pytest.raises(CourseError, match=r"No permissions.*container"):
        run.grade_class([submission], tmp_path / "class")
    assert not (tmp_path / "class" / "results").exists()
    run.copy_for.cache_clear()
    sandbox.memory_group.cache_clear()


def test_whatever_the_grader_raises_is_a_reason(submission, monkeypatch):
    def fail(*options, **more):
        raise RecursionError("\ud800\x1b[31m")

    monkeypatch.setattr(run.reading, "read", fail)
    result = run.grade_job(Job(submission, "", "limits", 1))
    assert result["problem"] == "The grader failed (RecursionError: \\ud800\\x1b[31m)."
    assert not result["kept"]
    json.dumps(result).encode()


def test_notebooks_in_one_process_are_graded_in_turn(submission, monkeypatch):
    """As in the threads of a Dask worker: a check redirects the output of its process."""
    both, together = threading.Barrier(2), []

    def grade(*unused):
        with contextlib.suppress(threading.BrokenBarrierError):
            together.append(both.wait(0.3))
        return []

    monkeypatch.setattr(run.reading, "read", lambda *unused: SimpleNamespace(name=NAME, found=[]))
    monkeypatch.setattr(run, "copy_for", lambda kind: None)
    monkeypatch.setattr(run.session, "grade_notebook", grade)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run.grade_job, [Job(submission, "", "limits", 1)] * 2))
    assert [result["problem"] for result in results] == [None, None]
    assert together == []


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", "..", "", "CON\x00", "ü x@y.z", "." * 300]
)
def test_names_of_learners_cannot_leave_the_folder(name, tmp_path):
    path = run.result_path(tmp_path, name, f"{name}/x.ipynb")
    assert path.parent.parent == tmp_path / "results"
    assert path.parent.name not in ("", ".", "..")


@pytest.mark.parametrize("letter", ["\N{MATHEMATICAL BOLD SMALL A}", "\N{HIRAGANA LETTER A}", "a"])
def test_the_longest_names_of_files_have_results(letter, tmp_path):
    name = letter * (255 // len(letter.encode()))
    path = run.result_path(tmp_path, name, f"{name}/{name}.ipynb")
    path.parent.mkdir(parents=True)
    write_whole(path, "{}")
    (tmp_path / f"{plain.plain_name(name)}.html").write_text("")
    assert path != run.result_path(tmp_path, name, f"{name}/{name}")


def test_names_that_look_alike_do_not_meet():
    places = {plain.plain_name(name) for name in ("a/b", "a_b", "a:b", "a\\b")}
    assert len(places) == 4


CLASS = """
import sys
from pathlib import Path
from siamese_course.grading import run
from siamese_course.grading.submissions import collect
if __name__ == "__main__":
    callback = lambda result, fresh: print(result["learner"], fresh, flush=True)
    run.grade_class(collect(Path(sys.argv[1])), Path(sys.argv[2]), sandbox=sys.argv[3], jobs=1, callback=callback)
"""


@pytest.mark.slow
def test_an_interrupted_run_goes_on_where_it_was(handed_in, tmp_path):
    script = tmp_path / "class.py"
    script.write_text(CLASS)
    command = [sys.executable, str(script), str(handed_in), str(tmp_path / "out"), SANDBOX]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    done = first.stdout.readline().split()[0]
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    time.sleep(0.5)
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    fresh = dict(line.rsplit(" ", 1) for line in told)
    assert fresh[done if done != "dora" else "dora <b>"] == "False"
    assert sum(value == "False" for value in fresh.values()) < 6
    assert points_of(run.results(tmp_path / "out")) == EXPECTED


@pytest.mark.slow
def test_a_killed_run_leaves_no_process_and_no_copy(handed_in, tmp_path):
    script, place = tmp_path / "class.py", tmp_path / "tmp"
    script.write_text(CLASS)
    place.mkdir()
    command = [sys.executable, str(script), str(handed_in), str(tmp_path / "out"), SANDBOX]
    environment = os.environ | {"TMPDIR": str(place)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as main:
        assert main.stdout.readline()  # the first notebook is graded, the next one has begun
        below = psutil.Process(main.pid).children(recursive=True)
        main.kill()
    assert below
    _, left = psutil.wait_procs(below, timeout=60)
    assert [process for process in left if process.status() != psutil.STATUS_ZOMBIE] == []
    assert list(place.iterdir()) == []


# A process that makes a copy, and goes on
COPY = """
import time
from siamese_course.grading import run
print(run.copy_for("limits"), flush=True)
time.sleep(600)
"""


def test_a_copy_that_submissions_can_write_to_is_deleted_after_kill_9():
    with subprocess.Popen([sys.executable, "-c", COPY], stdout=subprocess.PIPE, text=True) as main:
        copy = Path(main.stdout.readline().strip())
        assert (copy / "siamese_course").is_dir()
        main.kill()
    for _ in range(300):
        if not copy.exists():
            return
        time.sleep(0.1)
    pytest.fail(f"{copy} is left")


# A system without limits on processes, as Windows is
NO_LIMITS = """
import sys
import psutil  # needs them, except on Windows
sys.modules["resource"] = None
from siamese_course.grading import reading, run
assert reading.SECONDS and run.settings
reading.main()
"""


def test_release_and_check_work_where_the_system_has_no_limits():
    text = notebook_of(distance=DISTANCE.format(RIGHT))
    command = [sys.executable, "-c", NO_LIMITS, f"{NAME}.ipynb"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["name"] == NAME


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("A" * 250_000_000, None),
        ("A" * 250_000_000, -200),
        (["loss: 0.5 val: 0.5\n"] * 10**7, None),
    ],
    ids=["image", "truncated", "lines"],
)
def test_250_mb_of_outputs_are_read_with_bounded_memory(text, end):
    """Reading has a limit of memory; a character beyond Latin-1 makes Python's text four times as long."""
    made = cells.with_answers(NAME, {"distance": DISTANCE.format(RIGHT)})
    *_, last = (cell for cell in made["cells"] if cell["cell_type"] == "code")
    shown = {"text/html": text, "text/plain": "🦦"}
    last["outputs"] = [{"output_type": "display_data", "data": shown, "metadata": {}}]
    data = json.dumps(made, ensure_ascii=False).encode()[:end]
    plan = reading.read(data, f"{NAME}.ipynb")
    assert plan.exercises["distance"].begun
    assert len(json.dumps(plan.notebook)) < 1_000_000
