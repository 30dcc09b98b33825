# expects: course's own

import siamese_course.models.images


def build_siamese(encoder):
    return siamese_course.models.images.build_siamese(encoder)
