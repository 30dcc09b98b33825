"""Verify the available files: by hash if one is known, else by structure and row count.

A course data directory may hold a file in another form (plain instead of .gz) or a subset of it: then its
hash cannot match, and its structure decides. In the cache, a file must be the published one.
"""

import csv
import gzip
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import pooch

from siamese_course.runtime import settings
from siamese_course.runtime.errors import DataError
from siamese_course.sources.fetch import ARCHIVE_ERRORS, cache_path, pinned, plain_or_gz
from siamese_course.sources.registry import DataSet, LocalFile

# RuntimeError: what zipfile raises for a method of compression or an encryption that it does not know
READ_ERRORS = (
    *(ValueError, OSError, KeyError, RuntimeError, csv.Error, DataError),
    *ARCHIVE_ERRORS,
)

csv.field_size_limit(2**31 - 1)  # the most that a C long of Windows holds


@dataclass(frozen=True)
class Finding:
    """What verifying one file found; ``ok`` is None for an optional file that is missing."""

    path: Path
    ok: bool | None
    how: str


def verify(data: DataSet) -> Iterator[Finding]:
    """Verify every file of a data set, in SIAMESE_COURSE_DATA and in the cache."""
    root = settings.data_directory()
    if root is not None and (root / data.folder).is_dir():
        for file in data.local:
            yield verify_local(root / data.folder, file)
    for published in data.files:
        path = cache_path(data, published)
        if path.exists():
            expected = LocalFile(published.name, published.sha256 or pinned(path))
            yield verify_local(path.parent, expected)


def verify_local(folder: Path, file: LocalFile) -> Finding:
    """Verify one file of a data set's folder."""
    path = plain_or_gz(folder / file.path)
    if path is None:
        return Finding(folder / file.path, None if file.optional else False, "missing")
    why = "no checksum is published"
    if file.sha256:
        if pooch.file_hash(str(path)) == file.sha256:
            return Finding(path, True, "sha256 matches")
        if not file.structure:
            return Finding(path, False, "sha256 does not match")
        why = "sha256 is not the published file's"
    if not file.structure:
        return Finding(path, True, "no checksum is published; the file is there")
    try:
        rows = STRUCTURES[file.structure](path, file)
    except READ_ERRORS as error:
        return Finding(path, False, f"structure: {error}")
    subset = f" of {file.rows:,}" if file.rows and rows != file.rows else ""
    return Finding(path, True, f"structure, {rows:,}{subset} rows ({why})")


def _open_text(path: Path) -> TextIO:
    opener = gzip.open if path.suffix == ".gz" else open
    return opener(path, "rt", encoding="utf-8", newline="")


def _table_rows(path: Path, file: LocalFile) -> int:
    """Count the rows of a csv or tsv file, each with the right number of columns."""
    delimiter = "\t" if file.structure == "tsv" else ","
    rows = 0
    with _open_text(path) as stream:
        for number, row in enumerate(csv.reader(stream, delimiter=delimiter), start=1):
            if len(row) != file.columns:
                raise ValueError(f"row {number} has {len(row)} columns, not {file.columns}")
            is_header = number == 1 and row[0] in ("id", "Sentence1")
            rows += not is_header
    return rows


def _npz_rows(path: Path, file: LocalFile) -> int:
    with np.load(path, allow_pickle=False) as arrays:
        return len(arrays["images"])


def _zip_rows(path: Path, file: LocalFile) -> int:
    with zipfile.ZipFile(path) as content:
        if broken := content.testzip():
            raise ValueError(f"{broken} is damaged")
        return len({name.split("/")[0] for name in content.namelist()})


def _idx_rows(path: Path, file: LocalFile) -> int:
    from siamese_course.datasets.mnist import read_idx

    return len(read_idx(path))


def _text_rows(path: Path, file: LocalFile) -> int:
    with _open_text(path) as stream:
        return sum(1 for _ in stream)


STRUCTURES = {
    "csv": _table_rows,
    "tsv": _table_rows,
    "npz": _npz_rows,
    "zip": _zip_rows,
    "idx": _idx_rows,
    "text": _text_rows,
}
