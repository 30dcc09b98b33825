"""What shapes and values have in common with the expected ones, where no known mistake explains them.

Each function states a fact that holds of all that was compared, and where possible asks what may have caused it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# float16 keeps eleven bits of a number, bfloat16 eight
THREE_DIGITS = 2.0**-7
ONLY_ONE = "This happens only where there is one row or one column."
ONE = "It is wrong only where there is one row or one column: does your code drop such an axis?"
FORMULAS: list[tuple[Callable, str, str]] = [
    (np.negative, "Every value has the wrong sign", "sign"),
    (np.square, "Every value is the square of the expected one", "squared"),
    (np.exp, "Every value is the exponential of the expected one", "exponential"),
    (np.sqrt, "Every value is the square root of the expected one", "root"),
    (np.reciprocal, "Every value is 1 divided by the expected one", "reciprocal"),
    (np.log, "Every value is the logarithm of the expected one", "logarithm"),
    (lambda expected: 1 - expected, "Every value is 1 minus the expected one", "one_minus"),
]


def of_shape(got: tuple[int, ...], expected: tuple[int, ...]) -> tuple[str, str] | None:
    """Say in which axis a shape differs from the expected one.

    Returns:
        (sentence, tag), or None where more than one axis differs.
    """
    if got == expected:
        return None
    if got == tuple(size for size in expected if size != 1):
        return (
            "An axis of length 1 is gone: does `squeeze`, an index or a sum remove it? It has to stay",
            "squeezed",
        )
    if got == ():
        return (
            "All axes are gone: does a sum or mean lack its `axis=`, or an index pick one value?",
            "all_axes",
        )
    if len(got) == len(expected) + 1:
        for axis, size in enumerate(got):
            if got[:axis] + got[axis + 1 :] == expected:
                why = (
                    "does `keepdims` keep it?" if size == 1 else "is a sum or mean over it missing?"
                )
                return f"Axis {axis}, of length {size}, should be gone: {why}", "axis_left"
    if len(got) == len(expected) - 1:
        for axis, size in enumerate(expected):
            if expected[:axis] + expected[axis + 1 :] == got:
                return (
                    f"The axis of length {size} is gone: does a sum, a mean or an index remove it?",
                    "axis_gone",
                )
    if sorted(got) == sorted(expected):
        return "The axes are in another order", "axis_order"
    return None


def of_values(got: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> tuple[str, str] | None:
    """Say by what rule all values differ from the expected ones, whatever the case.

    Args:
        got, expected: arrays, one for each case.

    Returns:
        (sentence, tag), or None where no rule explains all of at least three different values of two cases.
    """
    if len(got) < 2 or any(g.shape != e.shape for g, e in zip(got, expected, strict=True)):
        return None
    g, e = (np.concatenate([np.ravel(each) for each in arrays]) for arrays in (got, expected))
    if len(np.unique(np.round(e, 6))) < 3:
        return None

    def is_made_by(values: np.ndarray, rtol: float = 1e-4) -> bool:
        return bool(np.allclose(g, values, rtol=rtol, atol=1e-5))

    if len(np.unique(np.round(g, 6))) == 1:
        return f"Every value is {g[0]:.4g} in all cases tried", "constant"
    if is_made_by(e, THREE_DIGITS):
        return (
            "All values are right to two or three digits: are they rounded, or computed in a type such as `float16`?",
            "digits",
        )
    with np.errstate(all="ignore"):
        for formula, sentence, tag in FORMULAS:
            if is_made_by(formula(e)):
                return sentence, tag
    if is_made_by((factor := (g @ e) / (e @ e)) * e):
        return f"Every value is {factor:.4g} times the expected one", "factor"
    if is_made_by(e + (shift := float(np.mean(g - e)))):
        direction = "large" if shift > 0 else "small"
        return f"Every value is too {direction} by {abs(shift):.4g}", "offset"
    slope, start = np.polyfit(e, g, 1)
    if is_made_by(slope * e + start):
        sign = "-" if start < 0 else "+"
        return (
            f"Every value is {slope:.4g} times the expected one {sign} {abs(start):.4g}: is a constant or sign wrong?",
            "line",
        )
    turned = [each.T for each in expected if each.ndim == 2]
    if len(turned) == len(expected) and is_made_by(np.concatenate([np.ravel(t) for t in turned])):
        return "Rows and columns are exchanged", "transposed"
    if is_made_by(np.concatenate([np.ravel(each)[::-1] for each in expected])):
        return "The values are in reverse order", "reversed"
    return None


def of_cases(
    cases: Sequence[tuple], right: Sequence[bool], names: Sequence[str]
) -> tuple[str, str] | None:
    """Say what the arguments have in common for which an answer is wrong.

    Args:
        cases: tuples of arguments.
        right: for each, whether its result is right.
        names: of the arguments; in some cases the last ones are left out.

    Returns:
        (sentence, tag), or None where fewer than two cases are right.
    """
    if sum(right) < 2:
        return None
    wrong = [case for case, is_right in zip(cases, right, strict=True) if not is_right]
    fine = [case for case, is_right in zip(cases, right, strict=True) if is_right]
    if (given := max(map(len, wrong))) < max(map(len, fine)):
        return (
            f"It is wrong only where `{names[given]}` is left out: is its default right?",
            "default",
        )
    if all(map(has_one, wrong)) and not all(map(has_one, fine)):
        return ONE, "one_row"
    return f"{len(fine)} of {len(cases)} cases are right", "value"


def has_one(case: Sequence[Any]) -> bool:
    """Whether an argument has an axis of length 1."""
    return any(1 in getattr(value, "shape", ()) for value in case)
