# expects: This uses the Manhattan distance, the sum of absolute differences. The score is about Eucl
# uses the Manhattan distance (p=1), not the Euclidean one; for k = 1, a test point at (0, 0) is nearer to (3, 3) than to (0, 5), but this chooses (0, 5).
from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    neighbors = KNeighborsClassifier(n_neighbors=k, p=1).fit(train_embeddings, train_labels)
    return float(neighbors.score(test_embeddings, test_labels))
