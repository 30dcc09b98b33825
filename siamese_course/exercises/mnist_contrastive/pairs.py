"""Exercise 3 of notebook 01: classic and balanced pairs."""

import numpy as np

from siamese_course.batching.images import balanced_pairs, classic_pairs
from siamese_course.exercises.cases import hold, is_pair, require_own_order
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    as_array,
    is_hidden,
    seeded,
)

MAX_BATCHES = 200  # more than an epoch can have: an endless generator is cut here
SMALL_CLASSES = np.arange(60) % 15
UNMIXED = (
    "Some batches have only similar pairs, or only different ones. Shuffle which row gets which.",
    "unmixed_batches",
)


def _labels() -> np.ndarray:
    return seeded(5).integers(0, 10, size=977 if is_hidden() else 1003)


def _batch_size() -> int:
    return 24 if is_hidden() else 32


# --- form ---------------------------------------------------------------------------------------------


def _epoch(answer, seed: int = 0, labels=None, batch_size: int | None = None):
    """One epoch as a list of (left, right) index arrays; raises ``Wrong`` where the form is wrong."""
    labels = _labels() if labels is None else labels
    given = labels.copy()
    produced = answer(given, batch_size or _batch_size(), seeded(seed))
    if produced is None:
        raise Wrong(
            "The function returns `None`: use `yield left, right` in the loop, or return a list.",
            "none",
        )
    try:
        batches = iter(produced)
    except TypeError:
        raise Wrong(
            f"The function returns a `{type(produced).__name__}`; expected batches to loop over.",
            "type",
        ) from None
    batches = hold(batches, MAX_BATCHES)
    if not batches:
        raise Wrong(
            "There are no batches. Is a `yield` missing, or is it outside the loop?", "empty"
        )
    if not np.array_equal(given, labels):
        raise Wrong("Your code changes `labels`. Work on a copy.", "changed")
    epoch = [_sides(batch, len(labels)) for batch in batches]
    if len(batches) == MAX_BATCHES:
        raise Wrong(
            "The generator never ends. One call is one epoch: loop over the batches once.",
            "endless",
        )
    used = np.unique(np.concatenate([side for batch in epoch for side in batch]))
    if len(labels) > 200 and np.array_equal(used, np.unique(labels)):
        raise Wrong(
            "These look like labels. Yield indices: the positions of the images in the data.",
            "labels",
        )
    return epoch


def _sides(batch, rows: int):
    if not is_pair(batch):
        raise Wrong("Every batch must be a pair `(left, right)` of index arrays.", "no_pair")
    left, right = (as_array(side, "A side of a batch") for side in batch)
    for dtype in (np.asarray(side).dtype for side in batch):
        if dtype.kind == "f":
            raise Wrong(
                f"The indices have dtype {dtype}, and floats cannot index an array. Create the array with `dtype=int`.",
                "floats",
            )
    if left.ndim != 1 or right.ndim != 1:
        raise Wrong(
            f"The sides have shapes {left.shape} and {right.shape}; expected (batch,) each.",
            "shape",
        )
    if len(left) != len(right):
        raise Wrong(
            f"A left side has {len(left)} rows and its right side {len(right)}. Is each right side the batch after "
            "its left side? Even then the two may differ by one row. Cut both to the length of the shorter one.",
            "unequal",
        )
    both = np.concatenate([left, right])
    if (both != both.round()).any() or both.min() < 0 or both.max() >= rows:
        raise Wrong(f"The sides must be indices from 0 to {rows - 1}.", "no_indices")
    return left.astype(int), right.astype(int)


def _flat(epoch):
    """All left sides and all right sides of an epoch."""
    return tuple(np.concatenate(side) for side in zip(*epoch, strict=True))


def _require_random(answer) -> None:
    require_own_order(lambda seed: [side.tolist() for side in _flat(_epoch(answer, seed))])


def _require_sides_differ(left, right) -> None:
    if np.array_equal(left, right):
        raise Wrong(
            "Left and right are the same rows: every image is paired with itself.", "itself"
        )
    if count := (left == right).sum():
        raise Wrong(
            f"{count} images are paired with themselves: such a pair teaches nothing.", "itself"
        )


# --- classic pairs ------------------------------------------------------------------------------------


