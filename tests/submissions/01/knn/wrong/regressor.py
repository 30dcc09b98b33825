# expects: A value is off
# a regression: its score is no share of right answers

from sklearn.neighbors import KNeighborsRegressor


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    model = KNeighborsRegressor(n_neighbors=k).fit(train_embeddings, train_labels)
    return model.score(test_embeddings, test_labels)
