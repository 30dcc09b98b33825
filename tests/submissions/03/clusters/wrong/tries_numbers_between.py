# expects: Numbers between the choices are tried, too. Try only the choices.
# choose_k also tries the numbers between the choices, so it may return one that is not in the list; it shows for choices [2, 4] on three clear groups
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score


def cluster(embeddings, k):
    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)


def choose_k(embeddings, choices):
    best, best_score = None, -2.0
    for k in range(min(choices), max(choices) + 1):
        score = silhouette_score(embeddings, cluster(embeddings, k))
        if score > best_score:
            best, best_score = k, score
    return best


def typical_rows(embeddings, labels):
    rows = []
    for label in range(labels.max() + 1):
        members = np.flatnonzero(labels == label)
        center = embeddings[members].mean(axis=0)
        distances = np.linalg.norm(embeddings[members] - center, axis=1)
        rows.append(int(members[np.argmin(distances)]))
    return rows
