"""What the course recipe trains on: all question pairs, in batches with few false negatives.

No two duplicates of a batch are of one group. A different pair may share a question with a duplicate.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from siamese_course.batching.padding import pad
from siamese_course.batching.questions import BATCH_SIZE, as_groups, group_batches
from siamese_course.datasets.quora import QuestionData
from siamese_course.sources.question_pairs import QuestionPairs, number_questions
from siamese_course.validation import (
    require_count,
    require_equal_sides,
    require_rng,
    require_same,
)

DIFFERENT_FRACTION = 0.35
"""Fraction of different pairs in a batch."""


def training_pairs(data: QuestionData) -> QuestionPairs:
    """Return all pairs to train on, the extra duplicates included.

    Questions that differ only in case, spaces or punctuation get one id, which joins their groups.
    """
    question1 = data.train.question1 + [pair[0] for pair in data.extra_duplicates]
    question2 = data.train.question2 + [pair[1] for pair in data.extra_duplicates]
    same = np.concatenate([data.train.same, np.ones(len(data.extra_duplicates), "int8")])
    return QuestionPairs(question1, question2, same, *number_questions(question1, question2))


def course_batches(
    left: Sequence[Sequence[int]],
    right: Sequence[Sequence[int]],
    same: npt.ArrayLike,
    groups: npt.ArrayLike,
    rng: np.random.Generator,
    batch_size: int = BATCH_SIZE,
) -> Iterator[tuple[list[np.ndarray], np.ndarray]]:
    """Yield batches endlessly: duplicates, then different pairs.

    Every duplicate occurs once in an epoch, and no two duplicates of a batch are of one group. The
    differences fill the batches, so that all batches of an epoch have the same number of rows.

    Args:
        left, right: n lists of ids each.
        same: (n,) 1 for duplicates, 0 for other pairs.
        groups: (n,) the duplicate group of each row.
        batch_size: maximum rows in a batch, at least 2.

    Yields:
        ([left, right], same): two (batch, length) int32 arrays and (batch,) float32.

    Raises:
        TypeError, ValueError: rows that are not lists of ids, arguments of unequal length, or no duplicate.
    """
    require_equal_sides(left, right)
    same, groups = require_same(same, len(left)), as_groups(groups)
    if len(groups) != len(left):
        raise ValueError(f"groups has {len(groups)} items; expected {len(left)}, one for each row")
    require_rng(rng)
    require_count(batch_size, "batch_size", low=2)
    duplicates, others = np.flatnonzero(same), np.flatnonzero(~same)
    if not len(duplicates):
        raise ValueError("same holds no duplicate; expected pairs with same = 1")
    lengths = np.array([max(len(a), len(b)) for a, b in zip(left, right, strict=True)])
    others = others[np.argsort(lengths[others], kind="stable")]
    room = max(2, round(batch_size * (1 - DIFFERENT_FRACTION))) if len(others) else batch_size
    while True:
        epoch = group_batches(
            groups[duplicates], min(room, len(duplicates)), rng, lengths[duplicates]
        )
        total = min(batch_size, round(max(map(len, epoch)) / (1 - DIFFERENT_FRACTION)))
        for batch in epoch:
            batch = duplicates[batch]
            if len(others):
                batch = np.concatenate([batch, _others_like(lengths, batch, others, total, rng)])
            length = -(-lengths[batch].max() // 4) * 4
            sides = [pad([side[row] for row in batch], length) for side in (left, right)]
            yield sides, same[batch].astype("float32")


def _others_like(
    lengths: np.ndarray,
    batch: np.ndarray,
    others: np.ndarray,
    batch_size: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw differences about as long as a batch's duplicates; ``others`` is sorted by length."""
    wanted = batch_size - len(batch)
    middle = np.searchsorted(lengths[others], np.median(lengths[batch]))
    window = min(len(others), max(8 * wanted, len(others) // 4))
    start = np.clip(middle - window // 2, 0, len(others) - window)
    return rng.choice(others[start : start + window], wanted, replace=wanted > window)
