"""Question pairs: read them, split them so that nothing leaks, and put duplicates together in batches.

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

from siamese_course.datasets.fetch import in_data_directory, locate
from siamese_course.datasets.registry import dataset
from siamese_course.runtime.errors import DataError, NetworkError

FILE = "quora_duplicate_questions.tsv"
EXTRA_FILE = "duplicates_lowercase.tsv"
COLUMNS = ("id", "qid1", "qid2", "question1", "question2", "is_duplicate")
DUPLICATE_SHARE = 0.37
"""Share of duplicates in the original data: what validation and test pairs are drawn to."""

TEST_SHARE, VALIDATION_SHARE = 0.06, 0.07

ROW_START = re.compile(r"\d+\t\d+\t\d+\t|([^\t]*\t){5}")  # three ids, or six columns of anything
LONGEST_RECORD = (
    20  # physical lines; a question with more line breaks is a quote that was never closed
)
LONGEST_ROW = 100_000  # characters; csv refuses a field of more than 131,072
TOKENIZED_BRACKET = re.compile(r"-[lr][rsc]b-")


class Row(NamedTuple):
    """One pair as the file has it; ``line`` is the number of its first line."""

    line: int
    id: int
    qid1: int
    qid2: int
    question1: str
    question2: str
    same: int


@dataclass
class ReadingReport:
    """What reading a file met: nothing is dropped without an entry here."""

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


def stream_rows(path: Path, report: ReadingReport | None = None) -> Iterator[Row]:
    """Read a Quora file row by row: memory does not grow with the file.

    The file is tab-separated with a header, fields quoted by " where needed and quotes doubled. A
    question may hold line breaks, quoted or not; they become spaces. HTML entities become characters.
    A row that cannot be read is left out, with its line number and the reason in the report.

    Args:
        path: .tsv or .tsv.gz.
        report: filled while reading.

    Raises:
        DataError: the header is not Quora's, or the file is damaged.
    """
    report = ReadingReport() if report is None else report
    for number, record in _records(path, report):
        row = _row(number, record)
        if isinstance(row, str):
            report.malformed.append((number, row))
            continue
        report.rows += 1
        report.empty_questions += not (row.question1 and row.question2)
        yield row


def _records(path: Path, report: ReadingReport) -> Iterator[tuple[int, str]]:
    """Lines put together to records: a record goes on until it has all its columns."""
    lines = _lines(path)
    header = next(lines, (1, ""))[1][:LONGEST_ROW]
    if tuple(_fields(header)) != COLUMNS:
        raise DataError(f"{path} begins with {header[:80]!r}; expected the columns {COLUMNS}.")
    first, record, length = 0, "", 0
    for number, line in lines:
        if record and ROW_START.match(line):  # a new row begins before the last one was complete
            report.malformed.append((first, "a quote that is never closed, or too few columns"))
            record = ""
        if not record:
            if not line.strip():
                continue
            first, record, length = number, line, 1
        else:
            record, length = f"{record} {line}", length + 1
        too_long = length > LONGEST_RECORD or len(record) > LONGEST_ROW
        if too_long or len(_fields(record)) >= len(COLUMNS):
            yield first, record
            record = ""
    if record:
        yield first, record


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", errors="replace", newline="\n") as stream:
            for number, line in enumerate(stream, 1):
                yield number, line.rstrip("\r\n").replace("\r", " ").replace("\0", "")
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {error}. Fetch it again.") from error


def _fields(record: str) -> list[str]:
    return next(csv.reader([record], delimiter="\t"), [])


def _row(number: int, record: str) -> Row | str:
    """A row, or what is wrong with it."""
    if len(record) > LONGEST_ROW:
        return f"{len(record):,} characters"
    fields = _fields(record)
    if len(fields) != len(COLUMNS):
        return f"{len(fields)} columns instead of {len(COLUMNS)}"
    if fields[5].strip() not in ("0", "1"):
        return f"is_duplicate is {fields[5][:20]!r}"
    if not all(value.isdecimal() and len(value) < 19 for value in fields[:3]):  # they fit an int64
        return f"the ids are {[value[:20] for value in fields[:3]]}"
    questions = (clean(question) for question in fields[3:5])
    return Row(number, *map(int, fields[:3]), *questions, int(fields[5]))


def clean(question: str) -> str:
    """A question on one line: HTML entities as characters, white space as single spaces."""
    return " ".join(html.unescape(question).split())


@dataclass(frozen=True)
class QuestionPairs:
    """Labelled pairs of questions, column by column.

    ``same`` is (n,) int8, 1 for a duplicate; ``qid1`` and ``qid2`` are (n,) int64, the same number for
    the same question.
    """

    question1: list[str]
    question2: list[str]
    same: np.ndarray
    qid1: np.ndarray
    qid2: np.ndarray

    def __len__(self) -> int:
        return len(self.same)

    def take(self, rows) -> "QuestionPairs":
        """The pairs of these row numbers, or where a mask is true."""
        rows = np.asarray(rows)
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
        """The duplicate pairs."""
        return self.take(self.same == 1)


def read_pairs(path: Path, report: ReadingReport | None = None) -> QuestionPairs:
    """Read a whole Quora file; arguments and errors as ``stream_rows``."""
    rows = list(stream_rows(path, report))
    if not rows:
        raise DataError(f"{path} holds no question pair.")
    _, _, qid1, qid2, question1, question2, same = zip(*rows, strict=True)
    return QuestionPairs(
        list(question1),
        list(question2),
        np.array(same, "int8"),
        np.array(qid1, "int64"),
        np.array(qid2, "int64"),
    )


@dataclass(frozen=True)
class QuestionData:
    """Question pairs in three parts, and more duplicates to train on where there are any.

    ``train`` has the duplicates and the labelled others; ``validation`` and ``test`` are drawn to the
    task's share of duplicates.
    """

    train: QuestionPairs
    validation: QuestionPairs
    test: QuestionPairs
    extra_duplicates: list[tuple[str, str]]
    source: str

    def __str__(self) -> str:
        parts = ", ".join(
            f"{len(pairs):,} {name} pairs ({pairs.same.mean():.0%} duplicates)"
            for name, pairs in vars(self).items()
            if isinstance(pairs, QuestionPairs)
        )
        more = f", {len(self.extra_duplicates):,} more duplicates" if self.extra_duplicates else ""
        return f"Questions: {parts}{more} ({self.source})"


def load_questions(*, scored: int | None = None, verbose: bool = True) -> QuestionData:
    """Load question pairs from SIAMESE_COURSE_DATA, the cache, a download, or the course's own set.

    Prints the source, the row counts, and why it fell back where it did.

    Quora's pairs are split so that no question of a test pair is in a training or validation pair. The
    validation pairs are new *pairs*, of questions that training may have met in others, as on a site
    where the same questions are asked again and again: the threshold is for such use, and the test
    shows what is left of it on questions never seen.

    Args:
        scored: most pairs to validate and to test on, drawn at random; None for all.
        verbose: whether to print.

    Raises:
        DataError: a file is there, or arrived, and is damaged.
    """
    from siamese_course.datasets.questions import own_pairs

    try:
        path, origin = locate("quora", FILE)
    except NetworkError as error:
        if verbose and "rules out" not in str(error):
            print(f"Quora's data is not at hand: {error}")
        data = QuestionData(*own_pairs(), [], "the course's own questions")
    else:
        report = ReadingReport()
        pairs = read_pairs(path, report)
        if verbose and (report.malformed or report.empty_questions):
            print(report)
        data = split_quora(pairs, load_extra_duplicates(), f"Quora, {origin}")
    if scored is not None:
        validation, test = (
            pairs.take(np.random.default_rng(0).permutation(len(pairs))[:scored])
            for pairs in (data.validation, data.test)
        )
        data = replace(data, validation=validation, test=test)
    if verbose:
        print(data)
    return data


def split_quora(
    pairs: QuestionPairs,
    extra_duplicates: Sequence[tuple[str, str]] = (),
    source: str = "Quora",
    seed: int = 0,
) -> QuestionData:
    """The three parts of Quora's pairs, as ``load_questions`` describes them.

    A pair with a test question that has a second id, written a little differently, is in no part.
    """
    rest, test = split_pairs(pairs, (1 - TEST_SHARE, TEST_SHARE), seed)
    is_validation = np.random.default_rng(seed).random(len(rest)) < VALIDATION_SHARE
    taken = _normal_forms(test)
    is_new = np.array(
        [
            taken.isdisjoint(map(normal_form, pair))
            for pair in zip(rest.question1, rest.question2, strict=True)
        ]
    )
    validation = rest.take(is_validation & is_new)
    known = {
        frozenset(map(normal_form, pair))
        for pair in zip(validation.question1, validation.question2, strict=True)
    }
    extra = [
        pair
        for pair in without_questions_of(extra_duplicates, test)
        if frozenset(map(normal_form, pair)) not in known
    ]
    return QuestionData(
        rest.take(~is_validation & is_new),
        draw_to_share(validation, seed=seed),
        draw_to_share(test, seed=seed),
        extra,
        source,
    )


def load_extra_duplicates() -> list[tuple[str, str]]:
    """More duplicate pairs, lower-cased and tokenized ("did n't"), where SIAMESE_COURSE_DATA has them.

    They have no question ids: ``split_quora`` takes out those that the test or validation pairs hold.
    """
    path = in_data_directory(dataset("quora"), EXTRA_FILE)
    if path is None:
        return []
    rows = (line.split("\t") for _, line in _lines(path))
    return [(row[0], row[1]) for row in rows if len(row) == 2]


def components(pairs: QuestionPairs, *, duplicates_only: bool = False) -> np.ndarray:
    """Which pairs hang together: (n,) a number for each pair, the same for pairs linked by questions.

    With ``duplicates_only`` the links are the duplicate pairs alone: pairs of one duplicate group then
    share a number, and a different pair has that of its first question's group.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    questions, codes = np.unique(np.concatenate([pairs.qid1, pairs.qid2]), return_inverse=True)
    left, right = np.split(codes, 2)
    links = pairs.same == 1 if duplicates_only else np.ones(len(pairs), bool)
    graph = coo_matrix((links[links], (left[links], right[links])), shape=(len(questions),) * 2)
    return connected_components(graph, directed=False)[1][left]


