"""Trax 1.4.1 (2021) on today's JAX: ``from siamese_course.runtime.trax_patch import trax``.

What it fixes, each with a test that fails without it:

* **Resuming.** ``fastmath.tree_unflatten`` checks for every leaf whether it is in ``[None, ()]``. Today's JAX raises
  TypeError when an array is compared with a tuple, so no Loop could resume from its checkpoint.
* **Stopping.** The stop button during a checkpoint left half of its files. Now the checkpoint is finished first.
* **Time.** Trax's shape decorators look up the source of the whole call stack, 65 times in an import.
* **Noise and weight.** gym (which prints a banner), tensorflow_datasets and tensorflow_text are imported by modules
  that do not need them for this course. Stand-ins replace them until Trax is loaded.
* **TensorFlow's own rules.** Trax makes TensorFlow follow NumPy's for the rest of the process: the product of a boolean
  mask and floats is no longer an error, and sums of int32 and float32 are float64.
* **Charts.** Trax's log writer switches matplotlib to a backend without a screen: notebooks no longer show charts.
* **Names.** ``jax.host_count`` warns and will be removed; its name is now ``jax.process_count``.

JAX is Trax's default backend and the only one used here.
"""

import contextlib
import functools
import inspect
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any
from unittest import mock

import jax

from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.interrupts import finished_first
from siamese_course.runtime.quiet import quiet_stderr
from siamese_course.runtime.startup import TRAX_COMMAND

UNUSED = ("gym", "tensorflow_datasets", "tensorflow_text")


@contextlib.contextmanager
def stand_ins() -> Iterator[None]:
    """Replace modules that Trax imports and the course does not use, unless they are loaded already."""
    absent = [name for name in UNUSED if name not in sys.modules]
    sys.modules.update({name: mock.MagicMock(name=name) for name in absent})
    try:
        yield
    finally:
        for name in absent:
            sys.modules.pop(name, None)


def two_frames(context: int = 1) -> list[inspect.FrameInfo]:
    """Return the first two entries of ``inspect.stack()``, without their source text."""
    here = sys._getframe(1)
    return [
        inspect.FrameInfo(f, f.f_code.co_filename, f.f_lineno, f.f_code.co_name, None, None)
        for f in (here, here.f_back)
        if f is not None
    ]


def fix_resuming(trax: Any) -> None:
    """Make ``tree_unflatten`` compare only empty structures with ``copy_from_tree``."""
    original = trax.fastmath.tree_unflatten

    def tree_unflatten(flat: Any, tree: Any, copy_from_tree: Any = None) -> Any:
        may_be_empty = tree is None or isinstance(tree, list | tuple | dict)
        return original(flat, tree, copy_from_tree if may_be_empty else None)

    trax.fastmath.tree_unflatten = tree_unflatten
    # Under this name it calls itself
    vars(sys.modules["trax.fastmath.numpy"])["tree_unflatten"] = tree_unflatten


def fix_stopping(loop_class: Any) -> None:
    """Let a Loop finish a checkpoint before Ctrl-C stops it."""
    original = loop_class.save_checkpoint

    @functools.wraps(original)
    def save_checkpoint(self: Any, basename: str) -> None:
        with finished_first():
            original(self, basename)

    loop_class.save_checkpoint = save_checkpoint


if "trax" not in sys.modules and find_spec("trax") is None:
    raise CourseError(
        f"Trax is not installed here: pip leaves it out on Windows. Run: {TRAX_COMMAND}"
    )

with (
    quiet_stderr(),
    stand_ins(),
    mock.patch.object(inspect, "stack", two_frames),
    mock.patch("matplotlib.use"),
    mock.patch("tensorflow.python.ops.numpy_ops.np_config.enable_numpy_behavior"),
):
    import trax
    from trax.supervised import training

fix_resuming(trax)
fix_stopping(training.Loop)
jax.host_count = jax.process_count  # what trax.supervised.training calls

__all__ = ["training", "trax"]
