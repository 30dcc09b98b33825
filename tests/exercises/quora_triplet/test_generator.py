"""Exercise 2: right generators pass, known mistakes are named."""

import math
from itertools import cycle, islice

import numpy as np
import pytest

from siamese_course.batching import padding
from siamese_course.exercises.quora_triplet import generator
from siamese_course.runtime.trax_patch import trax

jnp = trax.fastmath.numpy
(data_generator,) = generator.reference


def at_or_above(longest):
    return 2 ** math.ceil(math.log2(longest))


def filled(rows, length, fill=1):
    return [[*row, *[fill] * (length - len(row))] for row in rows]


def batch_of(left, right, rows, length_of=at_or_above, pad=filled, make=np.array):
    """A batch with one thing changed."""
    sides = [[left[i] for i in rows], [right[i] for i in rows]]
    length = length_of(max(map(len, sides[0] + sides[1])))
    return tuple(make(pad([row[:length] for row in side], length)) for side in sides)


def with_padding(sides, pad):
    """The sides with another id as padding."""
    return tuple(np.where(np.asarray(side) == 1, pad, side) for side in sides)


def generator_of(order=None, batch=batch_of, **changed):
    """A data generator with one thing changed."""
    order = order or (lambda n, shuffle, rng: rng.permutation(n) if shuffle else range(n))

    def generate(left, right, batch_size, shuffle, rng, pad=1):
        rows = []
        while True:
            for row in order(len(left), shuffle, rng):
                rows.append(row)
                if len(rows) == batch_size:
                    made = batch(left, right, rows, **changed)
                    yield made if pad == 1 else with_padding(made, pad)
                    rows = []

    return generate


def ends_after_an_epoch(left, right, batch_size, shuffle, rng, pad=1):
    order = rng.permutation(len(left)) if shuffle else range(len(left))
    for start in range(0, len(left), batch_size):
        yield batch_of(left, right, order[start : start + batch_size])


def index_of_the_published_version(left, right, batch_size, shuffle, rng, pad=1):
    index, rows = 0, []
    order = list(range(len(left)))
    if shuffle:
        rng.shuffle(order)
    while True:
        if index > len(left):
            index = 0
        rows.append(order[index])
        index += 1
        if len(rows) == batch_size:
            yield batch_of(left, right, rows)
            rows = []


def short_batch_at_the_end(left, right, batch_size, shuffle, rng, pad=1):
    while True:
        yield from ends_after_an_epoch(left, right, batch_size, shuffle, rng, pad)


