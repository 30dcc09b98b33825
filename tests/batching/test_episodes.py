"""Episodes, batches of classes, distorted drawings."""

import numpy as np
import pytest

from siamese_course.batching.episodes import (
    class_batches,
    distort,
    draw_episode,
    rotated_classes,
    split_alphabets,
)

GROUPS = np.repeat([7, 3, 9], [5, 20, 8])


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture
def drawings():
    """Six characters of three drawings, each image of one value of its own."""
    return np.broadcast_to(np.arange(18).reshape(6, 3, 1, 1) / 18, (6, 3, 4, 4)).copy()


@pytest.mark.parametrize(("ways", "shots", "queries"), [(20, 1, 1), (5, 3, 2), (8, 1, 4)])
def test_an_episode_is_a_task_within_one_group(ways, shots, queries):
    generator, groups = rng(), set()
    for _ in range(30):
        episode = draw_episode(GROUPS, generator, ways=ways, shots=shots, queries=queries)
        assert episode.support.shape == (ways, shots, 2)
        assert episode.queries.shape == (ways * queries, 2)
        characters = episode.support[:, 0, 0]
        assert (episode.support[..., 0] == characters[:, None]).all()
        assert len(set(characters)) == ways
        groups |= set(GROUPS[characters])
        assert len(set(GROUPS[characters])) == 1
        assert (episode.queries[:, 0] == characters[episode.answers]).all()
        assert np.bincount(episode.answers).tolist() == [queries] * ways
        support, asked = set(episode.support[..., 1].flat), set(episode.queries[:, 1])
        assert (len(support), len(asked)) == (shots, queries)
        assert not support & asked
        assert len({tuple(pair) for pair in episode.queries}) == ways * queries
    assert groups == {name for name in (3, 7, 9) if (name == GROUPS).sum() >= ways}


def test_one_seed_gives_one_episode():
    one, again, other = (draw_episode(GROUPS, rng(seed)) for seed in (0, 0, 1))
    assert all(np.array_equal(left, right) for left, right in zip(one, again, strict=True))
    assert not np.array_equal(one.queries, other.queries)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ways": 21}, "ways is 21; expected 1 to 20, the characters of the largest group"),
        ({"shots": 20}, "shots is 20; expected 1 to 19"),
        ({"shots": 12, "queries": 9}, "queries is 9; expected 1 to 8"),
    ],
)
def test_an_episode_that_does_not_exist_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        draw_episode(GROUPS, rng(), **change)


def test_batches_hold_different_drawings_of_different_characters(drawings):
    batches = class_batches(drawings, rng(), classes=4, per_class=2)
    seen = set()
    for _ in range(50):
        images, labels = next(batches)
        assert images.shape == (8, 4, 4, 1) and images.dtype == np.float32
        assert (labels[::2] == labels[1::2]).all() and len(set(labels)) == 4
        values = np.rint(images[:, 0, 0, 0] * 18).astype(int)
        assert (values // 3 == labels).all()
        assert len(set(values)) == 8
        seen |= set(values)
    assert seen == set(range(18))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": 7}, "classes is 7; expected 2 to 6"),
        ({"per_class": 4}, "per_class is 4; expected 1 to 3"),
        ({"drawings": np.zeros((6, 3, 4))}, "drawings has shape"),
        ({"drawings": np.full((6, 3, 4, 4), 2.0)}, "drawings holds values from 2 to 2"),
    ],
)
def test_batches_that_do_not_exist_are_named(drawings, change, message):
    arguments = {"drawings": drawings, "rng": rng(), "classes": 4, "per_class": 2} | change
    with pytest.raises(ValueError, match=message):
        next(class_batches(**arguments))


def test_rotations_are_new_classes():
    drawings = rng().random((3, 2, 5, 5)).astype("float32")
    turned = rotated_classes(drawings)
    assert turned.shape == (12, 2, 5, 5)
    assert np.array_equal(turned[:3], drawings)
    for turns in range(4):
        for character in range(3):
            expected = np.rot90(drawings[character, 1], turns)
            assert np.array_equal(turned[3 * turns + character, 1], expected)
    with pytest.raises(ValueError, match="expected squares"):
        rotated_classes(np.zeros((3, 2, 5, 4)))


