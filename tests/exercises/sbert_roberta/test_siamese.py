"""Exercise 3: the siamese model; most right and wrong answers are on file, in tests/submissions/03/siamese."""

import keras
import numpy as np
import pytest
from keras import ops

from siamese_course.exercises import observe
from siamese_course.exercises.sbert_roberta import siamese
from siamese_course.exercises.sbert_roberta.siamese import MISTAKES, build_siamese


def built(combine=lambda rows: ops.stack(rows, axis=1), mask_of=lambda mask, side: mask[:, side]):
    """``build_siamese`` with one thing changed."""

    def build(encoder, sides):
        inputs = {
            name: keras.Input((sides, None), dtype="int32", name=name)
            for name in ("token_ids", "padding_mask")
        }
        rows = [
            encoder(
                {
                    "token_ids": inputs["token_ids"][:, side],
                    "padding_mask": mask_of(inputs["padding_mask"], side),
                }
            )
            for side in range(sides)
        ]
        return keras.Model(inputs, combine(rows))

    return build


def test_a_right_answer_passes():
    result = siamese.check(built())
    assert result.passed, str(result)


@pytest.mark.parametrize(
    ("answer", "tag"),
    [
        (built(mask_of=lambda mask, side: mask[:, side] * 0 + 1), "mask_ignored"),
        (built(mask_of=lambda mask, side: mask[:, 0]), "first_mask"),
        (built(lambda rows: ops.stack(rows[::-1], axis=1)), "reversed"),
        (built(lambda rows: ops.stack(rows, axis=0)), "first_axis"),
        (built(lambda rows: ops.stack(rows, axis=-1)), "last_axis"),
        (built(lambda rows: ops.concatenate(rows, axis=1)), "concatenated"),
        (built(lambda rows: ops.stack([rows[0]] * len(rows), axis=1)), "first_side_only"),
        (built(lambda rows: ops.sum(rows[0] * rows[1], axis=-1)), "compared"),
        (built(lambda rows: keras.layers.Dense(4)(ops.stack(rows, axis=1))), "layer_on_top"),
        (lambda encoder, sides: encoder, "one_side"),
        (lambda encoder, sides: None, "none"),
        (lambda encoder, sides: 3, "type"),
    ],
)
def test_a_wrong_answer_is_named(answer, tag):
    result = siamese.check(answer)
    assert result.status == "wrong"
    assert tag in result.tags or set(result.tags) == {"error"}, str(result)


def test_a_model_of_pairs_alone_has_eight_points():
    result = siamese.check(lambda encoder, sides: build_siamese(encoder, 2))
    assert result.points == 8


def test_every_known_mistake_has_a_tag_of_its_own():
    assert len({mistake.tag for mistake in MISTAKES}) == len(MISTAKES)


def test_the_encoder_of_the_tests_ignores_padding():
    table = np.arange(12.0, dtype="float32").reshape(6, 2)
    encoder = observe.token_encoder(table)
    batch = {"token_ids": np.array([[3, 4, 1]]), "padding_mask": np.array([[1, 1, 0]])}
    assert np.allclose(np.array(encoder(batch)), table[3:5].mean(axis=0))
