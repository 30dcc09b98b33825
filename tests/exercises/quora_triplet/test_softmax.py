"""Exercise 11: right softmax losses pass, known mistakes are named."""

import keras
import numpy as np
import pytest
from keras import ops

from siamese_course.exercises.quora_triplet import softmax
from siamese_course.exercises.quora_triplet.softmax import MISTAKES, NEAR_MISS_TAGS
from tests.exercises.mistakes import cases, require_named

(softmax_loss,) = softmax.reference


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    result = softmax.check(mistake.answer)
    require_named(result, mistake)
    assert repr(result) == ("5" if mistake.tag in NEAR_MISS_TAGS else "0")


def by_cross_entropy(targets, embeddings, *, temperature=0.1):
    dim = embeddings.shape[-1]
    candidates = ops.reshape(ops.transpose(embeddings[:, 1:], (1, 0, 2)), (-1, dim))
    logits = embeddings[:, 0] @ ops.transpose(candidates) / temperature
    labels = ops.arange(ops.shape(logits)[0])
    return ops.mean(keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True))


def by_log_softmax(targets, embeddings, *, temperature=0.1):
    sides = [embeddings[:, side] for side in range(embeddings.shape[1])]
    logits = ops.matmul(sides[0], ops.transpose(ops.concatenate(sides[1:]))) / temperature
    positive = ops.sum(sides[0] * sides[1], axis=-1, keepdims=True) / temperature
    return ops.mean(-ops.log(ops.exp(positive) / ops.sum(ops.exp(logits), axis=1, keepdims=True)))


def in_numpy(targets, embeddings, *, temperature=0.1):
    rows = np.asarray(embeddings, "float64")
    candidates = np.concatenate([rows[:, side] for side in range(1, rows.shape[1])])
    exponentials = np.exp(rows[:, 0] @ candidates.T / temperature)
    return -np.log(np.diagonal(exponentials) / exponentials.sum(axis=1)).mean()


def one_side_after_the_other(targets, embeddings, *, temperature=0.1):
    anchors = embeddings[:, 0]
    logits = [
        ops.matmul(anchors, ops.transpose(embeddings[:, side])) / temperature
        for side in range(1, embeddings.shape[1])
    ]
    return ops.mean(ops.logsumexp(ops.concatenate(logits, 1), axis=1) - ops.diagonal(logits[0]))


RIGHT = [by_cross_entropy, by_log_softmax, one_side_after_the_other]


@pytest.mark.parametrize("answer", RIGHT)
def test_a_right_answer_in_another_style_passes_and_is_kept(answer):
    result = softmax.check(answer)
    assert result.passed, str(result)
    assert softmax.use(answer) == answer


def test_numpy_cannot_be_trained_with():
    result = softmax.check(in_numpy)
    assert (result.points, result.tags) == (8, ["no_gradient"])
    assert softmax.use(in_numpy) == softmax_loss


def by_known_size(targets, embeddings, *, temperature=0.1):
    candidates = ops.concatenate([embeddings[:, side] for side in range(1, embeddings.shape[1])])
    logits = ops.matmul(embeddings[:, 0], ops.transpose(candidates)) / temperature
    chosen = ops.arange(embeddings.shape[0])
    return ops.mean(keras.losses.sparse_categorical_crossentropy(chosen, logits, from_logits=True))


def test_a_size_that_is_unknown_while_tracing_cannot_be_trained_with():
    result = softmax.check(by_known_size)
    assert result.passed, str(result)
    assert softmax.use(by_known_size) == softmax_loss


OTHERS = [
    (lambda targets, embeddings, *, temperature=0.1: 0.5, "value"),
    (lambda targets, embeddings, *, temperature=0.1: embeddings, "shape"),
    (lambda targets, embeddings: softmax_loss(targets, embeddings), "error"),
    (lambda targets, embeddings, *, temperature=0.1: embeddings @ embeddings, "error"),
]


@pytest.mark.parametrize(("answer", "tag"), OTHERS, ids=range(len(OTHERS)))
def test_other_wrong_answers_get_a_word(answer, tag):
    result = softmax.check(answer)
    assert repr(result) == "0"
    assert result.tags[0] == tag
