"""The Quora recipes on a few made-up questions: training, saving, and resuming after a kill."""

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

import numpy as np
import pytest

from siamese_course import losses
from siamese_course.batching import padding, tokens
from siamese_course.datasets import punkt
from siamese_course.models import questions as models
from siamese_course.models.questions_trax import leaves
from siamese_course.recipes import questions as recipes
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.settings import QUORA_SIZES
from siamese_course.sources.question_pairs import QuestionPairs
from siamese_course.training.loop import LOG_INTERVALS, History
from siamese_course.training.schedules import WarmupRsqrt
from tests.conftest import ROOT
from tests.made_up import made_up_data
from tests.tools import write_tiny_preset

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def only_shipped_data():
    """One tokenizer for all tests here, whatever data is available and whoever asked before."""
    punkt.prepare.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIAMESE_COURSE_DATA", "shipped")
        yield
    punkt.prepare.cache_clear()


@pytest.fixture(scope="module")
def data(only_shipped_data):
    return made_up_data()


@pytest.fixture(scope="module")
def tiny_preset(tmp_path_factory):
    """The folder of a backbone that is trained in seconds."""
    return str(write_tiny_preset(tmp_path_factory.mktemp("preset")))


COMBINATIONS = [
    pytest.param((framework, recipe), id=f"{framework} {recipe}")
    for framework in ("keras", "trax")
    for recipe in recipes.RECIPES
]


@pytest.fixture(scope="module")
def trained_once(data, tiny_preset, tmp_path_factory):
    """framework, recipe -> (run, report, folder of the checkpoints, what was printed), trained at the first call."""

    @functools.cache
    def train(framework, recipe):
        folder = tmp_path_factory.mktemp("trained") / "checkpoints"
        printed = io.StringIO()
        sizes = dataclasses.replace(QUORA_SIZES["smoke"], classic_steps=20, course_steps=20)
        with contextlib.redirect_stdout(printed), pytest.MonkeyPatch.context() as patch:
            patch.setitem(QUORA_SIZES, "smoke", sizes)
            options = {"folder": folder, "verbose": False}
            if recipe == "course":
                options["backbone"] = tiny_preset
            run, report = recipes.run(framework, recipe, data, "smoke", **options)
        return run, report, folder, printed.getvalue()

    return train


@pytest.fixture(params=COMBINATIONS)
def trained(request, trained_once):
    """(run, report, folder, printed) of one framework and recipe, trained 20 steps."""
    return trained_once(*request.param)


# --- similarities, batch by batch ---


def bag_of_words(ids):
    """(n, length) ids -> (n, 50) unit vectors: how often each word occurs, padding left out."""
    counts = np.stack([np.bincount(row[row != padding.PAD], minlength=50) for row in ids])
    return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


def test_a_budget_of_few_rows_reads_as_many(data):
    rows = 6
    few, whole = (
        recipes.train_course("keras", data, steps=20, max_pairs=n, backbone=None, verbose=False)
        for n in (rows, len(data.train))
    )
    chosen = data.train.take(np.random.default_rng(0).permutation(len(data.train))[:rows])
    words = {w for q in chosen.question1 + chosen.question2 for w in tokens.stem_tokenizer(q)}
    assert set(few.encoder.vocabulary) == {tokens.PAD_TOKEN} | words
    assert len(few.encoder.vocabulary) < len(whole.encoder.vocabulary)


@pytest.mark.parametrize("framework", recipes.FRAMEWORKS)
def test_with_much_data_neighboring_words_count(data, tmp_path, monkeypatch, framework):
    monkeypatch.setattr(recipes, "SMALL", 0)
    monkeypatch.setitem(recipes.SHAPES["large"], "neighbors", 101)
    run = recipes.train_course(framework, data, steps=20, backbone=None, verbose=False)
    encoder = run.encoder
    encoder.threshold = 0.5
    encoder.save(tmp_path)
    loaded = recipes.load(tmp_path)
    tables = encoder.model.weights if framework == "keras" else leaves(encoder.model[1])
    assert [table.shape for table in tables].count((101, 128)) == 1
    sides = data.test.question1, data.test.question2
    np.testing.assert_allclose(loaded.similarity(*sides), encoder.similarity(*sides), atol=1e-6)


# --- schedules ---


@pytest.mark.parametrize("warmup", [1, 10, 400])
def test_the_learning_rate_in_keras_is_that_in_trax(warmup):
    """Keras counts its steps from 0 and Trax from 1."""
    from siamese_course.runtime.trax_patch import trax

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
    assert run.history.steps == list(range(1, LOG_INTERVALS + 1))
    assert len(run.history.losses) == LOG_INTERVALS
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


