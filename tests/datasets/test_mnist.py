"""Loading digits and making pairs: real files, hand-made oracles, bad input."""

import gzip
import struct

import numpy as np
import pytest

from siamese_course.datasets import mnist
from siamese_course.runtime.errors import DataError

LABELS = np.random.default_rng(0).integers(0, 10, 1003)


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


@pytest.mark.real_data
def test_classic_pairs_on_the_real_digits_are_234_steps(real_data):
    digits = mnist.load_mnist(verbose=False)
    epoch = list(mnist.classic_pairs(digits.train_labels, 128, rng()))
    assert len(epoch) == 234
    assert {len(left) for left, _ in epoch} == {128, 129}
    left, right = flat(epoch)
    assert 0.09 < np.mean(digits.train_labels[left] == digits.train_labels[right]) < 0.11


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
        DataError, match=r"train-images-idx3-ubyte is not a whole MNIST file.*Replace it"
    ):
        mnist.load_mnist()


def test_a_broken_gzip_file_is_named(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(idx(np.zeros(100, "uint8"), 2049))[:-9])
    with pytest.raises(DataError, match=r"x\.gz is not a whole MNIST file"):
        mnist.read_idx(path)


def test_labels_of_another_length_are_refused(small_folder):
    labels = small_folder / "train-labels-idx1-ubyte"
    labels.write_bytes(idx(np.zeros(9, "uint8"), 2049))
    with pytest.raises(DataError, match="do not belong together"):
        mnist.load_mnist()


# --- classic pairs ---


@pytest.mark.parametrize(
    ("n", "batch_size"), [(4000, 128), (60_000, 128), (1003, 32), (7, 2), (2, 1)]
)
def test_classic_pairs_never_differ_in_length_and_lose_almost_nothing(n, batch_size):
    epoch = list(mnist.classic_pairs(np.zeros(n, int), batch_size, rng()))
    assert len(epoch) == n // (2 * batch_size)
    assert all(len(left) == len(right) >= batch_size for left, right in epoch)
    used = np.concatenate(flat(epoch))
    assert len(np.unique(used)) == len(used) >= n - 1


def test_classic_pairs_are_neighbouring_batches_of_one_permutation():
    order = rng().permutation(1000)
    left, right = next(iter(mnist.classic_pairs(np.zeros(1000, int), 100, rng())))
    assert left.tolist() == order[:100].tolist()
    assert right.tolist() == order[100:200].tolist()


# --- balanced pairs ---


def test_balanced_pairs_by_hand():
    epoch = list(mnist.balanced_pairs(LABELS, 32, rng()))
    left, right = flat(epoch)
    assert sorted(left) == list(range(len(LABELS)))
    similar = 0
    for a, b in zip(left, right, strict=True):
        assert a != b
        similar += LABELS[a] == LABELS[b]
    assert similar == (len(LABELS) + 1) // 2
    assert [len(batch) for batch, _ in epoch] == [32] * 31 + [11]


def test_balanced_partners_are_uniform_over_the_class_and_outside():
    """Two classes of 3 and 2 rows: every allowed partner of row 0 comes equally often."""
    labels = np.array([0, 0, 0, 1, 1])
    partners = []
    source = rng(1)
    for _ in range(4000):
        left, right = flat(mnist.balanced_pairs(labels, 5, source))
        partners.append(right[left == 0][0])
    counts = np.bincount(partners, minlength=5)
    assert counts[0] == 0
    # 3 of 5 rows get a similar partner: 0.3 for each of rows 1 and 2, 0.2 for each of rows 3 and 4
    np.testing.assert_allclose(counts / 4000, [0, 0.3, 0.3, 0.2, 0.2], atol=0.03)


@pytest.mark.parametrize("generator", [mnist.classic_pairs, mnist.balanced_pairs])
def test_pairs_follow_the_seed_and_change_with_the_epoch(generator):
    one = rng(5)
    first, second = flat(generator(LABELS, 32, one)), flat(generator(LABELS, 32, one))
    again = flat(generator(LABELS, 32, rng(5)))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("generator", [mnist.classic_pairs, mnist.balanced_pairs])
