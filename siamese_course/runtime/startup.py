"""Start a notebook: load the backend without its start-up messages, and say what there is."""

import logging
import os
import sys

from siamese_course import __version__
from siamese_course.runtime import settings
from siamese_course.runtime.quiet import quiet_stderr


def start(seed: int = 0) -> None:
    """Load Keras quietly, seed everything, and print versions, backend and budget in one line.

    Args:
        seed: for Python, NumPy and the backend.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if (
        settings.budget() == "smoke"
    ):  # a few steps: compiling quickly matters more than running quickly
        os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
    with quiet_stderr():
        import keras

        keras.utils.set_random_seed(seed)
        keras.ops.zeros(
            1
        )  # the first operation looks for a GPU, and says at length that there is none
    if "google.colab" in sys.modules:  # Colab shows other people's widgets only when asked to
        from google.colab import output

        output.enable_custom_widget_manager()
    logging.getLogger("tensorflow").setLevel("ERROR")
    print(
        f"siamese-course {__version__}, Keras {keras.version()} on {keras.backend.backend()}, "
        f"budget: {settings.budget()}"
    )


def halve_cores() -> None:
    """Let TensorFlow run two operations at a time, each on half of the cores, as ``models.packed`` wants it.

    By default two at a time share all cores, and wait for each other. Good for sentence encoders on a CPU, bad
    for models of few large operations. To be called before TensorFlow's first operation; what the environment
    says already is left as it is.
    """
    half = max(1, (os.cpu_count() or 1) // 2)
    os.environ.setdefault("TF_NUM_INTRAOP_THREADS", str(half))
    os.environ.setdefault("TF_NUM_INTEROP_THREADS", "2")
