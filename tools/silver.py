"""Make the silver pairs: sentence pairs whose scores are a strong sentence encoder's cosines, not people's.

    python tools/silver.py [--figures-only] [--pairs 10000] [--everyday 7000] [--seed 0] [--out data/sentences]

Few pairs have a score that somebody gave; a strong encoder (the teacher, see tools/distill.py) can score as many
as one likes. A small encoder that is fine-tuned on both learns far more than from the gold pairs alone (Augmented
SBERT, Thakur et al. 2021, arXiv:2010.08240).

The sentences are the train splits of data/sentences and data/questions, and everyday sentences made by
tools/everyday.py; none of a validation or test split and none of the search benchmark. Pairs are drawn among
near neighbors, members of a family, and at random, within one source, until every band of cosines has its fraction:
most random pairs have nothing in common, and nobody learns much from ten thousand of those.

Writes silver.tsv (score, sentence1, sentence2; the score is 5 * cosine, at least 0) and teacher.json: the
teacher's own figures in notebook 03's measurements, since learners do not have it. The last line is JSON.
"""

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from distill import TEACHER, Teacher
from everyday import TABLES, Writer

from siamese_course.datasets.own_questions import read_near_misses, read_questions
from siamese_course.datasets.own_sentences import (
    own_scored_pairs,
    own_triplets,
    read_search,
)
from siamese_course.evaluation import spearman, triplet_accuracy
from siamese_course.sources.question_pairs import normal_form

