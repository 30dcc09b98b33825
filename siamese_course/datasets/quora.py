"""Quora's question pairs: load them, or the course's own questions where they are not available."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from siamese_course.datasets.own_questions import own_pairs
from siamese_course.datasets.question_splits import draw_to_fraction, split_pairs
from siamese_course.runtime.errors import DownloadsDisabled, NetworkError
from siamese_course.sources.fetch import in_data_directory, locate
from siamese_course.sources.question_pairs import (
    QuestionPairs,
    ReadingReport,
    normal_form,
    read_pairs,
)
from siamese_course.sources.registry import dataset
from siamese_course.sources.tables import text_lines

FILE = "quora_duplicate_questions.tsv"
EXTRA_FILE = "duplicates_lowercase.tsv"
TEST_FRACTION, VALIDATION_FRACTION = 0.06, 0.07


@dataclass(frozen=True)
class QuestionData:
    """Question pairs in three splits, and extra duplicates to train on if there are any.

    ``train`` has all kinds of labeled pairs; ``validation`` and ``test`` are drawn to the task's
    fraction of duplicates.
    """

    train: QuestionPairs
    validation: QuestionPairs
    test: QuestionPairs
    extra_duplicates: list[tuple[str, str]]
    source: str

    def __str__(self) -> str:
        splits = ", ".join(
            f"{len(pairs):,} {name} pairs ({pairs.same.mean():.0%} duplicates)"
            for name, pairs in vars(self).items()
            if isinstance(pairs, QuestionPairs)
        )
        more = f", {len(self.extra_duplicates):,} more duplicates" if self.extra_duplicates else ""
        return f"Questions: {splits}{more} ({self.source})"


def load_questions(*, scored: int | None = None, verbose: bool = True) -> QuestionData:
    """Load question pairs from SIAMESE_COURSE_DATA, the cache, a download, or the course's own set.

    Prints the source, the row counts, and why it fell back if it did.

    Quora's pairs are split so that no question of a test pair is in a training or validation pair. The
    validation pairs are new *pairs*, whose questions training may have met in others, as on a site where
    the same questions are asked again and again. The threshold is for such use, and the test shows what
    is left of it on questions never seen.

    Args:
        scored: maximum pairs to validate and to test on, drawn at random; None for all.
        verbose: print the source and the row counts.

    Raises:
        DataError: a file exists, or was downloaded, and is damaged.
    """
    try:
        path, origin = locate("quora", FILE)
    except NetworkError as error:
        if verbose and not isinstance(error, DownloadsDisabled):
            print(f"Quora's data is not available: {error}")
        train, validation, test = own_pairs()
        data = QuestionData(train, validation, test, [], "the course's own questions")
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
    """Split Quora's pairs into three, as ``load_questions`` describes.

    Pairs with a respelled test question are dropped, and so are training pairs that repeat a validation pair.
    """
    rest, test = split_pairs(pairs, (1 - TEST_FRACTION, TEST_FRACTION), seed)
    is_validation = np.random.default_rng(seed).random(len(rest)) < VALIDATION_FRACTION
    taken = frozenset().union(*_forms(test))
    forms_of = _forms(rest)
    is_new = np.array([taken.isdisjoint(forms) for forms in forms_of])
    validation = rest.take(is_validation & is_new)
    known = set(_forms(validation))
    is_repeated = np.array([forms in known for forms in forms_of])
    extra = [
        pair
        for pair in extra_duplicates
        if taken.isdisjoint(forms := frozenset(map(normal_form, pair))) and forms not in known
    ]
    return QuestionData(
        rest.take(is_new & ~is_repeated),
        draw_to_fraction(validation, seed=seed),
        draw_to_fraction(test, seed=seed),
        extra,
        source,
    )


def _forms(pairs: QuestionPairs) -> list[frozenset[str]]:
    """The normal forms of the two questions of each pair."""
    return [
        frozenset(map(normal_form, pair))
        for pair in zip(pairs.question1, pairs.question2, strict=True)
    ]


def load_extra_duplicates() -> list[tuple[str, str]]:
    """Return extra duplicates, lower-cased and tokenized ("did n't"), if SIAMESE_COURSE_DATA has them.

    They have no question ids: ``split_quora`` drops those that are in the test or validation pairs.
    """
    path = in_data_directory(dataset("quora"), EXTRA_FILE)
    if path is None:
        return []
    rows = (line.rstrip("\r\n").split("\t") for _, line in text_lines(path, errors="replace"))
    return [(row[0], row[1]) for row in rows if len(row) == 2]
