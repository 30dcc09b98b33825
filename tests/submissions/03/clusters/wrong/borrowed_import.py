# expects: course's own
from siamese_course.search import cluster
