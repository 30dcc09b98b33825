# expects: The generator ends after
# goes through the characters once and stops, so the generator isn't endless
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, turns, axes=(2, 3)) for turns in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    order = rng.permutation(len(drawings))
    for start in range(0, len(order) - classes + 1, classes):
        chosen = order[start : start + classes]
        images = [drawings[c, rng.choice(drawings.shape[1], per_class, replace=False)] for c in chosen]
        yield np.concatenate(images)[..., None], np.repeat(chosen, per_class)
