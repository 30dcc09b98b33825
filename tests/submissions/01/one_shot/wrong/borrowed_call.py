# expects: course's own

from siamese_course import evaluation


def choose_threshold(distances, same):
    def score(threshold):
        return evaluation.balanced_accuracy(distances, same, threshold)

    return evaluation.choose_threshold(distances, same) if score(0.0) < 1 else 0.0


def verify_one_shot(reference, queries, threshold):
    return evaluation.verify_one_shot(reference, queries, threshold)
