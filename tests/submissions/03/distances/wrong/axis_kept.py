# expects: The distances have shape (batch, 1). Expected (batch,): leave out `keepdims`
def triplet_distances(embeddings):
    def distance(left, right):
        total = ops.sum(ops.square(left - right), axis=-1, keepdims=True)
        return ops.sqrt(total + 1e-6)

    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    return distance(anchor, positive), distance(anchor, negative)
