import tensorflow as tf


def masked_mean(words, values):
    real = tf.cast(tf.not_equal(words, 1), tf.float32)[..., None]
    return tf.reduce_sum(values * real, 1) / tf.reduce_sum(real, 1)
