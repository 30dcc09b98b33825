"""Exercise 4 of notebook 04: rotated characters as new classes, and batches of classes times drawings."""

from collections import Counter

import numpy as np

from siamese_course.batching.episodes import class_batches, rotated_classes
from siamese_course.exercises.cases import draw, require_own_order
from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Wrong,
    as_array,
    compare,
    is_hidden,
    require_shape,
    seeded,
)

# --- rotated_classes ----------------------------------------------------------------------------------


def _turned(turns=range(4), axes=(2, 3), join=np.concatenate):
    return lambda drawings: join([np.rot90(drawings, k, axes=axes) for k in turns])


def _each_by_itself(drawings):
    turned = np.stack([np.rot90(drawings, k, axes=(2, 3)) for k in range(4)], axis=1)
    return turned.reshape(-1, *drawings.shape[1:])


TURN_MISTAKES = [
    Mistake(
        lambda d: np.rot90(d, axes=(2, 3)),
        "There is only one rotation, without the upright characters. Return all four.",
        "one_turn",
    ),
    Mistake(
        _turned(range(1, 4)),
        "There are only three rotations. The upright characters are classes, too: `range(4)`.",
        "three_turns",
    ),
    Mistake(_turned(range(2)), "These are two rotations; expected four: `range(4)`.", "two_turns"),
    Mistake(
        _turned([0] * 4), "All four blocks are upright: use the number of rotations.", "not_turned"
    ),
    Mistake(
        _turned(join=np.stack),
        "The four blocks are stacked along a new axis. Concatenate them along the first one, the characters.",
        "stacked",
    ),
    Mistake(
        _turned(join=lambda blocks: np.concatenate(blocks, axis=1)),
        "The rotated drawings are added to the upright ones, as drawings of the *same* character. They are new "
        "characters: concatenate along axis 0.",
        "same_class",
    ),
    Mistake(
        _each_by_itself,
        "The four rotations of each character come one after another. Return all characters upright first, then all "
        "rotated once, and so on.",
        "order",
    ),
    Mistake(
        lambda d: np.concatenate([d, d[:, :, ::-1], d[..., ::-1], d[:, :, ::-1, ::-1]]),
        "Mirror images are other shapes, not rotations. Use `np.rot90`.",
        "mirrored",
    ),
    Mistake(
        _turned([0, -1, -2, -3]),
        "The drawings are rotated clockwise. Rotate them as `np.rot90` does with a positive number.",
        "clockwise",
    ),
]


def _drawings(characters, count, side, seed=0, width=None):
    """Drawings of which each pixel is another number, so that every image can be told."""
    rng = seeded(seed)
    return rng.random((characters, count, side, width or side)).astype("float32")


def _test_rotated(answer):
    some = 4 if is_hidden() else 3
    cases = [_drawings(some, 2, 5), _drawings(5, 5, 5, 1), _drawings(some, 2, 5, 9)]
    edges = [_drawings(1, 1, 4, 2), _drawings(2, 3, 1, 3), _drawings(2, 2, 28, 4)]

    def clear(drawings):
        try:
            return answer(drawings)
        except ValueError as error:
            if "must match exactly" not in str(error):
                raise
            raise Wrong(
                "`np.rot90` rotates the first two axes by default. Height and width are `axes=(2, 3)`.",
                "axes",
            ) from None

    compare(
        clear,
        rotated_classes,
        [(each,) for each in cases],
        TURN_MISTAKES,
        edges=[(e,) for e in edges],
    )


# --- class_batches ------------------------------------------------------------------------------------


