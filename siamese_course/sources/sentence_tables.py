"""Tables of sentences: pairs with a score, and triplets, read from files of several layouts.

The *score* of a pair goes from 0 (nothing in common) to 5 (the same meaning).
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np

from siamese_course.runtime.errors import DataError
from siamese_course.sources.tables import Table, malformed, text_lines
from siamese_course.validation import require_numbers

PAIR_COLUMNS = ("score", "sentence1", "sentence2")
STS_COLUMNS = ("genre", "file", "year", "id", *PAIR_COLUMNS)
TRIPLET_COLUMNS = (("sentence1", "sentence2", "sentence3"), ("anchor", "positive", "negative"))
LOWEST_SCORE, HIGHEST_SCORE = 0, 5

Row = tuple[int, list[str]]
"""The number of the row's first line, and its cells."""


@dataclass(frozen=True)
class ScoredPairs(Table):
    """Pairs of sentences, column by column; ``score`` is (n,) float32 from 0 to 5.

    Raises:
        TypeError, ValueError: columns that are not strings or differ in length, scores outside 0 to 5 or NaN.
    """

    sentence1: list[str]
    sentence2: list[str]
    score: np.ndarray

    def __post_init__(self) -> None:
        super().__post_init__()
        rows = len(self)
        score = require_numbers(self.score, "score", (rows,) if rows else None, f"({rows},)")
        if rows and not LOWEST_SCORE <= score.min() <= score.max() <= HIGHEST_SCORE:
            raise ValueError(
                f"score goes from {score.min():g} to {score.max():g}; "
                f"expected {LOWEST_SCORE} to {HIGHEST_SCORE}"
            )
        object.__setattr__(self, "score", score.astype("float32", copy=False))


@dataclass(frozen=True)
class Triplets(Table):
    """Triplets of sentences, column by column, each (n,): the positive belongs to the anchor."""

    anchor: list[str]
    positive: list[str]
    negative: list[str]


def read_scored_pairs(path: Path) -> ScoredPairs:
    """Read sentence pairs with a score; the first line sets the layout.

    The STS benchmark's own files have no header and seven columns: genre, file, year, id, score,
    sentence1, sentence2; the rest is ignored. All other files, GLUE's among them, have a header that
    names sentence1, sentence2 and score, in any order, and maybe others. Where the first line has a tab,
    tabs separate the columns, and a quotation mark is an ordinary character; otherwise the file is csv:
    commas or semicolons, and " around what holds one. White space around a sentence is dropped;
    nothing else changes.

    Args:
        path: plain or .gz, UTF-8.

    Returns:
        Pairs in the order of the file.

    Raises:
        DataError: the file cannot be read, its layout is unknown, there are no scores, or a row is
            malformed: another number of columns, an empty sentence, or a score that is not a number
            from 0 to 5.
    """
    rows = read_rows(path)
    first, header = _first(rows)
    if {"sentence1", "sentence2"} <= set(header) and "score" not in header:
        raise DataError(
            f"{path} has no column 'score'; its columns are {', '.join(header)}. GLUE keeps "
            "the scores of its test.tsv to itself: use train.tsv or dev.tsv."
        )
    if "sentence1" not in header and len(header) >= len(STS_COLUMNS):
        count = len(STS_COLUMNS)
        header = list(STS_COLUMNS)
        rows = ((number, cells[:count]) for number, cells in chain([first], rows))
    wanted = _columns_of(path, first, header, rows, PAIR_COLUMNS)
    pairs = [(*sentences, _score(path, number, score)) for number, (score, *sentences) in wanted]
    if not pairs:
        raise DataError(f"{path} holds no sentence pair.")
    sentence1, sentence2, scores = zip(*pairs, strict=True)
    return ScoredPairs(list(sentence1), list(sentence2), np.array(scores, "float32"))


def read_triplets(path: Path, max_rows: int | None = None) -> Triplets:
    """Read triplets: columns Sentence1 (anchor), Sentence2 (positive) and Sentence3 (negative).

    The header may also name them anchor, positive and negative, and there may be more columns. Tabs or
    csv, as for ``read_scored_pairs``.

    Args:
        path: plain or .gz, UTF-8.
        max_rows: maximum rows to read; None for all.

    Returns:
        Triplets in the order of the file.

    Raises:
        DataError: the file cannot be read, its header differs, or a row is malformed: another
            number of columns than the header, or an empty sentence.
    """
    rows = read_rows(path)
    first, header = _first(rows)
    wanted = _columns_of(path, first, header, rows, *TRIPLET_COLUMNS)
    triplets = [cells for _, cells in islice(wanted, max_rows)]
    if not triplets:
        raise DataError(f"{path} holds no triplet.")
    return Triplets(*map(list, zip(*triplets, strict=True)))


def delimiter_of(path: Path, default: str = ",") -> str:
    """Return what separates the columns, by the first line: a tab, a comma, or a semicolon, as Excel writes in Europe."""
    _, header = next(text_lines(path), (1, ""))
    return next((delimiter for delimiter in "\t,;" if delimiter in header), default)


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file, header included, each with its number; blank lines are skipped.

    Raises:
        DataError: the file cannot be read, or quotes in a csv file do not match.
    """
    delimiter = delimiter_of(path)
    if delimiter == "\t":
        lines = ((number, line.rstrip("\r\n")) for number, line in text_lines(path))
        yield from ((number, line.split("\t")) for number, line in lines if line)
        return
    # Strict, or an open quote silently swallows rows
    reader = csv.reader((line for _, line in text_lines(path)), delimiter=delimiter, strict=True)
    number = 1
    try:
        for cells in reader:
            if cells:
                yield number, cells
            number = reader.line_num + 1
    except csv.Error as error:
        raise malformed(path, number, f"the row that begins here is not csv: {error}") from error


def _first(rows: Iterator[Row]) -> tuple[Row, list[str]]:
    """The first row, and the names of the columns if it is a header."""
    first = next(rows, (1, [""]))
    return first, [cell.strip().lower() for cell in first[1]]


def _columns_of(
    path: Path, first: Row, header: Sequence[str], rows: Iterator[Row], *choices: tuple[str, ...]
) -> Iterator[Row]:
    """The cells of every row in the columns of one of the choices, stripped and not empty."""
    wanted = next((columns for columns in choices if set(columns) <= set(header)), None)
    if wanted is None:
        expected = " or ".join(", ".join(columns) for columns in choices)
        raise DataError(
            f"{path} begins with {' '.join(first[1])[:80]!r}; expected a header with {expected}, "
            "separated by tabs, commas or semicolons."
        )
    if twice := [name for name in wanted if list(header).count(name) > 1]:
        raise DataError(f"{path} has more than one column {twice[0]}.")
    places = [header.index(name) for name in wanted]
    for number, cells in rows:
        if len(cells) != len(header):
            raise malformed(path, number, f"{len(cells)} columns instead of {len(header)}")
        values = [cells[place].strip() for place in places]
        for name, value in zip(wanted, values, strict=True):
            if not value:
                raise malformed(path, number, f"{name} is empty")
        yield number, values


def _score(path: Path, number: int, text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not LOWEST_SCORE <= score <= HIGHEST_SCORE:  # false for NaN too
        expected = f"expected a number from {LOWEST_SCORE} to {HIGHEST_SCORE}"
        raise malformed(path, number, f"the score is {text[:20]!r}; {expected}")
    return score
