# expects: course's own
from siamese_course.exercises.quora_triplet import evaluate, pair_similarities
