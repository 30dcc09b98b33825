"""Exercise 8 of notebook 03: semantic search."""

import numpy as np

from siamese_course.exercises.cases import Known, in_our_words, normal, require_kept
from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Wrong,
    as_array,
    compare,
    require_returned,
    require_shape,
    seeded,
)
from siamese_course.exercises.sbert_roberta.common import CHANGED, unit_rows
from siamese_course.search import semantic_search


def _search_like(
    queries_of=unit_rows,
    collection_of=unit_rows,
    compare_by=lambda q, c: q @ c.T,
    order=lambda s, k: np.argsort(-s, axis=1)[:, :k],
    finish=lambda s, i: (s, i),
):
    """``semantic_search`` that differs in one place."""

    def mistaken(queries, collection, k):
        similarities = compare_by(queries_of(queries), collection_of(collection))
        places = order(similarities, k)
        return finish(np.take_along_axis(similarities, places, 1), places)

    return mistaken


def _as_they_are(x):
    return x


def _distances(q, c):
    return np.linalg.norm(q[:, None] - c[None], axis=-1)


MISTAKES = [
    Mistake(
        _search_like(_as_they_are, _as_they_are),
        "These are dot products: long embeddings win. Scale the rows of both sides to unit length first.",
        "dot_product",
    ),
    Mistake(
        _search_like(collection_of=_as_they_are),
        "The rows of the collection are not scaled to unit length: long ones win.",
        "collection_not_unit",
    ),
    Mistake(
        _search_like(queries_of=_as_they_are),
        "The order is right, but these are not cosines: the queries are not scaled to unit length.",
        "queries_not_unit",
    ),
    Mistake(
        _search_like(lambda x: unit_rows(x, axis=0), lambda x: unit_rows(x, axis=0)),
        "The lengths are taken along axis 0, over the rows. Every row has its own length: `axis=1, keepdims=True`.",
        "batch_axis",
    ),
    Mistake(
        _search_like(lambda x: unit_rows(x, axis=None), lambda x: unit_rows(x, axis=None)),
        "All rows are divided by one number. Every row has its own length: `axis=1, keepdims=True`.",
        "one_length",
    ),
    Mistake(
        _search_like(order=lambda s, k: np.argsort(s, axis=1)[:, :k]),
        "These are the rows that are *least* similar. `np.argsort` begins with the smallest: sort the negative values.",
        "ascending",
    ),
    Mistake(
        _search_like(order=lambda s, k: np.argsort(s, axis=1)[:, -k:]),
        "The rows are right, but the best one comes last. Reverse them: best first.",
        "worst_last",
    ),
    Mistake(
        _search_like(order=lambda s, k: np.argsort(-s, axis=0)[:, :k]),
        "The similarities are sorted along axis 0, over the queries. Each query has its own order: `axis=1`.",
        "wrong_axis",
    ),
    Mistake(
        _search_like(finish=lambda s, i: (i, s)),
        "The two are swapped: return the similarities first, then the indices.",
        "exchanged",
    ),
    Mistake(
        _search_like(finish=lambda s, i: (1 - s, i)),
        "These are 1 - cosine, distances. Return the cosines.",
        "distances",
    ),
    *[
        Mistake(
            _search_like(
                of,
                of,
                lambda q, c, power=power: _distances(q, c) ** power,
                lambda s, k: np.argsort(s, axis=1)[:, :k],
            ),
            message,
            tag,
        )
        for power in (1, 2)  # FAISS gives squares
        for of, message, tag in (
            (
                _as_they_are,
                "These are Euclidean distances. Search by the cosine. (With FAISS: `IndexFlatIP`, not `IndexFlatL2`.)",
                "euclidean",
            ),
            (
                unit_rows,
                "These are distances of the unit vectors: the rows are right, but the exercise asks for cosines, "
                "too. (With FAISS: `IndexFlatIP`, not `IndexFlatL2`.)",
                "unit_distances",
            ),
        )
    ],
    Mistake(
        _search_like(finish=lambda s, i: (s, i + 1)),
        "The indices are one too large: they start at 0.",
        "from_one",
    ),
]


def _cases():
    cases = []
    for seed, (m, n, k) in ((0, (3, 12, 4)), (7, (4, 40, 9))):
        lengths = seeded(seed).uniform(0.3, 4.0, n)[:, None]
        dim = 6 if n == 12 else 9
        queries = 3.0 * normal(m, dim, seed=seed)
        cases.append((queries, lengths * normal(n, dim, seed=seed + 1), k))
    return [(q.astype("float32"), c.astype("float32"), k) for q, c, k in cases] + [_many(400)]


def _many(k):
    """A case of 1,000 rows at cosines well apart: enough for `np.argpartition` to leave them unsorted."""
    rng = seeded(3)
    query, across = np.linalg.qr(rng.normal(size=(9, 2)))[0].T
    cosines = rng.permutation(np.linspace(-0.98, 0.98, 1_000))[:, None]
    rows = cosines * query + np.sqrt(1 - cosines**2) * across
    lengths = rng.uniform(0.3, 4.0, (1_000, 1))
    return 2.0 * query[None].astype("float32"), (lengths * rows).astype("float32"), k


