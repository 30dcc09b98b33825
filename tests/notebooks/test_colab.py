"""Colab, as closely as it can be tested here: a notebook alone, whose first cell installs the course.

An empty virtual environment replaces the new machine; links to the packages that pyproject.toml declares, and to
no others, replace those that Colab brings or pip downloads; a small ``google.colab`` replaces Colab's own; a proxy
that refuses replaces the network, which is not needed.
"""

import json
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from siamese_course.notebooks import run as running
from siamese_course.notebooks.catalog import NAMES, NOTEBOOKS, ROOT, SOLUTIONS
from tests.conftest import skip_without_registry

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REFUSED = "http://127.0.0.1:9"

COLAB = tomllib.loads((Path(__file__).parent / "colab.toml").read_text("utf-8"))
# What Colab does not bring, or is not in its list, as traitlets, which IPython brings
ADDED = {"anywidget", "faiss-cpu", "jupyter-scatter", "traitlets", "trax"}

# What startup.py and anywidget call, and what they look at.
STAND_IN = """from types import SimpleNamespace

calls = []
_widgets = SimpleNamespace(_installed_url=None)


def enable_custom_widget_manager():
    calls.append("enable_custom_widget_manager")
    _widgets._installed_url = "manager.js"
"""
WITNESS = """import json
import siamese_course
from google.colab import output
from siamese_course.exercises import progress
from siamese_course.runtime.shipped import shipped

places = [siamese_course.__file__, str(shipped("questions")), str(shipped("presets"))]
print(json.dumps([places, output.calls, repr(progress())]))"""


# --- what the repository states ---


def test_the_declared_ranges_hold_what_colab_brings():
    """So the first cell replaces none of it: a package that Colab has loaded would need a kernel restart."""
    declared = {r.name: r for r in map(Requirement, PROJECT["dependencies"])}
    outside = {n: v for n, v in COLAB["packages"].items() if not declared[n].specifier.contains(v)}
    assert outside == {}
    assert declared.keys() - COLAB["packages"].keys() == ADDED
    python = SpecifierSet(PROJECT["requires-python"])
    assert [version for version in COLAB["pythons"] if not python.contains(version)] == []


@pytest.mark.slow
def test_the_course_installs_over_what_colab_brings_and_replaces_none_of_it(tmp_path):
    """uv finds a solution in which every package that Colab brings keeps its version."""
    brought = tmp_path / "colab.txt"
    brought.write_text("\n".join(f"{name}=={v}" for name, v in COLAB["packages"].items()))
    for python in COLAB["pythons"][:1]:  # the list of packages is that of Python 3.12
        command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--quiet"]
        command += ["--constraints", brought, "--python-version", python]
        command += ["--python-platform", "x86_64-manylinux_2_28"]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        skip_without_registry(run.stderr)
        assert run.returncode == 0, run.stderr
        assert f"tensorflow=={COLAB['packages']['tensorflow']}" in run.stdout


# --- what runs ---


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The course as pip builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT]
    build = subprocess.run(command, capture_output=True, text=True)
    if "No matching distribution found for hatchling" in build.stderr:
        pytest.skip("pip cannot fetch hatchling, which builds the wheel: there is no network")
    assert build.returncode == 0, build.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def packages(tmp_path_factory) -> Path:
    """A folder of links to the declared dependencies, to theirs, and to what runs a notebook.

    It lies outside the environments that use it: pip finds the packages there, and changes none.
    """
    folder = tmp_path_factory.mktemp("packages")
    for dist in closure([*PROJECT["dependencies"], "ipykernel", "pip"]):
        for name in {file.parts[0] for file in dist.files} - {"..", "__pycache__"}:
            if not (folder / name).exists():
                (folder / name).symlink_to(dist.locate_file(name))
    return folder


def closure(lines: Iterable[str]) -> Iterator[Distribution]:
    """The installed distributions that these requirements ask for, directly or not."""
    todo, seen = [(Requirement(line), "") for line in lines], set()
    while todo:
        wanted, extra = todo.pop()
        if wanted.marker and not wanted.marker.evaluate({"extra": extra}):
            continue
        for chosen in {"", *wanted.extras}:
            if (wanted.name, chosen) not in seen:
                seen.add((wanted.name, chosen))
                dist = distribution(wanted.name)
                todo += [(Requirement(line), chosen) for line in dist.requires or []]
                yield dist