def by_hand(image, matrix, moved):
    """Each pixel from the place it comes from, bilinear, zero outside."""
    side = len(image)
    center = (side - 1) / 2
    result = np.zeros_like(image)
    for row in range(side):
        for column in range(side):
            x, y = matrix @ [column - center, row - center] + center + moved
            left, top = int(np.floor(x)), int(np.floor(y))
            for dy in (0, 1):
                for dx in (0, 1):
                    if 0 <= top + dy < side and 0 <= left + dx < side:
                        weight = (1 - abs(x - left - dx)) * (1 - abs(y - top - dy))
                        result[row, column] += weight * image[top + dy, left + dx]
    return result


def test_an_affine_map_agrees_with_one_by_hand():
    from siamese_course.batching.episodes import affine_images

    images = rng().random((2, 9, 9, 1)).astype("float32")
    turn, lean, scales, moved = (
        [0.3, -0.2],
        [0.1, 0.2],
        ([1.2, 0.9], [0.8, 1.1]),
        np.array([[1.5, -2.0], [0.5, 1.0]]),
    )
    found = affine_images(images, turn, lean, scales, moved)
    for i in range(2):
        cos, sin = np.cos(turn[i]), np.sin(turn[i])
        rotate = np.array([[cos, -sin], [sin, cos]])
        shear = np.array([[1, np.tan(lean[i])], [0, 1]])
        matrix = rotate @ shear @ np.diag([scales[0][i], scales[1][i]])
        expected = by_hand(images[i, :, :, 0], matrix, moved[:, i])
        np.testing.assert_allclose(found[i, :, :, 0], expected, atol=1e-4)


def test_distortion_is_small_different_and_from_its_generator():
    image = np.zeros((1, 28, 28, 1), "float32")
    image[0, 8:20, 13:15] = 1
    images = np.repeat(image, 64, axis=0)
    one, again, other = (distort(images, rng(seed)) for seed in (0, 0, 1))
    assert one.shape == images.shape and one.dtype == np.float32
    assert np.array_equal(one, again) and not np.array_equal(one, other)
    assert len({row.tobytes() for row in one}) == 64
    assert one.min() >= 0 and one.max() <= 1 + 1e-6
    ink = one.sum(axis=(1, 2, 3)) / image.sum()
    assert ink.min() > 0.5 and ink.max() < 1.6
    still = distort(images, rng(), rotation=0, shear=0, zoom=0, shift=0)
    np.testing.assert_allclose(still, images, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rotation": -1}, "rotation is -1; expected 0 to 180"),
        ({"shear": 90}, "shear is 90; expected 0 to 60"),
        ({"zoom": 2}, "zoom is 2; expected 0 to 1"),
        ({"images": np.zeros((3, 4, 4))}, r"images has shape \(3, 4, 4\)"),
    ],
)
def test_bad_distortions_are_named(change, message):
    arguments = {"images": np.zeros((3, 4, 4, 1), "float32"), "rng": rng()} | change
    with pytest.raises(ValueError, match=message):
        distort(**arguments)


def test_a_split_holds_out_whole_alphabets():
    held = set()
    for seed in range(20):
        train, held_out = split_alphabets(GROUPS, 1, rng(seed))
        assert sorted([*train, *held_out]) == list(range(len(GROUPS)))
        assert set(GROUPS[train]).isdisjoint(GROUPS[held_out])
        assert len(set(GROUPS[held_out])) == 1
        held |= set(GROUPS[held_out])
    assert held == {3, 7, 9}


def test_at_least_one_alphabet_is_left():
    with pytest.raises(ValueError, match=r"count is 3; .*3 alphabets"):
        split_alphabets(GROUPS, 3, rng())
