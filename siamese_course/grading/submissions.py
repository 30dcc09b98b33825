"""Find what each learner handed in. Nothing is skipped silently: what cannot be graded has a reason."""

import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from siamese_course.grading.plain import clean
from siamese_course.grading.reading import MAX_FILE_BYTES
from siamese_course.runtime.errors import CourseError

# Folders of editors and archives, with nothing that a learner wrote
AUTOMATIC = {".ipynb_checkpoints", "__MACOSX", ".git", "__pycache__"}
# How Moodle names folders and Canvas names files: the learner's name and number
MOODLE = re.compile(r"(.+?)_(\d+)_assignsubmission_.*")
CANVAS = re.compile(r"([^_]+?)(?:_LATE)?_(\d+)_\d+_.+")
SNIFFED = 1 << 16  # bytes from the beginning of a file that show whether it is a notebook
MAX_IN_ARCHIVE = 20
# What zipfile raises for damaged, encrypted and unknown contents
OF_FORMATS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError)
UNREADABLE = (OSError, RuntimeError, LookupError, ValueError, EOFError, *OF_FORMATS)


@dataclass(frozen=True)
class Submission:
    """A file that a learner handed in.

    Args:
        learner: name of the folder or file, or the name and number that Moodle or Canvas wrote there.
        place: the path below the class's submissions, unique.
        path: the file.
        member: the notebook in it, if it is a .zip.
        reason: why it is not graded; None if it is.
        matters: whether that may be a learner's work.
    """

    learner: str
    place: str
    path: Path
    member: str | None = None
    reason: str | None = None
    matters: bool = True


def collect(folder: Path) -> list[Submission]:
    """Return what is in a folder with one folder or one file per learner.

    Raises:
        CourseError: there is nothing in it.
    """
    if not folder.is_dir():
        raise CourseError(f"{folder} is not a folder.")
    found: list[Submission] = []
    for path in sorted(folder.iterdir()):
        if path.name in AUTOMATIC or (path.name.startswith(".") and path.is_file()):
            found.append(_found(folder, path, "a file of the system or an editor", False))
        elif path.is_dir() and not path.is_symlink():
            own = list(_below(folder, path))
            if not any(each.matters for each in own):
                reason = "contains no notebook" if own else "is empty"
                own.append(_found(folder, path, f"The folder {reason}."))
            found += own
        else:
            found += _of_file(folder, path)
    if not found:
        raise CourseError(f"{folder} contains no notebook.")
    return found


def _learner_of(place: Path, is_folder: bool) -> str:
    """The learner of what is at a place below the submissions."""
    name = place.parts[0]
    match = CANVAS.fullmatch(name)
    if is_folder or len(place.parts) > 1:
        match = MOODLE.fullmatch(name) or match
    elif not match:
        end = name.lower().find(".ipynb")
        name = name[:end] if end > 0 else place.stem
    return clean(f"{match[1]}_{match[2]}" if match else name)


def read_bytes(submission: Submission) -> bytes:
    """Return the contents of a file, or of a notebook in a .zip.

    Raises:
        CourseError: it cannot be read, or is too large.
    """
    path, member = submission.path, submission.member
    try:
        with zipfile.ZipFile(path).open(member) if member else path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except UNREADABLE as error:
        raise CourseError(f"The file cannot be read ({clean(str(error), 100)}).") from None
    if len(data) > MAX_FILE_BYTES:
        raise CourseError(f"The file is larger than {MAX_FILE_BYTES >> 20} MiB.")
    return data


def _below(folder: Path, top: Path) -> Iterator[Submission]:
    for place, folders, files in os.walk(top):
        folders.sort()
        for name in list(folders):
            path = Path(place, name)
            if name in AUTOMATIC:
                folders.remove(name)
                yield _found(folder, path, "Automatic copies of an editor or archive.", False)
            elif path.is_symlink():
                yield _found(folder, path, "This is a link, not a folder.")
        for name in sorted(files):
            yield from _of_file(folder, Path(place, name))


def _found(folder: Path, path: Path, reason: str | None = None, matters: bool = True) -> Submission:
    place = path.relative_to(folder)
    learner = _learner_of(place, path.is_dir())
    return Submission(learner, clean(place.as_posix()), path, None, reason, matters)


def _of_file(folder: Path, path: Path) -> Iterator[Submission]:
    """Yield a file, or each notebook of a .zip."""
    name = path.name.lower()
    if path.is_symlink():
        yield _found(folder, path, "This is a link, not a file.")
    elif not path.is_file():
        yield _found(folder, path, "This is not a file.")
    elif name.startswith("._") or name in (".ds_store", "thumbs.db", "desktop.ini"):
        yield _found(folder, path, "A file of the system.", False)
    elif name.endswith(".zip"):
        yield from _of_archive(folder, path)
    else:
        try:
            with path.open("rb") as stream:
                beginning = stream.read(SNIFFED).replace(b"\0", b"")
        except OSError as error:
            yield _found(folder, path, f"The file cannot be read ({error.strerror}).")
            return
        if ".ipynb" in name or b'"cell_type"' in beginning:
            yield _found(folder, path)
        else:
            yield _found(folder, path, "This is not a notebook.", path.parent == folder)


def _of_archive(folder: Path, path: Path) -> Iterator[Submission]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
    except UNREADABLE as error:
        yield _found(folder, path, f"The .zip is damaged ({clean(str(error), 100)}).")
        return
    notebooks = [
        name
        for name in names
        if ".ipynb" in Path(name).name.lower()
        and not Path(name).name.startswith("._")
        and not AUTOMATIC & set(Path(name).parts)
    ]
    if not notebooks or len(notebooks) > MAX_IN_ARCHIVE:
        yield _found(folder, path, f"The .zip contains {len(notebooks)} notebooks; unpack it.")
        return
    whole = _found(folder, path)
    for name in sorted(set(notebooks)):
        place = clean(f"{path.relative_to(folder).as_posix()}/{name}")
        yield replace(whole, place=place, member=name)
