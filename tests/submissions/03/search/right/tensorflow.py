import tensorflow as tf


def semantic_search(queries, collection, k):
    queries = tf.math.l2_normalize(tf.cast(queries, tf.float64), axis=1)
    collection = tf.math.l2_normalize(tf.cast(collection, tf.float64), axis=1)
    found = tf.math.top_k(tf.matmul(queries, collection, transpose_b=True), k=k)
    return found.values, found.indices
