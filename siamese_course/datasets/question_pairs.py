"""Question pairs: the file format of Quora's data set, read from any file in it.

``same`` is 1 for a duplicate pair and 0 for a different one: the course's one label convention.
"""

import csv
import gzip
import html
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from siamese_course.runtime.errors import DataError
from siamese_course.validation import require_labels, require_same, require_texts

QUESTION_COLUMNS = ("question1", "question2", "is_duplicate")
ID_COLUMNS = ("id", "qid1", "qid2")
QUORA_COLUMNS = ("id", "qid1", "qid2", "question1", "question2", "is_duplicate")

# Physical lines of a row; a question with more line breaks is a quote that was never closed
MAX_LINES = 20
# Characters of a row; csv refuses a field of more than 131,072
MAX_ROW = 100_000
QUORA_ROW = re.compile(r"\d+\t\d+\t\d+\t")
TOKENIZED_BRACKET = re.compile(r"-[lr][rsc]b-")


class Row(NamedTuple):
    """One pair of a file. ``line`` is the number of its first line; ids are None where it has none."""

    line: int
    id: int | None
    qid1: int | None
    qid2: int | None
    question1: str
    question2: str
    same: int


@dataclass
class ReadingReport:
    """What reading a file found. Nothing is dropped without an entry here."""

    rows: int = 0
    empty_questions: int = 0
    malformed: list[tuple[int, str]] = field(default_factory=list)

    def __str__(self) -> str:
        text = f"{self.rows:,} rows, {self.empty_questions} with an empty question"
        if not self.malformed:
            return f"{text}, none malformed"
        lines = ", ".join(f"line {line} ({why})" for line, why in self.malformed[:5])
        more = ", ..." if len(self.malformed) > 5 else ""
        return f"{text}, {len(self.malformed)} malformed and left out: {lines}{more}"


@dataclass(frozen=True)
class Columns:
    """Where the columns of a file are."""

    count: int
    ids: tuple[int, ...]
    questions: tuple[int, int]
    label: int


def stream_rows(path: Path, report: ReadingReport | None = None) -> Iterator[Row]:
    """Yield the pairs of a file row by row; memory does not grow with the file.

    The file is tab-separated. Its header names question1, question2 and is_duplicate, in any order,
    and maybe others. If qid1 and qid2 are among them, they are the ids of the questions. A field is
    quoted by " where needed, with quotes inside doubled. A question may hold line breaks, quoted or
    not; they become spaces. HTML entities become characters. A row that cannot be read is left out;
    the report holds its line number and the reason.

    Args:
        path: .tsv or .tsv.gz.
        report: filled while reading.

    Raises:
        DataError: a column is missing, or the file cannot be read.
    """
    report = ReadingReport() if report is None else report
    lines = text_lines(path)
    columns = _columns(path, next(lines, (1, ""))[1][:MAX_ROW])
    for number, record in _records(lines, columns, report):
        row = _row(number, record, columns)
        if isinstance(row, str):
            report.malformed.append((number, row))
            continue
        report.rows += 1
        report.empty_questions += not (row.question1 and row.question2)
        yield row


def _columns(path: Path, header: str) -> Columns:
    names = [name.strip().lower() for name in _fields(header)]
    missing = [name for name in QUESTION_COLUMNS if name not in names]
    if missing:
        raise DataError(
            f"{path} begins with {header[:80]!r}; expected the columns "
            f"{', '.join(QUESTION_COLUMNS)}, separated by tabs. Missing: {', '.join(missing)}."
        )
    has_ids = {"qid1", "qid2"} <= set(names)
    ids = tuple(names.index(name) for name in ID_COLUMNS if name in names) if has_ids else ()
    first, second, label = map(names.index, QUESTION_COLUMNS)
    return Columns(len(names), ids, (first, second), label)


def _records(
    lines: Iterator[tuple[int, str]], columns: Columns, report: ReadingReport
) -> Iterator[tuple[int, str]]:
    """Join lines to records: a record goes on until it has all its columns."""
    first, record, length = 0, "", 0
    for number, line in lines:
        if record and _starts_a_row(line, columns):  # before the last row was complete
            report.malformed.append((first, "a quote that is never closed, or too few columns"))
            record = ""
        if not record:
            if not line.strip():
                continue
            first, record, length = number, line, 1
        else:
            record, length = f"{record} {line}", length + 1
        too_long = length > MAX_LINES or len(record) > MAX_ROW
        if too_long or len(_fields(record)) >= columns.count:
            yield first, record
            record = ""
    if record:
        yield first, record


def _starts_a_row(line: str, columns: Columns) -> bool:
    """Whether a line has all columns, or begins with three ids where the first columns are ids."""
    begins_with_ids = columns.ids == (0, 1, 2) and QUORA_ROW.match(line)
    return bool(begins_with_ids) or line.count("\t") >= columns.count - 1


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a plain or .gz file; only \\n ends a line.

    Raises:
        DataError: the file cannot be read.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", errors="replace", newline="\n") as stream:
            for number, line in enumerate(stream, 1):
                yield number, line.rstrip("\r\n").replace("\r", " ").replace("\0", "")
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"{path} cannot be read: {error}. Replace it, or fetch it again."
        ) from error


