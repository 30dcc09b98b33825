"""Exercise 5: right answers in several styles pass, wrong ones get the hint meant for them."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from siamese_course.batching.sentences import pad_rows
from siamese_course.exercises.sbert_roberta import datasets
from siamese_course.exercises.sbert_roberta.datasets import KEYS, batches


def up_to_eight(longest):
    return 8 * -(-longest // 8)


def padder(length_of=up_to_eight, row_of=None, mask_of=None, dtype="int32"):
    """``pad_rows`` with one thing changed."""
    row_of = row_of or (lambda row, length, pad_id: row + [pad_id] * (length - len(row)))
    mask_of = mask_of or (lambda row, length, filled: [1] * len(row) + [0] * (length - len(row)))

    def pad(rows, pad_id):
        length = length_of(max(len(row) for row in rows))
        ids = [row_of(row, length, pad_id) for row in rows]
        mask = [mask_of(row, length, filled) for row, filled in zip(rows, ids, strict=True)]
        return {"token_ids": np.array(ids, dtype), "padding_mask": np.array(mask)}

    return pad


def padded_in_place(rows, pad_id):
    length = up_to_eight(max(map(len, rows)))
    mask = [[1] * len(row) + [0] * (length - len(row)) for row in rows]
    for row in rows:
        row += [pad_id] * (length - len(row))
    return {"token_ids": np.array(rows), "padding_mask": np.array(mask)}


def padded_to(length):
    return lambda rows, pad_id: pad_rows(rows, pad_id, length)


def batches_of(order=None, starts=range, arrange=None, targets_of=None, pad=pad_rows):
    """``batches`` with one thing changed."""
    order = order or (lambda n, rng: rng.permutation(n))
    targets_of = targets_of or (lambda targets, rows: targets[rows])

    def arranged(sides, rows, pad_id):
        flat = pad([side[row] for row in rows for side in sides], pad_id)
        return {name: array.reshape(len(rows), len(sides), -1) for name, array in flat.items()}

    def generate(sides, targets, batch_size, rng, pad_id):
        n = len(targets)
        while True:
            rows = order(n, rng)
            for start in starts(0, n - batch_size + 1, batch_size):
                chosen = rows[start : start + batch_size]
                inputs = (arrange or arranged)(sides, chosen, pad_id)
                yield inputs, targets_of(targets, chosen)

    return generate


def arranged_by(shape, order=lambda sides, rows: [side[row] for row in rows for side in sides]):
    def arrange(sides, rows, pad_id):
        flat = pad_rows(order(sides, rows), pad_id)
        return {name: ids.reshape(shape(len(rows), len(sides))) for name, ids in flat.items()}

    return arrange


def side_by_side(sides, rows):
    return [side[row] for side in sides for row in rows]


def each_side_padded_alone(sides, rows, pad_id):
    parts = [pad_rows([side[row] for row in rows], pad_id) for side in sides]
    return {name: np.stack([part[name] for part in parts], axis=1) for name in KEYS}


def each_side_joined(sides, rows, pad_id):
    parts = [pad_rows([side[row] for row in rows], pad_id) for side in sides]
    return {name: np.concatenate([part[name] for part in parts]) for name in KEYS}


def stacked_in_front(sides, rows, pad_id):
    return {name: ids.swapaxes(0, 1) for name, ids in right_batch(sides, rows, pad_id).items()}


def right_batch(sides, rows, pad_id):
    return arranged_by(lambda n, s: (n, s, -1))(sides, rows, pad_id)


def two_sides_only(sides, rows, pad_id):
    return right_batch(sides[:2], rows, pad_id)


def sides_turned(sides, rows, pad_id):
    return right_batch(sides[::-1], rows, pad_id)


def left_twice(sides, rows, pad_id):
    return right_batch([sides[0]] * len(sides), rows, pad_id)


def padded_with_one(sides, rows, pad_id):
    return right_batch(sides, rows, 1)


def only_padding(sides, rows, pad_id):
    return {name: 0 * ids for name, ids in right_batch(sides, rows, pad_id).items()}


def batch_padded_in_place(sides, rows, pad_id):
    flat = padded_in_place([side[row] for row in rows for side in sides], pad_id)
    return {name: ids.reshape(len(rows), len(sides), -1) for name, ids in flat.items()}


def one_pass_only(sides, targets, batch_size, rng, pad_id):
    rows = rng.permutation(len(targets))
    for start in range(0, len(rows) - batch_size + 1, batch_size):
        chosen = rows[start : start + batch_size]
        yield right_batch(sides, chosen, pad_id), targets[chosen]


def rest_comes_too(sides, targets, batch_size, rng, pad_id):
    while True:
        rows = rng.permutation(len(targets))
        for start in range(0, len(rows), batch_size):
            chosen = rows[start : start + batch_size]
            yield right_batch(sides, chosen, pad_id), targets[chosen]


def last_full_batch_left_out(sides, targets, batch_size, rng, pad_id):
    while True:
        rows = rng.permutation(len(targets))
        for start in range(0, len(rows) - batch_size, batch_size):
            chosen = rows[start : start + batch_size]
            yield right_batch(sides, chosen, pad_id), targets[chosen]


def always_the_first_rows(sides, targets, batch_size, rng, pad_id):
    while True:
        chosen = np.arange(batch_size)
        yield right_batch(sides, chosen, pad_id), targets[chosen]


def order_drawn_once(sides, targets, batch_size, rng, pad_id):
    order = rng.permutation(len(targets))
    return batches_of(lambda n, rng: order)(sides, targets, batch_size, rng, pad_id)


def sides_shuffled_apart(sides, rows, pad_id):
    rng = np.random.default_rng(0)
    flat = pad_rows(
        [side[row] for pair in zip(*[rng.permutation(rows) for _ in sides], strict=True)
         for side, row in zip(sides, pair, strict=True)], pad_id
    )  # fmt: skip
    return {name: ids.reshape(len(rows), len(sides), -1) for name, ids in flat.items()}


def shuffled_in_place(sides, targets, batch_size, rng, pad_id):
    for side in sides:
        rng.shuffle(side)
    rng.shuffle(targets)
    return batches_of(lambda n, rng: np.arange(n))(sides, targets, batch_size, rng, pad_id)


def shuffled_together_in_place(sides, targets, batch_size, rng, pad_id):
    rows = rng.permutation(len(targets))
    targets[:] = targets[rows]
    for side in sides:
        side[:] = [side[row] for row in rows]
    return batches(sides, targets, batch_size, rng, pad_id)


def batches_shuffled_and_not_rows(sides, targets, batch_size, rng, pad_id):
    starts = np.arange(0, len(targets) - batch_size + 1, batch_size)
    while True:
        for start in rng.permutation(starts):
            chosen = np.arange(start, start + batch_size)
            yield right_batch(sides, chosen, pad_id), targets[chosen]


def first_pass_unshuffled(sides, targets, batch_size, rng, pad_id):
    order = np.arange(len(targets))
    while True:
        for start in range(0, len(order) - batch_size + 1, batch_size):
            chosen = order[start : start + batch_size]
            yield right_batch(sides, chosen, pad_id), targets[chosen]
        order = rng.permutation(len(targets))


def one_row_at_a_time(sides, targets, batch_size, rng, pad_id):
    while True:
        for row in rng.permutation(len(targets)):
            yield right_batch(sides, [row], pad_id), targets[row]


def one_batch_returned(sides, targets, batch_size, rng, pad_id):
    return right_batch(sides, range(batch_size), pad_id), targets[:batch_size]


def list_of_batches(sides, targets, batch_size, rng, pad_id):
    made = batches(sides, targets, batch_size, rng, pad_id)
    return [next(made) for _ in range(10)]


def inputs_only(sides, targets, batch_size, rng, pad_id):
    return (inputs for inputs, _ in batches(sides, targets, batch_size, rng, pad_id))


def inputs_and_nothing(sides, targets, batch_size, rng, pad_id):
    return ((inputs, None) for inputs in inputs_only(sides, targets, batch_size, rng, pad_id))


def ids_without_mask(sides, rows, pad_id):
    return right_batch(sides, rows, pad_id)["token_ids"]


def with_a_seed_of_its_own(n, rng):
    return np.random.default_rng(42).permutation(n)


def padded_by_lists(rows, pad_id):
    length = max(len(row) for row in rows)
    while length % 8:
        length += 1
    return {
        "padding_mask": [[1] * len(row) + [0] * (length - len(row)) for row in rows],
        "token_ids": [list(row) + [pad_id] * (length - len(row)) for row in rows],
    }


def padded_by_keras(rows, pad_id):
    longest = max(map(len, rows))
    length = longest + -longest % 8
    pad = keras.utils.pad_sequences
    return {
        "token_ids": pad(rows, length, padding="post", value=pad_id),
        "padding_mask": pad([[1] * len(r) for r in rows], length, padding="post").astype(bool),
    }


def padded_by_tensorflow(rows, pad_id):
    ragged = tf.ragged.constant(rows, dtype=tf.int64)
    length = (max(map(len, rows)) + 7) // 8 * 8
    return {
        "token_ids": ragged.to_tensor(pad_id, shape=(None, length)),
        "padding_mask": tf.ones_like(ragged).to_tensor(0, shape=(None, length)),
    }


def padded_by_comparing(rows, pad_id):
    length = np.ceil(max(map(len, rows)) / 8).astype(int) * 8
    ids = np.stack([np.pad(row, (0, length - len(row)), constant_values=pad_id) for row in rows])
    return {"token_ids": ids, "padding_mask": (ids != pad_id).astype("float32")}


def batches_of_lists(sides, targets, batch_size, rng, pad_id):
    while True:
        rows = list(range(len(targets)))
        rng.shuffle(rows)
        while len(rows) >= batch_size:
            chosen, rows = rows[:batch_size], rows[batch_size:]
            flat = padded_by_lists([side[row] for row in chosen for side in sides], pad_id)
            inputs = {
                name: [lines[i : i + len(sides)] for i in range(0, len(lines), len(sides))]
                for name, lines in flat.items()
            }
            yield inputs, [targets[row] for row in chosen]


def batches_side_by_side(sides, targets, batch_size, rng, pad_id):
    while True:
        order = rng.choice(len(targets), len(targets), replace=False)
        for rows in np.split(order, range(batch_size, len(order), batch_size)):
            if len(rows) < batch_size:
                continue
            flat = padded_by_keras([side[row] for side in sides for row in rows], pad_id)
            shape = (len(sides), batch_size, -1)
            inputs = {name: ids.reshape(shape).swapaxes(0, 1) for name, ids in flat.items()}
            yield inputs, np.take(targets, rows)[:, None]


def batches_of_tensors(sides, targets, batch_size, rng, pad_id):
    rows = np.arange(len(targets))
    while True:
        rng.shuffle(rows)
        for batch in rows[: len(rows) // batch_size * batch_size].reshape(-1, batch_size):
            flat = padded_by_tensorflow([s[row] for row in batch for s in sides], pad_id)
            shape = (batch_size, len(sides), -1)
            inputs = {name: tf.reshape(ids, shape) for name, ids in flat.items()}
            yield [inputs, tf.gather(targets, batch)]


def batches_of_two_or_three(sides, targets, batch_size, rng, pad_id):
    if len(sides) == 2:
        left, right = sides
        rows = list(zip(left, right, strict=True))
    else:
        anchor, positive, negative = sides
        rows = list(zip(anchor, positive, negative, strict=True))
    while True:
        order = rng.permutation(len(rows))
        for start in range(0, len(rows) - batch_size + 1, batch_size):
            chosen = order[start : start + batch_size]
            flat = pad_rows([ids for row in chosen for ids in rows[row]], pad_id)
            shape = (batch_size, len(sides), -1)
            yield {name: ids.reshape(shape) for name, ids in flat.items()}, targets[chosen]


class BatchesClass:
    def __init__(self, sides, targets, batch_size, rng, pad_id):
        self.rows, self.targets, self.pad_id = list(zip(*sides, strict=True)), targets, pad_id
        self.batch_size, self.rng, self.waiting = batch_size, rng, []

    def __iter__(self):
        return self

    def __next__(self):
        if len(self.waiting) < self.batch_size:
            self.waiting = self.rng.permutation(len(self.rows)).tolist()
        chosen = [self.waiting.pop() for _ in range(self.batch_size)]
        flat = padded_by_comparing([side for row in chosen for side in self.rows[row]], self.pad_id)
        shape = (self.batch_size, len(self.rows[0]), -1)
        inputs = {name: np.reshape(ids, shape) for name, ids in flat.items()}
        return inputs, self.targets[chosen]


WRONG = [
    (one_pass_only, "The generator ends after"),
    (lambda *arguments: iter(()), "The generator ends after"),
    (rest_comes_too, "A batch has 2 row(s) instead of 4"),
    (last_full_batch_left_out, "and the last full one at n - batch_size?"),
    (always_the_first_rows, "Every batch is the same"),
    (order_drawn_once, "Every pass has the same order"),
    (first_pass_unshuffled, "including in the first pass"),
    (batches_shuffled_and_not_rows, "only the order of the batches is new"),
    (shuffled_in_place, "Your code changes `sides` or `targets` in place"),
    (shuffled_together_in_place, "Your code changes `sides` or `targets` in place"),
    (one_row_at_a_time, "A batch has 1 row(s) instead of 4"),
    (one_batch_returned, "returns a `tuple`. Make it a generator"),
    (list_of_batches, "returns a `list`. Make it a generator"),
    (inputs_only, "Each batch must have two parts"),
    (inputs_and_nothing, "`targets` is `None`"),
    (lambda sides, targets, *_: zip(*sides, targets, strict=True), "must have two parts"),
    (batches_of(order=lambda n, rng: np.arange(n)), "The rows come in their original order"),
    (batches_of(order=lambda n, rng: rng.integers(0, n, n)), "Some rows appear twice in a pass"),
    (batches_of(order=lambda n, rng: rng.choice(n, n)), "Some rows appear twice in a pass"),
    (
        batches_of(order=lambda n, rng: np.random.permutation(n)),
        "Two runs with the same seed differ",
    ),
    (batches_of(order=with_a_seed_of_its_own), "Every pass has the same order"),
    (batches_of(targets_of=lambda t, rows: t[: len(rows)]), "The targets don't match"),
    (batches_of(targets_of=lambda t, rows: t), "A batch has 4 row(s) and 10 target(s)"),
    (batches_of(targets_of=lambda t, rows: t[rows[0]]), "A batch has 4 row(s) and 1 target(s)"),
    (batches_of(targets_of=lambda t, rows: t[np.sort(rows)]), "The targets don't match"),
    (batches_of(targets_of=lambda t, rows: np.zeros(len(rows))), "The targets don't match"),
    (batches_of(arrange=arranged_by(lambda n, s: (n * s, -1))), "Rows and sides share one axis"),
    (batches_of(arrange=each_side_joined), "The rows of a batch have different lengths"),
    (batches_of(arrange=each_side_padded_alone), "The rows of a batch have different lengths"),
    (batches_of(arrange=arranged_by(lambda n, s: (n, -1))), "expected (batch, sides, length)"),
    (batches_of(arrange=arranged_by(lambda n, s: (s, n, -1))), "first two axes are swapped"),
    (batches_of(arrange=stacked_in_front), "first two axes are swapped"),
    (
        batches_of(arrange=arranged_by(lambda n, s: (n, s, -1), side_by_side)),
        "A row of the batch contains the same side twice",
    ),
    (batches_of(arrange=two_sides_only), "There are 2 sides in a row; expected 3"),
    (batches_of(arrange=sides_turned), "The sides are swapped"),
    (batches_of(arrange=left_twice), "A row of the batch contains the same side twice"),
    (batches_of(arrange=sides_shuffled_apart), "A pair is split up"),
    (batches_of(arrange=padded_with_one), "The padding must be `pad_id`"),
    (batches_of(arrange=only_padding), "ids that are in no row of `sides`"),
    (batches_of(arrange=batch_padded_in_place), "pads the original rows in place"),
    (batches_of(arrange=ids_without_mask), "expected a dictionary"),
    (batches_of(pad=padder(length_of=lambda n: n)), "Pad only as much as *this batch* needs"),
    (batches_of(pad=padded_to(40)), "Pad only as much as *this batch* needs"),
    (
        batches_of(pad=padder(mask_of=lambda row, n, ids: [1] * n)),
        "The mask must be 1 for real tokens",
    ),
]


@pytest.mark.parametrize(("answer", "text"), WRONG)
def test_a_wrong_answer_gets_the_hint_meant_for_it(answer, text):
    result = datasets.check(answer)
    assert result.status == "wrong"
    assert text in result.messages[0]


RIGHT = [
    (batches_of_lists,),
    (batches_side_by_side,),
    (batches_of_tensors,),
    (batches_of_two_or_three,),
    (BatchesClass,),
    (batches_of(pad=padded_by_comparing),),
]


@pytest.mark.parametrize("answers", RIGHT)
def test_right_answers_in_other_styles_pass(answers):
    result = datasets.check(*answers)
    assert result.passed, str(result)
