import tensorflow as tf


def build_verifier(encoder):
    left = tf.keras.Input(encoder.input_shape[1:])
    right = tf.keras.Input(encoder.input_shape[1:])
    apart = tf.keras.layers.Lambda(lambda s: tf.abs(s[0] - s[1]))([encoder(left), encoder(right)])
    return tf.keras.Model([left, right], tf.keras.layers.Dense(1, activation="sigmoid")(apart))
