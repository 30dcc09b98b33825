"""What tests look at in models, training loops and gradients: facts, as plain numbers and texts.

Such objects cannot leave the process that made them. So a test of one has two halves: a function of this
module looks at it, with what the test hands in, and the test judges what was seen. Faults of form raise
``Wrong`` at once. A submission's process runs this file alone.
"""

import contextlib
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np


class Wrong(Exception):
    """An answer is wrong: the message tells the learner what, the tag tells code and tests."""

    def __init__(self, message: str, tag: str = ""):
        super().__init__(message)
        self.tag = tag


REUSED = (
    "A later batch changes an earlier one: the same array or list is filled again and again. Make new ones for every "
    "batch.",
    "reused",
)

REUSED_RESULT = (
    "A later call changes what an earlier call returned: make a new array in each call.",
    "reused",
)

# --- gradients ------------------------------------------------------------------------------------


def gradients(
    answer: Callable, calls: Sequence[tuple[Sequence, dict]], of: Sequence[int], backend: str
) -> list[list]:
    """The gradients of what an answer returns, with respect to some of its arguments.

    Args:
        answer: a function of tensors.
        calls: (arguments, options) of each call.
        of: the places of the arguments to differentiate by.
        backend: ``jax`` for JAX's functions, ``keras`` for those of Keras's backend.

    Returns:
        Of each call an array for each argument, or None where no gradient comes through.
    """
    import keras

    if backend == "keras" and keras.backend.backend() == "tensorflow":
        found = [_tape_gradients(answer, *call, of) for call in calls]
        if all(each is not None for each in found[0]):
            _require_symbolic(answer, *calls[0])
        return found
    return [_jax_gradients(answer, *call, of) for call in calls]


def _weighted(outputs: Any, xp: Any) -> Any:
    """One number of all outputs, in which each element has another weight."""
    outputs = outputs if isinstance(outputs, tuple | list) else [outputs]
    flat = xp.concatenate([xp.reshape(output, (-1,)) for output in outputs])
    return xp.sum(flat * np.cos(1.0 + np.arange(flat.shape[0], dtype="float32")))


def _tape_gradients(answer: Callable, arguments: Sequence, options: dict, of: Sequence) -> list:
    import tensorflow as tf
    from keras import ops

    with tf.GradientTape() as tape:
        for place in of:
            tape.watch(arguments[place])
        outputs = answer(*arguments, **options)
        every = outputs if isinstance(outputs, tuple | list) else [outputs]
        if not all(tf.is_tensor(output) for output in every):
            return [None for _ in of]
        total = _weighted([ops.cast(output, "float32") for output in every], ops)
    found = tape.gradient(total, [arguments[place] for place in of])
    # Of rows that `ops.take` picked, TensorFlow returns slices
    return [None if each is None else np.asarray(tf.convert_to_tensor(each)) for each in found]


def _require_symbolic(answer: Callable, arguments: Sequence, options: dict) -> None:
    """Require that an answer can compute with symbolic tensors, without NumPy and loops over rows."""
    import tensorflow as tf

    tensors = [place for place, each in enumerate(arguments) if tf.is_tensor(each)]

    def traced(*symbolic: Any) -> Any:
        given = list(arguments)
        for place, each in zip(tensors, symbolic, strict=True):
            given[place] = each
        return answer(*given, **options)

    start = "Your code works on numbers, but not in training, where Keras calls it once with symbolic tensors:"
    try:
        tf.function(traced, autograph=False).get_concrete_function(*[arguments[n] for n in tensors])
    except NotImplementedError as error:  # TensorFlow's word for np.asarray of a symbolic tensor
        told = (
            f"{start} NumPy cannot read them. Use `ops` for all arguments, from beginning to end."
        )
        raise Wrong(told, "not_symbolic") from error
    except tf.errors.OperatorNotAllowedInGraphError as error:
        told = f"{start} there are no rows to loop over, and no values to test with `if`. Use `ops` on whole arrays."
        raise Wrong(told, "not_symbolic") from error
    # Such as `len` of a symbolic tensor: ``use`` tells the learner, and goes on with the course's answer
    except Exception:
        return


def _jax_gradients(answer: Callable, arguments: Sequence, options: dict, of: Sequence) -> list:
    import jax
    import jax.numpy as jnp

    def total(*chosen: Any) -> Any:
        given = list(arguments)
        for place, value in zip(of, chosen, strict=True):
            given[place] = value
        return _weighted(answer(*given, **options), jnp)

    gradient = jax.grad(total, range(len(of)))
    chosen = [jnp.asarray(arguments[place]) for place in of]
    try:
        try:
            found = jax.jit(gradient)(*chosen)  # compiled at once: ten times as fast
        except Exception:  # an answer may look at the values, as in an `if`
            found = gradient(*chosen)
    except jax.errors.JAXTypeError:  # NumPy or float() in the answer: there is nothing to trace
        return [None for _ in of]
    return [np.asarray(each) for each in found]


