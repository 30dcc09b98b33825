"""Exercise 2 of notebook 02: the data generator."""

from copy import deepcopy
from functools import partial
from itertools import chain

import numpy as np

from siamese_course.batching.padding import PAD, pad, power_of_two
from siamese_course.batching.questions import classic_batches
from siamese_course.exercises.cases import Known, draw, is_pair, require_rows_shuffled
from siamese_course.exercises.engine import Exercise, Part, Wrong, is_hidden, seeded
from siamese_course.exercises.quora_triplet.rows import id_rows, told_to_pad

INDEX_ERROR = Known(
    ("IndexError",),
    "IndexError at the end of the data: the index must go back to 0 there, not to the length of the data. (This is the "
    "bug in the published version.)",
    "index_error",
)


def data_generator(left, right, batch_size, shuffle, rng, pad=PAD):
    """Batches of duplicates without end, padded with ``pad``."""
    for sides in classic_batches(left, right, batch_size, shuffle=shuffle, rng=rng):
        yield tuple(np.where(side == PAD, pad, side) for side in sides)


# --- form ---------------------------------------------------------------------------------------------


def _draw(answer, left, right, batch_size, shuffle, rng, count, **options):
    """Batches of the answer; raises ``Wrong`` where they are not pairs of arrays."""
    before = deepcopy([left, right])
    make, arguments = partial(answer, **options), (left, right, batch_size, shuffle)
    epoch = len(left) // batch_size
    with told_to_pad():
        if count > epoch:  # an IndexError before the end of the data is another bug
            draw(make, (*arguments, deepcopy(rng)), epoch)
        batches = draw(make, (*arguments, rng), count, INDEX_ERROR)
    for batch in batches:
        if not is_pair(batch):
            raise Wrong("Each batch must be two arrays: (left, right).", "no_pair")
    if [left, right] != before:
        raise Wrong(
            "Your code changes `left` or `right` in place (as `append`, `+=`, and `shuffle` do), so the next epoch "
            "differs. Work on copies: `row + [pad] * ...`.",
            "changed",
        )
    return [[_ids(side) for side in batch] for batch in batches]


def _ids(side) -> np.ndarray:
    with told_to_pad():
        array = np.asarray(side)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise Wrong(
            f"A side of a batch has shape {array.shape} and type {array.dtype}; expected (batch, length) of "
            "integers.",
            "shape",
        )
    return array


def _rows_of(side) -> list[int]:
    """Which rows these are, wherever the padding is."""
    return side.max(axis=1).tolist()


def _require_pairs(batches, message, tag):
    for left, right in batches:
        if [row + 1000 for row in _rows_of(left)] != _rows_of(right):
            raise Wrong(message, tag)


# --- order --------------------------------------------------------------------------------------------


def _test_order(answer):
    """Without shuffling: the rows in order, past the end of the data."""
    n, size, count = (13, 5, 9) if is_hidden() else (10, 4, 6)
    left, right = id_rows(n, 6, 0), id_rows(n, 6, 1)
    batches = _draw(answer, left, right, size, False, seeded(0), count)
    for a, b in batches:
        if len(a) == len(b) == n % size:
            raise Wrong(
                "The batch at the end of the data is short. Fill it with the first rows of the next epoch.",
                "short_batch",
            )
        if len(a) != size or len(b) != size:
            raise Wrong(
                f"A batch has {len(a)} and {len(b)} rows; expected batch_size = {size}.",
                "batch_size",
            )
    firsts = [_rows_of(a) for a, _ in batches]
    if all(2000 <= first < 3000 for row in firsts for first in row):
        raise Wrong("Left and right are swapped.", "swapped")
    _require_pairs(
        batches,
        "The rows of left and right don't match: pairs are split up.",
        "torn_apart",
    )
    expected = [[1000 + (size * k + i) % n for i in range(size)] for k in range(count)]
    if firsts == expected:
        return
    whole = n // size  # batches of an epoch that are full
    if firsts == [expected[k % whole] for k in range(count)]:
        raise Wrong(
            "The last rows of an epoch are dropped. Carry a partly filled batch over to the next epoch.",
            "rows_dropped",
        )
    if all(rows == firsts[0] for rows in firsts):
        raise Wrong("Every batch is the same: the index does not advance.", "same_batch")
    at = next(place for place, rows in enumerate(firsts) if rows != expected[place])
    found, wanted = ([row - 1000 for row in each[at]] for each in (firsts, expected))
    raise Wrong(
        f"With shuffle=False the rows of batch {at + 1} are {found}; expected {wanted}.", "order"
    )


