# expects: course's own
from siamese_course.models import sentences


def build_siamese(encoder, sides):
    return sentences.build_siamese(encoder, sides)
