"""Search, duplicates and clusters against full matrices and loops by hand, and what they refuse."""

import itertools
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from siamese_course.evaluation import same_clusters
from siamese_course.search import build_index, cluster, mine_pairs, semantic_search


def rows(seed, n=60, dim=8):
    """(n, dim) float32 rows of very different lengths, one of them zeros, one there twice."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, dim)) * 10 ** rng.uniform(-3, 3, (n, 1))
    points[n // 2] = 0
    points[n // 3] = points[1]
    return points.astype("float32")


def clustered(seed, n, topics=50, dim=32, spread=0.5):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(topics, dim))
    points = centres[rng.integers(topics, size=n)] + spread * rng.normal(size=(n, dim))
    return points.astype("float32")


def cosine(a, b):
    a, b = np.asarray(a, "float64"), np.asarray(b, "float64")
    length = np.sqrt(sum(a * a)) * np.sqrt(sum(b * b))
    return sum(a * b) / length if length > 0 else 0.0


# --- semantic search ---


@pytest.mark.parametrize("approximate", [False, True])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 5, 60])
def test_search_is_the_loop(seed, k, approximate):
    collection, queries = rows(seed), rows(seed + 100, n=7)
    index = build_index(collection, approximate)
    similarities, indices = semantic_search(queries, index, k)
    for query, got, found in zip(queries, similarities, indices, strict=True):
        by_hand = [cosine(query, row) for row in collection]
        np.testing.assert_allclose(got, sorted(by_hand, reverse=True)[:k], atol=1e-6)
        np.testing.assert_allclose(got, [by_hand[i] for i in found], atol=1e-6)
        assert len(set(found)) == k


def test_search_of_four_rows_by_hand():
    collection = [[0, 2, 0], [3, 0, 0], [1, 1, 0], [0, 0, 0]]
    similarities, indices = semantic_search([[1, 0, 0], [0, -1, 0]], collection, k=4)
    assert indices.tolist() == [[1, 2, 0, 3], [1, 3, 2, 0]]
    half = 0.5**0.5
    np.testing.assert_allclose(similarities, [[1, half, 0, 0], [0, 0, -half, -1]], atol=1e-7)


def test_what_search_returns():
    similarities, indices = semantic_search(rows(0, n=4).astype("float64"), rows(1))
    assert (similarities.dtype, similarities.shape) == (np.float32, (4, 5))
    assert (indices.dtype, indices.shape) == (np.int64, (4, 5))
    assert (np.diff(similarities) <= 0).all()
    assert similarities.max() <= 1 and similarities.min() >= -1


@pytest.mark.parametrize("approximate", [False, True])
def test_zero_rows_have_cosine_zero_and_never_nan(approximate):
    collection = np.zeros((3, 4), "float32")
    similarities, indices = semantic_search(np.eye(4), build_index(collection, approximate), k=3)
    assert (similarities == 0).all()
    assert np.sort(indices).tolist() == [[0, 1, 2]] * 4
    assert (semantic_search(np.zeros((1, 4)), np.eye(4), k=4)[0] == 0).all()


def test_search_does_not_depend_on_lengths_or_on_the_order_of_the_collection():
    collection, queries = clustered(0, 300), clustered(1, 9)
    similarities, indices = semantic_search(queries, collection, k=6)
    stretched = collection * np.linspace(1e-12, 1e12, 300, dtype="float32")[:, None]
    np.testing.assert_array_equal(semantic_search(queries * 7, stretched, k=6)[1], indices)
    order = np.random.default_rng(2).permutation(300)
    moved, places = semantic_search(queries, collection[order], k=6)
    np.testing.assert_array_equal(order[places], indices)
    np.testing.assert_allclose(moved, similarities, atol=1e-6)


def test_rows_of_extreme_length_keep_their_direction():
    tiny, huge = np.full((1, 3), 1e-38, "float32"), np.full((1, 3), 3e38, "float32")
    assert semantic_search(tiny, huge, k=1)[0] == pytest.approx(1, abs=1e-6)
    assert mine_pairs(np.concatenate([tiny, huge]), top=1)[0] == 1


def test_the_callers_arrays_are_left_alone():
    collection, queries = rows(3), rows(4)
    before = collection.copy(), queries.copy()
    semantic_search(queries, collection)
    build_index(collection, approximate=True)
    mine_pairs(collection)
    cluster(collection, 3)
    np.testing.assert_array_equal(collection, before[0])
    np.testing.assert_array_equal(queries, before[1])


def test_an_index_keeps_its_own_copy():
    collection = clustered(0, 100)
    index, expected = build_index(collection), semantic_search(collection, collection)
    collection[:] = 1
    got = semantic_search(clustered(0, 100), index)
    np.testing.assert_array_equal(got[1], expected[1])


def test_arrays_in_any_layout():
    collection = clustered(0, 100)
    expected = semantic_search(collection, collection)[1]
    doubled = np.repeat(np.repeat(collection, 2, axis=0), 2, axis=1)
    for same_values in (np.asfortranarray(collection), doubled[::2, ::2], collection.tolist()):
        np.testing.assert_array_equal(semantic_search(same_values, same_values)[1], expected)
        np.testing.assert_array_equal(mine_pairs(same_values)[1], mine_pairs(collection)[1])


@pytest.fixture(scope="module")
def many():
    """(collection, queries): 10,000 rows and 100 queries around the same 50 topics."""
    both = clustered(0, 10_100)
    return both[:10_000], both[10_000:]


def share_found(queries, collection, index, k=10):
    exact, found = (semantic_search(queries, where, k)[1] for where in (collection, index))
    return np.mean([len(set(a) & set(b)) / k for a, b in zip(exact, found, strict=True)])


def test_the_approximate_index_finds_nearly_all(many):
    collection, queries = many
    index = build_index(collection, approximate=True)
    assert index.nprobe < index.nlist  # or there would be nothing to test
    assert share_found(queries, collection, index) >= 0.95


def test_fewer_lists_find_less_and_all_lists_find_all(many):
    collection, queries = many
    index = build_index(collection, approximate=True)
    shares = []
    for lists in (1, 4, index.nlist):
        index.nprobe = lists
        shares.append(share_found(queries, collection, index))
    assert shares == sorted(shares)
    assert shares[0] < 0.9
    assert shares[-1] == 1


def test_an_approximate_index_is_the_same_twice(many):
    collection, queries = many
    one, two = (semantic_search(queries, build_index(collection, True), 10) for _ in range(2))
    np.testing.assert_array_equal(one[1], two[1])
    np.testing.assert_array_equal(one[0], two[0])


def test_lists_with_fewer_than_k_rows_do_not_leave_gaps(many):
    collection, queries = many
    index = build_index(collection, approximate=True)
    index.nprobe = 1
    similarities, indices = semantic_search(queries, index, 400)
    assert indices.min() >= 0
    assert np.isfinite(similarities).all()
    assert index.nprobe == 1


def test_an_index_is_filled_in_portions(monkeypatch):
    collection = clustered(0, 500)
    expected = semantic_search(collection, collection)
    monkeypatch.setattr("siamese_course.search.BLOCK_ROWS", 64)
    for approximate in (False, True):
        got = semantic_search(collection, build_index(collection, approximate))
        np.testing.assert_array_equal(got[1], expected[1])


@pytest.mark.parametrize("n", [1, 2, 38, 39, 80])
def test_a_small_approximate_index_is_exact_and_quiet(n, capfd):
    collection = clustered(n, n)
    index = build_index(collection, approximate=True)
    assert share_found(collection, collection, index, k=min(n, 10)) == 1
    assert "".join(capfd.readouterr()) == ""


# --- duplicates ---


def pairs_by_hand(embeddings, top):
    """All pairs of the full matrix, in double precision to nine digits, sorted."""
    wide = np.asarray(embeddings, "float64")
    norms = np.sqrt((wide**2).sum(axis=1))
    unit = wide / np.where(norms > 0, norms, 1)[:, None]
    full = np.round(unit @ unit.T, 9).astype("float32")
    pairs = itertools.combinations(range(len(wide)), 2)
    return sorted((-full[i, j], i, j) for i, j in pairs)[:top]


@pytest.mark.parametrize("block", [1, 7, 59, 60, 1024])
@pytest.mark.parametrize("top", [1, 20, 1770])
@pytest.mark.parametrize("seed", range(2))
def test_mined_pairs_are_those_of_the_full_matrix(seed, top, block):
    embeddings = rows(seed)
    similarities, left, right = mine_pairs(embeddings, top, block)
    by_hand = pairs_by_hand(embeddings, top)
    assert list(zip(left, right, strict=True)) == [(i, j) for _, i, j in by_hand]
    np.testing.assert_allclose(similarities, [-s for s, _, _ in by_hand], atol=1e-7)


def test_mined_similarities_are_the_cosines_of_the_loop():
    embeddings = rows(5)
    for similarity, i, j in zip(*mine_pairs(embeddings, 50, block=16), strict=True):
        assert similarity == pytest.approx(cosine(embeddings[i], embeddings[j]), abs=1e-6)


def test_what_mining_returns():
    similarities, left, right = mine_pairs(clustered(0, 200), top=30)
    assert (similarities.dtype, left.dtype, right.dtype) == (np.float32, np.int64, np.int64)
    assert similarities.shape == left.shape == right.shape == (30,)
    assert (left < right).all()
    assert len(set(zip(left, right, strict=True))) == 30


def test_all_pairs_can_be_had():
    similarities, left, right = mine_pairs(clustered(1, 20), top=190, block=6)
    pairs = set(zip(left, right, strict=True))
    assert pairs == set(itertools.combinations(range(20), 2))
    assert np.isfinite(similarities).all()


@pytest.mark.parametrize("block", [1, 2, 3, 5, 64])
def test_equal_pairs_come_in_order_whatever_the_block(block):
    same = np.tile(np.float32([[0.1, -0.7, 0.3]]), (12, 1)) * np.arange(1, 13)[:, None]
    similarities, left, right = mine_pairs(same, top=25, block=block)
    expected = list(itertools.combinations(range(12), 2))[:25]
    assert list(zip(left, right, strict=True)) == expected
    assert (similarities == 1).all()


@pytest.mark.parametrize("block", [3, 10, 64])
def test_few_directions_give_many_ties_and_still_the_full_matrix(block):
    directions = np.random.default_rng(0).integers(-1, 2, (40, 3)).astype("float32")
    for top in (5, 100, 400):
        _, left, right = mine_pairs(directions, top, block)
        expected = [(i, j) for _, i, j in pairs_by_hand(directions, top)]
        assert list(zip(left, right, strict=True)) == expected


def test_copies_are_found_and_a_row_is_no_copy_of_itself():
    embeddings = clustered(3, 500)
    copied = np.concatenate([embeddings, embeddings[[7, 450, 20]] * 3])
    similarities, left, right = mine_pairs(copied, top=4, block=100)
    assert left[:3].tolist() == [7, 20, 450]
    assert right[:3].tolist() == [500, 502, 501]
    assert (similarities[:3] == 1).all() and similarities[3] < 1


def test_mining_does_not_depend_on_the_order_of_the_rows():
    embeddings = clustered(4, 300)
    order = np.random.default_rng(0).permutation(300)
    similarities, left, right = mine_pairs(embeddings, 50)
    moved, left_moved, right_moved = mine_pairs(embeddings[order], 50, block=77)
    np.testing.assert_array_equal(moved, similarities)
    assert unordered(order[left_moved], order[right_moved]) == unordered(left, right)


def unordered(left, right):
    return {frozenset(pair) for pair in zip(left.tolist(), right.tolist(), strict=True)}


def test_zero_rows_are_similar_to_nothing():
    similarities, _, _ = mine_pairs(np.zeros((5, 3)), top=10)
    assert (similarities == 0).all()


def test_mining_never_holds_the_full_matrix():
    embeddings = clustered(5, 4000, dim=16)
    mine_pairs(embeddings[:100])
    tracemalloc.start()
    try:
        mine_pairs(embeddings, top=100, block=256)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4000 * 4000 * 4 / 20  # of a matrix in single precision


def test_mining_rows_that_are_all_the_same_holds_a_few_tiles():
    """A collapsed model: every pair is as good as the best."""
    tracemalloc.start()
    try:
        mine_pairs(np.ones((2000, 4), "float32"), top=100, block=256)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2000 * 2000 * 4 / 5


# --- clusters ---


def test_clean_groups_are_found_whatever_the_seed():
    expected = np.repeat([0, 1, 2], 20)
    centres = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    points = centres[expected] + np.random.default_rng(0).normal(size=(60, 2))
    for seed in range(4):
        labels = cluster(points, 3, seed=seed)
        assert (labels.dtype, labels.shape) == (np.int64, (60,))
        assert same_clusters(labels, expected)
    order = np.random.default_rng(1).permutation(60)
    assert same_clusters(cluster(points[order], 3), expected[order])


def test_clusters_go_by_distance_and_not_by_direction():
    """Two groups on one ray: brought to unit length, they would coincide."""
    points = np.outer([1.0, 1.1, 0.9, 8.0, 8.1, 7.9], [1.0, 1.0])
    assert same_clusters(cluster(points, 2), [0, 0, 0, 1, 1, 1])


def test_the_groups_are_the_best_of_all_divisions():
    """Six rows in two groups can be tried out: 31 ways, by the sum of squared distances."""

    def scatter(members):
        return ((members - members.mean(axis=0)) ** 2).sum()

    for seed in range(5):
        points = np.random.default_rng(seed).normal(size=(6, 3)).astype("float32")
        ways = (np.array([0, *rest]) for rest in itertools.product([0, 1], repeat=5) if any(rest))
        best = min(ways, key=lambda w: scatter(points[w == 0]) + scatter(points[w == 1]))
        assert same_clusters(cluster(points, 2, restarts=20), best)


def test_clusters_are_the_same_twice_and_at_both_ends_of_k():
    points = clustered(0, 200)
    np.testing.assert_array_equal(cluster(points, 7), cluster(points, 7))
    assert set(cluster(points, 1)) == {0}
    assert same_clusters(cluster(points[:30], 30), np.arange(30))


# --- what is refused ---


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: semantic_search(np.ones((2, 3)), np.ones((4, 3)), 5), "k is 5; expected 1 to 4"),
        (lambda: semantic_search(np.ones((2, 3)), np.ones((4, 3)), 0), "k is 0; expected 1 to 4"),
        (lambda: semantic_search(np.ones((2, 3)), np.ones((4, 3)), 2.5), "k is 2.5; .* integer"),
        (
            lambda: semantic_search(np.ones((2, 3)), np.ones((9, 4))),
            "queries has dim 3; expected 4",
        ),
        (lambda: semantic_search(np.ones(3), np.ones((9, 3))), r"queries has shape \(3,\)"),
        (lambda: semantic_search(np.ones((0, 3)), np.ones((9, 3))), "queries is empty"),
        (lambda: semantic_search(np.ones((1, 3)), np.ones((0, 3))), "collection is empty"),
        (lambda: semantic_search(["a dog"], np.ones((9, 3))), "queries has dtype <U5"),
        (lambda: build_index(np.ones(3)), r"collection has shape \(3,\)"),
        (lambda: mine_pairs(np.ones((1, 3))), "embeddings has 1 row; expected at least two"),
        (
            lambda: mine_pairs(np.ones((4, 3)), 7),
            "top is 7; expected 1 to 6, the number of pairs of 4 rows",
        ),
        (lambda: mine_pairs(np.ones((4, 3)), 0), "top is 0"),
        (lambda: mine_pairs(np.ones((4, 3)), 2, block=0), "block is 0; expected at least 1"),
        (lambda: mine_pairs(np.ones((0, 3))), "embeddings is empty"),
        (lambda: mine_pairs(np.ones((4, 0))), r"embeddings has shape \(4, 0\)"),
        (lambda: cluster(np.ones((4, 3)), 5), "k is 5; expected 1 to 4, the number of rows"),
        (lambda: cluster(np.ones((4, 3)), 0), "k is 0"),
        (lambda: cluster(np.ones((4, 3)), 2, restarts=0), "restarts is 0"),
        (lambda: cluster(np.ones((0, 3)), 1), "embeddings is empty"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize(
    "call",
    [
        lambda e: semantic_search(e, np.ones((9, 3))),
        lambda e: semantic_search(np.ones((1, 3)), e),
        lambda e: build_index(e, approximate=True),
        lambda e: mine_pairs(e),
        lambda e: cluster(e, 2),
    ],
)
def test_rows_that_are_not_finite_are_named(call, wrong):
    embeddings = np.ones((20, 3))
    embeddings[[13, 17], 1] = wrong
    with pytest.raises(ValueError, match=r"row 13 of \w+ holds NaN or infinity.* \(2 of 20 rows"):
        call(embeddings)


def test_an_index_of_distances_is_refused():
    import faiss

    index = faiss.IndexFlatL2(3)
    index.add(np.ones((9, 3), "float32"))
    with pytest.raises(ValueError, match="index of distances; expected one made by build_index"):
        semantic_search(np.ones((1, 3)), index)


# --- in one process with others ---


def printed_by(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout


def test_importing_search_loads_no_framework_and_no_faiss():
    loaded = printed_by("import siamese_course.search, sys; print(*sys.modules)").split()
    assert {"tensorflow", "jax", "keras", "torch", "sklearn", "faiss"}.isdisjoint(loaded)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["faiss", "tensorflow"])
def test_faiss_and_tensorflow_share_a_process(first):
    """Either order of import; each is used, with threads, before and after the other."""
    second = {"faiss": "tensorflow", "tensorflow": "faiss"}[first]
    code = f"""
import os; os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import {first}, {second}
import numpy as np, tensorflow as tf
from siamese_course.search import build_index, cluster, mine_pairs, semantic_search
for seed in range(2):
    x = np.random.default_rng(seed).normal(size=(3000, 64)).astype("float32")
    y = tf.linalg.matmul(x, tf.eye(64)).numpy()
    indices = semantic_search(y, build_index(x, approximate=True), 1)[1]
    assert (indices[:, 0] == np.arange(3000)).mean() > 0.99
    assert (semantic_search(x, y, 1)[1][:, 0] == np.arange(3000)).all()
    assert cluster(y[:200], 3).shape == (200,)
    assert len(mine_pairs(y)[0]) == 100
print("both worked")
"""
    assert printed_by(code).strip() == "both worked"
