from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    return KMeans(k, n_init=10, random_state=0).fit(embeddings).labels_


def choose_k(embeddings, choices):
    scores = {k: silhouette_score(embeddings, cluster(embeddings, k)) for k in choices}
    return max(scores, key=scores.get)


def typical_rows(embeddings, labels):
    embeddings, labels = np.asarray(embeddings), np.asarray(labels)
    member = labels[:, None] == np.arange(labels.max() + 1)
    centers = (member.T @ embeddings) / member.sum(axis=0)[:, None]
    distances = np.linalg.norm(embeddings[:, None] - centers, axis=-1)
    return np.where(member, distances, np.inf).argmin(axis=0)