def weight_gradients(
    model: Any, weights: Sequence, inputs: Any, side: int | None = None
) -> list[float]:
    """The norms of the gradients of what a model returns with respect to weights, 0 where none comes through.

    Args:
        model: a Keras model.
        weights: the variables to differentiate by.
        inputs: of the model.
        side: of outputs (batch, sides, dim), the only one that counts.
    """
    import keras

    def outputs(*values: Any) -> Any:
        with keras.StatelessScope(list(zip(weights, values, strict=True))):
            rows = model(inputs, training=True)
        return rows if side is None else rows[:, side]

    values = [keras.ops.convert_to_tensor(keras.ops.convert_to_numpy(weight)) for weight in weights]
    [found] = gradients(outputs, [(values, {})], range(len(values)), "keras")
    return [0.0 if each is None else float(np.linalg.norm(each)) for each in found]


# --- Keras models ---------------------------------------------------------------------------------

NOT_SHARED = (
    "The two sides do not share their weights: there is a second network in the model. Call the *same* "
    "encoder object on both inputs.",
    "not_shared",
)


def require_model(model: Any, inputs: int) -> bool:
    """Raise ``Wrong`` unless this is a Keras model with that number of inputs.

    Returns:
        Whether the model states them; a subclass of ``keras.Model`` that is built does not.
    """
    import keras

    if model is None:
        raise Wrong("The function returns `None`: is a `return` missing?", "none")
    if not isinstance(model, keras.Model):
        raise Wrong(
            f"The function returns a `{type(model).__name__}`; expected a Keras model.", "type"
        )
    try:
        found = len(model.inputs)
    except (AttributeError, TypeError, ValueError):  # a subclass, or a Sequential without Input
        if model.built:
            return False
        raise Wrong(
            "The model doesn't declare its input. Start a Sequential with `keras.Input((784,))`, or build it as "
            "`keras.Model(inputs, outputs)`.",
            "no_input",
        ) from None
    if found != inputs:
        raise Wrong(f"The model has {found} inputs; expected {inputs}.", "inputs")
    return True


def require_plain(model: Any) -> None:
    """Raise ``Wrong`` where a model, which has been called, has frozen weights or adds to the loss."""
    if len(model.trainable_weights) != len(model.weights):
        raise Wrong(
            "Some weights are frozen: training would not change them. Leave `trainable` as it is.",
            "frozen",
        )
    if model.losses:
        raise Wrong(
            "A layer has a regularizer or calls `add_loss`, which adds to the loss. Leave it out.",
            "regularized",
        )


LAYER_BY_LAYER = (
    "The encoder's layers are called one by one. That is right only for layers in a row: call the encoder itself, "
    "`encoder(...)`.",
    "layer_by_layer",
)


KEPT = (
    "A second call, with another encoder, returns a model that shares weights with the first call's. Use the argument, "
    "and make new layers in each call.",
    "kept",
)


def _require_new(answer: Callable, model: Any, given: Any, *arguments: Any) -> None:
    """Raise ``Wrong`` if an answer keeps an encoder or a layer from one call to the next."""
    import keras

    second = answer(keras.models.clone_model(given), *arguments)
    one, other = ({id(weight) for weight in each.weights} for each in (model, second))
    if one & other:
        raise Wrong(*KEPT)


def _contains(model: Any, given: Any) -> bool:
    """Whether a model contains the given encoder, and not only its layers."""
    # Keras has no public way to the layers that a layer of the learner's own holds
    return any(layer is given for layer in model._flatten_layers())


def _layers(model: Any) -> Iterator[Any]:
    """All layers of a model, those of models in it included."""
    for layer in getattr(model, "layers", []):
        yield layer
        yield from _layers(layer)


LARGE = 30
"""By how much images are brighter that show whether large values are cut off."""


