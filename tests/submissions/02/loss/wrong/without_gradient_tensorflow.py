# expects: No gradient flows through your code
import tensorflow as tf


def triplet_loss(left, right, margin=0.25):
    s = tf.matmul(np.asarray(left), np.asarray(right), transpose_b=True)
    batch = s.shape[0]
    positive = tf.linalg.diag_part(s)
    hardest = tf.reduce_max(s - 2.0 * tf.eye(batch), axis=1)
    mean = (tf.reduce_sum(s, axis=1) - positive) / (batch - 1)
    l1, l2 = tf.nn.relu(margin - positive + hardest), tf.nn.relu(margin - positive + mean)
    return tf.reduce_mean(l1 + l2)
