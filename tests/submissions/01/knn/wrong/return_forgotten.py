# expects: is a `return` missing?

from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    classifier = KNeighborsClassifier(n_neighbors=k)
    classifier.fit(train_embeddings, train_labels)
    classifier.score(test_embeddings, test_labels)
