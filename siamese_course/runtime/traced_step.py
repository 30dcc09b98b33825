"""A training step on TensorFlow that is traced once, for rows of any length.

Keras traces its own for the first length and again for another, which takes ten seconds each time for a transformer. And
in every step it compares the types of all weights.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import keras

from siamese_course.runtime.fused_adam import fuse


@dataclass
class TracedStep:
    """A ``train_function`` of Keras, with a step that was traced once for inputs of any length.

    Attributes:
        step: a training step, (inputs, targets) -> {loss}, the loss of this batch alone.
        rows: of each input for which ``step`` was traced.
        keras_step: the same for any batch, traced when Keras calls it.
    """

    step: Callable
    rows: list[int]
    keras_step: Callable

    def fits(self, batch: tuple[Any, Any]) -> bool:
        """Whether a batch has as many rows as the one that was traced."""
        return [len(array) for array in keras.tree.flatten(batch[0])] == self.rows

    def __call__(self, batches: Iterator) -> dict:
        # train_on_batch adds a None, the weights of the rows
        return self.keras_step(tuple(part for part in next(batches) if part is not None))


def trace_once(model: keras.Model, batch: tuple[Any, Any]) -> None:
    """Trace the training step of a compiled model once, if its inputs may have any length; its Adam is fused.

    Args:
        model: on TensorFlow. If its inputs have a fixed shape, it stays as it is.
        batch: (inputs, targets), with as many rows as the batches to come.
    """
    inputs, targets = batch
    arrays, declared = keras.tree.flatten(inputs), getattr(model, "inputs", None) or []
    shapes = [(len(a), *d.shape[1:]) for a, d in zip(arrays, declared, strict=False)]
    if all(None not in shape for shape in shapes):
        return
    import tensorflow as tf

    # If the optimizer created its variables while tracing, that would trace twice
    model.optimizer.build(model.trainable_variables)
    fuse(model.optimizer)
    specs = [tf.TensorSpec(s, a.dtype) for s, a in zip(shapes, arrays, strict=True)]
    target_specs = keras.tree.map_structure(lambda y: tf.TensorSpec(y.shape, y.dtype), targets)

    @tf.function(autograph=False)
    def step(batch: tuple) -> dict:
        model.reset_metrics()
        return model.train_step(batch)

    traced = step.get_concrete_function((keras.tree.pack_sequence_as(inputs, specs), target_specs))
    keras_step = tf.function(model.train_step, reduce_retracing=True, autograph=False)
    model.train_function = TracedStep(traced, [len(array) for array in arrays], keras_step)
