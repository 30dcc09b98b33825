import tensorflow as tf


def contrastive_loss(y_true, y_pred, margin=5.0):
    y_true = tf.cast(tf.reshape(y_true, [-1]), y_pred.dtype)
    left, right = tf.unstack(y_pred, axis=1)
    squared = tf.reduce_sum(tf.math.squared_difference(left, right), axis=-1)
    hinge = tf.nn.relu(margin - tf.sqrt(squared + 1e-6))
    return 0.5 * tf.reduce_mean(y_true * squared + (1.0 - y_true) * hinge**2)
