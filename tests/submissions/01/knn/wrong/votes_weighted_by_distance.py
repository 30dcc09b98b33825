# expects: A value is off
# weights votes by one over the distance, so two very near neighbors outvote three farther ones; shows when the majority of the k neighbors is much farther away than the minority
from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    model = KNeighborsClassifier(n_neighbors=k, weights="distance")
    model.fit(train_embeddings, train_labels)
    return model.score(test_embeddings, test_labels)
