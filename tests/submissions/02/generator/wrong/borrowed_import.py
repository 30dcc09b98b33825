# expects: course's own
from siamese_course.exercises.quora import data_generator
