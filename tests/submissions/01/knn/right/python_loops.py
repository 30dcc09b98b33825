import heapq
from collections import Counter
from math import dist


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    known = list(zip(train_embeddings.tolist(), train_labels.tolist()))
    hits = 0
    for point, label in zip(test_embeddings.tolist(), test_labels.tolist()):
        nearest = heapq.nsmallest(k, known, key=lambda pair: dist(pair[0], point))
        vote = Counter(label for _, label in nearest).most_common(1)[0][0]
        hits += vote == label
    return hits / len(test_labels)
