"""Tables of one's own, of every format, and collections of texts."""

import zlib
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from siamese_course.runtime.errors import DataError
from siamese_course.sources.sentence_tables import delimiter_of, read_rows
from siamese_course.sources.tables import text_lines

RECORDS = ("jsonl", "ndjson", "parquet")
"""Tables that pandas reads; of text files the course's own readers name the line of an error."""
TABLES = ("tsv", "csv", *RECORDS)
SPREADSHEETS = ("xlsx", "xls", "ods", "numbers")


def suffix_of(path: Path) -> str:
    """Return the kind of a table: tsv, csv, ...; .gz around it makes no difference."""
    return path.name.lower().removesuffix(".gz").rpartition(".")[2]


def require_table(path: Path) -> None:
    """Require a name of a table; a name without a suffix, or with .txt, may be one.

    Raises:
        DataError: the file is something else by its name.
    """
    if "." in path.name and suffix_of(path) not in ("txt", *TABLES):
        raise DataError(
            f"{path} is no table: expected {', '.join(f'.{kind}' for kind in TABLES)}. "
            "Save Excel files as .csv."
        )


def require_lines(path: Path) -> None:
    """Require a text file with one item a line, not a table.

    Raises:
        DataError: by its name, the file is a table.
    """
    if suffix_of(path) in SPREADSHEETS:
        require_table(path)
    if suffix_of(path) in TABLES:
        raise DataError(f"{path} is a table; name the column that holds the texts with --column.")


def to_texts(column: Sequence[Any]) -> list[str]:
    """Return the values of a column as strings."""
    return [str(value) for value in column]


def to_numbers(path: Path, name: str, values: Sequence[Any]) -> np.ndarray:
    """Return the values of a column as numbers.

    Raises:
        DataError: a value is none.
    """
    try:
        return np.array([float(value) for value in values])
    except (TypeError, ValueError) as error:
        raise DataError(f"{path}: {name} must be a number ({error}).") from error


def read_table(path: Path | str, columns: Sequence[str]) -> list[list[Any]]:
    """Return columns of a table, by name: n values each.

    Raises:
        DataError: the file cannot be read, or a column is missing or has empty cells.
    """
    import pandas as pd

    path = Path(path)
    require_table(path)
    suffix, separator, header = suffix_of(path), "", None
    try:
        if suffix == "parquet":
            table = pd.read_parquet(path)
        elif suffix in ("jsonl", "ndjson"):
            table = pd.read_json(
                path, lines=True, dtype=False, convert_dates=False, encoding="utf-8-sig"
            )
        else:
            separator = delimiter_of(path, "," if suffix == "csv" else "\t")
            rows = read_rows(path)
            header = [cell.strip(' "') for cell in next(rows, (1, [""]))[1]]
            if separator != "\t":
                deque(rows, maxlen=0)  # unlike pandas, it refuses quotes that do not match
            table = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    except ImportError as error:
        raise DataError(f"Parquet files need pyarrow: pip install pyarrow ({error}).") from error
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise DataError(
            f"{path} cannot be read as a table: {' '.join(str(error).split())}."
        ) from error
    # pandas takes the first cell of rows that are too long as their name
    if suffix not in RECORDS and not isinstance(table.index, pd.RangeIndex):
        raise DataError(
            f"{path}: rows have more columns than the first line. Quote texts that hold a comma."
        )
    table.columns = [str(name).strip().lower() for name in table.columns]
    # pandas gives a second column of a name another one
    names = [name.lower() for name in header or table.columns]
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise DataError(
            f"{path} has the columns {', '.join(table.columns)}; missing: {', '.join(missing)}."
        )
    if twice := [name for name in columns if names.count(name) > 1]:
        raise DataError(f"{path} has more than one column {twice[0]}.")
    found = []
    for name in columns:
        values = table[name].tolist()
        for row, value in enumerate(values, 1):
            if isinstance(value, list | dict | bytes | np.ndarray):
                raise DataError(f"{path}, row {row}: {name} is a {type(value).__name__}.")
            if pd.isna(value) or not str(value).strip():
                raise DataError(f"{path}, row {row}: {name} is empty.")
            if separator == "\t" and "\n" in value:
                raise DataError(
                    f"{path}, row {row}: {name} takes several lines. Is a quotation mark unclosed?"
                )
        found.append(values)
    if not found[0]:
        raise DataError(f"{path} holds no row.")
    return found


def read_texts(path: Path | str, column: str | None = None) -> list[str]:
    """Read a collection of texts: the lines of a text file, or a column of a table.

    Raises:
        DataError: the file cannot be read, or is empty, or the column is missing.
    """
    path = Path(path)
    if column:
        return to_texts(read_table(path, [column.lower()])[0])
    require_lines(path)
    texts = [text for _, line in text_lines(path) if (text := line.strip())]
    if not texts:
        raise DataError(f"{path} holds no text.")
    return texts
