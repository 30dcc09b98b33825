"""The eight exercises: right answers of every style pass, mistakes get the hint meant for them."""

import re
import time

import faiss
import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors

from siamese_course import losses
from siamese_course import search as searching
from siamese_course.exercises import sentences as exercises

SECONDS = {"03.clusters": 4}  # its threads wait for each other where the cores are busy


def test_eight_exercises_are_worth_100_points():
    assert len(exercises.EXERCISES) == 8
    assert sum(exercise.points for exercise in exercises.EXERCISES) == 100


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_the_courses_own_answer_passes_quickly(exercise):
    exercise.check(
        *exercise.reference
    )  # the first call loads what a notebook has loaded long before
    started = time.perf_counter()
    result = exercise.check(*exercise.reference)
    assert result.passed, str(result)
    assert result.status == "right"
    assert time.perf_counter() - started < SECONDS.get(exercise.name, 1)


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_the_notebooks_solution_passes(exercise):
    text = repr(exercise.solution())
    cells = {"np": np, "ops": ops, "triplet_distances": exercises.triplet_distances}
    exec(text, cells)
    result = exercise.check(*(cells[name] for name in re.findall(r"^def (\w+)", text, re.M)))
    assert result.passed, str(result)


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_stubs_are_not_attempted_and_none_is_wrong(exercise):
    result = exercise.check(*[stub] * len(exercise.reference))
    assert (result.status, repr(result)) == ("not attempted", "0")
    assert result.messages[0].startswith("Write your answer in the cell above")
    result = exercise.check(*[lambda *a, **k: None] * len(exercise.reference))
    assert (result.status, repr(result)) == ("wrong", "0")
    assert "is a `return` missing?" in result.messages[0]


def stub(*arguments, **options):
    # YOUR CODE HERE
    raise NotImplementedError("not attempted")


