"""The recipes for Omniglot: what they learn from, what they compare, what the command prints."""

import json

import keras
import numpy as np
import pytest

from siamese_course.batching.episodes import affine_images, draw_episode
from siamese_course.datasets.omniglot import OneShotRun, load_omniglot
from siamese_course.evaluation import one_shot_accuracy
from siamese_course.models.images import build_verifier, embed
from siamese_course.recipes import omniglot as recipes
from siamese_course.recipes.image_encoders import build_character_encoder


@pytest.fixture(scope="module")
def data():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIAMESE_COURSE_DATA", "shipped")
        return load_omniglot(verbose=False)


@pytest.fixture(scope="module")
def few(data):
    return data.background.of([0, 1, 2])


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", recipes.RECIPES)
def test_one_seed_gives_one_training(few, data, recipe):
    def trained(seed):
        run = recipes.TRAINERS[recipe](few, steps=4, seed=seed, verbose=False)
        return run.similarity(data.runs[0].test, data.runs[0].train)

    first, again, other = trained(0), trained(0), trained(1)
    assert first.shape == (20, 20)
    np.testing.assert_allclose(first, again, atol=1e-3)
    assert not np.allclose(first, other, atol=1e-3)


def imitated_runs(characters, count, rng):
    """Runs like the official ones, of 20 trials each, of other characters."""
    for _ in range(count):
        support, queries, answers = draw_episode(characters.alphabets, rng)
        train, test = (characters.images[tuple(pairs.T)] for pairs in (support[:, 0], queries))
        yield OneShotRun("", train, test, answers)


@pytest.mark.slow
def test_training_helps_with_other_alphabets(data):
    """Trained on some alphabets, tested on runs of others: better than pixels after a few steps."""
    runs = list(imitated_runs(data.background.of([3, 4]), 10, rng()))
    pixels = one_shot_accuracy(
        lambda test, train: test.reshape(20, -1) @ train.reshape(20, -1).T, runs
    )
    run = recipes.train_course(data.background.of(range(5, 15)), steps=60, verbose=False)
    assert run.history.losses[-1] < run.history.losses[0]
    assert one_shot_accuracy(run.similarity, runs) > pixels + 0.1


def test_only_background_characters_are_trained_on(data, monkeypatch):
    seen = []

    def note(characters, **options):
        seen.append(characters)
        raise InterruptedError

    monkeypatch.setitem(recipes.TRAINERS, "course", note)
    with pytest.raises(InterruptedError):
        recipes.run("course", data, "smoke")
    assert seen == [data.background]
    with pytest.raises(ValueError, match="recipe is 'other'"):
        recipes.run("other", data, "smoke")


def test_classic_pairs_are_half_similar_and_partly_distorted(few):
    (left, right), same = next(recipes.classic_batches(few.images, rng(), 64))
    assert left.shape == right.shape == (64, 28, 28, 1)
    assert same.tolist() == [1.0] * 32 + [0.0] * 32
    places = {
        image.tobytes(): (character, drawer)
        for character, drawings in enumerate(few.images)
        for drawer, image in enumerate(drawings)
    }
    found = [[places.get(image.tobytes()) for image in side] for side in (left, right)]
    kept = sum(place is not None for side in found for place in side)
    assert 32 < kept < 96
    whole = [(a, b, s) for a, b, s in zip(*found, same, strict=True) if a and b]
    assert len(whole) > 5
    for a, b, s in whole:
        assert (a[0] == b[0]) == (s == 1)
        assert a != b


def test_the_similarity_is_the_mean_over_views(data):
    encoder, run = build_character_encoder(8), data.runs[0]
    total = np.zeros((20, 8))
    for turn, scale, *moved in recipes.VIEWS:
        seen = affine_images(run.test[..., None], turn, 0.0, (scale, scale), tuple(moved))
        rows = embed(encoder, seen)
        total += rows / np.linalg.norm(rows, axis=1, keepdims=True)
    by_hand = total / np.linalg.norm(total, axis=1, keepdims=True)
    np.testing.assert_allclose(recipes.embed_views(encoder, run.test), by_hand, atol=1e-5)
    found = recipes.view_similarity(encoder)(run.train, run.test)
    examples = [row - by_hand.mean(axis=0) / 2 for row in by_hand]
    queries = [row - by_hand.mean(axis=0) / 2 for row in recipes.embed_views(encoder, run.train)]
    for i, j in ((0, 0), (3, 7), (19, 2)):
        lengths = np.linalg.norm(queries[i]) * np.linalg.norm(examples[j])
        assert found[i, j] == pytest.approx(queries[i] @ examples[j] / lengths, abs=1e-4)
    single = recipes.single_view_similarity(encoder)(run.test, run.test)
    np.testing.assert_allclose(np.diag(single), 1, atol=1e-5)


def test_the_verifier_compares_every_pair(data):
    encoder = keras.Sequential(
        [keras.Input((28, 28, 1)), keras.layers.Flatten(), keras.layers.Dense(3)]
    )
    verifier, run = build_verifier(encoder), data.runs[0]
    found = recipes.verifier_similarity(verifier)(run.test[:4], run.train[:5])
    assert found.shape == (4, 5)
    for i in range(4):
        for j in range(5):
            pair = [run.test[i : i + 1, ..., None], run.train[j : j + 1, ..., None]]
            assert found[i, j] == pytest.approx(float(verifier(pair)[0, 0]), abs=1e-5)


def test_encoders_have_the_stated_sizes():
    encoder = build_character_encoder(seed=0)
    assert encoder.count_params() == 504_096
    assert encoder.output_shape == (None, 128)
    first, again, other = (build_character_encoder(seed=s).get_weights()[0] for s in (0, 0, 1))
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    classic = recipes.classic_encoder()
    assert classic.output_shape == (None, 1024)
    with pytest.raises(ValueError, match="dim is 0"):
        build_character_encoder(0)


@pytest.mark.slow
def test_the_command_saves_models_and_prints_a_report(tmp_path, shipped, capsys):
    from siamese_course.cli.train import train_omniglot

    train_omniglot("compare", tmp_path, budget="smoke", seed=0)
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    for recipe in recipes.RECIPES:
        assert json.loads((tmp_path / f"{recipe}.json").read_text()) == report[recipe]
        assert report[recipe]["trials"] == 400
        assert report[recipe]["train_characters"] == 964
        assert 0 <= report[recipe]["one_shot_accuracy"] <= 1
    data = load_omniglot(verbose=False)
    encoder = keras.saving.load_model(tmp_path / "course.keras", compile=False)
    found = one_shot_accuracy(recipes.view_similarity(encoder), data.runs)
    assert round(found, 4) == report["course"]["one_shot_accuracy"]
    verifier = keras.saving.load_model(tmp_path / "classic.keras", compile=False)
    found = one_shot_accuracy(recipes.verifier_similarity(verifier), data.runs)
    assert round(found, 4) == report["classic"]["one_shot_accuracy"]
