"""Find what each learner handed in. Nothing is skipped silently: what cannot be graded has a reason."""

import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
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
            found.append(_left(folder, path, "a file of the system or an editor", False))
        elif path.is_dir() and not path.is_symlink():
            own = list(_below(folder, path))
            if not any(each.matters for each in own):
                reason = "contains no notebook" if own else "is empty"
                own.append(_left(folder, path, f"The folder {reason}."))
            found += own
        else:
            found += _of_file(folder, path)
    if not found:
        raise CourseError(f"{folder} contains no notebook.")
    return found


def learner_of(name: str) -> str:
    """Return the learner of a folder or file directly below the submissions."""
    match = MOODLE.fullmatch(name) or CANVAS.fullmatch(name)
    return clean(f"{match[1]}_{match[2]}" if match else name)


def read_bytes(path: Path, member: str | None) -> bytes:
    """Return the contents of a file, or of a notebook in a .zip.

    Raises:
        CourseError: it cannot be read, or is too large.
    """
    try:
        with zipfile.ZipFile(path).open(member) if member else path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    # what zipfile raises for damaged, encrypted and unknown contents
    except (
        OSError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        RuntimeError,
        NotImplementedError,
        KeyError,
        ValueError,
        EOFError,
    ) as error:
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
                yield _left(folder, path, "Automatic copies of an editor or archive.", False)
            elif path.is_symlink():
                yield _left(folder, path, "This is a link, not a folder.")
        for name in sorted(files):
            yield from _of_file(folder, Path(place, name))


def _left(folder: Path, path: Path, reason: str, matters: bool = True) -> Submission:
    place = path.relative_to(folder)
    top = place.parts[0] if len(place.parts) > 1 or path.is_dir() else path.stem
    return Submission(learner_of(top), clean(place.as_posix()), path, None, reason, matters)


def _of_file(folder: Path, path: Path) -> Iterator[Submission]:
    """Yield a file, or each notebook of a .zip."""
    place, name = path.relative_to(folder), path.name.lower()
    if len(place.parts) > 1:
        learner = learner_of(place.parts[0])
    else:
        stem = path.name[: name.index(".ipynb")] if name.find(".ipynb") > 0 else path.stem
        learner = learner_of(path.name) if CANVAS.fullmatch(path.name) else clean(stem)
    alone = len(place.parts) == 1

    def left(reason: str, matters: bool = True) -> Submission:
        return Submission(learner, clean(place.as_posix()), path, None, reason, matters)

    if path.is_symlink():
        yield left("This is a link, not a file.")
    elif not path.is_file():
        yield left("This is not a file.")
    elif name.startswith("._") or name in (".ds_store", "thumbs.db", "desktop.ini"):
        yield left("A file of the system.", False)
    elif name.endswith(".zip"):
        yield from _of_archive(left, learner, place, path)
    else:
        try:
            with path.open("rb") as stream:
                beginning = stream.read(SNIFFED).replace(b"\0", b"")
        except OSError as error:
            yield left(f"The file cannot be read ({error.strerror}).")
            return
        if ".ipynb" in name or b'"cell_type"' in beginning:
            yield Submission(learner, clean(place.as_posix()), path)
        else:
            yield left("This is not a notebook.", alone)


def _of_archive(left, learner: str, place: Path, path: Path) -> Iterator[Submission]:  # type: ignore[no-untyped-def]
    try:
        with zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        yield left(f"The .zip is damaged ({clean(str(error), 100)}).")
        return
    notebooks = [
        name
        for name in names
        if ".ipynb" in Path(name).name.lower()
        and not Path(name).name.startswith("._")
        and not AUTOMATIC & set(Path(name).parts)
    ]
    if not notebooks or len(notebooks) > MAX_IN_ARCHIVE:
        yield left(f"The .zip contains {len(notebooks)} notebooks; unpack it.")
        return
    for name in sorted(set(notebooks)):
        yield Submission(learner, clean(f"{place.as_posix()}/{name}"), path, name)