@pytest.mark.parametrize(
    ("exercise", "points"),
    [
        (exercises.datasets, "7"),
        (exercises.pooling, "9"),
        (exercises.regression, "8"),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_first_function_alone_is_begun_and_has_its_points(exercise, points):
    first, *others = exercise.reference
    result = exercise.check(first, *[stub] * len(others))
    assert (result.status, repr(result)) == ("begun", points)
    assert result.messages[0].startswith("Write your answer in the cell above")


def test_the_raise_left_behind_is_named():
    def begun(score):
        scaled = score / 2.5
        raise NotImplementedError("not attempted")
        return scaled - 1

    result = exercises.scaling.check(begun)
    assert result.status == "wrong"
    assert "`raise NotImplementedError(...)` is still in your code" in result.messages[0]


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_every_exercise_has_three_hints(exercise):
    assert len(set(exercise.hints)) == 3


# --- mistakes that are told by their numbers ---


def among(exercise, place):
    """All answers of an exercise, right but for the one at this place."""
    reference = list(exercise.reference)
    return lambda answer: (*reference[:place], answer, *reference[place + 1 :])


NUMERIC = [
    (exercises.scaling, 0, exercises.SCALING_MISTAKES),
    (exercises.pooling, 0, exercises.MEAN_MISTAKES),
    (exercises.pooling, 1, exercises.MAX_MISTAKES),
    (exercises.pooling, 2, exercises.CLS_MISTAKES),
    (exercises.regression, 0, exercises.COSINE_MISTAKES),
    (exercises.regression, 1, exercises.REGRESSION_MISTAKES),
    (exercises.distances, 0, exercises.DISTANCES_MISTAKES),
    (exercises.loss, 0, exercises.LOSS_MISTAKES),
    (exercises.search, 0, exercises.SEARCH_MISTAKES),
]
CASES = [
    pytest.param(exercise, place, mistake, sentence, id=f"{exercise.name}-{place}-{i}")
    for exercise, place, mistakes in NUMERIC
    for i, (mistake, sentence) in enumerate(mistakes)
]


@pytest.mark.parametrize(("exercise", "place", "mistake", "sentence"), CASES)
def test_a_mistake_gets_the_sentence_meant_for_it_and_no_other(exercise, place, mistake, sentence):
    result = exercise.check(*among(exercise, place)(mistake))
    assert not result.passed
    assert result.messages[:-1] == [sentence]


# --- wrong answers as learners write them ---


def scaled_in_place(score):
    score /= 2.5
    score -= 1
    return score


def scaled_in_place_and_wrong(score):
    score /= 5
    return score


SCALINGS = [
    (scaled_in_place, "The result is right, but your code changes the scores"),
    (scaled_in_place_and_wrong, "onto 0 to 1"),
    (lambda score: keras.utils.normalize(score), "has shape (1, 5); expected (5,)"),
    (lambda score: score / max(score), "A value is off"),
    (lambda score: score, "The scores are as they were"),
    (lambda score: score / 5, "onto 0 to 1"),
    (lambda score: [s / 5.0 for s in score], "onto 0 to 1"),
    (lambda score: (score - 2.5) / 5, "A value is off"),
    (lambda score: 2 * (score / 5), "This goes from 0 to 2"),
    (lambda score: -1 + score / 5, "from -1 to 0"),
    (lambda score: (score - score.mean()) / score.std(), "standardised"),
    (lambda score: score.astype(int) // 2.5 - 1, "A value is off"),
    (lambda score: np.interp(score, [0, 5], [1, -1]), "turned round"),
    (lambda score: np.interp(score, [score.min(), score.max()], [-1, 1]), "happen to be there"),
    (lambda score: np.clip(score / 2.5 - 1, 0, 1), "A value is off"),
    (lambda score: np.tanh(score), "A value is off"),
    (lambda score: 0.0, "has shape (); expected (5,)"),
    (lambda score: np.array([-1.0, 1.0]), "has shape (2,); expected (5,)"),
    (lambda score: np.array([-1.0, -0.48, 0.0, 0.6, 1.0]), "A value is off"),
    (lambda score: score.min() / 2.5 - 1, "has shape (); expected (5,)"),
    (lambda score: (score / 2.5 - 1)[:, None], "has shape (5, 1); expected (5,)"),
    (lambda score: score * np.nan, "holds NaN or infinity"),
    (lambda score: print(score / 2.5 - 1), "is a `return` missing"),
    (lambda score: f"{score / 2.5 - 1}", "is a `str`; expected numbers"),
    (lambda: 0.0, "takes 0 positional arguments but 1 was given"),
]


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


def cut_to_the_first_row(rows, pad_id):
    length = len(rows[0])
    return exercises.pad_rows([row[:length] for row in rows], pad_id)


def written_into_floats(rows, pad_id):
    ids = np.ones((len(rows), up_to_eight(max(map(len, rows))))) * pad_id
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
    return {"token_ids": ids, "padding_mask": ids != pad_id}


def with_another_key(rows, pad_id):
    padded = exercises.pad_rows(rows, pad_id)
    return {"token_ids": padded["token_ids"], "mask": padded["padding_mask"]}


def mask_of_one_row(rows, pad_id):
    padded = exercises.pad_rows(rows, pad_id)
    return {**padded, "padding_mask": padded["padding_mask"][0]}


def padded_as_one_row(rows, pad_id):
    return exercises.pad_rows([[number for row in rows for number in row]], pad_id)


def padded_flat(rows, pad_id):
    return {name: array.ravel() for name, array in exercises.pad_rows(rows, pad_id).items()}


def padded_to(length):
    return lambda rows, pad_id: exercises.batching.pad_rows(rows, pad_id, length)


PADS = [
    (padder(length_of=lambda n: n), "padded to its longest row, 11. Round up"),
    (padder(length_of=lambda n: 8 * (n // 8 + 1)), "a multiple of 8 already; you padded to 24"),
    (padder(length_of=lambda n: 8 * (n // 8)), "The rows have different lengths"),
    (lambda rows, pad_id: exercises.batching.pad_rows(rows, pad_id, 8), "round *up*"),
    (lambda rows, pad_id: exercises.pad_rows([r[:8] for r in rows], pad_id), "is 8 long, and"),
    (padder(length_of=lambda n: 2 ** int(np.ceil(np.log2(n)))), "a power of two, 32"),
    (padder(length_of=lambda n: n + 8), "Pad to what *this batch* needs"),
    (padded_to(24), "Pad to what *this batch* needs, the next multiple of 8: 16"),
    (padded_to(128), "Pad to what *this batch* needs, the next multiple of 8: 16"),
    (padded_to(512), "Pad to what *this batch* needs, the next multiple of 8: 16"),
    (padder(row_of=lambda row, n, pad_id: row + [0] * (n - len(row))), "The padding is 0"),
    (padder(row_of=lambda row, n, pad_id: row + [1] * (n - len(row))), "here 7"),
    (padder(row_of=lambda row, n, pad_id: [pad_id] * (n - len(row)) + row), "stands in front"),
    (padder(row_of=lambda row, n, pad_id: [pad_id] * n), "became [1, 1,"),
    (padder(row_of=lambda row, n, pad_id: row), "The rows have different lengths"),
    (padder(mask_of=lambda row, n, ids: [0] * len(row) + [1] * (n - len(row))), "turned round"),
    (padder(mask_of=lambda row, n, ids: [1] * n), "The mask is 1 everywhere"),
    (padder(mask_of=lambda row, n, ids: [int(i > 0) for i in ids]), "0 is <s>, a real token"),
    (padder(mask_of=lambda row, n, ids: [int(i > 2) for i in ids]), "<s> and </s> out"),
    (padder(mask_of=lambda row, n, ids: [0] * n), "expected [1, 1,"),
    (padder(mask_of=lambda row, n, ids: ids), "nothing else"),
    (padder(mask_of=lambda row, n, ids: [1] * len(row)), "The rows have different lengths"),
    (padder(mask_of=lambda row, n, ids: [int(i != 1) for i in ids]), "The mask is 1 everywhere"),
    (padder(dtype=float), "has dtype float64"),
    (padder(dtype=str), "ids are whole numbers"),
    (written_into_floats, "has dtype float64"),
    (padded_in_place, "pads the rows themselves"),
    (cut_to_the_first_row, "something is cut off"),
    (with_another_key, "`padding_mask` is missing in the dictionary; it has 'token_ids', 'mask'"),
    (mask_of_one_row, "`padding_mask` has shape (16,); expected (3, 16)"),
    (padded_as_one_row, "has shape (1, 24); expected (3, 16)"),
    (padded_flat, "has shape (48,); expected (3, 16)"),
    (lambda rows, pad_id: rows, "is a `list`; expected a dictionary"),
    (lambda rows, pad_id: tuple(exercises.pad_rows(rows, pad_id).values()), "is a `tuple`"),
    (lambda rows, pad_id: {"token_ids": rows, "padding_mask": rows}, "have different lengths"),
    (lambda rows, pad_id: {}, "it has nothing"),
    (lambda rows, pad_id: exercises.pad_rows(rows[:1], pad_id), "has shape (1, 8)"),
    (lambda rows, pad_id: exercises.pad_rows(rows[::-1], pad_id), "The ids [0, 50, 2] became"),
    (lambda rows, pad_id: np.pad(rows, (0, 8)), "The rows have different lengths"),
]


def batches_of(order=None, starts=range, arrange=None, targets_of=None, pad=exercises.pad_rows):
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
        flat = exercises.pad_rows(order(sides, rows), pad_id)
        return {name: ids.reshape(shape(len(rows), len(sides))) for name, ids in flat.items()}

    return arrange


def side_by_side(sides, rows):
    return [side[row] for side in sides for row in rows]


def each_side_padded_alone(sides, rows, pad_id):
    parts = [exercises.pad_rows([side[row] for row in rows], pad_id) for side in sides]
    return {name: np.stack([part[name] for part in parts], axis=1) for name in exercises.KEYS}


def each_side_joined(sides, rows, pad_id):
    parts = [exercises.pad_rows([side[row] for row in rows], pad_id) for side in sides]
    return {name: np.concatenate([part[name] for part in parts]) for name in exercises.KEYS}


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
    flat = exercises.pad_rows(
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
    return exercises.batches(sides, targets, batch_size, rng, pad_id)


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
    made = exercises.batches(sides, targets, batch_size, rng, pad_id)
    return [next(made) for _ in range(10)]


def inputs_only(sides, targets, batch_size, rng, pad_id):
    return (inputs for inputs, _ in exercises.batches(sides, targets, batch_size, rng, pad_id))


def inputs_and_nothing(sides, targets, batch_size, rng, pad_id):
    return ((inputs, None) for inputs in inputs_only(sides, targets, batch_size, rng, pad_id))


def ids_without_mask(sides, rows, pad_id):
    return right_batch(sides, rows, pad_id)["token_ids"]


def with_a_seed_of_its_own(n, rng):
    return np.random.default_rng(42).permutation(n)


BATCHES = [
    (one_pass_only, "The generator comes to an end"),
    (lambda *arguments: iter(()), "The generator comes to an end"),
    (rest_comes_too, "A batch has 2 row(s) instead of 4"),
    (last_full_batch_left_out, "the last full batch may begin at n - batch_size"),
    (always_the_first_rows, "Every batch is the same"),
    (order_drawn_once, "Every pass has the same order"),
    (first_pass_unshuffled, "also in the first pass"),
    (batches_shuffled_and_not_rows, "only the order of the batches is new"),
    (shuffled_in_place, "Your code changes `sides` or `targets` themselves"),
    (shuffled_together_in_place, "Your code changes `sides` or `targets` themselves"),
    (one_row_at_a_time, "A batch has 1 row(s) instead of 4"),
    (one_batch_returned, "returns a `tuple`. Make it a generator"),
    (list_of_batches, "returns a `list`. Make it a generator"),
    (inputs_only, "Each batch must be two things"),
    (inputs_and_nothing, "`targets` is `None`"),
    (lambda sides, targets, *_: zip(*sides, targets, strict=True), "must be two things"),
    (batches_of(order=lambda n, rng: np.arange(n)), "The rows come in their order"),
    (batches_of(order=lambda n, rng: rng.integers(0, n, n)), "Some rows come twice in a pass"),
    (batches_of(order=lambda n, rng: rng.choice(n, n)), "Some rows come twice in a pass"),
    (batches_of(order=lambda n, rng: np.random.permutation(n)), "The same seed gives another"),
    (batches_of(order=with_a_seed_of_its_own), "Every pass has the same order"),
    (batches_of(targets_of=lambda t, rows: t[: len(rows)]), "The targets do not belong"),
    (batches_of(targets_of=lambda t, rows: t), "A batch has 4 row(s) and 10 target(s)"),
    (batches_of(targets_of=lambda t, rows: t[rows[0]]), "A batch has 4 row(s) and 1 target(s)"),
    (batches_of(targets_of=lambda t, rows: t[np.sort(rows)]), "The targets do not belong"),
    (batches_of(targets_of=lambda t, rows: np.zeros(len(rows))), "The targets do not belong"),
    (batches_of(arrange=arranged_by(lambda n, s: (n * s, -1))), "The sides lie below each other"),
    (batches_of(arrange=each_side_joined), "The rows have different lengths"),
    (batches_of(arrange=each_side_padded_alone), "The rows have different lengths"),
    (batches_of(arrange=arranged_by(lambda n, s: (n, -1))), "expected (batch, sides, length)"),
    (batches_of(arrange=arranged_by(lambda n, s: (s, n, -1))), "first two axes are exchanged"),
    (batches_of(arrange=stacked_in_front), "first two axes are exchanged"),
    (
        batches_of(arrange=arranged_by(lambda n, s: (n, s, -1), side_by_side)),
        "A row of the batch holds the same side twice",
    ),
    (batches_of(arrange=two_sides_only), "There are 2 sides in a row; expected 3"),
    (batches_of(arrange=sides_turned), "The sides are exchanged"),
    (batches_of(arrange=left_twice), "A row of the batch holds the same side twice"),
    (batches_of(arrange=sides_shuffled_apart), "A pair is torn apart"),
    (batches_of(arrange=padded_with_one), "The padding is 1; it must be `pad_id`, here 7"),
    (batches_of(arrange=only_padding), "ids that are in no row of `sides`"),
    (batches_of(arrange=batch_padded_in_place), "pads the rows themselves"),
    (batches_of(arrange=ids_without_mask), "expected a dictionary"),
    (batches_of(pad=padder(length_of=lambda n: n)), "padded to its longest row"),
    (batches_of(pad=padded_to(40)), "Pad to what *this batch* needs"),
    (batches_of(pad=padder(mask_of=lambda row, n, ids: [1] * n)), "The mask is 1 everywhere"),
]


def test_a_generator_with_its_own_seed_is_told():
    def generate(sides, targets, batch_size, rng, pad_id):
        return exercises.batches(sides, targets, batch_size, np.random.default_rng(7), pad_id)

    result = exercises.datasets.check(exercises.pad_rows, generate)
    assert repr(result) == "14"
    assert "Another seed gives the same order" in result.messages[0]


# pooling: plain NumPy and TensorFlow, and with the errors those raise


def real_of(states, padding_mask):
    return np.asarray(states), np.asarray(padding_mask)[:, :, None]


def mean_of_rows_in_a_loop(states, padding_mask):
    """Divides by the length of the longest sentence."""
    states, mask = np.asarray(states), np.asarray(padding_mask)
    longest = mask.sum(axis=1).max()
    return [row[:n].sum(axis=0) / longest for row, n in zip(states, mask.sum(1), strict=True)]


def mean_of_the_nonzero(states, padding_mask):
    s, m = real_of(states, padding_mask)
    return (s * m).sum(axis=1) / np.count_nonzero(s, axis=1)


def mean_in_place(states, padding_mask):
    states *= padding_mask
    return states.mean(axis=1)


MEANS = [
    (lambda s, m: np.asarray(s).mean(axis=1), "The padding is counted"),
    (lambda s, m: tf.reduce_mean(s, axis=1), "The padding is counted"),
    (lambda s, m: keras.layers.GlobalAveragePooling1D()(s), "The padding is counted"),
    (lambda s, m: tf.reduce_mean(s, axis=-1), "The mean runs over the dimensions"),
    (lambda s, m: tf.reduce_mean(s, axis=0), "The mean runs over the batch"),
    (lambda s, m: ops.mean(s), "has shape (); expected (4, 5)"),
    (lambda s, m: np.mean(np.multiply(*real_of(s, m)), axis=1), "by the length of the batch"),
    (mean_of_the_nonzero, "by the length of the batch"),
    (mean_of_rows_in_a_loop, "by the length of the batch"),
    (lambda s, m: np.multiply(*real_of(s, m)).sum(axis=1), "This is the sum"),
    (lambda s, m: ops.sum(s, 1) / ops.sum(ops.cast(m, "float32"), 1)[:, None], "still in the sum"),
    (lambda s, m: ops.sum(s * ops.cast(m, "float32")[:, :, None], 1) / ops.sum(m), "`ops.cast("),
    (lambda s, m: s * m[:, :, None], "`ops.cast("),
    (lambda s, m: m[:, :, None] * s, "`ops.cast("),
    (lambda s, m: s * m, "`ops.cast("),
    (lambda s, m: s * ops.cast(m, s.dtype), "give it a last axis"),
    (lambda s, m: ops.multiply(s, m), "give it a last axis"),
    (lambda s, m: np.asarray(s) * np.asarray(m), "give it a last axis"),
    (lambda s, m: ops.sum(s * ops.cast(m, s.dtype)[:, None, :], axis=1), "give it a last axis"),
    (mean_in_place, "`ops.cast("),
    (lambda s, m: s, "has shape (4, 6, 5); expected (4, 5)"),
    (lambda s, m: m, "has shape (4, 6); expected (4, 5)"),
    (lambda s, m: s[:, 0], "A value is off"),
    (lambda s, m: ops.zeros((4, 5)), "A value is off: 0"),
    (lambda s, m: ops.zeros_like(s[:, 0]), "A value is off: 0"),
    (lambda s, m: ops.max(s, axis=1), "A value is off"),
    (lambda s, m: ops.sum(s, axis=1) / 0, "holds NaN or infinity"),
]
MAXIMA = [
    (lambda s, m: np.asarray(s).max(axis=1), "The padding takes part"),
    (lambda s, m: keras.layers.GlobalMaxPooling1D()(s), "The padding takes part"),
    (lambda s, m: np.multiply(*real_of(s, m)).max(axis=1), "zero wins"),
    (lambda s, m: ops.max(ops.where(m[:, :, None] > 0, s, 0.0), axis=1), "zero wins"),
    (lambda s, m: ops.max(ops.where(m[:, :, None] > 0, s, 1e4), axis=1), "A value is off: 10000"),
    (lambda s, m: ops.max(ops.where(m[:, :, None] > 0, -1e4, s), axis=1), "turned round"),
    (lambda s, m: ops.max(ops.where(m[:, :, None] > 0, s, -1e4), axis=-1), "the dimensions"),
    (lambda s, m: ops.amax(ops.where(m[:, :, None] > 0, s, -1e4), axis=0), "over the batch"),
    (lambda s, m: ops.max(ops.where(m[:, :, None] > 0, s, -1e4)), "has shape (); expected"),
    (lambda s, m: ops.min(ops.where(m[:, :, None] > 0, s, 1e4), axis=1), "the smallest value"),
    (lambda s, m: ops.argmax(ops.where(m[:, :, None] > 0, s, -1e4), axis=1), "are positions"),
    (lambda s, m: ops.where(m > 0, s, -1e4), "give it a last axis"),
    (lambda s, m: ops.max(s - m[:, :, None], axis=1), "`ops.cast("),
    (lambda s, m: exercises.mean_pooling(s, m), "This is the mean"),
    (lambda s, m: s[:, 0], "A value is off"),
    (lambda s, m: max(s), "Python's own `max`"),
]
FIRSTS = [
    (lambda s, m: s[0], "the first sentence of the batch"),
    (lambda s, m: s[:, -1], "the last place"),
    (lambda s, m: s[:, 1], "Counting begins with 0"),
    (lambda s, m: s[..., 0], "the first *dimension*"),
    (lambda s, m: s[:, 0, :1], "has shape (4, 1); expected (4, 5)"),
    (lambda s, m: s[:, 0:1], "has shape (batch, 1, dim)"),
    (lambda s, m: s[:, 0, 0], "has shape (4,); expected (4, 5)"),
    (lambda s, m: exercises.mean_pooling(s, m), "This is the mean"),
    (lambda s, m: exercises.max_pooling(s, m), "A value is off"),
    (lambda s, m: s, "has shape (4, 6, 5); expected (4, 5)"),
    (lambda s, m: m[:, 0], "has shape (4,); expected (4, 5)"),
    (lambda s, m: losses.unit_length(s[:, 0]), "A value is off"),
    (lambda s, m: np.zeros((4, 5)), "A value is off: 0"),
]


# regression


def numpy_unit(x, axis=-1, keepdims=True):
    x = np.asarray(x)
    return x / np.linalg.norm(x, axis=axis, keepdims=keepdims)


def unpacked_along_the_batch(embeddings):
    left, right = embeddings
    return ops.sum(left * right, axis=-1)


def unstacked_along_the_batch(embeddings):
    left, right = tf.unstack(embeddings, axis=0)
    return tf.reduce_sum(left * right, axis=-1)


def first_two_rows(embeddings):
    left, right = numpy_unit(embeddings[0]), numpy_unit(embeddings[1])
    return (left * right).sum(axis=-1)


def published_cosines(embeddings):
    unit = tf.linalg.l2_normalize(embeddings, axis=-1)
    return tf.matmul(unit[:, 0], unit[:, 1], transpose_b=True)


def products(embeddings):
    return ops.sum(embeddings[:, 0] * embeddings[:, 1], axis=-1)


COSINES = [
    (published_cosines, "This is the cosine of the whole batch"),
    (lambda e: cosine_similarity(e[:, 0], e[:, 1]), "This is the cosine of the whole batch"),
    (lambda e: ops.matmul(e[:, 0], ops.transpose(e[:, 1])), "the cosine of the whole batch"),
    (lambda e: np.asarray(e[:, 0]) @ np.asarray(e[:, 1]).T, "the cosine of the whole batch"),
    (products, "This is the dot product"),
    (lambda e: np.einsum("nd,nd->n", e[:, 0], e[:, 1]), "This is the dot product"),
    (lambda e: products(ops.normalize(e, axis=0)), "along the batch (axis 0)"),
    (lambda e: products(ops.normalize(e, axis=1)), "along axis 1, across the two sides"),
    (lambda e: products(e / tf.norm(e)), "divided by one number"),
    (lambda e: products(numpy_unit(e, axis=None, keepdims=False)), "divided by one number"),
    (lambda e: products(e / ops.norm(e, axis=-1)), "`keepdims=True`"),
    (lambda e: products(numpy_unit(e, keepdims=False)), "`keepdims=True`"),
    (lambda e: products(e / tf.norm(e, axis=-1)), "`keepdims=True`"),
    (lambda e: keras.losses.cosine_similarity(e[:, 0], e[:, 1]), "The sign is turned round"),
    (lambda e: 1 - losses.row_cosines(e), "This is 1 - cosine"),
    (lambda e: 1 + keras.losses.cosine_similarity(e[:, 0], e[:, 1]), "This is 1 - cosine"),
    (
        lambda e: keras.layers.Dot(axes=-1, normalize=True)([e[:, 0], e[:, 1]]),
        "The result has shape (batch, 1)",
    ),
    (lambda e: keras.layers.Dot(axes=-1)([e[:, 0], e[:, 1]]), "has shape (5, 1); expected (5,)"),
    (lambda e: ops.mean(losses.row_cosines(e)), "has shape (); expected (5,)"),
    (lambda e: ops.sum(losses.row_cosines(e)), "All pairs were summed into one number"),
    (lambda e: ops.arccos(losses.row_cosines(e)), "A value is off"),
    (lambda e: (losses.row_cosines(e) + 1) / 2, "A value is off"),
    (lambda e: ops.abs(losses.row_cosines(e)), "A value is off"),
    (lambda e: np.linalg.norm(e[:, 0] - e[:, 1], axis=-1), "This is the Euclidean distance"),
    (unpacked_along_the_batch, "the second one is the sides"),
    (unstacked_along_the_batch, "the second one is the sides"),
    (first_two_rows, "the second one is the sides"),
    (lambda e: e, "has shape (5, 2, 3); expected (5,)"),
    (lambda e: losses.unit_length(e), "has shape (5, 2, 3); expected (5,)"),
    (lambda e: ops.ones(len(e)), "Every cosine is 1: is"),
    (lambda e: ops.zeros(5), "A value is off: 0"),
]


def regression_with(cosines_of, shape=None):
    """The mean squared error of other cosines, with the targets as they come or of another shape."""

    def loss(targets, embeddings):
        targets = targets if shape is None else ops.reshape(targets, shape)
        return ops.mean(ops.square(cosines_of(embeddings) - targets))

    return loss


def regression_by_the_learners_published_cosines(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(published_cosines(embeddings) - targets))


REGRESSIONS = [
    (regression_with(published_cosines), "the mistake of the published example"),
    (regression_with(published_cosines, (-1,)), "the mistake of the published example"),
    (regression_with(published_cosines, (-1, 1)), "the mistake of the published example"),
    (regression_with(losses.row_cosines), "`ops.reshape(targets, (-1,))`"),
    (regression_with(losses.row_cosines, (-1, 1)), "`ops.reshape(targets, (-1,))`"),
    (regression_with(products, (-1,)), "not brought to unit length"),
    (regression_with(first_two_rows, (-1,)), "cosines and targets are both (batch,)"),
    (regression_with(unpacked_along_the_batch, (-1,)), "the second one is the sides"),
    (regression_with(lambda e: e, (-1,)), "cosines and targets are both (batch,)"),
    (lambda t, e: ops.sum((losses.row_cosines(e) - ops.ravel(t)) ** 2), "the sum over the pairs"),
    (lambda t, e: (losses.row_cosines(e) - ops.ravel(t)) ** 2, "a loss is one number"),
    (lambda t, e: ops.mean(ops.abs(losses.row_cosines(e) - ops.ravel(t))), "Square them"),
    (lambda t, e: ops.mean(losses.row_cosines(e) - ops.ravel(t)), "The square is missing"),
    (lambda t, e: ops.mean(losses.row_cosines(e) - ops.ravel(t)) ** 2, "before the square"),
    (lambda t, e: ops.mean((losses.row_cosines(e) + ops.ravel(t)) ** 2), "are added"),
    (
        lambda t, e: ops.mean((losses.row_cosines(e) - ops.ravel(t) / 2.5 + 1) ** 2),
        "The targets are scaled once more",
    ),
    (lambda t, e: 1 - ops.mean(losses.row_cosines(e)), "A value is off"),
    (lambda t, e: ops.mean((1 - losses.row_cosines(e)) ** 2), "The targets are not used"),
    (lambda t, e: ops.mean(losses.row_cosines(e)), "A value is off"),
    (lambda t, e: ops.mean(ops.ravel(t) * losses.row_cosines(e)), "A value is off"),
    (lambda t, e: 0.0, "A value is off: 0"),
    (lambda t, e: 0.25, "A value is off: 0.25"),
    (lambda t, e: t, "expected ()"),
    (lambda t, e: keras.losses.cosine_similarity(e[:, 0], e[:, 1]), "expected ()"),
    (lambda e, t: losses.cosine_regression_loss(t, e), "Your code stopped with"),
]


# distances and their loss


def both_by(measure):
    """Both distances by another measure of two embeddings."""
    return lambda e: (measure(e[:, 0], e[:, 1]), measure(e[:, 0], e[:, 2]))


def unstacked_triplets(embeddings):
    anchor, positive, negative = tf.unstack(embeddings, axis=0)
    return losses.euclidean_distance(anchor, positive), losses.euclidean_distance(anchor, negative)


def triplets_along_the_batch(embeddings):
    anchor, positive, negative = embeddings[0], embeddings[1], embeddings[2]
    return losses.euclidean_distance(anchor, positive), losses.euclidean_distance(anchor, negative)


def far_and_near(embeddings):
    return exercises.triplet_distances(embeddings)[::-1]


DISTANCES = [
    (both_by(lambda a, b: ops.norm(a - b, axis=-1)), "The epsilon is missing"),
    (both_by(lambda a, b: tf.norm(a - b, axis=-1)), "The epsilon is missing"),
    (both_by(lambda a, b: np.linalg.norm(a - b, axis=-1)), "The epsilon is missing"),
    (both_by(lambda a, b: ops.norm(a - b, axis=-1) + 1e-6), "stands outside the square root"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2, -1) + 1e-7)), "The epsilon is 1e-07"),
    (
        both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2, -1) + keras.config.epsilon())),
        "The epsilon is 1e-07",
    ),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2, -1) + 1e-12)), "The epsilon is 1e-12"),
    (both_by(lambda a, b: ops.norm(a - b + 1e-6, axis=-1)), "added to the differences"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2 + 1e-6, -1))), "to every square"),
    (both_by(lambda a, b: ops.sum((a - b) ** 2, -1)), "These are *squared* distances"),
    (both_by(lambda a, b: ops.sum((a - b) ** 2, -1) + 1e-6), "These are *squared* distances"),
    (both_by(lambda a, b: ops.mean((a - b) ** 2, -1)), "A value is off"),
    (both_by(lambda a, b: ops.norm(a - b, ord=1, axis=-1)), "Manhattan"),
    (both_by(lambda a, b: ops.sqrt(ops.mean((a - b) ** 2, -1) + 1e-6)), "averaged"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2, 0) + 1e-6)), "over the batch"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2, 1, True) + 1e-6)), "(batch, 1)"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a - b) ** 2) + 1e-6)), "summed into one number"),
    (both_by(lambda a, b: ops.sqrt(ops.sum((a + b) ** 2, -1) + 1e-6)), "A value is off"),
    (both_by(lambda a, b: ops.sum(a * b, -1)), "A value is off"),
    (both_by(lambda a, b: ops.sqrt(ops.sum(a - b, -1) ** 2 + 1e-6)), "A value is off"),
    (both_by(cdist), "has shape (2, 5, 5); expected (2, 5)"),
    (both_by(lambda a, b: losses.euclidean_distance(a, a)), "A value is off"),
    (
        both_by(
            lambda a, b: losses.euclidean_distance(losses.unit_length(a), losses.unit_length(b))
        ),
        "brought to unit length first",
    ),
    (both_by(lambda a, b: 1 + keras.losses.cosine_similarity(a, b)), "1 - cosine"),
    (far_and_near, "Positive and negative are exchanged"),
    (unstacked_triplets, "the second one is the sides"),
    (triplets_along_the_batch, "the second one is the sides"),
    (lambda e: losses.euclidean_distance(e[:, 0], e[:, 1]), "Return two arrays"),
    (lambda e: exercises.triplet_distances(e)[0], "Return two arrays"),
    (lambda e: (*exercises.triplet_distances(e), 0), "Return two arrays"),
    (lambda e: ops.stack(exercises.triplet_distances(e), axis=-1), "Return two arrays"),
    (lambda e: ops.sum(exercises.triplet_distances(e)[0]), "Return two arrays"),
    (lambda e: e, "Return two arrays"),
    (lambda e: (e[:, 0], e[:, 1]), "expected (2, 5)"),
    (lambda e: (exercises.triplet_distances(e)[0], None), "A result is `None`"),
    (lambda e: (exercises.triplet_distances(e)[0], 1.0), "have shapes (5,) and ()"),
    (lambda e: (ops.zeros(len(e)), ops.ones(len(e))), "A value is off: 0"),
]


