"""The sentence recipes on a tiny random RoBERTa and a few made-up sentences: training and scores."""

import dataclasses
import json
import os
import subprocess
import sys

import keras
import numpy as np
import pytest
from keras import ops
from scipy import stats

from siamese_course import losses
from siamese_course.datasets.sentences import ScoredData, ScoredPairs, TripletData, Triplets
from siamese_course.models.sentences import build_sentence_model, make_encoder
from siamese_course.recipes import sentences as recipes
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError
from siamese_course.training.loop import History
from tests.conftest import ROOT
from tests.made_up import FORMS, TOPICS
from tests.tools import write_tiny_preset

SIZES = settings.SentenceSizes(
    classic_pair_steps=20,
    classic_triplet_steps=20,
    pair_epochs=2,
    triplet_epochs=1,
    max_triplets=40,
    pair_steps=1,
    triplet_steps=1,
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
    return make_encoder(preset, max_length=40)


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


# --- training ---


@pytest.mark.parametrize(("pooling", "unit_length"), [("mean", True), ("cls", False)])
def test_standardized_embeddings_have_mean_0_and_one_spread(preset, pairs, pooling, unit_length):
    encoder = make_encoder(preset, pooling, unit_length)
    context = dataclasses.replace(encoder, model=build_sentence_model(encoder.backbone))
    sentences = pairs.train.sentence1

    def embed():
        return context.encode(sentences, verbose=False)

    before = embed()
    recipes.standardize(encoder, sentences)
    expected = (before - before.mean(axis=0)) / before.std(axis=0) * before.std(axis=0).mean()
    np.testing.assert_allclose(embed(), expected, atol=1e-4)


def loss_of(encoder, function, targets, *sides):
    """The loss of all rows at once, without dropout."""
    rows = np.stack([encoder.encode(side, verbose=False) for side in sides], axis=1)
    return float(function(targets, ops.convert_to_tensor(rows)))


def pair_losses(encoder, pairs):
    sides = pairs.sentence1, pairs.sentence2
    return (
        loss_of(encoder, losses.cosine_regression_loss, losses.scale_scores(pairs.score), *sides),
        loss_of(encoder, losses.cosine_regression_loss, pairs.score / 5, *sides),
    )


@pytest.mark.slow
def test_the_classic_recipe_for_pairs_lowers_its_loss(encoder, pairs):
    before = pair_losses(encoder, pairs.train)
    run = recipes.train_pairs("classic", encoder, pairs, SIZES, verbose=False)
    after = pair_losses(run.encoder, pairs.train)
    assert run.encoder is encoder
    assert after[0] < before[0] - 0.01
    assert run.history.steps == list(range(1, 21))
    assert run.rows == 20 * 6


@pytest.mark.slow
def test_the_course_recipe_for_pairs_lowers_its_loss(encoder, pairs):
    before = pair_losses(encoder, pairs.train)
    sizes = dataclasses.replace(SIZES, pair_epochs=30)
    run = recipes.train_pairs("course", encoder, pairs, sizes, verbose=False)
    after = pair_losses(encoder, pairs.train)
    assert after[1] < 0.8 * before[1]
    assert len(run.history.losses) == 20


@pytest.mark.parametrize("change", ["pooling", "weights"])
def test_a_checkpoint_of_another_encoder_is_refused(preset, pairs, tmp_path, change):
    options = {"seed": 0, "verbose": False, "folder": tmp_path}
    recipes.train_pairs("course", make_encoder(preset), pairs, SIZES, **options)
    keras.utils.set_random_seed(1)
    others = {"pooling": "max"} if change == "pooling" else {"load_weights": False}
    with pytest.raises(CourseError, match="other data, options or versions"):
        recipes.train_pairs("course", make_encoder(preset, **others), pairs, SIZES, **options)


def test_rows_are_those_that_were_trained_on(encoder, pairs):
    few = dataclasses.replace(pairs, train=pairs.train.take(range(10)))
    run = recipes.train_pairs("course", encoder, few, SIZES, verbose=False)
    assert run.rows == 10 * run.history.steps[-1]


@pytest.fixture
def trainings(monkeypatch):
    """What would be trained: (name, first batch, steps, learning rate, loss) of every training."""
    seen = []

    def train(model, batches, steps, *, name, **others):
        rate = model.optimizer._learning_rate
        seen.append((name, next(batches), steps, rate, model.loss))
        return History()

    monkeypatch.setattr(recipes, "train", train)
    return seen


def test_the_batches_and_rates_of_the_recipes_for_pairs(untrained, pairs, trainings):
    recipes.train_pairs("classic", untrained, pairs, SIZES)
    ((name, (inputs, targets), steps, rate, loss),) = trainings
    assert (name, steps, loss) == ("scores", 20, losses.cosine_regression_loss)
    assert float(rate) == pytest.approx(2e-5)
    assert inputs["token_ids"].shape == (6, 2, untrained.max_length)
    assert set(targets) <= {-1.0, 0.0, 1.0}
    trainings.clear()
    sizes = dataclasses.replace(SIZES, pair_epochs=40)
    recipes.train_pairs("course", untrained, pairs, sizes)
    ((name, (inputs, targets), steps, cycle, loss),) = trainings
    assert (name, steps, loss) == ("scores", 40 * 48 / 32, losses.cosine_regression_loss)
    assert len(inputs["token_ids"]) == len(targets) == 32
    assert set(targets) <= {0.0, 0.5, 1.0}
    assert float(cycle(5)) == pytest.approx(1e-4, rel=0.15)  # where the rise ends
    assert float(cycle(60)) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("recipe", recipes.RECIPES)
def test_both_recipes_for_triplets_lower_the_loss(encoder, triplets, recipe):
    def loss():
        sides = (getattr(triplets.train, s) for s in ("anchor", "positive", "negative"))
        return loss_of(encoder, losses.distance_triplet_loss, None, *sides)

    before = loss()
    run = recipes.train_triplets(recipe, encoder, triplets, SIZES, verbose=False)
    assert loss() < before - 0.01
    assert run.rows == 20 * {"classic": 6, "course": 32}[recipe]


def test_triplets_are_bounded_by_the_budget(untrained, triplets, trainings, monkeypatch):
    tokenized = []
    monkeypatch.setattr(
        type(untrained),
        "tokenize",
        lambda self, side: tokenized.append(side) or [[0, 2]] * len(side),
    )
    sizes = dataclasses.replace(SIZES, max_triplets=40, triplet_epochs=32)
    recipes.train_triplets("course", untrained, triplets, sizes, seed=1)
    recipes.train_triplets("course", untrained, triplets, sizes, seed=2)
    assert len(triplets.train) == 48
    assert [len(side) for side in tokenized] == 6 * [40]
    rows = list(zip(*tokenized[:3], strict=True))
    whole = triplets.train.anchor, triplets.train.positive, triplets.train.negative
    assert set(rows) <= set(zip(*whole, strict=True))
    assert rows != list(zip(*tokenized[3:], strict=True))  # drawn, and not the first of the file
    assert [training[2] for training in trainings] == [32 * 40 / 32] * 2


def test_an_unknown_recipe_is_refused(untrained, preset, pairs, triplets):
    for refused in (
        lambda: recipes.train_pairs("best", untrained, pairs, SIZES),
        lambda: recipes.train_triplets("best", untrained, triplets, SIZES),
        lambda: recipes.run_pairs("best", preset, pairs, "smoke"),
        lambda: recipes.run_triplets("best", preset, triplets, "smoke"),
    ):
        with pytest.raises(ValueError, match="recipe is 'best'; expected one of classic, course"):
            refused()


# --- scores ---


def test_score_pairs_is_scipy(untrained, pairs):
    found = untrained.similarity(pairs.train.sentence1, pairs.train.sentence2)
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
    "processes",
}


