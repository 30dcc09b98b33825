# expects: course's own
from siamese_course.models.images import build_verifier
