import tensorflow as tf


def euclidean_distance(x, y):
    return tf.sqrt(tf.reduce_sum(tf.math.squared_difference(x, y), axis=-1) + 1e-6)
