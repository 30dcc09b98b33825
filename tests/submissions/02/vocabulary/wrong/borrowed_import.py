# expects: course's own
from siamese_course.exercises.quora import build_vocabulary, encode
