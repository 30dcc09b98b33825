"""Sentences of one's own: scores that are none, and splits that share no sentence."""

import numpy as np
import pytest

from siamese_course import own_data
from siamese_course.runtime.errors import DataError
from siamese_course.sources.sentence_tables import ScoredPairs, Triplets

SCORES = "sentence1,sentence2,score\na,b,{}\nc,d,{}\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("s.csv", SCORES.format(85, 20), r"line 2: the score is '85'; .* from 0 to 5"),
        ("s.csv", SCORES.format("85%", "20%"), r"the score is '85%'"),
        ("s.csv", SCORES.format("nan", 1), r"the score is 'nan'"),
        ("s.csv", SCORES.replace(",", ";").format("4,5", 1), r"the score is '4,5'"),
        ("s.csv", SCORES.format("1,2", 1), r"line 2: 4 columns instead of 3"),
        ("s.csv", "sentence1,score\na,1\n", r"expected a header with score, sentence1, sentence2"),
        ("s.csv", "", "expected a header"),
        ("s.csv", "sentence1,sentence2,score\n", "holds no sentence pair"),
        (
            "s.jsonl",
            '{"sentence1": "a", "sentence2": "b", "score": 85}\n',
            "score goes from 85 to 85; expected 0 to 5",
        ),
        (
            "s.jsonl",
            '{"sentence1": "a", "sentence2": "b", "score": 1}\n{"sentence1": "a", "score": 1}\n',
            "row 2: sentence2 is empty",
        ),
        (
            "s.jsonl",
            '{"sentence1": null, "sentence2": "b", "score": 1}\n',
            "row 1: sentence1 is empty",
        ),
        (
            "s.jsonl",
            '{"sentence1": ["a"], "sentence2": "b", "score": 1}\n',
            "row 1: sentence1 is a list",
        ),
        ("s.jsonl", "[1, 2]\n{", "cannot be read as a table"),
    ],
)
def test_scores_that_are_none_are_refused(name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        own_data.read_own_scores(tmp_path / name)


def test_pairs_without_different_scores_are_refused_before_training():
    names = [f"sentence {n}" for n in range(60)]
    pairs = ScoredPairs(names[::2], names[1::2], np.full(30, 4.0))
    with pytest.raises(DataError, match="no split of 30 pairs has different scores"):
        own_data.split_scored_pairs(pairs, "equal")
    few = ScoredPairs(names[:4], names[4:8], np.arange(4.0))
    with pytest.raises(DataError, match="no split of 4 pairs"):
        own_data.split_scored_pairs(few, "few")


def test_the_same_pair_many_times_is_in_one_split():
    names = [f"sentence {n % 20}" for n in range(200)]
    pairs = ScoredPairs(names, [f"{name}, again" for name in names], np.arange(200) % 6)
    data = own_data.split_scored_pairs(pairs, "repeated")
    texts = [set(rows.sentence1) for rows in (data.train, data.validation, data.test)]
    assert sum(map(len, texts)) == 20


def test_no_text_is_in_two_splits():
    names = [f"sentence {n}" for n in range(60)]
    pairs = ScoredPairs(names[:-1], names[1:], np.linspace(0, 5, 59))
    with pytest.raises(DataError, match="cannot be split"):
        own_data.split_scored_pairs(pairs, "linked")
    pairs = ScoredPairs(names[::2], names[1::2], np.linspace(0, 5, 30))
    data = own_data.split_scored_pairs(pairs, "pairs")
    texts = [
        {*rows.sentence1, *rows.sentence2} for rows in (data.train, data.validation, data.test)
    ]
    assert sum(map(len, texts)) == len(set.union(*texts)) == 60
    triplets = Triplets(names[:20], names[20:40], names[40:])
    data = own_data.split_triplets(triplets, "triplets")
    assert len(data.train) + len(data.validation) + len(data.test) == 20
