# expects: rotated clockwise
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, -k, axes=(2, 3)) for k in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    characters, count = drawings.shape[:2]
    while True:
        labels = np.repeat(rng.choice(characters, classes, replace=False), per_class)
        columns = [rng.choice(count, per_class, replace=False) for _ in range(classes)]
        yield drawings[labels, np.concatenate(columns)][..., None], labels
