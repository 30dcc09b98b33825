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


CORE = ("losses", "evaluation", "search", "plotting", "datasets", "batching", "models", "training")


def test_the_core_has_at_most_5000_lines():
    package = ROOT / "siamese_course"
    files = [package / f"{name}.py" for name in CORE if (package / f"{name}.py").exists()]
    files += [path for name in CORE for path in (package / name).glob("*.py")]
    assert {path.relative_to(package).parts[0].removesuffix(".py") for path in files} == set(CORE)
    assert sum(path.read_text("utf-8").count("\n") for path in files) <= 5_000


FRAMEWORKS = {"tensorflow", "jax", "keras", "torch", "trax", "sklearn", "matplotlib", "pandas"}


@pytest.mark.parametrize("module", ["siamese_course", "siamese_course.cli.main"])
def test_importing_the_package_loads_no_framework(module):
    assert loaded_by(f"import {module}") & (FRAMEWORKS | {"numpy", "nbgrader"}) == set()


@pytest.mark.slow
def test_the_learners_modules_import_no_tool_of_instructors_or_developers():
    modules = [entry.module for entry in CATALOG]
    modules += [f"siamese_course.recipes.{name}" for name in ("images", "questions", "sentences")]
    modules += ["siamese_course.notebooks.run", "siamese_course.cli.main"]
    found = loaded_by(f"import {', '.join(modules)}")
    assert found & {"nbgrader", "jupytext", "nbval", "pytest"} == set()
