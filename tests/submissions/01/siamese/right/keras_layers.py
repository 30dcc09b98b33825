from keras.layers import Concatenate, Reshape


def build_siamese(encoder):
    left = keras.Input(shape=(784,), name="left")
    right = keras.Input(shape=(784,), name="right")
    one_row = Reshape((1, encoder.output_shape[-1]))
    sides = [one_row(encoder(side)) for side in (left, right)]
    return keras.Model([left, right], Concatenate(axis=1)(sides))
