import tensorflow as tf


def prepare_vectors(table):
    centered = table - tf.reduce_mean(table, axis=0)
    return tf.math.l2_normalize(centered, axis=1).numpy()


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())
