# expects: A value is off
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    hits = []
    for point, label in zip(test_embeddings, test_labels):
        distances = np.linalg.norm(train_embeddings - point, axis=1)
        nearest = np.argpartition(distances, k - 2)[:k]
        hits.append(np.bincount(train_labels[nearest]).argmax() == label)
    return np.mean(hits)
