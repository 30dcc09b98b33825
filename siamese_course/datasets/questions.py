"""The course's own questions: groups of one meaning, and labelled near misses between them.

The files are in ``data/questions`` of the repository, with a card that says how they were made, and inside
the installed package. A *group* holds questions of one meaning; a *family* holds neighbouring groups; a
*near miss* is a pair of questions of one family that share most of their words and mean different things.
"""

import csv
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from siamese_course.datasets.quora import DUPLICATE_SHARE, QuestionPairs
from siamese_course.runtime.shipped import shipped

PARTS = ("train", "validation", "test")


@dataclass(frozen=True)
class Question:
    """One question with its place: part (train, validation, test), topic, family, group."""

    part: str
    topic: str
    family: str
    group: str
    text: str


def read_questions(folder: Path | None = None) -> list[Question]:
    """All questions, in the order of the file."""
    with open((folder or shipped("questions")) / "questions.tsv", encoding="utf-8") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [Question(*row) for row in rows]


def read_near_misses(folder: Path | None = None) -> list[tuple[str, str]]:
    """Pairs of questions that look alike and mean different things."""
    with open((folder or shipped("questions")) / "near_misses.tsv", encoding="utf-8") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [(left, right) for left, right in rows]


def own_pairs(
    share: float = DUPLICATE_SHARE, seed: int = 0, folder: Path | None = None
) -> list[QuestionPairs]:
    """Labelled pairs of the course's own questions: train, validation and test.

    The parts are given in the file: a family, and so every group, stands in one part only. In each part
    the pairs are: every pair inside a group (duplicates), every near miss, and as many pairs of two
    groups, drawn at random, as make the share of duplicates.

    Args:
        share: of duplicates in every part.
        seed: of the drawn pairs.
        folder: with the two files; those that come with the course if not given.

    Returns:
        Three ``QuestionPairs``.

    Raises:
        ValueError: the share is not between 0 and 1, or needs more pairs than the questions make.
    """
    if not 0 < share < 1:
        raise ValueError(f"share is {share}; expected a number between 0 and 1")
    questions = read_questions(folder)
    near_misses = read_near_misses(folder)
    rng = np.random.default_rng(seed)
    return [_pairs_of(part, questions, near_misses, share, rng) for part in PARTS]


def _pairs_of(part, questions, near_misses, share, rng) -> QuestionPairs:
    numbers = [n for n, question in enumerate(questions) if question.part == part]
    places = [(questions[n].family, questions[n].group) for n in numbers]
    number_of = {questions[n].text: n for n in numbers}
    duplicates = [
        (a, b)
        for (a, place), (b, other) in combinations(zip(numbers, places, strict=True), 2)
        if place == other
    ]
    different = {
        tuple(sorted((number_of[left], number_of[right])))
        for left, right in near_misses
        if left in number_of
    }
    wanted = round(len(duplicates) * (1 - share) / share)
    possible = len(numbers) * (len(numbers) - 1) // 2 - len(duplicates)
    if wanted > possible:
        raise ValueError(
            f"share is {share}, which needs {wanted:,} different pairs; "
            f"the {part} questions make {possible:,}"
        )
    while len(different) < wanted:
        a, b = sorted(rng.choice(len(numbers), 2, replace=False))
        if places[a] != places[b]:
            different.add((numbers[a], numbers[b]))
    pairs = np.array(duplicates + sorted(different))
    return QuestionPairs(
        [questions[n].text for n in pairs[:, 0]],
        [questions[n].text for n in pairs[:, 1]],
        np.repeat(np.array([1, 0], "int8"), [len(duplicates), len(different)]),
        pairs[:, 0],
        pairs[:, 1],
    )
