"""Imports point one way, and are cheap where they can be."""

import subprocess
import sys

import pytest

from siamese_course.notebooks.catalog import CATALOG
from tests.conftest import ROOT


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_the_contracts_of_pyproject_hold():
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as main; main()",
    ]
    done = subprocess.run(
        [*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


FRAMEWORKS = {"tensorflow", "jax", "keras", "torch", "trax", "sklearn", "matplotlib", "pandas"}


@pytest.mark.parametrize("module", ["siamese_course", "siamese_course.cli.main"])
def test_importing_the_package_loads_no_framework(module):
    assert loaded_by(f"import {module}") & (FRAMEWORKS | {"numpy", "nbgrader"}) == set()


@pytest.mark.slow
def test_the_learners_modules_import_no_tool_of_instructors_or_developers():
    modules = [entry.module for entry in CATALOG]
    modules += [f"siamese_course.training.{name}" for name in ("images", "questions", "sentences")]
    modules += ["siamese_course.notebooks.run", "siamese_course.cli.main"]
    found = loaded_by(f"import {', '.join(modules)}")
    assert found & {"nbgrader", "jupytext", "nbval", "pytest"} == set()
