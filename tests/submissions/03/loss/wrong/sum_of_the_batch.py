# expects: This is the sum over the triplets, which grows with the batch
def triplet_loss(targets, embeddings, margin=1.0):
    total = 0.0
    for near, far in zip(*triplet_distances(embeddings)):
        total += max(0.0, float(near) - float(far) + margin)
    return total
