"""What several commands share: checks of their options, the output folder, reports."""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import write_whole

console = Console()

Seed = Annotated[int, typer.Option(help="of all random numbers", min=0, max=2**32 - 1)]


def require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise a CourseError if the value of an option is not one of the choices."""
    if value not in choices:
        raise CourseError(f"The {name} is {value!r}, and must be one of {', '.join(choices)}.")


def make_folder(out: Path) -> Path:
    """Create the folder that ``--out`` names, write to it once, and return it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out) as stream:
            stream.write(b"0" * 4096)
    except OSError as error:
        raise CourseError(f"--out {out} cannot be used as a folder: {error.strerror}.") from error
    return out


@contextmanager
def reports_interrupts(out: Path, checkpoints: bool = False) -> Iterator[None]:
    """Say after Ctrl-C what of this training is in the folder: nothing, or checkpoints."""
    try:
        yield
    except KeyboardInterrupt:
        kept = "No encoder was saved; to go on from the last checkpoint, add --resume."
        print(kept if checkpoints else f"Nothing was saved in {out}.", file=sys.stderr)
        raise


def write_json(report: dict, path: Path) -> None:
    """Write a report as indented JSON."""
    write_whole(path, json.dumps(report, indent=1, allow_nan=False) + "\n")
