# expects: course's own
def triplet_loss(left, right, margin=0.25):
    return quora_trax.cosine_triplet_loss(left, right, margin)
