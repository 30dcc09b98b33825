def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    train_labels = ops.cast(train_labels, "int32")
    predicted = []
    for point in test_embeddings:
        distances = ops.norm(ops.convert_to_tensor(train_embeddings - point), axis=-1)
        _, nearest = ops.top_k(-distances, k)
        votes = ops.bincount(ops.take(train_labels, nearest))
        predicted.append(int(ops.argmax(votes)))
    return float(np.mean(np.array(predicted) == test_labels))
