"""The eight exercises of notebook 03, 100 points."""

import contextlib
from collections.abc import Mapping

import keras
import numpy as np
from keras import ops

from siamese_course import losses
from siamese_course import search as searching
from siamese_course.batching import sentences as batching
from siamese_course.evaluation import same_clusters
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    as_array,
    compare,
    is_hidden,
    seeded,
)
from siamese_course.exercises.explain import watch
from siamese_course.models import sentences as models


def _tensor(values, dtype: str = "float32"):
    return ops.convert_to_tensor(np.asarray(values, dtype))


def _normal(*shape: int, seed: int = 0) -> np.ndarray:
    return seeded(seed).normal(size=shape)


@contextlib.contextmanager
def _in_our_words(*known):
    """What NumPy, FAISS and the backends say of a mistake in ours: known are (texts, sentence)."""
    try:
        yield
    except (Wrong, NotImplementedError):
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        for texts, sentence in known:
            if any(text in said for text in texts):
                raise Wrong(sentence) from None
        raise


def _worded(answer, *known):
    """The answer, its errors in our words."""

    def worded(*arguments):
        with _in_our_words(*known):
            return answer(*arguments)

    return worded


PYTHON_MAX = (
    ("truth value",),
    "Python's own `max` cannot compare arrays: `ops.max` looks along an axis for the largest, `ops.maximum` takes the "
    "larger of two, number by number.",
)
CHANGED = (
    "Your code changes the embeddings that were handed in. (`/=` and `-=` do, and so does `faiss.normalize_L2`: "
    "give it a copy.)"
)


# --- 1: label scaling ---------------------------------------------------------------------------------

