# expects: course's own
from siamese_course.models.questions_trax import triplet_loss
