from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin, silhouette_samples


def cluster(embeddings, k):
    return KMeans(k, n_init=10, random_state=0).fit(embeddings).labels_


def choose_k(embeddings, choices):
    scores = pd.Series(
        {k: silhouette_samples(embeddings, cluster(embeddings, k)).mean() for k in choices}
    )
    return scores.idxmax()


def typical_rows(embeddings, labels):
    frame = pd.DataFrame(embeddings)
    rows = []
    for _, group in frame.groupby(np.asarray(labels)):
        place = pairwise_distances_argmin(group.mean().to_numpy()[None], group.to_numpy())[0]
        rows.append(group.index[place])
    return rows
