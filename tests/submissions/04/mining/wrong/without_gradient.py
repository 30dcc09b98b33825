# expects: No gradient flows through
def hard_triplet_loss(labels, embeddings, margin=0.2):
    labels, z = np.asarray(labels), np.asarray(embeddings, "float64")
    z = z / np.linalg.norm(z, axis=1, keepdims=True)
    apart = np.sqrt(((z[:, None] - z) ** 2).sum(-1) + 1e-6)
    pays = []
    for i in range(len(z)):
        same = labels == labels[i]
        if 1 < same.sum() < len(z):
            others = same & (np.arange(len(z)) != i)
            pays.append(max(0.0, apart[i][others].max() - apart[i][~same].min() + margin))
    return np.mean(pays) if pays else 0.0
