"""A siamese model of an odd number of sides, computed in two parts of equal size.

TensorFlow computes two independent parts at a time; see ``startup.halve_cores``. Of three sides it would compute the
third alone, on half of the cores.
"""

import keras
from keras import layers, ops

from siamese_course.runtime.types import Tensor


class Halves(layers.Layer):
    """An encoder on the rows of all sides, in two halves: {name: (batch, sides, length)} -> (batch, sides, dim).

    Args:
        encoder: a model of {name: (batch, length)} -> (batch, dim).
    """

    def __init__(self, encoder: keras.Model) -> None:
        super().__init__()
        self.encoder = encoder

    def call(self, inputs: dict[str, Tensor]) -> Tensor:
        batch, sides, length = ops.shape(next(iter(inputs.values())))
        half = batch * sides // 2
        rows = {name: ops.reshape(ids, (batch * sides, length)) for name, ids in inputs.items()}
        first = self.encoder({name: ids[:half] for name, ids in rows.items()})
        second = self.encoder({name: ids[half:] for name, ids in rows.items()})
        return ops.reshape(ops.concatenate([first, second]), (batch, sides, first.shape[-1]))

    def compute_output_spec(self, inputs: dict[str, Tensor]) -> keras.KerasTensor:
        batch, sides, _ = next(iter(inputs.values())).shape
        dtype = self.encoder.output.dtype
        return keras.KerasTensor((batch, sides, self.encoder.output_shape[-1]), dtype)


def build_in_halves(encoder: keras.Model, sides: int) -> keras.Model:
    """Build the same model as ``models.sentences.build_siamese``, which is as fast for an even number of sides.

    Args:
        encoder: a model of {token_ids, padding_mask}, (batch, length) each -> (batch, dim).
        sides: 3 for triplets.

    Returns:
        A Keras model of {token_ids, padding_mask}, (batch, sides, length) each -> (batch, sides, dim).
    """
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    return keras.Model(inputs, Halves(encoder)(inputs))