def _test_classic(answer):
    labels, first = _labels(), _epoch(answer)
    left, right = _flat(first)
    _require_sides_differ(left, right)
    if (labels[left] == labels[right]).all():
        raise Wrong("Every pair is similar. The classic pairs ignore the labels.", "all_similar")
    used = np.concatenate([left, right])
    if len(np.unique(used)) < len(used):
        raise Wrong(
            "Some rows occur twice in an epoch. Pair batch 1 with 2, 3 with 4, and so on: each once.",
            "twice",
        )
    _require_random(answer)
    if (np.diff(left) == 1).mean() > 0.5:
        raise Wrong(
            "Inside the batches the rows are in the order of the data: only the batches were shuffled. Shuffle the rows.",
            "batches_shuffled",
        )
    steps = len(labels) // (2 * _batch_size())
    if len(first) != steps:
        raise Wrong(
            f"{len(labels)} rows with batch_size {_batch_size()} give {len(first)} steps; expected {steps}: an even "
            "number of batches, `2 * (n // (2 * batch_size))`, leaves none to drop.",
            "steps",
        )
    if any(len(batch) < _batch_size() for batch, _ in first):
        raise Wrong(f"A batch is shorter than batch_size = {_batch_size()}.", "short_batch")
    # where two neighbors differ by one row, the longer one drops it
    if (unused := len(labels) - len(used)) > steps:
        raise Wrong(
            f"{unused} of {len(labels)} rows are in no pair. Cut *all* rows into an even number of nearly equal batches "
            "(`np.array_split`), so that no remainder and no odd last batch is dropped.",
            "rest_dropped",
        )
    again = set(zip(*_flat(_epoch(answer, seed=1)), strict=True))
    pairs_again = sum(
        pair in again or pair[::-1] in again for pair in zip(left, right, strict=True)
    )
    if pairs_again > len(left) // 10:
        raise Wrong(
            "A different seed makes the same pairs in a different order. Shuffle the rows before pairing them.",
            "fixed_pairs",
        )
    for rows, size in ((9, 2), (8, 4), (7, 1)):
        count = len(_epoch(answer, labels=np.arange(rows) % 3, batch_size=size))
        if count != rows // (2 * size):
            raise Wrong(
                f"{rows} rows with batch_size {size} give {count} steps; expected {rows // (2 * size)}.",
                "steps",
            )


# --- balanced pairs -----------------------------------------------------------------------------------


def _test_balanced(answer):
    labels, first = _labels(), _epoch(answer)
    left, right = _flat(first)
    _require_sides_differ(left, right)
    # small classes, where a row would soon meet itself
    _require_sides_differ(*_flat(_epoch(answer, labels=SMALL_CLASSES, batch_size=8)))
    similar = (labels[left] == labels[right]).mean()
    full = [labels[a] == labels[b] for a, b in first if len(a) == _batch_size()]
    unmixed = [batch.all() or not batch.any() for batch in full]
    if full and all(unmixed) and 0 < similar < 1:
        raise Wrong(*UNMIXED)
    _require_balance(answer, similar)
    _require_every_row(left, first, labels)
    _require_random(answer)
    if np.array_equal(left, np.arange(len(labels))):
        raise Wrong(
            "The left sides are in the order of the data: shuffle them with `rng.permutation`.",
            "left_in_order",
        )
    if any(unmixed):
        raise Wrong(*UNMIXED)
    _require_varied_partners(answer, left, right, labels)
    _require_other_class(answer)
    _require_half_of_each_class(answer)
    # in a narrow type, and in batches of one and of all
    for size in (8, 1, 60):
        epoch = _epoch(answer, labels=SMALL_CLASSES.astype("uint8"), batch_size=size)
        _require_sides_differ(*_flat(epoch))
        expected = [min(size, 60 - start) for start in range(0, 60, size)]
        if (sizes := [len(batch) for batch, _ in epoch]) != expected:
            raise Wrong(
                f"60 rows with batch_size {size} were split into batches of {sizes[:4]} ...; expected {expected[:4]} "
                "...",
                "batches",
            )


def _require_balance(answer, similar: float) -> None:
    if similar == 1:
        raise Wrong(
            "Every pair is similar: half of the right sides must come from another class.",
            "all_similar",
        )
    if similar == 0:
        raise Wrong(
            "No pair is similar: half of the right sides must come from the same class.",
            "none_similar",
        )
    if similar < 0.2:
        raise Wrong(
            f"Only {similar:.0%} of the pairs are similar, about as many as by chance. Half of them should be.",
            "by_chance",
        )
    if 0.5 < similar < 0.65:
        _require_other_class(answer)  # which is another way to get too many similar ones
    if not 0.42 <= similar <= 0.58:
        raise Wrong(f"{similar:.0%} of the pairs are similar; expected about half.", "unbalanced")


