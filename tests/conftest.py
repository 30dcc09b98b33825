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
    """About how long a long test takes; 0 for all others."""
    if item.path.stem == "test_lower_bounds":
        return 12
    if (
        "executed" in item.fixturenames
    ):  # the tests of a notebook share one execution of five minutes
        return 1
    return 1.5 if item.path.stem in LONG else 0


@pytest.hookimpl(trylast=True)  # when the marks have chosen
def pytest_collection_modifyitems(items):
    """Deal the long tests to the workers, before all others: what takes long must not be what a worker begins last.

    xdist gives each worker one part of the list, all about as long, and later lets idle workers steal from the ends. The
    other tests keep their order, so that few workers make the fixtures of a module.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    groups: dict[str, list] = {}
    for item in items:
        if "executed" in item.fixturenames:
            item.add_marker(pytest.mark.timeout(HUNG))
        if minutes(item):
            together = "executed" in item.fixturenames and item.callspec.params["executed"]
            groups.setdefault(together or item.nodeid, []).append(item)
    parts: list[list] = [[] for _ in range(workers)]
    for group in sorted(groups.values(), key=lambda group: sum(map(minutes, group)), reverse=True):
        min(parts, key=lambda part: sum(map(minutes, part))).extend(group)
    others = iter([item for item in items if not minutes(item)])
    for number, part in enumerate(parts):
        room = (len(items) + number) // workers - len(part)
        part.extend(itertools.islice(others, max(0, room)))
    items[:] = [*itertools.chain(*parts), *others]


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
