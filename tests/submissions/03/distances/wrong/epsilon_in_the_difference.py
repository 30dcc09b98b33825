# expects: The 1e-6 is added to the differences
import tensorflow as tf


def triplet_distances(embeddings):
    anchor, positive, negative = tf.unstack(embeddings, axis=1)
    near = tf.norm(anchor - positive + 1e-6, axis=-1)
    far = tf.norm(anchor - negative + 1e-6, axis=-1)
    return near, far
