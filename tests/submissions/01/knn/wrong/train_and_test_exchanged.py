# expects: A value is off

from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    knn = KNeighborsClassifier(n_neighbors=k).fit(test_embeddings, test_labels)
    return knn.score(train_embeddings, train_labels)
