import tensorflow as tf


def row_cosines(embeddings):
    unit = tf.math.l2_normalize(embeddings, axis=-1)
    left, right = tf.unstack(unit, axis=1)
    return tf.reduce_sum(left * right, axis=-1)


def regression_loss(targets, embeddings):
    cosines = row_cosines(embeddings)
    targets = tf.reshape(tf.cast(targets, cosines.dtype), tf.shape(cosines))
    return tf.reduce_mean(tf.math.squared_difference(cosines, targets))