def encoder(answer: Callable, dim: int, images: np.ndarray) -> dict:
    """The weights of an encoder, what it returns for images, twice, and the norms of its gradients."""
    from keras import ops

    model = answer(dim)
    if require_model(model, inputs=1):
        shape = tuple(model.inputs[0].shape)
        if shape != (None, 784):
            raise Wrong(
                f"The input has shape {shape}; expected (None, 784): flattened images.",
                "input_shape",
            )
    if (shape := _output_shape(model)) != (None, dim):
        raise Wrong(f"The output has shape {shape}; expected (None, {dim}).", "output_shape")
    tables, vectors = ([w for w in model.weights if len(w.shape) == n] for n in (2, 1))
    kernels, biases = (list(map(ops.convert_to_numpy, each)) for each in (tables, vectors))
    widths = [kernel.shape for kernel in kernels]
    if len(kernels) != 3:
        raise Wrong(
            f"The model has {len(kernels)} dense layers; expected 3: two hidden ones and the embedding.",
            "layers",
        )
    if widths != [(784, 1024), (1024, 1024), (1024, dim)]:
        raise Wrong(
            f"The layers have sizes {widths}; expected 784 -> 1024 -> 1024 -> {dim}.", "sizes"
        )
    if len(biases) > 3:
        raise Wrong(
            "There is a layer with weights that is not Dense (a normalization?). Leave it out.",
            "not_dense",
        )
    if len(biases) != 3:
        raise Wrong(
            f"{len(biases)} of the 3 layers have a bias; expected all (`use_bias` is on by default).",
            "no_bias",
        )
    require_plain(model)
    # Hidden units are never negative: one coordinate becomes so, and shows whether anything cuts it off
    kernels[-1] = kernels[-1].copy()
    kernels[-1][:, 0] = -np.abs(kernels[-1][:, 0])
    tables[-1].assign(kernels[-1])
    tensors = ops.convert_to_tensor(images)
    once, again = (ops.convert_to_numpy(model(tensors, training=True)) for _ in range(2))
    by_layer = [weight for layer in zip(tables, vectors, strict=True) for weight in layer]
    reached = weight_gradients(model, by_layer, tensors)
    large = ops.convert_to_numpy(model(LARGE * tensors))
    return {
        "kernels": kernels,
        "biases": biases,
        "outputs": once,
        "again": again,
        "large": large,
        "gradients": reached,
    }


def encoder_shapes(answer: Callable, dim: int) -> list:
    """The shapes of what encoders of a dimension, and of the default, return."""
    return [list(_output_shape(model)) for model in (answer(dim), answer())]


def encoders_share(answer: Callable, dim: int) -> bool:
    """Whether two encoders of a dimension have a weight in common."""
    models = answer(dim), answer(dim)
    first, second = ({id(weight) for weight in model.weights} for model in models)
    return bool(first & second)


def _output_shape(model: Any) -> tuple:
    """The shape of what an encoder returns for images."""
    return (None, *model(np.zeros((1, 784), "float32")).shape[1:])


def verifier(
    answer: Callable, weights: Sequence[np.ndarray], left: np.ndarray, right: np.ndarray
) -> dict:
    """What a verifier returns for two batches of images and their first pair, and its gradients by the images.

    Args:
        answer: encoder -> model.
        weights: kernel and bias of the encoder, one linear layer, then of the head.
        left, right: (batch, side, side, 1).
    """
    import keras
    from keras import ops

    given = keras.Sequential(
        [
            keras.Input(left.shape[1:]),
            keras.layers.Flatten(name="given_flat"),
            keras.layers.Dense(len(weights[1]), name="given_dense"),
        ],
        name="given",
    )
    given.set_weights(weights[:2])
    try:
        model = answer(given)
    except ValueError as error:
        if "used 2 times" in str(error):  # Keras refuses a clone beside its original
            raise Wrong(*NOT_SHARED) from None
        raise
    if require_model(model, inputs=2):
        expected_shape = (None, *left.shape[1:])
        shapes_in = [tuple(each.shape) for each in model.inputs]
        if shapes_in != [expected_shape] * 2:
            raise Wrong(
                f"The inputs have shapes {shapes_in[0]} and {shapes_in[1]}; expected {expected_shape}, like the "
                "encoder's. `keras.Input` takes the shape without the batch dimension.",
                "input_shape",
            )
    own, used = ({id(weight): weight for weight in each.weights} for each in (given, model))
    head = [weight for key, weight in used.items() if key not in own]
    shapes = sorted(tuple(weight.shape) for weight in head)
    if not own.keys() & used.keys():
        raise Wrong(
            "The model does not contain the encoder it was given: call `encoder(...)` instead of building a new one.",
            "other_encoder",
        )
    if any(len(shape) == 2 and shape[0] == len(weights[0]) for shape in shapes):
        raise Wrong(*NOT_SHARED)
    if not head:
        raise Wrong(
            "The model has no weights besides the encoder's, so it cannot learn which dimensions matter. Add a "
            "`Dense(1)`.",
            "no_head",
        )
    expected = sorted(array.shape for array in weights[2:])
    dim = len(weights[1])
    if shapes == [(1,), (2 * dim, 1)]:
        raise Wrong(
            "The dense layer gets twice as many numbers as an embedding has: are both embeddings joined? Give it the absolute "
            "value of their difference.",
            "joined",
        )
    if shapes == [(1,), (1, 1)]:
        raise Wrong(
            "The dense layer gets one number for each pair, such as a distance or the sum of the differences. Give it "
            "|a - b| of every dimension, so that each has its own weight.",
            "one_number",
        )
    if shapes != expected:
        raise Wrong(
            f"Besides the encoder's weights, there are weights of shapes {shapes}; expected {expected}: one dense "
            "layer with one unit and a bias.",
            "head",
        )
    for weight in head:
        weight.assign(weights[2] if len(weight.shape) == 2 else weights[3])
    sides = [ops.convert_to_tensor(side) for side in (left, right)]
    output, alone = (
        ops.convert_to_numpy(model(each, training=True))
        for each in (sides, [side[:1] for side in sides])
    )
    require_plain(model)
    found, equal = gradients(
        lambda one, other: model([one, other]),
        [(sides, {}), ([sides[0], sides[0]], {})],
        (0, 1),
        "keras",
    )
    _require_new(answer, model, given)
    whole = _contains(model, given)
    return {"output": output, "alone": alone, "gradients": found, "equal": equal, "whole": whole}


