# expects: course's own
from siamese_course.exercises.quora_triplet import training_loop
