# expects: course's own

from siamese_course.models import images as mnist


def build_encoder(dim=2):
    return mnist.build_encoder(dim, pixels=784, units=1024)
