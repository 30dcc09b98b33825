"""What several commands share: checks of their options, the output folder, reports."""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import write_whole

console = Console()

CHECKPOINTS = "siamese-course-checkpoints"
"""The folder inside ``--out`` with the checkpoints of a training that was cut off; removed, so never the user's own."""
MODELS = ("classic.keras", "course.keras")
"""What ``train mnist`` and ``train omniglot`` write, one file a recipe."""
SAVED = {
    "images": ("image_encoder.json", "encoder.keras"),
    "questions": ("encoder.json", "encoder.keras", "weights.npz", "vocabulary.json", "sentences"),
    "sentences": ("sentence_encoder.json", "backbone"),
}
"""The files and folders that ``save`` of each kind of encoder writes."""
REPORT = "report.json"
OWN_PRESET = "course_roberta_en"
"""As in models.sentences, which is slow to import."""
TRAINED = (
    "a folder that train wrote (not by train mnist or omniglot), or one of sentence-transformers"
)
"""Help for an encoder that a command reads."""
Out = Annotated[Path, typer.Option(help="folder for the encoder and the report")]
Budget = Annotated[str | None, typer.Option(help="smoke, course or full")]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="continue an interrupted training run; repeat the other options"),
]
Seed = Annotated[int, typer.Option(help="seed of all random numbers", min=0, max=2**32 - 1)]


def require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise a CourseError if the value of an option is not one of the choices."""
    if value not in choices:
        raise CourseError(f"The {name} is {value!r}; expected one of {', '.join(choices)}.")


def require_package(module: str, extra: str) -> None:
    """Raise a CourseError if a module that a command needs is not installed; ``extra`` brings it."""
    if find_spec(module) is None:
        raise CourseError(
            f"{module} is not installed. Install the course with it: "
            f'python -m pip install "siamese-course[{extra}]", or ".[{extra}]" in its repository.'
        )


def require_folder(out: Path, *written: str) -> Path:
    """Require a folder that can be written to, and return it; one that does not exist yet is not left behind.

    Args:
        out: the folder.
        written: the files and folders that training is going to write there, if any. A folder with another file of
            ``encoder.MARKS`` or ``MODELS`` is refused: one encoder would be loaded in the other's place. So is one
            with any of ``written``, but no encoder or checkpoints of an earlier training: they are the user's own.

    Raises:
        CourseError: the folder is refused, or cannot be written to.
    """
    made: list[Path] = []
    try:
        made += [folder for folder in (out, *out.parents) if not folder.exists()]
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out) as stream:
            stream.write(b"0" * 4096)
    except OSError as error:
        raise CourseError(f"{out} cannot be used as a folder: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            for folder in made:
                folder.rmdir()
    if written:
        from siamese_course.models.encoder import MARKS

        marks = [name for name in (*MARKS, *MODELS) if (out / name).is_file()]
        if others := [name for name in marks if name not in written]:
            raise CourseError(
                f"--out {out} holds another kind of encoder ({others[0]}). Choose another folder."
            )
        own = [name for name in written if (out / name).exists()]
        if own and not marks and not (out / CHECKPOINTS).exists():
            raise CourseError(
                f"--out {out} holds {own[0]}, which no training wrote, and which this one would replace. "
                "Choose another folder."
            )
    return out


def checkpoint_folder(out: Path, resume: bool) -> Path:
    """Where a training keeps its checkpoints; those there are removed, unless it resumes."""
    folder = out / CHECKPOINTS
    if not resume:
        shutil.rmtree(folder, ignore_errors=True)
    return folder


@contextmanager
def reports_interrupts(
    out: Path, checkpoints: bool = False, saved: Iterable[str] = ()
) -> Iterator[None]:
    """Say after Ctrl-C what is in the folder: checkpoints, the recipes ``saved`` before, or nothing."""
    try:
        yield
    except KeyboardInterrupt:
        kept = "No encoder was saved; to continue from the last checkpoint, add --resume."
        if not checkpoints:
            names = ", ".join(saved)
            kept = f"{out} holds only: {names}." if names else f"Nothing was saved in {out}."
        print(kept, file=sys.stderr)
        raise


def write_json(report: dict, path: Path) -> None:
    """Write a report as indented JSON."""
    write_whole(path, json.dumps(report, indent=1, allow_nan=False) + "\n")