def siamese(
    answer: Callable, weights: Sequence[np.ndarray], left: np.ndarray, right: np.ndarray
) -> dict:
    """What a siamese model returns for two batches and their first pair, and its gradients from each side.

    ``weights`` are the encoder's.
    """
    import keras

    wide = [keras.layers.Dense(32, activation="relu", name=f"given_{n}") for n in range(2)]
    last = keras.layers.Dense(len(weights[-1]), name="given_last")
    given = keras.Sequential([keras.Input((784,)), *wide, last], name="given")
    given.set_weights(weights)
    try:
        model = answer(given)
    except ValueError as error:
        if "used 2 times" in str(error):  # Keras refuses a clone beside its original
            raise Wrong(*NOT_SHARED) from None
        if "not connected to" in str(error):  # Keras 3.10 refuses what later versions build
            raise Wrong(
                "One of the two inputs is never used, or inputs and outputs are exchanged: call the encoder on each "
                "input, and pass the inputs to `keras.Model` first.",
                "one_input",
            ) from None
        raise
    stated = require_model(model, inputs=2)
    if stated and len(model.outputs) != 1:
        raise Wrong(
            f"The model has {len(model.outputs)} outputs; expected one: both embeddings, stacked.",
            "outputs",
        )
    output, alone = (
        np.array(keras.ops.convert_to_numpy(model(sides, training=True)))
        for sides in ([left, right], [left[:1], right[:1]])
    )
    require_plain(model)
    own, used = ({id(weight) for weight in each.weights} for each in (given, model))
    if own == used:
        sided = output.shape[1:-1] == (2,)
        reached = [
            weight_gradients(model, given.weights, [left, right], side) for side in range(2 * sided)
        ]
        _require_new(answer, model, given)
        whole = _contains(model, given)
        return {"output": output, "alone": alone, "gradients": reached, "whole": whole}
    if not own & used:
        raise Wrong(
            "The model does not contain the encoder it was given: call `encoder(...)` instead of building a new one.",
            "other_encoder",
        )
    raise Wrong(*NOT_SHARED)


# --- one-shot runs --------------------------------------------------------------------------------


def products(queries: np.ndarray, references: np.ndarray) -> np.ndarray:
    """A similarity of images for tests, (n, height, width) each; queries and references are not exchangeable.

    Half of the squared distance, negative, plus half of the query's square: it ranks references by their distance.
    """
    for images in (queries, references):
        if np.ndim(images) != 3:
            raise ValueError(
                f"similarity was called with an array of shape {np.shape(images)}; expected images, "
                "(n, height, width), as the run holds them"
            )
    products = np.tensordot(queries, references, ([1, 2], [1, 2]))
    return products - np.square(references).sum(axis=(1, 2)) / 2


def kept_runs(cases: Sequence[Sequence[tuple]]) -> list[list]:
    """Lists of (test, train, answers) as lists of runs with these attributes."""
    names = "test", "train", "answers"
    return [
        [SimpleNamespace(**dict(zip(names, map(np.array, run), strict=True))) for run in runs]
        for runs in cases
    ]


def one_shot(answer: Callable, cases: Sequence[Sequence[tuple]]) -> list[dict]:
    """The accuracy that an answer gives each list of runs, and whether it changes one.

    For the first list, besides, the accuracy with another similarity.
    """
    seen = []
    for runs, given in zip(cases, kept_runs(cases), strict=True):
        result = answer(products, given)
        arrays = [(run.test, run.train, run.answers) for run in given]
        changed = not all(
            np.array_equal(mine, theirs)
            for run, other in zip(runs, arrays, strict=False)
            for mine, theirs in zip(run, other, strict=True)
        )
        seen.append({"result": result, "changed": changed or len(given) != len(runs)})
    [again] = kept_runs(cases[:1])
    # the least similar one instead
    seen[0]["other"] = answer(lambda queries, references: -products(queries, references), again)
    return seen


# --- Trax ---------------------------------------------------------------------------------------------

WORDS = 50


@contextlib.contextmanager
def layer_errors(tl: Any) -> Iterator[None]:
    """Report the last line of Trax's long errors, where the cause is."""
    try:
        yield
    except ValueError as error:
        if "nonlayer" not in str(error):
            raise
        raise Wrong(
            "Trax found something among the layers that is not a layer. Turn a function into a layer with "
            "`tl.Fn('Normalize', normalize)`, and create an LSTM with parentheses: `tl.LSTM(dim)`.",
            "no_layer",
        ) from None
    except tl.base.LayerError as error:
        causes = re.findall(r"^(?!LayerError)\w+(?:Error|Exception): .+$", str(error), re.MULTILINE)
        cause = causes[-1] if causes else "no cause is given"
        advice = ""
        if "n_units" in cause:
            advice = (
                " An LSTM in Trax has as many units as its input has dimensions: `tl.Embedding(vocabulary_size, dim)`, "
                "then `tl.LSTM(dim)`."
            )
        raise Wrong(
            f"The layers don't fit together: `{cause}`.{advice}", "layers_do_not_fit"
        ) from None


