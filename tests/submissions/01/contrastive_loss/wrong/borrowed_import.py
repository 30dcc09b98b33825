# expects: course's own

from siamese_course.losses import contrastive_loss
