"""Batches of tokenized sentences, for embedding and for training.

A sentence is a list of token ids. A batch is a dictionary of two int32 arrays of the same shape:
``token_ids``, and ``padding_mask`` with 1 for a real token and 0 for padding.
"""

from collections.abc import Iterator, Sequence

import keras
import numpy as np

from siamese_course.batching.padding import fill
from siamese_course.validation import require_count, require_ids, require_numbers, require_rng

POOL = 50
"""Batches whose rows are sorted by length together: more rows of similar length, less padding."""


def pad_rows(
    rows: Sequence[Sequence[int]], pad_id: int, length: int | None = None
) -> dict[str, np.ndarray]:
    """Pad lists of ids to one length.

    Args:
        rows: n lists of ids.
        length: pad to this length; to the next multiple of 8 if not given.

    Returns:
        {token_ids, padding_mask}, (n, length) int32 each.

    Raises:
        TypeError: a row is not a list of ids.
        ValueError: no rows, a row longer than ``length``, or a bad integer.
    """
    require_ids(rows)
    require_count(pad_id, "pad_id", low=0)
    if not len(rows):
        raise ValueError("rows is empty; expected at least one row")
    lengths = np.array([len(row) for row in rows])
    length = 8 * max(1, -(-lengths.max() // 8)) if length is None else length
    ids = fill(rows, length, pad_id)
    mask = (np.arange(length) < lengths[:, None]).astype("int32")
    return {"token_ids": ids, "padding_mask": mask}


def length_batches(
    rows: Sequence[Sequence[int]], batch_size: int, pad_id: int, tokens: int | None = None
) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Sort rows by length, longest first, and pad each batch to its own longest row.

    Every batch has ``batch_size`` rows; the last one is filled up with copies of its first row.

    Args:
        rows: n lists of ids.
        batch_size: rows of a batch; a few rows in all make a smaller one.
        tokens: of a batch at most, so that batches of long rows have fewer of them, at least one. No limit if not
            given.

    Yields:
        (indices, batch): the rows in this batch, without the copies, and
        {token_ids, padding_mask}, (batch_size or fewer, length) each.
    """
    require_ids(rows)
    require_count(batch_size, "batch_size")
    batch_size = min(batch_size, 8 * max(1, -(-len(rows) // 8)))
    order = np.argsort([-len(row) for row in rows], kind="stable")
    while len(order):
        longest = max(1, len(rows[order[0]]))
        size = min(batch_size, max(1, tokens // longest)) if tokens else batch_size
        indices, order = order[:size], order[size:]
        filled = np.concatenate([indices, np.repeat(indices[:1], size - len(indices))])
        padded = [rows[index] for index in filled]
        yield indices, pad_rows(padded, pad_id, _padded_length(padded))


def random_batches(
    sides: Sequence[Sequence[Sequence[int]]],
    targets: np.ndarray,
    batch_size: int,
    rng: np.random.Generator,
    pad_id: int,
    length: int | None = None,
) -> Iterator[tuple[dict[str, np.ndarray], np.ndarray]]:
    """Yield full batches without end, in random order; a row comes at most once an epoch.

    Rows that do not fill a last batch are left out of that epoch, different ones each time.

    Args:
        sides: two or three lists of n lists of ids.
        targets: (n,).
        batch_size: rows of a batch; n if there are fewer.
        length: pad to this length. If not given, rows of similar length share a batch, which is
            padded to its longest row.

    Yields:
        (batch, targets): {token_ids, padding_mask}, (batch, sides, length) each, and (batch,).
    """
    targets = require_numbers(targets, "targets", (None,), "(n,)")
    n = len(targets)
    require_count(batch_size, "batch_size")
    require_rng(rng)
    if not isinstance(sides, Sequence) or not sides or any(len(side) != n for side in sides):
        found = [len(side) for side in sides] if isinstance(sides, Sequence) else sides
        raise ValueError(f"sides has {found} rows; expected {n} on each side")
    for side in sides:
        require_ids(side, "sides")
    batch_size = min(batch_size, n)
    lengths = np.max([[len(row) for row in side] for side in sides], axis=0)
    while True:
        # Rows are left out before the sorting, so that long ones are not left out more often
        order = rng.permutation(n)[: n - n % batch_size]
        if length is None:
            for start in range(0, len(order), POOL * batch_size):
                pool = order[start : start + POOL * batch_size]
                order[start : start + len(pool)] = pool[np.argsort(lengths[pool], kind="stable")]
        batches = np.split(order, len(order) // batch_size)
        for number in rng.permutation(len(batches)):
            batch = batches[number]
            rows = [side[index] for index in batch for side in sides]
            flat = pad_rows(rows, pad_id, length or _padded_length(rows))
            padded = {name: ids.reshape(batch_size, len(sides), -1) for name, ids in flat.items()}
            yield padded, targets[batch]


def _padded_length(rows: Sequence[Sequence[int]]) -> int | None:
    """The length of the longest row; None on JAX, which compiles the model again for every new shape."""
    return None if keras.backend.backend() == "jax" else max(1, *map(len, rows))