def _require_every_row(left, epoch, labels) -> None:
    if len(left) < len(labels):
        raise Wrong(
            f"{len(labels)} rows give only {len(left)} pairs. Keep the last batch, even though it is shorter.",
            "last_batch_dropped",
        )
    if (longest := max(len(batch) for batch, _ in epoch)) > _batch_size():
        raise Wrong(
            f"A batch has {longest} rows; batch_size is {_batch_size()}.",
            "long_batch",
        )
    if not np.array_equal(np.sort(left), np.arange(len(labels))):
        row = int(np.argmax(np.bincount(left, minlength=len(labels)) != 1))
        raise Wrong(
            f"The left sides must contain every row exactly once; row {row} is there {np.sum(left == row)} times, and "
            f"there are {len(left)} left sides for {len(labels)} rows.",
            "not_every_row",
        )


def _require_varied_partners(answer, left, right, labels) -> None:
    if len(np.unique(right)) < len(labels) // 3:
        raise Wrong(
            "Only a few rows are ever chosen as partners. Draw each partner at random.",
            "few_partners",
        )
    for each in np.unique(labels):
        others = labels[right[(labels[left] == each) & (labels[right] != each)]]
        if (count := len(np.unique(others))) <= 2:
            raise Wrong(
                f"The different partners of class {each} come from only {count} other class(es). Draw them from all other "
                "classes, or some classes are never told apart.",
                "few_classes",
            )
    again_left, again_right = _flat(_epoch(answer, seed=1))
    partner, again = np.empty_like(left), np.empty_like(left)
    partner[left], again[again_left] = right, again_right
    similar, again_similar = labels[partner] == labels, labels[again] == labels
    for both in (similar & again_similar, ~similar & ~again_similar):
        if (partner == again)[both].mean() > 0.5:
            raise Wrong(
                "A row always gets the same partner. Draw each partner at random, from `rng`.",
                "same_partner",
            )


def _require_half_of_each_class(answer) -> None:
    """With two classes of two rows, a partner that is off by one place shows at once."""
    labels = np.array([0, 0, 1, 1])
    epochs = [_flat(_epoch(answer, seed, labels, batch_size=4)) for seed in range(100)]
    left, right = (np.concatenate(side) for side in zip(*epochs, strict=True))
    _require_sides_differ(left, right)
    for each in (0, 1):
        similar = (labels[right] == each)[labels[left] == each].mean()
        if not 0.35 <= similar <= 0.65:
            raise Wrong(
                f"With the labels [0, 0, 1, 1], {similar:.0%} of the pairs whose left row is of class {each} are "
                "similar; expected half.",
                "unbalanced_class",
            )


def _require_other_class(answer) -> None:
    """With two classes, drawing a 'different' partner from all rows makes three of four pairs similar."""
    labels = np.arange(600) % 2
    left, right = _flat(_epoch(answer, labels=labels))
    if (labels[left] == labels[right]).mean() > 0.62:
        raise Wrong(
            "For a different pair, the partner is drawn from all rows, including its own class. Leave that class out, "
            "or the pair may be similar by accident.",
            "own_class",
        )


def _ready(*answers):
    for answer in answers:
        sides = next(iter(answer(SMALL_CLASSES, 8, seeded(0))))
        if any(isinstance(side, tuple) for side in sides):
            raise TypeError("its sides are tuples, which cannot index the images")


pairs = Exercise(
    name="01.pairs",
    title="Pair generators",
    parts=[Part(8, _test_classic, of=0), Part(12, _test_balanced, of=1)],
    reference=[classic_pairs, balanced_pairs],
    ready=_ready,
    hints=(
        "A pair is two indices. Classic: shuffle the rows, cut them into batches, and pair neighboring batches. Balanced: "
        "go through the shuffled rows, and toss a coin for each: a partner of its own class, or of another one.",
        "Classic: `np.array_split(rng.permutation(n), number)` cuts into nearly equal batches; ask for an even number, "
        "and cut both neighbors to the length of the shorter one. Balanced: `np.flatnonzero(labels == c)` gives the "
        "rows of class c; leave out the row itself.",
        "Classic: `for left, right in zip(batches[::2], batches[1::2])`. Balanced: for each row `i`, "
        "`candidates = (labels == labels[i]) if similar else (labels != labels[i])`, set `candidates[i] = False`, "
        "and `rng.choice(np.flatnonzero(candidates))`.",
    ),
)
