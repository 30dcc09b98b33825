# expects: No gradient flows through your code
import tensorflow as tf


def hard_negatives(similarities):
    s = tf.constant(np.asarray(similarities))
    b = s.shape[0]
    hardest = tf.reduce_max(tf.linalg.set_diag(s, tf.fill([b], -2.0)), axis=1)
    mean = tf.reduce_sum(tf.linalg.set_diag(s, tf.zeros(b)), axis=1) / (b - 1)
    return hardest, mean
