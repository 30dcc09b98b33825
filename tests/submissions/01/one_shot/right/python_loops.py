import math


def choose_threshold(distances, same):
    distances, same = list(distances), list(same)
    similar = [d for d, s in zip(distances, same) if s == 1]
    different = [d for d, s in zip(distances, same) if s == 0]
    best, best_threshold = -1.0, None
    for threshold in distances:
        accepted = sum(d <= threshold for d in similar) / len(similar)
        refused = sum(d > threshold for d in different) / len(different)
        if accepted + refused > best:
            best, best_threshold = accepted + refused, threshold
    return best_threshold


def verify_one_shot(reference, queries, threshold):
    answers = []
    for query in queries:
        answers.append(math.dist(query, reference) <= threshold)
    return answers
