# expects: course's own

from siamese_course.models.mnist import build_encoder
