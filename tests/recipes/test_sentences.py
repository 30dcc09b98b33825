"""The sentence recipes on a tiny random RoBERTa and a few made-up sentences: batches, training, scores."""

import dataclasses
import json
import os
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
from keras import ops
from scipy import stats

from siamese_course import losses, settings
from siamese_course.data.sentences import ScoredData, ScoredPairs, TripletData, Triplets
from siamese_course.errors import CourseError
from siamese_course.models.sentence import make_encoder
from siamese_course.recipes import sentences as recipes
from tests.conftest import ROOT
from tests.presets import write_tiny_preset
from tests.recipes.test_quora import FORMS, TOPICS, made_up_data
from tests.test_losses import in_batch_softmax_by_hand, labelled_pairs_by_hand

SIZES = settings.SentenceSizes(
    classic_pair_steps=20,
    classic_triplet_steps=20,
    question_steps=20,
    pair_epochs=2,
    triplet_epochs=1,
    most_triplets=40,
)


@pytest.fixture(scope="session")
def preset(tmp_path_factory):
    """The folder of a tiny preset."""
    return str(write_tiny_preset(tmp_path_factory.mktemp("preset")))


@pytest.fixture(scope="session")
def untrained(preset):
    """An encoder whose weights nobody may change."""
    return make_encoder(preset)


@pytest.fixture
def encoder(preset):
    """An encoder to train."""
    return make_encoder(preset, longest=40)


@pytest.fixture
def small(monkeypatch):
    """The smoke budget, smaller still."""
    monkeypatch.setitem(settings.SENTENCE_SIZES, "smoke", SIZES)


def made_up_scores(topics=TOPICS[:16]):
    """Two forms of a topic: 5; the same verb: 2.5; nothing in common: 0."""
    rows = []
    for number, (verb, thing) in enumerate(topics):
        first = FORMS[number % 3].format(verb, thing)
        rows.append((first, FORMS[(number + 1) % 3].format(verb, thing), 5.0))
        rows.append((first, FORMS[(number + 1) % 3].format(verb, "hat"), 2.5))
        rows.append((first, "Rain fell on the market all day.", 0.0))
    left, right, scores = zip(*rows, strict=True)
    return ScoredPairs(list(left), list(right), np.array(scores, "float32"))


def made_up_triplets(topics=TOPICS[:16]):
    """The positive is of the anchor's topic, the negative of the next."""
    sides = [
        (FORMS[0].format(*topic), FORMS[1].format(*topic), FORMS[1].format(*other))
        for topic, other in zip(topics, topics[1:] + topics[:1], strict=True)
    ]
    return Triplets(*map(list, zip(*(3 * sides), strict=True)))


@pytest.fixture(scope="module")
def pairs():
    """Scored pairs in their parts."""
    return ScoredData(made_up_scores(), made_up_scores(TOPICS[16:20]), None, "made up")


@pytest.fixture(scope="module")
def triplets():
    """Triplets in their parts."""
    return TripletData(made_up_triplets(), made_up_triplets(TOPICS[16:20]), None, "made up")


# --- batches ---


def numbered_sides(n, sides=2, longest=30, seed=0):
    """Row r has the ids 100 + r on every side, from 1 to ``longest`` of them: it can be told in a batch."""
    rng = np.random.default_rng(seed)
    return [[[100 + r] * int(rng.integers(1, longest + 1)) for r in range(n)] for _ in range(sides)]


def rows_in(batch, sides):
    """The row numbers of a batch, after a look at all that it holds."""
    inputs, targets = batch
    ids, mask = inputs["token_ids"], inputs["padding_mask"]
    assert ids.shape == mask.shape == (len(targets), len(sides), ids.shape[2])
    assert ids.dtype == mask.dtype == np.int32
    numbers = ids[:, 0, 0] - 100
    for number, row, row_mask in zip(numbers, ids, mask, strict=True):
        for side, got, real in zip(sides, row, row_mask, strict=True):
            assert got[real == 1].tolist() == side[number]
            assert set(got[real == 0]) <= {1}
    assert np.array_equal(targets, 0.5 * numbers)
    return numbers


