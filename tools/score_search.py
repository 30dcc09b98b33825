"""How well a sentence encoder finds the answers of the course's own search; the last line is JSON.

    python tools/score_search.py ENCODER [--standardize]

ENCODER is a folder that ``SentenceEncoder.save`` wrote, a preset (mean pooling), or the name of a strong encoder that
distill.py can learn from, ``all-mpnet-base-v2`` or ``all-MiniLM-L6-v2``, in float32.
A query's rank is that of its best answer among the sentences
that are no answers; equal similarities take the middle place. The line has the same figures for word overlap
(Jaccard, all words), and how many queries share the stem of a content word with an answer. "spearman" is that of
cosine and score on the course's own validation pairs.

With --standardize, every dimension of the embeddings is standardized first, by the sentences that notebook 03 takes.
"""

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from siamese_course.batching.tokens import simple_tokenizer, stem_tokenizer
from siamese_course.datasets.own_sentences import own_scored_pairs, read_search, silver_pairs
from siamese_course.evaluation import spearman


def load(name: str) -> Callable[[list[str]], np.ndarray]:
    """Return the function that embeds n sentences, (n, dim)."""
    if name.startswith("all-"):
        from distill import Teacher

        return Teacher("f32", name).encode
    from siamese_course.models.sentences import load_encoder, make_encoder

    is_saved = (Path(name) / "sentence_encoder.json").exists()
    return (load_encoder(Path(name)) if is_saved else make_encoder(name)).encode


def standardized(encode: Callable) -> Callable[[list[str]], np.ndarray]:
    """Return an embedding function whose dimensions have mean 0 and standard deviation 1."""
    known = encode([*own_scored_pairs()[0].sentence1, *silver_pairs().sentence1[:2_000]])
    center, spread = known.mean(axis=0), known.std(axis=0)
    return lambda texts: (encode(texts) - center) / spread


def cosines(encode: Callable, queries: list[str], collection: list[str]) -> np.ndarray:
    """Return the cosine of every query and sentence, (queries, sentences)."""
    left, right = (
        rows / np.linalg.norm(rows, axis=1, keepdims=True)
        for rows in (encode(queries), encode(collection))
    )
    return left @ right.T


def overlaps(queries: list[str], collection: list[str]) -> np.ndarray:
    """Return the shared words among all words of every query and sentence, (queries, sentences)."""
    left, right = ([set(simple_tokenizer(s)) for s in texts] for texts in (queries, collection))
    return np.array([[len(q & s) / len(q | s) for s in right] for q in left])


def content_stems(text: str) -> set[str]:
    """Return the stems of the words of two letters or more that are no stop words."""
    words = set(simple_tokenizer(text)) - ENGLISH_STOP_WORDS
    return set(stem_tokenizer(" ".join(word for word in words if len(word) > 1)))


def ranks(similarities: np.ndarray, answers: list[list[int]]) -> np.ndarray:
    """Return the rank of each query's best answer, from 1."""
    found = []
    for row, own in zip(similarities, answers, strict=True):
        others, best = np.delete(row, own), row[own].max()
        found.append(1 + (others > best).sum() + (others == best).sum() / 2)
    return np.array(found)


def figures(found: np.ndarray, distracted: np.ndarray) -> dict:
    """Return MRR and recall@1 of ranks: all, with and without distractors."""
    groups = {"all": slice(None), "with_distractors": distracted, "without": ~distracted}
    return {
        name: {
            "mrr": round(float(np.mean(1 / found[group])), 3),
            "recall_at_1": round(float(np.mean(found[group] == 1)), 3),
        }
        for name, group in groups.items()
    }


def main() -> None:
    """Embed, rank, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("encoder")
    parser.add_argument("--standardize", action="store_true")
    options = parser.parse_args()
    encode = load(options.encoder)
    encode = standardized(encode) if options.standardize else encode
    search = read_search()
    distracted = np.array([bool(rows) for rows in search.distractors])
    shared = sum(
        any(content_stems(query) & content_stems(search.collection[row]) for row in rows)
        for query, rows in zip(search.queries, search.answers, strict=True)
    )
    similarities = cosines(encode, search.queries, search.collection)
    pairs = own_scored_pairs()[1]
    predicted = np.diag(cosines(encode, pairs.sentence1, pairs.sentence2))
    lexical = overlaps(search.queries, search.collection)
    result = {
        "encoder": options.encoder,
        "standardized": options.standardize,
        "spearman": round(float(spearman(predicted, pairs.score)), 3),
        **figures(ranks(similarities, search.answers), distracted),
        "word_overlap": figures(ranks(lexical, search.answers), distracted),
        "share_a_content_word": shared,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
