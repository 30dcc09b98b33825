"""Trax on today's JAX: what fails or is wasted without the patch, and is not with it.

Two processes at a time, one with plain Trax and one with the patched one, run the same script, and say what they saw.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

OBSERVE = """
import collections, inspect, json, sys, warnings

real_stack, callers = inspect.stack, collections.Counter()

def counting_stack(*arguments):
    callers[sys._getframe(1).f_code.co_filename.replace("\\\\", "/").rsplit("/", 1)[1]] += 1
    return real_stack(*arguments)

import matplotlib
matplotlib.use("svg")
inspect.stack = counting_stack
patched, folder = sys.argv[1] == "patched", sys.argv[2]
if patched:
    from siamese_course.runtime.trax_patch import trax, training
else:
    import trax
    from trax.supervised import training
seen = {
    "looked up by": dict(callers),
    "stack is put back": inspect.stack is counting_stack,
    "backend of the charts": matplotlib.get_backend(),
    "loaded": [n for n in ("gym", "tensorflow_datasets", "tensorflow_text") if n in sys.modules],
}

import tensorflow as tf
try:
    seen["int32 and float32 give"] = (tf.ones(2, tf.int32) + tf.ones(2)).dtype.name
except tf.errors.InvalidArgumentError as error:
    seen["int32 and float32 give"] = type(error).__name__

A = object()
structures = {
    "flat": ([1, 2], (A, A), None),
    "nested": ([1, 2, 3], (A, [A, {"w": A}]), None),
    "all that is left over": ([1, 2, 3], (A,), None),
    "nothing": ([], (), None),
    "empty layers take a leaf each without copying": ([1], [None], None),
    "empty layers are copied": ([1, 2], (A, (), (None, A), []), [None, ()]),
    "empty layers in a dictionary": ([1, 2], {"a": (), "b": A, "c": {"d": None, "e": A}}, [None, ()]),
    "a structure with something in is not empty": ([1], ((A,), ((),)), [None, ()]),
}
seen["unflattened"] = {
    name: repr(trax.fastmath.tree_unflatten(*arguments)) for name, arguments in structures.items()
}

import numpy as np

def loop():
    batch = tuple(np.ones((4, width), "float32") for width in (3, 2, 2))  # inputs, targets, weights
    batches = iter(lambda: batch, None)
    task = training.TrainTask(
        batches, trax.layers.L2Loss(), trax.optimizers.Adam(0.01), n_steps_per_checkpoint=2
    )
    evaluation = training.EvalTask(batches, [trax.layers.L2Loss()])
    model = trax.layers.Serial(trax.layers.Dense(3), trax.layers.Relu(), trax.layers.Dense(2))
    return training.Loop(model, task, eval_tasks=[evaluation], output_dir=folder)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    first = loop()
seen["warned"] = [str(w.message) for w in caught if "process_count" in str(w.message)]
first.run(4)
try:
    again = loop()
except Exception as error:
    seen["resumed"] = type(error).__name__ + ": " + str(error)
