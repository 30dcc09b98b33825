"""What a learner waits for: installation, imports, and the notebooks from start to end."""

import importlib
import os
import subprocess
import tempfile
import time
from pathlib import Path


def import_course(module: str, beside: str) -> dict:
    """Seconds to import a module of the course, in this fresh process."""
    return import_seconds(module)


def import_beside(module: str, beside: str) -> dict:
    """Seconds to import what it stands on, or a peer, in this fresh process."""
    return import_seconds(beside)


def import_seconds(modules: str) -> dict:
    """From the first line to the last; several are separated by " + "."""
    started = time.perf_counter()
    for module in modules.split(" + "):
        importlib.import_module(module)
    return {"seconds": time.perf_counter() - started}


def installation() -> dict:
    """Seconds to clone this repository, and to install into a new environment what the notebooks need."""
    root = Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        started = time.perf_counter()
        subprocess.run(["git", "clone", "-q", str(root), str(clone)], check=True)
        subprocess.run(["make", ".venv/.stamp-lab"], cwd=clone, check=True, stdout=subprocess.PIPE)
        return {"seconds": time.perf_counter() - started}


def notebook(name: str, budget: str) -> dict:
    """Seconds and peak memory of a solution notebook.

    Raises:
        RuntimeError: it stopped early.
    """
    os.environ["SIAMESE_COURSE_BUDGET"] = budget
    from siamese_course.notebooks.catalog import SOLUTIONS
    from siamese_course.notebooks.run import run_notebooks

    (path,) = SOLUTIONS.glob(f"{name}_*.ipynb")
    with tempfile.TemporaryDirectory() as folder:
        (report,) = run_notebooks([path], Path(folder))
    if report.error:
        raise RuntimeError(f"{path.name} stopped early: {report.error}")
    return {
        "seconds": report.seconds,
        "GiB": report.peak_bytes / 2**30,
        "points": report.points,
        "of points": report.max_points,
    }