OUT = Path(__file__).resolve().parents[1] / "data" / "sentences"
FRACTIONS = {"pairs": 0.2, "sections": 0.15, "questions": 0.2, "everyday": 0.45}
BANDS = np.array([-1.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
WEIGHTS = np.array([2, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1]) / 15  # of the bands
NEIGHBORS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)  # ranks that a sentence is paired with
MAX_USES = 12  # pairs of one sentence
DOG = (
    "The dog is busy with its dinner.",
    "The sky is clear and blue today.",
    "I would love something to eat.",
    "A puppy is eating from its bowl.",
)


def sources(everyday: int, seed: int) -> dict[str, list[str]]:
    """Sentences by source, none twice and none that belongs to a validation split, a test split or the search."""
    train, *held_out = own_scored_pairs()
    triplets, *held_out_triplets = own_triplets()
    search = read_search()
    questions = read_questions()
    writer = Writer(tomllib.loads(TABLES.read_text(encoding="utf-8")), seed + 1)
    found = {
        "pairs": [*train.sentence1, *train.sentence2],
        "sections": [*triplets.anchor, *triplets.positive, *triplets.negative],
        "questions": [q.text for q in questions if q.split == "train"],
        "everyday": list(writer.sentences(everyday)),
    }
    kept_apart = [*search.collection, *search.queries, *DOG]
    kept_apart += [s for pairs in held_out for s in (*pairs.sentence1, *pairs.sentence2)]
    kept_apart += [s for t in held_out_triplets for s in (*t.anchor, *t.positive, *t.negative)]
    kept_apart += [q.text for q in questions if q.split != "train"]
    seen = {normal_form(sentence) for sentence in kept_apart}
    kept = {}
    for source, sentences in found.items():
        kept[source] = []
        for sentence in sentences:
            if (form := normal_form(sentence)) not in seen:
                seen.add(form)
                kept[source].append(sentence)
    return kept


def candidates(embeddings: np.ndarray, rng) -> Iterator[tuple[int, int]]:
    """Index pairs: every row with neighbors of several ranks, and with rows at random."""
    for start in range(0, len(embeddings), 512):
        block = embeddings[start : start + 512] @ embeddings.T
        order = np.argsort(-block, axis=1)[:, : max(NEIGHBORS) + 1]
        for row, ranked in enumerate(order, start):
            others = [ranked[rank] for rank in NEIGHBORS if rank < len(ranked)]
            others += rng.integers(len(embeddings), size=4).tolist()
            yield from ((min(row, j), max(row, j)) for j in map(int, others) if j != row)


def choose(pairs: np.ndarray, cosines: np.ndarray, wanted: int, rng) -> np.ndarray:
    """Indices of pairs: ``wanted`` of them, each band its fraction as far as there are any, no sentence too often."""
    band = np.clip(np.digitize(cosines, BANDS) - 1, 0, len(WEIGHTS) - 1)
    uses = np.zeros(pairs.max() + 1, int)
    chosen, room = [], wanted
    # bands with the fewest candidates first: what they cannot give, the others share
    order = sorted(range(len(WEIGHTS)), key=lambda b: np.sum(band == b) / WEIGHTS[b])
    for place, b in enumerate(order):
        rest = WEIGHTS[order[place:]].sum()
        target, taken = round(room * WEIGHTS[b] / rest), 0
        for index in rng.permutation(np.flatnonzero(band == b)):
            if taken == target:
                break
            if (uses[pairs[index]] < MAX_USES).all():
                uses[pairs[index]] += 1
                chosen.append(index)
                taken += 1
        room -= taken
    return np.array(chosen)


def silver_pairs(teacher: Teacher, options) -> list[tuple[float, str, str]]:
    """(score, sentence, sentence), shuffled."""
    rng = np.random.default_rng(options.seed)
    gold = own_scored_pairs()[0]
    known = {frozenset(pair) for pair in zip(gold.sentence1, gold.sentence2, strict=True)}
    rows = []
    for source, sentences in sources(options.everyday, options.seed).items():
        embeddings = teacher.encode(sentences)
        pairs = set(candidates(embeddings, rng))
        if source == "questions":
            index_of = {text: index for index, text in enumerate(sentences)}
            pairs |= {
                (index_of[a], index_of[b])
                for a, b in read_near_misses()
                if a in index_of and b in index_of
            }
        pairs = np.array(
            sorted((a, b) for a, b in pairs if {sentences[a], sentences[b]} not in known)
        )
        cosines = np.sum(embeddings[pairs[:, 0]] * embeddings[pairs[:, 1]], axis=1)
        wanted = round(FRACTIONS[source] * options.pairs)
        for index in choose(pairs, cosines, wanted, rng):
            a, b = rng.permutation(pairs[index])
            rows.append((5 * max(0.0, float(cosines[index])), sentences[a], sentences[b]))
    return [rows[index] for index in rng.permutation(len(rows))]


def teacher_figures(teacher: Teacher) -> dict:
    """The teacher's own figures on the validation splits, the search benchmark and the dog query."""
    _, pairs, _ = own_scored_pairs()
    _, triplets, _ = own_triplets()
    search = read_search()
    left, right = teacher.encode(pairs.sentence1), teacher.encode(pairs.sentence2)
    dog = teacher.encode(list(DOG))
    sides = [
        teacher.encode(side) for side in (triplets.anchor, triplets.positive, triplets.negative)
    ]
    similarities = teacher.encode(search.queries) @ teacher.encode(search.collection).T
    ranks = np.array(
        [
            1 + np.sum(row > row[answers].max())
            for row, answers in zip(similarities, search.answers, strict=True)
        ]
    )
    plain = np.array([not names for names in search.distractors])
    return {
        "teacher": TEACHER,
        "spearman": round(float(spearman(np.sum(left * right, axis=1), pairs.score)), 3),
        "dog": [round(float(cosine), 2) for cosine in dog[1:] @ dog[0]],
        "triplet_accuracy": round(float(triplet_accuracy(*sides)), 3),
        "recall_at_1": round(float(np.mean(ranks == 1)), 3),
        "recall_at_1_without_distractors": round(float(np.mean(ranks[plain] == 1)), 3),
        "mrr": round(float(np.mean(1 / ranks)), 3),
        "queries": len(ranks),
        "sentences": len(search.collection),
    }


def main() -> None:
    """Write silver.tsv and teacher.json."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--everyday", type=int, default=7_000, help="everyday sentences to draw on")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--figures-only", action="store_true", help="write teacher.json alone")
    options = parser.parse_args()
    teacher = Teacher("f32")
    figures = teacher_figures(teacher)
    (options.out / "teacher.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    if options.figures_only:
        print(json.dumps(figures))
        return
    rows = silver_pairs(teacher, options)
    lines = ["score\tsentence1\tsentence2", *(f"{s:.2f}\t{a}\t{b}" for s, a, b in rows)]
    (options.out / "silver.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    print(json.dumps({"pairs": len(rows), **figures}))


if __name__ == "__main__":
    sys.exit(main())
