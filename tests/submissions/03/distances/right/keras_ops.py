EPSILON = 1e-6


def squared_length(vectors):
    return ops.einsum("bd,bd->b", vectors, vectors)


def triplet_distances(triplets):
    a, p, n = (triplets[:, side, :] for side in range(3))
    return ops.sqrt(squared_length(a - p) + EPSILON), ops.sqrt(squared_length(a - n) + EPSILON)
