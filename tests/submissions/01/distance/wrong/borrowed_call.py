# expects: course's own

from siamese_course import losses


def euclidean_distance(left, right):
    return losses.euclidean_distance(left, right)
