# expects: Only the nearest neighbor votes
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    right = []
    for point, label in zip(test_embeddings, test_labels):
        distances = ((train_embeddings - point) ** 2).sum(axis=1)
        right.append(train_labels[distances.argmin()] == label)
    return np.mean(right)
