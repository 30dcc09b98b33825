"""What all tests share: the backend is quiet, the user's cache is never touched."""

import itertools
import os
import signal
import sys
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("agg")  # for this process only: kernels that tests start draw as a learner's would
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# Test processes share the cores: with threads for all of them in each, k-means takes twice the CPU time
if "PYTEST_XDIST_WORKER" in os.environ:
    for name in ("OMP_NUM", "OPENBLAS_NUM", "TF_NUM_INTRAOP", "TF_NUM_INTEROP"):
        os.environ.setdefault(f"{name}_THREADS", "1")
# Kernels that tests start must not write into the points of the person at the keyboard
os.environ["SIAMESE_COURSE_PROGRESS"] = "off"
# A shell's background jobs ignore Ctrl-C, and so would the processes that the tests start
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
HUNG = 1_800
"""Seconds after which a notebook counts as hung: three at once on two slow cores take up to 900 each."""
LONG = ("test_lab", "test_colab", "test_classes")
"""Modules of tests that take minutes, one of which is part of ``make test``."""
UNIX_ONLY = [
    "cli/test_grade.py",
    "grading/test_cells.py",
    "grading/test_classes.py",
    "grading/test_cluster.py",
    "grading/test_limits.py",
    "grading/test_run.py",
    "grading/test_sandbox.py",
    "submissions/test_answers.py",
    "tools/test_mutants.py",
]
"""Tests of resource limits, forks and alarms, which Windows does not have."""
collect_ignore = UNIX_ONLY if sys.platform == "win32" else []


def skip_without_registry(errors: str) -> None:
    """Skip a test whose uv or pip could not reach the package registry."""
    if any(
        words in errors
        for words in ("Failed to fetch", "error sending request", "Could not connect")
    ):
        pytest.skip("the package registry cannot be reached")


def minutes(item) -> float:
    """About how long a test takes, to begin with the long ones."""
    if item.path.stem == "test_lower_bounds":
        return 12
    if "executed" in item.fixturenames:  # shared by the tests of a notebook
        return 1
    if item.path.stem in LONG:
        return 1.5
    return 0.3 if item.get_closest_marker("slow") else 0.02


@pytest.hookimpl(trylast=True)  # when the marks have chosen
def pytest_collection_modifyitems(items):
    """Deal the tests to the workers, long ones first: what takes long must not be what a worker begins last.

    xdist gives each worker one part of the list, all about as long, and later lets idle workers steal from the ends.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    groups: dict[str, list] = {}
    for item in items:
        together = "executed" in item.fixturenames and item.callspec.params["executed"]
        groups.setdefault(together or item.nodeid, []).append(item)
        if together:
            item.add_marker(pytest.mark.timeout(HUNG))
    room = [(len(items) + worker) // workers for worker in range(workers)]
    load, parts = [0.0] * workers, [[] for _ in range(workers)]
    weights = {name: sum(map(minutes, group)) for name, group in groups.items()}
    for name in sorted(groups, key=weights.__getitem__, reverse=True):
        group = groups[name]
        fits = [n for n in range(workers) if len(parts[n]) + len(group) <= room[n]]
        worker = min(fits or range(workers), key=load.__getitem__)
        parts[worker] += group
        load[worker] += weights[name]
    items[:] = itertools.chain(*parts)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Every test has an empty cache of its own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("SIAMESE_COURSE_CACHE", str(folder))
    return folder


@pytest.fixture
def shipped(monkeypatch):
    """Only the data that comes with the course."""
    monkeypatch.setenv("SIAMESE_COURSE_DATA", "shipped")


@pytest.fixture
def no_data_directory(monkeypatch):
    """No course data directory: the cache and downloads are next."""
    monkeypatch.delenv("SIAMESE_COURSE_DATA", raising=False)


@pytest.fixture
def real_data() -> Path:
    """The course data directory, or skip."""
    value = os.environ.get("SIAMESE_COURSE_DATA", "")
    if not value or value == "shipped":
        pytest.skip("SIAMESE_COURSE_DATA does not point at a course data directory")
    return Path(value)
