# expects: course's own
from siamese_course.exercises.sbert_roberta.ranking import mean_reciprocal_rank, recall_at
