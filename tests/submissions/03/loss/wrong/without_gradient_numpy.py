# expects: No gradient flows through your code
def triplet_loss(targets, embeddings, margin=1.0):
    anchor, positive, negative = np.asarray(embeddings).swapaxes(0, 1)
    near = np.sqrt(np.sum((anchor - positive) ** 2, axis=1) + 1e-6)
    far = np.sqrt(np.sum((anchor - negative) ** 2, axis=1) + 1e-6)
    return np.clip(near - far + margin, 0, None).mean()