@contextlib.contextmanager
def compiled_quickly() -> Iterator[None]:
    """Have JAX leave out optimizations: Trax compiles an LSTM at each call, and a check calls it once."""
    import jax

    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", True)
    try:
        yield
    finally:
        jax.config.update("jax_disable_most_optimizations", before)


def trax_siamese(
    answer: Callable,
    words: int,
    dim: int,
    left: np.ndarray,
    right: np.ndarray,
    weights: Sequence[np.ndarray],
) -> dict:
    """What a siamese model in Trax with given weights makes of two batches, and of their first rows alone.

    Besides, the shapes of its weights, those for one more word and the default dimension, and how each side changes with
    each weight. The weights have different shapes.
    """
    import jax

    from siamese_course.runtime.trax_patch import trax

    tl, jnp = trax.layers, jax.numpy
    with layer_errors(tl):
        model = answer(words, dim)
    if model is None:
        raise Wrong("The result is `None`: is a `return` missing?", "none")
    if not isinstance(model, tl.Layer):
        raise Wrong(
            f"The result is a `{type(model).__name__}`; expected a Trax layer, `tl.Parallel(...)`.",
            "type",
        )
    if model.n_in != 2:
        raise Wrong(
            f"The model takes {model.n_in} input(s); expected two questions: `tl.Parallel(encoder, encoder)`.",
            "inputs",
        )
    with layer_errors(tl), compiled_quickly():
        model.init(trax.shapes.signature((left, right)))
        leaves, structure = jax.tree_util.tree_flatten(model.weights)
        given = {array.shape: array for array in weights}
        new = [given.get(leaf.shape, leaf) for leaf in leaves]
        model.weights = jax.tree_util.tree_unflatten(structure, new)
        state, rng = model.state, model.rng

        @jax.jit  # compiled at once: a call of a Trax layer compiles each of its operations
        def compute(weights: Any) -> tuple:
            def both(weights: Any) -> tuple:
                outputs = model.pure_fn((left, right), weights, state, rng)[0]
                if not isinstance(outputs, tuple | list) or len(outputs) != 2:
                    raise Wrong(
                        "The model must return two embeddings, one for each question.", "outputs"
                    )
                return [jnp.asarray(output, "float32") for output in outputs], outputs

            alone = model.pure_fn((left[:1], right[:1]), weights, state, rng)[0]
            changes, outputs = changes_by_weight(both, weights)
            return outputs, alone, changes

        outputs, alone, changes = compute(model.weights)
        if _weighted_layers(model) & _weighted_layers(answer(words, dim)):
            raise Wrong(
                "Two calls return models that share their layers, so training one changes the other. Make new layers in "
                "each call.",
                "kept",
            )
        default = answer(words + 1)
        # nothing is computed for the shapes alone
        shapes = jax.eval_shape(lambda: default.init(trax.shapes.signature((left, right)))[0])
    return {
        "outputs": [np.asarray(output) for output in outputs],
        "alone": [np.asarray(output) for output in alone],
        "shapes": [leaf.shape for leaf in leaves],
        "changes": [np.asarray(change) for change in changes],
        "default": [leaf.shape for leaf in jax.tree_util.tree_leaves(shapes)],
    }


def changes_by_weight(compute: Callable, weights: Any) -> tuple:
    """The derivatives of what a function returns along each weight, all of whose numbers grow alike.

    Args:
        compute: weights -> (arrays, others).
        weights: a tree of arrays.

    Returns:
        The derivatives of the arrays, with the weights as their first axis, and the others.
    """
    import jax

    leaves, structure = jax.tree_util.tree_flatten(weights)
    # forwards, which compiles faster
    ways = [
        jax.numpy.stack([jax.numpy.full(leaf.shape, float(n == way)) for way in range(len(leaves))])
        for n, leaf in enumerate(leaves)
    ]

    def along(way: Any) -> tuple:
        _, changes, others = jax.jvp(compute, (weights,), (way,), has_aux=True)
        return changes, others

    several = jax.vmap(along, out_axes=(0, None), axis_size=max(1, len(leaves)))
    return several(structure.unflatten(ways))


def _weighted_layers(layer: Any) -> set[int]:
    """The ids of the Embedding and LSTM layers in a layer of Trax."""
    inner = getattr(layer, "sublayers", None) or []
    own = {id(layer)} if type(layer).__name__ in ("Embedding", "LSTM", "LSTMCell") else set()
    return own.union(*map(_weighted_layers, inner))


