def rotated_classes(drawings):
    turned = [drawings]
    for _ in range(3):
        turned.append(np.rot90(turned[-1], axes=(2, 3)))
    return np.vstack(turned)


def class_batches(drawings, rng, classes=64, per_class=4):
    def batches():
        while True:
            chosen = rng.choice(len(drawings), size=(classes,), replace=False)
            order = rng.random((classes, drawings.shape[1])).argsort(axis=1)[:, :per_class]
            images = drawings[chosen[:, None], order]
            yield images.reshape(-1, *images.shape[2:], 1), chosen.repeat(per_class)

    return batches()
