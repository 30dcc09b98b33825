import tensorflow as tf


def hard_triplet_loss(labels, embeddings, margin=0.2):
    unit = tf.math.l2_normalize(embeddings, axis=-1)
    squared = 2.0 - 2.0 * tf.matmul(unit, unit, transpose_b=True)
    apart = tf.sqrt(tf.nn.relu(squared) + 1e-6)
    equal = tf.cast(labels[:, None] == labels[None], tf.float32)
    partners = tf.linalg.set_diag(equal, tf.zeros_like(equal[0]))
    positive = tf.reduce_max(apart * partners, axis=1)
    negative = tf.reduce_min(apart + 9.0 * equal, axis=1)
    anchors = tf.reduce_sum(partners, axis=1) > 0
    rows = tf.boolean_mask(tf.nn.relu(positive - negative + margin), anchors)
    return tf.math.divide_no_nan(tf.reduce_sum(rows), tf.cast(tf.size(rows), tf.float32))
