# expects: Positive and negative are swapped: this pulls the negative in
def triplet_loss(targets, embeddings, margin=1.0):
    positive, negative = triplet_distances(embeddings)
    return ops.mean(ops.relu(margin - positive + negative))