def rest_is_dropped(left, right, batch_size, shuffle, rng, pad=1):
    while True:
        epoch = ends_after_an_epoch(left, right, batch_size, shuffle, rng, pad)
        yield from islice(epoch, len(left) // batch_size)


def always_the_first_rows(left, right, batch_size, shuffle, rng, pad=1):
    while True:
        yield batch_of(left, right, range(batch_size))


def sides_shuffled_apart(left, right, batch_size, shuffle, rng, pad=1):
    while True:
        orders = [rng.permutation(len(left)) if shuffle else range(len(left)) for _ in range(2)]
        for start in range(0, len(left), batch_size):
            a, b = (order[start : start + batch_size] for order in orders)
            yield padding.pad_pair([left[i] for i in a], [right[i] for i in b])


def sides_shuffled_in_place(left, right, batch_size, shuffle, rng, pad=1):
    if shuffle:
        rng.shuffle(left)
        rng.shuffle(right)
    return generator_of(lambda n, shuffle, rng: range(n))(
        left, right, batch_size, shuffle, rng, pad
    )


def shuffled_once(left, right, batch_size, shuffle, rng, pad=1):
    order = rng.permutation(len(left)) if shuffle else range(len(left))
    return generator_of(lambda *_: order)(left, right, batch_size, shuffle, rng, pad)


def one_length_for_all(left, right, batch_size, shuffle, rng, pad=1):
    longest = max(map(len, [*left, *right]))
    made = generator_of(length_of=lambda _: at_or_above(longest))
    return made(left, right, batch_size, shuffle, rng, pad)


def each_side_alone(left, right, rows):
    return padding.pad([left[i] for i in rows]), padding.pad([right[i] for i in rows])


def padded_in_place(rows, length):
    for row in rows:
        while len(row) < length:
            row.append(1)
    return rows


def batch_padded_in_place(left, right, rows):
    sides = [left[i] for i in rows], [right[i] for i in rows]
    length = at_or_above(max(map(len, sides[0] + sides[1])))
    return tuple(np.array(padded_in_place(side, length)) for side in sides)


def in_front(rows, length):
    return [[*[1] * (length - len(row)), *row] for row in rows]


def one_row_too_many(left, right, batch_size, shuffle, rng, pad=1):
    return generator_of()(left, right, batch_size + 1, shuffle, rng, pad)


def one_pair_at_a_time(left, right, batch_size, shuffle, rng, pad=1):
    while True:
        for a, b in zip(left, right, strict=True):
            yield np.array(a), np.array(b)


def one_batch_returned(left, right, batch_size, shuffle, rng, pad=1):
    return batch_of(left, right, range(batch_size))


def breaks_at_once(left, right, batch_size, shuffle, rng, pad=1):
    yield left[len(left)]


GENERATORS = [
    (ends_after_an_epoch, "ends"),
    (lambda *arguments: iter(()), "ends"),
    (index_of_the_published_version, "index_error"),
    (breaks_at_once, "error"),
    (short_batch_at_the_end, "short_batch"),
    (rest_is_dropped, "rows_dropped"),
    (always_the_first_rows, "same_batch"),
    (one_row_too_many, "batch_size"),
    (one_batch_returned, "no_generator"),
    (lambda *arguments: [one_batch_returned(*arguments)], "no_generator"),
    (lambda left, right, *_: (left, right), "no_generator"),
    (lambda left, right, *_: zip(left, right, strict=True), "shape"),
    (one_pair_at_a_time, "shape"),
    (generator_of(batch=lambda *a: (*batch_of(*a), np.ones(4))), "no_pair"),
    (generator_of(batch=lambda left, right, rows: rows), "no_pair"),
    (generator_of(batch=lambda *a: batch_of(*a)[::-1]), "swapped"),
    (generator_of(make=lambda rows: np.array(rows, float)), "shape"),
    (generator_of(pad=lambda rows, length: rows), "not_padded"),
    (generator_of(pad=lambda rows, length: rows, make=list), "not_padded"),
    (generator_of(batch=each_side_alone), "two_lengths"),
    (generator_of(batch=batch_padded_in_place), "changed"),
    (generator_of(pad=lambda rows, length: filled(rows, length, 0)), "pad_is_zero"),
    (generator_of(pad=in_front), "padded_in_front"),
    (generator_of(length_of=lambda longest: longest), "no_power_of_two"),
    (generator_of(length_of=lambda n: 2 ** int(math.log2(n))), "power_below"),
    (generator_of(length_of=lambda n: 2 ** (int(math.log2(n)) + 1)), "power_above"),
    (generator_of(length_of=lambda n: 16), "lengths"),
    (
        lambda left, right, size, shuffle, rng, pad=1: data_generator(
            left, right, size, shuffle, rng
        ),
        "pad_fixed",
    ),
    (one_length_for_all, "one_length"),
    (generator_of(lambda n, shuffle, rng: rng.permutation(n)), "order"),
    (generator_of(lambda n, shuffle, rng: range(n)), "not_shuffled"),
    (sides_shuffled_apart, "short_batch"),
    (sides_shuffled_in_place, "changed"),
    (shuffled_once, "same_order"),
    (
        generator_of(lambda n, shuffle, rng: rng.integers(0, n, n) if shuffle else range(n)),
        "no_permutation",
    ),
    (
        generator_of(lambda n, shuffle, rng: np.random.permutation(n) if shuffle else range(n)),
        "other_randomness",
    ),
]


@pytest.mark.parametrize(("answer", "tag"), GENERATORS, ids=range(len(GENERATORS)))
def test_generator_mistakes_are_named(answer, tag):
    result = generator.check(answer)
    assert not result.passed
    assert result.tags[0] == tag


def test_a_generator_with_its_own_seed_is_told():
    def generate(left, right, batch_size, shuffle, rng, pad=1):
        rng = np.random.default_rng(7)
        return data_generator(left, right, batch_size, shuffle, rng, pad)

    result = generator.check(generate)
    assert repr(result) == "6"
    assert result.tags == ["own_seed"]


def generator_with_index(left, right, batch_size, shuffle, rng, pad=1):
    index, lefts, rights = 0, [], []
    order = list(range(len(left)))
    if shuffle:
        rng.shuffle(order)
    while True:
        if index == len(order):
            index = 0
            if shuffle:
                rng.shuffle(order)
        lefts.append(left[order[index]])
        rights.append(right[order[index]])
        index += 1
        if len(lefts) == batch_size:
            longest = max(max(map(len, lefts)), max(map(len, rights)))
            length = 2 ** int(np.ceil(np.log2(longest)))
            yield (
                np.array([q + [pad] * (length - len(q)) for q in lefts]),
                np.array([q + [pad] * (length - len(q)) for q in rights]),
            )
            lefts, rights = [], []


def generator_by_cycle(left, right, batch_size, shuffle, rng, pad=1):
    def endless():
        while True:
            yield from rng.choice(len(left), len(left), replace=False)

    rows = endless() if shuffle else cycle(range(len(left)))
    while True:
        yield with_padding(batch_of(left, right, list(islice(rows, batch_size))), pad)


class GeneratorClass:
    def __init__(self, left, right, batch_size, shuffle, rng, pad=1):
        self.pairs = list(zip(left, right, strict=True))
        self.batch_size, self.shuffle, self.rng, self.waiting = batch_size, shuffle, rng, []
        self.pad = pad

    def __iter__(self):
        return self

    def __next__(self):
        while len(self.waiting) < self.batch_size:
            order = np.arange(len(self.pairs))
            if self.shuffle:
                self.rng.shuffle(order)
            self.waiting += [self.pairs[i] for i in order]
        batch, self.waiting = (
            self.waiting[: self.batch_size],
            self.waiting[self.batch_size :],
        )
        length = 1
        while length < max(len(question) for pair in batch for question in pair):
            length *= 2
        sides = np.full((2, self.batch_size, length), self.pad, dtype=np.int32)
        for row, pair in enumerate(batch):
            for side, question in enumerate(pair):
                sides[side, row, : len(question)] = question
        return tuple(sides)


def generator_of_lists(left, right, batch_size, shuffle, rng, pad=1):
    return generator_of(make=list)(left, right, batch_size, shuffle, rng, pad)


def generator_in_jax(left, right, batch_size, shuffle, rng, pad=1):
    for sides in data_generator(left, right, batch_size, shuffle, rng, pad):
        yield tuple(map(jnp.array, sides))


RIGHT = [
    (generator_with_index,),
    (generator_by_cycle,),
    (GeneratorClass,),
    (generator_of_lists,),
    (generator_in_jax,),
    (generator_of(),),
]


@pytest.mark.parametrize("answers", RIGHT, ids=range(len(RIGHT)))
def test_a_right_answer_in_another_style_passes(answers):
    result = generator.check(*answers)
    assert result.passed, str(result)


def test_a_right_answer_is_kept(capsys):
    assert generator.use(generator_in_jax) == generator_in_jax
    assert "goes on with your own answer" in capsys.readouterr().out


def generator_of_one_array(left, right, batch_size, shuffle, rng, pad=1):
    for sides in data_generator(left, right, batch_size, shuffle, rng, pad):
        yield np.stack(sides)


@pytest.mark.parametrize("answer", [generator_of_lists, generator_of_one_array])
def test_what_cannot_be_trained_with_is_replaced_and_the_learner_told(answer, capsys):
    assert generator.use(answer) == data_generator
    assert "yours is right, but it can't be used for training (" in capsys.readouterr().out
