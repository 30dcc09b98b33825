# expects: Your code stopped with `ValueError` in line
# partitions at position k instead of k - 1, which doesn't exist if there are exactly k training embeddings; n = k = 5 raises an error.
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    correct = 0
    for point, label in zip(test_embeddings, test_labels):
        squared = np.sum((train_embeddings - point) ** 2, axis=1)
        nearest = np.argpartition(squared, k)[:k]
        classes, votes = np.unique(train_labels[nearest], return_counts=True)
        correct += classes[np.argmax(votes)] == label
    return correct / len(test_labels)
