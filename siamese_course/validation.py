"""Argument checks: every failure is a ValueError or TypeError that names the argument, its value and what was expected."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

LARGEST = 1e15
"""The largest coordinate of an embedding: the squares of larger ones may not fit into float32."""


# --- arrays: a ValueError each ---


def require_numbers(
    values: npt.ArrayLike, name: str, shape: tuple[int | None, ...] | None = None, text: str = ""
) -> np.ndarray:
    """Return an array of finite numbers.

    Args:
        values: an array, or lists.
        name: of the argument.
        shape: expected, with None for any size from 1 on; not checked if not given.
        text: the expected shape as it is shown, such as "(n, dim)".
    """
    try:
        values = np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{name} has rows of different lengths; expected an array of numbers"
        ) from error
    if values.dtype.kind not in "fiub":
        raise ValueError(f"{name} has dtype {values.dtype}; expected numbers")
    if shape is not None:
        require_shape(values.shape, name, shape, text)
    if not np.isfinite(values).all():
        raise ValueError(f"{name} holds NaN or infinity; expected finite numbers")
    return values


def require_shape(
    found: Sequence[int | None], name: str, shape: tuple[int | None, ...], text: str = ""
) -> None:
    """Require a shape; None is any size from 1 on, and a size that is not known yet fits."""
    fits = len(found) == len(shape) and all(
        size is None or (size == wanted if wanted is not None else size > 0)
        for size, wanted in zip(found, shape, strict=True)
    )
    if not fits:
        expected = text or str(tuple("n" if size is None else size for size in shape))
        if len(found) == len(shape) and found[0] == 0:
            raise ValueError(f"{name} is empty: shape {tuple(found)}; expected {expected}")
        raise ValueError(f"{name} has shape {tuple(found)}; expected {expected}")


def require_images(images: npt.ArrayLike) -> np.ndarray:
    """Return images as float32, flattened (n, pixels) or (n, height, width[, channels]), all in [0, 1]."""
    images = require_numbers(images, "images")
    if images.ndim not in (2, 3, 4):
        expected = "(n, pixels), (n, height, width) or (n, height, width, channels)"
        raise ValueError(f"images has shape {images.shape}; expected {expected}")
    if images.size == 0:
        raise ValueError(f"images is empty: shape {images.shape}; expected at least one image")
    low, high = images.min(), images.max()
    if low < 0 or high > 1:
        raise ValueError(
            f"images holds values from {low:g} to {high:g}; "
            "expected values in [0, 1] (pixels divided by 255)"
        )
    return images.astype("float32", copy=False)


def require_labels(
    labels: npt.ArrayLike, length: int | None = None, name: str = "labels"
) -> np.ndarray:
    """Return integer labels as int64, shape (length,); any length from 1 on if none is given."""
    text = "(n,)" if length is None else f"({length},), one for each row"
    labels = require_numbers(labels, name, (length,), text)
    if labels.dtype.kind not in "iub":
        raise ValueError(f"{name} has dtype {labels.dtype}; expected integers")
    return labels.astype("int64", copy=False)


def require_same(same: npt.ArrayLike, length: int | None = None, expected: str = "") -> np.ndarray:
    """Return labels of pairs, 0 or 1, as bool, shape (length,): True for similar."""
    text = "(n,)" if length is None else f"({length},), one for each pair"
    same = require_numbers(same, "same", (length,), expected or text)
    wrong = same[(same != 0) & (same != 1)]
    if len(wrong):
        raise ValueError(f"same holds {wrong[0]:g}; expected 1 for similar and 0 for different")
    return same.astype(bool)


def require_embeddings(embeddings: npt.ArrayLike, name: str = "embeddings") -> np.ndarray:
    """Return embeddings as an array, shape (n, dim), n at least 1, all values finite."""
    return require_numbers(embeddings, name, (None, None), "(n, dim), at least one row")


# --- arrays that belong together: a ValueError each ---


def require_same_dim(one: np.ndarray, other: np.ndarray, first: str, second: str) -> None:
    """Require embeddings of the same dim; their n may differ."""
    if one.shape[1] != other.shape[1]:
        raise ValueError(f"{second} has dim {other.shape[1]}; expected {one.shape[1]}, as {first}")


def require_series(
    predicted: npt.ArrayLike, expected: npt.ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Return two (n,) float64 arrays, finite, of the same length, neither of them constant."""
    predicted = require_numbers(predicted, "predicted", (None,), "(n,)").astype("float64")
    expected = require_numbers(expected, "expected", (None,), "(n,)").astype("float64")
    if len(predicted) != len(expected):
        raise ValueError(
            f"predicted and expected differ in length: {len(predicted)} and {len(expected)}"
        )
    if len(predicted) < 2:
        raise ValueError(f"predicted has {len(predicted)} values; expected at least two")
    for name, values in (("predicted", predicted), ("expected", expected)):
        if (values == values[0]).all():
            raise ValueError(f"{name} is {values[0]:g} everywhere; expected values that vary")
    return predicted, expected


