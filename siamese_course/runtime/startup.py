"""Start a notebook: load the backend without its start-up messages, and print the versions."""

import gc
import importlib
import logging
import os
import subprocess
import sys
from importlib.util import find_spec

from siamese_course import __version__
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.quiet import quiet_stderr


def start(seed: int = 0) -> None:
    """Load Keras quietly, seed everything, and print versions, backend and budget in one line.

    Args:
        seed: for Python, NumPy and the backend.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # On a GPU, JAX and TensorFlow (notebook 02 uses both) would each take nearly all of its memory
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    # In a few steps, fast compilation matters more than fast execution
    if settings.budget() == "smoke":
        os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
    with quiet_stderr():
        gc.disable()  # it only slows down importing
        try:
            import keras
        finally:
            gc.enable()
        keras.utils.set_random_seed(seed)
        # The first operation looks for a GPU, and logs several lines if there is none
        keras.ops.zeros(1)
    # Colab shows third-party widgets only if they are enabled
    if "google.colab" in sys.modules:
        from google.colab import output

        output.enable_custom_widget_manager()
    logging.getLogger("tensorflow").setLevel("ERROR")
    print(
        f"siamese-course {__version__}, Keras {keras.version()} on {keras.backend.backend()}, "
        f"budget: {settings.budget()}"
    )


def halve_cores() -> None:
    """Let TensorFlow run two operations at a time, each on half of the cores.

    By default two operations share all cores and wait for each other. This speeds up siamese models of text on a
    CPU, whose sides are computed at the same time, and slows down models of few large operations, such as those of
    notebook 02 that start from RoBERTa's states. Call it before TensorFlow's first operation. Variables that are
    already set keep their values.
    """
    half = max(1, (os.cpu_count() or 1) // 2)
    os.environ.setdefault("TF_NUM_INTRAOP_THREADS", str(half))
    os.environ.setdefault("TF_NUM_INTEROP_THREADS", "2")


TRAX = ("trax==1.4.1", "funcsigs==1.0.2", "gin-config==0.5.0")
"""Trax, and those of its dependencies that the course uses but does not declare."""
TRAX_COMMAND = f"python -m pip install --no-deps {' '.join(TRAX)}"


def install_trax() -> None:
    """Install Trax where it is missing, which is on Windows.

    There pip cannot resolve its dependencies: TensorFlow Text does not exist for Windows. The course does not use it.

    Raises:
        CourseError: pip failed, perhaps offline.
    """
    if find_spec("trax"):
        return
    print("Trax is missing, as on Windows: installing it without its dependencies.")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", *TRAX]
    if subprocess.run(command).returncode:
        raise CourseError(f"Trax could not be installed. With a network, run: {TRAX_COMMAND}")
    importlib.invalidate_caches()
