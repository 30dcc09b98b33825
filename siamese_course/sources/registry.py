"""The registry: address, size, hash, license and citation of every data set, read from registry.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from siamese_course.runtime.errors import CourseError


@dataclass(frozen=True)
class RemoteFile:
    """A published file: its addresses (official first), size in bytes and sha256 where published."""

    name: str
    urls: tuple[str, ...]
    size: int | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class LocalFile:
    """A file of a course data directory, plain or .gz: its sha256, the structure to check, or both.

    ``structure`` is ``csv``, ``tsv``, ``npz``, ``zip``, ``idx`` or ``text``. ``rows`` is what the reference
    copy holds; a subset is allowed, so verifying reports the count and does not require it.
    """

    path: str
    sha256: str | None = None
    structure: str | None = None
    columns: int | None = None
    rows: int | None = None
    optional: bool = False


@dataclass(frozen=True)
class DataSet:
    """One data set, in its published form (``files``) and as unpacked files (``local``).

    ``on_request``: too large for a loader to download; ``siamese-course data fetch`` does.
    ``complete``: all of it ships, so the loader reads nothing else.
    """

    name: str
    title: str
    license: str
    citation: str
    files: tuple[RemoteFile, ...]
    local: tuple[LocalFile, ...]
    folder: str
    shipped: str | None = None
    on_request: bool = False
    complete: bool = False

    def file(self, name: str) -> RemoteFile:
        """Return the published file of that name."""
        return next(file for file in self.files if file.name == name)


def _dataset(name: str, entry: dict[str, Any]) -> DataSet:
    entry = dict(entry)
    remote = [RemoteFile(**{**file, "urls": tuple(file["urls"])}) for file in entry.pop("files")]
    local = [LocalFile(**file) for file in entry.pop("local", [])]
    if not local:  # the published files themselves, unless they are archives to unpack
        local = [
            LocalFile(file.name, file.sha256, structure="idx" if "-idx" in file.name else None)
            for file in remote
            if not is_archive(file.name)
        ]
    entry.setdefault("folder", name)
    return DataSet(name=name, files=tuple(remote), local=tuple(local), **entry)


def is_archive(name: str) -> bool:
    """Whether a file of that name holds other files."""
    return name.endswith((".zip", ".tar.gz", ".tgz"))


@cache
def registry() -> dict[str, DataSet]:
    """Return every data set by name."""
    text = files("siamese_course.sources").joinpath("registry.toml").read_text(encoding="utf-8")
    return {name: _dataset(name, entry) for name, entry in tomllib.loads(text).items()}


def dataset(name: str) -> DataSet:
    """Return the data set of that name.

    Raises:
        CourseError: there is none.
    """
    try:
        return registry()[name]
    except KeyError:
        known = ", ".join(registry())
        raise CourseError(f"There is no data set {name!r}. Known: {known}.") from None
