# expects: For two equal images the gradient is NaN, and one such pair turns every weight into NaN: t
# computes |x| as the root of the square without an epsilon, whose gradient is NaN at 0; a pair of two identical images makes all weights NaN.
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    difference = ops.sqrt(ops.square(encoder(left) - encoder(right)))
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(difference))
