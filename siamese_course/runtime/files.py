"""Write files so that an interruption or a full disk leaves no half of one behind."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from siamese_course.runtime.errors import CourseError


def write_whole(path: Path, text: str) -> None:
    """Write a UTF-8 text file completely, or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder inside this one; if all goes well, its contents move up.

    Other files in the folder stay. What it held under the same names is replaced at the end.

    Raises:
        CourseError: the folder cannot be made or written to, or the disk is full.
    """
    made = not folder.exists()
    part = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=".writing-", dir=folder))
        yield part
        for path in list(part.iterdir()):
            target = folder / path.name
            if target.is_dir():
                shutil.rmtree(target)
            os.replace(path, target)
    except OSError as error:
        raise CourseError(
            f"Nothing was saved: {folder} cannot be written to ({error.strerror or error}). "
            "Free some space there, or choose another folder."
        ) from error
    finally:
        if part:
            shutil.rmtree(part, ignore_errors=True)
        if made and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
