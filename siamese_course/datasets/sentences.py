"""Sentence pairs with a score, and triplets of sentences: read them, load them from where they are.

The *score* of a pair goes from 0 (nothing in common) to 5 (the same meaning). The *anchor* and the
*positive* of a triplet are from one section of an article, the *negative* is from another.
"""

import csv
import gzip
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from pathlib import Path

import numpy as np

from siamese_course.datasets.fetch import (
    OFFLINE_REMEDY,
    cache_path,
    fetch,
    fetch_file,
    in_data_directory,
)
from siamese_course.datasets.registry import DataSet, dataset
from siamese_course.runtime import settings
from siamese_course.runtime.errors import DataError, NetworkError
from siamese_course.runtime.shipped import shipped
from siamese_course.validation import require_between

PARTS = ("train", "validation", "test")
COLLECTION_COLUMNS = ("id", "topic", "sentence")
QUERY_COLUMNS = ("query", "answers", "distractors")
PAIR_COLUMNS = ("score", "sentence1", "sentence2")
STS_COLUMNS = ("genre", "file", "year", "id", *PAIR_COLUMNS)
TRIPLET_COLUMNS = (("sentence1", "sentence2", "sentence3"), ("anchor", "positive", "negative"))
LOWEST_SCORE, HIGHEST_SCORE = 0, 5

STS_FORMS = {  # data set: its title, and the files of its parts; GLUE's test part has no scores
    "stsb": ("the STS benchmark", ("sts-train.csv", "sts-dev.csv", "sts-test.csv")),
    "glue-stsb": ("the STS benchmark in GLUE's layout", ("train.tsv", "dev.tsv")),
}
TRIPLET_FILES = ("train.csv", "validation.csv", "test.csv")

Row = tuple[int, list[str]]
"""The number of the row's first line, and its cells."""


@dataclass(frozen=True)
class ScoredPairs:
    """Pairs of sentences, column by column; ``score`` is (n,) float32 from 0 to 5."""

    sentence1: list[str]
    sentence2: list[str]
    score: np.ndarray

    def __len__(self) -> int:
        return len(self.score)

    def take(self, rows) -> "ScoredPairs":
        """The pairs of these row numbers, or where a mask is true."""
        rows = _row_numbers(rows)
        return ScoredPairs(_at(self.sentence1, rows), _at(self.sentence2, rows), self.score[rows])


@dataclass(frozen=True)
class Triplets:
    """Triplets of sentences, column by column, each (n,): the positive belongs to the anchor."""

    anchor: list[str]
    positive: list[str]
    negative: list[str]

    def __len__(self) -> int:
        return len(self.anchor)

    def take(self, rows) -> "Triplets":
        """The triplets of these row numbers, or where a mask is true."""
        rows = _row_numbers(rows)
        return Triplets(_at(self.anchor, rows), _at(self.positive, rows), _at(self.negative, rows))


def _row_numbers(rows) -> np.ndarray:
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(int)


def _at(sentences: list[str], rows: np.ndarray) -> list[str]:
    return [sentences[row] for row in rows]


@dataclass(frozen=True)
class ScoredData:
    """Scored pairs in their parts; there is no test part where its scores are not at hand."""

    train: ScoredPairs
    validation: ScoredPairs
    test: ScoredPairs | None
    source: str

    def __str__(self) -> str:
        return f"Scored pairs: {_counts(self)} ({self.source})"


@dataclass(frozen=True)
class TripletData:
    """Triplets in their parts; there is no test part where its file is not at hand."""

    train: Triplets
    validation: Triplets
    test: Triplets | None
    source: str

    def __str__(self) -> str:
        return f"Triplets: {_counts(self)} ({self.source})"


