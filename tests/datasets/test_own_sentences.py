"""The course's own sentences: pairs, triplets of its sections, and the search benchmark."""

import itertools
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from siamese_course.datasets import SPLITS, own_sentences

FOLDER = Path(__file__).resolve().parents[2] / "data" / "sentences"


def triplet_rows(triplets):
    return list(zip(triplets.anchor, triplets.positive, triplets.negative, strict=True))


# --- the course's own ---


COLLECTION, QUERIES = "search_collection.tsv", "search_queries.tsv"


def own_lines(name):
    header, *lines = (FOLDER / name).read_text("utf-8").removesuffix("\n").split("\n")
    return [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]


def test_own_pairs_are_read_as_they_stand_in_the_file():
    splits = own_sentences.own_scored_pairs()
    for split, pairs in zip(SPLITS, splits, strict=True):
        lines = [line for line in own_lines("pairs.tsv") if line["split"] == split]
        assert len(pairs) == len(lines) > 0
        assert pairs.sentence1 == [line["sentence1"] for line in lines]
        assert pairs.sentence2 == [line["sentence2"] for line in lines]
        assert pairs.score.tolist() == pytest.approx([float(line["score"]) for line in lines])
        assert pairs.score.dtype == "float32"


def test_own_splits_share_no_family_no_sentence_and_no_article():
    for name, column in (("pairs.tsv", "family"), ("sections.tsv", "article")):
        places = {(line[column], line["split"]) for line in own_lines(name)}
        assert len(places) == len({value for value, _ in places})
    used = [{*pairs.sentence1, *pairs.sentence2} for pairs in own_sentences.own_scored_pairs()]
    used_in_triplets = [
        {*triplets.anchor, *triplets.positive, *triplets.negative}
        for triplets in own_sentences.own_triplets()
    ]
    for splits in (used, used_in_triplets):
        for one, other in itertools.combinations(splits, 2):
            assert not one & other


def test_own_triplets_are_every_pair_of_a_section_with_a_sentence_of_another():
    place = {
        line["sentence"]: (line["split"], line["article"], line["section"])
        for line in own_lines("sections.tsv")
    }
    members = defaultdict(set)
    for sentence, where in place.items():
        members[where].add(sentence)
    expected = {
        frozenset((left, right))
        for texts in members.values()
        for left in texts
        for right in texts
        if left != right
    }
    found, first, kept = [], Counter(), 0
    lines = {line["sentence"]: number for number, line in enumerate(own_lines("sections.tsv"))}
    for split, triplets in zip(SPLITS, own_sentences.own_triplets(), strict=True):
        for anchor, positive, negative in triplet_rows(triplets):
            assert place[anchor] == place[positive]
            assert place[anchor][:2] == place[negative][:2]
            assert place[anchor][2] != place[negative][2]
            assert place[anchor][0] == split
            found.append(frozenset((anchor, positive)))
            first[negative] += 1
            kept += lines[anchor] < lines[positive]
    assert len(found) == len(set(found)) == 10 * len(members)
    assert set(found) == expected
    assert kept / len(found) == pytest.approx(
        0.5, abs=0.05
    )  # which of a pair is the anchor is drawn
    assert len(first) > 0.8 * len(place)  # about 1 - exp(-2) of the sentences are a negative


def test_own_triplets_follow_the_seed():
    one, again, other = (own_sentences.own_triplets(seed) for seed in (0, 0, 1))
    assert one == again
    for left, right in zip(one, other, strict=True):
        assert left.negative != right.negative
        assert left.anchor != right.anchor


def test_a_quotation_mark_is_a_character_like_others(tmp_path):
    rows = ['train\tA\tx\t"One', 'train\tA\tx\tTwo"', "train\tA\ty\tNA"]
    header = "split\tarticle\tsection\tsentence"
    (tmp_path / "sections.tsv").write_text("\n".join([header, *rows, ""]))
    train, validation, test = own_sentences.own_triplets(folder=tmp_path)
    assert {train.anchor[0], train.positive[0]} == {'"One', 'Two"'}
    assert (train.negative, len(validation), len(test)) == (["NA"], 0, 0)


# --- the search benchmark ---


def test_the_search_is_read_as_it_stands_in_the_files():
    data = own_sentences.read_search()
    items, queries = own_lines(COLLECTION), own_lines(QUERIES)
    assert data.collection == [item["sentence"] for item in items]
    assert data.topics == [item["topic"] for item in items]
    assert data.queries == [line["query"] for line in queries]
    for column in ("answers", "distractors"):
        ids = [[items[row]["id"] for row in rows] for rows in getattr(data, column)]
        assert ids == [line[column].split() for line in queries]
    assert "Somebody is preparing a meal." in data.queries
    assert str(data) == f"Search: {len(queries)} queries, {len(items):,} sentences"


def test_silver_pairs_are_train_sentences_with_scores_over_the_whole_range():
    silver = own_sentences.silver_pairs()
    assert len(silver) == 10_000
    assert silver.score.min() == 0
    assert silver.score.max() <= 5
    assert all((np.abs(silver.score - score) < 0.5).mean() > 0.08 for score in (0.5, 1.5, 2.5, 3.5))
    held_out = {
        s
        for split in own_sentences.own_scored_pairs()[1:]
        for s in split.sentence1 + split.sentence2
    }
    assert not held_out & set(silver.sentence1 + silver.sentence2)


def test_the_teachers_figures_are_there():
    figures = own_sentences.teacher_figures()
    assert {"mrr", "recall_at_1", "spearman", "triplet_accuracy", "dog"} <= set(figures)