else:
    seen["resumed"] = again.step
    seen["weights are back"] = all(
        np.array_equal(a, b) for x, y in zip(first.model.weights, again.model.weights) for a, b in zip(x, y)
    )
    again.run(2)
    seen["in the end"] = again.step
    seen["history"] = [step for step, _ in again.history.get("train", "metrics/L2Loss")]
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def observed():
    """What each process saw, by name: ``seen``, and what it wrote."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    with tempfile.TemporaryDirectory() as folder:
        started = {
            name: subprocess.Popen(
                [sys.executable, "-c", OBSERVE, name, str(Path(folder) / name)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )
            for name in ("plain", "patched")
        }
        written = {name: run.communicate(timeout=400) for name, run in started.items()}
    for name, run in started.items():
        assert run.returncode == 0, written[name][1]
    return {
        name: {"seen": json.loads(out.splitlines()[-1]), "written": out + err}
        for name, (out, err) in written.items()
    }


@pytest.mark.slow
def test_resuming_fails_without_the_patch_and_goes_on_with_it(observed):
    assert observed["plain"]["seen"]["resumed"].startswith("TypeError")
    seen = observed["patched"]["seen"]
    assert seen["resumed"] == 4
    assert seen["weights are back"]
    assert seen["in the end"] == 6
    assert seen["history"] == [1, 2, 6]  # 4 is missing: Trax saves before it evaluates


@pytest.mark.slow
def test_no_decorator_looks_up_the_stack(observed):
    """Calls are counted, not seconds: 65 in Trax 1.4.1, most of them deep inside nested imports."""
    assert observed["plain"]["seen"]["looked up by"]["assert_shape.py"] > 50
    seen = observed["patched"]["seen"]
    assert "assert_shape.py" not in seen["looked up by"]
    assert seen["stack is put back"]


@pytest.mark.slow
def test_modules_that_are_not_used_are_not_loaded(observed):
    assert observed["plain"]["seen"]["loaded"] == ["gym", "tensorflow_datasets", "tensorflow_text"]
    assert observed["patched"]["seen"]["loaded"] == []  # no stand-in is left behind either


@pytest.mark.slow
def test_gym_says_nothing(observed):
    assert "Gym has been unmaintained" in observed["plain"]["written"]
    assert "gym" not in observed["patched"]["written"].lower()


@pytest.mark.slow
def test_charts_are_still_drawn_where_they_were(observed):
    assert observed["plain"]["seen"]["backend of the charts"].lower() == "agg"
    assert observed["patched"]["seen"]["backend of the charts"] == "svg"


@pytest.mark.slow
def test_tensorflow_keeps_its_own_rules(observed):
    assert observed["plain"]["seen"]["int32 and float32 give"] == "float64"
    assert observed["patched"]["seen"]["int32 and float32 give"] == "InvalidArgumentError"


@pytest.mark.slow
def test_host_count_does_not_warn(observed):
    assert len(observed["plain"]["seen"]["warned"]) == 1
    assert observed["patched"]["seen"]["warned"] == []


@pytest.mark.slow
def test_structures_are_put_together_as_trax_does(observed):
    expected = observed["plain"]["seen"]["unflattened"]
    assert len(expected) == 8
    assert observed["patched"]["seen"]["unflattened"] == expected


# With arrays plain Trax raises, or asks NumPy for the truth of an array: the results are by hand.


@pytest.fixture(scope="module")
def trax():
    return pytest.importorskip("siamese_course.runtime.trax_patch").trax


@pytest.mark.parametrize("library", ["numpy", "jax.numpy"])
def test_arrays_in_a_structure_are_leaves(trax, library):
    xp = pytest.importorskip(library)
    old = {"dense": (xp.zeros((2, 3)), xp.zeros(3)), "relu": (), "drop": None, "more": [xp.ones(1)]}
    new = [xp.ones((2, 3)), xp.ones(3), xp.zeros(1), xp.ones(4)]
    got, rest = trax.fastmath.tree_unflatten(new, old, copy_from_tree=[None, ()])
    assert list(got) == list(old)
    assert isinstance(got["dense"], tuple) and isinstance(got["more"], list)
    assert got["dense"][0] is new[0] and got["dense"][1] is new[1] and got["more"][0] is new[2]
    assert got["relu"] == () and got["drop"] is None
    assert len(rest) == 1 and rest[0] is new[3]


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 2)])
def test_arrays_of_any_shape_are_leaves(trax, shape):
    """An array without elements, or with one, is no empty layer."""
    got, rest = trax.fastmath.tree_unflatten(["new"], (np.zeros(shape), ()), copy_from_tree=[()])
    assert got == ("new", ())
    assert rest == []


def test_flattening_and_putting_together_again_changes_nothing(trax):
    encoder = trax.layers.Serial(
        trax.layers.Embedding(7, 4), trax.layers.LSTM(4), trax.layers.Mean(axis=1)
    )
    weights, _ = encoder.init(trax.shapes.ShapeDtype((2, 3), dtype=np.int32))
    flat = [leaf for leaf in trax.fastmath.tree_flatten(weights) if not isinstance(leaf, tuple)]
    got, rest = trax.fastmath.tree_unflatten(flat, weights, copy_from_tree=[None, ()])
    assert rest == []
    assert all(a is b for a, b in zip(trax.fastmath.tree_flatten(got), flat, strict=True))
    assert str(got) == str(weights)


def test_stand_ins_leave_what_is_loaded_alone(trax, monkeypatch):
    from siamese_course.runtime import trax_patch

    present = object()
    monkeypatch.setitem(sys.modules, "gym", present)
    monkeypatch.delitem(sys.modules, "tensorflow_text", raising=False)
    with trax_patch.stand_ins():
        assert sys.modules["gym"] is present
        assert "tensorflow_text" in sys.modules
    assert sys.modules["gym"] is present
    assert "tensorflow_text" not in sys.modules


def test_stand_ins_go_when_an_import_fails(trax, monkeypatch):
    from siamese_course.runtime import trax_patch

    monkeypatch.delitem(sys.modules, "gym", raising=False)
    with pytest.raises(ImportError, match="broken"), trax_patch.stand_ins():
        raise ImportError("broken")
    assert "gym" not in sys.modules


def test_two_frames_are_those_of_the_real_stack(trax):
    import inspect

    from siamese_course.runtime.trax_patch import two_frames

    def called():
        return two_frames(), inspect.stack()[:2]

    short, real = called()
    assert [f.function for f in short] == [f.function for f in real]
    assert [f.filename for f in short] == [f.filename for f in real]
    assert [f.lineno for f in short] == [f.lineno for f in real]
    assert short[1][0] is real[1][0]  # the frame of the caller: what Trax looks at
