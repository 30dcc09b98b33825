"""Limits on time and memory are kept, and named; what is not the submission's fault costs it nothing."""

import contextlib
import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref

import pytest

from siamese_course.exercises import engine, observe
from siamese_course.exercises.observe import Wrong
from siamese_course.grading import cells, package, reading, run, sandbox, session, wire, worker
from siamese_course.grading.cells import Cell
from siamese_course.grading.sandbox import Ended, Exited, Limit, OverLimit
from siamese_course.grading.submissions import Submission
from siamese_course.notebooks.catalog import NAMES

NAME = NAMES[0]
SANDBOX = "bubblewrap" if shutil.which("bwrap") else "limits"


class Full(sandbox.Sandbox):
    """Its processes use more memory than they may."""

    def __init__(self):
        self.process = None

    def memory(self):
        return sandbox.MEMORY + 1


@contextlib.contextmanager
def sending(pieces):
    """A process that sends one piece of its replies after the other, whatever it is asked."""
    ours, theirs = socket.socketpair()

    def send():
        with contextlib.suppress(OSError):
            for piece in pieces:
                time.sleep(0.02)
                theirs.sendall(piece)

    thread = threading.Thread(target=send)
    thread.start()
    yield sandbox.Process(Full(), ours)
    ours.close()
    thread.join()
    theirs.close()


@pytest.mark.parametrize(
    "pieces",
    [[wire.dumped({})] * 200, [bytes([byte]) for byte in wire.dumped({"value": "x" * 200})]],
    ids=["many values", "byte by byte"],
)
def test_the_memory_of_a_busy_process_is_watched(pieces):
    with sending(pieces) as process, pytest.raises(OverLimit, match="more than 4 GiB"):
        for _ in pieces:
            process.ask({}, [], Limit.after(3))


def test_the_time_of_a_process_is_a_limit():
    with sending([]) as process, pytest.raises(OverLimit, match=r"not finish within 0\.1 seconds"):
        process.ask({}, [], Limit.after(0.1))


class Busy(sandbox.Sandbox):
    """On a machine that is too busy."""

    starts = 0

    def _start(self):
        self.starts += 1
        raise TimeoutError


def test_a_sandbox_that_does_not_start_during_a_check_costs_no_points(tmp_path, monkeypatch):
    """The first one that a check needs: whatever was run before needed none."""
    monkeypatch.setattr(session, "Sandbox", Busy)
    monkeypatch.setattr(session.Session, "run", lambda self, cells: None)
    monkeypatch.setattr(session.Session, "has", lambda self, names: set(names))
    text = "def euclidean_distance(left, right):\n    return left\n"
    plan = reading.plan(NAME, cells.with_answers(NAME, {"distance": text}))
    monkeypatch.setattr(reading, "read", lambda *unused: plan)
    monkeypatch.setattr(run, "copy_for", lambda kind: tmp_path)
    path = tmp_path / "anna.ipynb"
    path.write_text(json.dumps(plan.notebook))
    result = run.grade_job(run.Job(Submission("anna", path.name, path), "", "limits", 1))
    assert "did not start" in result["problem"]
    assert (result["kept"], result["outcomes"]) == (False, [])


def test_a_first_process_that_was_stopped_is_started_again_once(tmp_path):
    busy = Busy("limits", tmp_path)
    with pytest.raises(sandbox.NotStarted, match="did not start"):
        busy.fresh()
    assert busy.starts == 2


def test_what_a_callback_was_given_is_not_kept():
    seen = []

    def fail(values):
        seen.append(weakref.ref(values))
        try:
            raise KeyError
        except KeyError:
            raise ValueError("no") from None

    of = session.Session(sandbox=None)
    of.kept, of.raised = {1: fail}, []
    given = {"t": [{"t": [{"a": ["|u1", [4], 0, "numpy"]}]}, {"d": []}]}
    for number in range(2):
        reply, _ = of._call_back({"number": 1, "arguments": given}, [b"1234"])
        assert reply == {"raised": number}
    assert [each() for each in seen] == [None, None]
    assert [str(each) for each in of.raised] == ["no", "no"]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return package.copy_without_answers(tmp_path_factory.mktemp("course"))


CODE = """
import time

def batches():
    for n in range(600):
        time.sleep(0.1)
        yield n

def calling(function):
    for _ in range(600):
        function(lambda: time.sleep(0.1))

def filling(function):
    for _ in range(600):
        function(bytearray(1 << 20).hex())
"""


