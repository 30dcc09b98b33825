# expects: This is the mean fraction of neighbors with the right label. Let the neighbors vote: a tes
# returns the fraction of neighbors with the right label, without a vote; four of five right neighbors count 0.8 instead of 1.
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=k).fit(train_embeddings)
    nearest = search.kneighbors(test_embeddings, return_distance=False)
    return float(np.mean(train_labels[nearest] == test_labels[:, None]))
