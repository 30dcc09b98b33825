"""The course's own questions: groups of one meaning, and labeled near misses between them.

The files are in ``data/questions`` of the repository, with a card that describes how they were made, and
inside the installed package. A *group* holds questions of one meaning; a *family* holds neighboring groups; a
*near miss* is a pair of questions of one family that share most of their words and mean different things.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from siamese_course.datasets import SPLITS
from siamese_course.datasets.question_splits import DUPLICATE_FRACTION
from siamese_course.runtime.shipped import shipped
from siamese_course.sources.question_pairs import QuestionPairs


@dataclass(frozen=True)
class Question:
    """One question with its place: split (train, validation, test), topic, family, group."""

    split: str
    topic: str
    family: str
    group: str
    text: str


def read_questions(folder: Path | None = None) -> list[Question]:
    """Return all questions, in the order of the file."""
    return [Question(*row) for row in _rows("questions.tsv", folder)]


def read_near_misses(folder: Path | None = None) -> list[tuple[str, str]]:
    """Return pairs of questions that look alike and mean different things."""
    return [(left, right) for left, right in _rows("near_misses.tsv", folder)]


def _rows(name: str, folder: Path | None) -> Iterator[list[str]]:
    with open((folder or shipped("questions")) / name, encoding="utf-8") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        yield from rows


def own_pairs(seed: int = 0, folder: Path | None = None) -> list[QuestionPairs]:
    """Return labeled pairs of the course's own questions: train, validation and test.

    The file gives the splits: a family, and so every group, is in one split only. The pairs of a split
    are every pair inside a group (duplicates), every near miss, and as many random pairs of two groups
    as ``DUPLICATE_FRACTION`` asks for.

    Args:
        seed: of the drawn pairs.
        folder: with the two files. The default is the one that ships with the course.

    Raises:
        ValueError: the questions make too few different pairs.
    """
    questions = read_questions(folder)
    near_misses = read_near_misses(folder)
    rng = np.random.default_rng(seed)
    return [_pairs_of(split, questions, near_misses, rng) for split in SPLITS]


def _pairs_of(
    split: str,
    questions: list[Question],
    near_misses: list[tuple[str, str]],
    rng: np.random.Generator,
) -> QuestionPairs:
    indices = [n for n, question in enumerate(questions) if question.split == split]
    place_of = {n: (questions[n].family, questions[n].group) for n in indices}
    index_of = {questions[n].text: n for n in indices}
    duplicates = [(a, b) for a, b in combinations(indices, 2) if place_of[a] == place_of[b]]
    different = {
        tuple(sorted((index_of[left], index_of[right])))
        for left, right in near_misses
        if left in index_of
    }
    wanted = round(len(duplicates) * (1 - DUPLICATE_FRACTION) / DUPLICATE_FRACTION)
    possible = len(indices) * (len(indices) - 1) // 2 - len(duplicates)
    if wanted > possible:
        raise ValueError(
            f"{DUPLICATE_FRACTION:.0%} duplicates need {wanted:,} different pairs; "
            f"the {split} questions make {possible:,}"
        )
    while len(different) < wanted:
        a, b = (indices[place] for place in sorted(rng.choice(len(indices), 2, replace=False)))
        if place_of[a] != place_of[b]:
            different.add((a, b))
    left, right = np.array(duplicates + sorted(different)).T
    return QuestionPairs(
        [questions[n].text for n in left],
        [questions[n].text for n in right],
        np.repeat(np.array([1, 0], "int8"), [len(duplicates), len(different)]),
        left,
        right,
    )
