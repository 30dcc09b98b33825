def rotated_classes(drawings):
    turned = np.swapaxes(drawings, 2, 3)
    return np.concatenate(
        [drawings, turned[:, :, ::-1, :], drawings[:, :, ::-1, ::-1], turned[:, :, :, ::-1]], axis=0
    )


def class_batches(drawings, rng, classes=64, per_class=4):
    characters, drawers = drawings.shape[:2]
    while True:
        chosen = rng.random(characters).argsort()[:classes, None]
        columns = rng.random((classes, drawers)).argsort(axis=1)[:, :per_class]
        images = drawings[chosen, columns]
        labels = np.broadcast_to(chosen, columns.shape)
        yield images.reshape(-1, *drawings.shape[2:], 1), labels.flatten()
