# expects: course's own

from siamese_course.batching.images import balanced_pairs, classic_pairs
