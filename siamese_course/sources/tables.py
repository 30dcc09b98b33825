"""Tables of texts, column by column, and the lines of the files that hold them."""

import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from siamese_course.runtime.errors import DataError
from siamese_course.validation import require_texts


@dataclass(frozen=True)
class Table:
    """Columns of one length, the first of them a list of strings; the others may be arrays.

    Raises:
        TypeError, ValueError: columns that are not strings, or differ in length.
    """

    def __post_init__(self) -> None:
        rows = None
        for field in fields(self):
            if field.type is not np.ndarray:
                texts = require_texts(getattr(self, field.name), field.name, rows)
                object.__setattr__(self, field.name, texts)
                rows = len(texts)

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def take(self, indices: npt.ArrayLike) -> Self:
        """Return the rows of these indices, or where a mask is true."""
        rows = np.asarray(indices)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(int)
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        taken = {
            name: column[rows] if isinstance(column, np.ndarray) else [column[row] for row in rows]
            for name, column in columns.items()
        }
        return replace(self, **taken)


def malformed(path: Path, line: int, what: str) -> DataError:
    """Return an error that names the line of a file."""
    return DataError(f"{path}, line {line}: {what}.")


def text_lines(path: Path, errors: str = "strict") -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a plain, .gz or .xz file. Only \\n ends one: U+2028 may be inside a sentence.

    Args:
        path: UTF-8, with or without a byte order mark.
        errors: ``replace`` to read bytes that are not UTF-8 as U+FFFD.

    Raises:
        DataError: the file cannot be read, or is not UTF-8.
    """
    openers: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
    opened = openers.get(path.suffix.lower(), open)
    number = 0
    try:
        with opened(path, "rb") as stream:
            for number, line in enumerate(stream, 1):
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8", errors)
    except UnicodeDecodeError as error:
        raise malformed(path, number, f"{error.reason}, not UTF-8. Save it as UTF-8") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise DataError(
            f"{path} cannot be read: {error}. Replace it, or fetch it again."
        ) from error
