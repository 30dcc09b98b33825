"""The training loop: points of the loss curve, and steps that divide into them."""

import itertools

import keras
import numpy as np
import pytest

from siamese_course.training.loop import LOG_INTERVALS, round_steps, train


def test_the_loss_curve_is_the_mean_over_each_interval():
    """Learning rate 0, two batches in turn: every point of the curve is the mean of the two losses."""
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(0.0), "mse")
    batches = [(np.full((3, 2), value, "float32"), np.zeros((3, 1), "float32")) for value in (1, 2)]
    history = train(model, itertools.cycle(batches), 2 * LOG_INTERVALS, verbose=False)
    assert history.losses == pytest.approx([(4 + 16) / 2] * LOG_INTERVALS)
    assert history.steps == list(range(2, 2 * LOG_INTERVALS + 1, 2))


def test_steps_divide_into_intervals():
    assert round_steps(2340) == 2340
    assert round_steps(0.1) == 1
    assert round_steps(7) == 7
    assert round_steps(31) == 40
