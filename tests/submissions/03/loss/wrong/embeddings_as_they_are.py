# expects: The result has shape (6, 3, 4); expected one number
def triplet_loss(targets, embeddings, margin=1.0):
    return embeddings
