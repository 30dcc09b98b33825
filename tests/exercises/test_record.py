"""The learner's points over all notebooks."""

import json
import threading

import pytest

from siamese_course import exercises as checks
from siamese_course.exercises import record


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "folder" / "progress.json"
    monkeypatch.setenv("SIAMESE_COURSE_PROGRESS", str(path))
    return path


def test_points_of_all_notebooks_are_added_up(file):
    assert repr(checks.progress()).startswith("0 of 400 points")
    for name, points in (("01.distance", 10), ("01.pairs", 8), ("02.loss", 15), ("03.search", 2.5)):
        record.remember(name, points)
    assert repr(checks.progress()) == (
        "35.5 of 400 points (01 MNIST 18, 02 Quora 15, 03 SBERT 2.5, 04 Omniglot 0)"
    )
    html = checks.progress()._repr_html_()
    assert "35.5 of 400 points" in html
    assert 'aria-label="18 of 100 points"' in html


def test_the_file_may_be_below_the_home_folder(monkeypatch, tmp_path):
    """As SIAMESE_COURSE_DATA and SIAMESE_COURSE_CACHE may."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SIAMESE_COURSE_PROGRESS", "~/points.json")
    assert record.file() == tmp_path / "points.json"


def test_the_most_that_an_exercise_has_had_counts(file):
    for points in (3, 10, 5):
        record.remember("01.distance", points)
    assert record.read() == {"01.distance": 10}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b"\xff\xfe", b'{"01.distance": "x", "01.pairs": 4}']
)
def test_a_damaged_file_is_read_as_far_as_it_goes_and_written_anew(file, content):
    file.parent.mkdir()
    file.write_bytes(content)
    assert set(record.read()) <= {"01.pairs"}
    record.remember("01.distance", 10)
    assert record.read()["01.distance"] == 10


def test_a_crash_while_writing_leaves_the_old_file(file, monkeypatch):
    record.remember("01.distance", 5)
    before = file.read_bytes()

    def crash(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(record.os, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        record.remember("01.distance", 10)
    assert file.read_bytes() == before


def test_where_it_cannot_be_written_it_is_said(file, monkeypatch, capsys):
    file.parent.write_text("a file where a folder should be")
    record.remember("01.distance", 5)
    assert "can't be saved" in capsys.readouterr().err


def test_readers_never_meet_half_a_file(file):
    record.remember("01.distance", 0)
    stop = threading.Event()
    seen = []

    def watch():
        while not stop.is_set():
            seen.append(json.loads(file.read_text()))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    for number in range(200):
        record.remember(f"01.{number}", 1)
    stop.set()
    watcher.join()
    assert len(seen) > 1
    assert len(record.read()) == 201


def test_only_a_notebook_stores_points(file):
    from siamese_course.evaluation import knn_score
    from siamese_course.exercises import mnist_contrastive as exercises

    assert not record.in_notebook()
    assert exercises.knn.check(knn_score).passed
    exercises.knn.solution(show=True)
    assert not file.exists()


def test_nothing_is_kept_where_it_is_off(file, monkeypatch, tmp_path):
    monkeypatch.setenv("SIAMESE_COURSE_PROGRESS", record.OFF)
    monkeypatch.chdir(tmp_path)
    record.remember("01.distance", 5)
    record.remember_shown("01.distance", 10)
    record.reset()
    assert record.read() == {}
    assert not list(tmp_path.iterdir())


def test_progress_names_what_was_solved_after_its_solution_was_shown(file):
    record.remember("01.distance", 10)
    record.remember_shown("01.distance", 10)  # solved before
    record.remember_shown("01.pairs", 20)
    assert "solution" not in repr(checks.progress())
    record.remember("01.pairs", 20)
    told = "Solved after the solution was shown: 01.pairs."
    assert repr(checks.progress()).endswith(told)
    assert told in checks.progress()._repr_html_()
    assert record.read() == {"01.distance": 10, "01.pairs": 20}


def test_one_exercise_or_all_are_reset(file):
    for name in ("01.distance", "01.pairs", "02.loss"):
        record.remember(name, 5)
        record.remember_shown(name, 10)
    record.reset("01.distance")
    assert set(record.read()) == set(record.shown()) == {"01.pairs", "02.loss"}
    checks.reset()
    assert record.read() == {}
    assert record.shown() == []
