"""Omniglot: what ships is complete, the official runs are what they should be, damage is named."""

import numpy as np
import pytest

from siamese_course.datasets import omniglot
from siamese_course.datasets.omniglot import ink_levels, load_omniglot, read_drawings
from siamese_course.runtime.errors import DataError


@pytest.fixture(scope="module")
def data():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIAMESE_COURSE_DATA", "shipped")
        return load_omniglot(verbose=False)


def test_everything_ships(data, shipped, capsys):
    load_omniglot()
    assert (
        "964 background characters of 30 alphabets, 659 evaluation characters of 20 alphabets, "
        "20 official runs" in capsys.readouterr().out
    )
    for split, count in ((data.background, 964), (data.evaluation, 659)):
        assert split.images.shape == (count, 20, 28, 28)
        assert split.images.dtype == np.float32
        assert (split.images.min(), split.images.max()) == (0, 1)
        # Every drawing has ink, and more paper than ink
        assert (split.images.max(axis=(2, 3)) > 0.5).all()
        assert split.images.mean() < 0.2
        assert len(set(split.names)) == len(split.names)
        assert np.unique(split.alphabets).tolist() == list(range(len(split.names)))
    assert not set(data.background.names) & set(data.evaluation.names)


def test_alphabets_have_their_published_sizes(data):
    for split, name, size in (
        (data.background, "Latin", 26),
        (data.background, "Greek", 24),
        (data.background, "Tifinagh", 55),
        (data.background, "Japanese (hiragana)", 52),
        (data.evaluation, "Tibetan", 42),
        (data.evaluation, "Tengwar", 25),
    ):
        chosen = split.of(split.names.index(name))
        assert len(chosen) == size
        assert {split.names[index] for index in chosen.alphabets} == {name}


def test_a_run_shows_one_alphabet_twice(data):
    assert len(data.runs) == 20
    for run, (train, test) in zip(data.runs, data.run_indices, strict=True):
        assert run.train.shape == run.test.shape == (20, 28, 28)
        characters = data.evaluation
        assert {characters.names[characters.alphabets[c]] for c in (*train[:, 0], *test[:, 0])} == {
            run.alphabet
        }
        assert sorted(run.answers) == list(range(20))
        for item, answer in enumerate(run.answers):
            assert test[item, 0] == train[answer, 0]
        assert len(set(train[:, 1])) == len(set(test[:, 1])) == 1
        assert train[0, 1] != test[0, 1]
    assert len({run.alphabet for run in data.runs}) == 10


def test_the_answers_are_what_the_drawings_show(data):
    """Pixels alone find more than the 5% of a guess, so that answers and drawings belong together."""
    right = 0
    for run in data.runs:
        train, test = run.train.reshape(20, -1), run.test.reshape(20, -1)
        nearest = np.linalg.norm(test[:, None] - train[None], axis=-1).argmin(axis=1)
        right += (nearest == run.answers).sum()
    assert right > 60


@pytest.mark.real_data
def test_the_originals_give_the_same(data, real_data, capsys):
    original = load_omniglot()
    assert "(SIAMESE_COURSE_DATA)" in capsys.readouterr().out
    for split in omniglot.SPLITS:
        assert np.array_equal(getattr(original, split).images, getattr(data, split).images)


@pytest.mark.real_data
def test_the_runs_are_those_of_the_archive(data, real_data):
    import runpy
    from pathlib import Path

    tool = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "omniglot.py"))
    folder = real_data / "omniglot"
    evaluation = read_drawings(folder / "images_evaluation.npz", 659)
    assert np.array_equal(tool["read_runs"](folder / "all_runs.zip", evaluation), data.run_indices)
    for split in omniglot.SPLITS:
        names = list(tool["ALPHABETS"][split])
        assert names == getattr(data, split).names


def test_nothing_is_downloaded(monkeypatch, own_cache):
    monkeypatch.delenv("SIAMESE_COURSE_DATA", raising=False)
    assert "which ships" in load_omniglot(verbose=False).source
    assert not any(own_cache.iterdir())


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (
            np.zeros((3, 20, 105, 105), bool),
            r"shape \(3, 20, 105, 105\) and type bool; expected \(2,",
        ),
        (np.zeros((2, 20, 105, 105), "uint8"), "type uint8; expected"),
        (None, "is not a complete file"),
    ],
)
def test_other_drawings_are_refused(tmp_path, images, message):
    path = tmp_path / "images_background.npz"
    if images is None:
        path.write_bytes(b"PK not really")
    else:
        np.savez_compressed(path, images=images)
    with pytest.raises(DataError, match=message):
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
