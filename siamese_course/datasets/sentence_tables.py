"""Tables of sentences: pairs with a score, and triplets, read from files of several layouts.

The *score* of a pair goes from 0 (nothing in common) to 5 (the same meaning).
"""

import csv
import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from siamese_course.runtime.errors import DataError
from siamese_course.validation import require_numbers, require_texts

PAIR_COLUMNS = ("score", "sentence1", "sentence2")
STS_COLUMNS = ("genre", "file", "year", "id", *PAIR_COLUMNS)
TRIPLET_COLUMNS = (("sentence1", "sentence2", "sentence3"), ("anchor", "positive", "negative"))
LOWEST_SCORE, HIGHEST_SCORE = 0, 5

Row = tuple[int, list[str]]
"""The number of the row's first line, and its cells."""


@dataclass(frozen=True)
class ScoredPairs:
    """Pairs of sentences, column by column; ``score`` is (n,) float32 from 0 to 5.

    Raises:
        TypeError, ValueError: columns that are not strings or differ in length, scores outside 0 to 5 or NaN.
    """

    sentence1: list[str]
    sentence2: list[str]
    score: np.ndarray

    def __post_init__(self) -> None:
        rows = _require_columns(self, "sentence1", "sentence2")
        score = require_numbers(self.score, "score", (rows,) if rows else None, f"({rows},)")
        if rows and not LOWEST_SCORE <= score.min() <= score.max() <= HIGHEST_SCORE:
            raise ValueError(
                f"score goes from {score.min():g} to {score.max():g}; "
                f"expected {LOWEST_SCORE} to {HIGHEST_SCORE}"
            )
        object.__setattr__(self, "score", score.astype("float32", copy=False))

    def __len__(self) -> int:
        return len(self.score)

    def take(self, indices: npt.ArrayLike) -> "ScoredPairs":
        """Return the pairs of these row indices, or where a mask is true."""
        rows = _as_indices(indices)
        return ScoredPairs(_at(self.sentence1, rows), _at(self.sentence2, rows), self.score[rows])


@dataclass(frozen=True)
class Triplets:
    """Triplets of sentences, column by column, each (n,): the positive belongs to the anchor.

    Raises:
        TypeError, ValueError: columns that are not strings, or differ in length.
    """

    anchor: list[str]
    positive: list[str]
    negative: list[str]

    def __post_init__(self) -> None:
        _require_columns(self, "anchor", "positive", "negative")

    def __len__(self) -> int:
        return len(self.anchor)

    def take(self, indices: npt.ArrayLike) -> "Triplets":
        """Return the triplets of these row indices, or where a mask is true."""
        rows = _as_indices(indices)
        return Triplets(_at(self.anchor, rows), _at(self.positive, rows), _at(self.negative, rows))


def _require_columns(table: ScoredPairs | Triplets, *names: str) -> int:
    """Make the columns lists of strings, of one length, and return it."""
    rows = None
    for name in names:
        texts = require_texts(getattr(table, name), name, rows)
        object.__setattr__(table, name, texts)
        rows = len(texts)
    return rows or 0


def _as_indices(indices: npt.ArrayLike) -> np.ndarray:
    rows = np.asarray(indices)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(int)


def _at(sentences: list[str], rows: np.ndarray) -> list[str]:
    return [sentences[row] for row in rows]


def read_sts(path: Path) -> ScoredPairs:
    """Read a file of the STS benchmark, in its own layout or in GLUE's; the first line decides.

    Both are tab-separated, and a quotation mark is an ordinary character. The benchmark's own
    files have no header and seven columns: genre, file, year, id, score, sentence1, sentence2; what
    follows is left out. GLUE's have a header that names sentence1, sentence2, score and others.
    White space around a sentence is dropped; nothing else changes.

    Args:
        path: plain or .gz, UTF-8.

    Returns:
        Pairs in the order of the file.

    Raises:
        DataError: the file cannot be read or is in neither layout, it has no scores, or a row is
            malformed: too few columns or more than the header, a score that is not a number from 0
            to 5, an empty sentence.
    """
    rows = tab_rows(path)
    first = next(rows, (1, [""]))
    header = _names(first[1])
    if "sentence1" in header and "sentence2" in header:
        if "score" not in header:
            raise DataError(
                f"{path} has no column 'score'; its columns are {', '.join(header)}. GLUE keeps "
                "the scores of its test.tsv to itself: use train.tsv or dev.tsv."
            )
        return scored_pairs(path, columns_of(path, header, rows, PAIR_COLUMNS))
    if len(header) < len(STS_COLUMNS):
        raise DataError(
            f"{_beginning(path, first)}; expected a header with {', '.join(PAIR_COLUMNS)}, "
            f"or the columns {', '.join(STS_COLUMNS)} without a header, separated by tabs."
        )
    rows = ((number, cells[: len(STS_COLUMNS)]) for number, cells in chain([first], rows))
    return scored_pairs(path, columns_of(path, STS_COLUMNS, rows, PAIR_COLUMNS))


