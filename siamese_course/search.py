"""What sentence embeddings are for: search by meaning, find duplicates, group by topic.

Everything here works on embeddings, (n, dim) arrays, and knows neither a data set nor a model.
Search and duplicates go by the cosine, the product of two rows of unit length; rows are brought to
unit length here, in copies. A row of zeros points nowhere: its cosine with every row is 0.

FAISS is imported where it is used. On a Mac its wheel and those of other packages each bring an
OpenMP of their own, and two of them in one process may crash (faiss-wheels, issue 73); whoever only
mines or clusters does not load it.
"""

import numpy as np

from siamese_course.validation import require_between, require_embeddings

ROWS_AT_A_TIME = 65_536
"""Rows brought to unit length in one go when an index is built: 64 MiB at dim 256."""


def semantic_search(queries, collection, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """The k rows of a collection that are most similar to each query.

    Args:
        queries: (m, dim), rows of any length.
        collection: (n, dim), searched exactly; or what ``build_index`` made of it, which saves the
            building when more queries will come.
        k: how many rows a query gets, from 1 to n.

    Returns:
        (similarities, indices), each (m, k): cosines as float32 from -1 to 1, best first, and int64
        row numbers of the collection. Equal cosines come with the smaller row number first; which
        of them are left out, where k cuts between equals, is up to FAISS.

    Raises:
        ValueError: shapes that do not fit, NaN or infinity, no rows, or k out of range.

    Example:
        >>> semantic_search([[1.0, 0.0]], [[0.0, 2.0], [3.0, 0.0], [1.0, 1.0]], k=2)
        # (array([[1.0, 0.7071]]), array([[1, 2]]))
    """
    import faiss

    queries = _require_rows(queries, "queries")
    index = collection if isinstance(collection, faiss.Index) else build_index(collection)
    if index.metric_type != faiss.METRIC_INNER_PRODUCT:
        raise ValueError("collection is an index of distances; expected one made by build_index")
    if queries.shape[1] != index.d:
        raise ValueError(f"queries has dim {queries.shape[1]}; expected {index.d}, as collection")
    _require_count(k, "k", index.ntotal, "the rows of the collection")
    queries = _unit_rows(queries)
    similarities, indices = index.search(queries, k)
    short = (indices < 0).any(axis=1)
    if short.any():  # the lists that were looked into hold fewer than k rows: look into all of them
        everywhere = faiss.SearchParametersIVF(nprobe=index.nlist)
        similarities[short], indices[short] = index.search(queries[short], k, params=everywhere)
    similarities = np.clip(similarities, -1, 1)  # single precision may end a little above 1
    order = np.lexsort((indices, -similarities))
    return np.take_along_axis(similarities, order, 1), np.take_along_axis(indices, order, 1)


def build_index(collection, approximate: bool = False):
    """A FAISS index of the collection's cosines, for ``semantic_search``.

    The exact one compares a query with every row. The approximate one (an inverted file) first
    sorts the rows into lists, each around one centre of a k-means, and compares a query with the
    rows of the lists whose centres are nearest only. Its sizes:

    ==================  ====================  ====================================================
    what                value                 where it comes from
    ==================  ====================  ====================================================
    lists               4 sqrt(n), and no     FAISS wiki, "Guidelines to choose an index"; and what
                        more than n / 39      its k-means wants at least to train on
    rows to train on    64 a list             the wiki says 30 to 256; more only takes longer
    lists to look into  128, or all           measured, see below: 64 are too few for a million rows
    ==================  ====================  ====================================================

    What it finds among sentences of Wikipedia, how fast, and what building it takes is measured by
    ``make bench ROWS=search``: see benchmarks/results. Rows without any structure are harder: compare
    with the exact index on your own.

    The sample and the k-means have fixed seeds: the same collection gives the same lists on the
    same machine. (A graph of neighbours, HNSW, finds as many in the same time, but which depends on
    how its threads take turns.) Up to about 5,000 rows there are 128 lists at most, all are looked
    into, and the search is exact.

    Args:
        collection: (n, dim); the index keeps a copy, 4 n dim bytes.
        approximate: whether to make the one that may miss a row.

    Returns:
        ``faiss.IndexFlatIP`` or ``faiss.IndexIVFFlat``. To trade time for rows found, set the
        latter's ``nprobe``, the lists that a query looks into.

    Raises:
        ValueError: a shape that does not fit, NaN or infinity, or no rows.

    Source: Johnson, Douze and Jégou (2017), "Billion-scale similarity search with GPUs".
    """
    import faiss

    collection = _require_rows(collection, "collection")
    rows, dim = collection.shape
    if approximate:
        lists = max(1, min(int(4 * rows**0.5), rows // 39))
        index = faiss.index_factory(dim, f"IVF{lists},Flat", faiss.METRIC_INNER_PRODUCT)
        index.cp.spherical = True  # centres of unit length, as the rows
        index.cp.min_points_per_centroid = 1  # no warning where fewer than 39 rows make one list
        index.nprobe = min(128, lists)
        index.train(_unit_rows(_sample(collection, 64 * lists)))
    else:
        index = faiss.IndexFlatIP(dim)
    for start in range(0, rows, ROWS_AT_A_TIME):
        index.add(_unit_rows(collection[start : start + ROWS_AT_A_TIME]))
    return index


def mine_pairs(
    embeddings, top: int = 100, block: int = 1024
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The most similar pairs among all n (n - 1) / 2 pairs of rows, exactly.

    All cosines are computed, in square tiles of block rows by block rows on and above the diagonal;
    of each tile only what is as good as the worst of the pairs kept so far is looked at. The memory
    is that of a few tiles, whatever n is. The work grows with n^2: 100,000 rows take 100
    times as long as 10,000.

    The products are summed in double precision and rounded to nine digits: two copies of a row have
    a cosine of exactly 1, equal pairs are equal, and the result does not depend on the block.

    Args:
        embeddings: (n, dim), n at least 2.
        top: pairs wanted, from 1 to n (n - 1) / 2.
        block: rows and columns of a tile, which takes 9 block^2 bytes (9 MiB for 1024), and four
            times that for a moment where nearly all pairs are equal.

    Returns:
        (similarities, left, right), each (top,): cosines as float32, best first, and int64 row
        numbers with left < right. Each pair comes once; equal cosines come in the order of (left,
        right).

    Raises:
        ValueError: a shape that does not fit, NaN or infinity, fewer than two rows, top or block
            out of range.

    Example:
        >>> mine_pairs([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], top=2)
        # (array([1.0, 0.7071]), array([0, 0]), array([2, 3]))
    """
    embeddings = _require_rows(embeddings)
    rows = len(embeddings)
    if rows < 2:
        raise ValueError("embeddings has 1 row; expected at least two, to make a pair")
    _require_count(top, "top", rows * (rows - 1) // 2, f"the pairs that {rows} rows make")
    _require_count(block, "block")
    best = np.empty(0, "float32"), np.empty(0, "int64"), np.empty(0, "int64")
    for upper in range(0, rows, block):
        left = _unit_rows(embeddings[upper : upper + block], "float64")
        for lower in range(upper, rows, block):
            right = _unit_rows(embeddings[lower : lower + block], "float64")
            tile = left @ right.T
            if lower == upper:
                itself_or_seen = np.tri(*tile.shape, dtype=bool)
                tile[itself_or_seen] = -np.inf
            floor = float(best[0][-1]) if len(best[0]) == top else -2.0
            found = _pairs_of_tile(tile, floor, top)
            best = _best_first(best, (found[0], found[1] + upper, found[2] + lower), top)
    return best


def _pairs_of_tile(tile, floor, top) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The largest values of a tile from the floor on, at most ``top``: values, rows and columns.

    Where ``top`` cuts between equal values, those that come first, row by row, stay.
    """
    places = np.flatnonzero(tile.ravel() >= floor - 1e-7)  # a little below, as rounding comes next
    values = np.round(tile.ravel()[places], 9).astype("float32") + 0.0  # turns -0.0 into 0.0
    if len(places) > top:
        border = np.partition(values, -top)[-top]
        above = np.flatnonzero(values > border)
        at_border = np.flatnonzero(values == border)[: top - len(above)]
        kept = np.concatenate([above, at_border])
        values, places = values[kept], places[kept]
    return values, *np.divmod(places, tile.shape[1])


def _best_first(one, other, top) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two triples (similarities, left, right) as one, best first and cut to ``top``."""
    similarities, left, right = (np.concatenate(parts) for parts in zip(one, other, strict=True))
    order = np.lexsort((right, left, -similarities))[:top]
    return similarities[order], left[order], right[order]


def cluster(embeddings, k: int, seed: int = 0, restarts: int = 10) -> np.ndarray:
    """Rows in k groups by k-means: every row is with the centre it is nearest to.

    Distances are Euclidean and the rows are taken as they are, not brought to unit length: this
    fits an encoder trained on distances, such as the triplet-trained one. What the groups are
    called, 0 to k - 1, means nothing: compare with ``evaluation.same_clusters``.

    Args:
        embeddings: (n, dim).
        k: groups, from 1 to n.
        seed: of the starting centres.
        restarts: how often k-means starts anew; the groups nearest to their centres win.

    Returns:
        (n,) int64 labels from 0 to k - 1.

    Raises:
        ValueError: a shape that does not fit, NaN or infinity, no rows, k or restarts out of range.
    """
    from sklearn.cluster import KMeans

    embeddings = _require_rows(embeddings)
    _require_count(k, "k", len(embeddings), "the rows there are")
    _require_count(restarts, "restarts")
    means = KMeans(n_clusters=k, n_init=restarts, random_state=seed).fit(embeddings)
    return means.labels_.astype("int64")


def _unit_rows(rows, dtype: str = "float32") -> np.ndarray:
    """A copy with rows of length 1; rows of zeros stay as they are."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype="float64"))
    unit = np.empty(rows.shape, dtype)
    np.divide(rows, np.where(norms > 0, norms, 1)[:, None], out=unit, casting="same_kind")
    return unit


def _sample(rows, size: int) -> np.ndarray:
    """``size`` rows, the same at every call, or all if there are no more."""
    if len(rows) <= size:
        return rows
    return rows[np.random.default_rng(0).choice(len(rows), size, replace=False)]


def _require_rows(embeddings, name: str = "embeddings") -> np.ndarray:
    """``require_embeddings`` in float32, with an error that names the row."""
    embeddings = np.asarray(embeddings)
    if embeddings.dtype.kind not in "fiu":
        raise ValueError(
            f"{name} has dtype {embeddings.dtype}; expected numbers, one embedding a row"
        )
    with np.errstate(over="ignore"):  # what is too large for float32 becomes infinity
        embeddings = embeddings.astype("float32", copy=False)
    if embeddings.ndim == 2:
        wrong = np.flatnonzero(~np.isfinite(embeddings).all(axis=1))
        if len(wrong):
            raise ValueError(
                f"row {wrong[0]} of {name} holds NaN or infinity; expected finite numbers "
                f"({len(wrong)} of {len(embeddings)} rows are like that)"
            )
    return require_embeddings(embeddings, name)


def _require_count(value, name: str, high=float("inf"), why: str = "") -> None:
    if not isinstance(value, int | np.integer):
        raise ValueError(f"{name} is {value!r}; expected a whole number")
    require_between(value, name, 1, high, why)
