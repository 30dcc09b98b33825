# expects: The result contains NaN or infinity, for `targets` =
# computes the logarithm of the sum of exponentials as written, which overflows to infinity at a small temperature; shown by unit vectors with temperature=0.01.
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors, positives = embeddings[:, 0], embeddings[:, 1]
    candidates = ops.concatenate(
        [embeddings[:, side] for side in range(1, embeddings.shape[1])], axis=0
    )
    powers = ops.exp(ops.matmul(anchors, ops.transpose(candidates)) / temperature)
    own = ops.sum(anchors * positives, axis=-1) / temperature
    return ops.mean(ops.log(ops.sum(powers, axis=1)) - own)
