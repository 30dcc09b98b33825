"""Learning rates: their curves, and that a saved compiled model brings its schedule along."""

import keras
import numpy as np
import pytest

from siamese_course.training.schedules import OneCycle, WarmupRsqrt


def test_one_cycle_rises_and_falls_to_zero():
    schedule = OneCycle(2.0, steps=100)
    rates = [float(schedule(step)) for step in range(101)]
    assert rates[0] == pytest.approx(2.0 / 11)
    assert max(rates) == pytest.approx(2.0, rel=0.01)
    assert np.argmax(rates) == 10
    assert rates[100] == 0.0
    assert OneCycle(**schedule.get_config()).get_config() == schedule.get_config()


@pytest.mark.parametrize("warmup", [1, 10, 400])
def test_warmup_rsqrt_is_the_formula(warmup):
    """Trax's own schedule is the oracle in test_questions.py."""
    schedule = WarmupRsqrt(0.01, warmup)
    for step in (0, warmup - 1, warmup, 5 * warmup, 7399):
        one = step + 1
        expected = 0.01 * min(one, warmup + 1) / (warmup + 1)
        expected *= ((warmup + 1) / max(one, warmup + 1)) ** 0.5
        assert float(schedule(step)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("schedule", [OneCycle(0.5, 100, 0.2), WarmupRsqrt(0.5, 7)])
def test_a_saved_compiled_model_loads_with_its_schedule(schedule, tmp_path):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(schedule), "mse")
    model.train_on_batch(np.ones((4, 2)), np.zeros((4, 1)))
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    config = loaded.optimizer.get_config()["learning_rate"]
    assert config["registered_name"] == f"siamese_course>{type(schedule).__name__}"
    assert config["config"] == schedule.get_config()
    assert float(loaded.optimizer.learning_rate) == pytest.approx(float(schedule(1)))
