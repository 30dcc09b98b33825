# expects: The model returns distances
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    distance = euclidean_distance(encoder(left), encoder(right))
    return keras.Model([left, right], distance)
