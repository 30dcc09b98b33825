# expects: course's own
from siamese_course import losses


def scale_scores(score):
    return losses.scale_scores(np.asarray(score))
