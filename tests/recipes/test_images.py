"""The MNIST recipes: what they reach on the shipped digits, and that what is saved is what was trained."""

import json
import subprocess
import sys

import keras
import numpy as np
import pytest

from siamese_course.datasets.mnist import load_mnist
from siamese_course.models.images import build_encoder
from siamese_course.recipes import images as recipes
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.settings import BUDGETS, budget, mnist_sizes


@pytest.fixture
def digits(shipped):
    return load_mnist(verbose=False)


@pytest.mark.slow
def test_the_course_recipe_reaches_93_percent_on_the_shipped_digits(digits):
    trained, report = recipes.run("course", digits, "course", verbose=False)
    assert report["knn5_accuracy"] >= 0.93
    assert report["knn5_accuracy"] == round(recipes.score(trained.encoder, digits), 4)
    assert trained.encoder.output_shape == (None, 2)
    assert trained.encoder.count_params() == 1_855_490


@pytest.mark.release
@pytest.mark.real_data
def test_the_figures_on_the_60000_digits(real_data):
    """Accuracy only: how long each takes is for `siamese-course train mnist --recipe compare` to show."""
    digits = load_mnist(verbose=False)
    assert len(digits.train_labels) == 60_000
    reports = {
        name: recipes.run(name, digits, "full", verbose=False)[1] for name in recipes.RECIPES
    }
    assert reports["classic"]["steps"] == 2340
    assert abs(reports["classic"]["knn5_accuracy"] - 0.845) < 0.02
    assert reports["course"]["knn5_accuracy"] >= 0.98


@pytest.mark.slow
def test_the_final_weights_are_saved_and_reload_bit_by_bit(digits, tmp_path):
    trained = recipes.train_course(
        digits.train_images, digits.train_labels, kilo_images=12, verbose=False
    )
    before = recipes.embed(trained.encoder, digits.test_images)
    trained.encoder.save(tmp_path / "encoder.keras")
    after = recipes.embed(keras.saving.load_model(tmp_path / "encoder.keras"), digits.test_images)
    assert np.array_equal(before, after)
    untrained = build_encoder(seed=0)
    assert not np.array_equal(before, recipes.embed(untrained, digits.test_images))


@pytest.mark.slow
@pytest.mark.parametrize("recipe", recipes.RECIPES)
def test_one_seed_gives_one_training(digits, recipe):
    images, labels = digits.train_images[::8], digits.train_labels[::8]

    def trained(seed):
        train = recipes.TRAINERS[recipe]
        run = train(images, labels, kilo_images=5, seed=seed, verbose=False)
        return run.history.losses, recipes.embed(run.encoder, digits.test_images[:20])

    first, again, other = trained(0), trained(0), trained(1)
    np.testing.assert_allclose(first[1], again[1], atol=1e-3)
    assert not np.allclose(first[1], other[1], atol=1e-3)
    assert first[0][-1] < first[0][0]


@pytest.mark.parametrize("train", [recipes.train_classic, recipes.train_course])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"images": np.full((400, 784), 255.0)}, "images holds values from 255"),
        ({"images": np.full((400, 784), np.nan)}, "images holds NaN"),
        ({"labels": np.zeros(399, int)}, r"labels has shape \(399,\)"),
        ({"images": np.zeros((0, 784)), "labels": np.zeros(0, int)}, "images is empty"),
    ],
)
def test_bad_input_is_named_before_any_training(train, change, message):
    arguments = {"images": np.full((400, 784), 0.5), "labels": np.arange(400) % 10}
    with pytest.raises(ValueError, match=message):
        train(**{**arguments, **change}, kilo_images=1, verbose=False)


def test_budgets_grow(monkeypatch):
    sizes = [mnist_sizes(name) for name in BUDGETS]
    assert [s.course_kilo_images for s in sizes] == sorted(s.course_kilo_images for s in sizes)
    monkeypatch.setenv("SIAMESE_COURSE_BUDGET", "huge")
    with pytest.raises(
        CourseError, match="The budget is 'huge'; expected one of smoke, course, full"
    ):
        budget()


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["tensorflow", pytest.param("jax", marks=pytest.mark.slow)])
def test_command_line_training_ends_with_one_json_object(tmp_path, shipped, backend, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", backend)
    command = [sys.executable, "-m", "siamese_course.cli", "train", "mnist"]
    options = ["--recipe", "compare", "--budget", "smoke", "--out", str(tmp_path)]
    run = subprocess.run([*command, *options], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout.splitlines()[-1])
    for name in recipes.RECIPES:
        assert {"recipe", "seconds", "knn5_accuracy", "data_source"} <= set(report[name])
        assert report[name]["backend"] == backend
        assert json.loads((tmp_path / f"{name}.json").read_text()) == report[name]
        assert keras.saving.load_model(tmp_path / f"{name}.keras").output_shape == (None, 2)
    assert report["course"]["knn5_accuracy"] > report["classic"]["knn5_accuracy"]


@pytest.mark.parametrize("recipe", recipes.RECIPES)
def test_color_images_of_any_size_are_trained_on(recipe):
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 7], 300)
    images = np.clip(
        rng.random((600, 9, 12, 3), "float32") / 2 + labels[:, None, None, None] / 14, 0, 1
    )
    run = recipes.TRAINERS[recipe](images, labels, kilo_images=0.6, verbose=False)
    assert run.encoder.input_shape == (None, 9, 12, 3)
    assert np.isfinite(run.history.losses).all()
    assert np.isfinite(recipes.embed(run.encoder, images[:5])).all()


@pytest.mark.parametrize("shape", [(9, 16), (20, 28), (6, 6), (36,)])
def test_small_gray_images_are_shifted_as_they_are(shape, monkeypatch):
    seen = []

    def shift_images(images, rng):
        seen.append(images.shape[1:])
        return images

    monkeypatch.setattr(recipes, "shift_images", shift_images)
    images = np.random.default_rng(0).random((40, *shape), "float32")
    recipes.train_course(images, np.arange(40) % 4, kilo_images=0.04, verbose=False)
    assert set(seen) == {shape}
