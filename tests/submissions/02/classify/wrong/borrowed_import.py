# expects: course's own
from siamese_course.checks.quora import evaluate, pair_similarities
