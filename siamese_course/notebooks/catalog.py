"""The notebooks of the course: their names, their files, and where their exercises are."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.quiet import quiet_stderr
from siamese_course.runtime.shipped import shipped

if TYPE_CHECKING:
    from siamese_course.exercises.engine import Exercise

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
SOLUTIONS = NOTEBOOKS / "solutions"
SOURCES = NOTEBOOKS / "source"


def in_repository() -> bool:
    """Whether the course runs from its repository, and not from an installed wheel."""
    return SOURCES.is_dir()


def require_repository() -> None:
    """Refuse what only the repository has files for.

    Raises:
        CourseError: the course was installed from a wheel.
    """
    if not in_repository():
        raise CourseError(
            "This needs the repository of the course: clone it, and install it there with pip install -e."
        )


@dataclass(frozen=True)
class Entry:
    """One notebook: its name, and the module that lists its exercises."""

    name: str
    module: str

    @property
    def number(self) -> str:
        """The two digits that the name begins with."""
        return self.name[:2]

    @property
    def source(self) -> Path:
        """The script that the notebook is built from."""
        return SOURCES / f"{self.name}.py"

    @property
    def learner(self) -> Path:
        """The learner's notebook as it is handed out and graded against: inside the package."""
        return shipped("notebooks") / f"{self.name}.ipynb"

    @property
    def working(self) -> Path:
        """The repository's copy of it, for people to work in."""
        return NOTEBOOKS / f"{self.name}.ipynb"

    @property
    def solution(self) -> Path:
        """The solution notebook, with its outputs."""
        return SOLUTIONS / f"{self.name}.ipynb"

    def exercises(self) -> dict[str, Exercise]:
        """The exercises by their short names; loads Keras, and Trax for notebook 02."""
        with quiet_stderr():
            found = import_module(self.module).EXERCISES
        return {exercise.name.split(".")[1]: exercise for exercise in found}


CATALOG = (
    Entry("01_mnist_contrastive", "siamese_course.exercises.mnist_contrastive"),
    Entry("02_quora_triplet", "siamese_course.exercises.quora_triplet"),
    Entry("03_sbert_roberta", "siamese_course.exercises.sbert_roberta"),
    Entry("04_omniglot_one_shot", "siamese_course.exercises.omniglot_one_shot"),
)
NAMES = tuple(entry.name for entry in CATALOG)
BY_NAME = {entry.name: entry for entry in CATALOG}
