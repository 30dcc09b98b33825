"""Question pairs of one's own: read them, and split them without a question in two splits."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from siamese_course.datasets.question_splits import components, draw_to_fraction
from siamese_course.datasets.quora import QuestionData
from siamese_course.own_data.splits import FRACTIONS, TRIES, deal
from siamese_course.own_data.tables import (
    RECORDS,
    read_table,
    require_table,
    suffix_of,
    to_numbers,
    to_texts,
)
from siamese_course.runtime.errors import DataError
from siamese_course.sources.question_pairs import (
    QUESTION_COLUMNS,
    QuestionPairs,
    ReadingReport,
    number_questions,
    read_pairs,
)


def read_question_pairs(path: Path | str) -> QuestionPairs:
    """Read labeled question pairs of one's own; rows of a .tsv that cannot be read, or lack a question, are reported and left out.

    Questions are known by their text: ids in the file are not used.

    Raises:
        DataError: the file cannot be read, or lacks columns, or a label is not 0 or 1.
    """
    path = Path(path)
    require_table(path)
    if suffix_of(path) not in ("csv", *RECORDS):
        report = ReadingReport()
        pairs = read_pairs(path, report, errors="strict")
        pairs = pairs.take(
            [bool(a and b) for a, b in zip(pairs.question1, pairs.question2, strict=True)]
        )
        reasons = f" ({report})" if report.malformed or report.empty_questions else ""
        if not len(pairs):
            raise DataError(f"{path} holds no question pair{reasons}.")
        if pairs.same.min() == pairs.same.max():
            raise DataError(
                f"{path} holds {len(pairs)} pairs, {pairs.same.sum()} of them duplicates; "
                f"expected both duplicates and other pairs{reasons}."
            )
        if reasons:
            also = "; pairs with an empty question are left out" * bool(report.empty_questions)
            print(f"{report}{also}")
        qid1, qid2 = number_questions(pairs.question1, pairs.question2)
        return replace(pairs, qid1=qid1, qid2=qid2)
    question1, question2, same = read_table(path, QUESTION_COLUMNS)
    labels = to_numbers(path, "is_duplicate", same)
    if set(labels) != {0, 1}:
        raise DataError(
            f"{path}: is_duplicate holds {sorted(set(labels.tolist()))[:5]}; expected both 0 and 1."
        )
    sides = to_texts(question1), to_texts(question2)
    return QuestionPairs(*sides, labels.astype("int8"), *number_questions(*sides))


def split_question_pairs(pairs: QuestionPairs, source: str, seed: int = 0) -> QuestionData:
    """Split question pairs so that no question is in two splits, and each holds both kinds of pairs.

    Groups of duplicates go to one split whole, together with the questions that occur once, in a different pair with
    one of the group. Any other different pair whose questions are in two splits is left out.

    Raises:
        DataError: there is no such split.
    """
    counts = dict(zip(*np.unique([pairs.qid1, pairs.qid2], return_counts=True), strict=True))
    once = [counts[a] == 1 or counts[b] == 1 for a, b in zip(pairs.qid1, pairs.qid2, strict=True)]
    # Such a pair cannot join two groups, so it may stay whole like a duplicate
    whole = ((pairs.same == 1) | once).astype("int8")
    linked = QuestionPairs(pairs.question1, pairs.question2, whole, pairs.qid1, pairs.qid2)
    turned = QuestionPairs(pairs.question2, pairs.question1, whole, pairs.qid2, pairs.qid1)
    groups = [components(side, duplicates_only=True) for side in (linked, turned)]
    for number in range(seed, seed + TRIES):
        split_of = np.empty(2 * len(pairs), int)
        for split, rows in enumerate(deal(np.concatenate(groups), "pairs", number)):
            split_of[rows] = split
        left, right = np.split(split_of, 2)
        splits = [pairs.take((left == split) & (right == split)) for split in range(len(FRACTIONS))]
        if len(np.unique(splits[0].same)) < 2:
            continue
        try:
            # A threshold holds for one fraction of duplicates: that of all pairs
            fraction = float(pairs.same.mean())
            validation, test = (draw_to_fraction(split, fraction, number) for split in splits[1:])
        except ValueError:
            continue
        if left_out := len(pairs) - sum(map(len, splits)):
            print(f"{left_out:,} pairs left out: their questions are in two splits.")
        if drawn := sum(map(len, splits[1:])) - len(validation) - len(test):
            print(
                f"{drawn:,} pairs left out of validation and test: there, the fraction of duplicates is that of all pairs."
            )
        return QuestionData(splits[0], validation, test, [], source)
    raise DataError(
        f"{source}: no split of {len(pairs)} pairs has duplicates and others for training, validation and "
        "test. Add pairs of questions that occur nowhere else."
    )