def passes(n, batch_size, count, *, sides=2, length=None, seed=0):
    """Row numbers of whole passes: (count, batches, batch)."""
    rows = numbered_sides(n, sides)
    batches = recipes.random_batches(
        rows, 0.5 * np.arange(n), batch_size, np.random.default_rng(seed), 1, length
    )
    taken = [rows_in(batch, rows) for batch in islice(batches, count * (n // batch_size))]
    return np.array(taken).reshape(count, n // batch_size, batch_size)


@pytest.mark.parametrize("length", [None, 40])
@pytest.mark.parametrize("sides", [2, 3])
def test_every_row_once_in_a_pass(length, sides):
    for order in passes(48, 8, 3, sides=sides, length=length):
        assert sorted(order.ravel()) == list(range(48))


@pytest.mark.parametrize("length", [None, 40])
@pytest.mark.parametrize("pool", [1, 3, 50])
def test_what_does_not_fill_a_batch_is_left_out_of_a_pass_by_chance(monkeypatch, length, pool):
    """And not the longest rows, which are last where rows of similar length are put together."""
    monkeypatch.setattr(recipes, "POOL", pool)
    taken = passes(60, 8, 60, length=length)
    for order in taken:
        assert len(set(order.ravel())) == 56
    times = np.bincount(taken.ravel(), minlength=60)
    assert times.min() > 40  # of 60 passes; 56 is the mean
    longest = np.argsort([max(map(len, row)) for row in zip(*numbered_sides(60), strict=True)])[-4:]
    assert times[longest].mean() > 50


@pytest.mark.parametrize("length", [None, 40])
def test_batches_come_in_random_order(length):
    first, second = passes(48, 8, 2, length=length)
    assert not np.array_equal(first, second)
    assert np.array_equal(passes(48, 8, 2, length=length), [first, second])  # one seed, one order
    assert not np.array_equal(passes(48, 8, 2, length=length, seed=1), [first, second])
    lengths = np.max([[len(row) for row in side] for side in numbered_sides(48)], axis=0)
    longest = lengths[first].max(axis=1).tolist()
    assert longest != sorted(longest)  # not from the short ones to the long


def test_a_batch_is_padded_to_its_need_or_to_a_given_length():
    n, rows = 400, numbered_sides(400, longest=60)
    targets, rng = 0.5 * np.arange(n), np.random.default_rng(0)
    shapes = {
        length: [
            inputs["token_ids"].shape[2]
            for inputs, _ in islice(recipes.random_batches(rows, targets, 8, rng, 1, length), 50)
        ]
        for length in (None, 64)
    }
    assert set(shapes[64]) == {64}
    assert {width % 8 for width in shapes[None]} == {0}
    lengths = np.sort(np.max([[len(row) for row in side] for side in rows], axis=0))
    need = [8 * -(-int(batch[-1]) // 8) for batch in np.split(lengths, 50)]
    assert (
        sorted(shapes[None]) == need
    )  # as well as it can be done: rows of similar length together
    assert np.mean(need) < 0.75 * 64


def test_a_batch_larger_than_the_data_is_all_of_it():
    rows = numbered_sides(5)
    batches = recipes.random_batches(rows, 0.5 * np.arange(5), 32, np.random.default_rng(0), 1)
    for batch in islice(batches, 3):
        assert sorted(rows_in(batch, rows)) == list(range(5))


def test_question_batches_hold_one_duplicate_of_a_group(untrained):
    data = made_up_data()
    topic_of = {}
    for topic in TOPICS[:20]:
        for form in FORMS:
            (row,) = untrained.tokenize([form.format(*topic)])
            topic_of[tuple(row)] = topic
    assert len(topic_of) == 60
    met = set()
    batches = recipes.question_batches(untrained, data, np.random.default_rng(0), 10_000)
    for inputs, same in islice(batches, 12):
        ids, mask = inputs["token_ids"], inputs["padding_mask"]
        assert ids.shape == mask.shape == (len(same), 2, ids.shape[2])
        assert len(same) <= recipes.QUESTION_BATCH
        assert same.dtype == np.float32
        topics = [
            [topic_of[tuple(side[real == 1].tolist())] for side, real in zip(*row, strict=True)]
            for row in zip(ids, mask, strict=True)
        ]
        assert [left == right for left, right in topics] == (same == 1).tolist()
        groups = [left for (left, _), label in zip(topics, same, strict=True) if label == 1]
        assert len(groups) == len(set(groups)) > 1
        assert (same == 0).sum() > 0
        met |= set(groups)
    assert met == set(TOPICS[:20])


def test_question_batches_of_a_bounded_number_of_pairs(untrained, monkeypatch):
    tokenized = []
    monkeypatch.setattr(
        type(untrained),
        "tokenize",
        lambda self, side: tokenized.append(side) or [[0, 2]] * len(side),
    )
    data = made_up_data()
    for seed in (0, 1):
        next(recipes.question_batches(untrained, data, np.random.default_rng(seed), 50))
    assert [len(side) for side in tokenized] == 4 * [50]
    taken, others = (set(zip(*sides, strict=True)) for sides in (tokenized[:2], tokenized[2:]))
    assert taken < set(zip(data.train.question1, data.train.question2, strict=True))
    assert taken != others  # drawn, and not the first of the file


def test_the_question_loss_is_the_sum_of_two_loops():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(6, 1, 4)) + 0.3 * rng.normal(size=(6, 2, 4))
    same = np.array([1, 1, 0, 1, 0, 1], "float32")
    unit = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    expected = in_batch_softmax_by_hand(unit, 0.05, same) + labelled_pairs_by_hand(same, unit)
    got = recipes.question_loss(same, ops.convert_to_tensor(rows.astype("float32")))
    np.testing.assert_allclose(got, expected, rtol=1e-4)


# --- training ---


def loss_of(encoder, function, targets, *sides):
    """The loss of all rows at once, without dropout."""
    rows = np.stack([encoder.encode(side, verbose=False) for side in sides], axis=1)
    return float(function(targets, ops.convert_to_tensor(rows)))


def pair_losses(encoder, pairs):
    sides = pairs.sentence1, pairs.sentence2
    return (
        loss_of(encoder, losses.cosine_regression_loss, losses.scale_scores(pairs.score), *sides),
        loss_of(encoder, losses.score_ranking_loss, pairs.score, *sides),
    )


@pytest.mark.slow
def test_the_classic_recipe_for_pairs_lowers_its_loss(encoder, pairs):
    before = pair_losses(encoder, pairs.train)
    run = recipes.train_pairs("classic", encoder, pairs, SIZES, verbose=False)
    after = pair_losses(run.encoder, pairs.train)
    assert run.encoder is encoder
    assert after[0] < before[0] - 0.01
    assert list(run.histories) == ["scores"]
    assert run.histories["scores"].steps == list(range(1, 21))
    assert run.rows == 20 * 6
    assert run.seconds == run.histories["scores"].seconds > 0


@pytest.mark.slow
def test_the_course_recipe_for_pairs_lowers_its_loss(encoder, pairs):
    before = pair_losses(encoder, pairs.train)
    run = recipes.train_pairs("course", encoder, pairs, SIZES, made_up_data(), verbose=False)
    after = pair_losses(encoder, pairs.train)
    assert after[1] < 0.8 * before[1]
    assert list(run.histories) == ["questions", "scores"]
    assert all(len(history.losses) == 20 for history in run.histories.values())
    assert run.histories["questions"].losses[-1] < run.histories["questions"].losses[0]
    assert run.seconds == sum(history.seconds for history in run.histories.values())


@pytest.fixture
def stages(monkeypatch):
    """What would be trained: [name, first batch, batch size, steps, rate, loss] of every stage."""
    seen = []
    monkeypatch.setattr(
        recipes,
        "fit",
        lambda run, name, batches, size, steps, rate, loss, verbose: seen.append(
            [name, next(batches), size, steps, rate, loss]
        ),
    )
    return seen


def test_the_stages_of_the_recipes_for_pairs(untrained, pairs, stages):
    recipes.train_pairs("classic", untrained, pairs, SIZES, made_up_data())
    ((name, (inputs, targets), *settings_),) = stages
    assert [name, *settings_] == ["scores", 6, 20, 2e-5, losses.cosine_regression_loss]
    assert inputs["token_ids"].shape == (6, 2, untrained.longest)
    assert set(targets) <= {-1.0, 0.0, 1.0}
    stages.clear()
    recipes.train_pairs("course", untrained, pairs, SIZES, made_up_data())
    questions, scores = stages
    assert (questions[0], questions[2:4]) == ("questions", [64, 20])
    assert questions[5] is recipes.question_loss
    assert (scores[0], scores[2:4]) == ("scores", [32, 2 * 48 / 32])
    assert scores[5] is losses.score_ranking_loss
    assert set(scores[1][1]) <= {0.0, 2.5, 5.0}
    for stage in (questions, scores):
        assert float(stage[4](100)(9)) == pytest.approx(3e-4, rel=0.1)  # where the rise ends
        assert float(stage[4](100)(100)) == 0.0


def test_the_course_recipe_without_questions(untrained, pairs, stages):
    recipes.train_pairs("course", untrained, pairs, SIZES)
    none = dataclasses.replace(SIZES, question_steps=0)
    recipes.train_pairs("course", untrained, pairs, none, made_up_data())
    assert [stage[0] for stage in stages] == ["scores", "scores"]


@pytest.mark.slow
@pytest.mark.parametrize("recipe", recipes.RECIPES)
def test_both_recipes_for_triplets_lower_the_loss(encoder, triplets, recipe):
    def loss():
        sides = (getattr(triplets.train, s) for s in ("anchor", "positive", "negative"))
        return loss_of(encoder, lambda _, rows: losses.distance_triplet_loss(rows), None, *sides)

    before = loss()
    run = recipes.train_triplets(recipe, encoder, triplets, SIZES, verbose=False)
    assert loss() < before - 0.01
    assert list(run.histories) == ["triplets"]
    assert run.rows == 20 * {"classic": 6, "course": 32}[recipe]


def test_triplets_are_bounded_by_the_budget(untrained, triplets, stages, monkeypatch):
    tokenized = []
    monkeypatch.setattr(
        type(untrained),
        "tokenize",
        lambda self, side: tokenized.append(side) or [[0, 2]] * len(side),
    )
    sizes = dataclasses.replace(SIZES, most_triplets=40, triplet_epochs=4)
    recipes.train_triplets("course", untrained, triplets, sizes, seed=1)
    recipes.train_triplets("course", untrained, triplets, sizes, seed=2)
    assert len(triplets.train) == 48
    assert [len(side) for side in tokenized] == 6 * [40]
    rows = list(zip(*tokenized[:3], strict=True))
    whole = triplets.train.anchor, triplets.train.positive, triplets.train.negative
    assert set(rows) <= set(zip(*whole, strict=True))
    assert rows != list(zip(*tokenized[3:], strict=True))  # drawn, and not the first of the file
    assert [stage[3] for stage in stages] == [4 * 40 / 32] * 2


def test_an_unknown_recipe_is_refused(untrained, preset, pairs, triplets):
    for refused in (
        lambda: recipes.train_pairs("best", untrained, pairs, SIZES),
        lambda: recipes.train_triplets("best", untrained, triplets, SIZES),
        lambda: recipes.run_pairs("best", preset, pairs, None, "smoke"),
        lambda: recipes.run_triplets("best", preset, triplets, "smoke"),
    ):
        with pytest.raises(
            CourseError, match="recipe is 'best', and must be one of classic, cours"
        ):
            refused()


# --- scores ---


def test_cosines_are_the_loop(untrained, pairs):
    left, right = pairs.train.sentence1, pairs.train.sentence2
    rows = [untrained.encode(side, verbose=False).astype("float64") for side in (left, right)]
    expected = [
        sum(a * b) / (sum(a * a) ** 0.5 * sum(b * b) ** 0.5) for a, b in zip(*rows, strict=True)
    ]
    got = recipes.cosines(untrained, left, right)
    np.testing.assert_allclose(got, expected, atol=1e-5)
    assert np.ptp(got) > 0.1
    np.testing.assert_allclose(
        recipes.cosines(untrained, left, left), np.ones(len(left)), atol=1e-5
    )
    assert recipes.cosines(untrained, [], []).shape == (0,)


def test_cosines_of_lists_of_unequal_length(untrained):
    with pytest.raises(ValueError, match="left has 2 sentences and right 1; expected as many"):
        recipes.cosines(untrained, ["a", "b"], ["a"])


def test_score_pairs_is_scipy(untrained, pairs):
    found = recipes.cosines(untrained, pairs.train.sentence1, pairs.train.sentence2)
    assert recipes.score_pairs(untrained, pairs.train) == {
        "n": 48,
        "pearson": pytest.approx(stats.pearsonr(found, pairs.train.score).statistic, abs=1e-4),
        "spearman": pytest.approx(stats.spearmanr(found, pairs.train.score).statistic, abs=1e-4),
    }


@pytest.mark.parametrize("scores", [[3.0], [3.0, 3.0, 3.0]])
def test_pairs_without_a_correlation(untrained, scores):
    sentences = ["a dog", "a day", "bread"][: len(scores)]
    pairs = ScoredPairs(sentences, sentences[::-1], np.array(scores, "float32"))
    with pytest.raises(
        CourseError, match=r"There is no correlation of cosine and score: .* expected"
    ):
        recipes.score_pairs(untrained, pairs)


def test_score_triplets_is_the_loop(untrained, triplets):
    data = triplets.train
    right = 0
    for sides in zip(data.anchor, data.positive, data.negative, strict=True):
        anchor, positive, negative = untrained.encode(sides, verbose=False)
        right += np.linalg.norm(anchor - positive) < np.linalg.norm(anchor - negative)
    assert 0 < right < len(data)
    got = recipes.score_triplets(untrained, data)
    assert got == {"n": 48, "accuracy": pytest.approx(right / 48, abs=1e-4)}
    turned = Triplets(data.anchor, data.negative, data.positive)
    assert recipes.score_triplets(untrained, turned)["accuracy"] == pytest.approx(
        1 - right / 48, abs=1e-4
    )


# --- whole runs ---

REPORT = {
    "recipe",
    "backbone",
    "seconds",
    "training_seconds",
    "rows",
    "pairs_per_second",
    "n",
    "budget",
    "data_source",
    "seed",
    "pretrained",
}


@pytest.mark.slow
def test_a_run_on_pairs_is_reported(preset, pairs, small):
    encoder, report = recipes.run_pairs("classic", preset, pairs, None, "smoke", verbose=False)
    correlations = {"pearson_before", "spearman_before", "pearson", "spearman"}
    assert set(report) == REPORT | correlations | {"questions"}
    assert report["backbone"] == encoder.name == preset
    assert encoder.unit_length
    assert report["seconds"] >= report["training_seconds"] > 0
    assert report["pairs_per_second"] == pytest.approx(120 / report["training_seconds"], rel=0.05)
    now = recipes.score_pairs(encoder, pairs.validation)
    before = recipes.score_pairs(make_encoder(preset), pairs.validation)
    for name in ("pearson", "spearman"):
        assert report[name] == pytest.approx(now[name], abs=1e-3)
        assert report[f"{name}_before"] == pytest.approx(before[name], abs=1e-3)
    assert report["pearson"] != report["pearson_before"]
    assert json.loads(json.dumps(report)) == report


@pytest.mark.slow
def test_a_run_on_triplets_is_reported_and_its_seed_repeats_it(preset, triplets, small):
    runs = [
        recipes.run_triplets("course", preset, triplets, "smoke", seed=3, verbose=False)
        for _ in range(2)
    ]
    encoder, report = runs[0]
    assert set(report) == REPORT | {"accuracy_before", "accuracy"}
    assert not encoder.unit_length
    assert report["n"] == len(triplets.validation)
    assert report["accuracy"] == recipes.score_triplets(encoder, triplets.validation)["accuracy"]
    start = make_encoder(preset).encode(triplets.train.anchor, verbose=False)
    first, again = (run[0].encode(triplets.train.anchor, verbose=False) for run in runs)
    np.testing.assert_allclose(first, again, atol=1e-4)
    assert np.abs(first - start).max() > 0.01


IN_JAX = """
import json, sys
import keras
from siamese_course.models.sentence import make_encoder
from siamese_course.recipes import sentences as recipes
from tests.recipes.test_sentences import SIZES, ScoredData, made_up_scores

encoder = make_encoder(sys.argv[1])
data = ScoredData(made_up_scores(), made_up_scores(), None, "made up")
before = encoder.encode(data.train.sentence1[:9], verbose=False).tolist()
run = recipes.train_pairs("course", encoder, data, SIZES, verbose=False)
after = recipes.score_pairs(encoder, data.validation)
losses = run.histories["scores"].losses
print(json.dumps([keras.backend.backend(), before, losses, after]))
"""


@pytest.mark.slow
def test_the_recipes_run_on_jax(preset, untrained, pairs):
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    command = [sys.executable, "-c", IN_JAX, preset]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    backend, before, curve, after = json.loads(run.stdout.splitlines()[-1])
    assert backend == "jax"
    expected = untrained.encode(pairs.train.sentence1[:9], verbose=False)
    np.testing.assert_allclose(before, expected, atol=1e-4)
    assert np.isfinite(curve).all()
    assert curve[-1] < curve[0]
    assert after["spearman"] > recipes.score_pairs(untrained, pairs.train)["spearman"]
