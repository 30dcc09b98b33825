# expects: course's own
from siamese_course.models.quora_trax import triplet_loss
