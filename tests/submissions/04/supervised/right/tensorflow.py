import tensorflow as tf


def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    unit = tf.math.l2_normalize(embeddings, axis=-1)
    eye = tf.eye(tf.shape(embeddings)[0])
    logits = tf.matmul(unit, unit, transpose_b=True) / temperature - 1e9 * eye
    partners = tf.cast(labels[:, None] == labels[None], tf.float32) - eye
    log = tf.nn.log_softmax(logits)
    rows = tf.math.divide_no_nan(tf.reduce_sum(partners * log, 1), tf.reduce_sum(partners, 1))
    return -tf.reduce_mean(rows)
