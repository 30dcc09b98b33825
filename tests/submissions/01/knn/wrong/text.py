# expects: expected numbers

from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    classifier = KNeighborsClassifier(n_neighbors=k).fit(train_embeddings, train_labels)
    return f"{classifier.score(test_embeddings, test_labels):.1%}"
