"""The settings of a run: where data may come from, and how much work to do.

========================  ======================================================================
environment variable      meaning
========================  ======================================================================
SIAMESE_COURSE_DATA       a course data directory to read instead of the network, or ``shipped``
                          to use only the small data that comes with the course
SIAMESE_COURSE_CACHE      where downloads are kept (default: the user's cache folder)
SIAMESE_COURSE_PROGRESS   the file that keeps the learner's points, or ``off`` to keep none
                          (see ``exercises.record``)
SIAMESE_COURSE_BUDGET     ``smoke``, ``course`` (default) or ``full``
========================  ======================================================================
"""

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from siamese_course.runtime.errors import CourseError

BUDGETS = ("smoke", "course", "full")
BACKENDS = ("tensorflow", "jax", "torch")
SHIPPED = "shipped"


@dataclass(frozen=True)
class MnistSizes:
    """How much notebook 01 trains: training images seen, in thousands, whatever the data's size."""

    classic_kilo_images: int
    course_kilo_images: int
    one_shot_kilo_images: int


MNIST_SIZES = {
    "smoke": MnistSizes(classic_kilo_images=12, course_kilo_images=24, one_shot_kilo_images=16),
    "course": MnistSizes(classic_kilo_images=120, course_kilo_images=240, one_shot_kilo_images=120),
    "full": MnistSizes(classic_kilo_images=600, course_kilo_images=420, one_shot_kilo_images=300),
}


@dataclass(frozen=True)
class OmniglotSizes:
    """How long the recipes for Omniglot train, in optimizer steps."""

    classic_steps: int
    course_steps: int


OMNIGLOT_SIZES = {
    "smoke": OmniglotSizes(classic_steps=4, course_steps=4),
    "course": OmniglotSizes(classic_steps=600, course_steps=1_600),
    "full": OmniglotSizes(classic_steps=3_000, course_steps=3_600),
}


@dataclass(frozen=True)
class QuoraSizes:
    """How much notebook 02 trains: the most pairs that a recipe reads, and optimizer steps.

    Attributes:
        classic_rows, classic_steps, course_rows, course_steps: of the two recipes; the notebook shares the classic ones.
        rung_steps, last_steps: steps of a rung of the notebook's ladder: of the LSTMs, and of what follows them.
        batch: rows in a batch of the notebook.
        max_length, token_length: words and tokens of a question that the notebook reads.
        scored: most pairs that the notebook validates and tests on; None for all.
    """

    classic_rows: int
    classic_steps: int
    course_rows: int
    course_steps: int
    rung_steps: int = 60
    last_steps: int = 80
    batch: int = 256
    max_length: int = 24
    token_length: int = 32
    scored: int | None = None


QUORA_SIZES = {
    "smoke": QuoraSizes(
        500, 20, 2_000, 4, 2, 4, batch=64, max_length=8, token_length=8, scored=500
    ),
    "course": QuoraSizes(10_000, 80, 100_000, 400),
    "full": QuoraSizes(50_000, 740, 250_000, 1_200, rung_steps=400, last_steps=1000),
}


@dataclass(frozen=True)
class SentenceSizes:
    """How much notebook 03 and the recipes train, in optimizer steps and passes over the data.

    The classic steps are those of the published example: batches of six. Epochs are passes over the data;
    ``max_triplets`` caps a pass over triplets. The rest is the notebook's: steps, learning rate and batch size
    of its fine-tuning on pairs and on triplets.
    """

    classic_pair_steps: int
    classic_triplet_steps: int
    pair_epochs: int
    triplet_epochs: int
    max_triplets: int
    pair_steps: int = 200
    triplet_steps: int = 80
    pair_rate: float = 1e-4
    triplet_rate: float = 1e-4
    batch_size: int = 32
    triplet_batch: int = 16


SENTENCE_SIZES = {
    "smoke": SentenceSizes(2, 2, 1, 1, 256, 2, 2, batch_size=6, triplet_batch=6),
    "course": SentenceSizes(160, 100, 3, 2, 4_000),
    "full": SentenceSizes(300, 200, 3, 1, 30_000, 800, 600),
}


def budget(name: str | None = None) -> str:
    """The budget by name, or the one that SIAMESE_COURSE_BUDGET names, or ``course``.

    Raises:
        CourseError: the name is not one of ``BUDGETS``.
    """
    name = name or os.environ.get("SIAMESE_COURSE_BUDGET") or "course"
    if name not in BUDGETS:
        raise CourseError(
            f"The budget is {name!r}; expected one of {', '.join(BUDGETS)}. "
            "Set SIAMESE_COURSE_BUDGET to one of them, or unset it for 'course'."
        )
    return name


def require_backend() -> None:
    """Require that Keras can load the backend that KERAS_BACKEND names, if it is set.

    Raises:
        CourseError: the name is not one of ``BACKENDS``, or the package is not installed.
    """
    name = os.environ.get("KERAS_BACKEND")
    if not name:
        return
    if name not in BACKENDS:
        raise CourseError(
            f"KERAS_BACKEND is {name!r}; expected one of {', '.join(BACKENDS)}. "
            "Set it to one of them, or unset it for 'tensorflow'."
        )
    if find_spec(name) is None:
        raise CourseError(
            f"KERAS_BACKEND is {name!r}, which is not installed. Install it, or unset KERAS_BACKEND."
        )


def mnist_sizes(name: str | None = None) -> MnistSizes:
    """The sizes of notebook 01 at a budget."""
    return MNIST_SIZES[budget(name)]


def omniglot_sizes(name: str | None = None) -> OmniglotSizes:
    """The sizes of the recipes for Omniglot at a budget."""
    return OMNIGLOT_SIZES[budget(name)]


def quora_sizes(name: str | None = None) -> QuoraSizes:
    """The sizes of notebook 02 at a budget."""
    return QUORA_SIZES[budget(name)]


def sentence_sizes(name: str | None = None) -> SentenceSizes:
    """The sizes of notebook 03 at a budget."""
    return SENTENCE_SIZES[budget(name)]


def data_directory() -> Path | None:
    """The course data directory that SIAMESE_COURSE_DATA names, or None.

    Raises:
        CourseError: the variable is set and names no directory.
    """
    value = os.environ.get("SIAMESE_COURSE_DATA")
    if not value or value == SHIPPED:
        return None
    path = Path(value).expanduser()
    if not path.is_dir():
        raise CourseError(
            f"SIAMESE_COURSE_DATA is {value!r}, and no directory is there. "
            "Correct it, unset it, or set it to 'shipped' to use only the data that comes with the course."
        )
    return path


def only_shipped_data() -> bool:
    """Whether SIAMESE_COURSE_DATA asks for nothing but the small data that comes with the course."""
    return os.environ.get("SIAMESE_COURSE_DATA") == SHIPPED


def environment_of_course() -> dict[str, str]:
    """The environment variables, for a process with another working directory: paths are absolute."""
    variables = dict(os.environ)
    for name, no_path in (
        ("SIAMESE_COURSE_DATA", SHIPPED),
        ("SIAMESE_COURSE_CACHE", None),
        ("SIAMESE_COURSE_PROGRESS", "off"),
    ):
        if (value := variables.get(name)) and value != no_path:
            variables[name] = str(Path(value).expanduser().absolute())
    return variables


def cache_directory() -> Path:
    """Where downloads are kept."""
    value = os.environ.get("SIAMESE_COURSE_CACHE")
    if value:
        return Path(value).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("siamese-course")
