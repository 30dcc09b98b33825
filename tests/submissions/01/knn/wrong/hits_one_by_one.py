# expects: This is one value per test embedding

from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    model = KNeighborsClassifier(k)
    model.fit(train_embeddings, train_labels)
    return model.predict(test_embeddings) == test_labels
