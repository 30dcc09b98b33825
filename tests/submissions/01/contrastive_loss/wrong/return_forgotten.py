# expects: is a `return` missing?
def contrastive_loss(same, embeddings, margin=5.0):
    d = euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    loss = ops.mean(same * d**2 / 2 + (1 - same) * ops.relu(margin - d) ** 2 / 2)
    print("loss:", float(loss))
