# expects: The array of images has shape (6, 3, 2, 1); expected (6, 2, 3, 1)
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, turns, axes=(2, 3)) for turns in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    while True:
        chosen = rng.choice(len(drawings), classes, replace=False)
        images = [
            drawings[c, rng.choice(drawings.shape[1], per_class, replace=False)] for c in chosen
        ]
        yield (
            np.reshape(images, (classes * per_class, -1, drawings.shape[2], 1)),
            np.repeat(chosen, per_class),
        )
