"""Omniglot's file is made from the originals, drawing by drawing."""

import numpy as np
import pytest

from siamese_course.datasets.omniglot import LEVELS, SPLITS, load_omniglot
from tools.omniglot import ALPHABETS, ink_levels, read_drawings, read_runs


@pytest.mark.slow
@pytest.mark.real_data
def test_what_ships_is_made_from_the_originals(real_data):
    data, folder = load_omniglot(verbose=False), real_data / "omniglot"
    for split in SPLITS:
        shipped = getattr(data, split)
        drawings = read_drawings(folder / f"images_{split}.npz", len(shipped))
        assert np.array_equal(
            shipped.images, ink_levels(drawings).astype("float32") / np.float32(LEVELS)
        )
        assert shipped.names == list(ALPHABETS[split])
    # The last drawings read are those of the evaluation characters
    assert np.array_equal(read_runs(folder / "all_runs.zip", drawings), data.run_indices)


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (
            np.zeros((3, 20, 105, 105), bool),
            r"shape \(3, 20, 105, 105\) and type bool; expected \(2,",
        ),
        (np.zeros((2, 20, 105, 105), "uint8"), "type uint8; expected"),
    ],
)
def test_other_drawings_are_refused(tmp_path, images, message):
    path = tmp_path / "images_background.npz"
    np.savez_compressed(path, images=images)
    with pytest.raises(ValueError, match=message):
        read_drawings(path, 2)


def test_ink_is_the_mean_over_areas():
    rng = np.random.default_rng(0)
    image = rng.random((10, 10))
    by_hand = np.zeros((4, 4))
    # Each new pixel covers 2.5 x 2.5 old ones: count in quarters of a pixel
    fine = image.repeat(4, axis=0).repeat(4, axis=1)
    for row in range(4):
        for column in range(4):
            by_hand[row, column] = fine[
                10 * row : 10 * row + 10, 10 * column : 10 * column + 10
            ].mean()
    assert np.array_equal(ink_levels(image, 4), np.rint(15 * by_hand))
    assert ink_levels(np.ones((2, 3, 105, 105), bool)).shape == (2, 3, 28, 28)
    assert (ink_levels(np.ones((105, 105))) == 15).all()
