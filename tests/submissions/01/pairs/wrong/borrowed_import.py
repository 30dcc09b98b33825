# expects: course's own

from siamese_course.datasets.mnist import balanced_pairs, classic_pairs
