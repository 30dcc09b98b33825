# expects: Your code stopped with
# asks `if` about a whole batch
def contrastive_loss(same, embeddings, margin=5.0):
    d = euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    if np.asarray(same) == 1:
        loss = 0.5 * d**2
    else:
        loss = 0.5 * ops.maximum(0.0, margin - d) ** 2
    return ops.mean(loss)