class Counted:
    """Batches without end, counted; with one question a row so that a Loop runs quickly."""

    def __init__(self, seed: int):
        self.rng, self.drawn = np.random.default_rng(seed), 0

    def __iter__(self) -> "Counted":
        return self

    def __next__(self) -> tuple:
        self.drawn += 1
        return tuple(self.rng.integers(2, WORDS, (4, 4)) for _ in range(2))


# what Trax says, and what it means
LOOP_ERRORS = {
    "unexpected keyword argument 'eval_task'": (
        "Current versions of Trax have no `eval_task=`. The argument is `eval_tasks=[...]`, a list."
    ),
    "tree_init() missing": "The optimizer is missing its parentheses: `trax.optimizers.Adam(0.01, eps=1e-9)`.",
    "warmup_and_rsqrt_decay() missing": (
        "The schedule is missing its arguments: `trax.lr.warmup_and_rsqrt_decay(warmup, 0.01)`."
    ),
    "Layer' object is not iterable": "`metrics` must be a list, even for one metric: `metrics=[loss_layer]`.",
    "layers (()) must be": "The EvalTask has no metrics: `metrics=[loss_layer]`.",
    "object has no attribute 'name'": "The loss must be a layer. Use the argument `loss_layer`.",
    "is not an iterator": "`labeled_data` must be a generator. Pass the batches as they are.",
}


@contextlib.contextmanager
def loop_errors(tl: Any) -> Iterator[None]:
    """Trax's errors at making and running a Loop, in our words."""
    try:
        with layer_errors(tl):
            yield
    except (AttributeError, TypeError, ValueError) as error:
        for sign, sentence in LOOP_ERRORS.items():
            if sign in str(error):
                raise Wrong(sentence, "trax") from None
        raise


@contextlib.contextmanager
def made_loop(answer: Callable, **options: Any) -> Iterator[tuple]:
    """A Loop that an answer makes: (loop, model, loss layer, training batches, validation batches, folder)."""
    from siamese_course.runtime.trax_patch import training, trax

    tl, jnp = trax.layers, trax.fastmath.numpy
    # any model of two sides does; without an LSTM it is compiled in no time
    one = tl.Serial(tl.Embedding(WORDS, 4), tl.Mean(axis=1))
    model = tl.Parallel(one, one)
    layer = tl.Fn("TripletLoss", lambda left, right: jnp.mean((left - right) ** 2))
    batches = Counted(0), Counted(1)
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()),
        loop_errors(tl),
    ):
        loop = answer(model, layer, *batches, folder, **options)
        if isinstance(loop, training.TrainTask | training.EvalTask):
            raise Wrong(
                "The function returns a task. Put the tasks into a `training.Loop(...)` and return it.",
                "task",
            )
        if not isinstance(loop, training.Loop):
            if loop is None and Path(folder, "model.pkl.gz").exists():
                raise Wrong(
                    "`loop.run()` returns nothing. Return the Loop without running it: the next cell does that.",
                    "has_run",
                )
            if loop is None:
                raise Wrong("The result is `None`: is a `return` missing?", "none")
            raise Wrong(
                f"The result is a `{type(loop).__name__}`; expected a `training.Loop`.", "type"
            )
        yield loop, model, layer, *batches, folder


def _arguments_of(loop: Any, model: Any, layer: Any, train: Any, validation: Any) -> dict:
    """Which of its arguments a Loop uses, and where."""
    task, names = loop.tasks[0], {id(train): "training", id(validation): "validation"}
    return {
        "trains the model": loop.model is model,
        "learns from": names.get(id(task.labeled_data)),
        "uses the loss": task.loss_layer is layer,
        "measures on": [names.get(id(each.labeled_data), "others") for each in loop.eval_tasks],
        "measures the loss": any(layer in each.metrics for each in loop.eval_tasks),
    }


def trax_tasks(answer: Callable, steps: Sequence[int], warmup: int) -> dict:
    """How a Loop is put together, and its learning rate at some steps, with two lengths of the warm-up."""
    with made_loop(answer) as (loop, model, layer, train, validation, _):
        start = str(loop.model.rng)
        task, first = loop.tasks[0], _arguments_of(loop, model, layer, train, validation)
        seen = first | {
            "optimizer": type(task.optimizer).__name__,
            "epsilon": float(task.optimizer.opt_params.get("eps", 0.0)),
            "decays": [float(task.optimizer.opt_params.get(name, 0.0)) for name in ("b1", "b2")],
            "clips": task.optimizer._clip_grad_norm is not None,
            "rates": [float(task.learning_rate(step)) for step in steps],
            "saves every": task.n_steps_per_checkpoint,
            "batches": loop.eval_tasks[0].n_eval_batches if loop.eval_tasks else 0,
        }
    try:
        with made_loop(answer, warmup=warmup) as (loop, *given, _):
            other = [float(loop.tasks[0].learning_rate(step)) for step in steps]
            alike, kept = str(loop.model.rng) == start, _arguments_of(loop, *given) != first
    except TypeError as error:
        if "warmup" not in str(error):
            raise
        other, alike, kept = None, True, False
    return seen | {"rates of another warmup": other, "starts alike": alike, "keeps": kept}


