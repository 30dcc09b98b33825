"""The Quora recipes on a few made-up questions: batches, schedules, training, saving, and going on after a kill."""

import contextlib
import dataclasses
import functools
import io
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import tracemalloc
from itertools import combinations, islice

import numpy as np
import pytest

from siamese_course import losses
from siamese_course.batching import questions as text
from siamese_course.datasets.quora import QuestionData, QuestionPairs, components
from siamese_course.models.questions_trax import leaves
from siamese_course.runtime.errors import CourseError, DataError
from siamese_course.runtime.settings import QUORA_SIZES
from siamese_course.training import questions as recipes
from siamese_course.training.loop import STRETCHES, WarmupRsqrt
from tests.conftest import ROOT

FORMS = ("How do I {} a {}?", "What is the best way to {} a {}?", "Please, how can one {} a {}")
TOPICS = [
    (verb, thing)
    for verb in ("bake", "paint", "sell", "mend", "clean", "draw")
    for thing in ("cake", "chair", "boat", "house", "café")
]


def made_up_pairs(topics, seed=0):
    """Every pair inside a topic, and twice as many of two topics."""
    questions = [form.format(*topic) for topic in topics for form in FORMS]
    both = list(combinations(range(len(questions)), 2))
    duplicates = [(a, b) for a, b in both if a // len(FORMS) == b // len(FORMS)]
    others = [(a, b) for a, b in both if a // len(FORMS) != b // len(FORMS)]
    chosen = np.random.default_rng(seed).choice(len(others), 2 * len(duplicates), replace=False)
    pairs = np.array(duplicates + [others[row] for row in chosen])
    return QuestionPairs(
        [questions[n] for n in pairs[:, 0]],
        [questions[n] for n in pairs[:, 1]],
        np.repeat(np.array([1, 0], "int8"), [len(duplicates), len(chosen)]),
        pairs[:, 0],
        pairs[:, 1],
    )


def made_up_data():
    parts = (TOPICS[:20], TOPICS[20:25], TOPICS[25:])
    return QuestionData(*map(made_up_pairs, parts), [], "made up")


@pytest.fixture(scope="module", autouse=True)
def only_shipped_data():
    """One tokenizer for all tests here, whatever data is at hand and whoever asked for one before."""
    text.word_tokenizer.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIAMESE_COURSE_DATA", "shipped")
        yield
    text.word_tokenizer.cache_clear()


@pytest.fixture(scope="module")
def data(only_shipped_data):
    return made_up_data()


COMBINATIONS = [
    pytest.param((framework, recipe), id=f"{framework} {recipe}", marks=marks)
    for framework, marks in (("keras", ()), ("trax", pytest.mark.slow))
    for recipe in recipes.RECIPES
]


@pytest.fixture(scope="module")
def trained_once(data, tmp_path_factory):
    """framework, recipe -> (run, report, folder of the checkpoints, what was printed), trained at the first call."""

    @functools.cache
    def train(framework, recipe):
        folder = tmp_path_factory.mktemp("trained") / "checkpoints"
        printed = io.StringIO()
        sizes = dataclasses.replace(QUORA_SIZES["smoke"], classic_steps=20, course_steps=20)
        with contextlib.redirect_stdout(printed), pytest.MonkeyPatch.context() as patch:
            patch.setitem(QUORA_SIZES, "smoke", sizes)
            run, report = recipes.run(
                framework, recipe, data, "smoke", folder=folder, verbose=False
            )
        return run, report, folder, printed.getvalue()

    return train


@pytest.fixture(params=COMBINATIONS)
def trained(request, trained_once):
    """(run, report, folder, printed) of one framework and recipe, trained 20 steps."""
    return trained_once(*request.param)


# --- similarities, batch by batch ---


def bag_of_words(ids):
    """(n, length) ids -> (n, 50) unit vectors: how often each word occurs, padding left out."""
    counts = np.stack([np.bincount(row[row != text.PAD], minlength=50) for row in ids])
    return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


def encoded_sides(n, seed=0):
    rng = np.random.default_rng(seed)
    return tuple([list(rng.integers(2, 9, rng.integers(1, 12))) for _ in range(n)] for _ in "ab")


@pytest.mark.parametrize("n", [1, 3, 4, 10, 12])
def test_pair_similarities_are_the_loop(n):
    shapes = []

    def forward(ids):
        assert ids.dtype == np.int32
        shapes.append(ids.shape)
        return bag_of_words(ids)

    left, right = encoded_sides(n)
    got = recipes.pair_similarities(forward, left, right, batch_size=4)
    one_by_one = [
        float(np.sum(bag_of_words(np.array([a])) * bag_of_words(np.array([b]))))
        for a, b in zip(left, right, strict=True)
    ]
    np.testing.assert_allclose(
        got, one_by_one, atol=1e-12
    )  # in this order, and none of the filling
    assert {rows for rows, _ in shapes} == {4}
    assert shapes[::2] == shapes[1::2]  # both sides padded alike
    assert len(shapes) == 2 * -(-n // 4)
    assert all(length == text.power_of_two(length) for _, length in shapes)


def test_no_pairs_have_no_similarities():
    got = recipes.pair_similarities(lambda ids: pytest.fail("called for nothing"), [], [])
    assert got.shape == (0,)
    assert got.dtype == np.float32


# --- rows and batches ---


def made_up_rows(duplicates, others, seed=0, per_group=3):
    """Row r has the left ids [100 + r, ...] and the right ids [1100 + r, ...]: it can be told in a batch."""
    rng = np.random.default_rng(seed)
    n = duplicates + others
    sides = [[[first + r] * rng.integers(1, 15) for r in range(n)] for first in (100, 1100)]
    same = np.repeat(np.array([1, 0], "int8"), [duplicates, others])
    order = rng.permutation(n)  # duplicates and others mixed
    return recipes.Rows(*sides, same[order], np.arange(n) // per_group)


def rows_in(batch, rows):
    """The row numbers of a batch, after a look at all that it holds."""
    (left, right), same = batch
    numbers = left[:, 0] - 100
    assert left.shape == right.shape
    assert left.shape[1] % 4 == 0
    assert left.dtype == right.dtype == np.int32 and same.dtype == np.float32
    for number, a, b in zip(numbers, left, right, strict=True):
        for got, side in ((a, rows.left), (b, rows.right)):
            assert got[got != text.PAD].tolist() == list(side[number])
    assert np.array_equal(same, rows.same[numbers])
    return numbers


def epoch_of(batches, rows):
    """Row numbers of the next batches, until every duplicate was in one."""
    met, epoch = 0, []
    while met < (rows.same == 1).sum():
        epoch.append(rows_in(next(batches), rows))
        met += int((rows.same[epoch[-1]] == 1).sum())
    return epoch


@pytest.mark.parametrize(("duplicates", "others"), [(90, 60), (50, 400), (50, 3), (5, 20)])
def test_every_duplicate_once_an_epoch_filled_with_differences(duplicates, others):
    rows = made_up_rows(duplicates, others)
    batches = recipes.course_batches(rows, np.random.default_rng(0), batch_size=16)
    orders = []
    for _ in range(3):
        epoch = epoch_of(batches, rows)
        (size,) = {
            len(batch) for batch in epoch
        }  # one shape for all, so that nothing is compiled anew
        assert size <= 16
        shares = [np.mean(rows.same[batch] == 0) for batch in epoch]
        assert max(shares) >= recipes.DIFFERENT_SHARE - 0.05
        assert min(shares) > 0
        taken = np.concatenate([batch[rows.same[batch] == 1] for batch in epoch])
        assert sorted(taken) == np.flatnonzero(rows.same == 1).tolist()
        orders.append(taken.tolist())
    assert orders[0] != orders[1] != orders[2]


def test_no_two_duplicates_of_a_group_meet_in_a_batch():
    rows = made_up_rows(90, 60)
    batches = recipes.course_batches(rows, np.random.default_rng(0), batch_size=16)
    for _ in range(3):
        for batch in epoch_of(batches, rows):
            groups = rows.groups[batch[rows.same[batch] == 1]]
            assert len(set(groups)) == len(groups)


def test_without_differences_a_batch_is_all_duplicates():
    rows = made_up_rows(50, 0)
    batches = recipes.course_batches(rows, np.random.default_rng(0), batch_size=16)
    epoch = epoch_of(batches, rows)
    assert sorted(np.concatenate(epoch)) == list(range(50))
    assert {len(batch) for batch in epoch} <= {12, 13}  # four batches, as even as can be


def test_differences_are_about_as_long_as_the_duplicates():
    duplicates = [[7] * 4] * 40
    rng = np.random.default_rng(0)
    others = [[8] * rng.integers(1, 25) for _ in range(1000)]
    rows = recipes.Rows(
        duplicates + others,
        duplicates + others,
        np.repeat(np.array([1, 0], "int8"), [40, 1000]),
        np.arange(1040),
    )
    batches = recipes.course_batches(rows, np.random.default_rng(0), batch_size=16)
    lengths = [sides[0].shape[1] for sides, _ in islice(batches, 20)]
    assert max(lengths) <= 12


def test_one_seed_gives_the_same_batches():
    rows = made_up_rows(50, 30)

    def first(seed):
        batches = recipes.course_batches(rows, np.random.default_rng(seed), batch_size=16)
        return [rows_in(batch, rows).tolist() for batch in islice(batches, 6)]

    assert first(1) == first(1) != first(2)


def test_training_pairs_join_the_extra_duplicates_and_what_differs_in_writing_only(data):
    extra = [("how do i bake a cake", "baking a cake"), ("What's new?", "what s new")]
    pairs = recipes.training_pairs(
        QuestionData(data.train, data.validation, data.test, extra, "made up")
    )
    n = len(data.train)
    assert len(pairs) == n + 2
    assert pairs.question1[n:] == [left for left, _ in extra]
    assert pairs.question2[n:] == [right for _, right in extra]
    assert np.array_equal(pairs.same, [*data.train.same, 1, 1])
    cake = data.train.question1.index("How do I bake a cake?")
    assert pairs.qid1[cake] == pairs.qid1[n] != pairs.qid2[n]
    assert pairs.qid1[n + 1] == pairs.qid2[n + 1]
    assert len(set(pairs.qid1) | set(pairs.qid2)) == 20 * len(FORMS) + 2
    groups = components(pairs, duplicates_only=True)
    assert groups[cake] == groups[n] != groups[n + 1]


def test_training_pairs_without_extra_duplicates_are_the_training_pairs(data):
    pairs = recipes.training_pairs(data)
    assert pairs.question1 == data.train.question1
    assert np.array_equal(pairs.same, data.train.same)
    assert np.array_equal(components(pairs), components(data.train))


def test_one_very_long_question_does_not_make_room_for_as_many_of_its_length(data):
    long = [("word " * 20_000, "words " * 20_000)]
    data = QuestionData(data.train, data.validation, data.test, long, "made up")
    tracemalloc.start()
    recipes.training_pairs(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6  # 100,000 letters for each question would be 100 times as much


@pytest.mark.slow
def test_a_budget_of_few_rows_reads_as_many(data):
    rows = 6
    few = recipes.train_course("keras", data, steps=20, rows=rows, verbose=False)
    whole = recipes.train_course("keras", data, steps=20, rows=len(data.train), verbose=False)
    chosen = data.train.take(np.random.default_rng(0).permutation(len(data.train))[:rows])
    words = {w for q in chosen.question1 + chosen.question2 for w in text.stem_tokenizer(q)}
    assert set(few.encoder.vocabulary) == {text.PAD_TOKEN} | words
    assert len(few.encoder.vocabulary) < len(whole.encoder.vocabulary)


@pytest.mark.slow
@pytest.mark.parametrize("framework", recipes.FRAMEWORKS)
def test_with_much_data_neighbouring_words_count(data, tmp_path, monkeypatch, framework):
    monkeypatch.setattr(recipes, "SMALL", 0)
    monkeypatch.setitem(recipes.SHAPES["large"], "neighbours", 101)
    encoder = recipes.train_course(framework, data, steps=20, verbose=False).encoder
    encoder.threshold = 0.5
    recipes.save(encoder, tmp_path)
    loaded = recipes.load(tmp_path)
    tables = encoder.model.weights if framework == "keras" else leaves(encoder.model[1])
    assert [table.shape for table in tables].count((101, 128)) == 1
    sides = data.test.question1, data.test.question2
    np.testing.assert_allclose(loaded.similarities(*sides), encoder.similarities(*sides), atol=1e-6)


# --- schedules ---


@pytest.mark.parametrize("warmup", [1, 10, 400])
def test_the_learning_rate_in_keras_is_that_in_trax(warmup):
    """Keras counts its steps from 0 and Trax from 1."""
    from siamese_course.models.trax_patch import trax

    in_trax = trax.lr.warmup_and_rsqrt_decay(warmup, 0.01)
    in_keras = WarmupRsqrt(0.01, warmup)
    steps = [*range(min(40, 3 * warmup)), warmup - 1, warmup, warmup + 1, 5 * warmup, 7399]
    for step in steps:
        assert float(in_keras(step)) == pytest.approx(float(in_trax(step + 1)), rel=1e-5), step
    assert max(float(in_keras(step)) for step in steps) == pytest.approx(0.01)
    assert WarmupRsqrt(**in_keras.get_config()).get_config() == in_keras.get_config()


# --- training ---


def test_a_run_leaves_history_and_report(trained, data):
    run, report, _, printed = trained
    assert run.steps == 20
    assert run.history.steps == list(range(1, STRETCHES + 1))
    assert len(run.history.losses) == STRETCHES
    assert np.isfinite(run.history.losses).all()
    assert run.history.seconds > 0
    assert printed == ""
    assert report["steps"] == 20 and report["budget"] == "smoke"
    assert (report["framework"], report["recipe"]) == (run.encoder.framework, run.encoder.recipe)
    assert report["last_loss"] == pytest.approx(run.history.losses[-1], abs=1e-4)
    assert report["data_source"] == "made up"
    assert report["test"] == recipes.score(run.encoder, data.test)
    validation = recipes.score(run.encoder, data.validation)
    assert (report["auc"], report["accuracy"]) == (validation["auc"], validation["accuracy"])
    assert report["accuracy"] == validation["best_accuracy"]  # the threshold was chosen there
    json.dumps(report)


def test_training_helps(trained):
    run, report, _, _ = trained
    assert run.history.losses[-1] < run.history.losses[0]
    if run.encoder.recipe == "course":
        # guessing is 0.5; on small data four words in ten are dropped, which makes twenty steps few
        assert report["test"]["auc"] > 0.85


@pytest.mark.parametrize("recipe", recipes.RECIPES)
def test_one_seed_gives_one_training(trained_once, data, recipe):
    sides = data.test.question1, data.test.question2
    first = trained_once("keras", recipe)[0]
    again = recipes.TRAINERS[recipe]("keras", data, steps=20, seed=0, verbose=False)
    np.testing.assert_allclose(again.history.losses, first.history.losses, rtol=1e-3)
    np.testing.assert_allclose(
        again.encoder.similarities(*sides), first.encoder.similarities(*sides), atol=1e-3
    )


def test_the_loss_that_keras_trains_on_is_the_one_stated():
    """Keras may change the shape of labels on the way to the loss: the first loss is computed by hand."""
    from siamese_course.models import questions as quora_keras

    rng = np.random.default_rng(0)
    sides = [rng.integers(2, 30, (8, 4)).astype("int32") for _ in range(2)]
    same = np.array([1, 0, 1, 1, 0, 1, 1, 0], "float32")
    options = {"seed": 3, "folder": None, "verbose": False}

    def forever(batch):
        while True:
            yield batch

    encoder = quora_keras.build_course_encoder(30, seed=3)
    embeddings = np.stack([encoder(side) for side in sides], axis=1)
    _, _, history = recipes._course_keras(
        30,
        forever((sides, same)),
        STRETCHES,
        shape={"dim": 128, "neighbours": 0, "dropout": 0.0},
        **options,
    )
    stated = losses.in_batch_softmax_loss(same, embeddings, temperature=recipes.TEMPERATURE)
    stated += losses.labeled_pairs_loss(same, embeddings)
    assert history.losses[0] == pytest.approx(float(stated), rel=1e-4)

    encoder = quora_keras.build_classic_encoder(30, seed=3)
    embeddings = np.stack([encoder(side) for side in sides], axis=1)
    _, _, history = recipes._classic_keras(
        30, forever(sides), STRETCHES, warmup=400, margin=0.4, **options
    )
    stated = float(losses.triplet_loss(None, embeddings, margin=0.4))
    assert history.losses[0] == pytest.approx(stated, rel=1e-4)


def test_another_framework_or_recipe_is_refused(data):
    for train in recipes.TRAINERS.values():
        with pytest.raises(CourseError, match="The framework is 'torch', and must be one of"):
            train("torch", data, steps=20)
    with pytest.raises(CourseError, match="The recipe is 'best', and must be one of"):
        recipes.run("keras", "best", data, "smoke")


# --- threshold and score ---


def encoder_of(forward, **options):
    vocabulary = text.build_vocabulary(["red green blue yellow black white"], text.simple_tokenizer)
    return recipes.QuestionEncoder("keras", "course", vocabulary, None, forward, **options)


COLOURS = QuestionPairs(
    ["red", "red green", "blue", "red blue", "white"],
    ["red", "red blue", "green", "yellow", "white black"],
    np.array([1, 1, 0, 0, 0], "int8"),
    np.arange(5),
    np.arange(5, 10),
)


def test_score_by_hand():
    """Cosines 1, 1/2, 0, 0, 0.71: of six comparisons of a duplicate with another, the last wins one."""
    encoder = encoder_of(bag_of_words, threshold=0.9)
    got = encoder.similarities(COLOURS.question1, COLOURS.question2)
    np.testing.assert_allclose(got, [1, 0.5, 0, 0, 0.5**0.5], atol=1e-6)
    assert recipes.score(encoder, COLOURS) == {
        "n": 5,
        "duplicates": 0.4,
        "auc": round(5 / 6, 4),
        "accuracy": 0.8,
        "best_accuracy": 0.8,
    }


def test_set_threshold_chooses_the_best_on_the_validation_pairs():
    encoder = encoder_of(bag_of_words)
    assert np.isnan(encoder.threshold)
    recipes.set_threshold(encoder, COLOURS)
    assert encoder.threshold == pytest.approx(0.25)  # the lowest of the two with 4 of 5 right
    assert recipes.score(encoder, COLOURS)["accuracy"] == 0.8
    assert encoder.predict("red", "red") is True
    assert encoder.predict("red", "blue") is False


def test_predict_decides_as_the_score_does_between_neighbouring_cosines():
    """Single precision would round the threshold up to the higher of the two cosines."""
    low = np.nextafter(np.float32(0.6), np.float32(1))
    high = np.nextafter(low, np.float32(1))
    cosines = {"low": low, "high": high}
    for low_, high_ in ((low, high), (high, np.nextafter(high, np.float32(1)))):
        encoder = encoder_of(bag_of_words, threshold=(float(low_) + float(high_)) / 2)
        cosines = {"low": low_, "high": high_}
        encoder.similarities = lambda left, right, cosines=cosines: np.array([cosines[left[0]]])
        assert encoder.predict("high", "") is True
        assert encoder.predict("low", "") is False


# --- questions of all kinds ---

ODD = [
    "",
    "   \t\n ",
    "?!...",
    "zxqv wvutsr",
    "🎂🥖 👩‍👩‍👧 🇪🇺",
    "كيف أخبز كعكة؟",
    "איך אופים עוגה?",
    "怎么烤蛋糕？",
    "How do I\u200f bake\u0000 a c\u0301ake?",
    "\ud83d half an emoji",
    "<PAD> <PAD>",
    "cake " * 10_000,
    "a" * 100_000,
]


def test_odd_questions_have_finite_similarities(trained):
    encoder = trained[0].encoder
    plain = ["How do I bake a cake?"] * len(ODD)
    for left, right in ((ODD, plain), (plain, ODD), (ODD, ODD), (ODD, ODD[::-1])):
        got = encoder.similarities(left, right)
        assert got.shape == (len(ODD),)
        assert np.isfinite(got).all()
        assert (np.abs(got) <= 1 + 1e-5).all()
    np.testing.assert_allclose(encoder.similarities(ODD, ODD), np.ones(len(ODD)), atol=1e-4)
    assert all(isinstance(encoder.predict(plain[0], question), bool) for question in ODD[:3])


@pytest.mark.parametrize("wrong", [None, 7, 1.5, float("nan"), b"bytes", ["list"]])
def test_what_is_no_string_is_refused(wrong):
    encoder = encoder_of(bag_of_words, threshold=0.5)
    for arguments in ((wrong, "red"), ("red", wrong)):
        with pytest.raises(ValueError, match=f"a {type(wrong).__name__}; expected a string"):
            encoder.predict(*arguments)
    with pytest.raises(ValueError, match="question 1 is"):
        encoder.similarities(["red", wrong], ["red", "red"])


def test_lists_of_unequal_length_are_refused():
    encoder = encoder_of(bag_of_words)
    with pytest.raises(ValueError, match="left has 2 questions and right 1; expected as many"):
        encoder.similarities(["red", "blue"], ["red"])
    assert encoder.similarities([], []).shape == (0,)


# --- save and load ---


def test_a_saved_encoder_comes_back_the_same(trained, data, tmp_path):
    encoder = trained[0].encoder
    recipes.save(encoder, tmp_path / "new" / "folder")
    loaded = recipes.load(tmp_path / "new" / "folder")
    for name in (*recipes.PLAIN, "vocabulary"):
        assert getattr(loaded, name) == getattr(encoder, name), name
    assert "café" in loaded.vocabulary
    sides = (data.test.question1 + ODD, data.test.question2 + ODD[::-1])
    before, after = encoder.similarities(*sides), loaded.similarities(*sides)
    if encoder.framework == "keras":
        assert np.array_equal(before, after)
    np.testing.assert_allclose(after, before, atol=1e-6)
    assert recipes.score(loaded, data.test) == recipes.score(encoder, data.test)


def test_what_is_saved_does_not_depend_on_the_encoding_of_the_machine(
    trained_once, tmp_path, monkeypatch
):
    """As on a Windows where text is written in a code page, unless a file is opened with an encoding."""

    def ascii_unless_told(method):
        def called(self, *arguments, encoding=None, **options):
            return method(self, *arguments, encoding=encoding or "ascii", **options)

        return called

    for name in ("read_text", "write_text"):
        monkeypatch.setattr(pathlib.Path, name, ascii_unless_told(getattr(pathlib.Path, name)))
    encoder = trained_once("keras", "course")[0].encoder
    recipes.save(encoder, tmp_path)
    assert recipes.load(tmp_path).vocabulary == encoder.vocabulary


def test_an_empty_folder_holds_no_encoder(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CourseError, match=r"holds no question encoder .* siamese-course train"):
            recipes.load(folder)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("encoder.json", "{"),
        ("encoder.json", "{}"),
        ("encoder.json", "[]"),
        ("encoder.json", '{"framework": "keras", "recipe": "course", "buckets": 1, "more": 2}'),
        ("vocabulary.json", None),
        ("vocabulary.json", '{"a": '),
        ("encoder.keras", None),
        ("encoder.keras", "damaged"),
    ],
)
def test_a_damaged_folder_is_one_clear_error(trained_once, tmp_path, name, content):
    recipes.save(trained_once("keras", "course")[0].encoder, tmp_path)
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text(content)
    with pytest.raises(CourseError, match="holds no question encoder"):
        recipes.load(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["absent", "cut short", "too few", "not arrays"])
def test_damaged_trax_weights_are_one_clear_error(trained_once, tmp_path, damage):
    recipes.save(trained_once("trax", "classic")[0].encoder, tmp_path)
    path = tmp_path / "weights.npz"
    if damage == "absent":
        path.unlink()
    elif damage == "cut short":
        path.write_bytes(path.read_bytes()[:1000])
    elif damage == "too few":
        np.savez(path, np.zeros(3))
    else:
        np.savez(path, *np.array([[{}]] * 3, dtype=object))  # pickles, which are not read
    with pytest.raises(CourseError, match="holds no question encoder"):
        recipes.load(tmp_path)


# --- labelled pairs of one's own ---


def write(path, *lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_labelled_pairs_are_read(tmp_path):
    path = write(
        tmp_path / "pairs.tsv",
        "id\tquestion2\tis_duplicate\tquestion1",
        "9\tWho  are\xa0you?\t1\tHow&#39;s that?",
        '8\t"A ""quoted"" one"\t 0 \tNA',
        "7\tكيف؟\t0\t",
    )
    pairs = recipes.read_labelled_pairs(path)
    assert pairs.question1 == ["How's that?", "NA", ""]  # NA is a question, and no missing value
    assert pairs.question2 == ["Who are you?", 'A "quoted" one', "كيف؟"]
    assert pairs.same.tolist() == [1, 0, 0]
    assert pairs.same.dtype == np.int8
    assert len({*pairs.qid1, *pairs.qid2}) == 6


HEADER = "question1\tquestion2\tis_duplicate"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "cannot be read as a tab-separated file"),
        ([HEADER.replace("\t", ","), "a,b,1"], "lacks the columns"),
        (
            ["question1\tquestion2\tsame", "a\tb\t1"],
            r"lacks the columns \['is_duplicate'\]; it has",
        ),
        ([HEADER, "a\tb\t1", "a\tb\tyes"], "row 2: is_duplicate is 'yes'; expected 0 or 1"),
        ([HEADER, "a\tb\t1", "a\tb\t0", "a\tb\t2"], "row 3: is_duplicate is '2'"),
        ([HEADER, "a\tb\t1.0"], "row 1: is_duplicate is '1.0'"),
        ([HEADER, "a\tb\t"], "row 1: is_duplicate is ''"),
        ([HEADER, "a\tb\t1", "a\tb"], "row 2: is_duplicate is"),
        ([HEADER, "a\tb\t1", "a\tb\t0\tmore"], "cannot be read as a tab-separated file"),
        ([HEADER, '"never closed\tb\t1', "a\tb\t0"], "cannot be read as a tab-separated file"),
        ([HEADER], "holds 0 pairs, 0 of them duplicates; expected duplicates and others"),
        ([HEADER, "a\tb\t1", "c\td\t1"], "holds 2 pairs, 2 of them duplicates"),
        ([HEADER, "a\tb\t0"], "holds 1 pairs, 0 of them duplicates"),
    ],
)
def test_what_is_wrong_with_labelled_pairs_is_named(tmp_path, lines, message):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(DataError, match=message) as raised:
        recipes.read_labelled_pairs(path)
    assert str(path) in str(raised.value)


@pytest.mark.filterwarnings("ignore:Length of header")
def test_rows_with_a_tab_too_many_are_not_shifted(tmp_path):
    """pandas would take the first column for an index, and the second question for the first."""
    path = write(tmp_path / "pairs.tsv", HEADER, "a\tb\t1\t", "c\td\t0\t")
    pairs = recipes.read_labelled_pairs(path)
    assert (pairs.question1, pairs.question2) == (["a", "c"], ["b", "d"])


def test_labelled_pairs_that_are_no_text_file(tmp_path):
    (tmp_path / "binary.tsv").write_bytes(bytes(range(128, 256)))
    for path in (tmp_path, tmp_path / "nowhere.tsv", tmp_path / "binary.tsv"):
        with pytest.raises(DataError, match="cannot be read as a tab-separated file"):
            recipes.read_labelled_pairs(path)


# --- going on from a checkpoint ---


@pytest.mark.slow
def test_a_finished_training_has_nothing_left_to_do(trained_once, data, tmp_path):
    run, _, folder, _ = trained_once("trax", "classic")
    again_folder = shutil.copytree(folder, tmp_path / "checkpoints")
    again = recipes.train_classic("trax", data, steps=20, folder=again_folder, verbose=False)
    assert again.history.steps == []
    sides = data.test.question1, data.test.question2
    np.testing.assert_allclose(
        again.encoder.similarities(*sides), run.encoder.similarities(*sides), atol=1e-6
    )


@pytest.mark.slow
def test_a_finished_training_can_be_made_longer(trained_once, data, tmp_path):
    run, _, folder, _ = trained_once("trax", "course")
    again_folder = shutil.copytree(folder, tmp_path / "checkpoints")
    longer = recipes.train_course("trax", data, steps=40, folder=again_folder, verbose=False)
    assert longer.history.steps == list(range(22, 41, 2))
    assert longer.steps == 40
    assert longer.history.losses[0] < run.history.losses[0]


VICTIM = """
import sys, time
from pathlib import Path
from siamese_course.batching import questions as text
from siamese_course.models.trax_patch import training
from siamese_course.training import questions as recipes
from tests.training.test_questions import made_up_data

made, loops = text.classic_batches, []

class Loop(training.Loop):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        loops.append(self)

def announced(*arguments, **options):
    for batch in made(*arguments, **options):
        print(loops[0].step if loops else 0, file=sys.__stdout__, flush=True)
        time.sleep(0.1)
        yield batch

training.Loop, text.classic_batches = Loop, announced
recipes.train_classic("trax", made_up_data(), steps=60, folder=Path(sys.argv[1]), verbose=False)
"""


@pytest.mark.slow
def test_a_killed_training_goes_on_from_its_last_checkpoint(data, tmp_path, monkeypatch):
    """SIGKILL leaves no time to save anything: what goes on in another process is what was on the disk."""
    folder = tmp_path / "checkpoints"
    command = [sys.executable, "-c", VICTIM, str(folder)]
    with (
        open(tmp_path / "errors", "w+") as errors,
        subprocess.Popen(
            command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=errors
        ) as victim,
    ):
        deadline = threading.Timer(300, victim.kill)
        deadline.start()
        reached = first_saved = 0
        for line in victim.stdout:
            reached = int(line)
            saved = (folder / "model.pkl.gz").exists()
            first_saved = first_saved or (reached if saved else 0)
            if first_saved and reached >= first_saved + 7:
                victim.send_signal(signal.SIGKILL)  # and read on: it may have come further
        deadline.cancel()
        victim.wait()
        errors.seek(0)
        assert victim.returncode == -signal.SIGKILL, errors.read()
    assert 0 < first_saved < reached < 60

    from siamese_course.models.trax_patch import training

    loops = []

    class Loop(training.Loop):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            loops.append((self, self.step))

    monkeypatch.setattr(training, "Loop", Loop)
    run = recipes.train_classic("trax", data, steps=60, folder=folder, verbose=False)
    ((loop, started_at),) = loops
    every, saved = 60 // STRETCHES, 60 // recipes.CHECKPOINTS
    assert reached - saved <= started_at <= reached
    assert started_at % saved == 0
    assert run.steps == loop.step == 60
    assert run.history.steps == list(range(started_at + every, 61, every))
    assert np.isfinite(run.history.losses).all()
    in_trax = [step for step, _ in loop.history.get("train", "metrics/TripletLoss")]
    assert in_trax[:2] == [1, every]  # from before the kill
    assert in_trax[-len(run.history.steps) :] == run.history.steps
    assert in_trax == sorted(set(in_trax))
