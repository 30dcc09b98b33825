# expects: Always 5 neighbors vote

from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    # five is the default of scikit-learn
    classifier = KNeighborsClassifier().fit(train_embeddings, train_labels)
    return classifier.score(test_embeddings, test_labels)