def triplet_with(
    hinge=lambda near, far, margin: ops.relu(near - far + margin),
    distances=exercises.triplet_distances,
    finish=ops.mean,
    default=1.0,
):
    """The triplet loss with one thing changed."""

    def loss(targets, embeddings, margin=default):
        near, far = distances(embeddings)
        return finish(hinge(near, far, margin))

    return loss


def hinge_of_the_mean(targets, embeddings, margin=1.0):
    near, far = exercises.triplet_distances(embeddings)
    return ops.maximum(0.0, ops.mean(near - far) + margin)


def wrong_ones_only(targets, embeddings, margin=1.0):
    near, far = exercises.triplet_distances(embeddings)
    costs = ops.relu(near - far + margin)
    return ops.sum(costs) / ops.sum(ops.cast(costs > 0, "float32"))


def triplet_of_cosines(targets, embeddings, margin=1.0):
    unit = losses.unit_length(embeddings)
    near, far = (ops.sum(unit[:, 0] * unit[:, side], axis=-1) for side in (1, 2))
    return ops.mean(ops.relu(margin - near + far))


def published_triplet_loss(targets, embeddings, margin=1.0):
    near, far = unstacked_triplets(embeddings)
    return tf.reduce_mean(tf.maximum(near - far + margin, 0.0))


