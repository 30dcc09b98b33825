"""Loading digits: real files, damaged ones, and those that ship."""

import gzip
import struct

import numpy as np
import pytest

from siamese_course.datasets import mnist
from siamese_course.runtime.errors import DataError


def rng(seed=0):
    return np.random.default_rng(seed)


def flat(epoch):
    return tuple(np.concatenate(side) for side in zip(*epoch, strict=True))


# --- loading ---


def test_shipped_digits_are_real_and_stated(shipped, capsys):
    digits = mnist.load_mnist()
    assert digits.train_images.shape == (4000, 784)
    assert digits.test_images.shape == (1000, 784)
    assert np.bincount(digits.train_labels).tolist() == [400] * 10
    assert np.bincount(digits.test_labels).tolist() == [100] * 10
    assert (digits.train_images.min(), digits.train_images.max()) == (0.0, 1.0)
    assert "4,000 training and 1,000 test digits" in capsys.readouterr().out
    rows = {row.tobytes() for row in digits.train_images}
    assert not any(row.tobytes() in rows for row in digits.test_images)


@pytest.mark.real_data
def test_real_digits(real_data, capsys):
    digits = mnist.load_mnist()
    assert digits.train_images.shape == (60_000, 784)
    assert digits.test_images.shape == (10_000, 784)
    # published class counts of the training labels
    assert np.bincount(digits.train_labels).tolist() == [
        5923,
        6742,
        5958,
        6131,
        5842,
        5421,
        5918,
        6265,
        5851,
        5949,
    ]
    assert digits.train_labels[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
    assert "60,000 training and 10,000 test digits (SIAMESE_COURSE_DATA)" in capsys.readouterr().out


def idx(array: np.ndarray, magic: int) -> bytes:
    return struct.pack(f">{1 + array.ndim}i", magic, *array.shape) + array.tobytes()


@pytest.fixture
def small_folder(tmp_path, monkeypatch):
    """A data directory with ten digits, as plain files."""
    folder = tmp_path / "mnist"
    folder.mkdir()
    images = np.arange(10 * 784, dtype="uint8").reshape(10, 28, 28)
    labels = np.arange(10, dtype="uint8")
    for split in ("train", "t10k"):
        (folder / f"{split}-images-idx3-ubyte").write_bytes(idx(images, 2051))
        (folder / f"{split}-labels-idx1-ubyte").write_bytes(idx(labels, 2049))
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    return folder


def test_plain_files_and_subsets_are_read(small_folder):
    digits = mnist.load_mnist()
    assert digits.train_images.shape == (10, 784)
    assert digits.train_labels.tolist() == list(range(10))
    assert digits.train_images[0, 255] == 1.0


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: b"<html>Log in</html>",
        lambda content: b"",
        lambda content: struct.pack(">i", 1234) + content[4:],
    ],
    ids=["truncated", "web page", "empty", "another kind"],
)
def test_a_damaged_file_is_named_with_the_remedy(small_folder, damage):
    path = small_folder / "train-images-idx3-ubyte"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(
        DataError, match=r"train-images-idx3-ubyte is not a complete MNIST file.*Replace it"
    ):
        mnist.load_mnist()


def test_a_broken_gzip_file_is_named(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(idx(np.zeros(100, "uint8"), 2049))[:-9])
    with pytest.raises(DataError, match=r"x\.gz is not a complete MNIST file"):
        mnist.read_idx(path)


def test_labels_of_another_length_are_refused(small_folder):
    labels = small_folder / "train-labels-idx1-ubyte"
    labels.write_bytes(idx(np.zeros(9, "uint8"), 2049))
    with pytest.raises(DataError, match="do not belong together"):
        mnist.load_mnist()
