# expects: This scores the training embeddings

from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    knn = KNeighborsClassifier(n_neighbors=k)
    return knn.fit(train_embeddings, train_labels).score(train_embeddings, train_labels)
