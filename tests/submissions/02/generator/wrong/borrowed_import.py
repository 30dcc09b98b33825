# expects: course's own
from siamese_course.exercises.quora_triplet import data_generator
