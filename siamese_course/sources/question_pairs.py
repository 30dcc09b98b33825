"""Question pairs: the file format of Quora's data set, read from any file in it.

``same`` is 1 for a duplicate pair and 0 for a different one: the course's one label convention.
"""

import csv
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from siamese_course.runtime.errors import DataError
from siamese_course.sources.tables import Table, text_lines
from siamese_course.validation import require_labels, require_same, require_texts

QUESTION_COLUMNS = ("question1", "question2", "is_duplicate")
ID_COLUMNS = ("id", "qid1", "qid2")

# Physical lines of a row; a question with more line breaks is a quote that was never closed
MAX_LINES = 20
# Characters of a row; csv refuses a field of more than 131,072
MAX_ROW = 100_000
QUORA_ROW = re.compile(r"\d+\t\d+\t\d+\t")
TOKENIZED_BRACKET = re.compile(r"-[lr][rsc]b-")


@dataclass(frozen=True)
class QuestionPairs(Table):
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
        super().__post_init__()
        for name in ("same", "qid1", "qid2"):  # a pandas column would be indexed by its own labels
            object.__setattr__(self, name, np.asarray(getattr(self, name)))
        if rows := len(self):
            require_same(self.same, rows)
            require_labels(self.qid1, rows, "qid1")
            require_labels(self.qid2, rows, "qid2")

    def duplicates(self) -> "QuestionPairs":
        """Return the duplicate pairs."""
        return self.take(self.same == 1)


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


def read_pairs(
    path: Path, report: ReadingReport | None = None, errors: str = "replace"
) -> QuestionPairs:
    """Read a file of question pairs.

    The file is tab-separated. Its header names question1, question2 and is_duplicate, in any order,
    and maybe others. If qid1 and qid2 are among them, they are the ids of the questions; otherwise
    ``number_questions`` gives them. A field is quoted by " where needed, with quotes inside doubled. A
    question may hold line breaks, quoted or not; they become spaces. HTML entities become characters. A
    row that cannot be read is left out; the report holds its line number and the reason.

    Args:
        path: .tsv or .tsv.gz.
        report: filled while reading.
        errors: for bytes that are not UTF-8: ``replace`` or ``strict``.

    Raises:
        DataError: the file cannot be read, a column is missing, or it holds no pair.
    """
    report = ReadingReport() if report is None else report
    lines = _plain_lines(path, errors)
    names = _header(path, next(lines, (1, ""))[1][:MAX_ROW])
    rows = []
    for number, record in _records(lines, names, report):
        try:
            rows.append(_row(record, names))
        except ValueError as error:
            report.malformed.append((number, str(error)))
    report.rows = len(rows)
    report.empty_questions = sum("" in row[:2] for row in rows)
    if not rows:
        reasons = f" ({report})" if report.malformed else ""
        raise DataError(f"{path} holds no question pair{reasons}.")
    question1, question2, labels, *ids = map(list, zip(*rows, strict=True))
    qid1, qid2 = np.array(ids, "int64") if ids else number_questions(question1, question2)
    return QuestionPairs(question1, question2, np.array(labels, "int8"), qid1, qid2)


def _plain_lines(path: Path, errors: str) -> Iterator[tuple[int, str]]:
    """The numbered lines of a file, without what csv takes for an end of line."""
    for number, line in text_lines(path, errors=errors):
        yield number, line.rstrip("\r\n").replace("\r", " ").replace("\0", "")


def _header(path: Path, line: str) -> list[str]:
    names = [name.strip().lower() for name in _fields(line)]
    if twice := [name for name in QUESTION_COLUMNS if names.count(name) > 1]:
        raise DataError(f"{path} has more than one column {twice[0]}.")
    missing = [name for name in QUESTION_COLUMNS if name not in names]
    if missing:
        raise DataError(
            f"{path} begins with {line[:80]!r}; expected the columns "
            f"{', '.join(QUESTION_COLUMNS)}, separated by tabs. Missing: {', '.join(missing)}."
        )
    return names


def _records(
    lines: Iterator[tuple[int, str]], names: list[str], report: ReadingReport
) -> Iterator[tuple[int, str]]:
    """Join lines to records: a record goes on until it has all its columns."""
    first, record, length = 0, "", 0
    for number, line in lines:
        if record and _starts_a_row(line, names):  # before the last row was complete
            report.malformed.append((first, "a quote that is never closed, or too few columns"))
            record = ""
        if not record:
            if not line.strip():
                continue
            first, record, length = number, line, 1
        else:
            record, length = f"{record} {line}", length + 1
        too_long = length > MAX_LINES or len(record) > MAX_ROW
        if too_long or len(_fields(record)) >= len(names):
            yield first, record
            record = ""
    if record:
        yield first, record


def _starts_a_row(line: str, names: list[str]) -> bool:
    """Whether a line has all columns, or begins with three ids where the first columns are ids."""
    begins_with_ids = tuple(names[:3]) == ID_COLUMNS and QUORA_ROW.match(line)
    return bool(begins_with_ids) or line.count("\t") >= len(names) - 1


def _fields(record: str) -> list[str]:
    return next(csv.reader([record], delimiter="\t"), [])


def _row(record: str, names: list[str]) -> tuple[Any, ...]:
    """Return both questions and the label, and both ids if the file has them.

    Raises:
        ValueError: saying what is wrong with the row.
    """
    if len(record) > MAX_ROW:
        raise ValueError(f"{len(record):,} characters")
    fields = _fields(record)
    while len(fields) > len(names) and not fields[-1].strip():  # a tab at the end of the line
        fields.pop()
    if len(fields) != len(names):
        raise ValueError(f"{len(fields)} columns instead of {len(names)}")
    row = dict(zip(names, fields, strict=True))
    label = row["is_duplicate"]
    if label.strip() not in ("0", "1"):
        raise ValueError(f"is_duplicate is {label[:20]!r}")
    ids = (
        [row[name] for name in ID_COLUMNS if name in row] if {"qid1", "qid2"} <= row.keys() else []
    )
    if not all(value.isdecimal() and len(value) < 19 for value in ids):  # an int64 holds them
        raise ValueError(f"the ids are {[value[:20] for value in ids]}")
    return clean(row["question1"]), clean(row["question2"]), int(label), *map(int, ids[-2:])


def clean(question: str) -> str:
    """Return a question on one line: HTML entities as characters, white space as single spaces."""
    return " ".join(html.unescape(question).split())


def normal_form(question: str) -> str:
    """Return the lower-case letters and digits of a question, to recognize it in another spelling.

    Spaces are dropped, too: tokenized text has more of them ("did n't"), and brackets as "-lrb-".
    """
    return "".join(re.findall(r"\w+", TOKENIZED_BRACKET.sub(" ", question.lower())))


def number_questions(
    question1: Sequence[str], question2: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Give each question an id; questions of the same normal form share it.

    A question without letters and digits is known by its text.

    Returns:
        Two (n,) int64 arrays of ids, one for each side.

    Raises:
        TypeError, ValueError: anything but strings, or sides of unequal length.
    """
    question1 = require_texts(question1, "question1")
    question2 = require_texts(question2, "question2", len(question1))
    forms = [normal_form(question) or f" {question}" for question in question1 + question2]
    # Not np.unique, which would give every question the space of the longest
    id_of = {form: number for number, form in enumerate(dict.fromkeys(forms))}
    qid1, qid2 = np.split(np.array([id_of[form] for form in forms], "int64"), 2)
    return qid1, qid2
