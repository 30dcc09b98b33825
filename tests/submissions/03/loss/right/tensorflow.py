import tensorflow as tf


def triplet_loss(y_true, y_pred, margin=1):
    near, far = (tf.convert_to_tensor(distance) for distance in triplet_distances(y_pred))
    return tf.reduce_mean(tf.nn.relu(near - far + tf.cast(margin, near.dtype)))
