# expects: This is the mean fraction of neighbors with the right label. Let the neighbors vote: a tes
# returns the mean fraction of neighbors with the right label, without a vote; with 3 of 5 neighbors right everywhere it returns 0.6 instead of 1.
from sklearn.neighbors import NearestNeighbors


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    search = NearestNeighbors(n_neighbors=k).fit(train_embeddings)
    nearest = search.kneighbors(test_embeddings, return_distance=False)
    agree = np.asarray(train_labels)[nearest] == np.asarray(test_labels)[:, None]
    return float(np.mean(agree))
