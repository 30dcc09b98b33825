# expects: Your code works on numbers, but not in training, where Keras calls it once with symbolic t
# loops over the rows in Python, which works on arrays but not in compiled training, where the batch size is unknown; shown inside a compiled model or tf.function with shape (None, 3, dim).
def triplet_distances(embeddings):
    def distance(a, b):
        return ops.sqrt(ops.sum(ops.square(a - b)) + 1e-6)

    near = ops.stack([distance(row[0], row[1]) for row in embeddings])
    far = ops.stack([distance(row[0], row[2]) for row in embeddings])
    return near, far
