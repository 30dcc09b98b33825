"""Figures of notebook 03, each with its two sides in one run; the last line is JSON.

python benchmarks/sentences.py training    # pairs per second, beside padding every sentence to 512 tokens
python benchmarks/sentences.py embedding   # 10,000 sentences embedded, and the closest pairs among them
python benchmarks/sentences.py base        # one training step at the shape of RoBERTa base: seconds and memory

The sentences are those of the scored pairs: the STS benchmark where SIAMESE_COURSE_DATA has it, else the
course's own.
"""

import argparse
import json
import os
import resource
import statistics
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import keras_hub
import numpy as np

from siamese_course.data.sentences import load_scored_pairs
from siamese_course.losses import cosine_regression_loss, scale_scores
from siamese_course.models.sentence import (
    OWN_PRESET,
    SentenceEncoder,
    Siamese,
    build_sentence_model,
    load_backbone,
    make_encoder,
)
from siamese_course.recipes.sentences import CLASSIC_BATCH, random_batches
from siamese_course.search import mine_pairs

PUBLISHED_LENGTH = 512
BASE = {"num_layers": 12, "num_heads": 12, "hidden_dim": 768, "intermediate_dim": 3072}
BASE_VOCABULARY = 50_265


def encoder_of_shape(**shape) -> SentenceEncoder:
    """An encoder with random weights and the tokenizer of the course's preset: the clock does not mind."""
    backbone, tokenizer = load_backbone()
    config = {**backbone.get_config(), "max_sequence_length": PUBLISHED_LENGTH, **shape}
    backbone = keras_hub.models.RobertaBackbone.from_config(config)
    return SentenceEncoder(build_sentence_model(backbone), backbone, tokenizer, "random weights")


def stepper(encoder: SentenceEncoder, data, batch_size: int, length: int | None):
    """A function that trains so many steps, on batches of one length or of what each needs."""
    sides = [encoder.tokenize(side) for side in (data.train.sentence1, data.train.sentence2)]
    targets = scale_scores(data.train.score)
    rng = np.random.default_rng(0)
    batches = random_batches(sides, targets, batch_size, rng, encoder.pad_id, length)
    siamese = Siamese(encoder.model)
    siamese.compile(keras.optimizers.Adam(2e-5), cosine_regression_loss)

    def train(steps: int) -> None:
        for _ in range(steps):
            siamese.train_on_batch(*next(batches))

    return train


def training(data, repeats: int) -> dict:
    """Pairs per second with the same backbone and batch, padded to what a batch needs and to 512."""
    steps = {"published": 2, "ours": 30}
    trainers = {
        "published": stepper(encoder_of_shape(), data, CLASSIC_BATCH, PUBLISHED_LENGTH),
        "ours": stepper(encoder_of_shape(), data, CLASSIC_BATCH, None),
    }
    trainers["published"](2)
    trainers["ours"](200)  # until every length has been compiled
    rates = {name: [] for name in trainers}
    for _ in range(repeats):
        for name, train in trainers.items():
            started = time.perf_counter()
            train(steps[name])
            seconds = time.perf_counter() - started
            rates[name].append(steps[name] * CLASSIC_BATCH / seconds)
        print({name: round(values[-1], 1) for name, values in rates.items()})
    medians = {name: statistics.median(values) for name, values in rates.items()}
    return {
        "batch": CLASSIC_BATCH,
        **{f"{name}_pairs_per_second": round(value, 1) for name, value in medians.items()},
        "ratio": round(medians["ours"] / medians["published"], 2),
    }


def embedding(data, count: int) -> dict:
    """Seconds to embed sentences, from text, and to find the closest pairs among them, exactly."""
    parts = [part for part in (data.train, data.validation, data.test) if part]
    sentences = [s for part in parts for s in part.sentence1 + part.sentence2]
    different = len(set(sentences[:count]))
    sentences = [sentences[i % len(sentences)] for i in range(count)]
    encoder = make_encoder(OWN_PRESET)
    encoder.encode(sentences[:640], verbose=False)  # compiles
    started = time.perf_counter()
    rows = encoder.encode(sentences, verbose=False)
    embedded = time.perf_counter()
    mine_pairs(rows, top=100)
    found = time.perf_counter()
    return {
        "sentences": count,
        "different_sentences": different,
        "embedding_seconds": round(embedded - started, 2),
        "search_seconds": round(found - embedded, 2),
        "seconds": round(found - started, 2),
    }


def base(data) -> dict:
    """A training step of the classic recipe on a preset folder of RoBERTa base's shape."""
    with tempfile.TemporaryDirectory() as folder:
        made = encoder_of_shape(**BASE, vocabulary_size=BASE_VOCABULARY)
        made.backbone.save_to_preset(folder)
        made.tokenizer.save_to_preset(folder)
        del made
        encoder = make_encoder(folder)
    train = stepper(encoder, data, CLASSIC_BATCH, None)
    train(1)
    started = time.perf_counter()
    train(1)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # kilobytes, on Linux
    return {
        "parameters": encoder.backbone.count_params(),
        "batch": CLASSIC_BATCH,
        "step_seconds": round(seconds, 2),
        "peak_gigabytes": round(peak / 1e9, 2),
    }


def main() -> None:
    """Measure one of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("training", "embedding", "base"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=10_000)
    options = parser.parse_args()
    data = load_scored_pairs()
    measured = {
        "training": lambda: training(data, options.repeats),
        "embedding": lambda: embedding(data, options.sentences),
        "base": lambda: base(data),
    }[options.what]()
    print(json.dumps({"what": options.what, "backend": keras.backend.backend(), **measured}))


if __name__ == "__main__":
    main()
