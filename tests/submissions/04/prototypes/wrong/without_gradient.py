# expects: No gradient flows through
def prototypical_loss(labels, embeddings, shots=1):
    labels, rows = np.asarray(labels), np.asarray(embeddings, "float64")
    places = {name: np.flatnonzero(labels == name) for name in dict.fromkeys(labels.tolist())}
    means = np.stack([rows[p[:shots]].mean(axis=0) for p in places.values()])
    paid = []
    for k, p in enumerate(places.values()):
        for z in rows[p[shots:]]:
            logits = -((z - means) ** 2).sum(axis=1)
            top = logits.max()
            paid.append(top + np.log(np.exp(logits - top).sum()) - logits[k])
    return np.mean(paid)
