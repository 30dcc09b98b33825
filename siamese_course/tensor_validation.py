"""Arguments of the losses as tensors: their shapes are checked, and their values where they are known."""

from typing import Any

import keras
import numpy as np
from keras import ops

from siamese_course.runtime.types import Tensor
from siamese_course.validation import (
    LARGEST,
    require_labels,
    require_numbers,
    require_same,
    require_shape,
)

Shape = tuple[int | None, ...]


def known(tensor: Any) -> bool:
    """Whether the values of a tensor can be looked at: not in a traced step, nor where PyTorch tracks its gradient."""
    if isinstance(tensor, keras.KerasTensor):
        return False
    if not ops.is_tensor(tensor):
        return True
    backend = keras.backend.backend()
    if backend == "tensorflow":
        return hasattr(tensor, "numpy")
    if backend == "jax":
        import jax

        return not isinstance(tensor, jax.core.Tracer)
    return not tensor.requires_grad


def values_of(value: Any) -> Any:
    """What can be made an array: a tensor of known values as NumPy's, anything else as it is."""
    if not ops.is_tensor(value):
        return value
    numbers = ops.convert_to_numpy(value)
    return numbers.astype("float32") if numbers.dtype.kind == "V" else numbers  # bfloat16


def as_tensor(value: Any, name: str, shape: Shape | None = None, text: str = "") -> Tensor:
    """An argument as a tensor: its shape checked, its values where they are known; anything else becomes floats."""
    if isinstance(value, keras.Variable):
        value = ops.convert_to_tensor(value)  # not through NumPy: its gradient is wanted
    if not known(value):
        if shape is not None:
            require_shape(value.shape, name, shape, text)
        return value
    numbers = require_numbers(values_of(value), name, shape, text)
    largest = np.abs(numbers).max(initial=0)
    if largest > LARGEST:
        raise ValueError(f"{name} holds values up to {largest:g}; expected {LARGEST:g} at most")
    if ops.is_tensor(value):
        return value
    kind = numbers.dtype if numbers.dtype.kind == "f" else "float32"
    return ops.convert_to_tensor(numbers.astype(kind))


def as_sides(embeddings: Any, sides: int) -> Tensor:
    """(batch, sides, dim) embeddings as a tensor."""
    return as_tensor(embeddings, "embeddings", (None, sides, None), f"(batch, {sides}, dim)")


def as_rows(embeddings: Any, name: str = "embeddings") -> Tensor:
    """(batch, dim) embeddings as a tensor."""
    return as_tensor(embeddings, name, (None, None), "(batch, dim)")


def as_targets(values: Any, name: str, embeddings: Tensor) -> Tensor:
    """(batch,) or (batch, 1) targets, one for each row of the embeddings, as a (batch,) tensor."""
    values = as_tensor(values, name)
    shape, rows = tuple(values.shape), embeddings.shape[0]
    if shape[1:] in ((1,), (None,)):
        shape = shape[:1]
    require_shape(shape, name, (rows,), f"({rows or 'batch'},), one for each row")
    return ops.reshape(values, (-1,))


def as_same(same: Any, embeddings: Tensor) -> Tensor:
    """Labels of pairs, 1 or 0, in the type of the embeddings: (batch,)."""
    same = as_targets(same, "same", embeddings)
    if known(same):
        require_same(values_of(same))
    return ops.cast(same, embeddings.dtype)


def equal_labels(labels: Any, embeddings: Tensor) -> Tensor:
    """Which rows share a class, 1 or 0, in the type of the embeddings: (batch, batch)."""
    if not ops.is_tensor(labels) and not isinstance(labels, keras.KerasTensor):
        # Not through floats, in which large classes would become equal
        labels = require_numbers(labels, "labels")
        labels = ops.convert_to_tensor(require_labels(np.ravel(labels)).reshape(labels.shape))
    labels = as_targets(labels, "labels", embeddings)
    if known(labels) and (values_of(labels) % 1).any():
        raise ValueError("labels holds fractions; expected integers")
    return ops.cast(labels[:, None] == labels[None, :], embeddings.dtype)
