def cluster(embeddings, k):
    from sklearn.cluster import KMeans

    model = KMeans(n_clusters=k, n_init=10, random_state=0)
    model.fit(embeddings)
    return model.labels_


def choose_k(embeddings, choices):
    from sklearn.metrics import silhouette_score

    return max(choices, key=lambda k: silhouette_score(embeddings, cluster(embeddings, k)))


def typical_rows(embeddings, labels):
    embeddings, labels = np.asarray(embeddings), np.asarray(labels)
    centers = np.stack(
        [np.mean(embeddings[labels == label], axis=0) for label in range(labels.max() + 1)]
    )
    distances = np.linalg.norm(embeddings - centers[labels], axis=1)
    order = np.lexsort((distances, labels))
    _, first = np.unique(labels[order], return_index=True)
    return order[first]
