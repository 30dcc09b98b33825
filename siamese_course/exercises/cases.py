"""What the exercises' tests have in common: inputs, faults of form, errors in plain words, trainability."""

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from siamese_course.exercises import observe, patterns
from siamese_course.exercises.engine import (
    Part,
    Wrong,
    as_array,
    difference,
    require_returned,
    same,
    seeded,
)

# --- inputs -------------------------------------------------------------------------------------------


def normal(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Normally distributed numbers, the same in every notebook."""
    return seeded(seed).normal(scale=scale, size=shape)


def unit(*shape: int, seed: int = 0) -> np.ndarray:
    """Random rows of length 1 as float32."""
    rows = normal(*shape, seed=seed)
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype("float32")


def tensor(values: npt.ArrayLike, dtype: str = "float32") -> Any:
    """The values as a tensor of Keras's backend."""
    from keras import ops

    return ops.convert_to_tensor(np.asarray(values, dtype))


# --- errors in plain words ----------------------------------------------------------------------------


class Known(NamedTuple):
    """An error of a library: texts that tell it, and what to tell the learner instead."""

    texts: tuple[str, ...]
    message: str
    tag: str = "error"


RAGGED = Known(
    ("inhomogeneous", "non-rectangular", "the same shape", "must match exactly"),
    "The rows of a batch have different lengths: pad them all to the same length.",
    "not_padded",
)
RAGGED_SIDES = RAGGED._replace(
    message="The rows of a batch have different lengths, or an entry lacks a side: pad all rows to the same length, and "
    "give each entry all of its sides."
)


@contextlib.contextmanager
def in_our_words(*known: Known) -> Iterator[None]:
    """Raise ``Wrong`` for errors of NumPy, FAISS or a backend that are known."""
    try:
        yield
    except (Wrong, NotImplementedError):
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        if "positional argument" in text:  # Python says well which one is missing
            raise
        for each in known:
            if any(sign in text for sign in each.texts):
                raise Wrong(each.message, each.tag) from None
        raise


def reworded(answer: Callable, *known: Known) -> Callable:
    """The answer, with its known errors in our words.

    Not for arguments with one row or one column: an answer that fails only there fails for another reason.
    """

    def worded(*arguments: Any, **options: Any) -> Any:
        if patterns.has_one(arguments):
            return answer(*arguments, **options)
        with in_our_words(*known):
            return answer(*arguments, **options)

    return worded


def require_kept(result: Any, call_again: Callable[[], Any]) -> None:
    """Raise ``Wrong`` if another call changes the result of an earlier one."""
    before = copy.deepcopy(result)
    call_again()
    if not same(result, before):
        raise Wrong(*observe.REUSED_RESULT)


# --- generators ---------------------------------------------------------------------------------------


def hold(batches: Iterable, count: int) -> list:
    """The first ``count`` batches, held together as a list in a notebook holds them.

    Raises:
        Wrong: a later batch changes an earlier one.
    """
    held, copies = [], []
    for batch in islice(batches, count):
        held.append(batch)
        copies.append(copy.deepcopy(batch))
    if not same(held, copies):
        raise Wrong(*observe.REUSED)
    return held


def draw(answer: Callable, arguments: tuple, count: int, *known: Known) -> list:
    """The first ``count`` batches of an answer that must be an endless generator.

    Raises:
        Wrong: it is no generator, or it ends.
    """
    made = answer(*arguments)
    require_returned(made)
    if not hasattr(made, "__next__"):
        raise Wrong(
            f"The function returns a `{type(made).__name__}`. Make it a generator: `yield` the batches in a loop.",
            "no_generator",
        )
    with in_our_words(*known):
        batches = hold(made, count)
    if len(batches) < count:
        raise Wrong(
            f"The generator ends after {len(batches)} batch(es). Training needs more: put the loop inside `while True:`.",
            "ends",
        )
    return batches


def require_own_order(order_of: Callable[[int], Any]) -> None:
    """Require that all randomness comes from ``rng``: one seed, one order; another seed, another order.

    Args:
        order_of: seed -> what the answer makes of it, as anything that ``==`` compares.
    """
    first = order_of(0)
    if order_of(0) != first:
        raise Wrong(
            "Two runs with the same seed differ. Draw every random number from `rng`.",
            "other_randomness",
        )
    if order_of(1) == first:
        raise Wrong(
            "A different `rng` gives the same order. Shuffle with `rng.permutation`.",
            "not_shuffled",
        )


def together(order: Sequence[int], size: int) -> set[frozenset[int]]:
    """Which rows meet in a batch, where batches of ``size`` follow each other."""
    return {frozenset(order[start : start + size]) for start in range(0, len(order), size)}


def require_rows_shuffled(first: Sequence[int], second: Sequence[int], size: int) -> None:
    """Require that two passes over the rows, in batches of ``size``, move single rows and not blocks of them."""
    if together(first, size) == together(second, size):
        raise Wrong(
            "The same rows share a batch in every pass: only the order of the batches is new. Shuffle the rows.",
            "batches_shuffled",
        )
    # By chance, about two rows in both passes together are followed by the next row of the data
    if np.sum(np.diff([first, second]) == 1) >= 2 * (len(first) // 2):
        raise Wrong(
            "Most rows are followed by the next row of the data: whole blocks are moved. Shuffle single rows, with "
            "`rng.permutation`.",
            "blocks_shuffled",
        )


def is_pair(value: Any) -> bool:
    """Whether these are two results, in a tuple or list, or stacked in an array, (2, ...)."""
    if isinstance(value, tuple | list):
        return len(value) == 2
    shape = tuple(getattr(value, "shape", None) or ())
    return len(shape) > 1 and shape[0] == 2


# --- dense networks in NumPy ---------------------------------------------------------------------------


def relu(x: np.ndarray) -> np.ndarray:
    """max(0, x), element by element."""
    return np.maximum(x, 0)


def linear(x: np.ndarray) -> np.ndarray:
    """x itself."""
    return x


def dense_layers(*activations: Callable) -> Callable:
    """A function (inputs, [kernel, bias, kernel, bias, ...]) -> outputs of dense layers."""

    def forward(x: np.ndarray, weights: Sequence[np.ndarray]) -> np.ndarray:
        for kernel, bias, activation in zip(weights[::2], weights[1::2], activations, strict=True):
            x = activation(x @ kernel + bias)
        return x

    return forward


# --- gradients ----------------------------------------------------------------------------------------


def gradients(
    points: float,
    reference: Callable,
    calls: Callable[[], Sequence[tuple]],
    *,
    by: Sequence[int] = (0,),
    of: int | None = None,
    backend: str = "keras",
    unit_rows: bool = False,
) -> Part:
    """A part of an exercise: the answer has the gradients of the reference, so that it can be trained with.

    Args:
        points: of the part.
        reference: what gradients are compared with.
        calls: makes tuples of arguments; a dictionary at the end holds options.
        by: the places of the arguments to differentiate by.
        of: which answer, by its place.
        backend: see ``observe.gradients``.
        unit_rows: the arguments are rows of length 1: an answer may scale them to it once more, and only
            what turns them is compared.
    """
    library = "jnp" if backend == "jax" else "ops"

    def case() -> tuple:
        made = [
            (call[:-1], call[-1]) if isinstance(call[-1], dict) else (call, {}) for call in calls()
        ]
        return made, list(by), backend

    def test(seen: list, made: Sequence, *_: Any) -> None:
        expected = observe.gradients(reference, made, by, backend)
        names = list(inspect.signature(reference).parameters)
        for found, right, (arguments, _options) in zip(seen, expected, made, strict=True):
            for place, got, want in zip(by, found, right, strict=True):
                if got is None:
                    where = f" to `{names[place]}`"
                    if len(by) > 1 and all(each is None for each in found):
                        where = ""  # JAX does not say to which argument
                    raise Wrong(
                        f"No gradient flows through your code{where}, so no network could be trained with "
                        f"it. Use `{library}` from beginning to end, without NumPy, `float()`, or `stop_gradient`.",
                        "no_gradient",
                    )
                got = as_array(got, f"The gradient with respect to `{names[place]}`")
                if unit_rows:
                    rows = as_array(arguments[place])
                    got, want = (
                        g - np.sum(g * rows, axis=-1, keepdims=True) * rows for g in (got, want)
                    )
                if not np.allclose(got, want, rtol=1e-2, atol=1e-4):
                    off = difference(got, np.asarray(want, "float64"), 1e-2, 1e-4)
                    raise Wrong(
                        f"The gradient with respect to `{names[place]}` is not right, so a network would learn "
                        f"something else. ({off}.) Is part of the result cut off from it by NumPy, `float()`, or "
                        "`stop_gradient`?",
                        "other_gradient",
                    )

    return Part(points, test, of=of, look=observe.gradients, case=case, last=True)


def gradient_norms(weights: Sequence[np.ndarray], rows: np.ndarray) -> list[float]:
    """What ``observe.weight_gradients`` gives of a network of dense layers with ReLU between them."""
    from keras import ops

    forward = dense_layers(*[ops.relu] * (len(weights) // 2 - 1), linear)
    calls: list = [(list(map(tensor, weights)), {})]
    by = range(len(weights))
    [found] = observe.gradients(lambda *w: forward(tensor(rows), w), calls, by, "keras")
    return [float(np.linalg.norm(each)) for each in found]


# --- can it be trained with? --------------------------------------------------------------------------


def require_trainable(model: Any, loss: Any, *batches: tuple, compiled: bool = False) -> None:
    """Take optimizer steps through an answer: it must be made of what Keras's backend can differentiate.

    Args:
        model, loss: one of them uses the answer.
        batches: (inputs, targets) of each step; two of different lengths show what is traced only once.
        compiled: compile with XLA on TensorFlow, which takes longer than the steps.

    Raises:
        TypeError: no gradient reaches the model.
    """
    import keras

    weights = [keras.ops.convert_to_numpy(weight) for weight in model.trainable_weights]
    model.compile("sgd", loss)
    if keras.backend.backend() == "tensorflow":
        model.jit_compile = compiled
    for inputs, targets in batches:
        model.train_on_batch(inputs, targets)
    moved = [keras.ops.convert_to_numpy(weight) for weight in model.trainable_weights]
    if all(np.array_equal(a, b) for a, b in zip(weights, moved, strict=True)):
        raise TypeError(f"no gradient flows through it on {keras.backend.backend()}")


def require_traceable(function: Callable, *arguments: Any) -> None:
    """Differentiate and compile a function with JAX, as Trax does: raises what JAX raises."""
    from siamese_course.runtime.trax_patch import trax

    trax.fastmath.jit(trax.fastmath.grad(function))(*arguments)


ROWS_MIXED = (
    "The embeddings are right, but they are not in the rows and sides of their inputs: `reshape` mixes up the rows "
    "here. Stack the sides along axis 1."
)


def same_rows(got: np.ndarray, expected: np.ndarray) -> bool:
    """Whether two arrays (..., dim) hold the same vectors in any order."""

    def ordered(array: np.ndarray) -> np.ndarray:
        rows = array.reshape(-1, array.shape[-1])
        return rows[np.lexsort(rows.round(3).T)]

    return np.allclose(ordered(got), ordered(expected), atol=1e-4)
