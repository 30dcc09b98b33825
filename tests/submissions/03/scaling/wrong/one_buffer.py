# expects: A later call changes what an earlier call returned
buffers = {}


def scale_scores(score):
    scaled = buffers.setdefault(len(score), np.empty(len(score)))
    np.divide(score, 2.5, out=scaled)
    scaled -= 1
    return scaled
