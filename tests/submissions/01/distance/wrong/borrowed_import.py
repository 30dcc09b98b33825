# expects: course's own

from siamese_course.losses import euclidean_distance
