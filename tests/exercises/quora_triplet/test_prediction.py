"""Exercise 13: right predictions pass, known mistakes are named."""

import numpy as np
import pytest

from siamese_course.batching import padding
from siamese_course.exercises.quora_triplet import classify, prediction
from siamese_course.runtime.trax_patch import trax

jnp = trax.fastmath.numpy
pair_similarities, _ = classify.reference


def predict_by(decide=lambda cosine, threshold: cosine > threshold, ids=None, show=None):
    """``predict`` with one thing changed."""

    def predict(question1, question2, to_ids, embed, threshold, verbose=False):
        a, b = (ids or padding.pad_pair)([to_ids(question1)], [to_ids(question2)])
        cosine = np.sum(embed(a) * embed(b))
        if verbose:
            (show or print)(cosine)
        return decide(cosine, threshold)

    return predict


def first_question_twice(question1, question2, to_ids, embed, threshold, verbose=False):
    return predict_by()(question1, question1, to_ids, embed, threshold, verbose)


def always_prints(question1, question2, to_ids, embed, threshold, verbose=False):
    return predict_by()(question1, question2, to_ids, embed, threshold, verbose=True)


def says(decide):
    return predict_by(decide=decide)


PREDICTS = [
    (says(lambda cosine, threshold: cosine), 1, "similarity"),
    (says(lambda cosine, threshold: cosine - threshold), 1, "no_bool"),
    (says(lambda cosine, threshold: cosine < threshold), 1, "decision"),
    (says(lambda cosine, threshold: cosine > 0.7), 1, "decision"),
    (says(lambda cosine, threshold: True), 1, "decision"),
    (says(lambda cosine, threshold: False), 1, "decision"),
    (says(lambda cosine, threshold: str(cosine > threshold)), 1, "text"),
    (says(lambda cosine, threshold: (cosine > threshold, cosine)), 1, "shape"),
    (says(lambda cosine, threshold: None), 1, "none"),
    (says(lambda cosine, threshold: print(cosine)), 0, "none"),
    (first_question_twice, 0, "one_question"),
    (lambda question1, *_, verbose=False: question1, 0, "text"),
    (predict_by(ids=lambda a, b: (a[0], b[0])), 0, "no_batch"),
    (predict_by(ids=lambda a, b: (np.array(a + b),) * 2), 0, "not_padded"),
    (predict_by(show=lambda cosine: None), 2, "never_prints"),
    (predict_by(show=lambda cosine: print("duplicates")), 2, "no_similarity"),
    (predict_by(show=lambda cosine: print("threshold 0.300")), 2, "no_similarity"),
    (always_prints, 2, "always_prints"),
]


@pytest.mark.parametrize(("answer", "points", "tag"), PREDICTS, ids=range(len(PREDICTS)))
def test_predict_mistakes_are_named(answer, points, tag):
    result = prediction.check(answer)
    assert result.points == points
    assert result.tags[0] == tag


def predict_in_numbers(question1, question2, to_ids, embed, threshold, verbose=False):
    vectors = embed(padding.pad([to_ids(question1), to_ids(question2)]))
    similarity = vectors[0] @ vectors[1]
    if verbose:
        print("similarity:", similarity)
    return int(similarity > threshold)


def predict_in_jax(question1, question2, to_ids, embed, threshold, verbose=False):
    first, second = (jnp.array(embed(np.array([to_ids(q)]))) for q in (question1, question2))
    cosine = jnp.dot(first, second.T)
    if verbose:
        print(f"{cosine[0, 0]:.2f} {'>' if cosine > threshold else '<='} {threshold:.2f}")
    return cosine > threshold


def predict_by_pair_similarities(question1, question2, to_ids, embed, threshold, verbose=False):
    sides = ([to_ids(question)] for question in (question1, question2))
    (cosine,) = pair_similarities(embed, *sides, 1)
    print(cosine) if verbose else None
    return bool(cosine > threshold)


RIGHT = [(predict_in_numbers,), (predict_in_jax,), (predict_by_pair_similarities,)]


@pytest.mark.parametrize("answers", RIGHT, ids=range(len(RIGHT)))
def test_a_right_answer_in_another_style_passes(answers):
    result = prediction.check(*answers)
    assert result.passed, str(result)


def test_a_right_answer_is_kept(capsys):
    assert prediction.use(predict_in_jax) == predict_in_jax
    assert "goes on with your own answer" in capsys.readouterr().out
