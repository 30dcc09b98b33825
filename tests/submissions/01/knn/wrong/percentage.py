# expects: This is a percentage

from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    classifier = KNeighborsClassifier(k).fit(train_embeddings, train_labels)
    return 100 * classifier.score(test_embeddings, test_labels)
