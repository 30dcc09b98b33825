"""What all tests share: the backend is quiet, the user's cache is never touched."""

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


@pytest.hookimpl(trylast=True)  # when the marks have chosen
def pytest_collection_modifyitems(items):
    """Whole notebooks come first, then other long tests: what takes long must not be what one worker begins last."""
    items.sort(
        key=lambda item: (
            "executed" not in item.fixturenames,
            item.path.stem not in LONG and item.get_closest_marker("slow") is None,
        )
    )
    # Each of three workers gets a third of the list: the test of ten minutes is the first of the second third
    for item in [item for item in items if item.path.stem == "test_lower_bounds"]:
        items.remove(item)
        items.insert(len(items) // 3, item)
    for item in items:
        if "executed" in item.fixturenames:
            item.add_marker(pytest.mark.timeout(HUNG))


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