def _batches(answer, drawings, classes, per_class, count, seed=0):
    """Some batches; raises ``Wrong`` where the form is wrong."""
    given = drawings.copy()
    sizes = {"classes": classes, "per_class": per_class}
    made = draw(lambda *a: answer(*a, **sizes), (given, seeded(seed)), count)
    if not np.array_equal(given, drawings):
        raise Wrong("Your code changes `drawings`. Work on a copy.", "changed")
    size, rows = drawings.shape[2:], classes * per_class
    for batch in made:
        if not isinstance(batch, tuple | list) or len(batch) != 2:
            raise Wrong("Yield pairs: `yield images, labels`.", "no_pair")
        images, labels = (
            as_array(each, name)
            for each, name in zip(
                batch, ("The array of images", "The array of labels"), strict=True
            )
        )
        known = {
            (rows, *size): (
                "The images have no channel axis, which a convolution needs: (batch, height, width, 1).",
                "no_channel",
            ),
            (classes, per_class, *size): (
                "The classes have their own axis. Flatten them into one batch: (classes * per_class, height, width, "
                "1).",
                "not_flat",
            ),
            (classes, per_class, *size, 1): (
                "The classes have their own axis. Flatten them into one batch: (classes * per_class, height, width, "
                "1).",
                "not_flat",
            ),
        }
        require_shape(images, (rows, *size, 1), known, "The array of images")
        require_shape(
            labels,
            (rows,),
            {
                (classes,): (
                    "There is only one label for each class. Each *image* needs one: `np.repeat`.",
                    "labels_once",
                )
            },
            "The array of labels",
        )
    return [(np.asarray(images, "float64"), np.asarray(labels, int)) for images, labels in made]


def _places(batch, drawings):
    """(character, drawing) of each image of a batch, found by its pixels."""
    images, _ = batch
    known = {drawings[place].tobytes(): place for place in np.ndindex(*drawings.shape[:2])}
    try:
        return np.array([known[image[..., 0].astype("float32").tobytes()] for image in images])
    except KeyError:
        raise Wrong(
            "An image of the batch is not one of the drawings. Only choose from them; distortion comes later.",
            "other_images",
        ) from None


def _require_batch(batch, drawings, classes, per_class):
    places, labels = _places(batch, drawings), batch[1]
    characters = places[:, 0]
    if len(np.unique(places, axis=0)) < len(places):
        if len(np.unique(characters)) < classes:
            raise Wrong(
                f"A batch has {len(np.unique(characters))} different characters; expected {classes}. Draw them with "
                "`replace=False`.",
                "repeated_class",
            )
        raise Wrong(
            "A drawing occurs twice in a batch: comparing an image with itself teaches nothing. Draw the drawings "
            "of a character with `replace=False`.",
            "twice",
        )
    counts = Counter(characters.tolist())
    if len(counts) != classes or set(counts.values()) != {per_class}:
        raise Wrong(
            f"A batch has {sorted(counts.values())} drawings of its {len(counts)} characters; expected {per_class} each of "
            f"{classes}.",
            "counts",
        )
    if (
        np.sort(characters.reshape(classes, per_class), axis=1)
        != characters.reshape(classes, per_class)[:, :1]
    ).any():
        raise Wrong(
            "The drawings of a character are not next to each other: use `np.repeat`, not `np.tile`.",
            "order",
        )
    if (labels != characters).any():
        same = (labels[:, None] == labels) == (characters[:, None] == characters)
        if same.all():
            raise Wrong(
                "The labels must be the indices of the characters in `drawings`, not their positions in the batch.",
                "places",
            )
        raise Wrong("The labels don't match the images.", "labels")
    return places


def _test_batches(answer):
    drawings = _drawings(7, 6, 3, 5)
    for seed, (classes, per_class) in enumerate([(4, 3), (3, 2), (2, 4)]):
        for batch in _batches(answer, drawings, classes, per_class, 3, seed):
            _require_batch(batch, drawings, classes, per_class)
    wide = _drawings(5, 4, 2, 9, width=3)
    for batch in _batches(answer, wide, 3, 2, 2):
        _require_batch(batch, wide, 3, 2)
    for sizes, (classes, per_class) in (
        ((3, 2, 4), (3, 2)),
        ((4, 5, 3), (2, 5)),
        ((4, 1, 3), (3, 1)),
        ((4, 3, 3), (4, 1)),
    ):
        all_of_it = _drawings(*sizes, seed=6)
        for batch in _batches(answer, all_of_it, classes, per_class, 2):
            _require_batch(batch, all_of_it, classes, per_class)


