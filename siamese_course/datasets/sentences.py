"""The STS benchmark and Wikipedia's section triplets, or the course's own sentences instead."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Generic, TypeVar

from siamese_course.datasets import SPLITS
from siamese_course.datasets.own_sentences import own_scored_pairs, own_triplets
from siamese_course.runtime.errors import DataError, DownloadsDisabled, NetworkError
from siamese_course.sources.fetch import (
    OFFLINE_REMEDY,
    cache_path,
    fetch_file,
    in_data_directory,
    require_downloads,
    unpack,
    unpacked,
)
from siamese_course.sources.registry import dataset
from siamese_course.sources.sentence_tables import (
    ScoredPairs,
    Triplets,
    read_scored_pairs,
    read_triplets,
)
from siamese_course.validation import require_between

# Data set: its title, and the files of its splits; GLUE's test file has no scores
STS_FORMS = {
    "stsb": ("the STS benchmark", ("sts-train.csv", "sts-dev.csv", "sts-test.csv")),
    "glue-stsb": ("the STS benchmark in GLUE's layout", ("train.tsv", "dev.tsv")),
}
TRIPLET_FILES = ("train.csv", "validation.csv", "test.csv")

Rows = TypeVar("Rows", ScoredPairs, Triplets)


@dataclass(frozen=True)
class SentenceData(Generic[Rows]):
    """Scored pairs or triplets in three splits; ``test`` is None if it is not available."""

    train: Rows
    validation: Rows
    test: Rows | None
    source: str

    def __str__(self) -> str:
        kind = "Triplets" if isinstance(self.train, Triplets) else "Scored pairs"
        splits = {name: getattr(self, name) for name in SPLITS}
        counts = [f"{len(rows):,} {name}" for name, rows in splits.items() if rows is not None]
        return f"{kind}: {', '.join(counts)} ({self.source})"


ScoredData = SentenceData[ScoredPairs]
TripletData = SentenceData[Triplets]


def load_scored_pairs(*, verbose: bool = True) -> ScoredData:
    """Load scored pairs from SIAMESE_COURSE_DATA, the cache, a download, or the course's own set.

    They are the STS benchmark's, from its own archive or else from GLUE's: its dev split is
    the validation split, and it has a test split if sts-test.csv is there. Prints the source, the row
    counts, and why it fell back if it did.

    Raises:
        DataError: a file exists, or was downloaded, and is damaged.
    """
    try:
        paths, source = _locate_sts(verbose)
    except NetworkError as error:
        if verbose and not isinstance(error, DownloadsDisabled):
            print(f"The STS benchmark is not available: {error}")
        own_train, own_validation, own_test = own_scored_pairs()
        data = ScoredData(own_train, own_validation, own_test, "the course's own sentence pairs")
    else:
        train, validation, *test = map(read_scored_pairs, paths)
        data = ScoredData(train, validation, test[0] if test else None, source)
    if verbose:
        print(data)
    return data


def load_triplets(*, max_rows: int | None = 100_000, verbose: bool = True) -> TripletData:
    """Load triplets from SIAMESE_COURSE_DATA, the cache, or the course's own sections.

    They are the Wikipedia section triplets. Their archive is 500 MB, so it is never downloaded
    from here: ``siamese-course data fetch wikisections`` puts it into the cache. Prints the source,
    the row counts, and why it fell back if it did.

    Args:
        max_rows: maximum rows to read of the training file, which has 1.8 million as published; None
            for all.
        verbose: print the source and the row counts.

    Raises:
        ValueError: ``max_rows`` is less than 1.
        DataError: a file exists and is damaged.
    """
    if max_rows is not None:
        require_between(max_rows, "max_rows", 1, float("inf"))
    try:
        paths, origin = _locate("wikisections", TRIPLET_FILES, download=False)
    except NetworkError as error:
        if verbose and not isinstance(error, DownloadsDisabled):
            print(
                f"The Wikipedia section triplets are not available: {error} "
                "To download them (500 MB): siamese-course data fetch wikisections"
            )
        own_train, own_validation, own_test = own_triplets()
        source = "triplets of the course's own sections"
        data = TripletData(own_train, own_validation, own_test, source)
    else:
        train = read_triplets(paths[0], max_rows)
        validation, *test = map(read_triplets, paths[1:])
        first = f", the first {max_rows:,} training rows" if len(train) == max_rows else ""
        source = f"Wikipedia sections, {origin}{first}"
        data = TripletData(train, validation, test[0] if test else None, source)
    if verbose:
        print(data)
    return data


def _locate_sts(verbose: bool) -> tuple[list[Path], str]:
    """Return the paths of the splits, and the source: either form if available, else by download."""
    failures: list[DataError] = []
    for download, (name, (title, filenames)) in product((False, True), STS_FORMS.items()):
        try:
            paths, origin = _locate(name, filenames, download=download)
        except DownloadsDisabled:
            raise
        except DataError as error:
            if download:
                failures.append(error)
            elif not isinstance(error, NetworkError):
                raise
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
    """Return the unpacked files of a data set published as one archive, and where they were.

    Looks where ``fetch.locate`` looks, and unpacks. Two files are needed, a third is optional.

    Returns:
        (paths, origin): two paths or three; ``SIAMESE_COURSE_DATA``, ``cache`` or ``download``.

    Raises:
        NetworkError: as ``fetch.locate``, or the archive is missing and ``download`` is off.
        DataError: the archive is damaged, or the files are not in it.
    """
    data = dataset(name)
    if paths := _whole(in_data_directory(data, filename) for filename in filenames):
        return paths, "SIAMESE_COURSE_DATA"
    require_downloads(name)
    (file,) = data.files
    archive = cache_path(data, file)
    folder = unpacked(archive)
    found = _find(folder, filenames)
    origin = "cache" if _whole(found) or archive.exists() else "download"
    if origin == "download" and not download:
        raise NetworkError(f"{file.name} is neither in SIAMESE_COURSE_DATA nor in the cache.")
    # Again if some of the files were deleted since, the optional one included
    if not _whole(found) or (None in found and archive.exists()):
        found = _find(unpack(fetch_file(data, file), folder), filenames)
    if paths := _whole(found):
        return paths, origin
    raise DataError(
        f"The archive of {name} does not hold {' and '.join(filenames[:2])}. Remedy: delete "
        f"{archive.parent} and try again, or set "
        "SIAMESE_COURSE_DATA=shipped to use the small data that comes with the course."
    )


def _find(folder: Path, filenames: Sequence[str]) -> list[Path | None]:
    """Return the files in a folder, at any depth; None for one that is missing."""
    return [min(folder.rglob(filename), default=None) for filename in filenames]


def _whole(paths: Iterable[Path | None]) -> list[Path]:
    """Return the files that exist, or none of them if one of the first two is missing."""
    train, validation, *test = paths
    return [path for path in (train, validation, *test) if path] if train and validation else []
