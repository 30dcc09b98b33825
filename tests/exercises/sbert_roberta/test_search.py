"""Exercise 8: right answers in several styles pass, wrong ones get the hint meant for them."""

import faiss
import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors

from siamese_course import search as searching
from siamese_course.exercises.sbert_roberta import search
from siamese_course.exercises.sbert_roberta.search import MISTAKES
from tests.exercises.mistakes import cases, require_named


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(search.check(mistake.answer), mistake)


def numpy_unit(x, axis=-1, keepdims=True):
    x = np.asarray(x)
    return x / np.linalg.norm(x, axis=axis, keepdims=keepdims)


def search_by(similarities_of, places_of=lambda s, k: np.argsort(-s, axis=1)[:, :k]):
    def search(queries, collection, k):
        similarities = similarities_of(queries, collection)
        places = places_of(similarities, k)
        return np.take_along_axis(similarities, places, axis=1), places

    return search


def in_faiss(prepare=numpy_unit, index_of=lambda c: faiss.IndexFlatIP(c.shape[1]), finish=tuple):
    def search(queries, collection, k):
        index = index_of(collection)
        index.add(prepare(collection))
        return finish(index.search(prepare(queries), k))

    return search


def normalized_in_place(queries, collection, k):
    faiss.normalize_L2(queries)
    faiss.normalize_L2(collection)
    return in_faiss(prepare=lambda x: x)(queries, collection, k)


def divided_in_place(queries, collection, k):
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    collection /= np.linalg.norm(collection, axis=1, keepdims=True)
    return search_by(np.dot)(queries, collection.T, k)


def without_transposing(queries, collection, k):
    return search_by(lambda q, c: numpy_unit(q) @ numpy_unit(c))(queries, collection, k)


def tensors_not_transposed(queries, collection, k):
    return ops.top_k(ops.matmul(ops.normalize(queries), ops.normalize(collection)), k)


def lost_axis(queries, collection, k):
    q, c = (x / np.linalg.norm(x, axis=1) for x in (queries, collection))
    return search_by(np.matmul)(q, c.T, k)


def turned(queries, collection, k):
    return search_by(cosine_similarity)(collection, queries, k)


def turned_round(queries, collection, k):
    return tuple(part.T for part in search_by(cosine_similarity)(queries, collection, k))


def sorted_and_first_rows(queries, collection, k):
    similarities = cosine_similarity(queries, collection)
    places = np.argsort(-similarities, axis=1)[:, :k]
    return similarities[:, :k], places


def sorted_values_and_ascending_rows(queries, collection, k):
    similarities = cosine_similarity(queries, collection)
    return -np.sort(-similarities, axis=1)[:, :k], np.argsort(similarities, axis=1)[:, :k]


def slice_of_the_rows(queries, collection, k):
    similarities = cosine_similarity(queries, collection)
    places = np.argsort(-similarities)[:k]
    return np.take_along_axis(similarities, places, axis=1), places


def best_only(queries, collection, k):
    similarities = cosine_similarity(queries, collection)
    return similarities.max(axis=1), similarities.argmax(axis=1)


def first_query_only(queries, collection, k):
    return [part[:1] for part in searching.semantic_search(queries, collection, k)]


def rows_as_fractions(queries, collection, k):
    similarities, places = searching.semantic_search(queries, collection, k)
    return similarities, places.astype("float32")


def always_three(queries, collection, k):
    return searching.semantic_search(queries, collection, 3)


def by_neighbors(metric):
    def search(queries, collection, k):
        return NearestNeighbors(n_neighbors=k, metric=metric).fit(collection).kneighbors(queries)

    return search


def search_by_a_loop(queries, collection, k):
    scores, places = [], []
    for query in queries:
        cosines = [
            float(query @ row / np.linalg.norm(query) / np.linalg.norm(row)) for row in collection
        ]
        best = sorted(range(len(cosines)), key=cosines.__getitem__, reverse=True)[:k]
        scores.append([cosines[row] for row in best])
        places.append(best)
    return scores, places


def search_by_top_k(queries, collection, k):
    unit = ops.normalize(collection, axis=-1)
    return ops.top_k(ops.matmul(ops.normalize(queries, axis=-1), ops.transpose(unit)), k)


def search_in_tensorflow(queries, collection, k):
    unit = tf.math.l2_normalize(collection, axis=1)
    found = tf.math.top_k(tf.math.l2_normalize(queries, axis=1) @ tf.transpose(unit), k=k)
    return found.values, found.indices


def search_by_neighbors(queries, collection, k):
    distances, places = by_neighbors("cosine")(queries, collection, k)
    return [1 - distances, places]


def search_backwards(queries, collection, k):
    similarities = numpy_unit(queries).astype("float64") @ numpy_unit(collection).T
    places = np.argsort(similarities, axis=1)[:, ::-1][:, :k]
    return similarities[np.arange(len(queries))[:, None], places], places


