# expects: No gradient flows through your code
def contrastive_loss(same, embeddings, margin=5.0):
    total = 0.0
    for similar, (a, b) in zip(np.asarray(same), np.asarray(embeddings)):
        squared = sum((float(x) - float(y)) ** 2 for x, y in zip(a, b))
        if similar:
            total += squared / 2
        else:
            total += max(0.0, margin - (squared + 1e-6) ** 0.5) ** 2 / 2
    return total / len(embeddings)
