# expects: Only the first coordinate is compared
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    difference = np.abs(test_embeddings[:, None, 0] - train_embeddings[None, :, 0])
    nearest = train_labels[np.argsort(difference, axis=1)[:, :k]]
    predicted = [np.bincount(row).argmax() for row in nearest]
    return np.mean(np.array(predicted) == test_labels)
