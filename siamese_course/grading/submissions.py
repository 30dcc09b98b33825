"""Find what each learner handed in. Nothing is skipped silently: what cannot be graded has a reason."""

import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
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
# Files that may lie beside a notebook; all others (archives, documents, code) may be work that was not graded
BESIDE = re.compile(r"\.(csv|tsv|txt|md|json|log|png|jpe?g|gif|svg|npy|npz|h5|keras|pkl|whl)$")
NOT_A_NOTEBOOK = "This is not a notebook."
NOT_OWN = "This is in a folder named solutions, as the course's own answers are."
# What zipfile raises for damaged, encrypted and unknown contents
OF_FORMATS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError)
UNREADABLE = (OSError, RuntimeError, LookupError, ValueError, EOFError, *OF_FORMATS)


@dataclass(frozen=True)
class Submission:
    """A file that a learner handed in.

    Args:
        learner: name of the folder or file, or the name and number that Moodle or Canvas wrote there.
        place: the path below the class's submissions, unique; ``clean`` makes it fit to be shown.
        path: the file.
        member: the notebook in it, if it is a .zip.
        reason: why it is not graded; None if it is.
        matters: whether that may be a learner's work.
        system: "moodle" or "canvas", if one of them named the folder or file.
        number: the learner's number there.
    """

    learner: str
    place: str
    path: Path
    member: str | None = None
    reason: str | None = None
    matters: bool = True
    system: str = ""
    number: str = ""


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
    found = [
        replace(each, reason=NOT_OWN, matters=False)
        if each.reason is None and "solutions" in Path(each.place).parts[1:-1]
        else each
        for each in found
    ]
    if not found:
        raise CourseError(f"{folder} contains no notebook.")
    have_work = {each.learner for each in found if each.matters}
    return [
        replace(each, matters=True)
        if each.reason in (NOT_A_NOTEBOOK, NOT_OWN) and each.learner not in have_work
        else each
        for each in found
    ]


def _learner_of(place: Path, is_folder: bool) -> dict[str, str]:
    """The learner of what is at a place below the submissions, and the number in Moodle or Canvas."""
    name = place.parts[0]
    for system, pattern in (("moodle", MOODLE), ("canvas", CANVAS)):
        if match := pattern.fullmatch(name):
            learner = clean(f"{match[1]}_{match[2]}")
            return {"learner": learner, "system": system, "number": match[2]}
    if not is_folder and len(place.parts) == 1:
        end = re.search(r"\.ipynb", name, re.IGNORECASE)
        name = name[: end.start()] if end and end.start() else place.stem
    return {"learner": clean(name)}


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
    errors: list[OSError] = []
    for place, folders, files in os.walk(top, onerror=errors.append):
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
    for error in errors:
        reason = f"The folder cannot be read ({error.strerror})."
        yield _found(folder, Path(error.filename), reason)


def _found(folder: Path, path: Path, reason: str | None = None, matters: bool = True) -> Submission:
    place = path.relative_to(folder)
    whose = _learner_of(place, os.path.isdir(path))
    return Submission(place=place.as_posix(), path=path, reason=reason, matters=matters, **whose)


def _of_file(folder: Path, path: Path) -> Iterator[Submission]:
    """Yield a file, or each notebook of a .zip."""
    name = path.name.lower()
    if os.path.islink(path):  # unlike path.is_symlink(), False where the folder forbids to look
        yield _found(folder, path, "This is a link, not a file.")
    elif not os.path.isfile(path):
        yield _found(folder, path, "This is not a file that can be read.")
    elif _is_of_system(name):
        yield _found(folder, path, "A file of the system.", False)
    elif name.endswith(".zip"):
        yield from _of_archive(folder, path)
    else:
        try:
            with path.open("rb") as stream:
                beginning = stream.read(SNIFFED)
        except OSError as error:
            yield _found(folder, path, f"The file cannot be read ({error.strerror}).")
            return
        if _is_notebook(name, beginning):
            yield _found(folder, path)
        else:
            yield _found(folder, path, NOT_A_NOTEBOOK, not BESIDE.search(name))


def _is_of_system(name: str) -> bool:
    return name.startswith("._") or name in (".ds_store", "thumbs.db", "desktop.ini")


def _is_notebook(name: str, beginning: bytes) -> bool:
    """Whether a file is a notebook, by its name in lower case or by its first bytes."""
    return ".ipynb" in name or b'"cell_type"' in beginning.replace(b"\0", b"")


def _of_archive(folder: Path, path: Path) -> Iterator[Submission]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted({info.filename for info in archive.infolist() if not info.is_dir()})
            names = [name for name in names if not _is_automatic(Path(name))]
            notebooks = [name for name in names if _is_notebook_in(archive, name)]
    except UNREADABLE as error:
        yield _found(folder, path, f"The .zip is damaged ({clean(str(error), 100)}).")
        return
    if not notebooks or len(notebooks) > MAX_IN_ARCHIVE:
        yield _found(folder, path, f"The .zip contains {len(notebooks)} notebooks; unpack it.")
        return
    whole = _found(folder, path)
    for name in names:
        each = replace(whole, place=f"{whole.place}/{name}", member=name)
        if name in notebooks:
            yield each
        else:
            matters = not BESIDE.search(name.lower())
            yield replace(each, reason=NOT_A_NOTEBOOK, matters=matters)


def _is_automatic(place: Path) -> bool:
    """Whether systems and editors add a file to a .zip by themselves."""
    return _is_of_system(place.name.lower()) or bool(AUTOMATIC & set(place.parts))


def _is_notebook_in(archive: zipfile.ZipFile, name: str) -> bool:
    beginning = b""
    with suppress(*UNREADABLE), archive.open(name) as stream:  # the name decides, then
        beginning = stream.read(SNIFFED)
    return _is_notebook(Path(name).name.lower(), beginning)
