"""Exercise 2 of notebook 04: a split by alphabet."""

import numpy as np

from siamese_course.batching.episodes import split_alphabets
from siamese_course.exercises.cases import require_own_order
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    as_array,
    is_hidden,
    require_returned,
    seeded,
)


def _alphabets(seed=0):
    """Characters of alphabets of different sizes, with gaps in their numbers."""
    rng = seeded(seed)
    names = 3 * np.arange(13 if is_hidden() else 11) + 1
    return np.repeat(names, rng.integers(2, 9, len(names)))


def _sides(answer, alphabets, count, seed=0):
    """The two sides as arrays of indices; raises ``Wrong`` where the form is wrong."""
    given = alphabets.copy()
    made = answer(given, count, seeded(seed))
    require_returned(made)
    if not isinstance(made, tuple | list) or len(made) != 2:
        raise Wrong("Return two arrays of indices: `return train, held_out`.", "no_pair")
    if not np.array_equal(given, alphabets):
        raise Wrong("Your code changes `alphabets`. Work on a copy.", "changed")
    sides = []
    for name, side in zip(("train", "held_out"), made, strict=True):
        require_returned(side, f"`{name}`")
        if isinstance(side, tuple):
            raise Wrong(
                f"`{name}` is a tuple, as `np.where` returns it. Take its first element, or use `np.flatnonzero`.",
                "tuple",
            )
        array = as_array(side, f"`{name}`")
        if np.asarray(side).dtype.kind == "b":
            raise Wrong(
                f"`{name}` contains True and False. Return indices: `np.flatnonzero(...)`.", "mask"
            )
        if array.ndim != 1:
            raise Wrong(f"`{name}` has shape {array.shape}; expected (n,): indices.", "shape")
        if array.size and (
            (array != array.round()).any() or array.min() < 0 or array.max() >= len(alphabets)
        ):
            raise Wrong(
                f"`{name}` must contain indices of characters, from 0 to {len(alphabets) - 1}.",
                "no_indices",
            )
        if array.size and np.asarray(side).dtype.kind == "f":
            raise Wrong(f"`{name}` contains floats, which cannot index an array.", "floats")
        sides.append(array.astype(int))
    return sides


def _require_split(train, held_out, alphabets, count):
    both = np.concatenate([train, held_out])
    for name, side, other in (("train", train, held_out), ("held_out", held_out, train)):
        if not len(side):
            raise Wrong(
                f"`{name}` is empty; the other side has {len(other)} of the {len(alphabets)} characters.",
                "empty",
            )
    shared = np.intersect1d(alphabets[train], alphabets[held_out])
    if set(both.tolist()) <= set(alphabets.tolist()) and len(both) == len(
        np.unique(alphabets)
    ) < len(alphabets):
        raise Wrong(
            "These are the alphabets. Return the indices of their *characters*: the positions in `alphabets`.",
            "alphabets",
        )
    if (twice := np.intersect1d(train, held_out)).size:
        raise Wrong(
            f"Characters on both sides: {twice.size}, such as character {twice[0]}.", "overlap"
        )
    if shared.size:
        raise Wrong(
            f"{shared.size} alphabets have characters on both sides, such as alphabet {shared[0]}. Choose whole "
            "*alphabets*, then take all of their characters.",
            "by_character",
        )
    if len(both) != len(alphabets):
        raise Wrong(
            f"There are {len(both)} indices for {len(alphabets)} characters: each must be on one side, once.",
            "missing",
        )
    found = len(np.unique(alphabets[held_out]))
    if found == len(np.unique(alphabets)) - count and found != count:
        raise Wrong(
            f"The sides are swapped: `count` = {count} alphabets are to be held out, and the first array is for training.",
            "swapped",
        )
    if found != count:
        advice = (
            " Draw `count` *different* ones (`replace=False`) of those that occur, `np.unique(alphabets)`."
            if found < count
            else ""
        )
        raise Wrong(f"{found} alphabets are held out; expected `count` = {count}.{advice}", "count")
    if (np.diff(train) < 0).any() or (np.diff(held_out) < 0).any():
        raise Wrong(
            "The indices must be in ascending order, as `np.flatnonzero` returns them.", "order"
        )


def _test_split(answer):
    # twice what is drawn with replacement would repeat an alphabet
    for seed, count in ((0, 3), (1, 4), (2, 2), (3, 7)):
        alphabets = _alphabets(seed)
        _require_split(*_sides(answer, alphabets, count, seed), alphabets, count)
    shuffled = seeded(9).permutation(_alphabets(4))
    for alphabets, count in (
        (shuffled, 3),
        (np.array([5, 5, 2]), 1),
        (np.arange(6, dtype="uint8"), 5),
    ):
        _require_split(*_sides(answer, alphabets, count), alphabets, count)


def _test_random(answer):
    alphabets = _alphabets(5)

    def drawn(seed):
        return frozenset(alphabets[_sides(answer, alphabets, 3, seed)[1]].tolist())

    # alphabets of one size, so that the sides have the same sizes in every call
    equal = np.repeat(np.arange(5), 4)
    held = answer(equal.copy(), 2, seeded(0))
    first = [np.array(side) for side in held]
    for seed in range(1, 6):
        answer(equal.copy(), 2, seeded(seed))
        if not all(np.array_equal(a, b) for a, b in zip(first, held, strict=True)):
            raise Wrong(
                "A later call changes what an earlier call returned: make new arrays in each call.",
                "reused",
            )
    for seed in range(3):
        _require_split(*_sides(answer, alphabets, 3, seed), alphabets, 3)
    many = [drawn(seed) for seed in range(80)]
    if len(set(many)) == 1 and drawn(0) == many[0]:
        raise Wrong(
            "The same alphabets are held out for every `rng`. Draw them: `rng.choice(..., replace=False)`.",
            "not_drawn",
        )
    # four draws each: without the seed, one draw of three alphabets repeats itself in one run of dozens
    require_own_order(
        lambda seed: [_sides(answer, alphabets, 3, 4 * seed + n)[1].tolist() for n in range(4)]
    )
    left = set(np.unique(alphabets)) - set().union(*many)
    if left:
        raise Wrong(
            f"In 80 draws, alphabet {min(left)} is never held out. Draw from all alphabets.",
            "never",
        )


split = Exercise(
    name="04.split",
    title="Split by alphabet",
    parts=[Part(6, _test_split), Part(3, _test_random)],
    reference=[split_alphabets],
    hints=(
        "What must be new in the test is the alphabet. So draw the alphabets first, and only then look up which "
        "characters belong to them.",
        "`np.unique(alphabets)` gives the alphabets, `rng.choice(names, count, replace=False)` draws different "
        "ones, and `np.isin(alphabets, chosen)` tells which characters belong to them.",
        "`held_out = np.isin(alphabets, ...)`, then `return np.flatnonzero(~held_out), np.flatnonzero(...)`.",
    ),
)
