# expects: course's own
from siamese_course.exercises.quora_triplet.token_vectors import prepare_vectors, token_importance