@pytest.mark.slow
def test_slow_batches_and_callbacks_reach_a_limit_which_is_named(course):
    """No single batch and no single callback is slow."""
    with contextlib.closing(sandbox.Sandbox(SANDBOX, course)) as place:
        of = session.Session(place, seconds=5)
        of.run([Cell(0, CODE)])
        with pytest.raises(Ended, match=r"not finish within 5 seconds\.$"):
            of.call("calling", (lambda work: work(),), {})
        of.start()
        of.limit = Limit.after(5, session.OF_EXERCISE)
        with pytest.raises(Ended, match=r"within 5 seconds \(the limit for an exercise\)\.$"):
            list(of.call("batches", (), {}))


def test_a_call_cannot_fill_the_memory_of_the_grader(course):
    """What it sends to the grader's functions may be kept there, to be looked at later."""
    lengths = []
    with contextlib.closing(sandbox.Sandbox(SANDBOX, course)) as place:
        of = session.Session(place)
        of.run([Cell(0, CODE)])
        with pytest.raises(Ended, match="too much for the grader's memory"):
            of.call("filling", (lambda text: lengths.append(len(text)),), {})
    assert 0 < sum(lengths) <= session.MAX_CALLED_BACK


ANSWERS = """
import numpy as np

kept = np.zeros(2)

def reusing(n):
    kept[:] = n
    return kept

def batches():
    for n in range(3):
        yield reusing(n)

def large(n):
    return np.zeros((n, 1024, 1024))

def long(n):
    return ["x" * (n << 20)]

def digits(n):
    return 10**n

def deep(n):
    return [deep(n - 1)] if n else []

def changing(values):
    values.append(10**5000)

def failing(n):
    raise ExceptionGroup("two", [ValueError(n)])
"""


@pytest.fixture(scope="module")
def answers(course):
    with contextlib.closing(sandbox.Sandbox(SANDBOX, course)) as place:
        of = session.Session(place)
        of.run([Cell(0, ANSWERS)])
        yield of
        assert of.starts == 1


@pytest.mark.parametrize(
    ("name", "argument"),
    [("large", 5), ("long", 5), ("deep", 50), ("digits", 5000), ("changing", [])],
)
def test_a_result_that_is_too_large_is_no_crash(name, argument, answers):
    with pytest.raises(Wrong) as caught:
        answers.call(name, (argument,), {})
    assert (str(caught.value), caught.value.tag) == worker.TOO_LARGE
    assert answers.call("large", (1,), {}).shape == (1, 1024, 1024)


def test_a_result_that_is_filled_again_is_named_as_in_the_notebook(answers):
    answers.call("reusing", (1,), {})
    with pytest.raises(Wrong) as caught:
        answers.call("reusing", (2,), {})
    assert (str(caught.value), caught.value.tag) == observe.REUSED_RESULT
    with pytest.raises(Wrong) as caught:
        list(answers.call("batches", (), {}))
    assert (str(caught.value), caught.value.tag) == observe.REUSED


def test_a_group_of_errors_is_an_error_of_the_answers(answers):
    with pytest.raises(Exception, match="two") as caught:
        answers.call("failing", (1,), {})
    assert type(caught.value).__name__ == "ExceptionGroup"


@pytest.mark.parametrize(
    ("ended", "tag"),
    [
        (OverLimit(sandbox.LATE.format("20 seconds")), "stopped"),
        (OverLimit("Your code used more than 4 GiB of memory."), "stopped"),
        (Exited(sandbox.EXITED.format(" (exit status 77)")), "hard_coded"),
        (Ended(session.INTERFERED.format("77")), "hard_coded"),
    ],
    ids=["time", "memory", "exit", "forged"],
)
@pytest.mark.parametrize("in_a_cell", [False, True], ids=["in a call", "in a cell"])
def test_a_limit_is_named_in_the_hidden_check_and_nothing_else(ended, tag, in_a_cell, monkeypatch):
    """Where a cell ends its process, the next call does not find the function."""

    def run_cells(self, cells):
        if in_a_cell:
            self.errors[1] = ended

    def call(self, *unused):
        raise Exited(sandbox.EXITED.format("")) if in_a_cell else ended

    monkeypatch.setattr(session.Session, "run", run_cells)
    monkeypatch.setattr(session.Session, "call", call)
    monkeypatch.setattr(session.Session, "look", call)
    plan = reading.plan(NAME, cells.with_answers(NAME, {}))
    exercise = cells.release(NAME).exercises["distance"]
    parts = [None for _ in exercise.parts]
    right = session.Outcome("distance", exercise.points, exercise.points, "right")
    later, found = session.Session(sandbox=None), session.Checked(right, parts)
    later.errors[0] = OverLimit("of the first check, which the answer passed all the same")
    assert not session.check_hidden(later, plan, exercise, found, [], 1)
    assert (found.outcome.points, found.outcome.tags) == (0, [tag])
    told = str(ended) if tag == "stopped" else engine.HARD_CODED
    assert found.outcome.messages == [told, exercise.help]