def read_scored_pairs(path: Path) -> ScoredPairs:
    """Read scored pairs with a header that names sentence1, sentence2 and score, in any order.

    Where the first line has a tab the file is read as by ``read_sts``: tab-separated, without
    quoting, the STS benchmark's own files included. Otherwise it is csv: commas or semicolons, and " around
    what holds one.

    Args, returns and raises as ``read_sts``.
    """
    delimiter = delimiter_of(path)
    if delimiter == "\t":
        return read_sts(path)
    rows = _csv_rows(path, delimiter)
    header = header_of(path, rows, PAIR_COLUMNS)
    return scored_pairs(path, columns_of(path, header, rows, PAIR_COLUMNS))


def read_triplets(path: Path, max_rows: int | None = None) -> Triplets:
    """Read triplets: columns Sentence1 (anchor), Sentence2 (positive) and Sentence3 (negative).

    The header may also name them anchor, positive and negative, and there may be more columns.
    Where the first line has a tab the file is tab-separated, without quoting; otherwise it is csv.

    Args:
        path: plain or .gz, UTF-8.
        max_rows: maximum rows to read; None for all.

    Returns:
        Triplets in the order of the file.

    Raises:
        DataError: the file cannot be read, its header is another, or a row is malformed: another
            number of columns than the header, or an empty sentence.
    """
    delimiter = delimiter_of(path)
    rows = tab_rows(path) if delimiter == "\t" else _csv_rows(path, delimiter)
    header = header_of(path, rows, *TRIPLET_COLUMNS)
    wanted = next(columns for columns in TRIPLET_COLUMNS if set(columns) <= set(header))
    triplets = [cells for _, cells in islice(columns_of(path, header, rows, wanted), max_rows)]
    if not triplets:
        raise DataError(f"{path} holds no triplet.")
    return Triplets(*map(list, zip(*triplets, strict=True)))


def _lines(path: Path) -> Iterator[str]:
    """The lines of a plain or .gz file. Only \\n ends one: U+2028 may be inside a sentence."""
    opened = gzip.open if path.suffix == ".gz" else open
    number = 0
    try:
        with opened(path, "rb") as stream:
            for number, line in enumerate(stream, 1):
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise malformed(path, number, f"{error.reason}, not UTF-8. Save it as UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {error}.") from error


def delimiter_of(path: Path, default: str = ",") -> str:
    """Return what separates the columns, by the first line: a tab, a comma, or a semicolon, as Excel writes in Europe."""
    header = next(_lines(path), "")
    return next((delimiter for delimiter in "\t,;" if delimiter in header), default)


def tab_rows(path: Path) -> Iterator[Row]:
    for number, line in enumerate(_lines(path), 1):
        if line := line.rstrip("\r\n"):
            yield number, line.split("\t")


def _csv_rows(path: Path, delimiter: str) -> Iterator[Row]:
    # Strict, or an open quote silently swallows rows
    reader = csv.reader(_lines(path), delimiter=delimiter, strict=True)
    number = 1
    try:
        for cells in reader:
            if cells:
                yield number, cells
            number = reader.line_num + 1
    except csv.Error as error:
        raise malformed(path, number, f"the row that begins here is not csv: {error}") from error


def _names(cells: Sequence[str]) -> list[str]:
    return [cell.strip().lower() for cell in cells]


def header_of(path: Path, rows: Iterator[Row], *choices: tuple[str, ...]) -> list[str]:
    """Return the names in the first row, which must include all of one of the choices."""
    first = next(rows, (1, [""]))
    names = _names(first[1])
    if not any(set(columns) <= set(names) for columns in choices):
        expected = " or ".join(", ".join(columns) for columns in choices)
        raise DataError(
            f"{_beginning(path, first)}; expected a header with {expected}, "
            "separated by tabs, commas or semicolons."
        )
    return names


def columns_of(
    path: Path,
    header: Sequence[str],
    rows: Iterable[Row],
    wanted: Sequence[str],
    optional: Sequence[str] = (),
) -> Iterator[Row]:
    """The wanted cells of every row, stripped, none of them empty but the optional ones."""
    places = [header.index(name) for name in wanted]
    for number, cells in rows:
        if len(cells) != len(header):
            raise malformed(path, number, f"{len(cells)} columns instead of {len(header)}")
        values = [cells[place].strip() for place in places]
        for name, value in zip(wanted, values, strict=True):
            if not value and name not in optional:
                raise malformed(path, number, f"{name} is empty")
        yield number, values


def scored_pairs(path: Path, rows: Iterable[Row]) -> ScoredPairs:
    """Pairs of rows that hold score, sentence1, sentence2."""
    pairs = [(_score(path, number, score), *sentences) for number, (score, *sentences) in rows]
    if not pairs:
        raise DataError(f"{path} holds no sentence pair.")
    scores, sentence1, sentence2 = zip(*pairs, strict=True)
    return ScoredPairs(list(sentence1), list(sentence2), np.array(scores, "float32"))


def _score(path: Path, number: int, text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not LOWEST_SCORE <= score <= HIGHEST_SCORE:  # false for NaN too
        expected = f"expected a number from {LOWEST_SCORE} to {HIGHEST_SCORE}"
        raise malformed(path, number, f"the score is {text[:20]!r}; {expected}")
    return score


def _beginning(path: Path, first: Row) -> str:
    return f"{path} begins with {' '.join(first[1])[:80]!r}"


def malformed(path: Path, number: int, what: str) -> DataError:
    return DataError(f"{path}, line {number}: {what}.")
