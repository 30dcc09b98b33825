"""Scored pairs and triplets of one's own: read them, and split them without a sentence in two splits."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from siamese_course.datasets.question_splits import components
from siamese_course.datasets.sentences import ScoredData, TripletData
from siamese_course.own_data.splits import TRIES, deal
from siamese_course.own_data.tables import (
    RECORDS,
    read_table,
    require_table,
    suffix_of,
    to_numbers,
    to_texts,
)
from siamese_course.runtime.errors import DataError
from siamese_course.sources.question_pairs import QuestionPairs, number_questions
from siamese_course.sources.sentence_tables import (
    HIGHEST_SCORE,
    PAIR_COLUMNS,
    ScoredPairs,
    Triplets,
    read_scored_pairs,
    read_triplets,
)


def read_own_scores(path: Path | str) -> ScoredPairs:
    """Read scored pairs of one's own; scores from 0 to 1 are multiplied by 5.

    Raises:
        DataError: the file cannot be read, or lacks columns, or a score is outside 0 to 5.
    """
    path = Path(path)
    require_table(path)
    if suffix_of(path) not in RECORDS:
        pairs = read_scored_pairs(path)
    else:
        score, sentence1, sentence2 = read_table(path, PAIR_COLUMNS)
        scores = to_numbers(path, "score", score)
        try:
            pairs = ScoredPairs(to_texts(sentence1), to_texts(sentence2), scores)
        except ValueError as error:
            raise DataError(f"{path}: {error}.") from error
    if 0 < pairs.score.max() <= 1:
        print(f"{path}: the scores go from 0 to 1, and are multiplied by 5.")
        pairs = replace(pairs, score=HIGHEST_SCORE * pairs.score)
    return pairs


def read_own_triplets(path: Path | str) -> Triplets:
    """Read triplets of one's own; reports those whose positive is the negative. Errors as ``read_question_pairs``."""
    path = Path(path)
    require_table(path)
    if suffix_of(path) in RECORDS:
        triplets = Triplets(*map(to_texts, read_table(path, ("anchor", "positive", "negative"))))
    else:
        triplets = read_triplets(path)
    if equal := sum(map(str.__eq__, triplets.positive, triplets.negative)):
        print(
            f"{path}: in {equal:,} of {len(triplets):,} triplets the positive and the negative are the same text."
        )
    return triplets


def split_scored_pairs(pairs: ScoredPairs, source: str, seed: int = 0) -> ScoredData:
    """Split scored pairs so that no sentence is in two splits.

    Raises:
        DataError: the pairs are too few, or all linked, or have all the same score.
    """
    component = _linked(pairs.sentence1, pairs.sentence2)
    for number in range(seed, seed + TRIES):
        train, validation, test = map(pairs.take, deal(component, "pairs", number))
        if min(len(np.unique(rows.score)) for rows in (train, validation, test)) > 1:
            return ScoredData(train, validation, test, source)
    raise DataError(
        f"{source}: no split of {len(pairs)} pairs has different scores for training, validation and test. "
        "Add pairs of sentences that occur nowhere else."
    )


def split_triplets(triplets: Triplets, source: str, seed: int = 0) -> TripletData:
    """Split triplets so that no sentence is in two splits; errors as ``split_scored_pairs``."""
    anchors = triplets.anchor * 2
    component = _linked(anchors, triplets.positive + triplets.negative)[: len(triplets)]
    rows = deal(component, "triplets", seed)
    train, validation, test = map(triplets.take, rows)
    return TripletData(train, validation, test, source)


def _linked(left: list[str], right: list[str]) -> np.ndarray:
    """The component of each pair of texts, linked by those they share."""
    ids = number_questions(left, right)
    return components(QuestionPairs(left, right, np.zeros(len(left), "int8"), *ids))
