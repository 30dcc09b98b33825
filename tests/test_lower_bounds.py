"""The course runs on the oldest versions that it declares: every direct dependency at its lower bound."""

import os
import subprocess
import sys

import pytest

from siamese_course.notebooks.catalog import CATALOG, SOLUTIONS
from tests.conftest import ROOT, skip_without_registry
from tools.platforms import lower_bounds

UNIT_TESTS = ["tests/test_losses.py", "tests/backbones", "tests/models", "tests/exercises"]


def install_lower_bounds(folder):
    """Return the interpreter of an environment at the lower bounds, with the course and pytest in it."""
    bounds = folder / "bounds.txt"
    # Newer ones of pyarrow, which jupyter-scatter brings, refuse NumPy 1
    bounds.write_text("\n".join([*lower_bounds(), "pyarrow<22"]))
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "-q", "--python", sys.executable, folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    install = [*uv, "pip", "install", "-q", "--python", python, "--constraints", bounds]
    tools = ["pytest", "pytest-timeout", "filelock"]
    run = subprocess.run(
        [*install, "--resolution", "lowest-direct", "-e", f"{ROOT}[lab]"],
        capture_output=True,
        text=True,
    )
    skip_without_registry(run.stderr)
    assert run.returncode == 0, run.stderr
    subprocess.run([*install, *tools], check=True)
    return python


# One test, since two would run in two processes, and each would install 3 GB. It takes as long as a quarter of the slow
# tests, and what it checks is a promise of a release: its declared dependencies
@pytest.mark.release
@pytest.mark.timeout(3000)
@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="TensorFlow 2.16 has no wheels for the newest Python"
)
def test_the_notebooks_and_the_unit_tests_pass_on_the_lower_bounds(tmp_path):
    python = install_lower_bounds(tmp_path)
    variables = {"SIAMESE_COURSE_BUDGET": "smoke", "SIAMESE_COURSE_DATA": "shipped"}
    command = [python, "-m", "siamese_course.cli", "run", SOLUTIONS, "--out", tmp_path / "build"]
    run = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.count("100/100") == len(CATALOG)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *UNIT_TESTS]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]
