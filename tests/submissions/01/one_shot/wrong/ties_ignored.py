# expects: For distances
# choose_threshold's running sums stop in the middle of equal distances, but a threshold accepts all of them; distances 1, 2, 2, 2, 3 with same = 1, 1, 0, 0, 1 give 2 instead of 1.
def choose_threshold(distances, same):
    order = np.argsort(distances, kind="stable")
    similar = same[order] == 1
    accepted = np.cumsum(similar) / np.sum(similar)
    mistaken = np.cumsum(~similar) / np.sum(~similar)
    return distances[order][np.argmax(accepted - mistaken)]


def verify_one_shot(reference, queries, threshold):
    return np.linalg.norm(queries - reference, axis=1) <= threshold
