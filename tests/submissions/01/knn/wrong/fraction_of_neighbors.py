# expects: This is the mean fraction of neighbors with the right label. Let the neighbors vote: a tes
# returns the fraction of neighbors with the right label, without a vote; shows whenever some of the k neighbors of a test point disagree
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    hits = []
    for point, label in zip(test_embeddings, test_labels):
        distances = np.linalg.norm(train_embeddings - point, axis=1)
        nearest = np.argsort(distances)[:k]
        hits.append(np.mean(train_labels[nearest] == label))
    return np.mean(hits)