# Reads a file with less room than the course gives
READING = """
import resource, sys
from siamese_course.grading import preflight, reading

def endless(data, file):
    while True:
        pass

resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))
{}
reading.main()
"""


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ("", 0),
        ("reading.SECONDS, preflight.check = 1, endless", -signal.SIGXCPU),
        ("preflight.check = lambda data, file: bytes(4 << 30)", 0),
    ],
    ids=["read", "time", "memory"],
)
def test_reading_ends_at_its_limits_and_works_with_lower_ones(change, status):
    data = json.dumps(cells.with_answers(NAME, {})).encode()
    command = [sys.executable, "-c", READING.format(change), f"{NAME}.ipynb"]
    done = subprocess.run(command, input=data, capture_output=True)
    assert done.returncode == status, done.stderr
    assert bool(done.stdout) == (not change)


@pytest.mark.parametrize(
    ("status", "told", "kept"),
    [
        (0, "cannot be read within 30 seconds and 3 GiB of memory", True),
        (-signal.SIGXCPU, "cannot be read within 30 seconds and 3 GiB of memory", True),
        (-signal.SIGKILL, "reading ended with exit status -9: no reason given", False),
        (1, "reading ended with exit status 1: ImportError: no module", False),
    ],
)
def test_only_what_its_limits_end_is_the_fault_of_a_file(status, told, kept, tmp_path, monkeypatch):
    errors = b"Traceback\nImportError: no module\n" if status == 1 else b""
    done = subprocess.CompletedProcess([], status, b"", errors)
    monkeypatch.setattr(reading.subprocess, "run", lambda *unused, **options: done)
    path = tmp_path / "anna.ipynb"
    path.write_text("")
    result = run.grade_job(run.Job(Submission("anna", path.name, path), "", "limits", 1))
    assert told in result["problem"]
    assert result["kept"] == kept


ENDLESS = "    import time\n    time.sleep(600)\n"
DISTANCE = "def euclidean_distance(left, right):\n"
LOSS = "def contrastive_loss(same, embeddings, margin=5.0):\n"


@pytest.mark.slow
def test_an_exercise_that_is_late_costs_the_next_one_nothing(course, monkeypatch):
    monkeypatch.setattr(session, "EXERCISE_SECONDS", 20)
    right = engine.solutions()["01.contrastive_loss"]
    answers = {"distance": DISTANCE + ENDLESS, "contrastive_loss": right}
    plan = reading.plan(NAME, cells.with_answers(NAME, answers))
    late, loss, *_ = session.grade_notebook(plan, SANDBOX, course, 1, seconds=60)
    assert late.status == "stopped"
    assert "within 20 seconds (the limit for an exercise)" in late.messages[0]
    assert (loss.status, loss.points) == ("right", loss.max_points)


@pytest.mark.slow
def test_the_limit_of_a_notebook_is_named_where_it_is_reached(course, monkeypatch):
    """Also in the hidden check of a right answer, which comes too late."""
    monkeypatch.setattr(session, "NOTEBOOK_SECONDS", 40)
    answers = {"distance": engine.solutions()["01.distance"], "contrastive_loss": LOSS + ENDLESS}
    plan = reading.plan(NAME, cells.with_answers(NAME, answers))
    right, late, *_ = session.grade_notebook(plan, SANDBOX, course, 1, seconds=60)
    for each in (right, late):
        assert (each.points, each.tags) == (0, ["stopped"])
        assert each.messages[0] == sandbox.LATE.format("40 seconds (the limit for a notebook)")
