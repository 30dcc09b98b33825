# expects: This is the number of hits

from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    classifier = KNeighborsClassifier(n_neighbors=k)
    classifier.fit(train_embeddings, train_labels)
    return sum(classifier.predict(test_embeddings) == test_labels)
