def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    from collections import Counter

    train_embeddings, train_labels = np.asarray(train_embeddings), np.asarray(train_labels)
    hits = []
    for point, label in zip(np.asarray(test_embeddings), np.asarray(test_labels).tolist()):
        distances = np.linalg.norm(train_embeddings - point, axis=1)
        nearest = np.argpartition(distances, k - 1)[:k]
        (winner, _), *_ = Counter(train_labels[nearest].tolist()).most_common(1)
        hits.append(winner == label)
    return sum(hits) / len(hits)
