def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    cloud = np.array(train_embeddings, dtype="float64")
    names = np.asarray(train_labels)

    def vote(point):
        squared = np.square(cloud - np.asarray(point, dtype="float64")).sum(axis=1)
        ballots = names[np.argpartition(squared, k - 1)[:k]].tolist()
        return max(ballots, key=ballots.count)

    right = [vote(point) == label for point, label in zip(test_embeddings, test_labels)]
    return sum(right) / len(right)
