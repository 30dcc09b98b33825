# expects: course's own
from siamese_course.exercises.sentences import triplet_distances
