import tensorflow as tf


def squared_distances(points, centres):
    return tf.reduce_sum((points[:, None] - centres[None]) ** 2, axis=-1)


def cluster(embeddings, k):
    points = tf.constant(embeddings, tf.float64)
    rng = np.random.default_rng(0)
    best, lowest = None, np.inf
    for _ in range(10):
        # begin with one row, then take the farthest row again and again
        centres = tf.gather(points, [rng.integers(len(embeddings))])
        while len(centres) < k:
            farthest = tf.argmax(tf.reduce_min(squared_distances(points, centres), axis=1))
            centres = tf.concat([centres, points[None, farthest]], axis=0)
        for _ in range(30):
            labels = tf.argmin(squared_distances(points, centres), axis=1)
            centres = tf.math.unsorted_segment_mean(points, labels, k)
        cost = float(tf.reduce_sum(tf.reduce_min(squared_distances(points, centres), axis=1)))
        if cost < lowest:
            best, lowest = labels, cost
    return best


def choose_k(embeddings, choices):
    from sklearn.metrics import silhouette_score

    scores = [silhouette_score(embeddings, cluster(embeddings, k)) for k in choices]
    return choices[int(np.argmax(scores))]


def typical_rows(embeddings, labels):
    found = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        center = embeddings[members].mean(axis=0)
        found.append(members[np.argmin(np.linalg.norm(embeddings[members] - center, axis=1))])
    return np.array(found)
