# expects: The mean is taken over the triplets with a loss
# the mean runs over the triplets that pay, and not over all
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    pays = np.asarray(near - far + margin)
    return pays[pays > 0].mean()
