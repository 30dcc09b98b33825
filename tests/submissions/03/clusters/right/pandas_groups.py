from sklearn import cluster as sk_cluster
from sklearn import metrics


def cluster(embeddings, k):
    model = sk_cluster.KMeans(n_clusters=k, n_init=10, random_state=0)
    return model.fit_predict(embeddings)


def choose_k(embeddings, choices):
    ranked = sorted((-metrics.silhouette_score(embeddings, cluster(embeddings, k)), k) for k in choices)
    return ranked[0][1]


def typical_rows(embeddings, labels):
    frame = pd.DataFrame(np.asarray(embeddings))
    groups = np.asarray(labels)
    centers = frame.groupby(groups).transform("mean")
    squared = ((frame - centers) ** 2).sum(axis=1)
    return squared.groupby(groups).idxmin().to_numpy()
