# expects: expected one number
def choose_threshold(distances, same):
    return distances


def verify_one_shot(reference, queries, threshold):
    return queries
