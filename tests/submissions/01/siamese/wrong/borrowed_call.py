# expects: course's own

import siamese_course.models.mnist


def build_siamese(encoder):
    return siamese_course.models.mnist.build_siamese(encoder)
