"""Several processes train what one alone would have trained."""

import json
import os
import socket
import subprocess
import sys

import numpy as np
import pytest

from siamese_course.runtime.errors import CourseError
from siamese_course.scale import parallel
from tests.conftest import ROOT
from tests.tools import write_tiny_preset

TRAINING = """
import json, sys
from siamese_course.scale import parallel

preset, number, *addresses = sys.argv[1:]
team = parallel.join(addresses, int(number)) if addresses else parallel.team()
import keras
from siamese_course.models.sentences import make_encoder
from siamese_course.recipes import sentences as recipes
from tests.recipes.test_sentences import SIZES, ScoredData, made_up_scores


def make():
    keras.utils.set_random_seed(0)  # of dropout
    return make_encoder(preset)


data = ScoredData(made_up_scores(), made_up_scores(), None, "made up")
encoder = make()
run = team.train(
    encoder,
    make,
    lambda encoder: recipes.train_pairs("course", encoder, data, SIZES, team=team, verbose=False),
)
rows = encoder.encode(data.train.sentence1[:9], verbose=False).tolist()
assert team.processes == parallel.processes()[1]
print(json.dumps([run.history.losses, rows, parallel.processes()]))
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def train(preset, count):
    """What each of ``count`` processes prints last."""
    addresses = [f"127.0.0.1:{free_port()}", "127.0.0.1"] if count == 2 else []
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", TRAINING, str(preset), str(number), *addresses],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "KERAS_BACKEND": "jax"},
            cwd=ROOT,
        )
        for number in range(count)
    ]
    try:
        written = [run.communicate(timeout=300) for run in runs]
    finally:
        for run in runs:
            run.kill()
    assert [run.returncode for run in runs] == [0] * count, written
    return [json.loads(out.splitlines()[-1]) for out, _ in written]


@pytest.mark.slow
def test_two_processes_have_the_loss_curve_of_one(tmp_path):
    """The ranking loss compares all rows of a batch: its curve shows that they meet across processes."""
    preset = write_tiny_preset(tmp_path)
    ((alone, expected, processes),) = train(preset, 1)
    assert processes == [0, 1]
    for number, (curve, rows, processes) in enumerate(train(preset, 2)):
        assert processes == [number, 2]
        assert len(curve) == 20 and np.ptp(curve) > 0.01
        np.testing.assert_allclose(curve, alone, rtol=1e-3)
        np.testing.assert_allclose(rows, expected, atol=1e-3)  # and the encoder is whole


def batches(rows):
    yield {"token_ids": np.arange(2 * rows).reshape(rows, 2)}, np.arange(rows)


def test_each_process_has_its_own_rows(monkeypatch):
    ((inputs, targets),) = parallel.own_rows(batches(6))
    assert targets.tolist() == [0, 1, 2, 3, 4, 5]
    kept = []
    for number in range(3):
        monkeypatch.setattr(parallel, "processes", lambda number=number: (number, 3))
        ((inputs, targets),) = parallel.own_rows(batches(6))
        assert inputs["token_ids"][:, 0].tolist() == [2 * row for row in targets]
        kept += targets.tolist()
    assert kept == [0, 1, 2, 3, 4, 5]
    with pytest.raises(CourseError, match="A batch has 7 rows, and must divide by 3 processes"):
        next(parallel.own_rows(batches(7)))


def test_several_processes_need_jax():
    with pytest.raises(CourseError, match="set KERAS_BACKEND=jax"):
        parallel.join(["127.0.0.1:1", "127.0.0.1"], 0)


@pytest.mark.parametrize("number", [-1, 2])
def test_a_process_that_there_is_not(monkeypatch, number):
    monkeypatch.setattr(parallel.keras.backend, "backend", lambda: "jax")
    with pytest.raises(CourseError, match=f"process is {number}, and must be from 0 to 1"):
        parallel.join(["127.0.0.1:1", "127.0.0.1"], number)
