"""Exercise 2: what is wrong with a split is named."""

import numpy as np
import pytest

from siamese_course.batching.episodes import split_alphabets
from siamese_course.exercises.omniglot_one_shot import split


def by(choose, finish=lambda held: (np.flatnonzero(~held), np.flatnonzero(held))):
    """A split with one thing changed: which alphabets are chosen, what is returned."""

    def answer(alphabets, count, rng):
        names = np.unique(alphabets)
        return finish(np.isin(alphabets, choose(names, count, rng)))

    return answer


def right(names, count, rng):
    return rng.choice(names, count, replace=False)


def by_character(alphabets, count, rng):
    order = rng.permutation(len(alphabets))
    size = len(alphabets) * count // len(np.unique(alphabets))
    return np.sort(order[size:]), np.sort(order[:size])


def alphabets_themselves(alphabets, count, rng):
    names = rng.permutation(np.unique(alphabets))
    return np.sort(names[count:]), np.sort(names[:count])


def in_order(names, count, rng):
    return names[:count]


def indices(held):
    return np.flatnonzero(~held), np.flatnonzero(held)


WRONG = [
    (by_character, "by_character"),
    (alphabets_themselves, "alphabets"),
    (by(in_order), "not_drawn"),
    (by(lambda names, count, rng: rng.choice(names[:-1], count, replace=False)), "never"),
    (by(lambda names, count, rng: rng.choice(names, count)), "count"),
    (by(lambda names, count, rng: rng.choice(names, 3, replace=False)), "count"),
    (by(lambda n, count, rng: np.random.default_rng().choice(n, count, False)), "other_randomness"),
    (by(right, lambda held: indices(held)[::-1]), "swapped"),
    (by(right, lambda held: (~held, held)), "mask"),
    (by(right, lambda held: np.where(held)), "no_pair"),
    (by(right, lambda held: (np.where(~held), np.where(held))), "tuple"),
    (by(right, lambda held: (indices(held)[0], indices(held)[1][::-1])), "order"),
    (by(right, lambda held: (np.arange(len(held)), indices(held)[1])), "overlap"),
    (by(right, lambda held: (indices(held)[0][1:], indices(held)[1])), "missing"),
    (by(right, lambda held: (indices(held)[0] * 1.0, indices(held)[1])), "floats"),
    (by(right, lambda held: [(side * 1.0).tolist() for side in indices(held)]), "floats"),
    (by(right, lambda held: (indices(held)[0] + 1, indices(held)[1])), "no_indices"),
]


@pytest.mark.parametrize(("answer", "tag"), WRONG, ids=lambda value: str(value)[:20])
def test_a_wrong_split_is_named(answer, tag):
    result = split.check(answer)
    assert not result.passed
    assert tag in result.tags, result.messages


def test_alphabets_that_are_changed_are_found():
    def changes(alphabets, count, rng):
        made = split_alphabets(alphabets, count, rng)
        alphabets[:] = 0
        return made

    assert "changed" in split.check(changes).tags


def test_arrays_that_are_filled_again_are_found():
    kept = {}

    def answer(alphabets, count, rng):
        made = split_alphabets(alphabets, count, rng)
        for place, side in enumerate(made):
            kept.setdefault((place, len(side)), side.copy())[:] = side
        return tuple(kept[place, len(side)] for place, side in enumerate(made))

    assert "reused" in split.check(answer).tags


def test_a_split_by_permutation_passes():
    assert split.check(by(lambda names, count, rng: rng.permutation(names)[:count])).passed
