"""Grade notebooks with nbgrader itself, as an instructor who prefers it would."""

import shutil
from pathlib import Path

import nbformat
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from siamese_course.grading.authoring import STUB, own_programs_first
from siamese_course.notebooks.build import read_source
from siamese_course.notebooks.catalog import Entry


def autograde(
    entry: Entry, submissions: dict[str, Path], folder: Path, execute: bool = True
) -> dict[str, float]:
    """Points by learner's name, from a new course directory and gradebook in the folder.

    Without ``execute``, the outputs are those of the submissions (``nbgrader autograde --no-execute``).
    """
    name = entry.name
    config = Config()
    config.CourseDirectory.root = str(folder)
    config.ClearSolutions.code_stub = {"python": STUB}
    config.ExecutePreprocessor.timeout = 120
    config.Exchange.enabled = False
    config.Execute.enabled = config.ClearOutput.enabled = execute
    source = folder / "source" / name / f"{name}.ipynb"
    source.parent.mkdir(parents=True)
    nbformat.write(read_source(entry), source)
    api, points = NbGraderAPI(config=config), {}
    with own_programs_first():
        require(api.generate_assignment(name))
        for learner, path in submissions.items():
            place = folder / "submitted" / learner / name
            place.mkdir(parents=True)
            shutil.copyfile(path, place / f"{name}.ipynb")
            require(api.autograde(name, learner))
            with api.gradebook as gradebook:
                points[learner] = gradebook.find_submission(name, learner).score
    return points


def require(outcome: dict) -> None:
    assert outcome["success"], outcome.get("error") or outcome.get("log")
