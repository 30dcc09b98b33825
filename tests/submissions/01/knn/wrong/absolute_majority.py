# expects: A value is off
# counts a test point only if more than half of its neighbors agree with it; shows with three or more classes, when the right label wins 2 : 1 : 1 : 1
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    correct = []
    for point, label in zip(test_embeddings, test_labels):
        distances = np.sqrt(np.sum((train_embeddings - point) ** 2, axis=1))
        nearest = np.argsort(distances)[:k]
        correct.append(np.sum(train_labels[nearest] == label) > k / 2)
    return float(np.mean(correct))
