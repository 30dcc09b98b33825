"""What every side of a comparison must agree on before anything is timed: token ids, and embeddings close enough.

All sides start from the weights of the course's preset; sentence-transformers reads them from the folder that
tools/to_hugging_face.py writes. A tokenizer that is read the wrong way makes two tokens of every
sentence, and the peer look five times as fast as it is: so each side must give the
token ids, and embeddings close to those, that ``prepare`` wrote down.
"""

import re
import subprocess
import sys
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.common import fingerprint, work_folder
from siamese_course.datasets.sentences import load_scored_pairs, load_triplets
from siamese_course.runtime.shipped import shipped

PRESET = "presets/course_roberta_en"
EXPORT = Path(__file__).resolve().parents[1] / "tools" / "to_hugging_face.py"
MAX_LENGTH = 128  # tokens that are read of a sentence, on both sides
TOLERANCE = 1e-4  # between embeddings of two frameworks, as a share of their length
CUT_OTHERWISE = re.compile(r"(?<![^\W\d_])'(?:[stmd]|re|ve|ll)|'(?:[stmd]|re|ve|ll)[^\W\d_]")
CHECKED = 64  # sentences whose embeddings are compared


@cache
def scored_pairs():
    """Scored pairs, the STS benchmark if it is there, else the course's own: those that all sides tokenize alike."""
    data = load_scored_pairs(verbose=False)
    train, validation = (
        read_alike(rows, "sentence1", "sentence2") for rows in (data.train, data.validation)
    )
    return replace(data, train=train, validation=validation)


def read_alike(rows, *sides: str):
    """The rows that KerasHub 0.32 and RoBERTa's own rules cut into the same pieces, with single spaces.

    KerasHub drops the second of two spaces, and cuts 's, 'll and their like off where no word ends, or none stands
    before: "Corp.'s", 'severe debt'. That is in 8 of 1,000 rows of the STS benchmark.
    """
    texts = {side: [" ".join(text.split()) for text in getattr(rows, side)] for side in sides}
    same = [
        number
        for number, row in enumerate(zip(*texts.values(), strict=True))
        if not any(map(CUT_OTHERWISE.search, row))
    ]
    return replace(rows, **texts).take(same)


def some_sentences(count: int, length: int | None = None) -> list[str]:
    """Sentences of the scored pairs; with ``length``, texts of that number of tokens or more, which are cut there."""
    train = scored_pairs().train
    sentences = list(dict.fromkeys(train.sentence1 + train.sentence2))
    if length:
        words = " ".join(sentences).split()
        starts = range(0, max(1, len(words) - length), max(1, length // 4))
        sentences = [" ".join(words[start : start + length]) for start in starts]
    return [sentences[number % len(sentences)] for number in range(count)]


def columns(objective: str) -> list[list[str]]:
    """The training sentences: two columns of pairs, or three of triplets."""
    if objective == "pairs":
        pairs = scored_pairs().train
        return [pairs.sentence1, pairs.sentence2]
    triplets = load_triplets(verbose=False).train
    triplets = triplets.take(range(min(4000, len(triplets))))
    triplets = read_alike(triplets, "anchor", "positive", "negative")
    return [triplets.anchor, triplets.positive, triplets.negative]


def texts_of(count: int = 0, length: int | None = None, objective: str = "pairs", **unused):
    """(sentences of a case, tokens that are read of each)."""
    if count:
        return some_sentences(count, length), length or MAX_LENGTH
    validation = scored_pairs().validation
    read = [*columns(objective), validation.sentence1, validation.sentence2]
    return [text for column in read for text in column], MAX_LENGTH


def preset_mark() -> str:
    """Changes with the preset's weights."""
    content = (Path(shipped(PRESET)) / "task.weights.h5").read_bytes()
    return f"{zlib.crc32(content):08x}"


def exported_folder() -> Path:
    """The preset as a Hugging Face folder, as ``prepare`` made it."""
    return work_folder() / f"hugging-face-{preset_mark()}"


def agreement_file(texts: list[str], max_length: int) -> Path:
    """Where ids and embeddings of texts are written down."""
    name = fingerprint(texts).rsplit(maxsplit=1)[-1]
    return work_folder() / f"agreed-{preset_mark()}-{name}-{max_length}.npz"


def prepare(**case) -> dict:
    """Export the preset; write down what the course makes of the sentences of a case."""
    folder = exported_folder()
    if not (folder / "tokenizer.json").exists():
        subprocess.run([sys.executable, EXPORT, str(shipped(PRESET)), folder], check=True)
    texts, max_length = texts_of(**case)
    encoder = course_encoder(max_length)
    ids = encoder.tokenize(texts)
    np.savez(
        agreement_file(texts, max_length),
        ids=np.concatenate(ids),
        lengths=[len(row) for row in ids],
        embeddings=encoder.encode(texts[:CHECKED], verbose=False),
    )
    return {"mean tokens": float(np.mean([len(row) for row in ids]))}


def require_agreement(
    texts: list[str],
    max_length: int,
    ids: list[list[int]],
    embeddings,
    tolerance: float = TOLERANCE,
) -> str:
    """Refuse to time a side that reads other tokens, or has other weights; else the mark of the ids.

    Embeddings may be None, where a side has none that are comparable.

    Raises:
        ValueError: with the first sentence that differs.
    """
    with np.load(agreement_file(texts, max_length)) as agreed:
        expected = np.split(agreed["ids"], np.cumsum(agreed["lengths"])[:-1])
        for text, row, wanted in zip(texts, ids, expected, strict=True):
            if list(row) != wanted.tolist():
                raise ValueError(
                    f"{text[:80]!r} has the ids {list(row)}; expected {wanted.tolist()}"
                )
        known = agreed["embeddings"]
    if embeddings is not None:
        error = np.linalg.norm(np.asarray(embeddings) - known) / np.linalg.norm(known)
        if not error < tolerance:
            raise ValueError(
                f"embeddings differ by {error:.2g} of their length; these are other weights"
            )
    return fingerprint([row.tolist() for row in expected])


def course_encoder(max_length: int = MAX_LENGTH, dtype: str | None = None):
    """The course's encoder with the preset's weights, in float32 or with products in bfloat16."""
    import keras

    from siamese_course.models.sentences import make_encoder

    keras.utils.set_random_seed(0)
    return make_encoder(max_length=max_length, dtype=dtype and f"mixed_{dtype}")
