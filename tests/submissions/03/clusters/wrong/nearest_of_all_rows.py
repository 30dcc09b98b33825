# expects: The row nearest to a center may belong to another cluster. Look among the cluster's own ro
# typical_rows takes the row closest to a center among all rows instead of the cluster's own; wrong if a row of another cluster lies nearer, for example rows 0, 10 with label 0 and 5, 5.5 with label 1 (center of label 0 is 5).
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)


def choose_k(embeddings, choices):
    scores = [silhouette_score(embeddings, cluster(embeddings, k)) for k in choices]
    return choices[int(np.argmax(scores))]


def typical_rows(embeddings, labels):
    found = []
    for label in np.unique(labels):
        center = embeddings[labels == label].mean(axis=0)
        found.append(np.argmin(np.linalg.norm(embeddings - center, axis=1)))
    return np.array(found)
