# expects: course's own
from siamese_course.losses import cosine_regression_loss as regression_loss
from siamese_course.losses import row_cosines