def _test_random(answer):
    drawings = _drawings(6, 5, 2, 7)

    def order(seed):
        made = _batches(answer, drawings, 3, 2, 3, (0, 4)[seed])
        return [_require_batch(batch, drawings, 3, 2).tolist() for batch in made]

    require_own_order(order)
    places = [
        _require_batch(batch, drawings, 3, 2) for batch in _batches(answer, drawings, 3, 2, 60)
    ]
    seen = len({tuple(place) for batch in places for place in batch})
    if seen < drawings.shape[0] * drawings.shape[1]:
        raise Wrong(
            f"In 60 batches, {30 - seen} of 30 drawings never occur. Draw new characters and drawings for every batch.",
            "few",
        )
    # 20 triples of characters, of which 6 are of neighbors; 10 pairs of drawings, of which 5 are
    meetings = (
        ("characters of a batch", [batch[::2, 0] for batch in places], 12),
        ("drawings of a character", [pair for b in places for pair in b[:, 1].reshape(3, 2)], 8),
    )
    for what, drawn, fewest in meetings:
        if (found := len({frozenset(each.tolist()) for each in drawn})) < fewest:
            raise Wrong(
                f"The {what} are always the same few together: 60 batches have {found} different sets of them. Draw them "
                "with `rng.choice(..., replace=False)`.",
                "neighbors",
            )
    columns = np.array([batch[:, 1].reshape(3, 2) for batch in places])
    if (columns == columns[:, :1]).all():
        raise Wrong(
            "All characters of a batch get the same drawers. Draw them separately for each character.",
            "same_drawers",
        )


def _test_defaults(answer):
    drawings = _drawings(70, 5, 2, 8)
    [(images, _)] = draw(lambda *a: answer(*a), (drawings, seeded(0)), 1)
    if len(images) != 256:
        raise Wrong(
            f"Without sizes, a batch has {len(images)} images; the defaults are classes=64, per_class=4.",
            "defaults",
        )
    _require_batch((np.asarray(images), np.asarray(_)), drawings, 64, 4)


def _ready(rotate, batch):
    rotated = rotate(_drawings(3, 2, 5))
    if not isinstance(rotated, np.ndarray):
        raise TypeError(
            f"its rotated characters are a `{type(rotated).__name__}`, and the notebook needs a NumPy array"
        )
    [made] = draw(lambda *a: batch(*a), (_drawings(70, 5, 2, 8), seeded(0)), 1)
    if not all(hasattr(each, "shape") for each in made):
        raise TypeError("its batches hold lists, and Keras takes arrays")


batches = Exercise(
    name="04.batches",
    title="Batches of characters",
    parts=[
        Part(4, _test_rotated, of=0),
        Part(5, _test_batches, of=1),
        Part(3, _test_random, of=1),
        Part(1, _test_defaults, of=1),
    ],
    reference=[rotated_classes, class_batches],
    ready=_ready,
    hints=(
        "A character rotated by 90 degrees is another character, so it becomes another row. A batch needs several "
        "characters, and several drawings of each, so that every image has partners and negatives.",
        "`np.rot90(drawings, k, axes=(2, 3))` rotates all of them k times; `np.concatenate` joins the blocks. "
        "`rng.choice(n, classes, replace=False)` draws characters; `drawings[labels, columns]` takes one drawing "
        "for each pair of indices.",
        "`labels = np.repeat(rng.choice(...), per_class)`, `columns = np.concatenate([rng.choice(count, per_class, "
        "replace=False) for _ in range(classes)])`, and in `while True:` `yield drawings[labels, columns][..., None], labels`.",
    ),
)
