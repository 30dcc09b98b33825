import tensorflow as tf


def choose_threshold(distances, same):
    distances = tf.constant(distances, tf.float64)
    similar = tf.boolean_mask(distances, same == 1)
    different = tf.boolean_mask(distances, same == 0)
    candidates = distances[:, None]
    accepted = tf.reduce_mean(tf.cast(similar <= candidates, tf.float64), axis=1)
    refused = tf.reduce_mean(tf.cast(different > candidates, tf.float64), axis=1)
    return distances[tf.argmax(accepted + refused)]


def verify_one_shot(reference, queries, threshold):
    return tf.norm(tf.constant(queries) - tf.constant(reference), axis=1) <= threshold
