# expects: A value is off
# closer neighbors get more votes; one very close neighbor of one class outvotes four farther ones of another.
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    from sklearn.neighbors import KNeighborsClassifier

    classifier = KNeighborsClassifier(n_neighbors=k, weights="distance")
    return float(classifier.fit(train_embeddings, train_labels).score(test_embeddings, test_labels))
