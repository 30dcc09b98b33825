import tensorflow as tf


def build_siamese(encoder):
    left = tf.keras.Input((784,))
    right = tf.keras.Input((784,))
    stack = tf.keras.layers.Lambda(lambda sides: tf.stack(sides, axis=1))
    return tf.keras.Model(inputs=[left, right], outputs=stack([encoder(left), encoder(right)]))
