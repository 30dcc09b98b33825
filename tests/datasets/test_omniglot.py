"""Omniglot: what ships is complete, and the official runs are what they should be."""

import numpy as np
import pytest

from siamese_course.datasets.omniglot import load_omniglot


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


def test_nothing_is_downloaded(monkeypatch, own_cache):
    monkeypatch.delenv("SIAMESE_COURSE_DATA", raising=False)
    assert "which ships" in load_omniglot(verbose=False).source
    assert not any(own_cache.iterdir())
