import tensorflow as tf


def triplet_distances(embeddings):
    anchor, *others = tf.unstack(embeddings, axis=1)
    squares = [tf.math.squared_difference(anchor, other) for other in others]
    return [tf.sqrt(tf.reduce_sum(square, axis=-1) + 1e-6) for square in squares]
