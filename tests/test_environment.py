"""The environment files agree with each other."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
import yaml
from packaging.requirements import Requirement

from tests.conftest import ROOT

FIXED = [
    "jupyterlab",
    "tensorflow",
    "keras",
    "keras-hub",
    "trax",
    "matplotlib",
    "nltk",
    "pytest",
    "nbval",
]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def declared(project) -> dict[str, Requirement]:
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    requirements = [Requirement(line) for line in lines]
    return {normal(r.name): r for r in requirements if r.name != "siamese-course"}


@pytest.fixture(scope="module")
def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    here = [r for r in requirements if not r.marker or r.marker.evaluate()]
    return {normal(r.name): str(r.specifier).removeprefix("==") for r in here}


def test_the_fixed_packages_are_declared(declared):
    assert [name for name in FIXED if name not in declared] == []


def test_every_declared_package_is_pinned_inside_its_range(declared, pins):
    outside = {
        name: pins.get(name)
        for name, requirement in declared.items()
        if name not in pins or not requirement.specifier.contains(pins[name])
    }
    assert outside == {}


def test_constraints_hold_no_address(pins):
    assert not re.search(r"https?:|@|file:", (ROOT / "constraints.txt").read_text())


def test_environment_yml_is_python_and_the_learners_set_with_its_pins(project):
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, pip, instructions = environment["dependencies"]
    wanted = Requirement(python.replace("=", "==", 1) + ".*")
    assert all(
        Requirement("python" + project["requires-python"]).specifier.contains(
            s.version.replace("*", "0")
        )
        for s in wanted.specifier
    )
    assert pip == "pip"
    assert instructions == {"pip": ["-c constraints.txt", "-e .[lab]"]}


def test_what_the_models_import_is_declared_without_an_extra(project):
    """A package that another one brings today may be missing at the lower bounds, or tomorrow."""
    declared = {normal(Requirement(line).name) for line in project["dependencies"]}
    provided_by = packages_distributions()
    used = set()
    for folder in ("backbones", "batching", "datasets", "models", "recipes", "sources", "training"):
        for path in (ROOT / "siamese_course" / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    used |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    used.add(str(node.module).split(".")[0])
    used -= {"siamese_course", *sys.stdlib_module_names}
    assert "tokenizers" in used
    missing = {name for name in used if declared.isdisjoint(map(normal, provided_by.get(name, [])))}
    assert missing == set()


def test_the_learners_install_needs_no_instructor_or_developer_tool(project):
    learner = {
        Requirement(line).name
        for line in [*project["dependencies"], *project["optional-dependencies"]["lab"]]
    }
    assert learner.isdisjoint(
        {"nbgrader", "jupytext", "pytest", "pytest-xdist", "nbval", "ruff", "pyyaml"}
    )


def test_the_data_that_ships_goes_into_the_wheel():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    targets = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for folder in ("omniglot", "questions", "sentences"):
        files = {path for path in (ROOT / "data" / folder).iterdir() if path.is_file()}
        listed = {ROOT / source for source in targets if source.startswith(f"data/{folder}/")}
        assert listed == {path for path in files if path.suffix != ".py"}
    assert all(targets[s] == f"siamese_course/shipped/{s.removeprefix('data/')}" for s in targets)