# --- padding ------------------------------------------------------------------------------------------


def _test_padding(answer):
    if is_hidden():
        _test_other_lengths(answer)
        return
    left = [[1000, 5], [1001], [1002, 7, 8, 9], [1003], [1004], [1005]]
    right = [[2000], [2001, 4, 5, 6, 7], [2002], [2003, 5], [2004, 3], [2005]]
    batches = _draw(answer, left, right, 2, False, seeded(0), 3)
    _require_form(*batches[0])
    _require_lengths([a.shape[1] for a, _ in batches])
    for number, batch in enumerate(batches):
        for rows, side in zip((left, right), batch, strict=True):
            _require_padded(rows[2 * number : 2 * number + 2], side)
    (a, _), *_ = _draw(answer, left, right, 2, False, seeded(0), 3, pad=3)
    if np.array_equal(a, pad(left[:2], 8)):
        raise Wrong("The padding is always 1. Use the argument `pad`.", "pad_fixed")
    _require_padded(left[:2], a, 3)
    _test_other_lengths(answer)


def _require_form(a, b):
    """Of the first batch."""
    if a.shape[1] != b.shape[1]:
        raise Wrong(
            f"The sides are padded to {a.shape[1]} and {b.shape[1]}. Pad both to the same length, based on the longest "
            "question of either side.",
            "two_lengths",
        )
    if PAD not in a[0] and 0 in a[0]:
        raise Wrong("The padding is 0, which means unknown. Pad with 1, `<PAD>`.", "pad_is_zero")
    if (a[:, -1] > PAD).all() and (a[:, 0] == PAD).any():
        raise Wrong("The padding comes first. Put it after the words.", "padded_in_front")


# lengths of three batches that known mistakes give; their longest questions have 2, 4, 1 words left, 5, 2, 2 right
LENGTHS = {
    (5, 4, 2): (
        "The batch is padded to its longest question, 5. Pad to the power of two at or above it: 8.",
        "no_power_of_two",
    ),
    (4, 4, 2): (
        "The length is the power of two *below* that of the longest question, 5, which gets cut off. Take the one "
        "above: 8.",
        "power_below",
    ),
    (8, 8, 4): (
        "The longest question of the second batch has 4 words, which is already a power of two; you padded to 8.",
        "power_above",
    ),
    (8, 8, 8): (
        "Every batch is padded to 8, for the longest question in all of the data. Each batch needs its own length.",
        "one_length",
    ),
    (2, 4, 1): (
        "The left side alone decides the length, so a right question of 5 words is cut off. Take the longest question "
        "of *either* side.",
        "left_only",
    ),
    (8, 2, 2): (
        "The right side alone decides the length, so a left question of 4 words is cut off. Take the longest question "
        "of *either* side.",
        "right_only",
    ),
}


def _require_lengths(found):
    if found == [8, 4, 2]:
        return
    if tuple(found) in LENGTHS:
        raise Wrong(*LENGTHS[tuple(found)])
    raise Wrong(
        f"The longest questions of the first three batches have 5, 4 and 2 words, and the batches have lengths {found}; "
        "expected [8, 4, 2].",
        "lengths",
    )


