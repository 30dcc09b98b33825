"""A notebook starts quietly, leaves room on a GPU, and gets Trax where pip left it out."""

import os
import subprocess
import sys

import pytest

from siamese_course.runtime import startup
from siamese_course.runtime.errors import CourseError


@pytest.mark.slow
def test_a_command_that_loads_tensorflow_writes_nothing_to_stderr():
    code = """
from siamese_course.runtime.quiet import quiet_tensorflow
quiet_tensorflow()
import tensorflow as tf
print(tf.reduce_sum(tf.ones(2)).numpy())
tf.get_logger().warning("as of a function that is traced often")
"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert (run.stdout, run.stderr) == ("2.0\n", "")


@pytest.mark.slow
def test_jax_and_tensorflow_share_a_gpu(monkeypatch, capsys):
    """Each takes memory as it needs it; what is set already stays."""
    names = ("XLA_PYTHON_CLIENT_PREALLOCATE", "TF_FORCE_GPU_ALLOW_GROWTH")
    for name in names:
        monkeypatch.setenv(name, "as before")  # so that it is restored after the test
        monkeypatch.delenv(name)
    startup.start()
    assert [os.environ[name] for name in names] == ["false", "true"]
    monkeypatch.setenv(names[1], "false")
    startup.start()
    assert [os.environ[name] for name in names] == ["false", "false"]


def test_trax_is_installed_only_where_it_is_missing(monkeypatch, capsys):
    commands = []

    def run(command):
        commands.append(command)
        return subprocess.CompletedProcess(command, returncode=len(commands) - 1)

    monkeypatch.setattr(startup.subprocess, "run", run)
    monkeypatch.setattr(startup, "find_spec", lambda name: object())
    startup.install_trax()
    assert not commands
    monkeypatch.setattr(startup, "find_spec", lambda name: None)
    startup.install_trax()
    assert commands[0][-4:] == ["--no-deps", *startup.TRAX]
    assert "without its dependencies" in capsys.readouterr().out
    with pytest.raises(CourseError, match=r"--no-deps trax==1\.4\.1"):
        startup.install_trax()


@pytest.mark.slow
def test_trax_needs_none_of_the_packages_that_windows_lacks():
    code = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in {"gym", "tensorflow_datasets", "tensorflow_text", "promise", "array_record"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
from siamese_course.runtime.trax_patch import training, trax
import keras_hub
print(trax.layers.Dense(2), training.Loop.__name__)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "Dense_2 Loop\n", run.stderr


def test_without_trax_its_module_names_the_command():
    code = """
import importlib.util as util
found = util.find_spec
util.find_spec = lambda name, *more: None if name == "trax" else found(name, *more)
from siamese_course.runtime import trax_patch
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (
        f"CourseError: Trax is not installed here: pip leaves it out on Windows. Run: {startup.TRAX_COMMAND}"
        in run.stderr
    )
