"""A Trax Loop stops after a step, keeps what it has learned, and can go on."""

import builtins
import os
import signal

import numpy as np
import pytest

from siamese_course.models.questions_trax import leaves
from siamese_course.runtime.trax_patch import training, trax
from siamese_course.training.trax_loop import run_loop

tl, jnp = trax.layers, trax.fastmath.numpy


def batches(stop_at=None):
    rng, drawn = np.random.default_rng(0), 0
    while True:
        drawn += 1
        if drawn == stop_at:
            os.kill(os.getpid(), signal.SIGINT)
        yield rng.integers(2, 9, (2, 3)), rng.integers(2, 9, (2, 3))


def make_loop(stop_at=None):
    encoder = tl.Serial(tl.Embedding(9, 4), tl.Mean(axis=1))
    loss = tl.Fn("Loss", lambda left, right: jnp.mean((left - right) ** 2))
    task = training.TrainTask(
        batches(stop_at), loss, trax.optimizers.Adam(0.01), n_steps_per_checkpoint=100
    )
    return training.Loop(tl.Parallel(encoder, encoder), task, random_seed=1)


def test_it_runs_to_the_number_of_steps(capsys):
    loop = make_loop()
    assert run_loop(loop, 3) == loop.step == 3
    assert run_loop(loop, 5) == 5
    assert run_loop(loop, 5) == 5
    assert "Stopped" not in capsys.readouterr().out


@pytest.fixture
def notebook(monkeypatch):
    monkeypatch.setattr(builtins, "__IPYTHON__", True, raising=False)


def test_a_stop_ends_it_after_the_step_and_says_how_many_were_done(notebook, capsys):
    # Trax draws one batch for itself before the first step
    loop = make_loop(stop_at=4)
    done = run_loop(loop, 10)
    assert done == loop.step == 3
    assert "Stopped after 3 of 10 steps" in capsys.readouterr().out
    whole = make_loop()
    run_loop(whole, 3)
    for stopped, complete in zip(
        leaves(loop.model.weights), leaves(whole.model.weights), strict=True
    ):
        np.testing.assert_allclose(stopped, complete)
    assert leaves(loop.eval_model.weights)[0] == pytest.approx(leaves(loop.model.weights)[0])
    assert run_loop(loop, 10) == 10


def test_outside_a_notebook_a_stop_is_an_interrupt():
    loop = make_loop(stop_at=4)
    with pytest.raises(KeyboardInterrupt):
        run_loop(loop, 10)
    assert loop.step == 3
