# expects: The distances are squared. Use them as `triplet_distances` returns them.
# compares squared distances, without the root; it shows for any triplet within the margin whose distances are not 0 or 1
def triplet_loss(targets, embeddings, margin=1.0):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = ops.sum(ops.square(anchor - positive), axis=-1)
    far = ops.sum(ops.square(anchor - negative), axis=-1)
    return ops.mean(ops.maximum(0.0, near - far + margin))
