"""The nine exercises: right answers of every style pass, mistakes get the hint meant for them."""

import math
import time
from collections import Counter, defaultdict
from itertools import chain, count, cycle, islice

import jax
import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from siamese_course import evaluation
from siamese_course.batching import padding
from siamese_course.exercises import quora as exercises
from siamese_course.models.questions_trax import unit_length
from siamese_course.models.trax_patch import training, trax

tl, jnp = trax.layers, trax.fastmath.numpy
SECONDS = {"02.siamese": 4, "02.loop": 4}  # JAX compiles there


@pytest.fixture(autouse=True)
def compile_quickly(request):
    """Most time goes into compiling; only where it is measured it must be as in a notebook."""
    measured = request.function is test_the_courses_own_answer_passes_quickly
    jax.config.update("jax_disable_most_optimizations", not measured)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


def test_nine_exercises_are_worth_100_points():
    assert len(exercises.EXERCISES) == 9
    assert sum(exercise.points for exercise in exercises.EXERCISES) == 100


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_the_courses_own_answer_passes_quickly(exercise):
    exercise.check(
        *exercise.reference
    )  # the first call compiles what a notebook has compiled long before
    started = time.perf_counter()
    result = exercise.check(*exercise.reference)
    assert result.passed, str(result)
    assert result.status == "right"
    assert time.perf_counter() - started < SECONDS.get(exercise.name, 1)


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_stubs_are_not_attempted_and_none_is_wrong(exercise):
    def stub(*arguments, **options):
        raise NotImplementedError("not attempted")

    result = exercise.check(*[stub] * len(exercise.reference))
    assert (result.status, repr(result)) == ("not attempted", "0")
    result = exercise.check(*[lambda *a, **k: None] * len(exercise.reference))
    assert (result.status, repr(result)) == ("wrong", "0")
    missing = "`yield`" if exercise is exercises.generator else "return"
    assert missing in result.messages[0]


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_every_exercise_has_three_hints(exercise):
    assert len(set(exercise.hints)) == 3


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_every_exercise_has_a_solution(exercise):
    assert "def " in repr(exercise.solution())


# --- mistakes that are told by their numbers ---


def siamese_with(of_states):
    """A siamese model whose encoder makes something else of the LSTM's states."""

    def build(vocabulary_size, dim=128):
        states = tl.Embedding(vocabulary_size, dim), tl.LSTM(dim)
        encoder = tl.Serial(*states, tl.Fn("OfStates", of_states))
        return tl.Parallel(encoder, encoder)

    return build


NUMERIC = [
    (exercises.similarity, exercises.SIMILARITY_MISTAKES, lambda f: f),
    (exercises.negatives, exercises.NEGATIVES_MISTAKES, lambda f: f),
    (exercises.loss, exercises.LOSS_MISTAKES, lambda f: f),
    (exercises.siamese, exercises.SIAMESE_MISTAKES, siamese_with),
]
CASES = [
    pytest.param(exercise, answer(function), sentence, id=f"{exercise.name}-{i}")
    for exercise, mistakes, answer in NUMERIC
    for i, (function, sentence) in enumerate(mistakes)
]


@pytest.mark.parametrize(("exercise", "answer", "sentence"), CASES)
def test_a_mistake_gets_the_sentence_meant_for_it_and_no_other(exercise, answer, sentence):
    result = exercise.check(answer)
    assert not result.passed
    assert result.messages[:-1] == [sentence]


def negatives_along_the_columns(s):
    diagonal = jnp.eye(len(s))
    return jnp.max(s - 2 * diagonal, axis=0), jnp.sum(s * (1 - diagonal), axis=0) / (len(s) - 1)


def negatives_with_the_positives(s):
    return jnp.max(s, axis=1), jnp.mean(s, axis=1)


@pytest.mark.parametrize(
    ("answer", "fragments"),
    [
        (negatives_along_the_columns, ("in the columns (axis 0)", "over the columns (axis 0)")),
        (negatives_with_the_positives, ("from the diagonal too", "takes the positives in")),
        (lambda s: (0 * s[0], 0 * s[0]), ("`closest`: A value is off", "`mean`: A value is off")),
    ],
    ids=["columns", "positives", "constant"],
)
def test_two_mistakes_in_the_negatives_are_both_told(answer, fragments):
    result = exercises.negatives.check(answer)
    assert repr(result) == "0"
    assert len(result.messages) == 3
    for message, fragment in zip(result.messages, fragments, strict=False):
        assert fragment in message


def test_half_of_the_negatives_gives_half_of_the_points():
    assert repr(exercises.negatives.check(lambda s: (jnp.max(s, axis=1), right_mean(s)))) == "7"
    closest = lambda s: (exercises.hard_negatives(s)[0], jnp.mean(s, axis=1))  # noqa: E731
    assert repr(exercises.negatives.check(closest)) == "8"


def right_mean(s):
    return exercises.hard_negatives(s)[1]


OTHER_NUMBERS = [
    (exercises.similarity, lambda a, b: a @ b, "transpose the right side"),
    (exercises.similarity, lambda a, b: jnp.dot(a, b), "transpose the right side"),
    (exercises.similarity, lambda a, b: a * b.T, "`*` goes number by number"),
    (exercises.similarity, lambda a, b: jnp.sum(a * b), "has shape (); expected (4, 4)"),
    (exercises.similarity, lambda a, b: a, "has shape (4, 3); expected (4, 4)"),
    (exercises.similarity, lambda a, b: jnp.eye(len(a)), "A value is off"),
    (exercises.similarity, lambda a, b: (a, b), "has shape (2, 4, 3)"),
    (exercises.negatives, lambda s: s, "Only one array came back"),
    (exercises.negatives, lambda s: (jnp.max(s), jnp.mean(s)), "`closest` has shape ()"),
    (
        exercises.negatives,
        lambda s: [jnp.reshape(x, (-1, 1)) for x in exercises.hard_negatives(s)],
        "leave `keepdims` out",
    ),
    (exercises.loss, lambda left, right, margin=0.25: 0.5, "A value is off: 0.5"),
    (exercises.loss, lambda left, right, margin=0.25: margin, "A value is off: 0.25"),
    (exercises.loss, lambda left, right, margin=0.25: (left, right), "expected ()"),
    (
        exercises.loss,
        lambda left, right, margin=1.0: exercises.triplet_loss(left, right, margin),
        "A value is off",
    ),
    (
        exercises.loss,
        lambda left, right, margin: exercises.triplet_loss(left, right, margin),
        "required positional argument: 'margin'",
    ),
]


@pytest.mark.parametrize(
    ("exercise", "answer", "sentence"),
    OTHER_NUMBERS,
    ids=[f"{e.name}-{i}" for i, (e, _, _) in enumerate(OTHER_NUMBERS)],
)
def test_other_wrong_numbers_get_no_points_and_a_word(exercise, answer, sentence):
    result = exercise.check(answer)
    assert repr(result) == "0"
    assert sentence in result.messages[0]


