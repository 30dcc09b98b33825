# expects: course's own
from siamese_course.checks.sentences import triplet_distances
