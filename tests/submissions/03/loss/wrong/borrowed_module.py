# expects: course's own
def triplet_loss(targets, embeddings, margin=1.0):
    return losses.distance_triplet_loss(embeddings, margin=margin)
