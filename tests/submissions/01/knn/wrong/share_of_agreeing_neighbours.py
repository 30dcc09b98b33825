# expects: This is the mean fraction of neighbors
# counts neighbours of the right label, without a vote
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    shares = []
    for point, label in zip(test_embeddings, test_labels):
        nearest = np.argsort(np.linalg.norm(train_embeddings - point, axis=1))[:k]
        shares.append(np.mean(train_labels[nearest] == label))
    return np.mean(shares)
