# expects: The drawings of a character are always the same few together
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, k, axes=(2, 3)) for k in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    characters, count = drawings.shape[:2]
    while True:
        labels = np.repeat(rng.choice(characters, classes, replace=False), per_class)
        first = np.repeat(rng.integers(count, size=classes), per_class)
        columns = (first + np.tile(np.arange(per_class), classes)) % count
        yield drawings[labels, columns][..., None], labels
