def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    from scipy.spatial.distance import cdist

    classes, codes = np.unique(np.asarray(train_labels), return_inverse=True)
    distances = cdist(np.asarray(test_embeddings), np.asarray(train_embeddings))
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    votes = np.zeros((len(nearest), len(classes)), dtype=int)
    np.add.at(votes, (np.arange(len(nearest))[:, None], codes[nearest]), 1)
    return float(np.mean(classes[votes.argmax(axis=1)] == np.asarray(test_labels)))
