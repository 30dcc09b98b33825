"""The course's own sentences: scored pairs, sections for triplets, and a search benchmark.

The files are in ``data/sentences`` of the repository, with a card that describes how they were made, and
inside the installed package. The *anchor* and the *positive* of a triplet are from one section of an
article; the *negative* is from another.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np

from siamese_course.datasets import SPLITS
from siamese_course.datasets.sentence_tables import (
    PAIR_COLUMNS,
    Row,
    ScoredPairs,
    Triplets,
    columns_of,
    header_of,
    malformed,
    scored_pairs,
    tab_rows,
)
from siamese_course.runtime.shipped import shipped

COLLECTION_COLUMNS = ("id", "topic", "sentence")
QUERY_COLUMNS = ("query", "answers", "distractors")


@dataclass(frozen=True)
class SearchData:
    """Queries, and the sentences of a collection that answer them.

    ``topics`` go with the ``collection``, ``answers`` and ``distractors`` with the ``queries``: row
    indices of the collection, at least one answer for each query. A *distractor* shares words with the
    query and means something else; many queries have none.
    """

    collection: list[str]
    topics: list[str]
    queries: list[str]
    answers: list[list[int]]
    distractors: list[list[int]]

    def __str__(self) -> str:
        return f"Search: {len(self.queries):,} queries, {len(self.collection):,} sentences"


def own_scored_pairs(folder: Path | None = None) -> list[ScoredPairs]:
    """Return the course's own scored pairs: train, validation and test, as the file splits them.

    Args:
        folder: with pairs.tsv. The default is the one that ships with the course.

    Raises:
        DataError: the file cannot be read, or a row is malformed.
    """
    path = (folder or shipped("sentences")) / "pairs.tsv"
    rows_of = defaultdict(list)
    for number, (split, *cells) in _own_rows(path, ("split", *PAIR_COLUMNS)):
        rows_of[split].append((number, cells))
    return [scored_pairs(path, rows_of[split]) for split in SPLITS]


def own_triplets(seed: int = 0, folder: Path | None = None) -> list[Triplets]:
    """Return triplets of the course's own sections: train, validation and test.

    Every pair of sentences inside a section is an anchor and its positive, in random order. The
    negative is drawn from the other sections of the article. Three sections of five sentences
    make 30 triplets.

    Args:
        seed: of the draws.
        folder: with sections.tsv. The default is the one that ships with the course.

    Returns:
        Three ``Triplets``, article by article in the order of the file: shuffle before training.

    Raises:
        DataError: the file cannot be read, or a row is malformed.
    """
    path = (folder or shipped("sentences")) / "sections.tsv"
    articles: dict[str, dict[str, dict[str, list[str]]]] = {
        split: defaultdict(lambda: defaultdict(list)) for split in SPLITS
    }
    for _, (split, article, section, sentence) in _own_rows(
        path, ("split", "article", "section", "sentence")
    ):
        articles[split][article][section].append(sentence)
    rng = np.random.default_rng(seed)
    return [_triplets_of(articles[split].values(), rng) for split in SPLITS]


def read_search(folder: Path | None = None) -> SearchData:
    """Return the course's own search benchmark.

    Args:
        folder: with search_collection.tsv and search_queries.tsv. The default is the one that ships
            with the course.

    Raises:
        DataError: a file cannot be read, a row is malformed, or an id is repeated or unknown.
    """
    folder = folder or shipped("sentences")
    path = folder / "search_collection.tsv"
    row_of: dict[str, int] = {}
    topics: list[str] = []
    collection: list[str] = []
    for number, (name, topic, sentence) in _rows_of(path, COLLECTION_COLUMNS):
        if row_of.setdefault(name, len(row_of)) != len(collection):
            raise malformed(path, number, f"the id {name!r} occurred before")
        topics.append(topic)
        collection.append(sentence)
    path = folder / "search_queries.tsv"
    queries: list[str] = []
    answers: list[list[int]] = []
    distractors: list[list[int]] = []
    for number, (query, *marked) in _rows_of(path, QUERY_COLUMNS, optional=("distractors",)):
        unknown = [name for names in marked for name in names.split() if name not in row_of]
        if unknown:
            raise malformed(path, number, f"no sentence has the id {unknown[0]!r}")
        queries.append(query)
        for rows, names in zip((answers, distractors), marked, strict=True):
            rows.append([row_of[name] for name in names.split()])
    return SearchData(collection, topics, queries, answers, distractors)


def silver_pairs(folder: Path | None = None) -> ScoredPairs:
    """Return pairs whose scores are a strong encoder's cosines, times 5; train sentences only.

    Args:
        folder: with silver.tsv. The default is the one that ships with the course.

    Raises:
        DataError: the file cannot be read, or a row is malformed.
    """
    path = (folder or shipped("sentences")) / "silver.tsv"
    return scored_pairs(path, _rows_of(path, PAIR_COLUMNS))


def teacher_figures(folder: Path | None = None) -> dict[str, Any]:
    """Return how that encoder, the teacher, does on the validation splits and the search benchmark.

    Learners do not have the teacher; ``tools/silver.py`` writes its figures.
    """
    path = (folder or shipped("sentences")) / "teacher.json"
    return json.loads(path.read_text(encoding="utf-8"))


def _rows_of(path: Path, wanted: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Row]:
    rows = tab_rows(path)
    return columns_of(path, header_of(path, rows, tuple(wanted)), rows, wanted, optional)


def _own_rows(path: Path, wanted: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of a file whose first wanted column is the split."""
    for number, cells in _rows_of(path, wanted):
        if cells[0] not in SPLITS:
            raise malformed(path, number, f"the split is {cells[0]!r}, not one of {SPLITS}")
        yield number, cells


def _triplets_of(articles: Iterable[dict[str, list[str]]], rng: np.random.Generator) -> Triplets:
    triplets = Triplets([], [], [])
    for sections in articles:
        for section, sentences in sections.items():
            others = list(chain(*(sections[name] for name in sections if name != section)))
            for pair in combinations(sentences, 2):
                anchor, positive = pair if rng.random() < 0.5 else pair[::-1]
                triplets.anchor.append(anchor)
                triplets.positive.append(positive)
                triplets.negative.append(others[rng.integers(len(others))])
    return triplets
