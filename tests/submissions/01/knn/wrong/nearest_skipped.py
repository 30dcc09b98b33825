# expects: The nearest neighbor is skipped. Leave it in: no test embedding is among the training ones
# leaves out the nearest training point as if it were the test point itself and takes numbers 2 to k + 1; shows for k = 1 whenever the two nearest points have different labels
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    correct = 0
    for point, label in zip(test_embeddings, test_labels):
        distances = np.linalg.norm(train_embeddings - point, axis=1)
        nearest = np.argsort(distances)[1 : k + 1]
        values, counts = np.unique(train_labels[nearest], return_counts=True)
        correct += values[np.argmax(counts)] == label
    return correct / len(test_labels)
