# expects: course's own
from siamese_course.exercises.quora import training_loop