def search_in_copies(queries, collection, k):
    queries, collection = queries.copy(), collection.copy()
    return normalized_in_place(queries, collection, k)


WRONG = [
    (search_by(lambda q, c: q @ c.T), "These are dot products"),
    (in_faiss(prepare=lambda x: x), "These are dot products"),
    (search_by(lambda q, c: q @ numpy_unit(c).T), "the queries are not scaled to unit length"),
    (search_by(lambda q, c: numpy_unit(q) @ c.T), "The rows of the collection are not"),
    (search_by(lambda q, c: numpy_unit(q, 0) @ numpy_unit(c, 0).T), "along axis 0, over the rows"),
    (search_by(lambda q, c: numpy_unit(q, None) @ numpy_unit(c, None).T), "divided by one number"),
    (search_by(cosine_similarity, lambda s, k: np.argsort(s, axis=1)[:, :k]), "*least* similar"),
    (search_by(cosine_similarity, lambda s, k: np.argsort(s, axis=1)[:, -k:]), "comes last"),
    (
        search_by(cosine_similarity, lambda s, k: np.sort(np.argpartition(-s, k - 1)[:, :k])),
        "The rows are right, but not sorted",
    ),
    (
        search_by(cosine_similarity, lambda s, k: np.argsort(-s, axis=0)[:, :k]),
        "along axis 0, over the queries",
    ),
    (search_by(lambda q, c: -cdist(q, c)), "A value is off: -"),
    (search_by(cdist, lambda s, k: np.argsort(s)[:, :k]), "These are Euclidean distances"),
    (by_neighbors("euclidean"), "These are Euclidean distances"),
    (by_neighbors("cosine"), "These are 1 - cosine"),
    (in_faiss(index_of=lambda c: faiss.IndexFlatL2(c.shape[1])), "not `IndexFlatL2`"),
    (in_faiss(lambda x: x, lambda c: faiss.IndexFlatL2(c.shape[1])), "not `IndexFlatL2`"),
    (in_faiss(index_of=lambda c: faiss.IndexFlatIP(len(c))), "as wide as they are"),
    (in_faiss(finish=lambda found: found[::-1]), "The two are swapped"),
    (in_faiss(finish=lambda found: found[1]), "Return two arrays"),
    (in_faiss(finish=np.stack), "Return two arrays"),
    (in_faiss(finish=lambda found: (found[0], found[1] + 1)), "one too large"),
    (in_faiss(finish=lambda found: (found[0], found[0])), "The similarities are right"),
    (in_faiss(finish=lambda found: (1 - found[0], found[1])), "These are 1 - cosine"),
    (normalized_in_place, "Your code changes the embeddings"),
    (divided_in_place, "Your code changes the embeddings"),
    (without_transposing, "transpose the collection"),
    (tensors_not_transposed, "transpose the collection"),
    (lost_axis, "Keep the axis: `keepdims=True`"),
    (turned, "Queries and collection are swapped"),
    (turned_round, "The results are transposed"),
    (sorted_and_first_rows, "The indices are right, but the similarities"),
    (sorted_values_and_ascending_rows, "The similarities are right, but the indices"),
    (slice_of_the_rows, "Keep the best k"),
    (search_by(cosine_similarity, lambda s, k: np.argsort(-s, axis=1)), "Keep the best k"),
    (best_only, "Only the best row is returned"),
    (first_query_only, "has shape (1, 4); expected (3, 4)"),
    (rows_as_fractions, "The indices are not integers"),
    (always_three, "With k = 4 a query got 3 row(s)"),
    (lambda q, c, k: cosine_similarity(q, c), "Return two arrays"),
    (lambda q, c, k: (np.ones((3, 4)), np.zeros((3, 4), int)), "has shape (3, 4); expected (4, 9)"),
    (lambda q, c, k: (q, c), "a query got 6 row(s)"),
    (lambda q, c, k: (np.ones((len(q), k)), np.zeros((len(q), k), int)), "A value is off"),
]


@pytest.mark.parametrize(("answer", "text"), WRONG)
def test_a_wrong_answer_gets_the_hint_meant_for_it(answer, text):
    result = search.check(answer)
    assert result.status == "wrong"
    assert text in result.messages[0]


RIGHT = [
    (search_by_a_loop,),
    (search_by_top_k,),
    (search_in_tensorflow,),
    (search_by_neighbors,),
    (search_backwards,),
    (search_in_copies,),
    (search_by(cosine_similarity),),
    (in_faiss(),),
]


@pytest.mark.parametrize("answers", RIGHT)
def test_right_answers_in_other_styles_pass(answers):
    result = search.check(*answers)
    assert result.passed, str(result)