# --- mistakes that are told by their form: vocabulary ---


def vocabulary_of(
    tokens_of=lambda question, tokenize: tokenize(question),
    start=2,
    special=(("<PAD>", 1),),
    finish=dict,
):
    """A vocabulary with one thing changed."""

    def build(questions, tokenize):
        tokens = chain.from_iterable(tokens_of(question, tokenize) for question in questions)
        return finish({**dict(special), **dict(zip(dict.fromkeys(tokens), count(start)))})

    return build


def counts(questions, tokenize):
    vocabulary = Counter(token for question in questions for token in tokenize(question))
    vocabulary["<PAD>"] = 1
    return vocabulary


def return_in_the_loop(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            vocabulary.setdefault(token, len(vocabulary) + 1)
        return vocabulary


def made_anew_in_the_loop(questions, tokenize):
    for question in questions:
        vocabulary = {"<PAD>": 1}
        for token in tokenize(question):
            vocabulary.setdefault(token, len(vocabulary) + 1)
    return vocabulary


def seen_words_are_numbered_again(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            vocabulary[token] = len(vocabulary) + 1
    return vocabulary


def every_token_gets_the_next_number(questions, tokenize):
    vocabulary, number = {"<PAD>": 1}, 2
    for question in questions:
        for token in tokenize(question):
            vocabulary[token] = number
            number += 1
    return vocabulary


def numbered_within_each_question(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        vocabulary.update({token: i for i, token in enumerate(tokenize(question), start=2)})
    return vocabulary


BUILDS = [
    (counts, "These are counts"),
    (vocabulary_of(start=0), "A word has the id 0"),
    (vocabulary_of(start=1), "A word has the id 1"),
    (vocabulary_of(start=3), "with no gaps"),
    (vocabulary_of(special=()), "`<PAD>` is missing"),
    (vocabulary_of(special=[("<PAD>", 0)]), "must have the id 1; here it has 0"),
    (vocabulary_of(special=[("<UNK>", 0), ("<PAD>", 1)]), "`<UNK>` is in the vocabulary"),
    (vocabulary_of(lambda question, tokenize: question), "The keys are single letters"),
    (vocabulary_of(lambda question, tokenize: question.split()), "cut at spaces"),
    (vocabulary_of(lambda question, tokenize: [question]), "The keys are whole questions"),
    (vocabulary_of(lambda question, tokenize: tokenize(question.lower())), "in lower case"),
    (
        vocabulary_of(lambda question, tokenize: filter(str.isalpha, tokenize(question))),
        "`-` is missing",
    ),
    (vocabulary_of(finish=lambda v: {i: word for word, i in v.items()}), "turned round"),
    (vocabulary_of(finish=list), "is a `list`; expected a dictionary"),
    (vocabulary_of(finish=len), "is a `int`; expected a dictionary"),
    (lambda questions, tokenize: {"<PAD>": 1}, "`-` is missing from the vocabulary"),
    (lambda questions, tokenize: questions, "is a `list`; expected a dictionary"),
    (return_in_the_loop, "Only the first question's words"),
    (made_anew_in_the_loop, "Only the last question's words"),
    (seen_words_are_numbered_again, "have the same id"),
    (numbered_within_each_question, "have the same id"),
    (every_token_gets_the_next_number, "a word seen again keeps its id"),
]


@pytest.mark.parametrize(("answer", "sentence"), BUILDS, ids=range(len(BUILDS)))
def test_vocabulary_mistakes_are_named(answer, sentence):
    result = exercises.vocabulary.check(answer, exercises.encode)
    assert repr(result) == "4"
    assert sentence in result.messages[0]


def adds_new_words(question, vocabulary, tokenize):
    return [vocabulary.setdefault(t, len(vocabulary) + 1) for t in tokenize(question)]


def first_id_only(question, vocabulary, tokenize):
    for token in tokenize(question):
        return vocabulary.get(token, 0)


ENCODES = [
    (lambda q, v, tokenize: [v[t] for t in tokenize(q)], "The word 'moon' is not in"),
    (lambda q, v, tokenize: [v.get(t) for t in tokenize(q)], "Unknown words became `None`"),
    (lambda q, v, tokenize: [v.get(t, 1) for t in tokenize(q)], "Unknown words got the id 1"),
    (lambda q, v, tokenize: [v.get(t, -1) for t in tokenize(q)], "`moon` became -1; expected 0"),
    (lambda q, v, tokenize: [v[t] for t in tokenize(q) if t in v], "unknown words are left out"),
    (lambda q, v, tokenize: [v.get(t, 0) for t in q.split()], "cut at spaces"),
    (lambda q, v, tokenize: [v.get(t, 0) for t in q], "an id for every letter"),
    (lambda q, v, tokenize: [v.get(t, 0) for t in tokenize(q.lower())], "in lower case"),
    (lambda q, v, tokenize: sorted(v.get(t, 0) for t in tokenize(q)), "The ids are sorted"),
    (lambda q, v, tokenize: [v.get(t, 0) + 1 for t in tokenize(q)], "The ids are shifted"),
    (lambda q, v, tokenize: [v.get(t, 2) - 2 for t in tokenize(q)], "became 0"),
    (lambda q, v, tokenize: [[v.get(t, 0) for t in tokenize(q)]], "has shape (1, 13)"),
    (lambda q, v, tokenize: tokenize(q), "These are the words"),
    (lambda q, v, tokenize: q, "is a `str`; expected numbers"),
    (lambda q, v, tokenize: [0] * len(tokenize(q)), "`why` became 0"),
    (lambda q, v, tokenize: list(range(2, 2 + len(tokenize(q)))), "`moon` became"),
    (first_id_only, "has shape ()"),
    (adds_new_words, "Your code added words"),
]


@pytest.mark.parametrize(("answer", "sentence"), ENCODES, ids=range(len(ENCODES)))
def test_encode_mistakes_are_named(answer, sentence):
    result = exercises.vocabulary.check(exercises.build_vocabulary, answer)
    assert repr(result) == "6"
    assert sentence in result.messages[0]


# --- data generator ---


def at_or_above(longest):
    return 2 ** math.ceil(math.log2(longest))


def filled(rows, length, fill=1):
    return [[*row, *[fill] * (length - len(row))] for row in rows]


def batch_of(left, right, rows, length_of=at_or_above, pad=filled, make=np.array):
    """A batch with one thing changed."""
    sides = [[left[i] for i in rows], [right[i] for i in rows]]
    length = length_of(max(map(len, sides[0] + sides[1])))
    return tuple(make(pad([row[:length] for row in side], length)) for side in sides)


def generator_of(order=None, batch=batch_of, **changed):
    """A data generator with one thing changed."""
    order = order or (lambda n, shuffle, rng: rng.permutation(n) if shuffle else range(n))

    def generate(left, right, batch_size, shuffle, rng):
        rows = []
        while True:
            for row in order(len(left), shuffle, rng):
                rows.append(row)
                if len(rows) == batch_size:
                    yield batch(left, right, rows, **changed)
                    rows = []

    return generate


def ends_after_an_epoch(left, right, batch_size, shuffle, rng):
    order = rng.permutation(len(left)) if shuffle else range(len(left))
    for start in range(0, len(left), batch_size):
        yield batch_of(left, right, order[start : start + batch_size])


def index_of_the_published_version(left, right, batch_size, shuffle, rng):
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


def short_batch_at_the_end(left, right, batch_size, shuffle, rng):
    while True:
        yield from ends_after_an_epoch(left, right, batch_size, shuffle, rng)


def rest_is_dropped(left, right, batch_size, shuffle, rng):
    while True:
        epoch = ends_after_an_epoch(left, right, batch_size, shuffle, rng)
        yield from islice(epoch, len(left) // batch_size)


def always_the_first_rows(left, right, batch_size, shuffle, rng):
    while True:
        yield batch_of(left, right, range(batch_size))


def sides_shuffled_apart(left, right, batch_size, shuffle, rng):
    while True:
        orders = [rng.permutation(len(left)) if shuffle else range(len(left)) for _ in range(2)]
        for start in range(0, len(left), batch_size):
            a, b = (order[start : start + batch_size] for order in orders)
            yield padding.pad_pair([left[i] for i in a], [right[i] for i in b])


def sides_shuffled_in_place(left, right, batch_size, shuffle, rng):
    if shuffle:
        rng.shuffle(left)
        rng.shuffle(right)
    return generator_of(lambda n, shuffle, rng: range(n))(left, right, batch_size, shuffle, rng)


def shuffled_once(left, right, batch_size, shuffle, rng):
    order = rng.permutation(len(left)) if shuffle else range(len(left))
    return generator_of(lambda *_: order)(left, right, batch_size, shuffle, rng)


def one_length_for_all(left, right, batch_size, shuffle, rng):
    longest = max(map(len, [*left, *right]))
    made = generator_of(length_of=lambda _: at_or_above(longest))
    return made(left, right, batch_size, shuffle, rng)


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


def one_row_too_many(left, right, batch_size, shuffle, rng):
    return generator_of()(left, right, batch_size + 1, shuffle, rng)


def one_pair_at_a_time(left, right, batch_size, shuffle, rng):
    while True:
        for a, b in zip(left, right, strict=True):
            yield np.array(a), np.array(b)


def one_batch_returned(left, right, batch_size, shuffle, rng):
    return batch_of(left, right, range(batch_size))


def breaks_at_once(left, right, batch_size, shuffle, rng):
    yield left[len(left)]


GENERATORS = [
    (ends_after_an_epoch, "The generator ends after 3 batch(es)"),
    (lambda *arguments: iter(()), "The generator ends after 0 batch(es)"),
    (index_of_the_published_version, "the index must go back to 0"),
    (breaks_at_once, "Your code stopped with `IndexError`"),
    (short_batch_at_the_end, "a short batch comes out"),
    (rest_is_dropped, "The last rows of an epoch are dropped"),
    (always_the_first_rows, "Every batch is the same"),
    (one_row_too_many, "A batch has 5 and 5 rows; expected batch_size = 4"),
    (one_batch_returned, "returns a `tuple`. Make it a generator"),
    (lambda *arguments: [one_batch_returned(*arguments)], "returns a `list`"),
    (lambda left, right, *_: (left, right), "returns a `tuple`"),
    (lambda left, right, *_: zip(left, right, strict=True), "A side of a batch has shape"),
    (one_pair_at_a_time, "A side of a batch has shape"),
    (generator_of(batch=lambda *a: (*batch_of(*a), np.ones(4))), "must be two arrays"),
    (generator_of(batch=lambda left, right, rows: rows), "must be two arrays"),
    (generator_of(batch=lambda *a: batch_of(*a)[::-1]), "Left and right are exchanged"),
    (generator_of(make=lambda rows: np.array(rows, float)), "type float64"),
    (generator_of(pad=lambda rows, length: rows), "different lengths: pad them"),
    (generator_of(pad=lambda rows, length: rows, make=list), "different lengths: pad them"),
    (generator_of(batch=each_side_alone), "Pad both to one length"),
    (generator_of(batch=batch_padded_in_place), "pads the questions themselves"),
    (generator_of(pad=lambda rows, length: filled(rows, length, 0)), "The padding is 0"),
    (generator_of(pad=in_front), "The padding stands in front"),
    (generator_of(length_of=lambda longest: longest), "padded to its longest question, 5"),
    (generator_of(length_of=lambda n: 2 ** int(math.log2(n))), "power of two *below*"),
    (generator_of(length_of=lambda n: 2 ** (int(math.log2(n)) + 1)), "a power of two already"),
    (generator_of(length_of=lambda n: 16), "have lengths 16 and 16; expected 8 and 4"),
    (one_length_for_all, "the length belongs to each batch"),
    (generator_of(lambda n, shuffle, rng: rng.permutation(n)), "With shuffle=False"),
    (generator_of(lambda n, shuffle, rng: range(n)), "With shuffle=True the rows come in"),
    (sides_shuffled_apart, "At the end of the data a short batch"),
    (sides_shuffled_in_place, "left and right no longer belong together"),
    (shuffled_once, "Every epoch has the same order"),
    (
        generator_of(lambda n, shuffle, rng: rng.integers(0, n, n) if shuffle else range(n)),
        "some rows come twice",
    ),
    (
        generator_of(lambda n, shuffle, rng: np.random.permutation(n) if shuffle else range(n)),
        "The same seed gives another order",
    ),
]


@pytest.mark.parametrize(("answer", "sentence"), GENERATORS, ids=range(len(GENERATORS)))
def test_generator_mistakes_are_named(answer, sentence):
    result = exercises.generator.check(answer)
    assert not result.passed
    assert sentence in result.messages[0]


def test_a_generator_with_its_own_seed_is_told():
    def generate(left, right, batch_size, shuffle, rng):
        rng = np.random.default_rng(7)
        return exercises.data_generator(left, right, batch_size, shuffle, rng)

    result = exercises.generator.check(generate)
    assert repr(result) == "11"
    assert "Another seed gives the same order" in result.messages[0]


# --- siamese model ---


def normalized():
    return tl.Fn("N", lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True))


def encoder_of(vocabulary_size, dim, units=None, mean=1, last=None, lstm=tl.LSTM, more=()):
    """An encoder with one thing changed."""
    layers = [tl.Embedding(vocabulary_size, dim), lstm(units or dim), *more]
    return tl.Serial(*layers, tl.Mean(axis=mean), last or normalized())


def twice(make):
    """A siamese model of the encoder that ``make(vocabulary_size, dim)`` makes."""

    def build(vocabulary_size, dim=128):
        encoder = make(vocabulary_size, dim)
        return tl.Parallel(encoder, encoder)

    return build


def one_embedding_two_lstms(vocabulary_size, dim=128):
    embedding = tl.Embedding(vocabulary_size, dim)
    sides = (tl.Serial(embedding, tl.LSTM(dim), tl.Mean(axis=1), normalized()) for _ in range(2))
    return tl.Parallel(*sides)


def without_lstm(v, d):
    return tl.Serial(tl.Embedding(v, d), tl.Mean(axis=1), normalized())


def without_keepdims():
    return tl.Fn("N", lambda x: x / jnp.linalg.norm(x, axis=-1))


SIAMESE = [
    (
        lambda v, d=128: tl.Parallel(encoder_of(v, d), encoder_of(v, d)),
        "do not share their weights",
    ),
    (one_embedding_two_lstms, "The weights are not those of one Embedding and one LSTM"),
    (lambda v, d=128: encoder_of(v, d), "The model takes 1 input(s)"),
    (lambda v, d=128: tl.Serial(encoder_of(v, d)), "The model takes 1 input(s)"),
    (lambda v, d=128: (encoder_of(v, d),) * 2, "is a `tuple`; expected a Trax layer"),
    (lambda v, d=128: tl.Parallel, "expected a Trax layer"),
    (lambda v, d=128: v, "is a `int`; expected a Trax layer"),
    (
        lambda v, d=128: tl.Serial(twice(encoder_of)(v, d), tl.Concatenate()),
        "must return two embeddings",
    ),
    (twice(lambda v, d: encoder_of(v, 128)), "use both arguments"),
    (twice(lambda v, d: encoder_of(41, d)), "No weights are (50, 8)"),
    (twice(lambda v, d: encoder_of(v, d, units=128)), "`tl.Embedding(vocabulary_size, dim)`, then"),
    (twice(lambda v, d: encoder_of(d, v, units=d)), "`tl.Embedding(vocabulary_size, dim)`, then"),
    (twice(without_lstm), "an embedding and no LSTM"),
    (twice(lambda v, d: encoder_of(v, d, lstm=tl.GRU)), "not those of one Embedding and one LSTM"),
    (
        twice(lambda v, d: encoder_of(v, d, more=[tl.Dense(d)])),
        "not those of one Embedding and one LSTM",
    ),
    (twice(lambda v, d: encoder_of(v, d, mean=-1)), "The mean runs over the dimensions"),
    (twice(lambda v, d: encoder_of(v, d, mean=0)), "The mean runs over the batch"),
    (siamese_with(lambda states: unit_length()(states)), "`tl.Mean(axis=1)` is missing"),
    (siamese_with(lambda states: -jnp.mean(states, axis=1)), "in this order"),
    (twice(lambda v, d: encoder_of(v, d, last=lambda x: x)), "A function becomes a layer"),
    (twice(lambda v, d: tl.Serial(tl.Embedding(v, d), tl.LSTM)), "A function becomes a layer"),
    (twice(lambda v, d: encoder_of(v, d, last=without_keepdims())), "shapes=[(5, 8), (5,)]"),
    (
        twice(lambda v, d: tl.Serial(tl.LSTM(d), tl.Embedding(v, d), normalized())),
        "The layers do not fit together",
    ),
]


@pytest.mark.parametrize(("answer", "sentence"), SIAMESE, ids=range(len(SIAMESE)))
def test_siamese_mistakes_are_named(answer, sentence):
    result = exercises.siamese.check(answer)
    assert repr(result) == "0"
    assert sentence in result.messages[0]


# --- training loop ---


def loop_of(task=None, evaluation=None, loop=None, finish=lambda loop: loop, tasks=None):
    """A training loop with options changed, by a dictionary or a function; None drops one."""

    def options(changed, given, default):
        changed = changed(*given) if callable(changed) else changed or {}
        return {name: value for name, value in {**default, **changed}.items() if value is not None}

    def make(model, layer, train, validation, folder, warmup=400):
        given = model, layer, train, validation, folder
        learn = training.TrainTask(
            **options(
                task,
                given,
                {
                    "labeled_data": train,
                    "loss_layer": layer,
                    "optimizer": trax.optimizers.Adam(0.01, eps=1e-9),
                    "lr_schedule": trax.lr.warmup_and_rsqrt_decay(warmup, 0.01),
                    "n_steps_per_checkpoint": 20,
                },
            )
        )
        measure = training.EvalTask(
            **options(
                evaluation,
                given,
                {"labeled_data": validation, "metrics": [layer], "n_eval_batches": 2},
            )
        )
        if tasks:
            return tasks(learn, measure)
        default = {"model": model, "tasks": learn, "eval_tasks": [measure]}
        more = {"output_dir": folder, "random_seed": 34}
        return finish(training.Loop(**options(loop, given, {**default, **more})))

    return make


def run_and_return_nothing(loop):
    return loop.run(1)


def run_already(loop):
    loop.run(1)
    return loop


def eval_task_as_of_old(model, layer, train, validation, folder):
    task = training.TrainTask(train, layer, trax.optimizers.Adam(0.01))
    eval_task = training.EvalTask(validation, [layer])
    return training.Loop(model, task, eval_task=eval_task, output_dir=folder)


def a_model_of_its_own(model, *_):
    return {"model": tl.Parallel(*[tl.Serial(tl.Embedding(50, 4), tl.Mean(axis=1))] * 2)}


RSQRT = trax.lr.warmup_and_rsqrt_decay
LOOPS = [
    (loop_of({"lr_schedule": RSQRT(400, 0.01)}), "does not depend on the argument `warmup`"),
    (lambda m, la, t, v, f: loop_of()(m, la, t, v, f), "takes no argument `warmup`"),
    (loop_of(lambda m, layer, train, valid, f: {"labeled_data": valid}), "from the validation"),
    (
        loop_of(lambda m, layer, train, valid, f: {"labeled_data": (b for b in train)}),
        "does not use `train_batches`",
    ),
    (
        loop_of(lambda m, layer, train, valid, f: {"labeled_data": [next(train)]}),
        "must be a generator",
    ),
    (
        loop_of({"loss_layer": exercises.models.triplet_loss_layer(0.5)}),
        "does not use the `loss_layer`",
    ),
    (loop_of({"loss_layer": exercises.triplet_loss}), "The loss must be a layer"),
    (loop_of({"optimizer": trax.optimizers.SGD(0.01)}), "The optimizer is SGD"),
    (loop_of({"optimizer": trax.optimizers.Adam}), "The optimizer lacks its brackets"),
    (loop_of({"lr_schedule": None}), "The learning rate is 0.01 at every step"),
    (loop_of({"lr_schedule": RSQRT}), "The schedule lacks its numbers"),
    (loop_of({"lr_schedule": RSQRT(400, 0.1)}), "highest rate is 0.1; expected 0.01"),
    (loop_of({"lr_schedule": RSQRT(40, 0.01)}), "The schedule is another one"),
    (loop_of({"n_steps_per_checkpoint": None}), "every 100 steps; expected every 20"),
    (
        loop_of(None, lambda m, layer, train, valid, f: {"labeled_data": train}),
        "The EvalTask uses the training batches",
    ),
    (
        loop_of(None, lambda m, layer, train, valid, f: {"labeled_data": (b for b in valid)}),
        "does not use `validation_batches`",
    ),
    (loop_of(None, {"metrics": []}), "measures nothing"),
    (loop_of(None, lambda m, layer, *_: {"metrics": layer}), "`metrics` is a list"),
    (loop_of(None, {"metrics": [tl.L2Loss()]}), "The layers do not fit together"),
    (loop_of(None, {"n_eval_batches": None}), "evaluates 1 batch(es)"),
    (loop_of(None, None, {"eval_tasks": None}), "There is no EvalTask"),
    (loop_of(None, None, {"output_dir": None}), "No checkpoint is in the folder"),
    (loop_of(None, None, a_model_of_its_own), "another model than the one that was given"),
    (loop_of(finish=run_and_return_nothing), "returns nothing. Return the Loop"),
    (loop_of(finish=run_already), "The Loop has run already"),
    (loop_of(finish=lambda loop: (loop,)), "is a `tuple`; expected a `training.Loop`"),
    (loop_of(tasks=lambda learn, measure: learn), "A task came back"),
    (loop_of(tasks=lambda learn, measure: [learn, measure]), "is a `list`"),
    (lambda model, *_: model, "expected a `training.Loop`"),
    (eval_task_as_of_old, "no `eval_task=`"),
]


@pytest.mark.parametrize(("answer", "sentence"), LOOPS, ids=range(len(LOOPS)))
def test_loop_mistakes_are_named(answer, sentence):
    result = exercises.loop.check(answer)
    assert not result.passed
    assert sentence in result.messages[0]


# --- classify ---


def similarities_of(score, keep=lambda starts, size: starts, join=np.concatenate, pad=None):
    """``pair_similarities`` with one thing changed."""

    def similarities(embed, left, right, batch_size):
        parts = []
        for start in keep(range(0, len(left), batch_size), batch_size):
            rows = slice(start, start + batch_size)
            first, second = (pad or padding.pad_pair)(left[rows], right[rows])
            parts.append(score(embed(first), embed(second)))
        return join(parts)

    return similarities


def row_products(a, b):
    return np.sum(a * b, axis=1)


def all_at_once(embed, left, right, batch_size):
    a, b = padding.pad_pair(left, right)
    return row_products(embed(a), embed(b))


def only_the_last(embed, left, right, batch_size):
    for start in range(0, len(left), batch_size):
        a, b = padding.pad_pair(*(s[start : start + batch_size] for s in (left, right)))
        cosines = row_products(embed(a), embed(b))
    return cosines


def last_batch_doubtful(embed, left, right, batch_size):
    return np.concatenate(
        [exercises.pair_similarities(embed, left, right, batch_size)[:8], [0.5, 0.5]]
    )


def rows_of_matrices(parts):
    return [row for matrix in parts for row in matrix]


SIMILARITIES = [
    (all_at_once, "More than batch_size pairs"),
    (only_the_last, "Only one batch came back"),
    (similarities_of(row_products, join=lambda parts: parts[0]), "Only one batch came back"),
    (similarities_of(row_products, join=list), "This is a list of batches"),
    (similarities_of(row_products, keep=lambda starts, size: starts[:-1]), "Two pairs are missing"),
    (similarities_of(lambda a, b: np.sum(a * b), join=np.array), "one number for each batch"),
    (similarities_of(lambda a, b: np.sum(a * b, axis=0)), "has shape (18,); expected (10,)"),
    (similarities_of(lambda a, b: a @ b.T, join=rows_of_matrices), "This is a similarity matrix"),
    (
        similarities_of(lambda a, b: a @ b.T, join=lambda parts: parts[0]),
        "This is a similarity matrix",
    ),
    (similarities_of(lambda a, b: row_products(a, a)), "left compared with itself"),
    (similarities_of(lambda a, b: 1 - row_products(a, b)), "1 - cosine, a distance"),
    (similarities_of(lambda a, b: np.linalg.norm(a - b, axis=1)), "The first similarity is"),
    (similarities_of(row_products, pad=lambda a, b: (a, b)), "pad them"),
    (similarities_of(row_products, pad=lambda *sides: map(np.array, sides)), "pad them"),
    (last_batch_doubtful, "mind the last, short batch"),
    (lambda embed, left, right, batch_size: np.zeros(len(left)), "The first similarity is 0.0000"),
    (lambda embed, left, right, batch_size: left, "is a `list`; expected numbers"),
]


@pytest.mark.parametrize(("answer", "sentence"), SIMILARITIES, ids=range(len(SIMILARITIES)))
def test_pair_similarity_mistakes_are_named(answer, sentence):
    result = exercises.classify.check(answer, exercises.evaluate)
    assert repr(result) == "6"
    assert sentence in result.messages[0]


def accuracy(pairs, threshold):
    similarities, same = pairs
    return np.mean((similarities > threshold) == (same == 1))


def best_of(pairs, score=accuracy, candidates=None):
    candidates = np.unique(pairs[0]) if candidates is None else candidates
    return max(candidates, key=lambda threshold: score(pairs, threshold))


def evaluate_by(choose=lambda validation, test: best_of(validation), measure=accuracy):
    """``evaluate`` with one thing changed."""

    def evaluate(validation, test):
        threshold = choose(validation, test)
        return threshold, measure(test, threshold)

    return evaluate


def balanced(pairs, threshold):
    similarities, same = pairs
    found, refused = similarities[same == 1] > threshold, similarities[same == 0] <= threshold
    return (found.mean() + refused.mean()) / 2


def at_least(pairs, threshold):
    return np.mean((pairs[0] >= threshold) == (pairs[1] == 1))


def on_validation(validation, test):
    threshold = best_of(validation)
    return threshold, accuracy(validation, threshold)


def exchanged(validation, test):
    return evaluate_by()(validation, test)[::-1]


def both_together(validation, test):
    return best_of(tuple(np.concatenate(parts) for parts in zip(validation, test, strict=True)))


EVALUATES = [
    (evaluate_by(lambda validation, test: best_of(test)), "best one for the *test* pairs"),
    (evaluate_by(lambda validation, test: 0.5), "The threshold 0.5 is written down"),
    (evaluate_by(lambda validation, test: 0.6), "The threshold 0.6 is written down"),
    (evaluate_by(lambda validation, test: np.mean(validation[0])), "mean or median"),
    (evaluate_by(lambda validation, test: np.median(validation[0])), "mean or median"),
    (evaluate_by(lambda validation, test: best_of(validation, balanced)), "balanced accuracy"),
    (
        evaluate_by(lambda validation, test: accuracy(validation, best_of(validation))),
        "an accuracy or a position",
    ),
    (
        evaluate_by(lambda validation, test: int(np.argmax(validation[0]))),
        "an accuracy or a position",
    ),
    (
        evaluate_by(lambda validation, test: best_of(validation, candidates=np.arange(-1, 1, 0.2))),
        "can be reached",
    ),
    (
        evaluate_by(lambda validation, test: best_of(validation, lambda p, t: -accuracy(p, t))),
        "can be reached",
    ),
    (evaluate_by(both_together), "can be reached"),
    (evaluate_by(lambda validation, test: best_of(validation, at_least), at_least), "with `>`"),
    (evaluate_by(lambda validation, test: 0.63), "The threshold 0.63 is written down"),
    (evaluate_by(measure=lambda pairs, t: np.mean((pairs[0] < t) == pairs[1])), "turned round"),
    (evaluate_by(measure=lambda pairs, t: np.mean((pairs[0] >= t) == pairs[1])), "equal to the"),
    (evaluate_by(measure=lambda pairs, t: 100 * accuracy(pairs, t)), "a percentage"),
    (evaluate_by(measure=lambda pairs, t: 300 * accuracy(pairs, t)), "number of right answers"),
    (evaluate_by(measure=lambda pairs, t: np.mean(pairs[0] > t)), "share of pairs called"),
    (
        evaluate_by(measure=lambda pairs, t: np.mean((pairs[0] > t) & (pairs[1] == 1))),
        "Only duplicates that were found",
    ),
    (evaluate_by(measure=lambda pairs, t: np.mean(pairs[0][pairs[1] == 1] > t)), "(recall)"),
    (evaluate_by(measure=balanced), "This is balanced accuracy"),
    (evaluate_by(measure=lambda pairs, t: 1 - accuracy(pairs, t)), "share of *wrong* answers"),
    (evaluate_by(measure=lambda pairs, t: 0.9), "the accuracy on the test pairs is"),
    (on_validation, "accuracy on the *validation* pairs"),
    (exchanged, "The two are exchanged"),
    (lambda validation, test: accuracy(test, best_of(validation)), "Return two numbers"),
    (lambda validation, test: test, "expected two numbers"),
]


@pytest.mark.parametrize(("answer", "sentence"), EVALUATES, ids=range(len(EVALUATES)))
def test_evaluate_mistakes_are_named(answer, sentence):
    result = exercises.classify.check(exercises.pair_similarities, answer)
    assert repr(result) == "4"
    assert sentence in result.messages[0]


# --- predict ---


def predict_by(decide=lambda cosine, threshold: cosine > threshold, ids=None, show=None):
    """``predict`` with one thing changed."""

    def predict(question1, question2, to_ids, embed, threshold, verbose=False):
        a, b = (ids or padding.pad_pair)([to_ids(question1)], [to_ids(question2)])
        cosine = np.sum(embed(a) * embed(b))
        if verbose:
            (show or print)(cosine)
        return decide(cosine, threshold)

    return predict


def first_question_twice(question1, question2, to_ids, embed, threshold, verbose=False):
    return predict_by()(question1, question1, to_ids, embed, threshold, verbose)


def always_prints(question1, question2, to_ids, embed, threshold, verbose=False):
    return predict_by()(question1, question2, to_ids, embed, threshold, verbose=True)


def says(decide):
    return predict_by(decide=decide)


PREDICTS = [
    (says(lambda cosine, threshold: cosine), 1, "This is the similarity"),
    (says(lambda cosine, threshold: cosine - threshold), 1, "expected True or False"),
    (says(lambda cosine, threshold: cosine < threshold), 1, "those *above* the threshold"),
    (says(lambda cosine, threshold: cosine > 0.7), 1, "is it the argument `threshold`?"),
    (says(lambda cosine, threshold: True), 1, "the answer is True"),
    (says(lambda cosine, threshold: False), 1, "the answer is False"),
    (says(lambda cosine, threshold: str(cosine > threshold)), 1, "The result is a text"),
    (says(lambda cosine, threshold: (cosine > threshold, cosine)), 1, "has shape (2,)"),
    (says(lambda cosine, threshold: None), 1, "is a `return` missing"),
    (says(lambda cosine, threshold: print(cosine)), 0, "is a `return` missing"),
    (first_question_twice, 0, "Are both questions used"),
    (lambda question1, *_, verbose=False: question1, 0, "The result is a text"),
    (predict_by(ids=lambda a, b: (a[0], b[0])), 0, "expected (batch, length)"),
    (predict_by(ids=lambda a, b: (np.array(a + b),) * 2), 0, "pad them"),
    (predict_by(show=lambda cosine: None), 4, "should print the similarity"),
    (predict_by(show=lambda cosine: print("duplicates")), 4, "should be in what is printed"),
    (predict_by(show=lambda cosine: print("threshold 0.300")), 4, "should be in what is printed"),
    (always_prints, 4, "It prints although verbose is False"),
]


@pytest.mark.parametrize(("answer", "points", "sentence"), PREDICTS, ids=range(len(PREDICTS)))
def test_predict_mistakes_are_named(answer, points, sentence):
    result = exercises.prediction.check(answer)
    assert result.points == points
    assert sentence in result.messages[0]


# --- right answers in other styles ---


def vocabulary_by_default_dictionary(questions, tokenize):
    vocabulary = defaultdict(lambda: len(vocabulary) + 1)
    vocabulary["<PAD>"]
    for question in questions:
        for token in tokenize(question):
            vocabulary[token]
    return vocabulary


def vocabulary_by_setdefault(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            vocabulary.setdefault(token, len(vocabulary) + 1)
    return vocabulary


def vocabulary_of_sorted_words(questions, tokenize):
    words = sorted({token for question in questions for token in tokenize(question)})
    vocabulary = {word: np.int64(number) for number, word in enumerate(words, 2)}
    vocabulary["<PAD>"] = 1
    return vocabulary


def vocabulary_by_frequency(questions, tokenize):
    common = Counter(chain.from_iterable(map(tokenize, questions))).most_common()
    return dict([("<PAD>", 1), *((word, i + 2) for i, (word, _) in enumerate(common))])


def encode_by_loop(question, vocabulary, tokenize):
    ids = []
    for token in tokenize(question):
        if token in vocabulary:
            ids.append(vocabulary[token])
        else:
            ids.append(0)
    return ids


def encode_to_array(question, vocabulary, tokenize):
    return np.array([vocabulary.get(token, 0) for token in tokenize(question)])


def encode_by_default_dictionary(question, vocabulary, tokenize):
    lookup = defaultdict(int, vocabulary)
    return tuple(lookup[token] for token in tokenize(question))


def encode_by_error(question, vocabulary, tokenize):
    def look_up(token):
        try:
            return vocabulary[token]
        except KeyError:
            return 0

    return list(map(look_up, tokenize(question)))


def generator_with_index(left, right, batch_size, shuffle, rng):
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
                np.array([q + [1] * (length - len(q)) for q in lefts]),
                np.array([q + [1] * (length - len(q)) for q in rights]),
            )
            lefts, rights = [], []


def generator_by_cycle(left, right, batch_size, shuffle, rng):
    def endless():
        while True:
            yield from rng.choice(len(left), len(left), replace=False)

    rows = endless() if shuffle else cycle(range(len(left)))
    while True:
        yield batch_of(left, right, list(islice(rows, batch_size)))


class GeneratorClass:
    def __init__(self, left, right, batch_size, shuffle, rng):
        self.pairs = list(zip(left, right, strict=True))
        self.batch_size, self.shuffle, self.rng, self.waiting = batch_size, shuffle, rng, []

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
        sides = np.ones((2, self.batch_size, length), dtype=np.int32)
        for row, pair in enumerate(batch):
            for side, question in enumerate(pair):
                sides[side, row, : len(question)] = question
        return tuple(sides)


def generator_of_lists(left, right, batch_size, shuffle, rng):
    return generator_of(make=list)(left, right, batch_size, shuffle, rng)


def generator_in_jax(left, right, batch_size, shuffle, rng):
    return generator_of(make=jnp.array)(left, right, batch_size, shuffle, rng)


def similarity_in_numpy(left, right):
    return np.asarray(left) @ np.asarray(right).T


def similarity_by_loops(left, right):
    left, right = np.asarray(left).tolist(), np.asarray(right).tolist()
    return [[sum(x * y for x, y in zip(a, b, strict=True)) for b in right] for a in left]


def similarity_by_einsum(left, right):
    return jnp.einsum("id,jd->ij", left, right)


def negatives_in_numpy(similarities):
    s = np.array(similarities)
    b = len(s)
    mean = (s.sum(axis=1) - np.diag(s)) / (b - 1)
    np.fill_diagonal(s, -np.inf)
    return s.max(axis=1), mean


def negatives_by_loops(similarities):
    rows = np.asarray(similarities).tolist()
    others = [[x for j, x in enumerate(row) if j != i] for i, row in enumerate(rows)]
    return [max(row) for row in others], [sum(row) / len(row) for row in others]


def negatives_by_mask(similarities):
    b = len(similarities)
    mask = jnp.eye(b, dtype=bool)
    closest = jnp.where(mask, -jnp.inf, similarities).max(axis=-1)
    return closest, jnp.where(mask, 0, similarities).sum(-1) / (b - 1)


def negatives_by_sorting(similarities):
    b = similarities.shape[0]
    off = similarities[~np.eye(b, dtype=bool)].reshape(b, b - 1)
    return jnp.sort(off, axis=1)[:, -1], off.mean(axis=1)


def loss_in_numpy(left, right, margin=0.25):
    s = np.asarray(left) @ np.asarray(right).T
    closest, mean = negatives_in_numpy(s)
    gaps = np.stack([closest, mean]) - np.diag(s)
    return np.clip(margin + gaps, 0, None).sum(axis=0).mean()


def loss_by_loops(left, right, margin=0.25):
    rows = similarity_by_loops(left, right)
    total = 0
    for i, (row, closest, mean) in enumerate(zip(rows, *negatives_by_loops(rows), strict=True)):
        for negative in (closest, mean):
            total += max(0, margin + negative - row[i])
    return total / len(rows)


def loss_of_two_means(left, right, margin=0.25):
    s = similarity_by_einsum(left, right)
    ahead = jnp.sum(left * right, axis=1)
    return sum(jnp.mean(trax.layers.Relu()(margin - ahead + n)) for n in negatives_by_mask(s))


def loss_as_array(left, right, margin=0.25):
    return jnp.array(exercises.triplet_loss(left, right, margin))


def siamese_of_shared_layers(vocabulary_size, dim=128):
    shared = tl.Embedding(vocabulary_size, dim), tl.LSTM(dim)
    left = tl.Serial(*shared, tl.Mean(axis=-2), normalized())
    return tl.Parallel(left, tl.Serial(*shared, tl.Mean(axis=-2), normalized()))


def siamese_with_norm_behind(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocab_size=vocabulary_size, d_feature=dim),
        tl.LSTM(n_units=dim),
        tl.Fn("Mean", lambda x: jnp.sum(x, axis=1) / x.shape[1]),
    )
    return tl.Serial(tl.Parallel(encoder, encoder), tl.Parallel(normalized(), normalized()))


def loop_step_by_step(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    schedule = trax.supervised.lr_schedules.warmup_and_rsqrt_decay(
        n_warmup_steps=warmup, max_value=0.01
    )
    task = training.TrainTask(
        train_batches, loss_layer, trax.optimizers.Adam(learning_rate=0.01, eps=1e-8), schedule, 20
    )
    check = training.EvalTask(validation_batches, [loss_layer], n_eval_batches=2)
    return training.Loop(model, [task], eval_tasks=check, output_dir=folder, random_seed=34)


def loop_with_a_schedule_by_hand(model, layer, train, validation, folder, warmup=400):
    def schedule(step):
        return 0.01 * min(step / warmup, (warmup / max(step, 1)) ** 0.5)

    make = loop_of({"lr_schedule": schedule})
    return make(model, layer, train, validation, folder)


def similarities_by_dot(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        end = min(start + batch_size, len(left))
        a, b = padding.pad(left[start:end]), padding.pad(right[start:end])
        cosines += [float(np.dot(x, y)) for x, y in zip(embed(a), embed(b), strict=True)]
    return cosines


def similarities_in_place(embed, left, right, batch_size):
    cosines = np.zeros(len(left))
    for start in range(0, len(left), batch_size):
        part = slice(start, start + batch_size)
        a, b = padding.pad_pair(left[part], right[part])
        cosines[part] = np.diag(cosine_similarity(embed(a), embed(b)))
    return cosines


def similarities_of_both_sides_together(embed, left, right, batch_size):
    parts = []
    while len(left):
        both = embed(padding.pad(left[:batch_size] + right[:batch_size]))
        parts.append(jnp.einsum("nd,nd->n", *np.split(both, 2)))
        left, right = left[batch_size:], right[batch_size:]
    return jnp.concatenate(parts)


def evaluate_by_loop(validation, test):
    best, chosen = 0, None
    for threshold in sorted(validation[0].tolist()):
        right = 0
        for similarity, same in zip(*validation, strict=True):
            right += (similarity > threshold) == bool(same)
        if right > best:
            best, chosen = right, threshold
    return chosen, round(float(accuracy(test, chosen)), 4)


def evaluate_on_a_grid(validation, test):
    grid = np.linspace(-1, 1, 2001)
    right = (validation[0][:, None] > grid) == validation[1].astype(bool)[:, None]
    threshold = grid[np.argmax(right.mean(axis=0))]
    return np.array([threshold, accuracy(test, threshold)])


def evaluate_midway(validation, test):
    values = np.unique(validation[0])
    threshold = best_of(validation, candidates=(values[1:] + values[:-1]) / 2)
    return [float(threshold), 1 - np.abs((test[0] > threshold) - test[1]).mean()]


def evaluate_from_above(validation, test):
    """The last of several best thresholds."""
    return evaluate_by(lambda v, _: best_of(v, candidates=np.unique(v[0])[::-1]))(validation, test)


def predict_in_numbers(question1, question2, to_ids, embed, threshold, verbose=False):
    vectors = embed(padding.pad([to_ids(question1), to_ids(question2)]))
    similarity = vectors[0] @ vectors[1]
    if verbose:
        print("similarity:", similarity)
    return int(similarity > threshold)


def predict_in_jax(question1, question2, to_ids, embed, threshold, verbose=False):
    first, second = (jnp.array(embed(np.array([to_ids(q)]))) for q in (question1, question2))
    cosine = jnp.dot(first, second.T)
    if verbose:
        print(f"{cosine[0, 0]:.2f} {'>' if cosine > threshold else '<='} {threshold:.2f}")
    return cosine > threshold


def predict_by_pair_similarities(question1, question2, to_ids, embed, threshold, verbose=False):
    sides = ([to_ids(question)] for question in (question1, question2))
    (cosine,) = exercises.pair_similarities(embed, *sides, 1)
    print(cosine) if verbose else None
    return bool(cosine > threshold)


RIGHT = [
    (exercises.vocabulary, (vocabulary_by_default_dictionary, encode_by_loop)),
    (exercises.vocabulary, (vocabulary_by_setdefault, encode_to_array)),
    (exercises.vocabulary, (vocabulary_of_sorted_words, encode_by_default_dictionary)),
    (exercises.vocabulary, (vocabulary_by_frequency, encode_by_error)),
    (exercises.generator, (generator_with_index,)),
    (exercises.generator, (generator_by_cycle,)),
    (exercises.generator, (GeneratorClass,)),
    (exercises.generator, (generator_of_lists,)),
    (exercises.generator, (generator_in_jax,)),
    (exercises.generator, (generator_of(),)),
    (exercises.similarity, (similarity_in_numpy,)),
    (exercises.similarity, (similarity_by_loops,)),
    (exercises.similarity, (similarity_by_einsum,)),
    (exercises.similarity, (cosine_similarity,)),
    (exercises.negatives, (negatives_in_numpy,)),
    (exercises.negatives, (negatives_by_loops,)),
    (exercises.negatives, (negatives_by_mask,)),
    (exercises.negatives, (negatives_by_sorting,)),
    (exercises.loss, (loss_in_numpy,)),
    (exercises.loss, (loss_by_loops,)),
    (exercises.loss, (loss_of_two_means,)),
    (exercises.loss, (loss_as_array,)),
    (exercises.siamese, (siamese_of_shared_layers,)),
    (exercises.siamese, (siamese_with_norm_behind,)),
    (exercises.siamese, (twice(encoder_of),)),
    (exercises.loop, (loop_step_by_step,)),
    (exercises.loop, (loop_with_a_schedule_by_hand,)),
    (exercises.loop, (loop_of({"loss_name": "loss"}, {"metric_names": ["loss"]}),)),
    (exercises.classify, (similarities_by_dot, evaluate_by_loop)),
    (exercises.classify, (similarities_in_place, evaluate_on_a_grid)),
    (exercises.classify, (similarities_of_both_sides_together, evaluate_midway)),
    (exercises.classify, (similarities_of(row_products, join=np.hstack), evaluate_from_above)),
    (exercises.prediction, (predict_in_numbers,)),
    (exercises.prediction, (predict_in_jax,)),
    (exercises.prediction, (predict_by_pair_similarities,)),
]


@pytest.mark.parametrize(
    ("exercise", "answers"), RIGHT, ids=[f"{e.name}-{i}" for i, (e, _) in enumerate(RIGHT)]
)
def test_right_answers_in_other_styles_pass(exercise, answers):
    result = exercise.check(*answers)
    assert result.passed, str(result)


# --- the notebook goes on with what can be trained with ---

UNREADY = [
    (exercises.similarity, (similarity_in_numpy,)),
    (exercises.similarity, (similarity_by_loops,)),
    (exercises.negatives, (negatives_in_numpy,)),
    (exercises.negatives, (negatives_by_loops,)),
    (exercises.loss, (loss_in_numpy,)),
    (exercises.loss, (loss_by_loops,)),
    (exercises.generator, (generator_of_lists,)),
    (exercises.siamese, (siamese_with_norm_behind,)),
    (exercises.classify, (similarities_by_dot, exercises.evaluate)),
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
    (exercises.vocabulary, (vocabulary_by_default_dictionary, encode_to_array)),
    (exercises.generator, (generator_in_jax,)),
    (exercises.similarity, (similarity_by_einsum,)),
    (exercises.negatives, (negatives_by_mask,)),
    (exercises.loss, (loss_of_two_means,)),
    (exercises.classify, (similarities_in_place, evaluate_on_a_grid)),
    (exercises.prediction, (predict_in_jax,)),
]


@pytest.mark.parametrize(
    ("exercise", "answers"), READY, ids=[f"{e.name}-{i}" for i, (e, _) in enumerate(READY)]
)
def test_a_right_answer_is_kept(exercise, answers, capsys):
    kept = exercise.use(*answers)
    assert kept == (answers if len(answers) > 1 else answers[0])
    assert "goes on with your own answer" in capsys.readouterr().out


def test_a_wrong_answer_is_replaced(capsys):
    kept = exercises.vocabulary.use(vocabulary_by_setdefault, encode_wrongly)
    assert kept == (exercises.build_vocabulary, exercises.encode)
    assert "yours does not pass yet" in capsys.readouterr().out


def encode_wrongly(question, vocabulary, tokenize):
    return [vocabulary.get(token, 1) for token in tokenize(question)]


def test_the_courses_own_answers_can_be_trained_with():
    for exercise in exercises.EXERCISES:
        assert exercise._obstacle(exercise.reference) is None


def test_the_raise_left_behind_is_named():
    def begun(left, right):
        product = left @ right.T
        raise NotImplementedError("not attempted")
        return product

    result = exercises.similarity.check(begun)
    assert result.status == "wrong"
    assert "`raise NotImplementedError(...)` is still in your code" in result.messages[0]


def test_the_cases_of_evaluate_have_similarities_at_the_threshold_and_two_best_thresholds():
    """Otherwise ``>=`` and a threshold tuned on the test could not be told."""
    validation, test = exercises._evaluate_case()
    threshold = best_of(validation)
    assert np.any(test[0] == threshold)
    assert abs(threshold - best_of(test)) > 0.02
    assert evaluation.accuracy_at(*validation, best_of(test)) < accuracy(validation, threshold)
