def rotated_classes(drawings):
    turned = [np.asarray(drawings)]
    for _ in range(3):
        turned.append(np.rot90(turned[-1], axes=(-2, -1)))
    return np.vstack(turned)


def class_batches(drawings, rng, classes=64, per_class=4):
    while True:
        images, labels = [], []
        for character in rng.choice(len(drawings), size=classes, replace=False):
            for drawer in rng.choice(drawings.shape[1], size=per_class, replace=False):
                images.append(drawings[character, drawer])
                labels.append(character)
        yield np.expand_dims(np.array(images), -1), np.array(labels)
