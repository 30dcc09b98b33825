"""The states of a RoBERTa backbone on TensorFlow, faster than by KerasHub's layers.

Padding is left out: layers that see one token at a time get the real tokens of all sentences as one matrix. In
training, some gradients are written out, since TensorFlow takes more operations for them.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import keras
import tensorflow as tf
from keras import layers, ops

from siamese_course.runtime.types import Tensor

Affine = tuple[Tensor, Tensor]
"""The kernel and bias of a dense layer."""

_for_export = ContextVar("for_export", default=False)


@keras.saving.register_keras_serializable("siamese_course")
class PackedRoberta(layers.Layer):
    """A backbone's last states: token_ids and padding_mask, (batch, length) each -> (batch, length, dim).

    The results are the backbone's up to rounding, except at padding, where they are arbitrary but finite. The
    weights are the backbone's own, so that training one trains the other.

    Args:
        backbone: KerasHub's ``RobertaBackbone``, or one with its layers.
    """

    def __init__(self, backbone: Any, **kwargs: Any) -> None:
        super().__init__(**{"dtype": backbone.dtype_policy, **kwargs})
        self.backbone = backbone
        self.supports_jit = False  # XLA needs to know how many tokens are real

    def build(self, *shapes: Any) -> None:
        pass

    def compute_output_spec(
        self, token_ids: Tensor, padding_mask: Tensor, training: bool | None = None
    ) -> keras.KerasTensor:
        # Not compute_output_shape, which Keras 3.10 calls with the first shape alone
        shape = (*token_ids.shape, self.backbone.hidden_dim)
        return keras.KerasTensor(shape, dtype=self.compute_dtype)

    def call(self, token_ids: Tensor, padding_mask: Tensor, training: bool | None = None) -> Tensor:
        backbone = self.backbone
        # The first token is kept even if it is padding, so that there is always something to gather
        first = tf.ones_like(padding_mask[:, :1], bool)
        real = tf.concat([first, padding_mask[:, 1:] > 0], axis=1)
        pack, unpack, split, merge = _moves(real, backbone.num_heads, training)
        states = pack(backbone.embeddings(token_ids))
        states = _normalize(backbone.embeddings_layer_norm, states, training)
        states = backbone.embeddings_dropout(states, training=training)
        for layer in backbone.transformer_layers:
            inward, outward = _projections(layer)
            attention = layer._self_attention_layer
            seen = _attend(attention, split(_affine(states, *inward)), padding_mask, training)
            seen = layer._self_attention_dropout(_affine(merge(seen), *outward), training=training)
            states = _normalize(layer._self_attention_layer_norm, states + seen, training)
            dense = layer._feedforward_intermediate_dense
            inner = _affine(states, *map(ops.convert_to_tensor, (dense.kernel, dense.bias)))
            if training:  # TensorFlow's error function is slow in bfloat16
                inner = tf.cast(inner, "float32")
            fast = training and dense.activation is keras.activations.gelu
            inner = tf.cast(_gelu(inner) if fast else dense.activation(inner), states.dtype)
            inner = layer._feedforward_output_dense(inner)
            inner = layer._feedforward_dropout(inner, training=training)
            states = _normalize(layer._feedforward_layer_norm, states + inner, training)
        return unpack(states)

    def get_config(self) -> dict:
        backbone = keras.saving.serialize_keras_object(self.backbone)
        return {**super().get_config(), "backbone": backbone}

    @classmethod
    def from_config(cls, config: dict) -> "PackedRoberta":
        backbone = keras.saving.deserialize_keras_object(config["backbone"])
        return cls(**{**config, "backbone": backbone})


def _projections(layer: Any) -> tuple[Affine, Affine]:
    """Kernel and bias to (query, key, value), and from the heads: (dim, 3 dim), (3 dim,), (dim, dim), (dim,)."""
    attention = layer._self_attention_layer
    inward = attention.query_dense, attention.key_dense, attention.value_dense
    kernels, biases = zip(*map(_as_matrix, inward), strict=True)
    return (tf.concat(kernels, 1), tf.concat(biases, 0)), _as_matrix(attention.output_dense)


def _as_matrix(dense: Any) -> Affine:
    """Kernel and bias of a projection to heads, or from them: (dim, dim) and (dim,)."""
    bias = ops.reshape(dense.bias, (-1,))
    dim = bias.shape[0]
    return ops.reshape(dense.kernel, (-1, dim)), bias


def _moves(real: Tensor, heads: int, training: bool | None) -> list[Callable]:
    """Functions that move the real tokens, (batch, length) bool, between the forms that layers need.

    Returns:
        pack: (batch, length, dim) -> (tokens, dim);
        unpack: back;
        split: (tokens, 3 dim) -> (3, batch, heads, length, dim of a head), for query, key and value;
        merge: one of these three -> (tokens, dim).
    """
    batch, length = tf.unstack(tf.shape(real))
    row, column = (place[:, None] for place in tf.unstack(tf.cast(tf.where(real), "int32"), axis=1))
    token = tf.reshape(tf.cumsum(tf.cast(tf.reshape(real, (-1,)), "int32")) - 1, (batch, length))
    head, part = tf.range(heads), tf.range(3)[:, None]
    # Where the pieces of one form are in the other
    in_heads = (row * heads + head) * length + column  # (tokens, heads)
    in_parts = in_heads[:, None] + part * (batch * heads * length)  # (tokens, 3, heads)
    of_head = token[:, None] * heads + head[:, None]  # (batch, heads, length)
    # (3, batch, heads, length)
    of_part = token[:, None] * 3 * heads + (part * heads + head)[:, None, :, None]
    by_head = tf.broadcast_to(real[:, None], tf.shape(of_head))

    def mover(forth: Tensor, back: Tensor, parts: int = 1, kept: Tensor | None = None) -> Callable:
        """Of ``parts`` pieces of each row, the one at ``forth`` comes next; ``back`` is where each went."""

        def move(values: Tensor) -> Tensor:
            pieces = tf.reshape(values, (-1, values.shape[-1] // parts))
            return _permuted(pieces, forth, back, kept) if training else tf.gather(pieces, forth)

        return move

    merge = mover(in_heads, of_head, kept=by_head)
    return [
        mover((row * length + column)[:, 0], token, kept=real),
        mover(token, (row * length + column)[:, 0]),
        mover(of_part, in_parts, 3 * heads),
        lambda seen: tf.reshape(merge(seen), (-1, heads * seen.shape[-1])),
    ]


def _permuted(rows: Tensor, forth: Tensor, back: Tensor, kept: Tensor | None) -> Tensor:
    """Gather rows, (n, dim), with the gradient of a permutation, as which they move the real tokens: gathered back.

    A gradient that arrives at padding is dropped: that of rows that are not ``kept``.
    """

    @tf.custom_gradient
    def permuted(rows: Tensor) -> tuple[Tensor, Callable]:
        def gradient(above: Tensor) -> Tensor:
            found = tf.gather(tf.reshape(above, (-1, rows.shape[-1])), tf.reshape(back, (-1,)))
            if kept is None:
                return found
            return found * tf.cast(tf.reshape(kept, (-1, 1)), found.dtype)

        return tf.gather(rows, forth), gradient

    return permuted(rows)


@tf.custom_gradient
def _gelu(x: Tensor) -> tuple[Tensor, Callable]:
    """x Phi(x), with the standard normal distribution Phi: Hendrycks and Gimpel (2016), arXiv:1606.08415."""
    below = 0.5 + 0.5 * tf.math.erf(x * 0.5**0.5)
    density = (2 * math.pi) ** -0.5
    return x * below, lambda above: above * (below + x * (density * tf.exp(-0.5 * x * x)))


def _affine(rows: Tensor, kernel: Tensor, bias: Tensor) -> Tensor:
    return tf.nn.bias_add(tf.matmul(rows, kernel), bias)


@contextmanager
def for_export() -> Iterator[None]:
    """Trace models inside it without operations that are fast on TensorFlow only."""
    token = _for_export.set(True)
    try:
        yield
    finally:
        _for_export.reset(token)


def _normalize(norm: Any, rows: Tensor, training: bool | None) -> Tensor:
    """Layer normalization of (tokens, dim).

    Outside training it takes a form that is a single operation of oneDNN: batch normalization, with each token as
    a channel.
    """
    if training:
        exact = [tf.cast(values, "float32") for values in (rows, norm.gamma, norm.beta)]
        return tf.cast(_normalized(*exact, epsilon=norm.epsilon), rows.dtype)
    if _for_export.get():
        return norm(rows)
    tokens, dim = tf.shape(rows)[0], rows.shape[-1]
    unit = tf.raw_ops.FusedBatchNormV3(
        x=tf.reshape(tf.cast(rows, "float32"), (1, tokens, dim, 1)),
        scale=tf.ones((tokens,)),
        offset=tf.zeros((tokens,)),
        mean=tf.zeros((0,)),
        variance=tf.zeros((0,)),
        epsilon=norm.epsilon,
        data_format="NCHW",
        is_training=True,  # use the mean and variance of these values, not of earlier ones
    ).y
    gamma, beta = map(ops.convert_to_tensor, (norm.gamma, norm.beta))
    return tf.cast(tf.reshape(unit, (tokens, dim)) * gamma + beta, rows.dtype)


def _normalized(rows: Tensor, gamma: Tensor, beta: Tensor, *, epsilon: float) -> Tensor:
    """Layer normalization, Ba et al. (2016), arXiv:1607.06450, with its gradient: (tokens, dim), (dim,), (dim,)."""

    def mean(values: Tensor) -> Tensor:
        return tf.reduce_mean(values, axis=-1, keepdims=True)

    @tf.custom_gradient
    def normalized(rows: Tensor, gamma: Tensor, beta: Tensor) -> tuple[Tensor, Callable]:
        centered = rows - mean(rows)
        scale = tf.math.rsqrt(mean(tf.square(centered)) + epsilon)
        unit = centered * scale

        def gradients(above: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            inner = above * gamma
            inner = scale * (inner - mean(inner) - unit * mean(inner * unit))
            return inner, tf.reduce_sum(above * unit, axis=0), tf.reduce_sum(above, axis=0)

        return unit * gamma + beta, gradients

    return normalized(rows, gamma, beta)


def _attend(
    attention: Any, projected: Tensor, padding_mask: Tensor, training: bool | None
) -> Tensor:
    """Attention of every token to the real ones: (3, batch, heads, length, dim) -> (batch, heads, length, dim).

    Softmax of q k / sqrt(dim of a head), head by head: Vaswani et al. (2017), "Attention is all you need".
    """
    query, key, value = tf.unstack(projected)
    query *= query.shape[-1] ** -0.5
    # float16 ends at 65,504: a larger number would be infinite, and 0 times it not a number
    hidden = (-3e4 if query.dtype == tf.float16 else -1e9) * (
        1 - tf.cast(padding_mask, query.dtype)
    )
    weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) + hidden[:, None, None])
    weights = attention._dropout_layer(weights, training=training)
    return tf.matmul(weights, value)