def without_default(targets, embeddings, margin):
    return exercises.triplet_loss(targets, embeddings, margin)


def no_margin_argument(targets, embeddings):
    return exercises.triplet_loss(targets, embeddings)


TRIPLETS = [
    (triplet_with(lambda n, f, m: ops.relu(f - n + m)), "exchanged: this pulls"),
    (triplet_with(distances=far_and_near), "exchanged: this pulls"),
    (triplet_with(lambda n, f, m: ops.relu(n - f - m)), "The sign of the margin"),
    (triplet_with(lambda n, f, m: n - f + m), "`max(0, ...)` is missing"),
    (triplet_with(lambda n, f, m: ops.relu(n - f)), "The margin is missing"),
    (triplet_with(lambda n, f, m: ops.relu(n - f + 1)), "The margin is always 1"),
    (triplet_with(lambda n, f, m: ops.relu(n - f) + m), "Add it inside"),
    (triplet_with(lambda n, f, m: ops.relu(n + f + m)), "A value is off"),
    (triplet_with(lambda n, f, m: ops.softplus(n - f + m)), "A value is off"),
    (triplet_with(lambda n, f, m: ops.minimum(0.0, n - f + m)), "This is `minimum`"),
    (triplet_with(lambda n, f, m: ops.max(n - f + m, 0)), "`ops.max` looks for the largest"),
    (triplet_with(lambda n, f, m: ops.relu(n - f + m) ** 2), "The hinge is squared"),
    (triplet_with(lambda n, f, m: ops.relu(n**2 - f**2 + m)), "The distances are squared"),
    (triplet_with(lambda n, f, m: max(0, n - f + m)), "Python's own `max`"),
    (triplet_with(finish=ops.sum), "This is the sum"),
    (triplet_with(finish=lambda costs: costs), "a loss is one number"),
    (triplet_with(finish=lambda costs: -ops.mean(costs)), "A value is off"),
    (triplet_with(finish=ops.max), "`ops.max` looks for the largest"),
    (triplet_with(default=0.25), "Without a margin given, it must be 1"),
    (triplet_with(default=0.5), "Without a margin given, it must be 1"),
    (triplet_with(default=5.0), "Without a margin given, it must be 1"),
    (without_default, "missing 1 required positional argument: 'margin'"),
    (no_margin_argument, "takes 2 positional arguments but 3 were given"),
    (triplet_with(distances=unstacked_triplets), "the second one is the sides"),
    (published_triplet_loss, "the second one is the sides"),
    (triplet_with(distances=triplets_along_the_batch), "A value is off"),
    (hinge_of_the_mean, "The mean comes last"),
    (wrong_ones_only, "A value is off"),
    (triplet_of_cosines, "A value is off"),
    (lambda t, e, margin=1.0: 0.0, "With targets of 0 your loss is 0"),
    (lambda t, e, margin=1.0: margin, "A value is off: 1"),
    (lambda t, e, margin=1.0: ops.mean(t), "With targets of 0 your loss is 0"),
    (lambda t, e, margin=1.0: e, "expected ()"),
    (lambda t, e, margin=1.0: ops.mean(t * exercises.triplet_distances(e)[0]), "With targets of 0"),
]


