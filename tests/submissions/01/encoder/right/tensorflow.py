import tensorflow as tf


def build_encoder(dim=2):
    return tf.keras.Sequential(
        [
            tf.keras.Input((784,)),
            tf.keras.layers.Dense(1024, activation=tf.nn.relu),
            tf.keras.layers.Dense(1024, activation=tf.nn.relu),
            tf.keras.layers.Dense(dim),
        ]
    )
