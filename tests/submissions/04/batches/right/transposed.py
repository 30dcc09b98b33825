def rotated_classes(drawings):
    transposed = np.swapaxes(drawings, 2, 3)
    quarter = transposed[:, :, ::-1, :]
    half = drawings[:, :, ::-1, ::-1]
    three_quarters = transposed[:, :, :, ::-1]
    return np.concatenate([drawings, quarter, half, three_quarters], axis=0)


def class_batches(drawings, rng, classes=64, per_class=4):
    characters, drawers, height, width = drawings.shape
    while True:
        chosen = rng.permutation(characters)[:classes]
        keys = rng.random((classes, drawers))
        picks = np.argsort(keys, axis=1)[:, :per_class]
        images = drawings[chosen[:, np.newaxis], picks]
        yield images.reshape(classes * per_class, height, width, 1), np.repeat(chosen, per_class)
