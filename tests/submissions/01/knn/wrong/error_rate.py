# expects: This is the error rate
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    wrong = 0
    for point, label in zip(test_embeddings, test_labels):
        distances = np.linalg.norm(train_embeddings - point, axis=1)
        votes = np.bincount(train_labels[np.argsort(distances)[:k]])
        wrong += votes.argmax() != label
    return wrong / len(test_labels)
