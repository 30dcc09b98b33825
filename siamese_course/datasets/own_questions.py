"""The course's own questions: groups of one meaning, and labeled near misses between them.

The files are in ``data/questions`` of the repository, with a card that describes how they were made, and
inside the installed package. A *group* holds questions of one meaning; a *family* holds neighboring groups; a
*near miss* is a pair of questions of one family that share most of their words and mean different things.

``questions.tsv`` and ``near_misses.tsv`` are the set that the course trains, validates and tests on.
``more_questions.tsv`` and ``more_near_misses.tsv`` have the same columns, and only questions to train on.
"""

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
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


def read_questions(folder: Path | None = None, *, more: bool = False) -> list[Question]:
    """Return all questions, in the order of the file: of the set, or the additional ones to train on."""
    name = "more_questions.tsv" if more else "questions.tsv"
    return [Question(*row) for row in _rows(name, folder)]


def read_near_misses(folder: Path | None = None, *, more: bool = False) -> list[tuple[str, str]]:
    """Return pairs of questions that look alike and mean different things: of the set, or the additional ones."""
    name = "more_near_misses.tsv" if more else "near_misses.tsv"
    return [(left, right) for left, right in _rows(name, folder)]


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
        folder: with the files. The default is the one that ships with the course.

    Raises:
        ValueError: the questions make too few different pairs.
    """
    questions = read_questions(folder)
    near_misses = read_near_misses(folder)
    rng = np.random.default_rng(seed)
    return [_pairs_of(split, questions, near_misses, rng) for split in SPLITS]


def more_pairs(folder: Path | None = None) -> QuestionPairs:
    """Return pairs of the additional questions: every pair inside a group, and every near miss. Their ids begin at 0."""
    questions = read_questions(folder, more=True)
    near_misses = read_near_misses(folder, more=True)
    return _as_pairs(questions, *_labeled(questions, range(len(questions)), near_misses))


def _labeled(questions: list[Question], indices: Iterable[int], near_misses: list) -> tuple:
    """Index pairs among some of the questions: a list of all duplicates, a set of all near misses."""
    groups = defaultdict(list)
    for n in indices:
        groups[questions[n].family, questions[n].group].append(n)
    index_of = {questions[n].text: n for n in indices}
    known = [(index_of[a], index_of[b]) for a, b in near_misses if a in index_of]
    duplicates = sorted(pair for group in groups.values() for pair in combinations(group, 2))
    return duplicates, {tuple(sorted(pair)) for pair in known}


def _pairs_of(
    split: str,
    questions: list[Question],
    near_misses: list[tuple[str, str]],
    rng: np.random.Generator,
) -> QuestionPairs:
    indices = [n for n, question in enumerate(questions) if question.split == split]
    place_of = {n: (questions[n].family, questions[n].group) for n in indices}
    duplicates, different = _labeled(questions, indices, near_misses)
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
    return _as_pairs(questions, duplicates, different)


def _as_pairs(questions: list[Question], duplicates: list, different: set) -> QuestionPairs:
    left, right = np.array(duplicates + sorted(different)).T
    return QuestionPairs(
        [questions[n].text for n in left],
        [questions[n].text for n in right],
        np.repeat(np.array([1, 0], "int8"), [len(duplicates), len(different)]),
        left,
        right,
    )
