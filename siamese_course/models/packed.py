"""The states of a RoBERTa backbone on TensorFlow, with less to compute than KerasHub's layers have.

Padding is left out: layers that see one token at a time get the real tokens of all sentences as one matrix. And
a batch is computed as two halves that do not need each other, so that two cores need not wait for one another
after every operation; for this TensorFlow must have been told, see ``startup.halve_cores``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import keras
import tensorflow as tf
from keras import layers, ops

_for_export = ContextVar("for_export", default=False)


@keras.saving.register_keras_serializable("siamese_course")
class PackedRoberta(layers.Layer):
    """A backbone's last states: {token_ids, padding_mask}, (batch, length) each -> (batch, length, dim).

    Same weights, same numbers up to rounding; only at padding there is something else, always finite. Weights are
    the backbone's own, so that training one trains the other.

    Args:
        backbone: KerasHub's ``RobertaBackbone``, or one with its layers.
    """

    def __init__(self, backbone, **kwargs):
        super().__init__(**{"dtype": backbone.dtype_policy, **kwargs})
        self.backbone = backbone
        self.supports_jit = False  # XLA would have to know how many tokens are real

    def build(self, *shapes):
        pass

    def compute_output_shape(self, token_ids_shape, padding_mask_shape):
        return (*token_ids_shape, self.backbone.hidden_dim)

    def call(self, token_ids, padding_mask, training=None):
        middle = tf.shape(token_ids)[0] // 2
        halves = slice(None, middle), slice(middle, None)
        projections = [_projections(layer) for layer in self.backbone.transformer_layers]
        states = [
            self._states(token_ids[rows], padding_mask[rows], projections, training)
            for rows in halves
        ]
        return tf.concat(states, axis=0)

    def _states(self, token_ids, padding_mask, projections, training):
        batch, length = tf.unstack(tf.shape(token_ids))
        # A first token is kept even if it is padding, so that there is always something to take from
        real = tf.concat([tf.ones((batch, 1), bool), padding_mask[:, 1:] > 0], axis=1)
        real = tf.reshape(real, (-1,))
        places = tf.where(real)[:, 0]
        numbers = tf.cumsum(tf.cast(real, "int32")) - 1

        def pack(padded):  # (batch, length, dim) -> (tokens, dim)
            return tf.gather(tf.reshape(padded, (-1, padded.shape[-1])), places)

        def unpack(packed):  # (tokens, dim) -> (batch, length, dim)
            return tf.reshape(tf.gather(packed, numbers), (batch, length, packed.shape[-1]))

        backbone = self.backbone
        states = pack(backbone.embeddings(token_ids))
        states = _normalize(backbone.embeddings_layer_norm, states, training)
        states = backbone.embeddings_dropout(states, training=training)
        for layer, (inward, outward) in zip(backbone.transformer_layers, projections, strict=True):
            attention = layer._self_attention_layer
            seen = _attend(attention, unpack(_affine(states, *inward)), padding_mask, training)
            seen = layer._self_attention_dropout(_affine(pack(seen), *outward), training=training)
            states = _normalize(layer._self_attention_layer_norm, states + seen, training)
            dense = layer._feedforward_intermediate_dense
            inner = _affine(states, *map(ops.convert_to_tensor, (dense.kernel, dense.bias)))
            if training:  # TensorFlow's error function is slow in bfloat16
                inner = tf.cast(inner, "float32")
            inner = tf.cast(dense.activation(inner), states.dtype)
            inner = layer._feedforward_output_dense(inner)
            inner = layer._feedforward_dropout(inner, training=training)
            states = _normalize(layer._feedforward_layer_norm, states + inner, training)
        return unpack(states)

    def get_config(self):
        backbone = keras.saving.serialize_keras_object(self.backbone)
        return {**super().get_config(), "backbone": backbone}

    @classmethod
    def from_config(cls, config):
        backbone = keras.saving.deserialize_keras_object(config["backbone"])
        return cls(**{**config, "backbone": backbone})


def _projections(layer):
    """Kernel and bias to (query, key, value), and from the heads: (dim, 3 dim), (3 dim,), (dim, dim), (dim,)."""
    attention = layer._self_attention_layer
    inward = attention.query_dense, attention.key_dense, attention.value_dense
    kernels, biases = zip(*map(_as_matrix, inward), strict=True)
    return (tf.concat(kernels, 1), tf.concat(biases, 0)), _as_matrix(attention.output_dense)


def _as_matrix(dense):
    """Kernel and bias of a projection to heads, or from them: (dim, dim) and (dim,)."""
    bias = ops.reshape(dense.bias, (-1,))
    dim = bias.shape[0]
    return ops.reshape(dense.kernel, (-1, dim)), bias


def _affine(rows, kernel, bias):
    return tf.nn.bias_add(tf.matmul(rows, kernel), bias)


@contextmanager
def for_export() -> Iterator[None]:
    """What is traced within it has no form that is quick on TensorFlow alone."""
    token = _for_export.set(True)
    try:
        yield
    finally:
        _for_export.reset(token)


def _normalize(norm, rows, training):
    """A layer normalisation of (tokens, dim).

    Out of training in the form that oneDNN has as one operation: batch normalisation, each token a channel.
    """
    if training or _for_export.get():
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
        is_training=True,  # with the mean and variance of these numbers, not of earlier ones
    ).y
    gamma, beta = map(ops.convert_to_tensor, (norm.gamma, norm.beta))
    return tf.cast(tf.reshape(unit, (tokens, dim)) * gamma + beta, rows.dtype)


def _attend(attention, projected, padding_mask, training):
    """What every token takes from the real ones: (batch, length, 3 dim) -> (batch, length, dim).

    Softmax of q k / sqrt(dim of a head), head by head: Vaswani et al. (2017), "Attention is all you need".
    """
    batch, length, dim = *tf.unstack(tf.shape(projected))[:2], projected.shape[-1] // 3
    heads = attention.num_heads
    by_head = tf.reshape(projected, (batch, length, 3, heads, dim // heads))
    query, key, value = tf.unstack(tf.transpose(by_head, (2, 0, 3, 1, 4)))
    query *= (dim // heads) ** -0.5
    hidden = -1e9 * (1 - tf.cast(padding_mask, query.dtype))
    weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) + hidden[:, None, None])
    weights = attention._dropout_layer(weights, training=training)
    return tf.reshape(tf.transpose(tf.matmul(weights, value), (0, 2, 1, 3)), (batch, length, dim))