def _require_padded(rows, side, padding=PAD, length=None):
    expected = pad(rows, length or side.shape[1])
    expected = np.where(expected == PAD, padding, expected)
    if not np.array_equal(side, expected):
        raise Wrong(
            f"The ids {rows} became {side.tolist()}; expected {expected.tolist()}, with {padding} as padding.",
            "value",
        )


def _test_other_lengths(answer):
    """Other lengths, batch sizes and paddings: one word, one row, all rows."""
    for lengths, size, padding in (((3, 9, 1, 2), 2, 1), ((1, 1, 2), 3, 0), ((20, 33, 5), 1, 1)):
        left, right = (
            [
                [first + n, *seeded(first + n).integers(2, 900, length - 1).tolist()]
                for n, length in enumerate(those)
            ]
            for first, those in ((1000, lengths), (2000, lengths[::-1]))
        )
        count = len(lengths) // size
        batches = _draw(answer, left, right, size, False, seeded(0), count, pad=padding)
        for number, batch in enumerate(batches):
            sides = [side[number * size : (number + 1) * size] for side in (left, right)]
            length = power_of_two(max(map(len, chain(*sides))))
            for rows, side in zip(sides, batch, strict=True):
                _require_padded(rows, side, padding, length)


# --- shuffling ----------------------------------------------------------------------------------------


def _test_shuffle(answer):
    n = 15 if is_hidden() else 12
    left, right = id_rows(n, 4, 0), id_rows(n, 4, 1)

    def epochs(seed):
        batches = _draw(answer, left, right, n // 3, True, seeded(seed), 6)
        _require_pairs(
            batches,
            "After shuffling, left and right no longer match. Use *one* order for both.",
            "torn_apart",
        )
        rows = [row for a, _ in batches for row in _rows_of(a)]
        return rows[:n], rows[n:]

    first, second = epochs(0)
    in_order = [1000 + row for row in range(n)]
    if first == in_order:
        raise Wrong(
            "With shuffle=True, the rows come in their original order. Shuffle them, including before the first epoch.",
            "not_shuffled",
        )
    if sorted(first) != in_order or sorted(second) != in_order:
        raise Wrong(
            "After shuffling, some rows come twice in an epoch and others not at all. Draw a permutation.",
            "no_permutation",
        )
    if first == second:
        raise Wrong(
            "Every epoch has the same order. Shuffle again at the beginning of each.", "same_order"
        )
    require_rows_shuffled(first, second, n // 3)
    if epochs(0) != (first, second):
        raise Wrong(
            "The same seed gives a different order: draw every random number from `rng`.",
            "other_randomness",
        )
    if epochs(1)[0] == first:
        raise Wrong(
            "A different seed gives the same order: draw every random number from `rng`.",
            "own_seed",
        )


def _ready(answer):
    rows = id_rows(4, 6, 0)
    sides = next(answer(rows, rows, 2, False, seeded(0)))
    if not all(hasattr(side, "shape") for side in sides):
        raise TypeError("its batches are lists, and Trax takes arrays")
    if not isinstance(sides, tuple | list):
        raise TypeError("each batch is one array, and Trax takes two")


generator = Exercise(
    name="02.generator",
    title="Data generator",
    parts=[Part(3, _test_order), Part(3, _test_padding), Part(3, _test_shuffle)],
    reference=[data_generator],
    ready=_ready,
    hints=(
        "Loop over the rows forever. Collect row indices; when there are batch_size of them, pad both sides to one "
        "length, yield them, and start a new collection. Indices left over at the end of an epoch stay in the "
        "collection.",
        "`order = rng.permutation(n) if shuffle else range(n)`, inside a `while True:`. The power of two at or above "
        "n is `2 ** int(np.ceil(np.log2(n)))`. A row is padded by `row + [pad] * (length - len(row))`.",
        "`while True: for i in order: rows.append(i); if len(rows) == batch_size: "
        "longest = max(len(q) for q in ...); length = ...; yield np.array(...), np.array(...); rows = []`.",
    ),
)
