"""Exercise 3: right generators pass, known mistakes are named."""

from itertools import pairwise

import numpy as np
import pytest

from siamese_course.batching.images import balanced_pairs, classic_pairs
from siamese_course.exercises.mnist_contrastive import pairs


def rows(n, batch_size, order):
    batches = np.array_split(order, 2 * (n // (2 * batch_size)))
    return [(a[: len(b)], b[: len(a)]) for a, b in zip(batches[::2], batches[1::2], strict=True)]


def classic_unshuffled(labels, batch_size, rng):
    yield from rows(len(labels), batch_size, np.arange(len(labels)))


def classic_with_own_randomness(labels, batch_size, rng):
    yield from rows(len(labels), batch_size, np.random.permutation(len(labels)))


def classic_with_itself(labels, batch_size, rng):
    for batch in np.array_split(rng.permutation(len(labels)), len(labels) // batch_size):
        yield batch, batch


def classic_of_unequal_length(labels, batch_size, rng):
    batches = np.array_split(rng.permutation(len(labels)), 2 * (len(labels) // (2 * batch_size)))
    yield from zip(batches[::2], batches[1::2], strict=True)


def classic_overlapping(labels, batch_size, rng):
    batches = np.array_split(rng.permutation(len(labels)), 2 * (len(labels) // (2 * batch_size)))
    for a, b in pairwise(batches):
        yield a[: len(b)], b[: len(a)]


def classic_without_end(labels, batch_size, rng):
    while True:
        yield from classic_pairs(labels, batch_size, rng)


def classic_one_step_short(labels, batch_size, rng):
    yield from list(classic_pairs(labels, batch_size, rng))[:-1]


def classic_labels_instead_of_rows(labels, batch_size, rng):
    for a, b in classic_pairs(labels, batch_size, rng):
        yield labels[a] - 1, labels[b]


def classic_three_values(labels, batch_size, rng):
    for a, b in classic_pairs(labels, batch_size, rng):
        yield a, b, labels[a] == labels[b]


def balanced_like(choose, keep=lambda batches: batches, shuffle=True):
    """A balanced generator with one thing changed."""

    def generator(labels, batch_size, rng):
        n = len(labels)
        left = rng.permutation(n) if shuffle else np.arange(n)
        right = np.array([choose(labels, row, place, rng) for place, row in enumerate(left)])
        batches = [
            (left[i : i + batch_size], right[i : i + batch_size]) for i in range(0, n, batch_size)
        ]
        yield from keep(batches)

    return generator


def partner(labels, row, similar, rng):
    allowed = (labels == labels[row]) == similar
    allowed[row] = False
    return rng.choice(np.flatnonzero(allowed))


def coin(labels, row, place, rng):
    return partner(labels, row, rng.random() < 0.5, rng)


def coin_with_itself(labels, row, place, rng):
    if rng.random() < 0.5:
        return rng.choice(np.flatnonzero(labels == labels[row]))
    return partner(labels, row, False, rng)


def different_from_all_rows(labels, row, place, rng):
    if rng.random() < 0.5:
        return partner(labels, row, True, rng)
    return (row + rng.integers(1, len(labels))) % len(labels)


def next_in_line(labels, row, place, rng):
    allowed = (labels == labels[row]) == (rng.random() < 0.5)
    ahead = np.roll(allowed, -row - 1)[:-1]
    return (row + 1 + int(np.argmax(ahead))) % len(labels)


def balanced_with_floats(labels, batch_size, rng):
    for a, b in balanced_pairs(labels, batch_size, rng):
        yield a, b.astype("float64")


def first_of_class(labels, row, place, rng):
    other = (labels == labels[row]) == (rng.random() < 0.5)
    other[row] = False
    return np.flatnonzero(other)[0]


def classic_of_exact_batches(labels, batch_size, rng):
    order = rng.permutation(len(labels)).tolist()
    steps = len(order) // (2 * batch_size)
    parts = [order[i * batch_size : (i + 1) * batch_size] for i in range(2 * steps)]
    return [(parts[2 * i], parts[2 * i + 1]) for i in range(steps)]


def classic_without_the_odd_batch(labels, batch_size, rng):
    batches = np.array_split(rng.permutation(len(labels)), len(labels) // batch_size)
    for a, b in zip(batches[::2], batches[1::2], strict=False):
        yield a[: len(b)], b[: len(a)]


def classic_of_fixed_neighbors(labels, batch_size, rng):
    n = len(labels)
    steps = n // (2 * batch_size)
    first = np.arange(0, n - 1, 2)
    for part in np.array_split(rng.permutation(first), steps):
        yield part, part + 1


def balanced_of_alike_batches(labels, batch_size, rng):
    left = rng.permutation(len(labels))
    for batch in (left[i : i + batch_size] for i in range(0, len(left), batch_size)):
        similar = rng.random() < 0.5
        yield batch, np.array([partner(labels, row, similar, rng) for row in batch])


def balanced_that_stops(labels, batch_size, rng):
    yield from range(batch_size / 2)


def balanced_in_one_buffer(labels, batch_size, rng):
    buffer = np.empty((2, batch_size), int)
    for a, b in balanced_pairs(labels, batch_size, rng):
        buffer[:, : len(a)] = a, b
        yield buffer[0, : len(a)], buffer[1, : len(a)]


FORM = [
    ("classic", classic_of_exact_batches, "rest_dropped"),
    ("classic", classic_without_the_odd_batch, "rest_dropped"),
    ("classic", classic_of_fixed_neighbors, "fixed_pairs"),
    ("balanced", balanced_in_one_buffer, "reused"),
    ("classic", classic_unshuffled, "not_shuffled"),
    ("classic", classic_with_own_randomness, "other_randomness"),
    ("classic", classic_with_itself, "itself"),
    ("classic", classic_of_unequal_length, "unequal"),
    ("classic", classic_overlapping, "twice"),
    ("classic", classic_without_end, "endless"),
    ("classic", classic_one_step_short, "steps"),
    ("classic", classic_labels_instead_of_rows, "no_indices"),
    ("classic", classic_three_values, "no_pair"),
    ("classic", lambda labels, batch_size, rng: iter(()), "empty"),
    ("classic", lambda labels, batch_size, rng: 3, "type"),
    ("balanced", classic_pairs, "by_chance"),
    ("balanced", balanced_like(lambda y, r, p, g: partner(y, r, True, g)), "all_similar"),
    ("balanced", balanced_like(lambda y, r, p, g: partner(y, r, False, g)), "none_similar"),
    (
        "balanced",
        balanced_like(lambda y, r, p, g: partner(y, r, g.random() < 0.8, g)),
        "unbalanced",
    ),
    ("balanced", balanced_like(coin_with_itself), "itself"),
    ("balanced", balanced_like(coin, keep=lambda batches: batches[:-1]), "last_batch_dropped"),
    ("balanced", balanced_like(coin, shuffle=False), "left_in_order"),
    (
        "balanced",
        balanced_like(lambda y, r, p, g: partner(y, r, p < len(y) / 2, g)),
        "unmixed_batches",
    ),
    ("balanced", balanced_of_alike_batches, "unmixed_batches"),
    ("balanced", balanced_that_stops, "error"),
    ("balanced", balanced_like(first_of_class), "few_partners"),
    ("balanced", balanced_like(different_from_all_rows), "own_class"),
    ("balanced", balanced_like(next_in_line), "same_partner"),
    ("balanced", balanced_with_floats, "floats"),
]


@pytest.mark.parametrize(
    ("which", "answer", "tag"),
    FORM,
    ids=[f"{which}-{tag}-{i}" for i, (which, _, tag) in enumerate(FORM)],
)
def test_a_known_mistake_is_named(which, answer, tag):
    answers = {"classic": classic_pairs, "balanced": balanced_pairs} | {which: answer}
    result = pairs.check(*answers.values())
    assert result.points == (12 if which == "classic" else 8)
    assert result.tags == [tag]


def classic_as_list(labels, batch_size, rng):
    order = rng.permutation(len(labels)).tolist()
    count = 2 * (len(order) // (2 * batch_size))
    parts = [order[i::count] for i in range(count)]
    return [(a[: len(b)], b) for a, b in zip(parts[::2], parts[1::2], strict=True)]


def test_right_answers_in_other_styles_pass():
    result = pairs.check(classic_as_list, balanced_like(coin))
    assert result.passed, str(result)


def test_sides_that_are_tuples_are_right_and_not_used():
    """The notebook indexes its images with them."""

    def in_tuples(labels, batch_size, rng):
        return [tuple(map(tuple, batch)) for batch in balanced_pairs(labels, batch_size, rng)]

    result = pairs.check(classic_pairs, in_tuples)
    assert result.passed, str(result)
    assert pairs.use(classic_pairs, in_tuples) == (classic_pairs, balanced_pairs)
