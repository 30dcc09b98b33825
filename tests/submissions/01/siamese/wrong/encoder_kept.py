# expects: A second call, with another encoder, returns a model that shares weights
kept = {}


def build_siamese(encoder):
    encoder = kept.setdefault("encoder", encoder)
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], ops.stack([encoder(left), encoder(right)], axis=1))
