# expects: course's own
from siamese_course.models.sentences import Siamese


def build_siamese(encoder, sides):
    return Siamese(encoder)