@pytest.mark.parametrize("batch_size", [0, -1, 1004])
def test_a_batch_size_that_does_not_fit_is_refused(generator, batch_size):
    with pytest.raises(ValueError, match=f"batch_size is {batch_size}; expected 1 to"):
        next(generator(LABELS, batch_size, rng()))


@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 0, 1]])
def test_balanced_pairs_need_two_classes_of_two(labels):
    with pytest.raises(ValueError, match="at least two classes with at least two rows"):
        next(mnist.balanced_pairs(np.array(labels), 2, rng()))


# --- batches ---


def test_pair_batches_hold_the_pictures_and_the_one_convention():
    images = rng().random((6, 4)).astype("float32")
    labels = np.array([0, 0, 1, 1, 2, 2])
    pairs = [(np.array([0, 2]), np.array([1, 4]))]
    ((left, right), same) = next(mnist.pair_batches(images, labels, pairs))
    assert np.array_equal(left, images[[0, 2]])
    assert np.array_equal(right, images[[1, 4]])
    assert same.tolist() == [1.0, 0.0]
    assert same.dtype == np.float32


@pytest.mark.parametrize(
    ("n", "batch_size", "lengths"), [(10, 4, [4, 3, 3]), (9, 3, [3, 3, 3]), (5, 5, [5])]
)
def test_all_pairs_batches_hold_every_row_once(n, batch_size, lengths):
    images = (np.arange(n) / n)[:, None]
    batches = list(mnist.all_pairs_batches(images, np.arange(n), batch_size, rng()))
    assert [len(x) for x, _ in batches] == lengths
    rows = np.concatenate([y for _, y in batches])
    assert sorted(rows) == list(range(n))
    np.testing.assert_allclose(np.concatenate([x for x, _ in batches])[:, 0], rows / n, rtol=1e-6)


GOOD = np.full((4, 9), 0.5)


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (GOOD * np.nan, [0, 0, 1, 1], "images holds NaN; expected values in"),
        (GOOD * 510, [0, 0, 1, 1], "images holds values from 255 to 255; expected values in"),
        (-GOOD, [0, 0, 1, 1], "images holds values from -0.5"),
        (
            GOOD.reshape(4, 3, 3),
            [0, 0, 1, 1],
            r"images has shape \(4, 3, 3\); expected \(n, pixels\)",
        ),
        (GOOD[:0], [], "images is empty"),
        (GOOD, [0, 0, 1], r"labels has shape \(3,\); expected \(4,\)"),
        (GOOD, [0.5, 0, 1, 1], "labels has dtype float64; expected whole numbers"),
        (np.array([["a"] * 9] * 4), [0, 0, 1, 1], "images has dtype <U1; expected numbers"),
    ],
)
def test_bad_pictures_and_labels_are_named(images, labels, message):
    with pytest.raises(ValueError, match=message):
        next(mnist.all_pairs_batches(images, np.array(labels), 2, rng()))
    with pytest.raises(ValueError, match=message):
        next(mnist.pair_batches(images, np.array(labels), []))


@pytest.mark.parametrize("batch_size", [0, 1, 5])
def test_all_pairs_need_two_rows_and_no_more_than_there_are(batch_size):
    with pytest.raises(ValueError, match=f"batch_size is {batch_size}; expected 2 to 4"):
        next(mnist.all_pairs_batches(GOOD, np.zeros(4, int), batch_size, rng()))


def test_shifted_pictures_by_hand():
    images = rng().random((50, 16)).astype("float32")
    moved = mnist.shift_images(images, rng(3))
    seen = set()
    for before, after in zip(images.reshape(-1, 4, 4), moved.reshape(-1, 4, 4), strict=True):
        offsets = [
            (down, right)
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
            if all(
                after[i, j]
                == (before[i - down, j - right] if 0 <= i - down < 4 and 0 <= j - right < 4 else 0)
                for i in range(4)
                for j in range(4)
            )
        ]
        assert len(offsets) == 1
        seen.add(offsets[0])
    assert len(seen) == 9
