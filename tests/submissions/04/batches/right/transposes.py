def rotated_classes(drawings):
    once = drawings.swapaxes(2, 3)[:, :, ::-1]
    return np.concatenate(
        [drawings, once, drawings[:, :, ::-1, ::-1], drawings.swapaxes(2, 3)[..., ::-1]]
    )


def class_batches(drawings, rng, classes=64, per_class=4):
    while True:
        chosen = rng.permutation(len(drawings))[:classes]
        images, labels = [], []
        for character in chosen:
            for column in rng.permutation(drawings.shape[1])[:per_class]:
                images.append(drawings[character, column][:, :, np.newaxis])
                labels.append(character)
        yield np.stack(images), np.array(labels)