def trax_step(answer: Callable) -> dict:
    """What one step of a Loop does."""
    with made_loop(answer) as (loop, _, _, train, _, folder):
        if loop.step:
            raise Wrong(
                "The Loop has already run. Only create it; the notebook runs it in the next cell.",
                "has_run",
            )
        before = train.drawn
        loop.run(1)
        return {
            "step": loop.step,
            "drawn": train.drawn - before,
            "checkpoint": Path(folder, "model.pkl.gz").exists(),
        }


# --- sentence models ----------------------------------------------------------------------------------


def token_encoder(table: np.ndarray) -> Any:
    """A sentence encoder for tests: the mean of its real tokens' rows of a table, (tokens, dim)."""
    import keras
    from keras import ops

    inputs = {
        name: keras.Input((None,), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    embedding = keras.layers.Embedding(*table.shape, name="given_table")
    real = ops.expand_dims(ops.cast(inputs["padding_mask"], "float32"), -1)
    rows = ops.sum(embedding(inputs["token_ids"]) * real, axis=1) / ops.sum(real, axis=1)
    model = keras.Model(inputs, rows, name="given")
    model.set_weights([table])
    return model


def sentence_siamese(answer: Callable, table: np.ndarray, batches: Sequence[dict]) -> dict:
    """What a siamese sentence model makes of batches of pairs or triplets, and which tokens each side trains.

    Args:
        answer: (encoder, sides) -> model.
        table: the encoder's only weights, see ``token_encoder``.
        batches: {token_ids, padding_mask} each, (batch, sides, length); all of the same number of sides.
    """
    import keras
    from keras import ops

    sides = batches[0]["token_ids"].shape[1]
    given = token_encoder(table)
    try:
        model = answer(given, sides)
    except ValueError as error:
        if "used 2 times" in str(error):  # Keras refuses a clone beside its original
            raise Wrong(*NOT_SHARED) from None
        raise
    if model is None:
        raise Wrong("The function returns `None`: is a `return` missing?", "none")
    if not isinstance(model, keras.Model):
        raise Wrong(
            f"The function returns a `{type(model).__name__}`; expected a Keras model.", "type"
        )
    outputs = [ops.convert_to_numpy(model(batch, training=True)) for batch in batches]
    require_plain(model)
    own, used = ({id(weight) for weight in each.weights} for each in (given, model))
    if not own & used:
        raise Wrong(
            "The model does not contain the encoder it was given: call `encoder(...)` instead of building a new one.",
            "other_encoder",
        )
    added = [tuple(weight.shape) for weight in model.weights if id(weight) not in own]
    if table.shape in added:
        raise Wrong(*NOT_SHARED)
    if added:
        raise Wrong(
            f"Besides the encoder's weights, the model has weights of shapes {', '.join(map(str, added))}: is there a "
            "layer on top? Return the encoder's embeddings as they are.",
            "layer_on_top",
        )
    _require_new(answer, model, given, sides)
    reached: list[list[int]] = []
    shape = outputs[0].shape
    if len(shape) != 3 or shape[1] != sides:  # the test names what is wrong
        return {"outputs": outputs, "reached": reached}
    # gradients that reach the encoder through each side alone
    for side in range(sides):
        given.set_weights([table])
        model.compile(
            keras.optimizers.SGD(1.0),
            lambda unused, embeddings, side=side: ops.sum(embeddings[:, side]),
            run_eagerly=keras.backend.backend() == "tensorflow",
        )
        model.train_on_batch(batches[0], np.zeros(len(batches[0]["token_ids"]), "float32"))
        moved = given.get_weights()[0] != table
        reached.append(np.flatnonzero(moved.all(axis=1)).tolist())
    return {"outputs": outputs, "reached": reached}


# --- models as data -----------------------------------------------------------------------------------

MAX_CONFIG = 1 << 20  # characters
# What a configuration may hold besides objects of Keras's own; none of them is code
PLAIN = {"__keras_tensor__", "__slice__", "__ellipsis__"}
MODULES = tuple(
    f"keras.{name}"
    for name in ("layers", "initializers", "activations", "constraints", "regularizers")
)
INNER_MODULES = ("keras.src.ops.", "keras.src.models.")
CODE = {"Lambda", "TFSMLayer", "TorchModuleWrapper", "JaxLayer", "FlaxLayer"}
MODELS = {"Sequential", "DTypePolicy"}


class NotRebuilt(Exception):
    """A model cannot be made again from data alone."""


def _inputs(case: Any) -> Any:
    """Symbolic inputs like the arrays of a test, with any number of rows."""
    import keras

    if isinstance(case, dict):
        return {
            name: keras.Input((array.shape[1], None), dtype="int32", name=name)
            for name, array in case.items()
        }
    if isinstance(case, tuple):
        return [_inputs(each) for each in case]
    return keras.Input(case.shape[1:])


# For each observer of models that can be made again: what of its case goes into the model
FED: dict[str, Callable] = {
    "encoder": lambda dim, images: images,
    "encoder_shapes": lambda dim: np.zeros((1, 784)),
    "siamese": lambda weights, left, right: (left, right),
    "verifier": lambda weights, left, right: (left, right),
    "sentence_siamese": lambda table, batches: batches[0],
}


def with_models(look: Callable, answers: Sequence[Callable], *case: Any) -> tuple:
    """What an observer sees, and every model that it sees as data, None for one that is more than data."""
    made: list[tuple[Any, list[np.ndarray]]] = []

    def answer(*arguments: Any) -> Any:
        model = answers[0](*arguments)
        made.append((model, getattr(model, "get_weights", list)()))
        return model

    seen = look(answer, *case)
    fed = FED[look.__name__](*case)
    return seen, [_exported(model, weights, fed) for model, weights in made]


def _exported(model: Any, weights: list[np.ndarray], fed: Any) -> dict | None:
    """A model's configuration and weights, in which layers of the learner's are replaced by what they do."""
    import keras

    try:
        if weights:  # the observer has trained it
            model.set_weights(weights)
        model.compiled = False
        for _ in range(3):  # layers of the learner's may be inside others
            if not all(map(_is_keras, [model, *_layers(model)])):
                model = _unfolded(model, fed)
        config = json.dumps(keras.saving.serialize_keras_object(model))
        weights = model.get_weights()
    except Exception:  # whatever Keras or the learner's own class raises
        return None
    return {"config": config, "weights": weights} if len(config) <= MAX_CONFIG else None


def _is_keras(layer: Any) -> bool:
    return type(layer).__module__.startswith("keras.") and type(layer).__name__ not in CODE


def _unfolded(model: Any, fed: Any) -> Any:
    """The model in which every layer that is not Keras's is replaced by the operations in its ``call``."""
    import keras

    def call(layer: Any, *args: Any, **options: Any) -> Any:
        return (layer if _is_keras(layer) else layer.call)(*args, **options)

    if isinstance(model, keras.Sequential):
        inputs = outputs = _inputs(fed)
        for layer in model.layers:
            outputs = call(layer, outputs)
        return keras.Model(inputs, outputs)
    if hasattr(model, "operations"):
        return keras.models.clone_model(
            model, clone_function=lambda layer: layer, call_function=call
        )
    inputs = _inputs(fed)
    return keras.Model(inputs, model.call(inputs))


def of_models(look: Callable, models: Sequence[dict], *case: Any) -> Any:
    """What an observer sees in models that are made again from data.

    Raises:
        Wrong: what it sees is wrong.
        NotRebuilt: one cannot be made, or does not work.
    """
    waiting = iter(models)
    try:
        return look(lambda *arguments: _rebuilt(next(waiting), arguments), *case)
    except Wrong:
        raise
    except Exception as error:  # Keras raises whatever it meets
        raise NotRebuilt(f"{type(error).__name__}: {error}") from None


def _rebuilt(data: dict, arguments: Sequence) -> Any:
    """The model of a configuration, which contains the layers that it was given."""
    import keras

    given = {
        layer.name: layer
        for each in arguments
        if isinstance(each, keras.Model)
        for layer in (each, *_layers(each))
        if layer.name.startswith("given")  # not an input, which an answer may call the same
    }

    class Given:
        """Stands in a configuration for a layer of ``given``."""

        @staticmethod
        def from_config(config: dict) -> Any:
            return given[config["name"]]

    config = _plain(json.loads(data["config"]), given)
    model = keras.saving.deserialize_keras_object(config, custom_objects={"Given": Given})
    model.set_weights(data["weights"])
    return model


def _plain(config: Any, given: dict) -> Any:
    """A configuration in which given layers stand for themselves; raises ``NotRebuilt`` if any of it could be code."""
    if isinstance(config, list):
        return [_plain(each, given) for each in config]
    if not isinstance(config, dict):
        return config
    kind, module, inner = (config.get(each) for each in ("class_name", "module", "config"))
    if kind is None:
        return {key: _plain(value, given) for key, value in config.items()}
    if isinstance(inner, dict) and inner.get("name") in given:
        inner = {"name": inner["name"]}
        return {key: config[key] for key in ("name", "inbound_nodes") if key in config} | {
            "class_name": "Given",
            "module": None,
            "registered_name": "Given",
            "config": inner,
        }
    known = kind not in CODE if module in MODULES else str(module).startswith(INNER_MODULES)
    if not (known or kind in PLAIN or (module == "keras" and kind in MODELS)):
        raise NotRebuilt(f"{module}.{kind}")
    return {key: _plain(config[key], given) for key in config if key != "compile_config"}
