"""What several commands share: checks of their options, the output folder, reports."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from siamese_course.runtime.errors import CourseError

console = Console()

Seed = Annotated[int, typer.Option(help="of all random numbers", min=0, max=2**32 - 1)]


def require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise a CourseError if the value of an option is not one of the choices."""
    if value not in choices:
        raise CourseError(f"The {name} is {value!r}, and must be one of {', '.join(choices)}.")


def make_folder(out: Path) -> Path:
    """Create the folder that ``--out`` names, and return it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CourseError(f"--out {out} cannot be used as a folder: {error.strerror}.") from error
    return out


def write_json(report: dict, path: Path) -> None:
    """Write a report as indented JSON."""
    path.write_text(json.dumps(report, indent=1) + "\n")
