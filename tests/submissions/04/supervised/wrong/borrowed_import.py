# expects: course's own
from siamese_course.losses import supervised_contrastive_loss
