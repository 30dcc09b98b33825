# expects: course's own
import siamese_course.models.images


def build_verifier(encoder):
    return siamese_course.models.images.build_verifier(encoder)
