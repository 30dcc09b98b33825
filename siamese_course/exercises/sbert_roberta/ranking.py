"""Exercise 9 of notebook 03: how good is a search? Recall at k and mean reciprocal rank."""

import numpy as np

from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Wrong,
    as_array,
    compare,
    is_hidden,
    seeded,
)


def recall_at(found, answers, k):
    """The fraction of queries with an answer among the first k rows found."""
    return float(np.mean(_ranks(found, answers) <= k))


def mean_reciprocal_rank(found, answers):
    """The mean of 1 / rank of the first answer; 0 for a query whose answers were not found."""
    return float(np.mean(1 / _ranks(found, answers)))


def _ranks(found, answers):
    """The rank of the first answer of each query, from 1; infinity where none was found."""
    return np.array([_rank(row, right) for row, right in zip(found, answers, strict=True)])


def _rank(row, right, missing=np.inf):
    return next((rank for rank, index in enumerate(row, 1) if index in right), missing)


def _recall(per_query, finish=np.mean):
    return lambda found, answers, k: finish(
        [per_query(list(row), list(right), k) for row, right in zip(found, answers, strict=True)]
    )


RECALL_MISTAKES = [
    Mistake(
        _recall(lambda row, right, k: _rank(row, right) <= len(row)),
        "All rows found are counted. Count only the first `k` of each query: `row[:k]`.",
        "k_ignored",
    ),
    Mistake(
        _recall(lambda row, right, k: _rank(row, right) <= 1),
        "Only the best row counts. Use the first `k` of each query.",
        "first_only",
    ),
    Mistake(
        _recall(lambda row, right, k: right[0] in row[:k]),
        "Only the first of a query's answers counts. Any of them will do.",
        "first_answer",
    ),
    Mistake(
        _recall(lambda row, right, k: set(right) <= set(row[:k])),
        "A query counts only if *all* its answers are found. Any of them will do.",
        "all_answers",
    ),
    Mistake(
        _recall(lambda row, right, k: len(set(right) & set(row[:k])) / len(right)),
        "This averages the fraction of answers found. Here a query counts fully as soon as one answer is found.",
        "fraction_of_answers",
    ),
    Mistake(
        _recall(lambda row, right, k: len(set(right) & set(row[:k])) / k),
        "This is the precision, hits among the k rows. Recall at k asks whether any answer is among them.",
        "precision",
    ),
    Mistake(
        _recall(lambda row, right, k: _rank(row, right) <= k, np.sum),
        "This is the number of queries that find an answer. Divide by the number of all queries.",
        "count",
    ),
    Mistake(
        _recall(lambda row, right, k: _rank(row, right) <= k, lambda hits: 100 * np.mean(hits)),
        "This is a percentage. Return the fraction, from 0 to 1.",
        "percentage",
    ),
    Mistake(
        _recall(lambda row, right, k: _rank(row, right) > k),
        "This is the fraction of queries that *fail*. Count those that find an answer.",
        "reversed",
    ),
    Mistake(
        _recall(lambda row, right, k: _rank(row, right) < k),
        "An answer at rank k is not counted. Is a comparison `<` instead of `<=`, or are the ranks one too large (the "
        "first row has rank 1)?",
        "below_k",
    ),
    Mistake(
        _recall(lambda row, right, k: _rank(row, right) <= k, lambda hits: np.array(hits, float)),
        "This is one value per query. Take the mean.",
        "per_query",
    ),
]


def _reciprocal(per_query, finish=np.mean):
    return lambda found, answers: finish(
        [per_query(list(row), list(right)) for row, right in zip(found, answers, strict=True)]
    )


def _found_only(values):
    values = np.array(values, float)
    return np.mean(values[values > 0])