# search


def search_by(similarities_of, places_of=lambda s, k: np.argsort(-s, axis=1)[:, :k]):
    def search(queries, collection, k):
        similarities = similarities_of(queries, collection)
        places = places_of(similarities, k)
        return np.take_along_axis(similarities, places, axis=1), places

    return search


def in_faiss(prepare=numpy_unit, index_of=lambda c: faiss.IndexFlatIP(c.shape[1]), finish=tuple):
    def search(queries, collection, k):
        index = index_of(collection)
        index.add(prepare(collection))
        return finish(index.search(prepare(queries), k))

    return search


def normalised_in_place(queries, collection, k):
    faiss.normalize_L2(queries)
    faiss.normalize_L2(collection)
    return in_faiss(prepare=lambda x: x)(queries, collection, k)


def divided_in_place(queries, collection, k):
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    collection /= np.linalg.norm(collection, axis=1, keepdims=True)
    return search_by(np.dot)(queries, collection.T, k)


def without_transposing(queries, collection, k):
    return search_by(lambda q, c: numpy_unit(q) @ numpy_unit(c))(queries, collection, k)


def tensors_not_transposed(queries, collection, k):
    return ops.top_k(ops.matmul(ops.normalize(queries), ops.normalize(collection)), k)


def lost_axis(queries, collection, k):
    q, c = (x / np.linalg.norm(x, axis=1) for x in (queries, collection))
    return search_by(np.matmul)(q, c.T, k)


def turned(queries, collection, k):
    return search_by(cosine_similarity)(collection, queries, k)


def turned_round(queries, collection, k):
    return tuple(part.T for part in search_by(cosine_similarity)(queries, collection, k))


def sorted_and_first_rows(queries, collection, k):
    similarities = cosine_similarity(queries, collection)
    places = np.argsort(-similarities, axis=1)[:, :k]
    return similarities[:, :k], places


def sorted_values_and_ascending_rows(queries, collection, k):
    similarities = cosine_similarity(queries, collection)
    return -np.sort(-similarities, axis=1)[:, :k], np.argsort(similarities, axis=1)[:, :k]


def slice_of_the_rows(queries, collection, k):
    similarities = cosine_similarity(queries, collection)
    places = np.argsort(-similarities)[:k]
    return np.take_along_axis(similarities, places, axis=1), places


def best_only(queries, collection, k):
    similarities = cosine_similarity(queries, collection)
    return similarities.max(axis=1), similarities.argmax(axis=1)


def first_query_only(queries, collection, k):
    return [part[:1] for part in searching.semantic_search(queries, collection, k)]


def rows_as_fractions(queries, collection, k):
    similarities, places = searching.semantic_search(queries, collection, k)
    return similarities, places.astype("float32")


def always_three(queries, collection, k):
    return searching.semantic_search(queries, collection, 3)


def by_neighbours(metric):
    def search(queries, collection, k):
        return NearestNeighbors(n_neighbors=k, metric=metric).fit(collection).kneighbors(queries)

    return search