@pytest.fixture
def machine(tmp_path, packages, monkeypatch) -> Path:
    """A new environment with Colab's own module, and a kernel that runs in it."""
    environment = tmp_path / "environment"
    venv.create(environment, symlinks=True)
    (site,) = environment.glob("lib/python*/site-packages")
    argv = [f"{environment}/bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel = {"argv": argv, "display_name": "Colab", "language": "python"}
    files = {
        site / "packages.pth": f"{packages}\n{tmp_path / 'colab'}\n",
        tmp_path / "colab/google/colab/output.py": STAND_IN,
        tmp_path / "home/.ipython/profile_default/startup/colab.py": "import google.colab.output",
        tmp_path / "jupyter/kernels/python3/kernel.json": json.dumps(kernel),
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    return environment


def solved(name: str) -> nbformat.NotebookNode:
    """The learner's notebook with every answer in its cell."""
    notebook, answers = (nbformat.read(f / f"{name}.ipynb", 4) for f in (NOTEBOOKS, SOLUTIONS))
    texts = {cell.id: cell.source for cell in answers.cells}
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = texts[cell.id]
    return notebook


@pytest.mark.slow
def test_the_wheel_holds_the_data_and_the_preset(wheel):
    sizes = {f.filename: f.file_size for f in zipfile.ZipFile(wheel).infolist()}
    for name in NAMES:
        assert f"siamese_course/shipped/notebooks/{name}.ipynb" in sizes
    for folder in ("omniglot", "questions", "sentences", "presets/course_roberta_en"):
        for path in (ROOT / "data" / folder).rglob("*"):
            if path.is_file() and path.suffix not in (".py", ".pyc"):
                inside = f"siamese_course/shipped/{path.relative_to(ROOT / 'data')}"
                assert sizes.get(inside) == path.stat().st_size, inside


@pytest.mark.slow
def test_every_command_of_an_installed_wheel_works_or_says_what_it_needs(wheel, machine, tmp_path):
    """In an empty folder, with the packages that the course requires and none of its extras."""
    folder = tmp_path / "empty"
    folder.mkdir()

    def course(*arguments):
        command = [machine / "bin/python", "-m", "siamese_course.cli", *arguments]
        variables = {"HOME": str(tmp_path / "home"), "PATH": os.defpath}
        run = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
        assert "Traceback" not in run.stdout + run.stderr
        return run

    install = [machine / "bin/python", "-m", "pip", "install", "-q", "--no-index", wheel]
    subprocess.run(install, check=True, env={"PATH": os.defpath})
    for arguments in (["copy", "."], ["grade", "release"], ["grade", "check", f"{NAMES[0]}.ipynb"]):
        run = course(*arguments)
        assert (run.returncode, run.stderr) == (0, ""), run.stderr
    assert "Not answered yet: distance" in run.stdout
    for name in NAMES:
        for file in (f"{name}.ipynb", f"class/release/{name}/{name}.ipynb"):
            assert (folder / file).is_file()
    needs = {
        "run": "[lab]",
        "lab": "[lab]",
        "grade report": "[instructor]",
        "notebooks": "repository",
        "publish --github a/b": "repository",
    }
    for command, needed in needs.items():
        run = course(*command.split())
        assert run.returncode == 1
        assert needed in run.stderr


IN_TURN = [
    NAMES[0],
    pytest.param(NAMES[1], marks=pytest.mark.slow),  # with Trax
    *(pytest.param(name, marks=pytest.mark.release) for name in NAMES[2:]),
]


@pytest.mark.parametrize("name", IN_TURN)
def test_a_notebook_alone_installs_the_course_and_every_check_works(name, wheel, machine, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    look = "from importlib.util import find_spec as f; print(bool(f('keras')), f('siamese_course'))"
    command = [machine / "bin/python", "-c", look]
    before = subprocess.run(command, cwd=folder, env={}, capture_output=True, text=True, check=True)
    assert before.stdout == "True None\n"

    notebook = solved(name)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    notebook.cells.append(new_code_cell(WITNESS))
    variables = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.defpath,
        "HTTP_PROXY": REFUSED,
        "HTTPS_PROXY": REFUSED,
        "SIAMESE_COURSE_BUDGET": "smoke",
        "SIAMESE_COURSE_PACKAGE": str(wheel),
    }
    running.execute(notebook, folder, environment=dict.fromkeys(os.environ) | variables)

    assert running.score(notebook) == (100, 100)
    places, calls, points = json.loads(notebook.cells[-1].outputs[-1].text)
    assert [place for place in places if not Path(place).is_relative_to(machine)] == []
    assert "enable_custom_widget_manager" in calls
    assert points.startswith("100 of 400 points")
    assert [path.name for path in folder.iterdir()] == [f"{name}.ipynb"]
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
