# expects: The embeddings are scaled to unit length first. Here they stay as they are: the objective
# scales the embeddings to length 1 first, which the text rules out; it shows for embeddings of any other length
def triplet_distances(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    anchor, positive, negative = unit[:, 0], unit[:, 1], unit[:, 2]
    near = ops.sqrt(ops.sum(ops.square(anchor - positive), axis=-1) + 1e-6)
    far = ops.sqrt(ops.sum(ops.square(anchor - negative), axis=-1) + 1e-6)
    return near, far
