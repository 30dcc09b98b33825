# expects: course's own
from siamese_course.exercises.quora_triplet import similarity_matrix as similarities


def similarity_matrix(left, right):
    return similarities(left, right)
