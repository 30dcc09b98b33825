"""Pairs and batches of images: hand-made oracles and bad input."""

import itertools

import numpy as np
import pytest

from siamese_course.batching import images as batching
from siamese_course.datasets.mnist import load_mnist

LABELS = np.random.default_rng(0).integers(0, 10, 1003)


def rng(seed=0):
    return np.random.default_rng(seed)


def flat(epoch):
    return tuple(np.concatenate(side) for side in zip(*epoch, strict=True))


@pytest.mark.real_data
def test_classic_pairs_on_the_real_digits_are_234_steps(real_data):
    digits = load_mnist(verbose=False)
    epoch = list(batching.classic_pairs(digits.train_labels, 128, rng()))
    assert len(epoch) == 234
    assert {len(left) for left, _ in epoch} == {128, 129}
    left, right = flat(epoch)
    assert 0.09 < np.mean(digits.train_labels[left] == digits.train_labels[right]) < 0.11


# --- classic pairs ---


@pytest.mark.parametrize(
    ("n", "batch_size"), [(4000, 128), (60_000, 128), (1003, 32), (7, 2), (2, 1)]
)
def test_classic_pairs_never_differ_in_length_and_lose_almost_nothing(n, batch_size):
    epoch = list(batching.classic_pairs(np.zeros(n, int), batch_size, rng()))
    assert len(epoch) == n // (2 * batch_size)
    assert all(len(left) == len(right) >= batch_size for left, right in epoch)
    used = np.concatenate(flat(epoch))
    assert len(np.unique(used)) == len(used) >= n - 1


def test_classic_pairs_are_neighboring_batches_of_one_permutation():
    order = rng().permutation(1000)
    left, right = next(iter(batching.classic_pairs(np.zeros(1000, int), 100, rng())))
    assert left.tolist() == order[:100].tolist()
    assert right.tolist() == order[100:200].tolist()


# --- balanced pairs ---


def test_balanced_pairs_by_hand():
    epoch = list(batching.balanced_pairs(LABELS, 32, rng()))
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
        left, right = flat(batching.balanced_pairs(labels, 5, source))
        partners.append(right[left == 0][0])
    counts = np.bincount(partners, minlength=5)
    assert counts[0] == 0
    # 3 of 5 rows get a similar partner: 0.3 for each of rows 1 and 2, 0.2 for each of rows 3 and 4
    np.testing.assert_allclose(counts / 4000, [0, 0.3, 0.3, 0.2, 0.2], atol=0.03)


@pytest.mark.parametrize("generator", [batching.classic_pairs, batching.balanced_pairs])
def test_pairs_follow_the_seed_and_change_with_the_epoch(generator):
    one = rng(5)
    first, second = flat(generator(LABELS, 32, one)), flat(generator(LABELS, 32, one))
    again = flat(generator(LABELS, 32, rng(5)))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("generator", [batching.classic_pairs, batching.balanced_pairs])
@pytest.mark.parametrize("batch_size", [0, -1, 1004])
def test_a_batch_size_that_does_not_fit_is_refused(generator, batch_size):
    with pytest.raises(ValueError, match=f"batch_size is {batch_size}; expected 1 to"):
        next(generator(LABELS, batch_size, rng()))


@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 0, 1]])
def test_balanced_pairs_need_two_classes_of_two(labels):
    with pytest.raises(ValueError, match="at least two classes with at least two rows"):
        next(batching.balanced_pairs(np.array(labels), 2, rng()))


# --- batches ---


def test_pair_batches_hold_the_images_and_the_one_convention():
    images = rng().random((6, 4)).astype("float32")
    labels = np.array([0, 0, 1, 1, 2, 2])
    pairs = [(np.array([0, 2]), np.array([1, 4]))]
    ((left, right), same) = next(batching.pair_batches(images, labels, pairs))
    assert np.array_equal(left, images[[0, 2]])
    assert np.array_equal(right, images[[1, 4]])
    assert same.tolist() == [1.0, 0.0]
    assert same.dtype == np.float32


