def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    train = np.asarray(train_embeddings, dtype="float64")
    test = np.asarray(test_embeddings, dtype="float64")
    table = ((test[:, None, :] - train[None, :, :]) ** 2).sum(axis=-1)
    nearest = np.argpartition(table, k - 1, axis=1)[:, :k]
    classes = np.unique(train_labels)
    votes = (train_labels[nearest][:, :, None] == classes).sum(axis=1)
    return np.mean(classes[votes.argmax(axis=1)] == test_labels)
