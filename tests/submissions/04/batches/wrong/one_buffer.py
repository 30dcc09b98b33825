# expects: A later batch changes an earlier one
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, k, axes=(2, 3)) for k in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    characters, count = drawings.shape[:2]
    images = np.empty((classes * per_class, *drawings.shape[2:], 1), drawings.dtype)
    while True:
        labels = np.repeat(rng.choice(characters, classes, replace=False), per_class)
        columns = [rng.choice(count, per_class, replace=False) for _ in range(classes)]
        images[..., 0] = drawings[labels, np.concatenate(columns)]
        yield images, labels