SCALING_MISTAKES = [
    (
        lambda x: x / 5,
        "This maps the scores onto 0 to 1 (further down you will see what speaks for that). A cosine goes from -1 to 1, "
        "and the exercise asks for all of it: divide by 2.5, subtract 1.",
    ),
    (
        lambda x: x,
        "The scores are as they were, 0 to 5. No cosine reaches 5: bring them to -1 to 1.",
    ),
    (lambda x: x / 2.5, "This goes from 0 to 2. Subtract 1."),
    (lambda x: x - 2.5, "This goes from -2.5 to 2.5. Divide by 2.5, too."),
    (
        lambda x: x / 5 - 1,
        "This goes from -1 to 0. Divide by 2.5, half of the range, and not by 5.",
    ),
    (
        lambda x: 1 - x / 2.5,
        "The scale is turned round: the score 5 means the same, and a cosine of 1 does, too.",
    ),
    (
        lambda x: (x - 1) / 2 - 1,
        "This would be right for scores from 1 to 5. These begin at 0: x / 2.5 - 1.",
    ),
    (lambda x: 2 * x - 1, "This would be right for scores from 0 to 1. These go up to 5."),
    (
        lambda x: 2 * (x - x.min()) / (x.max() - x.min()) - 1,
        "The smallest and the largest score that happen to be there are taken for the ends. The ends are 0 and 5, "
        "whatever the scores at hand: else the same score means something else in each data set.",
    ),
    (
        lambda x: (x - x.mean()) / x.std(),
        "The scores are standardised (mean 0, deviation 1). They need the range of a cosine: x / 2.5 - 1.",
    ),
    (
        lambda x: np.clip(x, -1, 1),
        "The scores are cut off at 1: everything from 1 to 5 is the same. Scale them.",
    ),
    (lambda x: x // 2.5 - 1, "`//` cuts the fractions off. Divide with `/`."),
]


def _test_scaling(answer):
    cases = [
        (np.array([0.0, 1.3, 2.5, 4.3333, 5.0], "float32"),),
        (np.array([1.2, 3.4, 3.6], "float32"),),
    ]
    if is_hidden():
        cases = [(seeded(n).uniform(0.5, 4.5, n).astype("float32"),) for n in (6, 9)]
    changed = []

    def on_a_copy(scores):
        handed = scores.copy()
        got = as_array(answer(handed))
        changed.append(not np.array_equal(handed, scores))
        return got

    compare(on_a_copy, losses.scale_scores, cases, SCALING_MISTAKES)
    if any(changed):
        raise Wrong(
            "The result is right, but your code changes the scores that were handed in (`/=` or `-=`): at the next "
            "call they would be scaled twice. Return new ones."
        )


scaling = Exercise(
    name="03.scaling",
    title="Label scaling",
    parts=[Part(5, _test_scaling)],
    reference=[losses.scale_scores],
    hints=(
        "A straight line that leads from 0 to -1 and from 5 to 1. How long is the range of the scores, how long that of "
        "a cosine?",
        "5 becomes 2: divide by 2.5. Now it goes from 0 to 2, and is to begin at -1.",
        "`return score / ... - ...`: two gaps to fill.",
    ),
)

# --- 2: data sets -------------------------------------------------------------------------------------

KEYS = ("token_ids", "padding_mask")


def pad_rows(rows, pad_id):
    """The course's answer: {token_ids, padding_mask}, the length the next multiple of 8."""
    return batching.pad_rows(rows, pad_id)


def batches(sides, targets, batch_size, rng, pad_id):
    """The course's answer: full batches without end, a new order in every pass."""
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            shape = (batch_size, len(sides), -1)
            yield {name: ids.reshape(shape) for name, ids in flat.items()}, targets[rows]


def _sentences(count: int, side: int, seed: int = 0, longest: int = 20) -> list[list[int]]:
    """Rows of ids as a tokenizer makes them: 0 first, 2 last, the second id tells side and row."""
    rng = seeded([seed, side])
    return [
        [
            0,
            1000 * (side + 1) + row,
            *rng.integers(10, 900, rng.integers(0, longest - 3)).tolist(),
            2,
        ]
        for row in range(count)
    ]


def _needed(rows) -> int:
    return 8 * -(-max(map(len, rows)) // 8)


RAGGED = (
    ("inhomogeneous", "non-rectangular", "the same shape", "must match exactly"),
    "The rows have different lengths: pad all rows of a batch to one, whichever side they are on.",
)

TOO_NARROW = (
    ("could not broadcast input array",),
    "A row is longer than the array it is written into: take the longest row, and round *up* to a multiple of 8.",
)


def _require_lengths_kept(handed, rows):
    if sorted(map(len, handed)) != sorted(map(len, rows)):
        raise Wrong(
            "Your code pads the rows themselves (`append` or `+=`): the next time they are longer. Pad a copy: "
            "`row + [pad_id] * ...`."
        )


def _inputs(got) -> tuple[np.ndarray, np.ndarray]:
    """Ids and mask of a batch, with the faults of form named."""
    if got is None:
        raise Wrong("The result is `None`: is a `return` missing?")
    if not isinstance(got, Mapping):
        raise Wrong(
            f"The result is a `{type(got).__name__}`; expected a dictionary of `token_ids` and `padding_mask`."
        )
    for key in KEYS:
        if key not in got:
            raise Wrong(
                f"`{key}` is missing in the dictionary; it has {', '.join(map(repr, got)) or 'nothing'}."
            )
    with _in_our_words(RAGGED):
        ids, mask = (np.asarray(got[key]) for key in KEYS)
    if ids.dtype.kind not in "iu":
        raise Wrong(
            f"`token_ids` has dtype {ids.dtype}; ids are whole numbers (`np.full` takes a `dtype`)."
        )
    if mask.dtype.kind not in "iufb" or not np.isin(mask, (0, 1)).all():
        raise Wrong("`padding_mask` must hold 1 for a real token, 0 for padding, and nothing else.")
    if mask.shape != ids.shape:
        raise Wrong(f"`padding_mask` has shape {mask.shape}; expected {ids.shape}, as `token_ids`.")
    return ids, mask


def _require_padded(rows, ids, mask, pad_id):
    """(n, length) ids and mask are those of the rows."""
    longest, length = max(map(len, rows)), ids.shape[-1]
    if length < longest:
        raise Wrong(
            f"The batch is {length} long, and its longest row has {longest} ids: something is cut off."
        )
    if length != _needed(rows):
        _tell_length(longest, length)
    for row, found, real in zip(rows, ids, mask, strict=True):
        _require_row(row, found.tolist(), real.astype(int).tolist(), pad_id)


def _tell_length(longest, length):
    if length == longest:
        raise Wrong(
            f"The batch is padded to its longest row, {longest}. Round up to the next multiple of 8, so that the model "
            "meets few different shapes."
        )
    if longest % 8 == 0 and length == longest + 8:
        raise Wrong(
            f"The longest row has {longest} ids, a multiple of 8 already; you padded to {length}."
        )
    if length & (length - 1) == 0 and length < 128:
        raise Wrong(
            f"The batch is padded to a power of two, {length}. Here it is the next multiple of 8: {8 * -(-longest // 8)}."
        )
    raise Wrong(
        f"The batch is padded to {length}, and its longest row has {longest} ids. Pad to what *this batch* needs, the next "
        f"multiple of 8: {8 * -(-longest // 8)}. Padding costs as much time as words do."
    )


def _require_row(row, found, real, pad_id):
    rest = len(found) - len(row)
    if found[rest:] == row and found[: len(row)] != row:
        raise Wrong("The padding stands in front. Put it behind the words.")
    if found[: len(row)] != row:
        raise Wrong(f"The ids {row} became {found}.")
    fill = set(found[len(row) :]) - {pad_id}
    if fill:
        raise Wrong(
            f"The padding is {min(fill)}; it must be `pad_id`, here {pad_id}. (0 is <s>, the beginning of a sentence.)"
        )
    expected = [1] * len(row) + [0] * rest
    if real == expected:
        return
    if real == [1 - x for x in expected]:
        raise Wrong("The mask is turned round: 1 is a real token, 0 is padding.")
    if all(real):
        raise Wrong("The mask is 1 everywhere: it must be 0 where there is padding.")
    if real == [int(0 < i < len(row) - 1) for i in range(len(found))]:
        raise Wrong("The mask leaves <s> and </s> out. They are real tokens; only padding is 0.")
    without_zeros = [int(x != 0) for x in found]
    if real in (without_zeros, [int(x > 0 and p) for x, p in zip(found, expected, strict=True)]):
        raise Wrong(
            "The mask is 0 where the id is 0; but 0 is <s>, a real token. Padding is `pad_id`."
        )
    raise Wrong(f"The mask of {found} is {real}; expected {expected}.")


def _test_pad(answer):
    cases = [((3, 11, 5), 1), ((2, 16), 1), ((17, 19), 1), ((4,), 1), ((3, 6), 7)]
    if is_hidden():
        cases = [(seeded(n).integers(2, 40, n), 1 + 2 * (n % 4)) for n in range(1, 8)]
    for lengths, pad_id in cases:
        first = int(seeded(0).integers(50, 90)) if is_hidden() else 50
        rows = [[0, *range(first, first - 2 + length), 2] for length in lengths]
        handed = [list(row) for row in rows]
        with _in_our_words(RAGGED, TOO_NARROW):
            ids, mask = _inputs(answer(handed, pad_id))
        _require_lengths_kept(handed, rows)
        if ids.ndim != 2 or len(ids) != len(rows):
            raise Wrong(
                f"`token_ids` has shape {ids.shape}; expected ({len(rows)}, {_needed(rows)}), a row for each."
            )
        _require_padded(rows, ids, mask, pad_id)


def _draw(answer, sides, targets, batch_size, rng, count, pad_id):
    """Batches of the answer, with a word for what is no generator of (inputs, targets)."""
    handed, handed_targets = [[list(row) for row in side] for side in sides], targets.copy()
    made = answer(handed, handed_targets, batch_size, rng, pad_id)
    if made is None:
        raise Wrong("The result is `None`: `yield` the batches.")
    if not hasattr(made, "__next__"):
        raise Wrong(
            f"The function returns a `{type(made).__name__}`. Make it a generator: `yield` the batches, in a loop."
        )
    drawn = []
    try:
        with _in_our_words(RAGGED, TOO_NARROW):
            for _ in range(count):
                drawn.append(next(made))
    except StopIteration:
        raise Wrong(
            "The generator comes to an end. Training goes on over many passes: put a `while True:` round it."
        ) from None
    for side, rows in zip(handed, sides, strict=True):
        _require_lengths_kept(side, rows)
    if handed != sides or not np.array_equal(handed_targets, targets):
        raise Wrong(
            "Your code changes `sides` or `targets` themselves, as `rng.shuffle` does: the next training finds them in "
            "another order. Draw an order, and take the rows by it."
        )
    return [_batch(batch, batch_size, len(sides)) for batch in drawn]


def _batch(batch, batch_size, sides):
    """(ids, mask, targets) of one batch: (batch, sides, length) twice, and (batch,)."""
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        raise Wrong(
            "Each batch must be two things: the dictionary of ids and mask, and the targets."
        )
    ids, mask = _inputs(batch[0])
    expected = f"(batch, sides, length) = ({batch_size}, {sides}, ...)"
    if ids.ndim == 2 and len(ids) == batch_size * sides:
        raise Wrong(
            f"The sides lie below each other, {ids.shape}. Give them an axis of their own with `reshape`: {expected}."
        )
    if ids.ndim != 3:
        raise Wrong(f"`token_ids` has shape {ids.shape}; expected {expected}.")
    if ids.shape[:2] == (sides, batch_size) and sides != batch_size:
        raise Wrong(f"The first two axes are exchanged: {ids.shape}; expected {expected}.")
    if ids.shape[1] != sides:
        raise Wrong(
            f"There are {ids.shape[1]} sides in a row; expected {sides}, as many as `sides` has."
        )
    if len(ids) < batch_size:
        raise Wrong(
            f"A batch has {len(ids)} row(s) instead of {batch_size}. Leave out what is left at the end of a pass: "
            "the next pass has another order."
        )
    targets = as_array(batch[1], "`targets`")
    if len(ids) != batch_size or targets.size != batch_size:
        raise Wrong(
            f"A batch has {len(ids)} row(s) and {targets.size} target(s); expected {batch_size} of each."
        )
    return ids, mask, targets.ravel()


def _numbers(ids):
    """Side and row of each sentence of a batch, (batch, sides) twice."""
    marks = np.max(ids, axis=-1)
    return marks // 1000 - 1, marks % 1000


def _test_batches(answer):
    """Pairs and triplets: what belongs together stays together, padded to the need of the batch."""
    cases = [(10, 2, 4, 1), (11, 3, 5, 7)]
    if is_hidden():
        cases = [(13, 2, 3, 1), (14, 3, 6, 5)]
    for count, sides, batch_size, pad_id in cases:
        longest = 40 if is_hidden() else 20
        rows = [_sentences(count, side, longest=longest) for side in range(sides)]
        targets = np.linspace(-1, 1, count).astype("float32")
        drawn = _draw(answer, rows, targets, batch_size, seeded(0), 7, pad_id)
        for ids, mask, found in drawn:
            _require_together(ids, found, targets)
            _, numbers = _numbers(ids)
            flat = [rows[side][row] for line in numbers for side, row in enumerate(line)]
            length = ids.shape[-1]
            _require_padded(flat, ids.reshape(-1, length), mask.reshape(-1, length), pad_id)


def _require_together(ids, found, targets):
    sides, numbers = _numbers(ids)
    wanted = np.arange(ids.shape[1])
    if not (np.isin(sides, wanted).all() and (numbers < len(targets)).all()):
        raise Wrong("A batch holds ids that are in no row of `sides`.")
    if not (sides == wanted).all():
        if (np.sort(sides, axis=1) == wanted).all():
            raise Wrong("The sides are exchanged: keep them in the order of `sides`.")
        raise Wrong(
            "A row of the batch holds the same side twice. Before `reshape` the sentences must lie pair by pair: "
            "left 1, right 1, left 2, right 2, and so on."
        )
    if not (numbers == numbers[:, :1]).all():
        raise Wrong(
            "A pair is torn apart: its sides are from different rows. Use *one* order for all sides."
        )
    if not np.allclose(found, targets[numbers[:, 0]]):
        raise Wrong(
            "The targets do not belong to the rows: take them in the same order, `targets[rows]`."
        )


def _together(order):
    """Which rows meet in a batch, where three batches are a pass."""
    size = len(order) // 3
    return {frozenset(order[start : start + size]) for start in range(0, len(order), size)}


def _test_order(answer):
    """Two passes over 12 rows, in batches of 4; the instructor's over 15."""
    n = 15 if is_hidden() else 12
    rows = [_sentences(n, side, seed=1) for side in range(2)]
    targets = np.linspace(-1, 1, n).astype("float32")

    def passes(seed):
        drawn = _draw(answer, rows, targets, n // 3, seeded(seed), 6, 1)
        order = [int(row) for ids, _, _ in drawn for row in _numbers(ids)[1][:, 0]]
        if sorted(order) != sorted([*range(n), *range(n)]):
            for ids, _, found in drawn:
                _require_together(ids, found, targets)
        return order[:n], order[n:]

    first, second = passes(0)
    if first[: n // 3] == first[n // 3 : 2 * n // 3] == first[2 * n // 3 :]:
        raise Wrong("Every batch is the same: the rows do not move on.")
    if first == list(range(n)):
        raise Wrong("The rows come in their order. Shuffle them, also in the first pass.")
    if sorted(first) != list(range(n)) or sorted(second) != list(range(n)):
        raise Wrong(
            "Some rows come twice in a pass and others not at all. Draw a permutation, `rng.permutation(n)`, and use all "
            "of it: the last full batch may begin at n - batch_size."
        )
    if first == second:
        raise Wrong("Every pass has the same order. Draw a new one at the beginning of each.")
    if _together(first) == _together(second):
        raise Wrong(
            "The same rows meet in every pass: only the order of the batches is new. Shuffle the rows."
        )
    if passes(0) != (first, second):
        raise Wrong("The same seed gives another order: take every random number from `rng`.")
    if passes(1)[0] == first:
        raise Wrong("Another seed gives the same order: take every random number from `rng`.")


def _ready_batches(pad, answer):
    rows = [_sentences(4, side) for side in range(2)]
    inputs, targets = next(answer(rows, np.zeros(4, "float32"), 2, seeded(0), 1))
    for array in (*(inputs[key] for key in KEYS), targets):
        if not hasattr(array, "shape"):
            raise TypeError("its batches are lists, and Keras takes arrays")
    if set(inputs) != set(KEYS):
        raise TypeError("the dictionary has more entries than the model has inputs")


datasets = Exercise(
    name="03.datasets",
    title="Pair and triplet data sets",
    parts=[
        Part(7, lambda pad, answer: _test_pad(pad)),
        Part(7, lambda pad, answer: _test_batches(answer)),
        Part(6, lambda pad, answer: _test_order(answer)),
    ],
    reference=[pad_rows, batches],
    ready=_ready_batches,
    hints=(
        "Padding: find the longest row, round up to a multiple of 8, fill an array with `pad_id`, write each row into it, "
        "and note in a second array where real ids stand. Batches: draw an order, take batch_size rows at a time, pad all "
        "their sides together, and give the sides an axis of their own.",
        "`8 * -(-longest // 8)` rounds up. `np.full((n, length), pad_id, 'int32')` and `np.zeros(...)`. In the generator: "
        "`while True:`, `rng.permutation(len(targets))`, and `range(0, n - batch_size + 1, batch_size)`, which leaves out "
        "an incomplete batch.",
        "`flat = pad_rows([side[row] for row in rows for side in sides], pad_id)`, then "
        "`yield {name: ids.reshape(len(rows), ..., -1) for name, ids in flat.items()}, targets[...]`.",
    ),
)

# --- 3: pooling ---------------------------------------------------------------------------------------


def mean_pooling(states, padding_mask):
    """The course's answer: mean over the real tokens."""
    return models.pool(states, padding_mask, "mean")


def max_pooling(states, padding_mask):
    """The course's answer: largest value over the real tokens."""
    return models.pool(states, padding_mask, "max")


def cls_pooling(states, padding_mask):
    """The course's answer: the state of the first token."""
    return models.pool(states, padding_mask, "cls")


def _real(states, mask):
    return ops.expand_dims(ops.cast(mask, states.dtype), -1)


def _without_markers(states, mask):
    """The mask with the first and the last real token taken out."""
    mask = np.array(mask)
    for row in mask:
        row[[0, int(row.sum()) - 1]] = 0
    return _tensor(mask)


def _lowered(states, mask):
    """The states, with the padding far below everything."""
    return ops.where(_real(states, mask) > 0, states, -1e4)


MEAN_MISTAKES = [
    (
        lambda s, m: ops.mean(s, axis=1),
        "The padding is counted: an embedding depends on how long its neighbours in the batch are. Multiply the states "
        "by the mask, and divide by the number of *real* tokens.",
    ),
    (
        lambda s, m: ops.mean(s * _real(s, m), axis=1),
        "The padding is set to 0, but still counted: you divide by the length of the batch. Divide by the number of real "
        "tokens, the sum of the mask.",
    ),
    (
        lambda s, m: ops.sum(s * _real(s, m), axis=1),
        "This is the sum over the real tokens: long sentences get long vectors. Divide by the number of real tokens.",
    ),
    (
        lambda s, m: ops.sum(s * _real(s, m), axis=1) / ops.sum(_real(s, m)),
        "You divide by the real tokens of the whole batch. Every sentence has its own number: `axis=1`.",
    ),
    (
        lambda s, m: ops.sum(s, axis=1) / ops.sum(_real(s, m), axis=1),
        "The number of real tokens is right, but the padding is still in the sum. Multiply the states by the mask first.",
    ),
    (
        lambda s, m: (
            ops.sum(s * (1 - _real(s, m)), axis=1)
            / ops.maximum(ops.sum(1 - _real(s, m), axis=1), 1.0)
        ),
        "This is the mean of the *padding*: the mask is 1 for real tokens. Multiply by the mask itself.",
    ),
    (
        lambda s, m: models.pool(s, _without_markers(s, m), "mean"),
        "The markers <s> and </s> are left out. They count as real tokens, as the mask says.",
    ),
    (
        lambda s, m: ops.mean(s, axis=-1),
        "The mean runs over the dimensions (the last axis). Axis 1 is the tokens.",
    ),
    (
        lambda s, m: ops.mean(s, axis=0),
        "The mean runs over the batch (axis 0): sentences are mixed. Axis 1 is the tokens.",
    ),
    (
        lambda s, m: losses.unit_length(models.pool(s, m, "mean")),
        "The mean is brought to unit length. Leave it as it is: the triplet objective needs the lengths.",
    ),
    (
        lambda s, m: (
            ops.sum(s * _real(s, m), axis=1, keepdims=True)
            / ops.sum(_real(s, m), axis=1, keepdims=True)
        ),
        "The result has shape (batch, 1, dim). Expected (batch, dim): leave `keepdims` out.",
    ),
]

MAX_MISTAKES = [
    (
        lambda s, m: ops.max(s, axis=1),
        "The padding takes part, and wins where it is large. Put it far below everything before the maximum: `ops.where`.",
    ),
    (
        lambda s, m: ops.max(s * _real(s, m), axis=1),
        "The padding is set to 0, and where all real values are below 0 that zero wins. Set it to a very small number, "
        "such as -1e4.",
    ),
    (
        lambda s, m: ops.max(s - (1 - _real(s, m)), axis=1),
        "The padding is lowered by 1 only, and can still win. Put it far below: -1e4.",
    ),
    (
        lambda s, m: ops.min(ops.where(_real(s, m) > 0, s, 1e4), axis=1),
        "This is the smallest value of each dimension. Take the largest.",
    ),
    (
        lambda s, m: ops.max(ops.abs(s) * _real(s, m), axis=1),
        "The signs are lost: this is the largest *absolute* value. Take the largest value.",
    ),
    *[
        (lambda s, m, axis=axis, of=of: ops.max(of(s, m), axis=axis), sentence)
        for of in (lambda s, m: s, _lowered)
        for axis, sentence in (
            (-1, "The maximum runs over the dimensions (the last axis). Axis 1 is the tokens."),
            (
                0,
                "The maximum runs over the batch (axis 0): sentences are mixed. Axis 1 is the tokens.",
            ),
        )
    ],
    (
        lambda s, m: ops.max(ops.where(_real(s, m) > 0, ops.full_like(s, -1e4), s), axis=1),
        "The mask is turned round: the *real* tokens were lowered. 1 is a real token.",
    ),
    (
        lambda s, m: models.pool(s, _without_markers(s, m), "max"),
        "The markers <s> and </s> are left out. They count as real tokens, as the mask says.",
    ),
    (
        lambda s, m: models.pool(s, m, "mean"),
        "This is the mean. Here it is the largest value of each dimension.",
    ),
    (
        lambda s, m: ops.argmax(_lowered(s, m), axis=1),
        "These are positions. Return the values: `max`, not `argmax`.",
    ),
]

CLS_MISTAKES = [
    (
        lambda s, m: s[:, -1],
        "This is the last place, which may be padding. <s> is the first token: `states[:, 0]`.",
    ),
    (
        lambda s, m: _tensor(
            [row[int(n) - 1] for row, n in zip(*map(np.array, (s, ops.sum(m, 1))), strict=True)]
        ),
        "This is the last real token, </s>. CLS pooling takes the first, <s>.",
    ),
    (lambda s, m: s[:, 1], "Counting begins with 0: the first token is `states[:, 0]`."),
    (
        lambda s, m: s[:, :, 0],
        "This is the first *dimension* of every token. The first token is `states[:, 0]`.",
    ),
    (
        lambda s, m: s[0],
        "This is the first sentence of the batch. The first token of each: `states[:, 0]`.",
    ),
    (
        lambda s, m: s[:, :1],
        "The result has shape (batch, 1, dim). Expected (batch, dim): `states[:, 0]`, without the colon.",
    ),
    (
        lambda s, m: models.pool(s, m, "mean"),
        "This is the mean. CLS pooling takes the first token alone.",
    ),
]


def _pooling_lengths():
    if is_hidden():
        rng = seeded(5)
        return [(seed, tuple(rng.integers(3, 10, n))) for seed, n in ((0, 5), (1, 3))]
    return [(0, (3, 6, 4, 5)), (1, (7, 3, 4))]


def _pooling_cases():
    cases = []
    for seed, lengths in _pooling_lengths():
        mask = np.arange(max(lengths)) < np.array(lengths)[:, None]
        states = _normal(*mask.shape, 5, seed=seed)
        states[..., 0] = -np.abs(states[..., 0]) - 0.1  # where a zero would win the maximum
        padding = np.abs(_normal(*states.shape, seed=seed + 9)) + 1.0
        padding[:, :, 1] *= 300.0  # nothing says that padding is small
        states = np.where(mask[..., None], states, padding - 2.0 * (np.arange(5) == 0))
        cases.append((_tensor(states), _tensor(mask, "int32")))
    return cases


CAST = (
    ("int32 tensor", "must have the same dtype"),
    "The mask holds whole numbers, the states hold fractions, and TensorFlow does not mix the two: "
    "`ops.cast(padding_mask, states.dtype)`.",
)
MASK_AXIS = (
    ("ncompatible shapes", "broadcast", "must be equal"),
    "The shapes do not fit. The states are (batch, length, dim), the mask (batch, length): give it a last axis, "
    "`padding_mask[:, :, None]`.",
)


def _test_pooling(reference, mistakes):
    def test(answer):
        compare(_worded(answer, CAST, MASK_AXIS, PYTHON_MAX), reference, _pooling_cases(), mistakes)

    return test


def _ready_pooling(*answers):
    for answer in answers:
        states, mask = keras.Input((None, 4)), keras.Input((None,), dtype="int32")
        layer = keras.layers.Lambda(lambda both, answer=answer: answer(*both))
        dense = keras.layers.Dense(4, use_bias=False)
        model = keras.Model([states, mask], layer([dense(states), mask]))
        _require_trainable(model, "mse", [_normal(2, 3, 4), np.ones((2, 3))], np.zeros((2, 4)))


def _require_trainable(model, loss, inputs, targets):
    """Take an optimizer step through an answer: it must be made of what the backend can differentiate."""
    before = [ops.convert_to_numpy(weights) for weights in model.trainable_weights]
    model.compile("sgd", loss)
    if keras.backend.backend() == "tensorflow":
        model.jit_compile = False
    model.train_on_batch(inputs, targets)
    after = [ops.convert_to_numpy(weights) for weights in model.trainable_weights]
    if all(np.array_equal(a, b) for a, b in zip(before, after, strict=True)):
        raise TypeError(f"no gradient comes through it on {keras.backend.backend()}")


pooling = Exercise(
    name="03.pooling",
    title="Pooling",
    parts=[
        Part(9, lambda mean, largest, first: _test_pooling(mean_pooling, MEAN_MISTAKES)(mean)),
        Part(7, lambda mean, largest, first: _test_pooling(max_pooling, MAX_MISTAKES)(largest)),
        Part(4, lambda mean, largest, first: _test_pooling(cls_pooling, CLS_MISTAKES)(first)),
    ],
    reference=[mean_pooling, max_pooling, cls_pooling],
    ready=_ready_pooling,
    hints=(
        "The mask says which tokens are real. For the mean, padding must neither be added nor counted. For the maximum, it "
        "must be so small that it can never win. For CLS, only the first token matters.",
        "Bring the mask to shape (batch, length, 1) and to the type of the states: "
        "`ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)`. The number of real tokens is its sum along axis 1. "
        "`ops.where(condition, a, b)` takes a where the condition holds, else b.",
        "`ops.sum(states * real, axis=1) / ops.sum(..., axis=1)`, `ops.max(ops.where(real > 0, ..., -1e4), axis=...)`, and "
        "`states[:, ...]`.",
    ),
)

# --- 4: regression siamese ----------------------------------------------------------------------------


def _sides(embeddings):
    return embeddings[:, 0], embeddings[:, 1]


def _lengths(x, **options):
    return ops.sqrt(ops.sum(ops.square(x), **options) + 1e-12)


def _product(embeddings):
    left, right = _sides(losses.unit_length(embeddings))
    return ops.matmul(left, ops.transpose(right))


def _cosine_by(length, combine=lambda left, right: ops.sum(left * right, axis=-1)):
    """``row_cosines`` with another length to divide by, or another way to compare."""
    return lambda embeddings: combine(*_sides(embeddings / length(embeddings)))


def _right_length(x):
    return _lengths(x, axis=-1, keepdims=True)


SIDES = (
    ("too many values to unpack",),
    "The first axis of `embeddings` is the batch, the second one is the sides: `embeddings[:, 0]`, "
    "`embeddings[:, 1]`.",
)
NO_AXIS = (
    ("Invalid axis", "axis should be an integer or a tuple"),
    "A length is of one row: say along which axis, `axis=-1`, and keep it to divide, `keepdims=True`.",
)
SHAPES = (
    ("broadcast", "ncompatible shapes"),
    "The shapes do not fit. To divide embeddings by their lengths keep the axis, `keepdims=True`; cosines and targets "
    "are both (batch,).",
)
COSINE_MISTAKES = [
    (
        _product,
        "This is the cosine of the whole batch, every left side with every right one: (batch, batch). A pair needs row i "
        "with row i only: `ops.sum(left * right, axis=-1)`. (It is the mistake of the published example.)",
    ),
    (
        _cosine_by(lambda x: 1.0),
        "This is the dot product: long embeddings count more. Divide each embedding by its length first.",
    ),
    (
        _cosine_by(lambda x: _lengths(x, axis=0, keepdims=True)),
        "The lengths are taken along the batch (axis 0): an embedding would depend on its neighbours. Use the last axis.",
    ),
    (
        _cosine_by(lambda x: _lengths(x, axis=1, keepdims=True)),
        "The lengths are taken along axis 1, across the two sides of a pair. Every embedding has its own length: "
        "`axis=-1`.",
    ),
    (
        _cosine_by(_lengths),
        "The whole batch is divided by one number. Every embedding has its own length: `axis=-1, keepdims=True`.",
    ),
    (
        _cosine_by(lambda x: ops.sum(ops.square(x), axis=-1, keepdims=True)),
        "The embeddings are divided by their squared length: the square root is missing.",
    ),
    (
        _cosine_by(lambda x: ops.sum(ops.abs(x), axis=-1, keepdims=True)),
        "The embeddings are divided by the sum of their absolute values. A length is the root of the sum of squares.",
    ),
    (
        _cosine_by(_right_length, lambda a, b: 1 - ops.sum(a * b, axis=-1)),
        "This is 1 - cosine, a distance: small means alike. Return the cosine.",
    ),
    (
        _cosine_by(_right_length, lambda a, b: -ops.sum(a * b, axis=-1)),
        "The sign is turned round: 1 must mean alike. (`keras.losses.cosine_similarity` gives the negative cosine, so "
        "that less is better.)",
    ),
    (
        _cosine_by(_right_length, lambda a, b: ops.mean(a * b, axis=-1)),
        "The products are averaged over the dimensions. A dot product *sums* them.",
    ),
    (
        _cosine_by(_right_length, lambda a, b: ops.sum(a * b, axis=0)),
        "The sum runs over the batch (axis 0). Sum over the last axis, the dimensions.",
    ),
    (
        _cosine_by(_right_length, lambda a, b: ops.sum(a * b)),
        "All pairs were summed into one number. Sum over the last axis only: one cosine a pair.",
    ),
    (
        _cosine_by(_right_length, lambda a, b: a * b),
        "This multiplies number by number, (batch, dim). Sum over the last axis.",
    ),
    (
        _cosine_by(_right_length, lambda a, b: ops.sum(a * b, axis=-1, keepdims=True)),
        "The result has shape (batch, 1). Expected (batch,): leave the last `keepdims` out, or the cosines will broadcast "
        "against the targets into a (batch, batch) table.",
    ),
    (
        _cosine_by(_right_length, lambda a, b: ops.sum(a * a, axis=-1)),
        "Every cosine is 1: is the left side compared with itself?",
    ),
    (
        lambda e: ops.sum(losses.unit_length(e[0]) * losses.unit_length(e[1]), axis=-1),
        SIDES[1],
    ),
    (
        lambda e: ops.sqrt(ops.sum(ops.square(e[:, 0] - e[:, 1]), axis=-1)),
        "This is the Euclidean distance. The regression objective compares directions: the cosine.",
    ),
]


def regression_loss(targets, embeddings):
    """The course's answer, under the name that it has in the notebook."""
    return losses.cosine_regression_loss(targets, embeddings)


def _regression(
    predict=losses.row_cosines,
    score=lambda targets, found: ops.mean(ops.square(found - targets)),
    targets_of=lambda targets: targets,
):
    """``cosine_regression_loss`` that differs in one place."""

    def mistaken(targets, embeddings):
        return score(targets_of(ops.reshape(targets, (-1,))), predict(embeddings))

    return mistaken


def _all_with_all(*shape):
    return lambda t, e: ops.mean(ops.square(_product(e) - ops.reshape(t, shape)))


ALL_WITH_ALL = (
    "This compares every left side with every right one, (batch, batch), and the targets broadcast over that table: the "
    "mistake of the published example. Use your `row_cosines`."
)
REGRESSION_MISTAKES = [
    (_all_with_all(-1, 1), ALL_WITH_ALL),
    (_all_with_all(1, -1), ALL_WITH_ALL),
    (
        lambda t, e: ops.mean(ops.square(losses.row_cosines(e)[:, None] - ops.reshape(t, (1, -1)))),
        "Every cosine is compared with every target: (batch,) and (batch, 1) broadcast into a table, without a word. "
        "Bring the targets to shape (batch,) first: `ops.reshape(targets, (-1,))`.",
    ),
    (
        _regression(targets_of=losses.scale_scores),
        "The targets are scaled once more. They come in scaled already, from -1 to 1.",
    ),
    (
        _regression(predict=_cosine_by(lambda x: 1.0)),
        "The embeddings are not brought to unit length: these are dot products. Use your `row_cosines`.",
    ),
    (
        _regression(score=lambda t, c: ops.sum(ops.square(c - t))),
        "This is the sum over the pairs, which grows with the batch. Take the mean.",
    ),
    (
        _regression(score=lambda t, c: ops.square(c - t)),
        "This is one value a pair, and a loss is one number: take the mean.",
    ),
    (
        _regression(score=lambda t, c: ops.mean(ops.abs(c - t))),
        "These are absolute differences. Square them.",
    ),
    (
        _regression(score=lambda t, c: ops.mean(c - t)),
        "The square is missing: differences above and below cancel out.",
    ),
    (
        _regression(score=lambda t, c: ops.square(ops.mean(c - t))),
        "The mean is taken before the square: differences above and below cancel out. Square first.",
    ),
    (
        _regression(score=lambda t, c: ops.sqrt(ops.mean(ops.square(c - t)))),
        "The square root of the mean is taken. Leave the mean squared error as it is.",
    ),
    (
        _regression(score=lambda t, c: ops.mean(ops.square(c + t))),
        "Cosine and target are added. The error is their difference.",
    ),
    (
        _regression(score=lambda t, c: ops.mean(ops.square(c - t)) / 2),
        "This is half the loss. Take the mean of the squares, with no factor.",
    ),
    (
        _regression(score=lambda t, c: ops.mean(ops.square(1 - c - t))),
        "1 - cosine is compared with the targets: a distance. Both are similarities: cosine minus target.",
    ),
    (
        _regression(score=lambda t, c: ops.mean(ops.square(c - 1))),
        "The targets are not used: every pair is pulled together.",
    ),
]


def _pairs(count: int, dim: int, seed: int = 0):
    return _tensor(_normal(count, 2, dim, seed=seed) * (1 + np.arange(count))[:, None, None])


def _test_cosines(answer):
    cases = [(_pairs(5, 3),), (_pairs(4, 6, seed=1),)]
    try:
        compare(_worded(answer, SIDES, NO_AXIS, SHAPES), losses.row_cosines, cases, COSINE_MISTAKES)
    except Wrong as wrong:
        if "has shape (5, 5)" in str(wrong):
            raise Wrong(COSINE_MISTAKES[0][1]) from None
        raise


def _test_regression(shape):
    def test(answer):
        cases = []
        for seed, count in ((0, 5), (1, 4)):
            targets = np.linspace(-0.9, 0.7, count).reshape(shape)
            cases.append((_tensor(targets), _pairs(count, 3, seed=seed)))
        answer = _worded(answer, SIDES, NO_AXIS, SHAPES)
        compare(answer, regression_loss, cases, REGRESSION_MISTAKES)

    return test


def _ready_loss(sides: int):
    def ready(*answers):
        inputs = keras.Input((sides, 4))
        model = keras.Model(inputs, keras.layers.Dense(3)(inputs))
        rows = _normal(6, sides, 4).astype("float32")
        _require_trainable(model, answers[-1], rows, np.zeros(6, "float32"))

    return ready


regression = Exercise(
    name="03.regression",
    title="Regression siamese",
    parts=[
        Part(8, lambda cosines, loss: _test_cosines(cosines)),
        Part(5, lambda cosines, loss: _test_regression((-1,))(loss)),
        Part(2, lambda cosines, loss: _test_regression((-1, 1))(loss)),
    ],
    reference=[losses.row_cosines, regression_loss],
    ready=_ready_loss(2),
    hints=(
        "The cosine of two vectors is the dot product after both are divided by their lengths. Do it for the left and the "
        "right side of each row: (batch, 2, dim) gives (batch,). The loss is the mean squared difference from the targets.",
        "A length is `ops.sqrt(ops.sum(ops.square(embeddings), axis=-1, keepdims=True))`; keepdims makes the division work. "
        "`ops.reshape(targets, (-1,))` turns (batch, 1) into (batch,) and leaves (batch,) alone.",
        "`unit = embeddings / ops.sqrt(...)`, `return ops.sum(unit[:, 0] * unit[:, ...], axis=...)`, and "
        "`ops.mean(ops.square(row_cosines(...) - ops.reshape(..., (-1,))))`.",
    ),
)

# --- 5: triplet distances -----------------------------------------------------------------------------


def triplet_distances(embeddings):
    """The course's answer: anchor to positive, anchor to negative."""
    anchor, positive, negative = (embeddings[:, side] for side in range(3))
    return losses.euclidean_distance(anchor, positive), losses.euclidean_distance(anchor, negative)


def _distances(measure, others=((0, 1), (0, 2))):
    """``triplet_distances`` with another measure, or between other sides."""
    return lambda e: ops.stack([measure(e[:, a], e[:, b]) for a, b in others])


def _euclidean(epsilon=1e-6, outside=0.0, axis=-1, gather=ops.sum, **options):
    def measure(a, b):
        return ops.sqrt(gather(ops.square(a - b), axis=axis, **options) + epsilon) + outside

    return measure


DISTANCES_MISTAKES = [
    (
        _distances(_euclidean(0.0)),
        "The epsilon is missing: where two embeddings are equal the gradient of the square root is infinite, and one such "
        "triplet turns every weight into NaN. Add 1e-6 inside the root.",
    ),
    (
        _distances(_euclidean(0.0, outside=1e-6)),
        "The epsilon stands outside the square root, where it saves nothing. Add the 1e-6 before the root is taken.",
    ),
    (
        _distances(lambda a, b: _euclidean(0.0)(a + 1e-6, b)),
        "The 1e-6 is added to the differences: squared, next to nothing is left of it. Add it to the sum of the squares.",
    ),
    (
        _distances(lambda a, b: ops.sqrt(ops.sum(ops.square(a - b) + 1e-6, axis=-1))),
        "The 1e-6 is added to every square, once for each dimension. Add it to their sum.",
    ),
    *[
        (
            _distances(_euclidean(epsilon)),
            f"The epsilon is {epsilon:g}; the formula has 1e-6.",
        )
        for epsilon in (1e-12, 1e-10, 1e-8, 1e-7, 1e-5, 1e-4, 1e-3)
    ],
    (
        lambda e: _distances(losses.euclidean_distance)(ops.swapaxes(e[:3], 0, 1)),
        SIDES[1],
    ),
    (
        _distances(losses.euclidean_distance, ((0, 2), (0, 1))),
        "Positive and negative are exchanged: return the distance to the positive first.",
    ),
    (
        _distances(losses.euclidean_distance, ((0, 1), (1, 2))),
        "The second distance is from the positive to the negative. Both begin at the anchor.",
    ),
    (
        _distances(lambda a, b: ops.sum(ops.square(a - b), axis=-1) + 1e-6),
        "These are *squared* distances: the square root is missing.",
    ),
    (
        _distances(lambda a, b: ops.sum(ops.square(a - b), axis=-1)),
        "These are *squared* distances: the square root is missing.",
    ),
    (
        _distances(lambda a, b: ops.sum(ops.abs(a - b), axis=-1)),
        "These are Manhattan distances, sums of absolute differences. Square, sum, take the root.",
    ),
    (
        _distances(_euclidean(gather=ops.mean)),
        "The squares are averaged over the dimensions. The Euclidean distance *sums* them.",
    ),
    (
        _distances(_euclidean(axis=0)),
        "The sum runs over the batch (axis 0). Sum over the last axis, the dimensions of one embedding.",
    ),
    (
        lambda e: _distances(losses.euclidean_distance)(losses.unit_length(e)),
        "The embeddings are brought to unit length first. Here they stay as they are: the objective uses distances, and a "
        "margin of 1 is half of all the room there is on a sphere of radius 1.",
    ),
    (
        _distances(
            lambda a, b: 1 - ops.sum(losses.unit_length(a) * losses.unit_length(b), axis=-1)
        ),
        "These are 1 - cosine. Here it is the Euclidean distance.",
    ),
    (
        _distances(_euclidean(keepdims=True)),
        "The distances have shape (batch, 1). Expected (batch,): leave `keepdims` out.",
    ),
    (
        _distances(lambda a, b: _euclidean(axis=None)(a, b)),
        "All rows were summed into one number. Sum over the last axis only: one distance a triplet.",
    ),
]


def _stacked(answer):
    """Both arrays of an answer as one, so that a mistake is told once."""

    def both(embeddings):
        with _in_our_words(SIDES):
            got = answer(embeddings)
        parts = got if isinstance(got, tuple | list) else np.atleast_1d(as_array(got))
        if len(parts) != 2:
            raise Wrong(
                "Return two arrays of shape (batch,): the distances to the positive, and those to the negative."
            )
        near, far = (as_array(part, "A result") for part in parts)
        if near.shape != far.shape:
            raise Wrong(
                f"The two results have shapes {near.shape} and {far.shape}; expected the same."
            )
        return np.stack([near, far])

    return both


def _triplets(count: int, dim: int, seed: int = 0, spread: float = 1.0):
    return _tensor(spread * _normal(count, 3, dim, seed=seed))


def _test_distances_far(answer):
    """Distances of 1 and more, where the epsilon does not show: the formula alone."""
    cases = [(_triplets(5, 4, spread=3.0),), (_triplets(4, 6, seed=1, spread=3.0),)]
    without_epsilon = [mistake for mistake in DISTANCES_MISTAKES if "psilon" not in mistake[1]]
    compare(_stacked(answer), _stacked(triplet_distances), cases, without_epsilon, rtol=1e-4)


def _test_distances_near(answer):
    """Triplets whose sides coincide, or nearly so: there the epsilon is all there is."""
    together = np.repeat(_normal(4, 1, 3), 3, axis=1)
    nearly = 0.01 * together + 2e-6 * _normal(4, 3, 3, seed=1)
    cases = [(_triplets(5, 4),), (_tensor(together),), (_tensor(nearly),)]
    compare(_stacked(answer), _stacked(triplet_distances), cases, DISTANCES_MISTAKES, atol=1e-7)


distances = Exercise(
    name="03.distances",
    title="Triplet distances",
    parts=[Part(5, _test_distances_far), Part(5, _test_distances_near)],
    reference=[triplet_distances],
    hints=(
        "Two distances for each triplet, both beginning at the anchor: subtract, square, add up, take the root.",
        "`embeddings[:, 0]` are the anchors, 1 the positives, 2 the negatives. Sum along `axis=-1`; the 1e-6 is added "
        "before the root is taken.",
        "`ops.sqrt(ops.sum(ops.square(anchor - positive), axis=...) + ...)`, and the same once more with the negative.",
    ),
)

# --- 6: triplet loss ----------------------------------------------------------------------------------


def triplet_loss(targets, embeddings, margin=1.0):
    """The course's answer: mean of max(0, D(a, p) - D(a, n) + margin); the targets are ignored."""
    return losses.distance_triplet_loss(targets, embeddings, margin=margin)


def _loss_like(
    gap=lambda near, far: near - far,
    hinge=lambda x: ops.maximum(0.0, x),
    finish=ops.mean,
    distances_of=triplet_distances,
    margin_of=lambda margin: margin,
    weigh=lambda targets: 1.0,
):
    """``triplet_loss`` that differs in one place."""

    def mistaken(targets, embeddings, margin=1.0):
        near, far = distances_of(embeddings)
        return finish(weigh(targets) * hinge(gap(near, far) + margin_of(margin)))

    return mistaken


def _squared(embeddings):
    return [ops.square(d) for d in triplet_distances(embeddings)]


def _margin_outside(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near - far) + margin)


LOSS_MISTAKES = [
    (
        _loss_like(gap=lambda near, far: far - near),
        "Positive and negative are exchanged: this pulls the negative in and pushes the positive away. It is distance to "
        "the positive minus distance to the negative.",
    ),
    (
        _loss_like(margin_of=lambda margin: -margin),
        "The sign of the margin is turned round: triplets that are wrong by less than the margin would pay nothing. Add it.",
    ),
    (
        _loss_like(hinge=lambda x: x),
        "`max(0, ...)` is missing: triplets that are right already pull the loss below zero and hide the wrong ones.",
    ),
    (
        _loss_like(hinge=lambda x: x, finish=lambda x: ops.maximum(0.0, ops.mean(x))),
        "The mean is taken first and `max(0, ...)` of it: triplets that are right hide the wrong ones. The mean comes last.",
    ),
    (
        _margin_outside,
        "The margin is added after `max(0, ...)`, where every triplet pays it and no embedding moves for it. Add it inside.",
    ),
    (
        _loss_like(margin_of=lambda margin: 0.0),
        "The margin is missing: it would be enough if both distances were the same, as in a model that gives every "
        "sentence the same embedding.",
    ),
    (
        _loss_like(margin_of=lambda margin: 1.0),
        "The margin is always 1. Use the argument `margin`.",
    ),
    (
        _loss_like(finish=ops.sum),
        "This is the sum over the triplets, which grows with the batch. Take the mean.",
    ),
    (
        _loss_like(finish=lambda x: x),
        "This is one loss a triplet, and a loss is one number: take the mean.",
    ),
    (
        _loss_like(distances_of=_squared),
        "The distances are squared. Take them as `triplet_distances` gives them.",
    ),
    (
        _loss_like(hinge=lambda x: ops.square(ops.maximum(0.0, x))),
        "The hinge is squared. This loss takes max(0, ...) as it is.",
    ),
    (
        _loss_like(hinge=lambda x: ops.maximum(0.0, ops.max(x)) + 0.0 * x),
        "`ops.max` looks for the largest of the whole batch. `ops.maximum(0.0, ...)` compares number by number.",
    ),
    (
        _loss_like(weigh=lambda targets: targets),
        "With targets of 0 your loss is 0, and in training all of them are: are the targets multiplied in? They are only "
        "there because Keras wants some. Leave them aside.",
    ),
    (
        _loss_like(gap=lambda near, far: near - far, hinge=lambda x: ops.minimum(0.0, x)),
        "This is `minimum`: it drops the triplets that are wrong and keeps those that are right. It is "
        "`ops.maximum(0.0, ...)`.",
    ),
    (
        _loss_like(
            distances_of=lambda e: (
                ops.sqrt(ops.sum(ops.square(e[:, 0] - e[:, 1]), axis=-1)),
                ops.sqrt(ops.sum(ops.square(e[:, 0] - e[:, 2]), axis=-1)),
            )
        ),
        "The epsilon is missing under the root: where anchor and positive are equal the gradient is infinite. Use "
        "`triplet_distances`.",
    ),
    (
        _loss_like(distances_of=lambda e: triplet_distances(losses.unit_length(e))),
        "The embeddings are brought to unit length first. Take them as they are.",
    ),
]


def _test_loss(answer):
    targets = _tensor([0.0, 1.0, -0.5, 2.0, 0.3, -1.0])
    cases = [
        (targets, _triplets(6, 4, seed=seed), margin)
        for seed, margin in ((0, 1.0), (2, 2.5), (3, 0.3))
    ]
    cases.append((targets[:4], _triplets(4, 5, seed=5), 0.7))
    twins = np.repeat(_normal(5, 1, 3, seed=6), 3, axis=1)  # the anchor is its own positive
    twins[:, 2] += 0.3
    cases.append((targets[:5], _tensor(twins), 1.0))
    compare(_worded(answer, SIDES, PYTHON_MAX), triplet_loss, cases, LOSS_MISTAKES)
    default = [(answer, "Without a margin given, it must be 1: `margin=1.0` in the first line.")]
    compare(answer, triplet_loss, [(targets, _triplets(6, 4, seed=4))], default)


def _test_zero_targets(answer):
    """As in training: all targets are 0."""
    cases = [(_tensor(np.zeros(6)), _triplets(6, 4, seed=seed), 1.0) for seed in (5, 22)]
    mistakes = [mistake for mistake in LOSS_MISTAKES if "always 1" not in mistake[1]]
    compare(_worded(answer, SIDES, PYTHON_MAX), triplet_loss, cases, mistakes)


loss = Exercise(
    name="03.loss",
    title="Triplet loss",
    parts=[Part(5, _test_zero_targets), Part(5, _test_loss)],
    reference=[triplet_loss],
    ready=_ready_loss(3),
    hints=(
        "How much nearer is the positive than the negative? If by the margin or more, there is nothing to pay; else what is "
        "missing.",
        "`ops.maximum(0.0, x)` works number by number, `ops.mean` at the very end. The targets are not needed.",
        "`near, far = triplet_distances(embeddings)`, `return ops.mean(ops.maximum(0.0, near - ... + ...))`.",
    ),
)

# --- 7: semantic search -------------------------------------------------------------------------------


def _rows_of_length_one(x, axis=1):
    return x / np.linalg.norm(x, axis=axis, keepdims=True)


def _search_like(
    queries_of=_rows_of_length_one,
    collection_of=_rows_of_length_one,
    compare_by=lambda q, c: q @ c.T,
    order=lambda s, k: np.argsort(-s, axis=1)[:, :k],
    finish=lambda s, i: (s, i),
):
    """``semantic_search`` that differs in one place."""

    def mistaken(queries, collection, k):
        similarities = compare_by(queries_of(queries), collection_of(collection))
        places = order(similarities, k)
        return finish(np.take_along_axis(similarities, places, 1), places)

    return mistaken


def _as_they_are(x):
    return x


def _pairwise_distances(q, c):
    return np.linalg.norm(q[:, None] - c[None], axis=-1)


SEARCH_MISTAKES = [
    (
        _search_like(_as_they_are, _as_they_are),
        "These are dot products: long embeddings win. Bring the rows of both sides to unit length first.",
    ),
    (
        _search_like(collection_of=_as_they_are),
        "The rows of the collection are not brought to unit length: long ones win.",
    ),
    (
        _search_like(queries_of=_as_they_are),
        "The order is right, but these are no cosines: the queries are not brought to unit length.",
    ),
    (
        _search_like(
            lambda x: _rows_of_length_one(x, axis=0), lambda x: _rows_of_length_one(x, axis=0)
        ),
        "The lengths are taken along axis 0, over the rows. Every row has its own length: `axis=1, keepdims=True`.",
    ),
    (
        _search_like(
            lambda x: _rows_of_length_one(x, axis=None), lambda x: _rows_of_length_one(x, axis=None)
        ),
        "All rows are divided by one number. Every row has its own length: `axis=1, keepdims=True`.",
    ),
    (
        _search_like(order=lambda s, k: np.argsort(s, axis=1)[:, :k]),
        "These are the rows that are *least* similar. `np.argsort` begins with the smallest: sort the negative values.",
    ),
    (
        _search_like(order=lambda s, k: np.argsort(s, axis=1)[:, -k:]),
        "The right rows, but the best one comes last. Turn them round: best first.",
    ),
    (
        _search_like(order=lambda s, k: np.argsort(-s, axis=0)[:, :k]),
        "The similarities are sorted along axis 0, over the queries. Each query has its own order: `axis=1`.",
    ),
    (
        _search_like(finish=lambda s, i: (i, s)),
        "The two are exchanged: return the similarities first, then the row numbers.",
    ),
    (
        _search_like(finish=lambda s, i: (1 - s, i)),
        "These are 1 - cosine, distances. Return the cosines.",
    ),
    *[
        (
            _search_like(
                of,
                of,
                lambda q, c, power=power: _pairwise_distances(q, c) ** power,
                lambda s, k: np.argsort(s, axis=1)[:, :k],
            ),
            sentence,
        )
        for power in (1, 2)  # FAISS gives squares
        for of, sentence in (
            (
                _as_they_are,
                "These are Euclidean distances. Search by the cosine. (With FAISS: `IndexFlatIP`, and not `IndexFlatL2`.)",
            ),
            (
                _rows_of_length_one,
                "These are distances of the unit vectors: the rows are right, but the cosine is wanted beside them. (With "
                "FAISS: `IndexFlatIP`, and not `IndexFlatL2`.)",
            ),
        )
    ],
    (
        _search_like(finish=lambda s, i: (s, i + 1)),
        "The row numbers are one too large: they begin with 0.",
    ),
]


def _search_cases():
    cases = []
    for seed, (m, n, k) in ((0, (3, 12, 4)), (7, (4, 40, 9))):
        lengths = seeded(seed).uniform(0.3, 4.0, n)[:, None]
        dim = 6 if n == 12 else 9
        queries = 3.0 * _normal(m, dim, seed=seed)
        cases.append((queries, lengths * _normal(n, dim, seed=seed + 1), k))
    return [(q.astype("float32"), c.astype("float32"), k) for q, c, k in cases]


SEARCH_ERRORS = [
    (
        ("broadcast",),
        "The lengths cannot divide the rows: (rows,) does not fit to (rows, dim). Keep the axis: `keepdims=True`.",
    ),
    (
        ("matmul", "shapes", "size-incompatible", "contracting dimensions"),
        "The matrix product needs (queries, dim) times (dim, rows): transpose the collection, `.T`.",
    ),
    (
        ("AssertionError",),
        "FAISS refuses the rows: the index must be as wide as they are, `faiss.IndexFlatIP(collection.shape[1])`.",
    ),
]


def _search_results(answer):
    """Both arrays of an answer as one, (2, m, k), with the faults of form named."""

    def both(queries, collection, k):
        m, n = len(queries), len(collection)
        handed = queries.copy(), collection.copy()
        with _in_our_words(*SEARCH_ERRORS):
            got = answer(*handed, k)
        if got is None:
            raise Wrong("The result is `None`: is a `return` missing?")
        if not isinstance(got, tuple | list) or len(got) != 2:
            raise Wrong("Return two arrays: the similarities, and the row numbers.")
        if not (np.array_equal(handed[0], queries) and np.array_equal(handed[1], collection)):
            raise Wrong(CHANGED)
        parts = [as_array(part, "A result") for part in got]
        for shape in (part.shape for part in parts):
            _require_search_shape(shape, m, n, k)
        return np.stack(parts)

    return both


def _require_search_shape(shape, m, n, k):
    if shape == (m, k):
        return
    if shape in ((n, k), (n, m)):
        raise Wrong(
            "Queries and collection are exchanged: look for each *query* in the collection."
        )
    if shape == (m, n):
        raise Wrong("All rows of the collection came back. Keep the best k.")
    if shape == (m,):
        raise Wrong("Only the best row came back. Return the best k of each query: (queries, k).")
    if shape == (k, m):
        raise Wrong(
            "The results are turned round, (k, queries). Each query has a row: (queries, k)."
        )
    if len(shape) == 2 and shape[0] == m:
        raise Wrong(f"With k = {k} a query got {shape[1]} row(s): use the argument `k`.")
    raise Wrong(f"A result has shape {shape}; expected ({m}, {k}).")


def _in_the_order_of(numbers, results):
    """The right rows in another order."""
    by_number = np.take_along_axis(results, np.argsort(results[1:], axis=2), 2)
    return np.take_along_axis(by_number, np.argsort(np.argsort(numbers[None], axis=2), axis=2), 2)


def _compare_search(answer, cases):
    got, right = _search_results(answer), _search_results(searching.semantic_search)
    mistakes = [
        (lambda *case, f=f: np.stack(f(*case)), sentence) for f, sentence in SEARCH_MISTAKES
    ]
    half_right = [
        (
            lambda *case: _in_the_order_of(got(*case)[1], right(*case)),
            "The right rows, but not in order: best first. (`np.argpartition` does not sort.)",
        ),
        (
            lambda *case: np.stack([got(*case)[0], right(*case)[1]]),
            "The row numbers are right, but the similarities are not those of these rows: "
            "`np.take_along_axis(similarities, indices, 1)`.",
        ),
        (
            lambda *case: np.stack([right(*case)[0], got(*case)[1]]),
            "The similarities are right, but the row numbers are not those of these rows: `np.argsort` gives them.",
        ),
    ]
    compare(got, right, cases, mistakes + half_right)


def _test_search(answer):
    _compare_search(answer, _search_cases())
    found = answer(*_search_cases()[0])[1]
    if np.asarray(found).dtype.kind not in "iu":
        raise Wrong(
            "The row numbers are fractions, and cannot be used as an index. Keep them whole numbers."
        )


def _test_search_counts(answer):
    """k is an argument: 1, and all rows."""
    queries, collection, _ = _search_cases()[0]
    _compare_search(answer, [(queries, collection, k) for k in (1, len(collection))])


search = Exercise(
    name="03.search",
    title="Semantic search",
    parts=[Part(8, _test_search), Part(2, _test_search_counts)],
    reference=[searching.semantic_search],
    hints=(
        "Cosines are dot products of rows of unit length. So: divide every row by its length, on both sides; one matrix "
        "product; then, for each query, the k largest values and where they stand.",
        "`np.linalg.norm(x, axis=1, keepdims=True)` gives the lengths. With NumPy: `np.argsort(-similarities, axis=1)[:, :k]` "
        "and `np.take_along_axis(similarities, indices, 1)`. With FAISS: `faiss.IndexFlatIP(dim)`, `.add(rows)`, "
        "`.search(queries, k)`, which wants float32.",
        "`unit = lambda x: x / np.linalg.norm(...)`, `index = faiss.IndexFlatIP(collection.shape[1])`, "
        "`index.add(unit(...))`, `return index.search(unit(...), ...)`.",
    ),
)

# --- 8: clustering ------------------------------------------------------------------------------------


def _groups(centres, each: int, seed: int = 0):
    """(embeddings, groups): points around centres, in mixed order."""
    rng = seeded(seed)
    groups = rng.permutation(np.repeat(np.arange(len(centres)), each))
    points = np.asarray(centres, "float64")[groups] + 0.15 * rng.normal(size=(len(groups), 5))
    return points.astype("float32"), groups


# two groups in one direction, told apart by their length; and four, for another k
TWO = [[1, 1, 0, 0, 0], [5, 5, 0, 0, 0]]
NEAR = [
    [0, 0, 0, 0, 0],
    [1.2, 0, 0, 0, 0],
    [8, 0, 0, 0, 0],
    [9.2, 0, 0, 0, 0],
]  # two by two, for k = 2
FOUR = [[3, 0, 0, 0, 0], [0, 3, 0, 0, 0], [0, 0, 3, 0, 0], [0, 0, 0, 6, 0]]


def _labels(answer, points, k):
    """Labels of an answer as whole numbers, whatever the clusters are called."""
    handed = points.copy()
    got = answer(handed, k)
    if got is None:
        raise Wrong("The result is `None`: is a `return` missing?")
    if not np.array_equal(handed, points):
        raise Wrong(CHANGED)
    if hasattr(got, "fit_predict"):
        raise Wrong(
            f"This is the `{type(got).__name__}` itself. Return its labels: `.fit_predict(embeddings)`."
        )
    if keras.ops.is_tensor(got):
        got = keras.ops.convert_to_numpy(got)
    n, dim = points.shape
    try:
        labels = np.asarray(got)
    except ValueError:
        raise Wrong("The result is no array: expected a label for each row.") from None
    if labels.dtype.kind == "O":
        raise Wrong(
            f"The result is a `{type(got).__name__}`; expected a label for each row, ({n},)."
        )
    if labels.shape == (k, dim):
        raise Wrong(
            "These are the centres of the clusters. Return a label for each row: `.labels_`."
        )
    if labels.shape == (n, k):
        raise Wrong("These are the distances to the centres. Return the nearest one: `.labels_`.")
    if labels.shape == ():
        raise Wrong("This is one number. Return a label for each row: `.labels_`.")
    if labels.shape == (dim,):
        raise Wrong("The columns are clustered: embeddings are rows. Leave `.T` out.")
    if labels.shape == (k,):
        raise Wrong("This has an entry for each cluster. Return a label for each row: `.labels_`.")
    if labels.shape != (n,):
        raise Wrong(f"The result has shape {labels.shape}; expected ({n},), a label for each row.")
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def _test_clusters(centres):
    def test(answer):
        for seed in (0, 1):
            points, groups = _groups(centres, 6, seed)
            if is_hidden():
                points = points * np.float32(0.2) + seeded(9).normal(size=5).astype("float32")
            found = _labels(answer, points, len(centres))
            if not same_clusters(found, groups):
                _tell_clusters(found, points, groups)
        points, groups = _groups(NEAR, 6, 2)
        found = _labels(answer, points, 2)
        if not same_clusters(found, groups // 2):
            _tell_clusters(found, points, groups // 2)

    return test


def _tell_clusters(found, points, groups):
    k, count = len(np.unique(groups)), len(np.unique(found))
    if count == 1:
        raise Wrong(f"All rows have the same label; there are {k} groups.")
    if count == len(found):
        raise Wrong("Every row has a label of its own; rows of one cluster must share theirs.")
    if count != k:
        raise Wrong(f"There are {count} clusters; k is {k}: use the argument `k`.")
    unit = _rows_of_length_one(points)
    if same_clusters(found, searching.cluster(unit, k)):
        raise Wrong(
            "The rows are brought to unit length first. This encoder was trained on distances: take its embeddings as "
            "they are."
        )
    place = np.arange(len(found))
    if any(same_clusters(found, by) for by in (place * k // len(found), place % k)):
        raise Wrong("The rows are divided by their order, and not by their embeddings.")
    raise Wrong(
        "The clusters are not those of k-means: rows that lie together have different labels. Did the centres move until "
        "they came to rest, and was more than one start tried (`n_init=10`)?"
    )


clusters = Exercise(
    name="03.clusters",
    title="Clustering",
    parts=[Part(5, _test_clusters(TWO)), Part(5, _test_clusters(FOUR))],
    reference=[searching.cluster],
    hints=(
        "K-means puts k centres somewhere, gives every row to the nearest one, moves each centre into the middle of its "
        "rows, and repeats until nothing moves. scikit-learn has it.",
        "`sklearn.cluster.KMeans(n_clusters=..., n_init=10, random_state=0)`; `fit_predict` gives the labels of the rows.",
        "`return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(...)`.",
    ),
)

EXERCISES = (scaling, datasets, pooling, regression, distances, loss, search, clusters)

watch(EXERCISES)