def split_pairs(
    pairs: QuestionPairs, shares: Sequence[float] = (0.8, 0.1, 0.1), seed: int = 0
) -> list[QuestionPairs]:
    """Split so that no question, and no question linked to it by any pair, stands in two parts.

    A random split of the *pairs* leaks: a question of a test pair is often in a training pair too.
    So whole components of linked pairs go to one part. They are dealt in random order, each to the
    part that lacks most of its share; the largest ones, which are rare, go first.

    Args:
        pairs: all pairs.
        shares: of the parts, adding up to 1.
        seed: of the order.

    Returns:
        One ``QuestionPairs`` for each share.

    Raises:
        ValueError: shares that do not add up to 1, or more parts than components.
    """
    if min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ValueError(f"shares is {tuple(shares)}; expected positive numbers that add up to 1")
    component = components(pairs)
    sizes = np.bincount(component)
    if len(sizes) < len(shares):
        raise ValueError(
            f"all pairs hang together in {len(sizes)} component(s); expected at least {len(shares)}"
        )
    order = np.random.default_rng(seed).permutation(len(sizes))
    order = order[np.argsort(-np.minimum(sizes[order], 1000) // 100, kind="stable")]
    lacking = np.array(shares) * len(pairs)
    part_of = np.empty(len(sizes), int)
    for number in order:
        part = int(np.argmax(lacking / np.array(shares)))
        part_of[number] = part
        lacking[part] -= sizes[number]
    return [pairs.take(part_of[component] == part) for part in range(len(shares))]


def draw_to_share(
    pairs: QuestionPairs, share: float = DUPLICATE_SHARE, seed: int = 0, most: int | None = None
) -> QuestionPairs:
    """As many pairs as can be drawn so that this share of them are duplicates.

    An accuracy or a threshold holds only for the share of duplicates that it was measured at: with
    85% duplicates, calling everything a duplicate is right in 85 of 100 cases.

    Args:
        pairs: pairs of both kinds.
        share: of duplicates, between 0 and 1.
        seed: of the choice.
        most: at most so many pairs.

    Raises:
        ValueError: the share is not between 0 and 1, or one kind is missing.
    """
    if not 0 < share < 1:
        raise ValueError(f"share is {share}; expected a number between 0 and 1")
    kinds = [np.flatnonzero(pairs.same == kind) for kind in (0, 1)]
    most = len(pairs) if most is None else most
    total = round(min(len(kinds[0]) / (1 - share), len(kinds[1]) / share, most))
    counts = [total - round(total * share), round(total * share)]
    if min(counts) <= 0:
        raise ValueError(
            f"{len(kinds[1])} duplicates and {len(kinds[0])} others, of which to draw {most}; "
            f"expected enough of both for a share of {share}"
        )
    rng = np.random.default_rng(seed)
    chosen = [
        rng.choice(kind, count, replace=False) for kind, count in zip(kinds, counts, strict=True)
    ]
    return pairs.take(np.sort(np.concatenate(chosen)))


def normal_form(question: str) -> str:
    """Lower case, letters and digits only: to find a question again that was written a little differently.

    Spaces go too: tokenized text has more of them ("did n't"), and brackets as "-lrb-" and "-rrb-".
    """
    return "".join(re.findall(r"\w+", TOKENIZED_BRACKET.sub(" ", question.lower())))


def without_questions_of(
    duplicates: Sequence[tuple[str, str]], *held_out: QuestionPairs
) -> list[tuple[str, str]]:
    """The duplicates of which neither question, in its normal form, is among the held-out ones."""
    taken = _normal_forms(*held_out)
    return [pair for pair in duplicates if taken.isdisjoint(map(normal_form, pair))]


def _normal_forms(*parts: QuestionPairs) -> set[str]:
    return {
        normal_form(question)
        for pairs in parts
        for question in (*pairs.question1, *pairs.question2)
    }
