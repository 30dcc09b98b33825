# expects: All characters of a batch get the same drawers. Draw them separately for each character.
# class_batches draws the drawings once for a batch, so all its characters are by the same people, instead of new drawings for each character; any batch with per_class < drawings shows it.
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, turns, axes=(2, 3)) for turns in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    _, count, height, width = drawings.shape
    while True:
        chosen = rng.choice(len(drawings), classes, replace=False)
        columns = rng.choice(count, per_class, replace=False)
        images = drawings[chosen[:, None], columns[None, :]]
        yield images.reshape(-1, height, width, 1), np.repeat(chosen, per_class)
