"""Exercise 1: right answers in several styles pass, wrong ones get the hint meant for them."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from siamese_course.exercises.sbert_roberta import scaling
from siamese_course.exercises.sbert_roberta.scaling import MISTAKES
from tests.exercises.mistakes import cases, require_named


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(scaling.check(mistake.answer), mistake)


def scaled_in_place(score):
    score /= 2.5
    score -= 1
    return score


def scaled_in_place_and_wrong(score):
    score /= 5
    return score


def scaled_by_a_loop(score):
    scaled = []
    for value in score:
        scaled.append(float(value) / 5 * 2 - 1)
    return scaled


WRONG = [
    (scaled_in_place, "Your code changes `score` in place"),
    (scaled_in_place_and_wrong, "onto 0 to 1"),
    (lambda score: keras.utils.normalize(score), "has shape (1, 5); expected (5,)"),
    (lambda score: score / max(score), "A value is off"),
    (lambda score: score, "The scores are unchanged"),
    (lambda score: score / 5, "onto 0 to 1"),
    (lambda score: [s / 5.0 for s in score], "onto 0 to 1"),
    (lambda score: (score - 2.5) / 5, "A value is off"),
    (lambda score: 2 * (score / 5), "This goes from 0 to 2"),
    (lambda score: -1 + score / 5, "from -1 to 0"),
    (lambda score: (score - score.mean()) / score.std(), "standardized"),
    (lambda score: score.astype(int) // 2.5 - 1, "A value is off"),
    (lambda score: np.interp(score, [0, 5], [1, -1]), "reversed"),
    (lambda score: np.interp(score, [score.min(), score.max()], [-1, 1]), "happen to occur"),
    (lambda score: np.clip(score / 2.5 - 1, 0, 1), "A value is off"),
    (lambda score: np.tanh(score), "A value is off"),
    (lambda score: 0.0, "has shape (); expected (5,)"),
    (lambda score: np.array([-1.0, 1.0]), "has shape (2,); expected (5,)"),
    (lambda score: np.array([-1.0, -0.48, 0.0, 0.6, 1.0]), "A value is off"),
    (lambda score: score.min() / 2.5 - 1, "has shape (); expected (5,)"),
    (lambda score: (score / 2.5 - 1)[:, None], "has shape (5, 1); expected (5,)"),
    (lambda score: score * np.nan, "contains NaN or infinity"),
    (lambda score: print(score / 2.5 - 1), "is a `return` missing"),
    (lambda score: f"{score / 2.5 - 1}", "is a `str`; expected numbers"),
    (lambda: 0.0, "takes 0 positional arguments but 1 was given"),
]


@pytest.mark.parametrize(("answer", "text"), WRONG)
def test_a_wrong_answer_gets_the_hint_meant_for_it(answer, text):
    result = scaling.check(answer)
    assert result.status == "wrong"
    assert text in result.messages[0]


RIGHT = [
    (scaled_by_a_loop,),
    (lambda score: (score - 2.5) / 2.5,),
    (lambda score: np.interp(score, [0, 5], [-1, 1]),),
    (lambda score: ops.subtract(ops.multiply(score, 0.4), 1),),
    (lambda score: tf.constant(score) / 2.5 - 1,),
    (lambda score: score.astype("float64") / 2.5 - 1,),
]


@pytest.mark.parametrize("answers", RIGHT)
def test_right_answers_in_other_styles_pass(answers):
    result = scaling.check(*answers)
    assert result.passed, str(result)