@pytest.mark.slow
def test_a_run_on_pairs_is_reported(preset, pairs, small):
    encoder, report = recipes.run_pairs("classic", preset, pairs, "smoke", verbose=False)
    correlations = {"pearson_before", "spearman_before", "pearson", "spearman"}
    assert set(report) == REPORT | correlations | {"pooling"}
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
from siamese_course.models.sentences import make_encoder
from siamese_course.recipes import sentences as recipes
from tests.recipes.test_sentences import SIZES, ScoredData, made_up_scores

encoder = make_encoder(sys.argv[1])
data = ScoredData(made_up_scores(), made_up_scores(), None, "made up")
before = encoder.encode(data.train.sentence1[:9], verbose=False).tolist()
run = recipes.train_pairs("course", encoder, data, SIZES, verbose=False)
after = recipes.score_pairs(encoder, data.validation)
print(json.dumps([keras.backend.backend(), before, run.history.losses, after]))
"""


@pytest.mark.slow
def test_the_recipes_run_on_jax(preset, pairs):
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    command = [sys.executable, "-c", IN_JAX, preset]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    backend, before, curve, after = json.loads(run.stdout.splitlines()[-1])
    assert backend == "jax"
    untrained = make_encoder(preset)
    expected = untrained.encode(pairs.train.sentence1[:9], verbose=False)
    np.testing.assert_allclose(before, expected, atol=1e-4)
    assert np.isfinite(curve).all() and curve[-1] < curve[0]
    assert after["spearman"] > recipes.score_pairs(untrained, pairs.train)["spearman"]


@pytest.mark.parametrize("recipe", ["classic", "course"])
def test_scores_from_0_to_1_are_refused(recipe):
    pairs = made_up_scores()
    low = ScoredPairs(pairs.sentence1, pairs.sentence2, pairs.score / 5)
    data = ScoredData(low, low, None, "made up")
    with pytest.raises(ValueError, match="score goes from 0 to 1; expected 0 to 5"):
        recipes.train_pairs(recipe, None, data, SIZES)


def test_low_scores_by_chance_are_not_refused(untrained, trainings):
    pairs = made_up_scores()
    data = ScoredData(pairs.take(np.flatnonzero(pairs.score <= 1)), pairs, None, "made up")
    recipes.train_pairs("course", untrained, data, SIZES)
    assert len(trainings) == 1