SEARCHES = [
    (search_by(lambda q, c: q @ c.T), "These are dot products"),
    (in_faiss(prepare=lambda x: x), "These are dot products"),
    (search_by(lambda q, c: q @ numpy_unit(c).T), "the queries are not brought to unit length"),
    (search_by(lambda q, c: numpy_unit(q) @ c.T), "The rows of the collection are not"),
    (search_by(lambda q, c: numpy_unit(q, 0) @ numpy_unit(c, 0).T), "along axis 0, over the rows"),
    (search_by(lambda q, c: numpy_unit(q, None) @ numpy_unit(c, None).T), "divided by one number"),
    (search_by(cosine_similarity, lambda s, k: np.argsort(s, axis=1)[:, :k]), "*least* similar"),
    (search_by(cosine_similarity, lambda s, k: np.argsort(s, axis=1)[:, -k:]), "comes last"),
    (
        search_by(cosine_similarity, lambda s, k: np.sort(np.argpartition(-s, k - 1)[:, :k])),
        "The right rows, but not in order",
    ),
    (
        search_by(cosine_similarity, lambda s, k: np.argsort(-s, axis=0)[:, :k]),
        "along axis 0, over the queries",
    ),
    (search_by(lambda q, c: -cdist(q, c)), "A value is off: -"),
    (search_by(cdist, lambda s, k: np.argsort(s)[:, :k]), "These are Euclidean distances"),
    (by_neighbours("euclidean"), "These are Euclidean distances"),
    (by_neighbours("cosine"), "These are 1 - cosine"),
    (in_faiss(index_of=lambda c: faiss.IndexFlatL2(c.shape[1])), "not `IndexFlatL2`"),
    (in_faiss(lambda x: x, lambda c: faiss.IndexFlatL2(c.shape[1])), "not `IndexFlatL2`"),
    (in_faiss(index_of=lambda c: faiss.IndexFlatIP(len(c))), "as wide as they are"),
    (in_faiss(finish=lambda found: found[::-1]), "The two are exchanged"),
    (in_faiss(finish=lambda found: found[1]), "Return two arrays"),
    (in_faiss(finish=np.stack), "Return two arrays"),
    (in_faiss(finish=lambda found: (found[0], found[1] + 1)), "one too large"),
    (in_faiss(finish=lambda found: (found[0], found[0])), "The similarities are right"),
    (in_faiss(finish=lambda found: (1 - found[0], found[1])), "These are 1 - cosine"),
    (normalised_in_place, "Your code changes the embeddings"),
    (divided_in_place, "Your code changes the embeddings"),
    (without_transposing, "transpose the collection"),
    (tensors_not_transposed, "transpose the collection"),
    (lost_axis, "Keep the axis: `keepdims=True`"),
    (turned, "Queries and collection are exchanged"),
    (turned_round, "The results are turned round"),
    (sorted_and_first_rows, "The row numbers are right, but the similarities"),
    (sorted_values_and_ascending_rows, "The similarities are right, but the row numbers"),
    (slice_of_the_rows, "Keep the best k"),
    (search_by(cosine_similarity, lambda s, k: np.argsort(-s, axis=1)), "Keep the best k"),
    (best_only, "Only the best row came back"),
    (first_query_only, "has shape (1, 4); expected (3, 4)"),
    (rows_as_fractions, "The row numbers are fractions"),
    (always_three, "With k = 4 a query got 3 row(s): use the argument `k`"),
    (lambda q, c, k: cosine_similarity(q, c), "Return two arrays"),
    (lambda q, c, k: (np.ones((3, 4)), np.zeros((3, 4), int)), "has shape (3, 4); expected (4, 9)"),
    (lambda q, c, k: (q, c), "a query got 6 row(s)"),
    (lambda q, c, k: (np.ones((len(q), k)), np.zeros((len(q), k), int)), "A value is off"),
]


# clusters


def cluster_by(prepare=lambda x: x, finish=lambda means: means.labels_, **options):
    def cluster(embeddings, k):
        settings = {"n_clusters": k, "n_init": 10, "random_state": 0, **options}
        return finish(KMeans(**settings).fit(prepare(embeddings)))

    return cluster


def nearest_first_rows(embeddings, k):
    """One step with the first k rows as centres."""
    return cdist(embeddings, embeddings[:k]).argmin(axis=1)


def centred_in_place(embeddings, k):
    embeddings -= embeddings.mean(axis=0)
    return cluster_by()(embeddings, k)


CLUSTERS = [
    (cluster_by(prepare=numpy_unit), "The rows are brought to unit length first"),
    (cluster_by(n_clusters=2), "There are 2 clusters; k is 4: use the argument `k`"),
    (cluster_by(n_clusters=8), "There are 8 clusters; k is 2: use the argument `k`"),
    (cluster_by(finish=lambda means: means), "This is the `KMeans` itself"),
    (cluster_by(finish=lambda means: means.cluster_centers_), "the centres of the clusters"),
    (cluster_by(finish=lambda means: means.inertia_), "This is one number"),
    (cluster_by(finish=lambda means: np.bincount(means.labels_)), "an entry for each cluster"),
    (cluster_by(finish=lambda means: means.labels_[:6]), "has shape (6,); expected (12,)"),
    (cluster_by(finish=lambda means: means.labels_[:, None]), "has shape (12, 1)"),
    (cluster_by(finish=lambda means: np.sort(means.labels_)), "divided by their order"),
    (lambda x, k: cluster_by(finish=lambda means: means.transform(x))(x, k), "the distances to"),
    (lambda x, k: KMeans(k, n_init=10).fit_predict(x.T), "The columns are clustered"),
    (lambda x, k: KMeans(k, n_init=10).fit_transform(x), "the distances to the centres"),
    (lambda x, k: np.zeros(len(x), int), "All rows have the same label"),
    (lambda x, k: np.arange(len(x)), "Every row has a label of its own"),
    (lambda x, k: np.arange(len(x)) % k, "divided by their order"),
    (lambda x, k: np.arange(len(x)) * k // len(x), "divided by their order"),
    (lambda x, k: [0, 1, 0, 1, 0, 1], "has shape (6,); expected (12,)"),
    (lambda x, k: [i % 2 for i in range(len(x))], "divided by their order"),
    (lambda x, k: np.random.default_rng(0).integers(0, k, len(x)), "not those of k-means"),
    (lambda x, k: x, "has shape (12, 5); expected (12,)"),
    (lambda x, k: x[:, 0], "Every row has a label of its own"),
    (lambda x, k: {i: i % k for i in range(len(x))}, "is a `dict`; expected a label"),
    (lambda x, k: [[0], [1, 2]], "The result is no array"),
    (lambda x, k: k, "This is one number"),
    (nearest_first_rows, "not those of k-means"),
    (centred_in_place, "Your code changes the embeddings"),
]


WRONG = [
    pytest.param(exercise, among(exercise, place)(answer), text, id=f"{exercise.name}-{place}-{i}")
    for exercise, place, answers in (
        (exercises.scaling, 0, SCALINGS),
        (exercises.datasets, 0, PADS),
        (exercises.datasets, 1, BATCHES),
        (exercises.pooling, 0, MEANS),
        (exercises.pooling, 1, MAXIMA),
        (exercises.pooling, 2, FIRSTS),
        (exercises.regression, 0, COSINES),
        (exercises.regression, 1, REGRESSIONS),
        (exercises.distances, 0, DISTANCES),
        (exercises.loss, 0, TRIPLETS),
        (exercises.search, 0, SEARCHES),
        (exercises.clusters, 0, CLUSTERS),
    )
    for i, (answer, text) in enumerate(answers)
]


@pytest.mark.parametrize(("exercise", "answers", "text"), WRONG)
def test_wrong_answers_get_the_hint_meant_for_them(exercise, answers, text):
    result = exercise.check(*answers)
    assert result.status == "wrong"
    assert text in result.messages[0]
    assert "hint()` helps, step by step" in result.messages[-1]


@pytest.mark.parametrize(
    ("exercise", "place", "answer", "points"),
    [
        (exercises.datasets, 0, padder(length_of=lambda n: n), "13"),
        (exercises.datasets, 1, order_drawn_once, "14"),
        (exercises.datasets, 1, batches_of(arrange=sides_turned), "13"),
        (exercises.pooling, 0, lambda s, m: ops.mean(s, axis=1), "11"),
        (exercises.regression, 0, published_cosines, "7"),
        (exercises.regression, 1, regression_with(losses.row_cosines), "13"),
        (exercises.distances, 0, both_by(lambda a, b: ops.norm(a - b, axis=-1)), "5"),
        (exercises.loss, 0, triplet_with(default=0.5), "5"),
        (exercises.search, 0, rows_as_fractions, "2"),
        (exercises.clusters, 0, cluster_by(n_clusters=2), "5"),
    ],
)
def test_what_is_half_right_has_its_points(exercise, place, answer, points):
    assert repr(exercise.check(*among(exercise, place)(answer))) == points


# --- right answers in other styles ---


def scaled_by_a_loop(score):
    scaled = []
    for value in score:
        scaled.append(float(value) / 5 * 2 - 1)
    return scaled


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


class BatchesClass:
    def __init__(self, sides, targets, batch_size, rng, pad_id):
        self.rows, self.targets, self.pad_id = list(zip(*sides, strict=True)), targets, pad_id
        self.batch_size, self.rng, self.waiting = batch_size, rng, []

    def __next__(self):
        if len(self.waiting) < self.batch_size:
            self.waiting = self.rng.permutation(len(self.rows)).tolist()
        chosen = [self.waiting.pop() for _ in range(self.batch_size)]
        flat = padded_by_comparing([side for row in chosen for side in self.rows[row]], self.pad_id)
        shape = (self.batch_size, len(self.rows[0]), -1)
        inputs = {name: np.reshape(ids, shape) for name, ids in flat.items()}
        return inputs, self.targets[chosen]


def mean_in_numpy(states, padding_mask):
    states, real = real_of(states, padding_mask)
    return (states * real).sum(axis=1) / real.sum(axis=1)


def mean_by_a_loop(states, padding_mask):
    lengths = np.sum(padding_mask, axis=1)
    return [row[:n].mean(axis=0) for row, n in zip(np.asarray(states), lengths, strict=True)]


def mean_in_tensorflow(states, padding_mask):
    mask = tf.cast(padding_mask, tf.float32)
    return tf.einsum("nld,nl->nd", states, mask) / tf.reduce_sum(mask, axis=1, keepdims=True)


def mean_by_matmul(states, padding_mask):
    weights = ops.cast(padding_mask, "float32")
    weights = weights / ops.sum(weights, axis=-1, keepdims=True)
    return ops.matmul(weights[:, None, :], states)[:, 0]


def mean_by_layer(states, padding_mask):
    return keras.layers.GlobalAveragePooling1D()(states, mask=padding_mask)


def mean_in_double(states, padding_mask):
    real = ops.cast(padding_mask, "float64")[..., None]
    return ops.sum(ops.cast(states, "float64") * real, 1) / ops.maximum(ops.sum(real, 1), 1e-9)


def mean_of_the_masked(states, padding_mask):
    states, real = real_of(states, padding_mask)
    return np.ma.masked_array(states, np.broadcast_to(real == 0, states.shape)).mean(axis=1)


def max_in_numpy(states, padding_mask):
    states, real = real_of(states, padding_mask)
    return np.where(real, states, -np.inf).max(axis=1)


def max_by_a_loop(states, padding_mask):
    lengths = np.sum(padding_mask, axis=1)
    return np.array([max_of(row[:n]) for row, n in zip(np.asarray(states), lengths, strict=True)])


def max_of(rows):
    return [max(column) for column in rows.T.tolist()]


def max_in_tensorflow(states, padding_mask):
    real = tf.cast(padding_mask, tf.bool)[:, :, tf.newaxis]
    return tf.reduce_max(tf.where(real, states, states.dtype.min), axis=1)


def max_by_subtraction(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), 2)
    return ops.amax(states * real - 1e4 * (1.0 - real), axis=-2)


