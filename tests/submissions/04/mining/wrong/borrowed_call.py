# expects: course's own
def hard_triplet_loss(labels, embeddings, margin=0.2):
    return losses.mined_triplet_loss(labels, embeddings, margin=margin, mining="hard")
