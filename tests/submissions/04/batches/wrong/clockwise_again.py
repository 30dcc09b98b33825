# expects: The drawings are rotated clockwise. Rotate them as `np.rot
# rotated_classes rotates clockwise, np.rot90 counterclockwise; the second and the fourth block of classes are swapped for any image that isn't symmetric.
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, turns, axes=(3, 2)) for turns in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    while True:
        chosen = rng.choice(len(drawings), classes, replace=False)
        images = [
            drawings[c][rng.choice(drawings.shape[1], per_class, replace=False)] for c in chosen
        ]
        yield np.concatenate(images)[..., None], np.repeat(chosen, per_class)
