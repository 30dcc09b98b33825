# expects: A later batch changes an earlier one: the same array or list is filled again and again. Ma
# class_batches fills one array again and again and yields it, so each batch overwrites the one before; after two calls of next, the first batch's images no longer fit its labels.
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, turns, axes=(2, 3)) for turns in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    _, count, height, width = drawings.shape
    images = np.empty((classes * per_class, height, width, 1), drawings.dtype)
    while True:
        chosen = rng.choice(len(drawings), classes, replace=False)
        for position, character in enumerate(chosen):
            rows = slice(position * per_class, (position + 1) * per_class)
            images[rows, ..., 0] = drawings[character, rng.choice(count, per_class, replace=False)]
        yield images, np.repeat(chosen, per_class)
