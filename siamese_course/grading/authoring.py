"""The instructor's side, on nbgrader: make the notebooks, and grade them.

The only module that imports nbgrader (and jupytext): a learner's installation needs neither.
"""

import hashlib
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import jupytext
import nbformat
from nbgrader import preprocessors
from nbgrader.api import MissingEntry
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from siamese_course.notebooks.run import (
    NOTEBOOKS,
    ROOT,
    SOLUTIONS,
    SOURCES,
    cell_bar,
    execute,
    figures,
    tidy_outputs,
)

STUB = '# YOUR CODE HERE\nraise NotImplementedError("not attempted")'
MARK = re.compile(r"^[ \t]*### (BEGIN|END) SOLUTION[ \t]*\n?", re.MULTILINE)
ADDRESS = re.compile(r"(?<=https://colab\.research\.google\.com/github/)[^)\s]+?(?=/notebooks/)")
SOLUTION_TEXTS = ROOT / "siamese_course" / "exercises" / "solutions.json"

README_PICTURES = {"scatter"}

# The one setting in which solution notebooks are executed and nbval checks them.
STORED_SETTING = {
    "SIAMESE_COURSE_DATA": "shipped",
    "SIAMESE_COURSE_BUDGET": "course",
    "KERAS_BACKEND": "tensorflow",
    "SIAMESE_COURSE_PROGRESS": str(ROOT / "build" / "progress.json"),
}
EXERCISE_MODULES = {
    "01": "siamese_course.exercises.mnist",
    "02": "siamese_course.exercises.quora",
    "03": "siamese_course.exercises.sentences",
}


def exercises(source: Path) -> dict[str, object]:
    """The exercises of a notebook by their short names."""
    found = import_module(EXERCISE_MODULES[source.name[:2]]).EXERCISES
    return {exercise.name.split(".")[1]: exercise for exercise in found}


def read_source(source: Path):
    """Read a source script as a notebook with nbgrader's metadata.

    ``answer="NAME"`` marks the cell with a solution, ``check="NAME"`` the graded cell; points come from
    the exercise itself. ``{{github}}`` and the like are filled in from pyproject.toml.
    """
    text = source.read_text(encoding="utf-8")
    for key, value in {**_address(), "notebook": source.stem}.items():
        text = text.replace("{{" + key + "}}", value)
    notebook = jupytext.reads(text, fmt="py:percent")
    known = exercises(source)
    for number, cell in enumerate(notebook.cells):
        cell.id = (
            f"cell-{number:03d}"  # jupytext draws random ones, and the file would never be the same
        )
        answer, check = cell.metadata.pop("answer", None), cell.metadata.pop("check", None)
        if answer:
            cell.metadata["nbgrader"] = _nbgrader(answer.replace(".", "-"), solution=True)
        if check:
            points = known[check].points
            cell.metadata["nbgrader"] = _nbgrader(f"{check}-check", grade=True, points=points)
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "siamese_course": {"source_sha256": hashlib.sha256(text.encode()).hexdigest()},
        }
    )
    nbformat.validate(notebook)
    return notebook


def _address() -> dict[str, str]:
    """Where the course is on GitHub: ``github`` and ``branch``."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["siamese-course"]


def with_address(text: str) -> str:
    """A page with its Colab badges pointed at the address in pyproject.toml."""
    return ADDRESS.sub("{github}/blob/{branch}".format(**_address()), text)


def _nbgrader(grade_id: str, *, grade=False, solution=False, points=None) -> dict:
    settings = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": grade,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    return settings | ({"points": points} if grade else {})


def learner_notebook(source: Path):
    """The learner's notebook: nbgrader takes the solutions out, locks and signs the checks."""
    notebook = read_source(source)
    config = Config()
    config.ClearSolutions.code_stub = {"python": STUB}
    resources: dict = {}
    for step in (
        "LockCells",
        "ClearSolutions",
        "ClearOutput",
        "CheckCellMetadata",
        "ComputeChecksums",
    ):
        notebook, resources = getattr(preprocessors, step)(config=config).preprocess(
            notebook, resources
        )
    return notebook