ERRORS = [
    Known(
        ("broadcast",),
        "The rows can't be divided by the lengths: (rows,) doesn't match (rows, dim). Keep the axis: `keepdims=True`.",
        "shapes",
    ),
    Known(
        ("matmul", "shapes", "size-incompatible", "contracting dimensions"),
        "The matrix product needs (queries, dim) times (dim, rows): transpose the collection, `.T`.",
        "not_transposed",
    ),
    Known(
        ("AssertionError",),
        "FAISS rejects the rows: the index must be as wide as they are, `faiss.IndexFlatIP(collection.shape[1])`.",
        "faiss",
    ),
]


def _results(answer):
    """Both arrays of an answer as one, (2, m, k)."""

    def both(queries, collection, k):
        given = queries.copy(), collection.copy()
        with in_our_words(*ERRORS):
            got = answer(*given, k)
        require_returned(got)
        if not isinstance(got, tuple | list) or len(got) != 2:
            raise Wrong("Return two arrays: the similarities and the indices.", "not_two")
        if not (np.array_equal(given[0], queries) and np.array_equal(given[1], collection)):
            raise Wrong(CHANGED, "changed")
        parts = [as_array(part, "A result") for part in got]
        for part in parts:
            _require_shape(part, len(queries), len(collection), k)
        return np.stack(parts)

    return both


def _require_shape(part, m, n, k):
    exchanged = (
        "Queries and collection are swapped: look for each *query* in the collection.",
        "exchanged",
    )
    known = {
        (k, m): (
            "The results are transposed, (k, queries). Each query has a row: (queries, k).",
            "reversed",
        ),
        (m,): (
            "Only the best row is returned. Return the best k for each query: (queries, k).",
            "best_only",
        ),
        (n, k): exchanged,
        (n, m): exchanged,
        (m, n): ("All rows of the collection are returned. Keep the best k.", "all_rows"),
    }
    if part.ndim == 2 and len(part) == m and part.shape[1] not in (k, n):
        raise Wrong(f"With k = {k} a query got {part.shape[1]} row(s); expected {k}.", "k_ignored")
    require_shape(part, (m, k), known, "A result")


def _in_the_order_of(numbers, results):
    """The right rows in another order."""
    by_number = np.take_along_axis(results, np.argsort(results[1:], axis=2), 2)
    return np.take_along_axis(by_number, np.argsort(np.argsort(numbers[None], axis=2), axis=2), 2)


PARTS = "the similarities", "the indices"


def _compare(answer, cases, edges=()):
    got, right = _results(answer), _results(semantic_search)
    mistakes = [m._replace(answer=lambda *case, f=m.answer: np.stack(f(*case))) for m in MISTAKES]
    half_right = [
        Mistake(
            lambda *case: _in_the_order_of(got(*case)[1], right(*case)),
            "The rows are right, but not sorted: best first. (`np.argpartition` does not sort.)",
            "not_sorted",
        ),
        Mistake(
            lambda *case: np.stack([got(*case)[0], right(*case)[1]]),
            "The indices are right, but the similarities are not the cosines of these rows. Do they come from the same "
            "rows, as `np.take_along_axis(similarities, indices, 1)` takes them, and go from -1 to 1?",
            "other_similarities",
        ),
        Mistake(
            lambda *case: np.stack([right(*case)[0], got(*case)[1]]),
            "The similarities are right, but the indices don't belong to these rows. `np.argsort` gives the indices; take the "
            "similarities at them with `np.take_along_axis`, and cut both in the same way.",
            "other_indices",
        ),
    ]
    compare(got, right, cases, mistakes + half_right, edges=edges, parts=PARTS)


def _test(answer):
    _compare(answer, _cases())
    queries, collection, k = _cases()[0]
    found = answer(queries, collection, k)
    require_kept(found, lambda: answer(queries[::-1].copy(), collection, k))
    if np.asarray(found[1]).dtype.kind not in "iu":
        raise Wrong(
            "The indices are not integers, so they cannot index anything. Keep their integer type.",
            "not_integers",
        )


def _test_counts(answer):
    """k is an argument: 1, and all rows."""
    queries, collection, _ = _cases()[0]
    cases = [*((queries, collection, k) for k in (1, len(collection))), _many(1), _many(500)]
    one = [
        (queries[:1], collection, 3),
        (queries, collection[:1], 1),
        (queries[:1], collection[:1], 1),
        (collection[:2], collection, 2),  # queries that are in the collection
    ]
    _compare(answer, cases, one)


search = Exercise(
    name="03.search",
    title="Semantic search",
    parts=[Part(7, _test), Part(2, _test_counts)],
    reference=[semantic_search],
    hints=(
        "Cosines are dot products of rows of unit length. So divide every row by its length, on both sides, and take "
        "one matrix product. Then find the k largest values and their indices for each query.",
        "`np.linalg.norm(x, axis=1, keepdims=True)` gives the lengths. With NumPy: `np.argsort(-similarities, "
        "axis=1)[:, :k]` and `np.take_along_axis(similarities, indices, 1)`. With FAISS: `faiss.IndexFlatIP(dim)`, "
        "`.add(rows)`, `.search(queries, k)`, which needs float32.",
        "`unit = lambda x: x / np.linalg.norm(...)`, `index = faiss.IndexFlatIP(collection.shape[1])`, "
        "`index.add(unit(...))`, `return index.search(unit(...), ...)`.",
    ),
)
