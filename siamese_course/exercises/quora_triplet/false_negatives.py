"""Exercise 10 of notebook 02: batches without false negatives."""

import numpy as np

from siamese_course.batching.questions import group_batches
from siamese_course.exercises.cases import require_own_order
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    is_hidden,
    require_returned,
    seeded,
)
from siamese_course.exercises.observe import REUSED_RESULT


def _groups() -> np.ndarray:
    """Groups of many sizes, the numbers not in a row: the largest has 12 rows."""
    rng = seeded(3)
    sizes = [12, 9, 7, *rng.integers(1, 6, 40)]
    return rng.permutation(np.repeat(1000 + 3 * np.arange(len(sizes)), sizes))


def _epoch(answer, groups, batch_size, seed=0) -> list[np.ndarray]:
    """One epoch of an answer, as arrays of row indices."""
    before = groups.copy()
    made = answer(groups, batch_size, seeded(seed))
    require_returned(made)
    if hasattr(made, "__next__") or isinstance(made, map | zip):
        raise Wrong("This is a generator. Return a list: one epoch of batches.", "generator")
    if not isinstance(made, list | tuple):
        raise Wrong(
            f"The function returns a `{type(made).__name__}`; expected a list of batches.", "type"
        )
    if not np.array_equal(before, groups):
        raise Wrong("Your code changes `groups`. Work on a copy.", "groups_changed")
    try:
        batches = [np.asarray(batch) for batch in made]
    except (TypeError, ValueError):
        raise Wrong("A batch is not a list of row indices.", "type") from None
    if not batches:
        raise Wrong("There are no batches in the list.", "no_batches")
    for number, batch in enumerate(batches):
        if batch.ndim != 1:
            raise Wrong(
                f"Batch {number} has shape {batch.shape}; expected a flat list of row indices.",
                "shape",
            )
        if not len(batch):
            raise Wrong(f"Batch {number} of {len(batches)} has no rows in it.", "empty_batch")
        if batch.dtype.kind not in "iu":
            raise Wrong(
                f"Batch {number} holds {batch.dtype} values; expected row indices, which are integers.",
                "no_integers",
            )
    return batches


def _test_rows(answer):
    """Every row once, and no batch too large."""
    groups, size = _groups(), 7 if is_hidden() else 9
    batches = _epoch(answer, groups, size)
    rows = np.concatenate(batches)
    if set(rows.tolist()) <= set(groups.tolist()) and not set(rows.tolist()) <= set(
        range(len(groups))
    ):
        raise Wrong("These are group numbers. Return indices of rows.", "groups")
    if len(np.unique(rows)) < len(rows):
        raise Wrong("Some rows appear twice in an epoch. Each must appear once.", "rows_twice")
    if len(rows) < len(groups):
        if len(np.unique(groups)) == len(rows) == len(np.unique(groups[rows])):
            raise Wrong(
                "There is only one row from each group. Use every row: the others go into other batches.",
                "one_per_group",
            )
        raise Wrong(
            f"{len(groups) - len(rows)} of {len(groups)} rows are missing. Each must appear once in an epoch.",
            "rows_missing",
        )
    if max(map(len, batches)) > size:
        raise Wrong(
            f"A batch has {max(map(len, batches))} rows; batch_size is {size}.", "too_large"
        )
    for few, size in (([7], 1), ([3, 3], 2), ([1, 2, 3, 4, 5], 2), ([9, 9, 9, 8, 8, 1], 1)):
        batches = [batch.tolist() for batch in _epoch(answer, np.array(few, "uint8"), size)]
        if (
            sorted(row for batch in batches for row in batch) != list(range(len(few)))
            or max(map(len, batches)) > size
        ):
            raise Wrong(
                f"With groups {few} and batch_size {size} the batches are {batches}; expected every row once, and at "
                "most batch_size in a batch.",
                "few_rows",
            )


def _test_groups(answer):
    """No two rows of one group together, without wasting batches."""
    groups = _groups()
    for size in (7, 60) if is_hidden() else (9, 32):
        batches = _epoch(answer, groups, size)
        _require_apart(batches, groups)
        fewest = max(-(-len(groups) // size), int(np.unique(groups, return_counts=True)[1].max()))
        if len(batches) > 1.5 * fewest + 1:
            raise Wrong(
                f"There are {len(batches)} batches; {fewest} are enough. Small batches have few negatives: fill them.",
                "many_batches",
            )


def _require_apart(batches, groups):
    """No batch holds two rows of one group."""
    met = sum(len(batch) - len(np.unique(groups[batch])) for batch in batches)
    if not met:
        return
    found = (
        (number, batch[groups[batch] == group])
        for number, batch in enumerate(batches, 1)
        for group in np.unique(groups[batch])
    )
    number, rows = next(each for each in found if len(each[1]) > 1)
    largest = int(np.unique(groups, return_counts=True)[1].max())
    few = (
        f" There are {len(batches)} batches, and the largest group has {largest} rows, each of which needs a batch of its own."
        if len(batches) < largest
        else ""
    )
    raise Wrong(
        f"In {met} cases, two rows of the same group are in one batch. For example, batch {number} has rows {rows[0]} "
        f"and {rows[1]}, both of group {groups[rows[0]]}.{few}",
        "false_negatives",
    )


def _test_order(answer):
    groups = _groups()
    require_own_order(lambda seed: [b.tolist() for b in _epoch(answer, groups, 32, seed)])
    first = _epoch(answer, groups, 32)
    before = [batch.tolist() for batch in first]
    other = _epoch(answer, groups, 32, seed=1)
    if [batch.tolist() for batch in first] != before:
        raise Wrong(*REUSED_RESULT)
    if set(map(frozenset, before)) == {frozenset(batch.tolist()) for batch in other}:
        raise Wrong(
            "The same rows share a batch whatever the `rng`: only their order is new. Shuffle the rows before you deal "
            "them.",
            "fixed_batches",
        )


false_negatives = Exercise(
    name="02.false_negatives",
    title="Batches without false negatives",
    parts=[Part(3, _test_rows), Part(5, _test_groups), Part(2, _test_order)],
    reference=[group_batches],
    hints=(
        "Deal the rows like cards: put the rows of a group side by side, and give one row to each batch in turn. Then "
        "the rows of a group go to different batches, if there are enough batches.",
        "There must be `ceil(n / batch_size)` batches, and at least as many as the largest group has rows: "
        "`np.unique(groups, return_counts=True)[1].max()`. Shuffle first; `np.argsort(groups[order], kind='stable')` "
        "then puts the rows of a group side by side. Every `count`-th row is `order[start::count]`.",
        "`order = rng.permutation(len(groups))`, `order = order[np.argsort(groups[...], kind='stable')]`, "
        "`count = max(..., ...)`, `return [order[start::count] for start in range(...)]`.",
    ),
)
