# expects: A value is off
# compares directions instead of distances

from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    classifier = KNeighborsClassifier(n_neighbors=k, metric="cosine")
    return classifier.fit(train_embeddings, train_labels).score(test_embeddings, test_labels)
