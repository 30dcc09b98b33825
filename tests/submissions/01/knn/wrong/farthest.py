# expects: The *farthest* neighbors vote
# takes the last k of the sorted distances
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    hits = 0
    for point, label in zip(test_embeddings, test_labels):
        order = np.argsort(np.linalg.norm(train_embeddings - point, axis=1))
        hits += np.bincount(train_labels[order[-k:]]).argmax() == label
    return hits / len(test_embeddings)
