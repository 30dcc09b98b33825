"""Exercise 4: known mistakes in the turns and in the batches are named."""

import numpy as np
import pytest

from siamese_course.batching.episodes import class_batches, rotated_classes
from siamese_course.exercises.omniglot_one_shot import batches
from siamese_course.exercises.omniglot_one_shot.batches import TURN_MISTAKES
from tests.exercises.mistakes import cases, require_named


@cases(TURN_MISTAKES)
def test_a_known_mistake_in_the_turns_is_named(mistake):
    require_named(batches.check(mistake.answer, class_batches), mistake)


def test_turned_axes_of_the_batch_are_named():
    def first_axes(drawings):
        return np.concatenate([np.rot90(drawings, k) for k in range(4)])

    assert batches.check(first_axes, class_batches).tags == ["axes"]


def drawn(
    characters=lambda n, classes, rng: rng.choice(n, classes, replace=False),
    columns=lambda n, count, classes, rng: np.stack(
        [rng.choice(n, count, replace=False) for _ in range(classes)]
    ),
    join=np.repeat,
    finish=lambda images, labels: (images[..., None], labels),
    once=False,
):
    """Batches with one thing changed."""

    def answer(drawings, rng, classes=64, per_class=4):
        n, count = drawings.shape[:2]
        while True:
            labels = join(characters(n, classes, rng), per_class)
            yield finish(drawings[labels, columns(count, per_class, classes, rng).ravel()], labels)
            if once:
                return

    return answer


def places(images, labels):
    return images[..., None], np.unique(labels, return_inverse=True)[1]


WRONG = [
    (drawn(characters=lambda n, classes, rng: np.arange(classes)), "few"),
    (drawn(characters=lambda n, classes, rng: rng.choice(n, classes)), "repeated_class"),
    (drawn(columns=lambda n, k, c, rng: rng.choice(n, (c, k))), "twice"),
    (
        drawn(columns=lambda n, k, c, rng: np.tile(rng.choice(n, k, replace=False), (c, 1))),
        "same_drawers",
    ),
    (drawn(columns=lambda n, k, c, rng: np.tile(np.arange(k), (c, 1))), "few"),
    (drawn(join=np.tile), "twice"),
    (drawn(finish=lambda images, labels: (images, labels)), "no_channel"),
    (drawn(finish=lambda images, labels: images[..., None]), "no_pair"),
    (drawn(finish=places), "places"),
    (drawn(finish=lambda images, labels: (images[..., None], np.roll(labels, 1))), "labels"),
    (drawn(finish=lambda images, labels: (1 - images[..., None], labels)), "other_images"),
    (drawn(once=True), "ends"),
    (lambda drawings, rng, classes=64, per_class=4: next(drawn()(drawings, rng)), "error"),
]


@pytest.mark.parametrize(("answer", "tag"), WRONG, ids=lambda value: str(value)[:20])
def test_a_wrong_batch_is_named(answer, tag):
    result = batches.check(rotated_classes, answer)
    assert not result.passed
    assert tag in result.tags, result.messages


def test_other_defaults_lose_a_point():
    def fewer(drawings, rng, classes=32, per_class=4):
        return class_batches(drawings, rng, classes=classes, per_class=per_class)

    result = batches.check(rotated_classes, fewer)
    assert (result.points, result.tags) == (12, ["defaults"])


def test_batches_of_lists_are_right_and_not_used():
    """The notebook reads their shapes."""

    def listed(drawings, rng, classes=64, per_class=4):
        for images, labels in class_batches(drawings, rng, classes=classes, per_class=per_class):
            yield images, labels.tolist()

    result = batches.check(rotated_classes, listed)
    assert result.points == result.max_points
    assert batches.use(rotated_classes, listed) == (rotated_classes, class_batches)


def test_rotated_characters_in_a_list_are_right_and_not_used():
    """The notebook indexes them as an array."""

    def listed(drawings):
        return list(rotated_classes(drawings))

    result = batches.check(listed, class_batches)
    assert result.passed, str(result)
    assert batches.use(listed, class_batches) == (rotated_classes, class_batches)
