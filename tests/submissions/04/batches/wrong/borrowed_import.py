# expects: course's own
from siamese_course.batching.episodes import rotated_classes


def class_batches(drawings, rng, classes=64, per_class=4):
    characters, count = drawings.shape[:2]
    while True:
        labels = np.repeat(rng.choice(characters, classes, replace=False), per_class)
        columns = [rng.choice(count, per_class, replace=False) for _ in range(classes)]
        yield drawings[labels, np.concatenate(columns)][..., None], labels