@pytest.mark.parametrize(
    ("n", "batch_size", "lengths"), [(10, 4, [4, 3, 3]), (9, 3, [3, 3, 3]), (5, 5, [5])]
)
def test_all_pairs_batches_hold_every_row_once(n, batch_size, lengths):
    images = (np.arange(n) / n)[:, None]
    batches = list(batching.all_pairs_batches(images, np.arange(n), batch_size, rng()))
    assert [len(x) for x, _ in batches] == lengths
    rows = np.concatenate([y for _, y in batches])
    assert sorted(rows) == list(range(n))
    np.testing.assert_allclose(np.concatenate([x for x, _ in batches])[:, 0], rows / n, rtol=1e-6)


GOOD = np.full((4, 9), 0.5)


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (GOOD * np.nan, [0, 0, 1, 1], "images holds NaN or infinity"),
        (GOOD * 510, [0, 0, 1, 1], "images holds values from 255 to 255; expected values in"),
        (-GOOD, [0, 0, 1, 1], "images holds values from -0.5"),
        (
            GOOD.reshape(-1),
            [0, 0, 1, 1],
            r"images has shape \(36,\); expected \(n, pixels\)",
        ),
        (GOOD[:0], [], "images is empty"),
        (GOOD, [0, 0, 1], r"labels has shape \(3,\); expected \(4,\)"),
        (GOOD, [0.5, 0, 1, 1], "labels has dtype float64; expected integers"),
        (np.array([["a"] * 9] * 4), [0, 0, 1, 1], "images has dtype <U1; expected numbers"),
    ],
)
def test_bad_images_and_labels_are_named(images, labels, message):
    with pytest.raises(ValueError, match=message):
        next(batching.all_pairs_batches(images, np.array(labels), 2, rng()))
    with pytest.raises(ValueError, match=message):
        next(batching.pair_batches(images, np.array(labels), []))


@pytest.mark.parametrize("batch_size", [0, 1, 5])
def test_all_pairs_need_two_rows_and_no_more_than_there_are(batch_size):
    with pytest.raises(ValueError, match=f"batch_size is {batch_size}; expected 2 to 4"):
        next(batching.all_pairs_batches(GOOD, np.zeros(4, int), batch_size, rng()))


def test_shifted_images_by_hand():
    images = rng().random((50, 16)).astype("float32")
    moved = batching.shift_images(images, rng(3))
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


@pytest.mark.parametrize("kind", ["pairs", "all pairs"])
def test_endless_batches_scan_the_images_only_once(monkeypatch, kind):
    """The published defect: every epoch looked at all images again before its first batch."""
    scans, check = [], batching.require_images
    monkeypatch.setattr(batching, "require_images", lambda x: scans.append(1) or check(x))
    images, labels, source = GOOD, np.array([0, 0, 1, 1]), rng()
    if kind == "pairs":
        pairs = itertools.chain.from_iterable(
            batching.balanced_pairs(labels, 2, source) for _ in itertools.repeat(None)
        )
        batches = batching.pair_batches(images, labels, pairs)
    else:
        batches = batching.all_pairs_batches(images, labels, 2, source, endless=True)
    assert len(list(itertools.islice(batches, 20))) == 20
    assert len(scans) == 1


def test_endless_batches_are_one_epoch_after_another():
    images = (np.arange(7) / 7)[:, None]
    one, source = rng(3), rng(3)
    endless = batching.all_pairs_batches(images, np.arange(7), 3, one, endless=True)
    rows = [labels.tolist() for _, labels in itertools.islice(endless, 9)]
    epochs = [batching.all_pairs_batches(images, np.arange(7), 3, source) for _ in range(3)]
    assert rows == [labels.tolist() for epoch in epochs for _, labels in epoch]
    for epoch in (rows[:3], rows[3:6]):
        assert sorted(itertools.chain.from_iterable(epoch)) == list(range(7))
