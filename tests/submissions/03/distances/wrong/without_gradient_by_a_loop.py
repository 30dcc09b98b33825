# expects: No gradient flows through your code
import math


def triplet_distances(embeddings):
    near, far = [], []
    for anchor, positive, negative in np.asarray(embeddings).tolist():
        near.append(math.sqrt(sum((a - p) ** 2 for a, p in zip(anchor, positive)) + 1e-6))
        far.append(math.sqrt(sum((a - n) ** 2 for a, n in zip(anchor, negative)) + 1e-6))
    return near, far
