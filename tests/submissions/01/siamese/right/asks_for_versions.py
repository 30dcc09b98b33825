import sys


def build_siamese(encoder):
    print("Python", sys.version_info[:2], "Keras", getattr(keras, "__version__", "?"))
    left, right = keras.Input((784,), name="left"), keras.Input((784,), name="right")
    return keras.Model([left, right], ops.stack([encoder(left), encoder(right)], axis=1))
