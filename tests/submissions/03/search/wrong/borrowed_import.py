# expects: course's own
from siamese_course.search import semantic_search
