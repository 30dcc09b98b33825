"""Wrong arguments give clear errors, and right ones finite results: losses, evaluation, search, batching, datasets."""

from collections import Counter

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from siamese_course import evaluation, losses, search
from siamese_course.batching import images, padding, questions, sentences, tokens
from siamese_course.datasets.question_splits import components, split_pairs
from siamese_course.sources.question_pairs import QuestionPairs, number_questions
from tests import bad_calls

# Its body is the learner's solution, one line without a check
UNCHECKED = {"scale_scores"}
quick = settings(max_examples=25, deadline=None, derandomize=True)


def test_wrong_arguments_give_clear_errors():
    found = Counter()
    for function, valid, argument, what, value in bad_calls.calls():
        kind, detail = bad_calls.outcome(function, {**valid, argument: value}, argument)
        found[kind] += 1
        if function.__name__ not in UNCHECKED:
            assert kind in ("clear", "unclear"), (function.__name__, argument, what, kind, detail)
    assert found["clear"] / found.total() > 0.95
    assert found.total() > 1000


def test_right_arguments_are_accepted():
    for function, valid, _ in bad_calls._table():
        assert bad_calls.outcome(function, valid)[0] == "accepted", function.__name__


# --- properties ---

finite = st.floats(-100, 100, width=32)
sizes = st.integers(2, 6)


@st.composite
def embeddings(draw, *between):
    """(batch, ..., dim) float32."""
    return draw(
        arrays("float32", (draw(sizes), *between, draw(st.integers(1, 4))), elements=finite)
    )


@st.composite
def targets_of(draw, rows, elements):
    return draw(arrays("float32", (rows,), elements=elements))


def value(loss):
    return float(keras.ops.convert_to_numpy(loss))


@quick
@given(st.data(), embeddings(2))
def test_losses_of_pairs_are_finite_and_not_negative(data, pairs):
    same = data.draw(targets_of(len(pairs), st.sampled_from([0.0, 1.0])))
    unit = losses.unit_length(pairs)
    for loss in (losses.contrastive_loss, losses.in_batch_softmax_loss, losses.labeled_pairs_loss):
        found = value(loss(same, pairs if loss is losses.contrastive_loss else unit))
        assert 0 <= found < np.inf
    assert value(losses.contrastive_loss(same, pairs)) == pytest.approx(
        value(losses.contrastive_loss(same, pairs[:, ::-1].copy())), rel=1e-4
    )
    assert 0 <= value(losses.triplet_loss(same, unit)) < np.inf
    scores = data.draw(targets_of(len(pairs), st.floats(0, 1, width=32)))
    assert 0 <= value(losses.cosine_regression_loss(scores, pairs)) <= 4 + 1e-5
    assert 0 <= value(losses.score_ranking_loss(scores, pairs)) < np.inf


@quick
@given(st.data(), embeddings(), embeddings(3))
def test_losses_of_rows_and_triplets_are_finite(data, rows, triplets):
    labels = data.draw(arrays("int64", (len(rows),), elements=st.integers(0, 3)))
    assert 0 <= value(losses.all_pairs_contrastive_loss(labels, rows)) < np.inf
    assert abs(value(losses.supervised_contrastive_loss(labels, rows))) < np.inf
    assert 0 <= value(losses.distance_triplet_loss(labels, triplets)) < np.inf


@quick
@given(st.data(), st.integers(2, 30))
def test_figures_are_fractions(data, n):
    same = data.draw(arrays("int8", (n,), elements=st.integers(0, 1)))
    same[:2] = 0, 1
    values = data.draw(arrays("float64", (n,), elements=st.floats(-1, 1)))
    chosen = evaluation.choose_similarity_threshold(values, same)
    best = evaluation.accuracy_at(values, same, chosen)
    assert best == pytest.approx(evaluation.accuracy_curve(values, same)[1].max())
    assert best >= max(same.mean(), 1 - same.mean()) - 1e-9
    assert 0 <= evaluation.roc_auc(values, same) <= 1
    tau = evaluation.choose_threshold(values, same)
    assert 0.5 <= evaluation.balanced_accuracy(values, same, tau) <= 1


@quick
@given(embeddings(), st.integers(1, 6))
def test_search_returns_sorted_cosines(rows, k):
    k = min(k, len(rows))
    cosines, indices = search.semantic_search(rows, rows, k)
    assert cosines.shape == indices.shape == (len(rows), k)
    assert (np.diff(cosines, axis=1) <= 0).all()
    assert (np.abs(cosines) <= 1).all()
    similarities, left, right = search.mine_pairs(rows, top=1)
    assert left[0] < right[0] and -1.000001 <= similarities[0] <= 1.000001


@quick
@given(st.lists(st.integers(0, 5), min_size=4, max_size=40), st.integers(1, 8), st.integers(0, 99))
def test_batches_hold_every_row_once(groups, batch_size, seed):
    batch_size = min(batch_size, len(groups))
    batches = questions.group_batches(groups, batch_size, np.random.default_rng(seed))
    assert sorted(np.concatenate(batches)) == list(range(len(groups)))
    assert questions.false_negatives(groups, batches) == 0


id_lists = st.lists(st.lists(st.integers(2, 99), min_size=1, max_size=9), min_size=1, max_size=9)


@quick
@given(id_lists, st.integers(1, 4))
def test_padding_keeps_the_ids(rows, batch_size):
    for row, padded in zip(rows, padding.pad(rows), strict=True):
        assert padded[: len(row)].tolist() == row and set(padded[len(row) :]) <= {padding.PAD}
    seen = []
    for indices, batch in sentences.length_batches(rows, batch_size, pad_id=0):
        seen += indices.tolist()
        for index, ids, mask in zip(
            indices, batch["token_ids"], batch["padding_mask"], strict=False
        ):
            assert ids[mask == 1].tolist() == rows[index]
    assert sorted(seen) == list(range(len(rows)))


@quick
@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from([(), (1,), (3,)]), st.integers(0, 3))
def test_images_of_any_shape_are_shifted_within_their_frame(height, width, channels, max_shift):
    pixels = np.random.default_rng(0).random((3, height, width, *channels), "float32")
    shifted = images.shift_images(pixels, np.random.default_rng(0), max_shift)
    assert shifted.shape == pixels.shape
    assert set(np.unique(shifted)) <= {0.0, *np.unique(pixels)}


texts = st.text(max_size=20)


@quick
@given(st.lists(texts, min_size=1, max_size=9))
def test_any_text_becomes_ids(questions_):
    vocabulary = tokens.build_vocabulary(questions_, tokens.simple_tokenizer)
    rows = tokens.encode(questions_, vocabulary, tokens.simple_tokenizer, max_length=5, buckets=3)
    assert all(1 <= len(row) <= 5 and max(row) < len(vocabulary) + 4 for row in rows)


@quick
@given(st.lists(st.tuples(texts, texts), min_size=6, max_size=30), st.integers(0, 9))
def test_splits_share_no_question(pairs, seed):
    left, right = map(list, zip(*pairs, strict=True))
    rows = QuestionPairs(left, right, np.zeros(len(left), "int8"), *number_questions(left, right))
    if len(set(components(rows))) < 2:
        return
    splits = split_pairs(rows, (0.5, 0.5), seed)
    assert sum(map(len, splits)) == len(rows)
    one, other = ({*split.qid1, *split.qid2} for split in splits)
    assert not one & other
