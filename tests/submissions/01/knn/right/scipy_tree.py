from scipy.spatial import KDTree
from scipy.stats import mode


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    _, rows = KDTree(train_embeddings).query(test_embeddings, k=range(1, k + 1))
    votes = mode(train_labels[rows], axis=1).mode
    return np.count_nonzero(votes == test_labels) / len(test_labels)
