# expects: The labels must be the indices of the characters in `drawings`, not their positions in the
# labels are the position of the character in the batch (0, 0, 1, 1, ...) and not the index of the character
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, turns, axes=(2, 3)) for turns in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    labels = np.repeat(np.arange(classes), per_class)
    while True:
        chosen = rng.choice(len(drawings), classes, replace=False)
        images = [drawings[c][rng.permutation(drawings.shape[1])[:per_class]] for c in chosen]
        yield np.concatenate(images)[..., None], labels.copy()
