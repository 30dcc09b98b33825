"""Columns of pandas and of Hugging Face datasets are taken like lists, whatever their index says."""

import numpy as np
import pandas as pd
import pytest

from siamese_course.models import sentences
from siamese_course.sources.question_pairs import QuestionPairs
from siamese_course.sources.sentence_tables import ScoredPairs, Triplets
from tests.tools import write_tiny_preset

LEFT = ["A dog runs.", "The cat sleeps.", "It rains."]
RIGHT = ["A puppy is running.", "A cat is asleep.", "The sun shines."]
SCORES = [4.5, 4.0, 0.5]
ROWS = [2, 0]


def in_pandas(values):
    return pd.Series(values, index=[2, 0, 7])


def in_datasets(values):
    return pytest.importorskip("datasets").Dataset.from_dict({"column": values})["column"]


LIBRARIES = pytest.mark.parametrize("column", [in_pandas, in_datasets])


@LIBRARIES
def test_scored_pairs(column):
    pairs = ScoredPairs(column(LEFT), column(RIGHT), column(SCORES)).take(ROWS)
    assert pairs.sentence1 == [LEFT[row] for row in ROWS]
    assert pairs.score.tolist() == [SCORES[row] for row in ROWS]


@LIBRARIES
def test_triplets(column):
    triplets = Triplets(column(LEFT), column(RIGHT), column(LEFT[::-1])).take(ROWS)
    assert (triplets.anchor[0], triplets.positive[0], triplets.negative[0]) == (
        LEFT[2],
        RIGHT[2],
        LEFT[0],
    )


@LIBRARIES
def test_question_pairs(column):
    numbers = [column([1, 2, 3]), column([4, 5, 6])]
    pairs = QuestionPairs(column(LEFT), column(RIGHT), column([1, 1, 0]), *numbers)
    chosen = pairs.take(ROWS)
    assert chosen.question2 == [RIGHT[row] for row in ROWS]
    assert (chosen.same.tolist(), chosen.qid1.tolist()) == ([0, 1], [3, 1])
    assert len(pairs.duplicates()) == 2


@LIBRARIES
def test_texts_to_embed(column, tmp_path):
    encoder = sentences.make_encoder(write_tiny_preset(tmp_path), pooling="mean")
    np.testing.assert_array_equal(
        encoder.encode(column(LEFT), verbose=False), encoder.encode(LEFT, verbose=False)
    )
    assert encoder.similarity(column(LEFT), column(RIGHT)).shape == (3,)
