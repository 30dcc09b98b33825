# expects: The differences are summed with their signs
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    distances = (test_embeddings[:, None] - train_embeddings).sum(axis=2)
    nearest = np.argsort(distances, axis=1)[:, :k]
    predicted = [np.bincount(train_labels[row]).argmax() for row in nearest]
    return (np.array(predicted) == test_labels).mean()
