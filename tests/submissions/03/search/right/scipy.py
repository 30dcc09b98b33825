from scipy.spatial.distance import cdist


def semantic_search(asked, library, top):
    similarities = 1.0 - cdist(asked, library, metric="cosine")
    # take the best without sorting everything, then put those in order
    best = np.argpartition(-similarities, top - 1, axis=1)[:, :top]
    values = np.take_along_axis(similarities, best, axis=1)
    order = np.argsort(-values, axis=1)
    return np.take_along_axis(values, order, axis=1), np.take_along_axis(best, order, axis=1)
