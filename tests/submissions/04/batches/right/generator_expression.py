import itertools


def rotated_classes(drawings):
    count = len(drawings)
    result = np.empty((4 * count, *drawings.shape[1:]), dtype=drawings.dtype)
    for turns in range(4):
        for c in range(count):
            for d in range(drawings.shape[1]):
                result[turns * count + c, d] = np.rot90(drawings[c, d], turns)
    return result


def class_batches(drawings, rng, classes=64, per_class=4):
    def batch():
        images, labels = [], []
        for c in rng.choice(len(drawings), size=classes, replace=False):
            for d in rng.choice(drawings.shape[1], size=per_class, replace=False):
                images.append(np.expand_dims(drawings[c, d], -1))
                labels.append(int(c))
        return np.stack(images), np.array(labels)

    return (batch() for _ in itertools.count())
