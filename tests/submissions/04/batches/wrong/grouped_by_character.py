# expects: The four rotations of each character come one after another. Return all characters upright
# rotated_classes puts the four rotations of a character next to each other, instead of first all upright, then all rotated by 90 degrees; two or more characters.
def rotated_classes(drawings):
    turned = [np.rot90(drawings, turns, axes=(2, 3)) for turns in range(4)]
    return np.stack(turned, axis=1).reshape(-1, *drawings.shape[1:])


def class_batches(drawings, rng, classes=64, per_class=4):
    while True:
        chosen = rng.choice(len(drawings), classes, replace=False)
        picked = [
            drawings[c, rng.choice(drawings.shape[1], per_class, replace=False)] for c in chosen
        ]
        yield np.concatenate(picked)[..., None], np.repeat(chosen, per_class)
