# expects: course's own

from siamese_course.data.mnist import balanced_pairs, classic_pairs
