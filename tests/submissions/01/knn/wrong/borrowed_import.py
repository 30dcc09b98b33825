# expects: course's own

from siamese_course.evaluation import knn_score
