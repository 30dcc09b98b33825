# expects: The first axis of `embeddings` is the batch, the second one is the sides
import tensorflow as tf


def triplet_loss(targets, embeddings, margin=1.0):
    anchor, positive, negative = tf.unstack(embeddings, axis=0)
    near = tf.norm(anchor - positive, axis=-1)
    far = tf.norm(anchor - negative, axis=-1)
    return tf.reduce_mean(tf.maximum(near - far + margin, 0.0))
