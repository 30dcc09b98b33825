# expects: course's own
from siamese_course.exercises.quora import evaluate, pair_similarities