def max_far_below(states, padding_mask):
    return ops.max(states - 1e9 * (1 - ops.cast(padding_mask, "float32"))[..., None], axis=1)


def cls_in_numpy(states, padding_mask):
    return np.asarray(states, "float64")[:, 0, :]


def cls_by_a_loop(states, padding_mask):
    return [sentence[0] for sentence in states]


def cls_by_taking(states, padding_mask):
    return ops.squeeze(ops.take(states, [0], axis=1), axis=1)


def cls_in_tensorflow(states, padding_mask):
    return tf.gather(states, 0, axis=1)


def cosines_in_numpy(embeddings):
    left, right = numpy_unit(embeddings).swapaxes(0, 1)
    return np.einsum("nd,nd->n", left, right)


def cosines_by_a_loop(embeddings):
    cosines = []
    for left, right in np.asarray(embeddings, "float64"):
        cosines.append(left @ right / np.sqrt((left @ left) * (right @ right)))
    return cosines


def cosines_in_tensorflow(embeddings):
    left, right = tf.unstack(tf.math.l2_normalize(embeddings, axis=-1), axis=1)
    return tf.reduce_sum(left * right, axis=-1)


def cosines_of_the_diagonal(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.diagonal(ops.matmul(unit[:, 0], ops.transpose(unit[:, 1])))


def cosines_by_keras(embeddings):
    return -keras.losses.cosine_similarity(embeddings[:, 0], embeddings[:, 1], axis=-1)


def cosines_divided_at_the_end(embeddings):
    left, right = ops.split(embeddings, 2, axis=1)
    lengths = ops.norm(left, axis=-1) * ops.norm(right, axis=-1)
    return ops.squeeze(ops.sum(left * right, axis=-1) / ops.maximum(lengths, 1e-8), axis=1)


def regression_in_numpy(targets, embeddings):
    return ((cosines_in_numpy(embeddings) - np.asarray(targets).ravel()) ** 2).mean()


def regression_by_a_loop(targets, embeddings):
    cosines, targets = cosines_by_a_loop(embeddings), np.ravel(targets).tolist()
    return sum((c - t) ** 2 for c, t in zip(cosines, targets, strict=True)) / len(cosines)


def regression_in_tensorflow(targets, embeddings):
    error = cosines_in_tensorflow(embeddings) - tf.squeeze(tf.reshape(targets, (-1, 1)), axis=-1)
    return tf.reduce_mean(tf.square(error))


def regression_by_keras(targets, embeddings):
    cosines = cosines_by_keras(embeddings)
    return keras.losses.MeanSquaredError()(ops.reshape(targets, ops.shape(cosines)), cosines)


def regression_of_columns(targets, embeddings):
    cosines = losses.row_cosines(embeddings)[:, None]
    return ops.mean((cosines - ops.reshape(targets, (-1, 1))) ** 2)


def distances_in_numpy(embeddings):
    anchor, *others = np.asarray(embeddings).swapaxes(0, 1)
    return tuple(np.sqrt(((anchor - other) ** 2).sum(axis=1) + 1e-6) for other in others)


def distances_by_a_loop(embeddings):
    near, far = [], []
    for anchor, positive, negative in np.asarray(embeddings).tolist():
        for found, other in ((near, positive), (far, negative)):
            found.append(
                (sum((a - b) ** 2 for a, b in zip(anchor, other, strict=True)) + 1e-6) ** 0.5
            )
    return near, far


def distances_in_tensorflow(embeddings):
    anchor, positive, negative = tf.unstack(embeddings, axis=1)
    return [
        tf.sqrt(tf.reduce_sum(tf.math.squared_difference(anchor, other), axis=-1) + 1e-6)
        for other in (positive, negative)
    ]


def distances_at_once(embeddings):
    squares = ops.sum(ops.square(embeddings[:, 1:] - embeddings[:, :1]), axis=-1)
    return ops.transpose(ops.sqrt(squares + 1e-6))


def distances_with_a_floor(embeddings):
    """As many libraries do it: the gradient is finite, too."""
    anchor, positive, negative = (embeddings[:, side] for side in range(3))
    near, far = (ops.sum((anchor - other) ** 2, axis=-1) for other in (positive, negative))
    return ops.sqrt(ops.maximum(near, 1e-6)), ops.maximum(far, 1e-6) ** 0.5


def triplet_in_numpy(targets, embeddings, margin=1.0):
    near, far = distances_in_numpy(embeddings)
    return np.clip(near - far + margin, 0, None).mean()


def triplet_by_a_loop(targets, embeddings, margin=1.0):
    costs = [
        max(0.0, p - n + margin) for p, n in zip(*distances_by_a_loop(embeddings), strict=True)
    ]
    return sum(costs) / len(costs)


def triplet_in_tensorflow(targets, embeddings, margin=1):
    near, far = distances_in_tensorflow(embeddings)
    return tf.reduce_mean(tf.nn.relu(near - far + margin))


def triplet_by_choice(targets, embeddings, margin=1.0):
    near, far = losses.euclidean_distance(embeddings[:, :1], embeddings[:, 1:]).numpy().T
    return np.where(far - near < margin, near - far + margin, 0).sum() / len(near)


def triplet_by_relu(targets, embeddings, margin=1.0):
    distances = losses.euclidean_distance(embeddings[:, 1:], embeddings[:, :1])
    return ops.mean(ops.relu(margin - (distances[:, 1] - distances[:, 0])))


def search_by_a_loop(queries, collection, k):
    scores, places = [], []
    for query in queries:
        cosines = [
            float(query @ row / np.linalg.norm(query) / np.linalg.norm(row)) for row in collection
        ]
        best = sorted(range(len(cosines)), key=cosines.__getitem__, reverse=True)[:k]
        scores.append([cosines[row] for row in best])
        places.append(best)
    return scores, places


def search_by_top_k(queries, collection, k):
    unit = ops.normalize(collection, axis=-1)
    return ops.top_k(ops.matmul(ops.normalize(queries, axis=-1), ops.transpose(unit)), k)


def search_in_tensorflow(queries, collection, k):
    unit = tf.math.l2_normalize(collection, axis=1)
    found = tf.math.top_k(tf.math.l2_normalize(queries, axis=1) @ tf.transpose(unit), k=k)
    return found.values, found.indices


def search_by_neighbours(queries, collection, k):
    distances, places = by_neighbours("cosine")(queries, collection, k)
    return [1 - distances, places]


def search_backwards(queries, collection, k):
    similarities = numpy_unit(queries).astype("float64") @ numpy_unit(collection).T
    places = np.argsort(similarities, axis=1)[:, ::-1][:, :k]
    return similarities[np.arange(len(queries))[:, None], places], places


def search_in_copies(queries, collection, k):
    queries, collection = queries.copy(), collection.copy()
    return normalised_in_place(queries, collection, k)


def cluster_by_hand(embeddings, k):
    rng = np.random.default_rng(0)
    tries = []
    for _ in range(20):
        centres = embeddings[rng.choice(len(embeddings), k, replace=False)]
        for _ in range(20):
            labels = cdist(embeddings, centres).argmin(axis=1)
            centres = np.array(
                [embeddings[labels == i].mean(0) if i in labels else centres[i] for i in range(k)]
            )
        tries.append((((embeddings - centres[labels]) ** 2).sum(), labels.tolist()))
    return min(tries)[1]


def cluster_in_faiss(embeddings, k):
    means = faiss.Kmeans(
        embeddings.shape[1], k, niter=20, nredo=10, seed=1, min_points_per_centroid=1
    )
    means.train(embeddings)
    return means.index.search(embeddings, 1)[1].ravel()


def cluster_by_names(embeddings, k):
    return [f"topic {label}" for label in cluster_by()(embeddings, k)]


RIGHT = [
    (exercises.scaling, (scaled_by_a_loop,)),
    (exercises.scaling, (lambda score: (score - 2.5) / 2.5,)),
    (exercises.scaling, (lambda score: np.interp(score, [0, 5], [-1, 1]),)),
    (exercises.scaling, (lambda score: ops.subtract(ops.multiply(score, 0.4), 1),)),
    (exercises.scaling, (lambda score: tf.constant(score) / 2.5 - 1,)),
    (exercises.scaling, (lambda score: score.astype("float64") / 2.5 - 1,)),
    (exercises.datasets, (padded_by_lists, batches_of_lists)),
    (exercises.datasets, (padded_by_keras, batches_side_by_side)),
    (exercises.datasets, (padded_by_tensorflow, batches_of_tensors)),
    (exercises.datasets, (padded_by_comparing, BatchesClass)),
    (exercises.datasets, (padder(dtype="int64"), batches_of(pad=padded_by_comparing))),
    (exercises.pooling, (mean_in_numpy, max_in_numpy, cls_in_numpy)),
    (exercises.pooling, (mean_by_a_loop, max_by_a_loop, cls_by_a_loop)),
    (exercises.pooling, (mean_in_tensorflow, max_in_tensorflow, cls_in_tensorflow)),
    (exercises.pooling, (mean_by_matmul, max_by_subtraction, cls_by_taking)),
    (exercises.pooling, (mean_by_layer, max_far_below, lambda s, m: s[:, 0, :])),
    (exercises.pooling, (mean_in_double, max_far_below, lambda s, m: s[..., 0, :])),
    (exercises.pooling, (mean_of_the_masked, max_in_numpy, lambda s, m: s.numpy()[:, 0])),
    (exercises.regression, (cosines_in_numpy, regression_in_numpy)),
    (exercises.regression, (cosines_by_a_loop, regression_by_a_loop)),
    (exercises.regression, (cosines_in_tensorflow, regression_in_tensorflow)),
    (exercises.regression, (cosines_by_keras, regression_by_keras)),
    (exercises.regression, (cosines_of_the_diagonal, regression_of_columns)),
    (exercises.regression, (cosines_divided_at_the_end, regression_of_columns)),
    (exercises.distances, (distances_in_numpy,)),
    (exercises.distances, (distances_by_a_loop,)),
    (exercises.distances, (distances_in_tensorflow,)),
    (exercises.distances, (distances_at_once,)),
    (exercises.distances, (distances_with_a_floor,)),
    (exercises.loss, (triplet_in_numpy,)),
    (exercises.loss, (triplet_by_a_loop,)),
    (exercises.loss, (triplet_in_tensorflow,)),
    (exercises.loss, (triplet_by_choice,)),
    (exercises.loss, (triplet_by_relu,)),
    (exercises.search, (search_by_a_loop,)),
    (exercises.search, (search_by_top_k,)),
    (exercises.search, (search_in_tensorflow,)),
    (exercises.search, (search_by_neighbours,)),
    (exercises.search, (search_backwards,)),
    (exercises.search, (search_in_copies,)),
    (exercises.search, (search_by(cosine_similarity),)),
    (exercises.search, (in_faiss(),)),
    (exercises.clusters, (cluster_by_hand,)),
    (exercises.clusters, (cluster_in_faiss,)),
    (exercises.clusters, (cluster_by(random_state=7),)),
    (exercises.clusters, (cluster_by(finish=lambda means: means.labels_.astype(float)),)),
    (exercises.clusters, (lambda x, k: tf.constant(cluster_by()(x, k)),)),
    (exercises.clusters, (lambda x, k: AgglomerativeClustering(k).fit_predict(x),)),
]


@pytest.mark.parametrize(
    ("exercise", "answers"), RIGHT, ids=[f"{e.name}-{i}" for i, (e, _) in enumerate(RIGHT)]
)
def test_right_answers_in_other_styles_pass(exercise, answers):
    result = exercise.check(*answers)
    assert result.passed, str(result)


@pytest.mark.parametrize(
    "rename",
    [
        lambda labels, k: k - 1 - labels,
        lambda labels, k: 10 * labels + 3,
        lambda labels, k: -labels,
        lambda labels, k: np.random.default_rng(0).permutation(k)[labels],
        lambda labels, k: [f"topic {label}" for label in labels],
        lambda labels, k: (labels + 0.5).tolist(),
    ],
)
def test_the_names_of_the_clusters_do_not_matter(rename):
    result = exercises.clusters.check(lambda x, k: rename(searching.cluster(x, k), k))
    assert result.passed, str(result)


# --- the notebook goes on with what can be trained with ---

UNREADY = [
    (exercises.datasets, (padded_by_lists, batches_of_lists)),
    (exercises.pooling, (mean_in_numpy, max_in_numpy, cls_in_numpy)),
    (exercises.pooling, (mean_in_tensorflow, max_by_a_loop, cls_in_tensorflow)),
    (exercises.regression, (cosines_in_numpy, regression_in_numpy)),
    (exercises.regression, (cosines_by_a_loop, regression_by_a_loop)),
    (exercises.loss, (triplet_in_numpy,)),
    (exercises.loss, (triplet_by_a_loop,)),
    (exercises.loss, (triplet_by_choice,)),
]


@pytest.mark.parametrize(
    ("exercise", "answers"), UNREADY, ids=[f"{e.name}-{i}" for i, (e, _) in enumerate(UNREADY)]
)
def test_what_cannot_be_trained_with_is_replaced_and_the_learner_told(exercise, answers, capsys):
    kept = exercise.use(*answers)
    assert list(exercise.reference) == list(kept if isinstance(kept, tuple) else [kept])
    shown = capsys.readouterr().out
    assert "yours is right, but cannot be trained with (" in shown
    assert "the notebook goes on with the course's own" in shown


READY = [
    (exercises.scaling, (lambda score: (score - 2.5) / 2.5,)),
    (exercises.datasets, (padded_by_comparing, batches_side_by_side)),
    (exercises.datasets, (padded_by_tensorflow, batches_of_tensors)),
    (exercises.pooling, (mean_in_tensorflow, max_in_tensorflow, cls_in_tensorflow)),
    (exercises.pooling, (mean_by_matmul, max_by_subtraction, cls_by_taking)),
    (exercises.regression, (cosines_in_tensorflow, regression_in_tensorflow)),
    (exercises.regression, (cosines_by_keras, regression_by_keras)),
    (exercises.regression, (cosines_divided_at_the_end, regression_of_columns)),
    (exercises.distances, (distances_at_once,)),
    (exercises.loss, (triplet_in_tensorflow,)),
    (exercises.loss, (triplet_by_relu,)),
    (exercises.search, (search_by_top_k,)),
    (exercises.clusters, (cluster_by_hand,)),
]


@pytest.mark.parametrize(
    ("exercise", "answers"), READY, ids=[f"{e.name}-{i}" for i, (e, _) in enumerate(READY)]
)
def test_a_right_answer_is_kept(exercise, answers, capsys):
    kept = exercise.use(*answers)
    assert kept == (answers if len(answers) > 1 else answers[0])
    assert "goes on with your own answer" in capsys.readouterr().out


def test_a_wrong_answer_is_replaced(capsys):
    assert exercises.scaling.use(lambda score: score / 5) is losses.scale_scores
    assert "yours does not pass yet" in capsys.readouterr().out


def test_the_courses_own_answers_can_be_trained_with():
    for exercise in exercises.EXERCISES:
        assert exercise._obstacle(exercise.reference) is None
