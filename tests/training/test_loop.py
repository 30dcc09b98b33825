"""The training loop: points of the loss curve, and steps that divide into them."""

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

from siamese_course.runtime.errors import CourseError
from siamese_course.training.loop import LOG_INTERVALS, round_steps, train
from tests.conftest import ROOT


def test_the_loss_curve_is_the_mean_over_each_interval():
    """Learning rate 0, two batches in turn: every point of the curve is the mean of the two losses."""
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(0.0), "mse")
    batches = [(np.full((3, 2), value, "float32"), np.zeros((3, 1), "float32")) for value in (1, 2)]
    history = train(model, itertools.cycle(batches), 2 * LOG_INTERVALS, verbose=False)
    assert history.losses == pytest.approx([(4 + 16) / 2] * LOG_INTERVALS)
    assert history.steps == list(range(2, 2 * LOG_INTERVALS + 1, 2))


def test_snapshots_run_from_before_the_first_step_to_after_the_last():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    batches = itertools.repeat((np.ones((3, 2), "float32"), np.zeros((3, 1), "float32")))
    history = train(
        model,
        batches,
        2 * LOG_INTERVALS,
        embed=lambda: model.get_weights()[0].copy(),
        snapshots=4,
        verbose=False,
    )
    assert len(history.snapshots) == 4
    assert (min(history.snapshots), max(history.snapshots)) == (0, 2 * LOG_INTERVALS)
    assert np.array_equal(history.snapshots[0], np.ones((2, 1)))
    assert np.array_equal(history.snapshots[2 * LOG_INTERVALS], model.get_weights()[0])


def test_steps_divide_into_intervals():
    assert round_steps(2340) == 2340
    assert round_steps(0.1) == 1
    assert round_steps(7) == 7
    assert round_steps(31) == 40


def test_rows_of_any_length_are_traced_once_and_train_as_in_keras():
    tf = pytest.importorskip("tensorflow")
    calls = []

    def loss(targets, embeddings):
        calls.append(embeddings.shape)
        return keras.ops.mean(keras.ops.square(embeddings - targets), axis=-1)

    def build(optimizer):
        ids = keras.Input((None,), dtype="int32")
        states = keras.layers.Embedding(9, 4, embeddings_initializer=keras.initializers.Ones())(ids)
        model = keras.Model(ids, keras.layers.GlobalAveragePooling1D()(states))
        model.compile(optimizer(0.1), loss)
        return model

    class Adam(keras.optimizers.Adam):  # Keras adds up the squares of a repeated token's gradients
        def update_step(self, gradient, *more):
            super().update_step(tf.convert_to_tensor(gradient), *more)

    rng = np.random.default_rng(0)
    batches = [(rng.integers(0, 9, (6, n)), rng.random((6, 4), "float32")) for n in (3, 5, 2)]
    model = build(keras.optimizers.Adam)
    history = train(model, itertools.cycle(batches), LOG_INTERVALS, jit=False, verbose=False)
    assert calls == [(6, 4)]  # Keras calls a loss from Python only while it traces
    plain, expected = build(Adam), []
    for batch in itertools.islice(itertools.cycle(batches), LOG_INTERVALS):
        plain.reset_metrics()  # or older versions of Keras return the mean so far
        expected.append(plain.train_on_batch(*batch, return_dict=True)["loss"])
    np.testing.assert_allclose(history.losses, expected, rtol=1e-4)
    # Later batches may have another size, and weights
    for part in (slice(0, 4), slice(0, 2)):
        ids, targets = (array[part] for array in batches[0])
        logs = model.train_on_batch(ids, targets, np.ones(len(ids)), return_dict=True)
        assert np.isfinite(logs["loss"])
    model.optimizer.learning_rate = 0.0
    fitted = model.fit(*batches[1], batch_size=4, verbose=0).history["loss"][0]
    assert fitted == pytest.approx(model.evaluate(*batches[1], verbose=0), rel=1e-5)
    mixed = itertools.cycle([tuple(array[:3] for array in batches[0]), batches[1]])
    history = train(model, mixed, LOG_INTERVALS, jit=False, verbose=False)
    assert history.losses[:2] == pytest.approx(history.losses[2:4], rel=1e-5)
    assert history.losses[1] == pytest.approx(fitted, rel=1e-5)


def test_a_longer_training_of_the_same_model_is_traced():
    calls = []

    def loss(targets, outputs):
        calls.append(outputs.shape)
        return keras.ops.mean(keras.ops.square(outputs - targets), axis=-1)

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", loss)
    batches = itertools.repeat((np.ones((3, 2), "float32"), np.zeros((3, 1), "float32")))
    train(model, batches, 3, jit=False, verbose=False)
    assert len(calls) == 3  # eagerly
    train(model, batches, LOG_INTERVALS, jit=False, verbose=False)
    assert len(calls) < 3 + LOG_INTERVALS


# --- checkpoints ---


def train_two_stages(folder=None, die_before=0, seed=0, about=""):
    """Train with dropout in two stages that share a source of random numbers; all weights at the end."""
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Dense(8), keras.layers.Dropout(0.5), keras.layers.Dense(2)]
    model = keras.Sequential([keras.Input((4,)), *layers])
    rng, drawn = np.random.default_rng(seed), itertools.count(1)

    def batches():
        while True:
            if next(drawn) == die_before:
                os.kill(os.getpid(), signal.SIGKILL)
            yield rng.random((6, 4), "float32"), rng.random((6, 2), "float32")

    for name in ("first", "second"):
        model.compile(keras.optimizers.Adam(0.01), "mse")
        options = {"jit": False, "verbose": False, "folder": folder, "about": about}
        train(model, batches(), LOG_INTERVALS, name=name, **options)
    return model.get_weights()


@pytest.mark.slow
def test_a_killed_training_ends_as_if_it_had_never_been_killed(tmp_path):
    """The process dies in the second stage, two steps after a checkpoint."""
    code = "import sys; from pathlib import Path; from tests.training.test_loop import *; "
    code += f"train_two_stages(Path(sys.argv[1]), {LOG_INTERVALS + 15})"
    killed = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    assert {path.name for path in tmp_path.iterdir()} == {"first.npz", "second.npz"}
    with np.load(tmp_path / "second.npz") as kept:
        assert kept["history"][0].tolist() == list(range(1, 13))
    resumed, whole = train_two_stages(tmp_path), train_two_stages()
    for left, right in zip(resumed, whole, strict=True):
        np.testing.assert_allclose(left, right, atol=1e-6)


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    train_two_stages(tmp_path)
    with pytest.raises(CourseError, match="other data, options or versions"):
        train_two_stages(tmp_path, seed=1)
    with pytest.raises(CourseError, match="other data, options or versions"):
        train_two_stages(tmp_path, about="max pooling")
    Path(tmp_path, "first.npz").write_bytes(b"PK half of a file")
    with pytest.raises(CourseError, match=r"first\.npz.*without --resume"):
        train_two_stages(tmp_path)
