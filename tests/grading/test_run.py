"""A class from the folder that was handed in to the report."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from nbgrader.api import Gradebook

from siamese_course.grading import cells, report, run
from siamese_course.grading.authoring import own_programs_first
from siamese_course.grading.run import Job
from siamese_course.notebooks.catalog import NAMES
from siamese_course.runtime.errors import CourseError

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
    """Five learners: all right, half right, nothing, a broken file, one that ends its process."""
    folder = tmp_path_factory.mktemp("handed_in")
    both = {"distance": DISTANCE.format(RIGHT), "one_shot": VERIFY}
    contents = {
        "anna": notebook_of(**both),
        "ben": notebook_of(distance=DISTANCE.format(SQUARED), one_shot=VERIFY),
        "=cmd()": notebook_of(),
        "dora <b>": "{ this is no notebook",
        "emil": notebook_of(distance="import os\nos._exit(3)", one_shot=VERIFY),
    }
    for learner, content in contents.items():
        (folder / learner).mkdir()
        (folder / learner / f"{NAME}.ipynb").write_text(content)
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
}


@pytest.fixture(scope="module")
def graded(handed_in, tmp_path_factory):
    out = tmp_path_factory.mktemp("class")
    results = run.grade_class(run.collect(handed_in), out, sandbox=SANDBOX, jobs=2)
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
        run.collect(folder),
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
    assert len(rows) == 4 * 7 + 1
    assert sum(float(row["points"]) for row in rows) == 10 + 15 + 15 + 15
    assert {row["learner"] for row in rows} == {"anna", "ben", "'=cmd()", "dora <b>", "emil"}
    (broken,) = [row for row in rows if row["problem"]]
    assert "not a notebook" in broken["problem"]


@pytest.mark.slow
def test_nbgraders_gradebook_has_the_same_points(graded):
    with own_programs_first(), Gradebook(f"sqlite:///{graded[0] / 'gradebook.db'}") as gradebook:
        scores = {s.student.id: s.score for s in gradebook.assignment_submissions(NAME)}
        assert gradebook.find_assignment(NAME).max_score == 100
    assert scores == {"anna": 25, "ben": 15, "=cmd()": 0, "emil": 15}


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
    assert len(pages) == 5
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
    assert "5 notebooks of 5 learners" in overview


def test_folders_for_learners_and_files_of_learners(tmp_path):
    (tmp_path / "anna" / ".ipynb_checkpoints").mkdir(parents=True)
    for name in ("anna/one.ipynb", "anna/.ipynb_checkpoints/one.ipynb", "ben.ipynb", "notes.txt"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "link.ipynb").symlink_to("/etc/passwd")
    assert [(learner, path.name) for learner, path in run.collect(tmp_path)] == [
        ("anna", "one.ipynb"),
        ("ben", "ben.ipynb"),
    ]


def test_an_empty_folder_is_told(tmp_path):
    with pytest.raises(CourseError, match="contains no notebook"):
        run.collect(tmp_path)
    with pytest.raises(CourseError, match="is not a folder"):
        run.collect(tmp_path / "other")


def test_the_seed_is_drawn_once_for_a_class(tmp_path):
    first = run.settings(tmp_path / "a")
    assert run.settings(tmp_path / "a") == first
    assert run.settings(tmp_path / "b") != first


def test_a_key_changes_with_whatever_may_change_a_grade():
    job = Job("anna", "a.ipynb", b"{}", "limits", 1)
    others = [
        Job("anna", "a.ipynb", b"{ }", "limits", 1),
        Job("anna", "a.ipynb", b"{}", "limits", 2),
        Job("anna", "b.ipynb", b"{}", "limits", 1),
    ]
    assert len({job.key, *(other.key for other in others)}) == 4
    assert job.key == Job("ben", "a.ipynb", b"{}", "bubblewrap", 1).key


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", "..", "", "CON\x00", "ü x@y.z", "." * 300]
)
def test_names_of_learners_cannot_leave_the_folder(name, tmp_path):
    path = run.result_path(tmp_path, Job(name, "x.ipynb", b"", "limits", 0))
    assert path.parent.parent == tmp_path / "results"
    assert path.parent.name not in ("", ".", "..")


def test_names_that_look_alike_do_not_meet():
    places = {run.plain_name(name) for name in ("a/b", "a_b", "a:b", "a\\b")}
    assert len(places) == 4


CLASS = """
import sys
from pathlib import Path
from siamese_course.grading import run
if __name__ == "__main__":
    callback = lambda result, fresh: print(result["learner"], fresh, flush=True)
    run.grade_class(run.collect(Path(sys.argv[1])), Path(sys.argv[2]), sandbox=sys.argv[3], jobs=1, callback=callback)
"""


@pytest.mark.full
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
    assert sum(value == "False" for value in fresh.values()) < 5
    assert points_of(run.results(tmp_path / "out")) == EXPECTED
