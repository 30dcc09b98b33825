"""How rows of one's own are dealt to training, validation and test."""

import numpy as np

from siamese_course.datasets.question_splits import split_components
from siamese_course.runtime.errors import DataError

FRACTIONS = (0.8, 0.1, 0.1)
TRIES = 20
"""Seeds to try for a split whose parts all hold duplicates and others."""


def deal(component: np.ndarray, what: str, seed: int) -> list[np.ndarray]:
    """Return the rows of the three splits, a component whole in one of them."""
    try:
        return split_components(component, FRACTIONS, seed)
    except ValueError as error:
        raise DataError(
            f"The {what} share too many texts and cannot be split into training, validation and test "
            f"({error})."
        ) from error