def require_pairs(
    values: npt.ArrayLike, same: npt.ArrayLike, name: str = "distances"
) -> tuple[np.ndarray, np.ndarray]:
    """Return values and labels of pairs, float64 and bool, (n,) each; both kinds of pairs must occur."""
    values = require_numbers(values, name, (None,), "(n,)").astype("float64")
    same = require_same(same, len(values), expected=f"{values.shape}, as {name}")
    if same.all() or not same.any():
        raise ValueError("same holds only one kind of pair; expected similar and different ones")
    return values, same


# --- lists: a TypeError, or a ValueError for another length ---


def require_ids(rows: Iterable[Sequence[int]], name: str = "rows") -> None:
    """Require lists of token ids; the error names the first row that isn't."""
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise TypeError(f"{name} is {rows!r:.60}; expected lists of ids")
    for number, row in enumerate(rows):
        if not hasattr(row, "__len__") or not all(map(_of_integers, set(map(type, row)))):
            raise TypeError(f"row {number} of {name} is {row!r:.60}; expected a list of ids")


def require_equal_sides(left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> None:
    """Require two sides with equally many lists of token ids."""
    require_ids(left, "left")
    require_ids(right, "right")
    if len(left) != len(right):
        raise ValueError(
            f"left has {len(left)} rows and right has {len(right)}; expected the same number"
        )


def require_texts(texts: Any, name: str, length: int | None = None) -> list[str]:
    """Return texts as a list: lists, tuples, NumPy arrays, pandas and Hugging Face columns are accepted."""
    if isinstance(texts, str):
        raise TypeError(
            f"{name} is one string; expected a list of strings, such as [{texts[:40]!r}]"
        )
    if not isinstance(texts, Iterable):
        raise TypeError(f"{name} is {texts!r}; expected a list of strings")
    texts = list(texts)
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(
                f"item {index} of {name} is {text!r:.60}, of type {type(text).__name__}; expected a string"
            )
    if length is not None and len(texts) != length:
        raise ValueError(f"{name} has {len(texts)} items; expected {length}, one for each row")
    return texts


# --- single numbers: a ValueError each ---


def _of_integers(kind: type) -> bool:
    return issubclass(kind, int | np.integer) and kind is not bool


def _is_integer(value: Any) -> bool:
    return _of_integers(type(value))


def require_number(value: Any, name: str, expected: str = "a number") -> None:
    """Require a number that is not NaN."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if not is_number or isinstance(value, bool) or np.isnan(value):
        raise ValueError(f"{name} is {value!r:.60}; expected {expected}")


def require_between(value: Any, name: str, low: float, high: float, why: str = "") -> None:
    """Require a number from ``low`` to ``high``, both included."""
    expected = f"{low} to {high}" if high < float("inf") else f"at least {low}"
    expected += why and f", {why}"
    require_number(value, name, expected)
    if not low <= value <= high:
        raise ValueError(f"{name} is {value}; expected {expected}")


def require_count(
    value: Any, name: str, high: float = float("inf"), why: str = "", low: int = 1
) -> None:
    """Require an integer from ``low`` to ``high``, such as a batch size."""
    if not _is_integer(value):
        raise ValueError(f"{name} is {value!r:.60}; expected an integer")
    require_between(value, name, low, high, why)


def require_positive(value: float, name: str) -> None:
    """Require a positive, finite number, such as a margin or a temperature."""
    require_number(value, name, "a positive number")
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} is {value}; expected a positive, finite number")


def require_fraction(value: float) -> None:
    """Require a number between 0 and 1, both excluded."""
    require_number(value, "fraction", "a number between 0 and 1")
    if not 0 < value < 1:
        raise ValueError(f"fraction is {value}; expected a number between 0 and 1")


# --- other values ---


def require_choice(value: Any, name: str, choices: Sequence[str]) -> None:
    """Require one of a few words, such as the name of a recipe; or raise a ValueError."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(choices)}")


def require_instance(value: Any, name: str, kind: type) -> None:
    """Require an object of a class; or raise a TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {value!r:.60}; expected a {kind.__name__}")


def require_rng(rng: Any) -> None:
    """Require a generator of NumPy, not a seed; or raise a TypeError."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng is {rng!r:.60}; expected np.random.default_rng(seed)")


def require_callable(value: Any, name: str) -> Callable:
    """Return a function; or raise a TypeError."""
    if not callable(value):
        raise TypeError(f"{name} is {value!r:.60}; expected a function")
    return value
