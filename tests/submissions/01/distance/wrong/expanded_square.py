# expects: The distances of embeddings far from the origin, near
# computes |a|^2 + |b|^2 - 2ab, which cancels in float32; [300.1, 400.2] and [300.1, 400.3] give a wrong distance or NaN instead of 0.1.
def euclidean_distance(left, right):
    squares = (
        ops.sum(ops.square(left), axis=-1)
        + ops.sum(ops.square(right), axis=-1)
        - 2.0 * ops.sum(left * right, axis=-1)
    )
    return ops.sqrt(squares + 1e-6)
