from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    classifier = KNeighborsClassifier(n_neighbors=k, algorithm="brute")
    classifier.fit(train_embeddings, train_labels)
    return classifier.score(test_embeddings, test_labels)
