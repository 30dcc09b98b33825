# expects: course's own

from siamese_course.evaluation import choose_threshold, verify_one_shot
