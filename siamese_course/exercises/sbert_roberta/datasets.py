"""Exercise 5 of notebook 03: batches of pairs and triplets."""

from collections.abc import Mapping
from itertools import chain

import numpy as np

from siamese_course.batching.sentences import pad_rows
from siamese_course.exercises.cases import (
    RAGGED_SIDES,
    draw,
    in_our_words,
    require_own_order,
    require_rows_shuffled,
)
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    as_array,
    is_hidden,
    require_returned,
    seeded,
)

KEYS = ("token_ids", "padding_mask")
START, PAD, END = 0, 1, 2


def batches(sides, targets, batch_size, rng, pad_id):
    """Full batches without end, a new order in every pass: the exercise's own, simpler than ``random_batches``."""
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            shape = (batch_size, len(sides), -1)
            yield {name: ids.reshape(shape) for name, ids in flat.items()}, targets[rows]


# --- form ---------------------------------------------------------------------------------------------


def _sentences(count: int, side: int, seed: int = 0, max_length: int = 20) -> list[list[int]]:
    """Rows of ids as a tokenizer makes them; the second id names side and row."""
    rng = seeded([seed, side])
    return [
        [
            START,
            1000 * (side + 1) + row,
            *rng.integers(10, 900, rng.integers(0, max_length - 3)).tolist(),
            END,
        ]
        for row in range(count)
    ]


def _draw(answer, sides, targets, batch_size, rng, count, pad_id):
    """(ids, mask, targets) of the answer's first batches; raises ``Wrong`` where their form is wrong."""
    given, given_targets = [[list(row) for row in side] for side in sides], targets.copy()
    drawn = draw(answer, (given, given_targets, batch_size, rng, pad_id), count, RAGGED_SIDES)
    lengths, expected = (sorted(map(len, chain.from_iterable(both))) for both in (given, sides))
    if lengths != expected:
        raise Wrong(
            "Your code pads the original rows in place (`append` or `+=`), so they are longer the next time. "
            "`pad_rows` makes new ones.",
            "rows_changed",
        )
    if given != sides or not np.array_equal(given_targets, targets):
        raise Wrong(
            "Your code changes `sides` or `targets` in place, as `rng.shuffle` does: the next training run finds them "
            "in a different order. Draw an order, and use it to index the rows.",
            "changed",
        )
    return [_batch(batch, batch_size, len(sides)) for batch in drawn]


def _batch(batch, batch_size, sides):
    """(ids, mask, targets) of one batch: (batch, sides, length) twice, and (batch,)."""
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        raise Wrong(
            "Each batch must have two parts: the dictionary of ids and mask, and the targets.",
            "not_two",
        )
    ids, mask = _inputs(batch[0])
    expected = f"(batch, sides, length) = ({batch_size}, {sides}, ...)"
    if ids.ndim == 2 and len(ids) == batch_size * sides:
        raise Wrong(
            f"Rows and sides share one axis, {ids.shape}. Give the sides their own axis with `reshape`: {expected}.",
            "flat",
        )
    if ids.ndim != 3:
        raise Wrong(f"`token_ids` has shape {ids.shape}; expected {expected}.", "shape")
    if ids.shape[:2] == (sides, batch_size) and sides != batch_size:
        raise Wrong(
            f"The first two axes are swapped: {ids.shape}; expected {expected}.", "sides_first"
        )
    if ids.shape[1] != sides:
        raise Wrong(
            f"There are {ids.shape[1]} sides in a row; expected {sides}, as many as in `sides`.",
            "number_of_sides",
        )
    if len(ids) < batch_size:
        raise Wrong(
            f"A batch has {len(ids)} row(s) instead of {batch_size}. Leave out the incomplete batch at the end of a "
            "pass: the next pass has a different order.",
            "short_batch",
        )
    targets = as_array(batch[1], "`targets`")
    if len(ids) != batch_size or targets.size != batch_size:
        raise Wrong(
            f"A batch has {len(ids)} row(s) and {targets.size} target(s); expected {batch_size} of each.",
            "size",
        )
    return ids, mask, targets.ravel()


