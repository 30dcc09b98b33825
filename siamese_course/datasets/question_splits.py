"""Splits of question pairs: no question of a training pair in the test, and a stated rate of duplicates."""

from collections.abc import Sequence

import numpy as np

from siamese_course.sources.question_pairs import QuestionPairs
from siamese_course.validation import (
    require_count,
    require_fraction,
    require_instance,
    require_numbers,
)

DUPLICATE_FRACTION = 0.37
"""Fraction of duplicates in Quora's data: what validation and test pairs are drawn to."""


def components(pairs: QuestionPairs, *, duplicates_only: bool = False) -> np.ndarray:
    """Return the component of each pair, (n,): pairs that share a question have the same number.

    With ``duplicates_only``, only duplicate pairs link questions. Pairs of one duplicate group then share
    a number, and a different pair has the number of its first question's group.
    """
    require_instance(pairs, "pairs", QuestionPairs)
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    questions, codes = np.unique(np.concatenate([pairs.qid1, pairs.qid2]), return_inverse=True)
    left, right = np.split(codes, 2)
    links = pairs.same == 1 if duplicates_only else np.ones(len(pairs), bool)
    graph = coo_matrix((links[links], (left[links], right[links])), shape=(len(questions),) * 2)
    return connected_components(graph, directed=False)[1][left]


def split_pairs(
    pairs: QuestionPairs, fractions: Sequence[float] = (0.8, 0.1, 0.1), seed: int = 0
) -> list[QuestionPairs]:
    """Split pairs so that no question, and no question linked to it by any pair, is in two splits.

    A random split of the *pairs* leaks: a question of a test pair is often in a training pair, too. So
    whole components of linked pairs go to one split. They are dealt in random order, each to the split
    that is farthest from its size; the largest ones, which are rare, go first.

    Args:
        pairs: all pairs.
        fractions: sizes of the splits, adding up to 1.
        seed: of the order.

    Returns:
        One ``QuestionPairs`` for each fraction.

    Raises:
        ValueError: the fractions do not add up to 1, or there are more splits than components.
    """
    require_instance(pairs, "pairs", QuestionPairs)
    require_count(seed, "seed", low=0)
    require_numbers(fractions, "fractions", (None,), "(splits,)")
    if min(fractions) <= 0 or abs(sum(fractions) - 1) > 1e-9:
        raise ValueError(
            f"fractions is {tuple(fractions)}; expected positive numbers that add up to 1"
        )
    return [pairs.take(rows) for rows in split_components(components(pairs), fractions, seed)]


def split_components(
    component: np.ndarray, fractions: Sequence[float], seed: int = 0
) -> list[np.ndarray]:
    """Deal whole components of rows to splits, as ``split_pairs`` describes it.

    Args:
        component: (n,) the component of each row, as ``components`` numbers them.
        fractions, seed: as ``split_pairs``.

    Returns:
        The row indices of each split.

    Raises:
        ValueError: there are more splits than components.
    """
    sizes = np.bincount(component)
    if len(sizes) < len(fractions):
        raise ValueError(
            f"the pairs form {len(sizes)} component(s); expected at least {len(fractions)}, "
            "one for each split"
        )
    order = np.random.default_rng(seed).permutation(len(sizes))
    order = order[np.argsort(-np.minimum(sizes[order], 1000) // 100, kind="stable")]
    missing = np.array(fractions) * len(component)
    split_of = np.empty(len(sizes), int)
    for number in order:
        split = int(np.argmax(missing / np.array(fractions)))
        split_of[number] = split
        missing[split] -= sizes[number]
    return [np.flatnonzero(split_of[component] == split) for split in range(len(fractions))]


def draw_to_fraction(
    pairs: QuestionPairs, fraction: float = DUPLICATE_FRACTION, seed: int = 0
) -> QuestionPairs:
    """Draw as many pairs as possible so that this fraction of them are duplicates.

    An accuracy or a threshold holds only for the fraction of duplicates that it was measured at: with
    85% duplicates, calling everything a duplicate is right in 85 of 100 cases.

    Args:
        pairs: pairs of both kinds.
        fraction: of duplicates, between 0 and 1.
        seed: of the choice.

    Raises:
        ValueError: the fraction is not between 0 and 1, or one kind is missing.
    """
    require_instance(pairs, "pairs", QuestionPairs)
    require_fraction(fraction)
    kinds = [np.flatnonzero(pairs.same == kind) for kind in (0, 1)]
    total = round(min(len(kinds[0]) / (1 - fraction), len(kinds[1]) / fraction))
    counts = [total - round(total * fraction), round(total * fraction)]
    if min(counts) <= 0:
        raise ValueError(
            f"pairs has {len(kinds[1])} duplicates and {len(kinds[0])} others; "
            f"expected enough of both for a fraction of {fraction}"
        )
    rng = np.random.default_rng(seed)
    chosen = [
        rng.choice(kind, count, replace=False) for kind, count in zip(kinds, counts, strict=True)
    ]
    return pairs.take(np.sort(np.concatenate(chosen)))
