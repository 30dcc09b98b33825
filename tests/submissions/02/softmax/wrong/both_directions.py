# expects: This averages both directions, left to right and right to left. Here only the anchor picks
# also lets each positive pick its anchor and averages both directions, as in CLIP; shown by any batch whose matrix of cosines isn't symmetric.
def softmax_loss(targets, embeddings, *, temperature=0.1):
    anchors, positives = embeddings[:, 0], embeddings[:, 1]
    candidates = ops.concatenate(
        [embeddings[:, side] for side in range(1, embeddings.shape[1])], axis=0
    )
    own = ops.sum(anchors * positives, axis=-1) / temperature
    forward = ops.matmul(anchors, ops.transpose(candidates)) / temperature
    backward = ops.matmul(positives, ops.transpose(anchors)) / temperature
    first = ops.mean(ops.logsumexp(forward, axis=1) - own)
    second = ops.mean(ops.logsumexp(backward, axis=1) - own)
    return (first + second) / 2
