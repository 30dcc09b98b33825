# expects: The labels are averaged
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    difference = test_embeddings[:, None] - train_embeddings[None]
    nearest = np.argsort((difference**2).sum(axis=-1), axis=1)[:, :k]
    predicted = np.round(train_labels[nearest].mean(axis=1))
    return np.mean(predicted == test_labels)
