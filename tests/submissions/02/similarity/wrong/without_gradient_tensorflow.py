# expects: No gradient flows through your code
import tensorflow as tf


def similarity_matrix(left, right):
    return tf.linalg.matmul(np.asarray(left), np.asarray(right), transpose_b=True)