def test_training_helps(trained, data):
    run = trained[0]
    assert run.history.losses[-1] < run.history.losses[0]
    if run.encoder.recipe == "course":
        # guessing is 0.5; on small data four words in ten are dropped, which makes twenty steps few.
        # The small RoBERTa beside the LSTM knows nothing: tests/cli/test_main.py trains the course's
        alone = dataclasses.replace(run.encoder, sentence_encoder=None)
        assert recipes.score(alone, data.test)["auc"] > 0.85


@pytest.mark.parametrize("recipe", recipes.RECIPES)
def test_one_seed_gives_one_training(trained_once, tiny_preset, data, recipe):
    sides = data.test.question1, data.test.question2
    first = trained_once("keras", recipe)[0]
    options = {"backbone": tiny_preset} if recipe == "course" else {}
    again = recipes.TRAINERS[recipe]("keras", data, steps=20, verbose=False, **options)
    np.testing.assert_allclose(again.history.losses, first.history.losses, rtol=1e-3)
    np.testing.assert_allclose(
        again.encoder.similarity(*sides), first.encoder.similarity(*sides), atol=1e-3
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
    shape = {"neighbors": 0, "dropout": 0.0}
    _, _, history = recipes._course_keras(
        30, forever((sides, same)), LOG_INTERVALS, shape, temperature=0.3, **options
    )
    stated = losses.in_batch_softmax_loss(same, embeddings, temperature=0.3)
    stated += losses.labeled_pairs_loss(same, embeddings)
    assert history.losses[0] == pytest.approx(float(stated), rel=1e-4)

    encoder = quora_keras.build_classic_encoder(30, seed=3)
    embeddings = np.stack([encoder(side) for side in sides], axis=1)
    _, _, history = recipes._classic_keras(30, forever(sides), LOG_INTERVALS, **options)
    stated = float(losses.triplet_loss(None, embeddings, margin=0.25))
    assert history.losses[0] == pytest.approx(stated, rel=1e-4)


def test_the_cosine_is_the_weighted_mean_of_both_encoders(trained_once, data):
    both = dataclasses.replace(trained_once("keras", "course")[0].encoder, sentence_weight=0.3)
    alone = dataclasses.replace(both, sentence_encoder=None)
    left, right = data.test.question1, data.test.question2
    cosines = [e.similarity(left, right) for e in (both, alone, both.sentence_encoder)]
    np.testing.assert_allclose(cosines[0], 0.7 * cosines[1] + 0.3 * cosines[2], atol=1e-6)
    assert np.std(cosines[1] - cosines[2]) > 0.01
    rows = both.encode(left), both.encode(right)
    np.testing.assert_allclose(np.linalg.norm(rows[0], axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(np.sum(rows[0] * rows[1], axis=1), cosines[0], atol=1e-5)


def test_the_sentence_encoder_is_trained_on_what_it_reads_later(data, tiny_preset, monkeypatch):
    """The ids and the mask of a batch are those that ``encode`` makes of the same questions."""
    seen = {}

    def look(siamese, batches, steps, **options):
        seen["inputs"], _ = next(batches)
        return History()

    monkeypatch.setattr(recipes, "train", look)
    pairs = data.train
    encoder, _ = recipes._course_sentences(
        tiny_preset, pairs, np.arange(len(pairs)), 10, temperature=0.1, seed=0, verbose=False
    )
    known = {tuple(row) for row in encoder.tokenize([*pairs.question1, *pairs.question2])}
    ids, real = (
        seen["inputs"][name].reshape(-1, seen["inputs"][name].shape[-1])
        for name in ("token_ids", "padding_mask")
    )
    assert not real.all()
    for row, mask in zip(ids, real > 0, strict=True):
        assert tuple(row[mask].tolist()) in known
        assert (row[~mask] == encoder.pad_id).all()


@pytest.mark.parametrize(("small", "temperature"), [(1, 0.2), (10**6, 0.1)])
@pytest.mark.parametrize("framework", recipes.FRAMEWORKS)
def test_few_pairs_are_trained_at_another_temperature(
    data, monkeypatch, framework, small, temperature
):
    seen = {}

    def look(*arguments, **options):
        seen.update(options)
        raise InterruptedError

    monkeypatch.setattr(recipes, "SMALL", small)
    monkeypatch.setattr(recipes, f"_course_{framework}", look)
    with pytest.raises(InterruptedError):
        recipes.train_course(framework, data, steps=20, verbose=False)
    assert seen["temperature"] == temperature


@pytest.mark.parametrize("done", [[], [2, 4]])
def test_a_stopped_training_leaves_the_lstm_alone(data, monkeypatch, done):
    train = recipes._course_keras

    def stopped(*arguments, **options):
        model, forward, _ = train(*arguments, **options)
        return model, forward, History(steps=done, losses=[1.0] * len(done))

    monkeypatch.setattr(recipes, "_course_keras", stopped)
    encoder = recipes.train_course("keras", data, steps=20, verbose=False).encoder
    assert encoder.sentence_encoder is None
    assert np.isfinite(encoder.similarity(data.test.question1, data.test.question2)).all()


def test_an_encoder_saved_over_another_takes_none_of_its_parts(trained_once, tmp_path):
    both = trained_once("keras", "course")[0].encoder
    both.save(tmp_path)
    dataclasses.replace(both, sentence_encoder=None).save(tmp_path)
    assert recipes.load(tmp_path).sentence_encoder is None


def test_another_framework_or_recipe_is_refused(data):
    for train in recipes.TRAINERS.values():
        with pytest.raises(ValueError, match="framework is 'torch'; expected one of trax, keras"):
            train("torch", data, steps=20)
    with pytest.raises(ValueError, match="recipe is 'best'; expected one of classic, course"):
        recipes.run("keras", "best", data, "smoke")
    one = data.train.take(np.flatnonzero(data.train.same == 1)[:1])
    with pytest.raises(ValueError, match="holds 1 duplicates; expected two or more"):
        recipes.train_classic("keras", dataclasses.replace(data, train=one), steps=20)


# --- threshold and score ---


def encoder_of(forward, **options):
    vocabulary = tokens.build_vocabulary(
        ["red green blue yellow black white"], tokens.simple_tokenizer
    )
    return models.QuestionEncoder("keras", "course", vocabulary, None, forward, **options)


COLORS = QuestionPairs(
    ["red", "red green", "blue", "red blue", "white"],
    ["red", "red blue", "green", "yellow", "white black"],
    np.array([1, 1, 0, 0, 0], "int8"),
    np.arange(5),
    np.arange(5, 10),
)


def test_score_by_hand():
    """Cosines 1, 1/2, 0, 0, 0.71: of six comparisons of a duplicate with another, the last wins one."""
    encoder = encoder_of(bag_of_words, threshold=0.9)
    got = encoder.similarity(COLORS.question1, COLORS.question2)
    np.testing.assert_allclose(got, [1, 0.5, 0, 0, 0.5**0.5], atol=1e-6)
    assert recipes.score(encoder, COLORS) == {
        "n": 5,
        "duplicates": 0.4,
        "auc": round(5 / 6, 4),
        "accuracy": 0.8,
        "best_accuracy": 0.8,
    }


def test_set_threshold_chooses_the_best_on_the_validation_pairs():
    encoder = encoder_of(bag_of_words)
    assert np.isnan(encoder.threshold)
    recipes.set_threshold(encoder, COLORS)
    assert encoder.threshold == pytest.approx(0.25)  # the lowest of the two with 4 of 5 right
    assert recipes.score(encoder, COLORS)["accuracy"] == 0.8
    assert encoder.predict("red", "red") is True
    assert encoder.predict("red", "blue") is False


class KnownCosines:
    """In the place of a sentence encoder: cosines that are given."""

    def __init__(self, cosines):
        self.cosines = np.asarray(cosines, "float32")

    def similarity(self, left, right):
        return self.cosines


@pytest.mark.parametrize(
    ("beside", "low", "high"),
    [
        ([1, 0.5, 0, 0, 0.5**0.5], 0.499, 0.501),  # the same as those beside it: half each
        ([0.3, 0.3, 0.3, 0.3, 0.3], 0, 1e-6),  # it tells nothing
        ([0, 0, 1, 1, 1], 0, 1e-6),  # it is wrong every time
        (COLORS.same, 0.5, 1),  # it tells all
    ],
)
def test_the_weight_follows_what_each_encoder_tells(beside, low, high):
    encoder = dataclasses.replace(encoder_of(bag_of_words), sentence_encoder=KnownCosines(beside))
    similarities = recipes.set_threshold(encoder, COLORS)
    assert low <= encoder.sentence_weight <= high
    np.testing.assert_allclose(
        similarities, encoder.similarity(COLORS.question1, COLORS.question2), atol=1e-6
    )


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
        got = encoder.similarity(left, right)
        assert got.shape == (len(ODD),)
        assert np.isfinite(got).all()
        assert (np.abs(got) <= 1 + 1e-5).all()
    np.testing.assert_allclose(encoder.similarity(ODD, ODD), np.ones(len(ODD)), atol=1e-4)
    assert all(isinstance(encoder.predict(plain[0], question), bool) for question in ODD[:3])


# --- save and load ---


def test_a_saved_encoder_comes_back_the_same(trained, data, tmp_path):
    encoder = trained[0].encoder
    encoder.save(tmp_path / "new" / "folder")
    loaded = recipes.load(tmp_path / "new" / "folder")
    for name in (*models.STORED.values(), "vocabulary"):
        assert getattr(loaded, name) == getattr(encoder, name), name
    assert "café" in loaded.vocabulary
    sides = (data.test.question1 + ODD, data.test.question2 + ODD[::-1])
    before, after = encoder.similarity(*sides), loaded.similarity(*sides)
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
    encoder.save(tmp_path)
    assert recipes.load(tmp_path).vocabulary == encoder.vocabulary


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
    trained_once("keras", "course")[0].encoder.save(tmp_path)
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text(content)
    with pytest.raises(CourseError, match="holds no question encoder"):
        recipes.load(tmp_path)


@pytest.mark.parametrize("damage", ["absent", "cut short", "too few", "not arrays"])
def test_damaged_trax_weights_are_one_clear_error(trained_once, tmp_path, damage):
    trained_once("trax", "classic")[0].encoder.save(tmp_path)
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


# --- going on from a checkpoint ---


@pytest.mark.parametrize("recipe", recipes.RECIPES)
def test_a_finished_training_has_nothing_left_to_do(trained_once, data, tmp_path, recipe):
    run, _, folder, _ = trained_once("trax", recipe)
    again_folder = shutil.copytree(folder, tmp_path / "checkpoints")
    again = recipes.TRAINERS[recipe]("trax", data, steps=20, folder=again_folder, verbose=False)
    assert again.history.steps == []
    sides = data.test.question1, data.test.question2
    np.testing.assert_allclose(
        again.encoder.similarity(*sides), run.encoder.similarity(*sides), atol=1e-6
    )


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
from siamese_course.batching import padding, tokens
from siamese_course.batching import questions as batching
from siamese_course.runtime.trax_patch import training
from siamese_course.recipes import questions as recipes
from tests.made_up import made_up_data

made, loops = batching.classic_batches, []

class Loop(training.Loop):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        loops.append(self)

def announced(*arguments, **options):
    for batch in made(*arguments, **options):
        print(loops[0].step if loops else 0, file=sys.__stdout__, flush=True)
        time.sleep(0.1)
        yield batch

training.Loop, batching.classic_batches = Loop, announced
recipes.train_classic("trax", made_up_data(), steps=60, folder=Path(sys.argv[1]), verbose=False)
"""


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

    from siamese_course.runtime.trax_patch import training

    loops = []

    class Loop(training.Loop):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            loops.append((self, self.step))

    monkeypatch.setattr(training, "Loop", Loop)
    run = recipes.train_classic("trax", data, steps=60, folder=folder, verbose=False)
    ((loop, started_at),) = loops
    every, saved = 60 // LOG_INTERVALS, 60 // recipes.CHECKPOINTS
    assert reached - saved <= started_at <= reached
    assert started_at % saved == 0
    assert run.steps == loop.step == 60
    assert run.history.steps == list(range(started_at + every, 61, every))
    assert np.isfinite(run.history.losses).all()
    in_trax = [step for step, _ in loop.history.get("train", "metrics/TripletLoss")]
    assert in_trax[:2] == [1, every]  # from before the kill
    assert in_trax[-len(run.history.steps) :] == run.history.steps
    assert in_trax == sorted(set(in_trax))


def test_a_trained_encoder_has_its_threshold():
    encoder = recipes.train_course(
        "keras", made_up_data(), steps=2, backbone=None, verbose=False
    ).encoder
    assert np.isfinite(encoder.threshold)
    assert encoder.predict("What is a cake?", "What is a cake?") is True


def test_what_a_threshold_cannot_be_chosen_on_is_refused():
    data = made_up_data()
    alike = dataclasses.replace(data, validation=data.validation.duplicates())
    with pytest.raises(ValueError, match=r"data.validation holds .* pairs of one kind"):
        recipes.train_course("keras", alike, steps=2)
    different = dataclasses.replace(data, train=data.train.take(data.train.same == 0))
    with pytest.raises(ValueError, match=r"data.train holds no duplicate"):
        recipes.train_classic("keras", different, steps=2)
