"""Argument checks: every failure is a ValueError that names the argument, its value and what was expected."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def require_images(images: npt.ArrayLike, name: str = "images") -> np.ndarray:
    """Return images as float32, shape (n, pixels), n at least 1, every value in [0, 1].

    Raises:
        ValueError: another shape, no rows, NaN, or values outside [0, 1].
    """
    images = np.asarray(images)
    if images.ndim != 2:
        raise ValueError(f"{name} has shape {images.shape}; expected (n, pixels)")
    if len(images) == 0:
        raise ValueError(f"{name} is empty; expected at least one row")
    if images.dtype.kind not in "fiub":
        raise ValueError(f"{name} has dtype {images.dtype}; expected numbers")
    low, high = images.min(), images.max()
    if not (low >= 0 and high <= 1):  # False for NaN too
        found = "NaN" if np.isnan(low) or np.isnan(high) else f"values from {low:g} to {high:g}"
        raise ValueError(f"{name} holds {found}; expected values in [0, 1] (pixels divided by 255)")
    return images.astype("float32", copy=False)


def require_labels(labels: npt.ArrayLike, length: int, name: str = "labels") -> np.ndarray:
    """Return labels as int64, shape (length,).

    Raises:
        ValueError: another shape or length, or labels that are not integers.
    """
    labels = np.asarray(labels)
    if labels.shape != (length,):
        raise ValueError(f"{name} has shape {labels.shape}; expected ({length},), one for each row")
    if labels.dtype.kind not in "iub":
        raise ValueError(f"{name} has dtype {labels.dtype}; expected integers")
    return labels.astype("int64", copy=False)


def require_embeddings(embeddings: npt.ArrayLike, name: str = "embeddings") -> np.ndarray:
    """Return embeddings as an array, shape (n, dim), n at least 1, all values finite.

    Raises:
        ValueError: another shape, no rows, NaN or infinity.
    """
    embeddings = np.asarray(embeddings)
    if embeddings.ndim != 2 or embeddings.shape[1] == 0:
        raise ValueError(f"{name} has shape {embeddings.shape}; expected (n, dim)")
    if len(embeddings) == 0:
        raise ValueError(f"{name} is empty; expected at least one row")
    if not np.isfinite(embeddings).all():
        raise ValueError(f"{name} holds NaN or infinity; expected finite numbers")
    return embeddings


def require_between(value: Any, name: str, low: float, high: float, why: str = "") -> None:
    """Require a number from ``low`` to ``high``, both included.

    Raises:
        ValueError: it is outside, or NaN.
    """
    if not low <= value <= high:
        raise ValueError(f"{name} is {value}; expected {low} to {high}{why and ', ' + why}")


def require_positive(value: float, name: str) -> None:
    """Require a positive, finite number, such as a margin or a temperature.

    Raises:
        ValueError: it is zero, negative, infinite or NaN.
    """
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} is {value}; expected a positive number")


def require_choice(value: Any, name: str, choices: Sequence[str]) -> None:
    """Require one of a few words, such as the name of a recipe.

    Raises:
        ValueError: it is none of them.
    """
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(choices)}")
