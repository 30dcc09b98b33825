# expects: In 60 batches, 18 of 30 drawings never occur. Draw new chara
# class_batches draws each character's drawings once, before the loop, so all batches show the same per_class drawings of a character; per_class smaller than the number of drawings.
def rotated_classes(drawings):
    return np.concatenate([np.rot90(drawings, turns, axes=(2, 3)) for turns in range(4)])


def class_batches(drawings, rng, classes=64, per_class=4):
    characters, drawers = drawings.shape[:2]
    # One sort for all characters, outside the loop
    picks = np.argsort(rng.random((characters, drawers)), axis=1)[:, :per_class]
    while True:
        chosen = rng.choice(characters, classes, replace=False)
        images = drawings[chosen[:, None], picks[chosen]]
        yield images.reshape(-1, *drawings.shape[2:], 1), np.repeat(chosen, per_class)