MRR_MISTAKES = [
    Mistake(
        _reciprocal(lambda row, right: 1 / _rank(row, right), _found_only),
        "Queries whose answers were not found are left out of the mean. They count, as 0.",
        "missing_left_out",
    ),
    Mistake(
        _reciprocal(lambda row, right: 1 / _rank(row, right, len(row))),
        "A query whose answers were not found counts as if its answer were the last row. It counts as 0.",
        "missing_is_last",
    ),
    Mistake(
        _reciprocal(lambda row, right: 1 / _rank(row, right, len(row) + 1)),
        "A query whose answers were not found counts as if its answer were the next row. It counts as 0.",
        "missing_is_next",
    ),
    Mistake(
        _reciprocal(lambda row, right: 1 / (_rank(row, right) + 1)),
        "The ranks are one too large: the first row has rank 1.",
        "rank_too_large",
    ),
    Mistake(
        _reciprocal(lambda row, right: _rank(row, right, 0)),
        "This is the mean rank. Take the mean of 1 / rank.",
        "mean_rank",
    ),
    Mistake(
        lambda found, answers: (
            1 / np.mean([_rank(list(r), a, 0) for r, a in zip(found, answers, strict=True)])
        ),
        "This is 1 / the mean rank. Take 1 / rank of each query first, then the mean.",
        "mean_first",
    ),
    Mistake(
        _reciprocal(lambda row, right: sum(1 / (row.index(a) + 1) for a in right if a in row)),
        "All answers of a query are added up. Only the first one found counts.",
        "all_answers",
    ),
    Mistake(
        _reciprocal(
            lambda row, right: np.mean([1 / (row.index(a) + 1) if a in row else 0.0 for a in right])
        ),
        "This averages over all answers of a query. Only the first one found counts.",
        "mean_of_answers",
    ),
    Mistake(
        _reciprocal(lambda row, right: 1 / (row.index(right[0]) + 1) if right[0] in row else 0.0),
        "Only the first in a query's list of answers counts. Use the one that is *found* first.",
        "first_answer",
    ),
    Mistake(
        _reciprocal(lambda row, right: float(_rank(row, right) == 1)),
        "This is recall at 1. An answer at rank 2 counts one half, and so on.",
        "recall",
    ),
    Mistake(
        _reciprocal(lambda row, right: 1 / _rank(row, right), np.sum),
        "This is the sum. Take the mean over the queries.",
        "sum",
    ),
    Mistake(
        _reciprocal(lambda row, right: 1 / _rank(row, right), np.array),
        "This is one value per query. Take the mean.",
        "per_query",
    ),
]


def _cases():
    cases = []
    for seed, (queries, rows, kept) in ((0, (8, 30, 6)), (1, (11, 25, 9)), (2, (8, 150, 120))):
        rng = seeded(seed)
        found = np.array([rng.permutation(rows)[:kept] for _ in range(queries)])
        answers = [rng.permutation(rows)[: rng.integers(1, 4)].tolist() for _ in range(queries)]
        # the answer that is listed first comes second, at several ranks; and one query finds nothing
        for query, rank in enumerate((0, 1, kept - 1, 2)):
            others = [index for index in range(rows) if index not in found[query]]
            answers[query] = [others[0], int(found[query, rank])]
        answers[4] = [int(found[4, 3]), int(found[4, 1])]
        answers[5] = [index for index in range(rows) if index not in found[5]][:2]
        # one answer is found, the other is nowhere: no row has that index
        answers[6] = [int(found[6, 1]), rows]
        cases.append((found, answers))
    return cases[::-1] if is_hidden() else cases


def _edges():
    """One query; row 0 as the answer; no answer at all; one row found."""
    return [
        (np.array([[3, 0, 2]]), [[0]]),
        (np.array([[0, 1], [1, 0], [1, 2]], "uint8"), [[0], [0], [0]]),
        (np.array([[4, 5], [5, 4]]), [[], [4]]),
        (np.array([[7], [8]]), [[7], [7]]),
    ]


def _on_copies(answer):
    """The answer, with its arguments protected and its result as one number or an array."""

    def protected(found, answers, *more):
        given = found.copy(), [list(each) for each in answers]
        got = as_array(answer(*given, *more))
        if not (np.array_equal(given[0], found) and given[1] == answers):
            raise Wrong(
                "Your code changes `found` or `answers`. Leave them as they are.", "changed"
            )
        return got

    return protected


def _test_recall(answer):
    cases = [(*case, k) for case in _cases() for k in (1, 2, 4)]
    edges = [(*case, k) for case in _edges() for k in (1, 2, 9)]
    compare(_on_copies(answer), recall_at, cases, RECALL_MISTAKES, edges=edges)


def _test_mrr(answer):
    with np.errstate(divide="ignore"):
        answer = _on_copies(answer)
        compare(answer, mean_reciprocal_rank, _cases(), MRR_MISTAKES, edges=_edges())


ranking = Exercise(
    name="03.ranking",
    title="Evaluating a search",
    parts=[Part(4, _test_recall, of=0), Part(4, _test_mrr, of=1)],
    reference=[recall_at, mean_reciprocal_rank],
    hints=(
        "Go through the queries one by one. Recall: is any of the answers among the first k rows? Reciprocal rank: what "
        "is the rank of the first answer, counting from 1? Then take the mean over the queries.",
        "`zip(found, answers)` gives both for each query; `set(row[:k]) & set(right)` is empty if nothing was found. "
        "`enumerate(row, 1)` counts from 1, and `next(..., default)` takes the first.",
        "`np.mean([any(index in right for index in row[:k]) for row, right in zip(found, answers)])`, and for the other "
        "`next((1 / rank for rank, index in enumerate(row, ...) if index in ...), 0.0)`.",
    ),
)
