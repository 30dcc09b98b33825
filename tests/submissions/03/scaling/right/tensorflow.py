import tensorflow as tf


def scale_scores(score):
    score = tf.cast(score, tf.float64)
    return tf.math.divide(score, 2.5) - 1