@dataclass(frozen=True)
class SearchData:
    """Queries, and the sentences of a collection that answer them.

    ``topics`` go with the ``collection``, ``answers`` and ``distractors`` with the ``queries``: row
    numbers of the collection, at least one answer a query. A *distractor* shares words with the
    query and means something else; many queries have none.
    """

    collection: list[str]
    topics: list[str]
    queries: list[str]
    answers: list[list[int]]
    distractors: list[list[int]]

    def __str__(self) -> str:
        return f"Search: {len(self.queries):,} queries, {len(self.collection):,} sentences"


def _counts(data: ScoredData | TripletData) -> str:
    parts = {part: getattr(data, part) for part in PARTS}
    return ", ".join(f"{len(rows):,} {part}" for part, rows in parts.items() if rows is not None)


# --- files ---


def read_sts(path: Path) -> ScoredPairs:
    """Read a file of the STS benchmark, in its own layout or in GLUE's; the first line tells which.

    Both are tab-separated, and a quotation mark is a character like others. The benchmark's own
    files have no header and seven columns: genre, file, year, id, score, sentence1, sentence2; what
    follows is left out. GLUE's have a header that names sentence1, sentence2, score and others.
    White space around a sentence goes; nothing else changes.

    Args:
        path: plain or .gz, UTF-8.

    Returns:
        Pairs in the order of the file.

    Raises:
        DataError: the file cannot be read or is in neither layout, it has no scores, or a row is
            malformed: too few columns or more than the header, a score that is no number from 0 to
            5, an empty sentence.
    """
    rows = _tab_rows(path)
    first = next(rows, (1, [""]))
    header = _names(first[1])
    if "sentence1" in header and "sentence2" in header:
        if "score" not in header:
            raise DataError(
                f"{path} has no column 'score'; its columns are {', '.join(header)}. GLUE keeps "
                "the scores of its test.tsv to itself: use train.tsv or dev.tsv."
            )
        return _scored_pairs(path, _columns(path, header, rows, PAIR_COLUMNS))
    if len(header) < len(STS_COLUMNS):
        raise DataError(
            f"{_beginning(path, first)}; expected a header with {', '.join(PAIR_COLUMNS)}, "
            f"or the columns {', '.join(STS_COLUMNS)} without a header, separated by tabs."
        )
    rows = ((number, cells[: len(STS_COLUMNS)]) for number, cells in chain([first], rows))
    return _scored_pairs(path, _columns(path, STS_COLUMNS, rows, PAIR_COLUMNS))


def read_scored_pairs(path: Path) -> ScoredPairs:
    """Read scored pairs with a header that names sentence1, sentence2 and score, in any order.

    Where the first line has a tab the file is read as by ``read_sts``: tab-separated, without
    quoting, the STS benchmark's own files included. Otherwise it is csv: commas, and " around what
    holds one.

    Args, returns and raises as ``read_sts``.
    """
    if _has_tabs(path):
        return read_sts(path)
    rows = _comma_rows(path)
    header = _header(path, rows, PAIR_COLUMNS)
    return _scored_pairs(path, _columns(path, header, rows, PAIR_COLUMNS))


def read_triplets(path: Path, most: int | None = None) -> Triplets:
    """Read triplets: columns Sentence1 (anchor), Sentence2 (positive) and Sentence3 (negative).

    The header may also name them anchor, positive and negative, and there may be more columns.
    Where the first line has a tab the file is tab-separated, without quoting; otherwise it is csv.

    Args:
        path: plain or .gz, UTF-8.
        most: read so many rows and no more.

    Returns:
        Triplets in the order of the file.

    Raises:
        DataError: the file cannot be read, its header is another, or a row is malformed: another
            number of columns than the header, or an empty sentence.
    """
    rows = _tab_rows(path) if _has_tabs(path) else _comma_rows(path)
    header = _header(path, rows, *TRIPLET_COLUMNS)
    wanted = next(columns for columns in TRIPLET_COLUMNS if set(columns) <= set(header))
    triplets = [cells for _, cells in islice(_columns(path, header, rows, wanted), most)]
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
        raise _malformed(path, number, f"{error.reason}, not UTF-8. Save it as UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {error}.") from error


