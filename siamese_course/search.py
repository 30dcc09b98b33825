"""Uses of sentence embeddings: search by meaning, find duplicates, group by topic.

All functions take embeddings, (n, dim) arrays, and know neither a data set nor a model. Search and
duplicates use the cosine, the product of two rows of unit length; rows are normalized here, in copies.
The cosine of a row of zeros with any row is 0. Other shapes, NaN, infinity and numbers out of range are
ValueErrors.

FAISS is imported where it is used. On a Mac, its wheel and those of other packages each contain an
OpenMP library, and two of them in one process may crash (faiss-wheels, issue 73). Code that only mines
or clusters does not load it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from siamese_course.validation import require_count, require_embeddings, require_numbers

BLOCK_ROWS = 65_536
"""Rows normalized together when an index is built: 64 MiB at dim 256."""


def semantic_search(
    queries: npt.ArrayLike, collection: Any, k: int = 5
) -> tuple[np.ndarray, np.ndarray]:
    """Return the k rows of a collection that are most similar to each query.

    Args:
        queries: (m, dim), rows of any length.
        collection: (n, dim), searched exactly; or its index from ``build_index``, so that several
            searches share one.
        k: rows for each query, from 1 to n.

    Returns:
        (similarities, indices), each (m, k): cosines as float32 from -1 to 1, best first, and int64
        indices of the collection's rows. Equal cosines come with the smaller index first. Which
        ties make the cut at k depends on FAISS.

    Example:
        >>> semantic_search([[1.0, 0.0]], [[0.0, 2.0], [3.0, 0.0], [1.0, 1.0]], k=2)
        # (array([[1.0, 0.7071]]), array([[1, 2]]))
    """
    import faiss

    queries = _require_rows(queries, "queries")
    index: Any = collection if isinstance(collection, faiss.Index) else build_index(collection)
    if index.metric_type != faiss.METRIC_INNER_PRODUCT:
        raise ValueError("collection is an index of distances; expected one made by build_index")
    if queries.shape[1] != index.d:
        raise ValueError(f"queries has dim {queries.shape[1]}; expected {index.d}, as collection")
    require_count(k, "k", index.ntotal, "the number of rows of the collection")
    queries = _unit_rows(queries)
    similarities, indices = index.search(queries, k)
    short = (indices < 0).any(axis=1)
    if short.any():  # the searched lists hold fewer than k rows: search all of them
        everywhere = faiss.SearchParametersIVF()
        everywhere.nprobe = index.nlist
        similarities[short], indices[short] = index.search(queries[short], k, params=everywhere)
    similarities = np.clip(similarities, -1, 1)  # single precision may give a little more than 1
    order = np.lexsort((indices, -similarities))
    return np.take_along_axis(similarities, order, 1), np.take_along_axis(indices, order, 1)


def build_index(collection: npt.ArrayLike, approximate: bool = False) -> Any:
    """Build a FAISS index for cosine search, for ``semantic_search``.

    The exact index compares a query with every row. The approximate one (an inverted file) first
    sorts the rows into lists, each around one center of a k-means, and compares a query only with
    the rows of the lists with the nearest centers. Its sizes:

    ==================  ====================  ====================================================
    size                value                 source
    ==================  ====================  ====================================================
    lists               4 sqrt(n), at most    FAISS wiki, "Guidelines to choose an index"; and the
                        n / 39                minimum its k-means wants to train on
    rows to train on    64 for each list      the wiki says 30 to 256; more only takes longer
    rounds of k-means   5                     measured: 10, the default, find no more
    lists to search     128, or all           measured, see below: 64 are too few for a million rows
    ==================  ====================  ====================================================

    ``make bench ROWS=search`` measures recall, speed, and build time: see benchmarks/results. Rows without
    any structure are harder: compare with the exact index on your data. Seeds are fixed: the same collection
    gives the same lists on the same machine. (A graph of neighbors, HNSW, is as good and as fast, but depends
    on the order in which its threads run.) Up to about 5,000 rows, the search is exact: all lists are searched.

    Args:
        collection: (n, dim); the index keeps a copy, 4 n dim bytes.
        approximate: build the approximate index, which may miss a row.

    Returns:
        ``faiss.IndexFlatIP`` or ``faiss.IndexIVFFlat``. To trade time for recall, set the latter's
        ``nprobe``, the number of lists to search.

    Source: Johnson, Douze and Jégou (2017), "Billion-scale similarity search with GPUs".
    """
    import faiss

    collection = _require_rows(collection, "collection")
    rows, dim = collection.shape
    index: Any = faiss.IndexFlatIP(dim)
    if approximate:
        lists = max(1, min(int(4 * rows**0.5), rows // 39))
        index = faiss.index_factory(dim, f"IVF{lists},Flat", faiss.METRIC_INNER_PRODUCT)
        index.cp.spherical = True  # centers of unit length, as the rows
        index.cp.min_points_per_centroid = 1  # no warning if fewer than 39 rows make one list
        index.cp.niter = 5
        index.nprobe = min(128, lists)
        index.train(_unit_rows(_sample(collection, 64 * lists)))
    for start in range(0, rows, BLOCK_ROWS):
        index.add(_unit_rows(collection[start : start + BLOCK_ROWS]))
    return index


def mine_pairs(
    embeddings: npt.ArrayLike, top: int = 100, block: int = 1024
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the most similar of all n (n - 1) / 2 pairs of rows, exactly.

    All cosines are computed, in square tiles of block rows by block rows on and above the diagonal.
    From each tile, only pairs as good as the worst of those kept so far are considered. Memory is that
    of a few tiles and does not grow with n. Time grows with n^2: 100,000 rows take 100 times as long
    as 10,000.

    Products are summed in double precision and rounded to nine digits: two copies of a row have
    a cosine of exactly 1, and the result does not depend on the block.

    Args:
        embeddings: (n, dim), n at least 2.
        top: pairs to return, from 1 to n (n - 1) / 2.
        block: rows and columns of a tile, which takes 9 block^2 bytes (9 MiB for 1024), and briefly
            four times that if nearly all pairs are equal.

    Returns:
        (similarities, left, right), each (top,): cosines as float32, best first, and int64 row
        indices with left < right. Each pair comes once; equal cosines come in the order of (left,
        right).

    Example:
        >>> mine_pairs([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], top=2)
        # (array([1.0, 0.7071]), array([0, 0]), array([2, 3]))
    """
    embeddings = _require_rows(embeddings)
    rows = len(embeddings)
    if rows < 2:
        raise ValueError("embeddings has 1 row; expected at least two, to form a pair")
    require_count(top, "top", rows * (rows - 1) // 2, f"the number of pairs of {rows} rows")
    require_count(block, "block")
    best = np.empty(0, "float32"), np.empty(0, "int64"), np.empty(0, "int64")
    for upper in range(0, rows, block):
        left = _unit_rows(embeddings[upper : upper + block], "float64")
        for lower in range(upper, rows, block):
            right = _unit_rows(embeddings[lower : lower + block], "float64")
            tile = left @ right.T
            if lower == upper:
                itself_or_seen = np.tri(*tile.shape) > 0
                tile[itself_or_seen] = -np.inf
            floor = float(best[0][-1]) if len(best[0]) == top else -2.0
            values, across, down = _pairs_of_tile(tile, floor, top)
            found = zip(best, (values, across + upper, down + lower), strict=True)
            cosines, first, second = (np.concatenate(both) for both in found)
            order = np.lexsort((second, first, -cosines))[:top]
            best = cosines[order], first[order], second[order]
    return best


def _pairs_of_tile(
    tile: np.ndarray, floor: float, top: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The largest values of a tile at or above the floor, at most ``top``: values, rows and columns.

    Where ``top`` cuts between equal values, those that come first, row by row, are kept.
    """
    places = np.flatnonzero(tile.ravel() >= floor - 1e-7)  # a little lower: rounding comes next
    values = np.round(tile.ravel()[places], 9).astype("float32") + 0.0  # turns -0.0 into 0.0
    if len(places) > top:
        border = np.partition(values, -top)[-top]
        above = np.flatnonzero(values > border)
        at_border = np.flatnonzero(values == border)[: top - len(above)]
        kept = np.concatenate([above, at_border])
        values, places = values[kept], places[kept]
    return values, places // tile.shape[1], places % tile.shape[1]


def cluster(embeddings: npt.ArrayLike, k: int, seed: int = 0, restarts: int = 10) -> np.ndarray:
    """Group rows by k-means: every row goes to its nearest center.

    Distances are Euclidean, and the rows are not normalized. That suits an encoder trained on
    distances, such as one trained with the triplet loss. The labels 0 to k - 1 have no meaning of their own:
    compare them with ``evaluation.same_clusters``.

    Args:
        embeddings: (n, dim).
        k: clusters, from 1 to n.
        seed: of the initial centers.
        restarts: runs of k-means; the one with the smallest distances to its centers wins.

    Returns:
        (n,) int64 labels from 0 to k - 1.
    """
    from sklearn.cluster import KMeans

    embeddings = _require_rows(embeddings)
    require_count(k, "k", len(embeddings), "the number of rows")
    require_count(restarts, "restarts")
    require_count(seed, "seed", 2**32 - 1, low=0)
    means = KMeans(n_clusters=k, n_init=restarts, random_state=seed).fit(embeddings)
    return means.labels_.astype("int64")


def _unit_rows(rows: np.ndarray, dtype: str = "float32") -> np.ndarray:
    """A copy with rows of length 1; rows of zeros stay as they are."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype="float64"))
    unit = np.empty(rows.shape, dtype)
    np.divide(rows, np.where(norms > 0, norms, 1)[:, None], out=unit, casting="same_kind")
    return unit


def _sample(rows: np.ndarray, size: int) -> np.ndarray:
    """``size`` rows, the same ones at every call, or all if there are fewer."""
    if len(rows) <= size:
        return rows
    return rows[np.random.default_rng(0).choice(len(rows), size, replace=False)]


def _require_rows(embeddings: npt.ArrayLike, name: str = "embeddings") -> np.ndarray:
    """``require_embeddings`` in float32, with an error that names the row."""
    try:
        rows = np.asarray(embeddings)
    except ValueError:  # rows of different lengths
        rows = require_numbers(embeddings, name)
    if rows.dtype.kind not in "fiu":
        raise ValueError(f"{name} has dtype {rows.dtype}; expected numbers, one embedding per row")
    with np.errstate(over="ignore"):  # values too large for float32 become infinity
        rows = rows.astype("float32", copy=False)
    if rows.ndim == 2:
        wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if len(wrong):
            raise ValueError(
                f"row {wrong[0]} of {name} holds NaN or infinity; expected finite numbers "
                f"({len(wrong)} of {len(rows)} rows do)"
            )
    return require_embeddings(rows, name)
