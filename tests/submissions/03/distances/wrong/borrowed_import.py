# expects: course's own
from siamese_course.exercises.sbert_roberta import triplet_distances
