import tensorflow as tf


def mean_pooling(states, padding_mask):
    mask = tf.cast(padding_mask, states.dtype)
    total = tf.einsum("bld,bl->bd", states, mask)
    return tf.math.divide_no_nan(total, tf.reduce_sum(mask, axis=1, keepdims=True))


def max_pooling(states, padding_mask):
    real = tf.cast(padding_mask, tf.bool)[:, :, tf.newaxis]
    return tf.reduce_max(tf.where(real, states, states.dtype.min), axis=1)


def cls_pooling(states, padding_mask):
    return tf.gather(states, 0, axis=1)