def solution_notebook(source: Path):
    """The solution notebook, not executed: the same cells with the answers in."""
    notebook = read_source(source)
    for cell in notebook.cells:
        cell.source = MARK.sub("", cell.source)
    return notebook


def solution_texts(sources: Iterable[Path]) -> dict[str, str]:
    """The answers by exercise name, for ``solution()`` in the notebooks."""
    texts: dict[str, list[str]] = {}
    for source in sources:
        for cell in solution_notebook(source).cells:
            settings = cell.metadata.get("nbgrader", {})
            if settings.get("solution"):
                name = f"{source.name[:2]}.{settings['grade_id'].split('-')[0]}"
                texts.setdefault(name, []).append(cell.source)
    return {name: "\n\n\n".join(parts) for name, parts in texts.items()}


def all_sources() -> list[Path]:
    """The sources of all notebooks, in the order of the course."""
    return sorted(SOURCES.glob("*.py"))


def build(names: Iterable[str] = ()) -> list[Path]:
    """Make the learner's and the executed solution notebooks; the only way they are ever written.

    Args:
        names: beginnings of file names, such as "01"; empty for all.

    Returns:
        The files written.
    """
    SOLUTION_TEXTS.write_text(json.dumps(solution_texts(all_sources()), indent=1) + "\n")
    readme = ROOT / "README.md"
    readme.write_text(with_address(readme.read_text("utf-8")), "utf-8")
    written = [SOLUTION_TEXTS, readme]
    for source in all_sources():
        if names and not any(source.name.startswith(name) for name in names):
            continue
        learner = NOTEBOOKS / f"{source.stem}.ipynb"
        _write(learner_notebook(source), learner)
        solution = solution_notebook(source)
        with cell_bar(solution, source.stem) as bar:
            execute(solution, SOLUTIONS, bar.update, STORED_SETTING)
        tidy_outputs(solution)
        _write(solution, SOLUTIONS / learner.name)
        written += [learner, SOLUTIONS / learner.name, *_write_pictures(solution, source)]
    return written


def _write_pictures(solution, source: Path) -> list[Path]:
    """The pictures that the README shows."""
    written = []
    for title, png in figures(solution):
        if title in README_PICTURES:
            path = ROOT / "docs" / "pictures" / f"{source.name[:2]}-{title}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(png)
            written.append(path)
    return written


def _write(notebook, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def autograde(source: Path, submissions: dict[str, Path], folder: Path, seconds: int = 120) -> dict:
    """Grade submissions of one notebook with nbgrader.

    Args:
        source: the notebook's source script.
        submissions: notebook file by learner's name.
        folder: an empty folder for nbgrader's course directory and gradebook.
        seconds: most that a cell may take.

    Returns:
        Points by learner's name.

    Raises:
        RuntimeError: nbgrader could not release the assignment or grade a submission.
    """
    name = source.stem
    config = Config()
    config.CourseDirectory.root = str(folder)
    config.ClearSolutions.code_stub = {"python": STUB}
    config.ExecutePreprocessor.timeout = seconds
    config.Exchange.enabled = False
    _write(read_source(source), folder / "source" / name / f"{name}.ipynb")
    api = NbGraderAPI(config=config)
    with own_programs_first():
        _require(api.generate_assignment(name), f"releasing {name}")
        return {
            learner: _autograde_one(api, name, learner, path, folder)
            for learner, path in submissions.items()
        }


def _autograde_one(api, name: str, learner: str, path: Path, folder: Path) -> float:
    place = folder / "submitted" / learner / name
    place.mkdir(parents=True)
    shutil.copyfile(path, place / f"{name}.ipynb")
    _require(api.autograde(name, learner), f"grading {learner}")
    with api.gradebook as gradebook:
        try:
            return gradebook.find_submission(name, learner).score
        except MissingEntry as error:
            raise RuntimeError(f"nbgrader kept no grade for {learner}") from error


@contextmanager
def own_programs_first() -> Iterator[None]:
    """nbgrader calls ``alembic`` by name: let it find the one beside this Python."""
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _require(outcome: dict, what: str) -> None:
    if not outcome["success"]:
        raise RuntimeError(
            f"nbgrader failed at {what}: {outcome.get('error') or outcome.get('log')}"
        )
