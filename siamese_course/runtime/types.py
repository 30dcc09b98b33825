"""Types that the whole package shares."""

from typing import Any, TypeAlias

Tensor: TypeAlias = Any
"""A tensor of whichever backend Keras runs on: TensorFlow, JAX or PyTorch."""
