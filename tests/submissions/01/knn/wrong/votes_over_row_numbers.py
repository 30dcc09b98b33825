# expects: A value is off
# forgets to look up the labels of the neighbours
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    hits = []
    for point, label in zip(test_embeddings, test_labels):
        nearest = np.argsort(np.linalg.norm(train_embeddings - point, axis=1))[:k]
        hits.append(np.bincount(nearest).argmax() == label)
    return np.mean(hits)
