# expects: Your code stopped with `ValueError` in line
# class_batches reshapes to 28 x 28 pixels instead of the drawings' own height and width; drawings of another size, such as 14 x 56 (garbled) or 105 x 105 (an error).
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, turns, axes=(2, 3)) for turns in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    while True:
        labels = rng.permutation(len(drawings))[:classes]
        images = np.stack([rng.permutation(drawings[label])[:per_class] for label in labels])
        yield images.reshape(-1, 28, 28, 1), np.repeat(labels, per_class)