def _fields(record: str) -> list[str]:
    return next(csv.reader([record], delimiter="\t"), [])


def _row(number: int, record: str, columns: Columns) -> Row | str:
    """Return a row, or what is wrong with it."""
    if len(record) > MAX_ROW:
        return f"{len(record):,} characters"
    fields = _fields(record)
    while len(fields) > columns.count and not fields[-1].strip():  # a tab at the end of the line
        fields.pop()
    if len(fields) != columns.count:
        return f"{len(fields)} columns instead of {columns.count}"
    label = fields[columns.label]
    if label.strip() not in ("0", "1"):
        return f"is_duplicate is {label[:20]!r}"
    ids = [fields[place] for place in columns.ids]
    if not all(value.isdecimal() and len(value) < 19 for value in ids):  # an int64 holds them
        return f"the ids are {[value[:20] for value in ids]}"
    missing: list[int | None] = [None] * (len(ID_COLUMNS) - len(ids))
    pair_id, qid1, qid2 = missing + list(map(int, ids))
    first, second = (clean(fields[place]) for place in columns.questions)
    return Row(number, pair_id, qid1, qid2, first, second, int(label))


def clean(question: str) -> str:
    """Return a question on one line: HTML entities as characters, white space as single spaces."""
    return " ".join(html.unescape(question).split())


def normal_form(question: str) -> str:
    """Return the lower-case letters and digits of a question, to recognize it in another spelling.

    Spaces are dropped, too: tokenized text has more of them ("did n't"), and brackets as "-lrb-".
    """
    return "".join(re.findall(r"\w+", TOKENIZED_BRACKET.sub(" ", question.lower())))


@dataclass(frozen=True)
class QuestionPairs:
    """Labeled pairs of questions, column by column.

    ``same`` is (n,) int8, 1 for a duplicate; ``qid1`` and ``qid2`` are (n,) int64, the same id for the
    same question.

    Raises:
        TypeError, ValueError: columns that are not strings or differ in length, labels other than 0 and 1.
    """

    question1: list[str]
    question2: list[str]
    same: np.ndarray
    qid1: np.ndarray
    qid2: np.ndarray

    def __post_init__(self) -> None:
        rows = len(self.question1) if hasattr(self.question1, "__len__") else None
        for name in ("question1", "question2"):
            object.__setattr__(self, name, require_texts(getattr(self, name), name, rows))
        for name in ("same", "qid1", "qid2"):  # a pandas column would be indexed by its own labels
            object.__setattr__(self, name, np.asarray(getattr(self, name)))
        if not rows:
            return
        require_same(self.same, rows)
        for name in ("qid1", "qid2"):
            require_labels(getattr(self, name), rows, name)

    def __len__(self) -> int:
        return len(self.same)

    def take(self, indices: npt.ArrayLike) -> "QuestionPairs":
        """Return the pairs of these row indices, or where a mask is true."""
        rows = np.asarray(indices)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(int)
        return replace(
            self,
            question1=[self.question1[row] for row in rows],
            question2=[self.question2[row] for row in rows],
            same=self.same[rows],
            qid1=self.qid1[rows],
            qid2=self.qid2[rows],
        )

    def duplicates(self) -> "QuestionPairs":
        """Return the duplicate pairs."""
        return self.take(self.same == 1)


def read_pairs(
    path: Path, report: ReadingReport | None = None, *, require_both: bool = False
) -> QuestionPairs:
    """Read a whole file of question pairs; format, arguments and errors as ``stream_rows``.

    The questions of a file without qid1 and qid2 are numbered by ``number_questions``.

    Args:
        require_both: refuse a file that does not hold both duplicates and other pairs.
    """
    report = ReadingReport() if report is None else report
    rows = list(stream_rows(path, report))
    reasons = f" ({report})" if report.malformed else ""
    if not rows:
        raise DataError(f"{path} holds no question pair{reasons}.")
    question1, question2 = [row.question1 for row in rows], [row.question2 for row in rows]
    if rows[0].qid1 is None:
        qid1, qid2 = number_questions(question1, question2)
    else:
        qid1, qid2 = (
            np.array(side, "int64") for side in zip(*(row[2:4] for row in rows), strict=True)
        )
    same = np.array([row.same for row in rows], "int8")
    if require_both and same.min() == same.max():
        raise DataError(
            f"{path} holds {len(same)} pairs, {same.sum()} of them duplicates; "
            f"expected both duplicates and other pairs{reasons}."
        )
    return QuestionPairs(question1, question2, same, qid1, qid2)


def number_questions(
    question1: Sequence[str], question2: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Give each question an id; questions of the same normal form share it.

    A question without letters and digits is known by its text.

    Returns:
        Two (n,) int64 arrays of ids, one for each side.

    Raises:
        TypeError, ValueError: something else than strings, or sides of unequal length.
    """
    question1 = require_texts(question1, "question1")
    question2 = require_texts(question2, "question2", len(question1))
    # Not np.unique, which would give every question the space of the longest
    id_of: dict[str, int] = {}
    ids = np.array(
        [
            id_of.setdefault(normal_form(question) or f" {question}", len(id_of))
            for side in (question1, question2)
            for question in side
        ],
        "int64",
    )
    return ids[: len(question1)], ids[len(question1) :]