def _has_tabs(path: Path) -> bool:
    return "\t" in next(_lines(path), "")


def _tab_rows(path: Path) -> Iterator[Row]:
    for number, line in enumerate(_lines(path), 1):
        if line := line.rstrip("\r\n"):
            yield number, line.split("\t")


def _comma_rows(path: Path) -> Iterator[Row]:
    reader = csv.reader(_lines(path), strict=True)  # else an open quote swallows rows in silence
    number = 1
    try:
        for cells in reader:
            if cells:
                yield number, cells
            number = reader.line_num + 1
    except csv.Error as error:
        raise _malformed(path, number, f"the row that begins here is no csv: {error}") from error


def _names(cells: Sequence[str]) -> list[str]:
    return [cell.strip().lower() for cell in cells]


def _header(path: Path, rows: Iterator[Row], *choices: tuple[str, ...]) -> list[str]:
    """The names in the first row, which must hold all of one of the choices."""
    first = next(rows, (1, [""]))
    names = _names(first[1])
    if not any(set(columns) <= set(names) for columns in choices):
        expected = " or ".join(", ".join(columns) for columns in choices)
        raise DataError(
            f"{_beginning(path, first)}; expected a header with {expected}, "
            "separated by tabs or commas."
        )
    return names


def _columns(
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
            raise _malformed(path, number, f"{len(cells)} columns instead of {len(header)}")
        values = [cells[place].strip() for place in places]
        for name, value in zip(wanted, values, strict=True):
            if not value and name not in optional:
                raise _malformed(path, number, f"{name} is empty")
        yield number, values


def _scored_pairs(path: Path, rows: Iterable[Row]) -> ScoredPairs:
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
        raise _malformed(path, number, f"the score is {text[:20]!r}; {expected}")
    return score


def _beginning(path: Path, first: Row) -> str:
    return f"{path} begins with {' '.join(first[1])[:80]!r}"


def _malformed(path: Path, number: int, what: str) -> DataError:
    return DataError(f"{path}, line {number}: {what}.")


# --- the course's own sentences ---


def own_scored_pairs(folder: Path | None = None) -> list[ScoredPairs]:
    """The course's own scored pairs: train, validation and test, as the file gives the parts.

    Args:
        folder: with pairs.tsv; the one that comes with the course if not given.

    Raises:
        DataError: the file cannot be read, or a row is malformed.
    """
    path = (folder or shipped("sentences")) / "pairs.tsv"
    rows_of = defaultdict(list)
    for number, (part, *cells) in _own_rows(path, ("split", *PAIR_COLUMNS)):
        rows_of[part].append((number, cells))
    return [_scored_pairs(path, rows_of[part]) for part in PARTS]


def own_triplets(seed: int = 0, folder: Path | None = None) -> list[Triplets]:
    """Triplets of the course's own sections: train, validation and test.

    Every pair of sentences inside a section is an anchor and its positive: which is which is drawn,
    and so is the negative, from the other sections of the article. Three sections of five sentences
    make 30 triplets.

    Args:
        seed: of the draws.
        folder: with sections.tsv; the one that comes with the course if not given.

    Returns:
        Three ``Triplets``, article by article in the order of the file: shuffle before training.

    Raises:
        DataError: the file cannot be read, or a row is malformed.
    """
    path = (folder or shipped("sentences")) / "sections.tsv"
    articles = {part: defaultdict(lambda: defaultdict(list)) for part in PARTS}
    for _, (part, article, section, sentence) in _own_rows(
        path, ("split", "article", "section", "sentence")
    ):
        articles[part][article][section].append(sentence)
    rng = np.random.default_rng(seed)
    return [_triplets_of(articles[part].values(), rng) for part in PARTS]


def read_search(folder: Path | None = None) -> SearchData:
    """The course's own search benchmark.

    Args:
        folder: with search_collection.tsv and search_queries.tsv; the one that comes with the course
            if not given.

    Raises:
        DataError: a file cannot be read, a row is malformed, an id is there twice or not at all.
    """
    folder = folder or shipped("sentences")
    path = folder / "search_collection.tsv"
    row_of, topics, collection = {}, [], []
    for number, (name, topic, sentence) in _rows_of(path, COLLECTION_COLUMNS):
        if row_of.setdefault(name, len(row_of)) != len(collection):
            raise _malformed(path, number, f"the id {name!r} has been there before")
        topics.append(topic)
        collection.append(sentence)
    path = folder / "search_queries.tsv"
    queries, answers, distractors = [], [], []
    for number, (query, *marked) in _rows_of(path, QUERY_COLUMNS, optional=("distractors",)):
        unknown = [name for names in marked for name in names.split() if name not in row_of]
        if unknown:
            raise _malformed(path, number, f"no sentence has the id {unknown[0]!r}")
        queries.append(query)
        for rows, names in zip((answers, distractors), marked, strict=True):
            rows.append([row_of[name] for name in names.split()])
    return SearchData(collection, topics, queries, answers, distractors)


def _rows_of(path: Path, wanted: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Row]:
    rows = _tab_rows(path)
    return _columns(path, _header(path, rows, wanted), rows, wanted, optional)


def _own_rows(path: Path, wanted: Sequence[str]) -> Iterator[Row]:
    """Rows of a file whose first wanted column is the part."""
    for number, cells in _rows_of(path, wanted):
        if cells[0] not in PARTS:
            raise _malformed(path, number, f"the part is {cells[0]!r}, not one of {PARTS}")
        yield number, cells


def _triplets_of(articles: Iterable[dict[str, list[str]]], rng: np.random.Generator) -> Triplets:
    triplets = Triplets([], [], [])
    for sections in articles:
        for section, sentences in sections.items():
            others = list(chain(*(sections[name] for name in sections if name != section)))
            for pair in combinations(sentences, 2):
                anchor, positive = pair if rng.random() < 0.5 else pair[::-1]
                triplets.anchor.append(anchor)
                triplets.positive.append(positive)
                triplets.negative.append(others[rng.integers(len(others))])
    return triplets


# --- loading ---


def load_scored_pairs(*, verbose: bool = True) -> ScoredData:
    """Load scored pairs from SIAMESE_COURSE_DATA, the cache, a download, or the course's own set.

    They are the STS benchmark's, from its own archive or else from GLUE's: its dev part validates,
    and its test part is there where sts-test.csv is. Prints the source, the row counts, and why it
    fell back where it did.

    Raises:
        DataError: a file is there, or arrived, and is damaged.
    """
    try:
        paths, source = _locate_sts(verbose)
    except NetworkError as error:
        if verbose and "rules out" not in str(error):
            print(f"The STS benchmark is not at hand: {error}")
        data = ScoredData(*own_scored_pairs(), "the course's own sentence pairs")
    else:
        train, validation, test = [*map(read_sts, paths), None][:3]
        data = ScoredData(train, validation, test, source)
    if verbose:
        print(data)
    return data


def load_triplets(*, most: int | None = 100_000, verbose: bool = True) -> TripletData:
    """Load triplets from SIAMESE_COURSE_DATA, the cache, or the course's own sections.

    They are the Wikipedia section triplets. Their archive has 500 MB, so it is never downloaded
    from here: ``siamese-course data fetch wikisections`` puts it into the cache. Prints the source,
    the row counts, and why it fell back where it did.

    Args:
        most: read so many rows of the training file, which has 1.8 million as published; None: all.
        verbose: print.

    Raises:
        ValueError: ``most`` is less than 1.
        DataError: a file is there and is damaged.
    """
    if most is not None:
        require_between(most, "most", 1, float("inf"))
    try:
        paths, origin = _locate("wikisections", TRIPLET_FILES, download=False)
    except NetworkError as error:
        if verbose and "rules out" not in str(error):
            print(
                f"The Wikipedia section triplets are not at hand: {error} "
                "To download them (500 MB): siamese-course data fetch wikisections"
            )
        data = TripletData(*own_triplets(), "triplets of the course's own sections")
    else:
        train = read_triplets(paths[0], most)
        validation, test = [*map(read_triplets, paths[1:]), None][:2]
        first = f", the first {most:,} training rows" if len(train) == most else ""
        data = TripletData(train, validation, test, f"Wikipedia sections, {origin}{first}")
    if verbose:
        print(data)
    return data


def _locate_sts(verbose: bool) -> tuple[list[Path], str]:
    """Paths of the parts, and the source: either form if at hand, or else either by download."""
    for name, (title, filenames) in STS_FORMS.items():
        try:
            paths, origin = _locate(name, filenames, download=False)
        except NetworkError:
            continue
        return paths, f"{title}, {origin}"
    failures = []
    for name, (title, filenames) in STS_FORMS.items():
        try:
            paths, origin = _locate(name, filenames, download=True)
        except DataError as error:
            failures.append(error)
            continue
        if verbose and failures:
            print(*failures, sep="\n")
        return paths, f"{title}, {origin}"
    for failure in failures:
        if not isinstance(failure, NetworkError):
            raise failure
    reasons = (str(failure).removesuffix(OFFLINE_REMEDY).strip() for failure in failures)
    raise NetworkError(" ".join((*reasons, OFFLINE_REMEDY)))


def _locate(name: str, filenames: Sequence[str], *, download: bool) -> tuple[list[Path], str]:
    """The unpacked files of a data set that is published as an archive, and where they were.

    Looks where ``fetch.locate`` looks, and unpacks. Two files are needed, a third is optional.

    Returns:
        (paths, origin): two paths or three; ``SIAMESE_COURSE_DATA``, ``cache`` or ``download``.

    Raises:
        NetworkError: as ``fetch.locate``.
        DataError: the archive is damaged, or the files are not in it.
    """
    data = dataset(name)
    if paths := _whole(in_data_directory(data, filename) for filename in filenames):
        return paths, "SIAMESE_COURSE_DATA"
    if settings.only_shipped_data():
        raise NetworkError(f"{name}: SIAMESE_COURSE_DATA=shipped rules out downloads.")
    if paths := _whole(_unpacked(data, filename) for filename in filenames):
        return paths, "cache"
    is_cached = all(cache_path(data, file).exists() for file in data.files)
    if is_cached:
        for file in data.files:
            fetch_file(data, file)  # says so where it was changed; fetch would download it again
    elif not download:
        names = ", ".join(file.name for file in data.files)
        raise NetworkError(f"{names} is neither in SIAMESE_COURSE_DATA nor in the cache.")
    fetch(name)
    if paths := _whole(_unpacked(data, filename) for filename in filenames):
        return paths, "cache" if is_cached else "download"
    raise DataError(
        f"The archive of {name} does not hold {' and '.join(filenames[:2])}. Remedy: delete "
        f"{settings.cache_directory() / data.folder} and try again, or set "
        "SIAMESE_COURSE_DATA=shipped to use the small data that comes with the course."
    )


def _whole(paths: Iterable[Path | None]) -> list[Path]:
    """The files that are there; none of them where one of the first two is missing."""
    train, validation, *test = paths
    return [path for path in (train, validation, *test) if path] if train and validation else []


def _unpacked(data: DataSet, filename: str) -> Path | None:
    """The file in a folder that ``fetch`` unpacked into, at any depth."""
    folder = settings.cache_directory() / data.folder
    return min(folder.glob(f"*-unpacked/**/{filename}"), default=None)
