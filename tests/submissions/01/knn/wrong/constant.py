# expects: A value is off
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    return 0.84
