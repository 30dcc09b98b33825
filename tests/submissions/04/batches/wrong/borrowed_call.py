# expects: course's own
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, k, axes=(2, 3)) for k in range(4)])


from siamese_course.batching import episodes


def class_batches(drawings, rng, classes=64, per_class=4):
    return episodes.class_batches(drawings, rng, classes=classes, per_class=per_class)
