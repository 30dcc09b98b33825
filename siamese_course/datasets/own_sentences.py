"""The course's own sentences: scored pairs, sections for triplets, and a search benchmark.

The files are in ``data/sentences`` of the repository, with a card that describes how they were made, and
inside the installed package. ``tools/check_sentences.py`` checks them. The *anchor* and the *positive* of
a triplet are from one section of an article; the *negative* is from another.
"""

import csv
import json
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from siamese_course.datasets import SPLITS
from siamese_course.runtime.shipped import shipped
from siamese_course.sources.sentence_tables import ScoredPairs, Triplets

if TYPE_CHECKING:
    import pandas as pd


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


def own_scored_pairs() -> list[ScoredPairs]:
    """Return the course's own scored pairs: train, validation and test, as the file splits them."""
    table = _read("pairs.tsv")
    return [_scored_pairs(table[table["split"] == split]) for split in SPLITS]


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
    """
    table = _read("sections.tsv", folder)
    rng = np.random.default_rng(seed)
    return [_triplets_of(table[table["split"] == split], rng) for split in SPLITS]


def _triplets_of(table: "pd.DataFrame", rng: np.random.Generator) -> Triplets:
    triplets = Triplets([], [], [])
    for _, article in table.groupby("article", sort=False):
        for section, rows in article.groupby("section", sort=False):
            others = article["sentence"][article["section"] != section].tolist()
            for pair in combinations(rows["sentence"], 2):
                anchor, positive = pair if rng.random() < 0.5 else pair[::-1]
                triplets.anchor.append(anchor)
                triplets.positive.append(positive)
                triplets.negative.append(others[rng.integers(len(others))])
    return triplets


def read_search() -> SearchData:
    """Return the course's own search benchmark."""
    collection, queries = _read("search_collection.tsv"), _read("search_queries.tsv")
    row_of = {name: row for row, name in enumerate(collection["id"])}
    answers, distractors = (
        [[row_of[name] for name in names.split()] for names in queries[column]]
        for column in ("answers", "distractors")
    )
    return SearchData(
        collection["sentence"].tolist(),
        collection["topic"].tolist(),
        queries["query"].tolist(),
        answers,
        distractors,
    )


def silver_pairs() -> ScoredPairs:
    """Return pairs whose scores are a strong encoder's cosines, times 5; train sentences only."""
    return _scored_pairs(_read("silver.tsv"))


def teacher_figures() -> dict[str, Any]:
    """Return how that encoder, the teacher (all-mpnet-base-v2), does on the validation splits and the search benchmark.

    Learners do not have the teacher; ``tools/silver.py`` writes its figures.
    """
    return json.loads((shipped("sentences") / "teacher.json").read_text(encoding="utf-8"))


def _read(name: str, folder: Path | None = None) -> "pd.DataFrame":
    """A file as it stands: all cells are text, and a quotation mark is a character."""
    import pandas as pd

    path = (folder or shipped("sentences")) / name
    return pd.read_csv(path, sep="\t", quoting=csv.QUOTE_NONE, dtype=str, keep_default_na=False)


def _scored_pairs(table: "pd.DataFrame") -> ScoredPairs:
    scores = table["score"].astype("float32").to_numpy()
    return ScoredPairs(table["sentence1"].tolist(), table["sentence2"].tolist(), scores)
