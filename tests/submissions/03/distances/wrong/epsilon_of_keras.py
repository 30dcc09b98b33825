# expects: The epsilon is 1e-07; the formula has 1e-6
def triplet_distances(embeddings):
    anchor, positive, negative = (embeddings[:, i] for i in range(3))
    epsilon = keras.config.epsilon()
    near = ops.sqrt(ops.sum((anchor - positive) ** 2, axis=1) + epsilon)
    far = ops.sqrt(ops.sum((anchor - negative) ** 2, axis=1) + epsilon)
    return near, far
