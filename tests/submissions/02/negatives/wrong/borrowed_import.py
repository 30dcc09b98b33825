# expects: course's own
from siamese_course.exercises.quora import hard_negatives
