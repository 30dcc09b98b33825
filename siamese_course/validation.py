"""Checks of arguments: every failure is a ValueError with the argument, its value and what was expected."""

import numpy as np


def require_images(images, name: str = "images") -> np.ndarray:
    """Images as float32, shape (n, pixels), at least one, every value in [0, 1].

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


def require_labels(labels, length: int, name: str = "labels") -> np.ndarray:
    """Labels as int64, shape (length,).

    Raises:
        ValueError: another shape or length, or labels that are not whole numbers.
    """
    labels = np.asarray(labels)
    if labels.shape != (length,):
        raise ValueError(f"{name} has shape {labels.shape}; expected ({length},), one a row")
    if labels.dtype.kind not in "iub":
        raise ValueError(f"{name} has dtype {labels.dtype}; expected whole numbers")
    return labels.astype("int64", copy=False)


def require_embeddings(embeddings, name: str = "embeddings") -> np.ndarray:
    """Embeddings as a float array, shape (n, dim), at least one, all finite.

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


def require_between(value, name: str, low, high, why: str = "") -> None:
    """A number from ``low`` to ``high``, both included.

    Raises:
        ValueError: it is not.
    """
    if not low <= value <= high:
        raise ValueError(f"{name} is {value}; expected {low} to {high}{why and ', ' + why}")


def require_margin(margin: float) -> None:
    """A margin is a positive, finite distance.

    Raises:
        ValueError: it is not.
    """
    if not 0 < margin < float("inf"):
        raise ValueError(f"margin is {margin}; expected a positive number")
