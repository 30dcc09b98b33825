from sklearn.neighbors import NearestNeighbors


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    finder = NearestNeighbors(n_neighbors=k).fit(train_embeddings)
    nearest = finder.kneighbors(test_embeddings, return_distance=False)
    classes, coded = np.unique(train_labels, return_inverse=True)
    votes = np.eye(len(classes))[coded[nearest]].sum(axis=1)
    return float(np.mean(classes[votes.argmax(axis=1)] == np.asarray(test_labels)))
