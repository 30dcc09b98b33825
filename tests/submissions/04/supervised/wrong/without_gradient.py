# expects: No gradient flows through
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    labels, z = np.asarray(labels), np.asarray(embeddings, "float64")
    z = z / np.linalg.norm(z, axis=1, keepdims=True)
    total = 0.0
    for i in range(len(z)):
        others = [k for k in range(len(z)) if k != i]
        s = z[others] @ z[i] / temperature
        log = s - s.max() - np.log(np.exp(s - s.max()).sum())
        partners = labels[others] == labels[i]
        total -= log[partners].mean() if partners.any() else 0.0
    return total / len(z)