def _inputs(got):
    """Ids and mask of a batch."""
    require_returned(got, "The first part of a batch")
    if not isinstance(got, Mapping):
        raise Wrong(
            f"A batch starts with a `{type(got).__name__}`; expected a dictionary with `token_ids` and `padding_mask`.",
            "no_dictionary",
        )
    for key in KEYS:
        if key not in got:
            raise Wrong(
                f"`{key}` is missing from the dictionary; it has {', '.join(map(repr, got)) or 'nothing'}.",
                "key",
            )
    with in_our_words(RAGGED_SIDES):
        ids, mask = (np.asarray(got[key]) for key in KEYS)
    if ids.dtype.kind not in "iu":
        raise Wrong(f"`token_ids` has dtype {ids.dtype}; ids are integers.", "dtype")
    if mask.shape != ids.shape:
        raise Wrong(
            f"`padding_mask` has shape {mask.shape}; expected {ids.shape}, like `token_ids`.",
            "mask_shape",
        )
    return ids, mask


# --- what is in them ----------------------------------------------------------------------------------


def _numbers(ids):
    """Side and row of each sentence of a batch, (batch, sides) twice."""
    marks = np.max(ids, axis=-1)
    return marks // 1000 - 1, marks % 1000


def _require_together(ids, found, targets):
    sides, numbers = _numbers(ids)
    wanted = np.arange(ids.shape[1])
    if not (np.isin(sides, wanted).all() and (numbers < len(targets)).all()):
        raise Wrong("A batch contains ids that are in no row of `sides`.", "other_ids")
    if not (sides == wanted).all():
        if (np.sort(sides, axis=1) == wanted).all():
            raise Wrong("The sides are swapped: keep them in the order of `sides`.", "exchanged")
        raise Wrong(
            "A row of the batch contains the same side twice. Before `reshape`, the sentences must be in this order: "
            "left 1, right 1, left 2, right 2, and so on.",
            "side_by_side",
        )
    if not (numbers == numbers[:, :1]).all():
        raise Wrong(
            "A pair is split up: its sides come from different rows. Use *one* order for all sides.",
            "split_up",
        )
    if not np.allclose(found, targets[numbers[:, 0]]):
        raise Wrong(
            "The targets don't match the rows: take them in the same order, `targets[rows]`.",
            "other_targets",
        )


def _require_padded(rows, ids, mask, pad_id):
    """(n, length) ids and mask are those of ``pad_rows``."""
    right = pad_rows(rows, pad_id)
    longest, length, needed = max(map(len, rows)), ids.shape[-1], right["token_ids"].shape[-1]
    if length < longest:
        raise Wrong(
            f"The batch is {length} long, but its longest row has {longest} ids: something is cut off.",
            "cut_off",
        )
    if length != needed:
        raise Wrong(
            f"The batch is padded to {length}, but its longest row has {longest} ids. Pad only as much as *this batch* "
            "needs: give `pad_rows` all sides of its rows, and no others.",
            "length",
        )
    if not np.array_equal(ids, right["token_ids"]):
        raise Wrong("The padding must be `pad_id`, after the words. Use `pad_rows`.", "padding")
    if not np.array_equal(mask, right["padding_mask"]):
        raise Wrong(
            "The mask must be 1 for real tokens and 0 for padding. Take it from `pad_rows`.", "mask"
        )


def _test_batches(answer):
    """Pairs and triplets: what belongs together stays together, padded to what the batch needs."""
    cases = [(13, 2, 3, 1), (14, 3, 6, 5)] if is_hidden() else [(10, 2, 4, 1), (11, 3, 5, 7)]
    for case in [*cases, (4, 2, 1, 1)]:  # the last: one row at a time
        _require_batches(answer, *case)


def _require_batches(answer, count, sides, batch_size, pad_id):
    rows = [_sentences(count, side, max_length=40 if is_hidden() else 20) for side in range(sides)]
    targets = np.linspace(-1, 1, count).astype("float32")
    for ids, mask, found in _draw(answer, rows, targets, batch_size, seeded(0), 7, pad_id):
        _require_together(ids, found, targets)
        _, numbers = _numbers(ids)
        flat = [rows[side][row] for line in numbers for side, row in enumerate(line)]
        length = ids.shape[-1]
        _require_padded(flat, ids.reshape(-1, length), mask.reshape(-1, length), pad_id)


# --- their order --------------------------------------------------------------------------------------


