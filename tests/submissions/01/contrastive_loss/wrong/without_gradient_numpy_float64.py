# expects: No gradient flows through your code
def contrastive_loss(same, embeddings, margin=5.0):
    same = np.asarray(same).astype(bool)
    embeddings = np.asarray(embeddings, dtype=np.float64)
    squared = ((embeddings[:, 0] - embeddings[:, 1]) ** 2).sum(axis=-1)
    pays = np.empty(len(same))
    pays[same] = squared[same]
    pays[~same] = np.clip(margin - np.sqrt(squared[~same] + 1e-6), 0, None) ** 2
    return pays.mean() / 2