def _test_order(answer):
    """Two passes over 12 rows, in batches of 4; the instructor's over 15."""
    n = 15 if is_hidden() else 12
    rows = [_sentences(n, side, seed=1) for side in range(2)]
    targets = np.linspace(-1, 1, n).astype("float32")

    def passes(seed):
        drawn = _draw(answer, rows, targets, n // 3, seeded(seed), 6, PAD)
        order = [int(row) for ids, _, _ in drawn for row in _numbers(ids)[1][:, 0]]
        if sorted(order) != sorted([*range(n), *range(n)]):
            for ids, _, found in drawn:
                _require_together(ids, found, targets)
        return order[:n], order[n:]

    first, second = passes(0)
    both, short = first + second, 2 * n // 3
    if sorted(first) != list(range(n)) and all(
        len(set(both[start : start + short])) == short for start in range(0, 2 * n, short)
    ):
        raise Wrong(
            f"A pass has one batch too few: of {n} rows in batches of {n // 3}, {n // 3} never appear. Does the first "
            "batch start at 0, and the last full one at n - batch_size?",
            "last_batch_lost",
        )
    if first[: n // 3] == first[n // 3 : 2 * n // 3] == first[2 * n // 3 :]:
        raise Wrong("Every batch is the same: move on to the next rows.", "same_batch")
    if first == list(range(n)):
        raise Wrong(
            "The rows come in their original order. Shuffle them, including in the first pass.",
            "not_shuffled",
        )
    if sorted(first) != list(range(n)) or sorted(second) != list(range(n)):
        raise Wrong(
            "Some rows appear twice in a pass and others not at all. Draw a permutation, `rng.permutation(n)`, and use "
            "all of it.",
            "not_a_permutation",
        )
    if first == second:
        raise Wrong(
            "Every pass has the same order. Draw a new one at the beginning of each.", "one_order"
        )
    require_rows_shuffled(first, second, n // 3)
    require_own_order(lambda seed: passes(seed)[0])
    _require_rest_left_out(answer)
    # All rows in a batch: here, since an answer that leaves out the last full batch would never yield one
    for count in (3, 1):
        _require_batches(answer, count, 2, count, PAD)


def _require_rest_left_out(answer):
    """One batch of 11 is a pass over 20 rows; the next one holds all other nine by chance once in 3,000 times."""
    rows = [_sentences(20, side, seed=2) for side in range(2)]
    targets = np.linspace(-1, 1, 20).astype("float32")
    drawn = _draw(answer, rows, targets, 11, seeded(0), 2, PAD)
    first, second = (set(_numbers(ids)[1][:, 0].tolist()) for ids, _, _ in drawn)
    if set(range(20)) - first <= second:
        raise Wrong(
            "The rows that don't fill a batch go into the next pass, where they may appear twice. Drop them at the end "
            "of their own pass: every pass is a new permutation.",
            "rest_kept",
        )


def _ready(answer):
    rows = [_sentences(4, side) for side in range(2)]
    inputs, targets = next(answer(rows, np.zeros(4, "float32"), 2, seeded(0), PAD))
    for array in (*(inputs[key] for key in KEYS), targets):
        if not hasattr(array, "shape"):
            raise TypeError("its batches are lists, and Keras takes arrays")
    if set(inputs) != set(KEYS):
        raise TypeError("the dictionary has more entries than the model has inputs")


datasets = Exercise(
    name="03.datasets",
    title="Pair and triplet batches",
    parts=[Part(5, _test_batches), Part(5, _test_order)],
    reference=[batches],
    ready=_ready,
    hints=(
        "Draw a random order of the rows, and take `batch_size` of them at a time. Put all their sides in one long "
        "list, let `pad_rows` pad it, and give the sides their own axis. Repeat forever.",
        "`while True:`, `rng.permutation(len(targets))`, and `range(0, n - batch_size + 1, batch_size)`, which leaves out "
        "an incomplete batch. Row by row: `[side[row] for row in rows for side in sides]`.",
        "`flat = pad_rows([side[row] for row in rows for side in sides], pad_id)`, then "
        "`yield {name: ids.reshape(len(rows), ..., -1) for name, ids in flat.items()}, targets[...]`.",
    ),
)
