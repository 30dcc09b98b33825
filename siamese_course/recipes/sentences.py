"""Sentence recipes: scored pairs and section triplets, the classic way and the course's own.

============  ======================================  ================================================
              classic                                 course
============  ======================================  ================================================
batches       of 6, in random order                   of 32, of similar length
padding       to the maximum length of the model      to the longest sentence of the batch
pairs         squared error of cosine and             squared error of cosine and score / 5
              score / 2.5 - 1
triplets      distances, margin 1                     the same
start         the backbone as it is                   each dimension standardized
optimizer     Adam, 2e-5                              Adam, one cycle to 1e-4
============  ======================================  ================================================

The classic recipe is the published one (Reimers and Gurevych 2019, as in KerasHub's example) without its
errors: cosines are computed row by row, and text is tokenized once and outside the model.
"""

import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import keras
import numpy as np

from siamese_course import losses
from siamese_course.batching.sentences import random_batches
from siamese_course.datasets.sentences import ScoredData, ScoredPairs, TripletData, Triplets
from siamese_course.evaluation import pearson, spearman, triplet_accuracy
from siamese_course.models.sentences import (
    EPSILON,
    SentenceEncoder,
    build_sentence_model,
    build_siamese,
    make_encoder,
)
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.halves import build_in_halves
from siamese_course.training.loop import LOG_INTERVALS, History, round_steps, train
from siamese_course.training.schedules import OneCycle
from siamese_course.validation import require_choice

RECIPES = ("classic", "course")
CLASSIC_BATCH, CLASSIC_LEARNING_RATE = 6, 2e-5
BATCH, LEARNING_RATE = 32, 1e-4
MAX_STANDARDIZED = 2_000
"""Sentences that a recipe standardizes an encoder by, at most."""


@dataclass
class Run:
    """A fine-tuned encoder, how it was trained, and how many rows it saw."""

    encoder: SentenceEncoder
    history: History
    rows: int


@dataclass(frozen=True)
class Team:
    """The processes that train one model together; the default is this process alone.

    Attributes:
        processes: how many there are.
        own_rows: batches -> the rows of each batch that this process trains on.
        train: (encoder, make another one like it, train an encoder) -> the training's result.
    """

    processes: int = 1
    own_rows: Callable[[Iterator], Iterator] = iter
    train: Callable[..., Run] = lambda encoder, make, train: train(encoder)


ALONE = Team()


# --- training ---


def standardize(encoder: SentenceEncoder, sentences: Sequence[str]) -> None:
    """Give each dimension of the encoder's embeddings mean 0 and the same spread, in place.

    The embeddings of a masked language model share a large common part, and a few rogue dimensions are far larger
    than the others; both hide what the other dimensions know. Scale and offset of the last layer normalization
    remove them. What is standardized is the mean of the states, whatever the encoder's pooling.

    Args:
        encoder: of a RoBERTa or BERT backbone.
        sentences: whose embeddings set mean and standard deviation.

    Source: Timkey and van Schijndel (2021), "All bark and no bite: rogue dimensions in transformer language models
    obscure representational quality", EMNLP 2021, arXiv:2109.04404.
    """
    means = replace(encoder, model=build_sentence_model(encoder.backbone))
    embeddings = means.encode(sentences, verbose=False)
    center, spread = embeddings.mean(axis=0), embeddings.std(axis=0) + EPSILON
    scale = spread.mean() / spread
    norm = encoder.backbone.transformer_layers[-1]._feedforward_layer_norm
    norm.gamma.assign(norm.gamma * scale)
    norm.beta.assign((norm.beta - center) * scale)


def train_pairs(
    recipe: str,
    encoder: SentenceEncoder,
    data: ScoredData,
    sizes: settings.SentenceSizes,
    *,
    seed: int = 0,
    **options: Any,
) -> Run:
    """Fine-tune an encoder on scored pairs.

    The course recipe is for an encoder that ``standardize`` has prepared. Its target is score / 5: unrelated
    sentences should have cosine 0, not -1.

    Args:
        recipe: ``classic`` or ``course``.
        encoder: is trained in place; for the course recipe, standardized.
        data: as ``load_scored_pairs`` returns it.
        sizes: of ``settings.SENTENCE_SIZES``.
        seed: of the order.
        options: ``team``; ``verbose`` and ``folder``, as ``loop.train`` takes them.

    Raises:
        ValueError: an unknown recipe, or scores from 0 to 1.
    """
    require_choice(recipe, "recipe", RECIPES)
    pairs, rng = data.train, np.random.default_rng(seed)
    known = [split.score for split in (pairs, data.validation, data.test) if split]
    if known and 0 < np.concatenate(known).max() <= 1:  # all of them would count as different
        raise ValueError(
            f"score goes from {pairs.score.min():g} to {pairs.score.max():g}; expected 0 to 5: "
            "multiply scores from 0 to 1 by 5"
        )
    sides = [encoder.tokenize(side) for side in (pairs.sentence1, pairs.sentence2)]
    steps: float
    if recipe == "classic":
        targets, steps = losses.scale_scores(pairs.score), sizes.classic_pair_steps
    else:
        targets, steps = pairs.score / 5, sizes.pair_epochs * (len(pairs) / BATCH)
    loss = losses.cosine_regression_loss
    return _fit(recipe, encoder, "scores", sides, targets, steps, loss, rng, **options)


def train_triplets(
    recipe: str,
    encoder: SentenceEncoder,
    data: TripletData,
    sizes: settings.SentenceSizes,
    *,
    seed: int = 0,
    **options: Any,
) -> Run:
    """Fine-tune an encoder on triplets; arguments and errors as ``train_pairs``."""
    require_choice(recipe, "recipe", RECIPES)
    rng = np.random.default_rng(seed)
    triplets = data.train.take(rng.permutation(len(data.train))[: sizes.max_triplets])
    columns = triplets.anchor, triplets.positive, triplets.negative
    sides = [encoder.tokenize(column) for column in columns]
    unused = np.zeros(len(triplets), "float32")  # Keras needs targets; a triplet has none
    steps: float = sizes.classic_triplet_steps
    if recipe == "course":
        steps = sizes.triplet_epochs * (len(triplets) / BATCH)
    loss = losses.distance_triplet_loss
    return _fit(recipe, encoder, "triplets", sides, unused, steps, loss, rng, **options)


def build_fast_siamese(encoder: keras.Model, sides: int) -> keras.Model:
    """Build the siamese model as ``build_siamese``, in the form that takes the least time."""
    return build_siamese(encoder, sides) if sides % 2 == 0 else build_in_halves(encoder, sides)


def _fit(
    recipe: str,
    encoder: SentenceEncoder,
    name: str,
    sides: list[list[list[int]]],
    targets: np.ndarray,
    steps: float,
    loss: Callable,
    rng: np.random.Generator,
    *,
    team: Team = ALONE,
    **options: Any,
) -> Run:
    """Train in the batches and at the learning rate of a recipe; options as ``loop.train`` takes them."""
    # Few rows make few steps, even in several epochs
    steps = max(LOG_INTERVALS, round_steps(steps))
    rate: float | OneCycle
    if recipe == "classic":
        size, length, rate = CLASSIC_BATCH, encoder.max_length, CLASSIC_LEARNING_RATE
    else:
        size, length, rate = BATCH, None, OneCycle(LEARNING_RATE, steps)
    batches = random_batches(sides, targets, size, rng, encoder.pad_id, length)
    siamese = build_fast_siamese(encoder.model, len(sides))
    siamese.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss)
    tokens = np.asarray(encoder.backbone.token_embedding.get_weights()[0])
    # Another pooling or backbone, or none that was pretrained, may have the same shapes
    about = f"{encoder.pooling} pooling of {zlib.crc32(tokens.tobytes()):08x}"
    history = train(
        siamese, team.own_rows(batches), steps, name=name, jit=False, about=about, **options
    )
    done = history.steps[-1] if history.steps else 0
    return Run(encoder, history, done * min(size, len(targets)))


# --- score, run ---


def score_pairs(encoder: SentenceEncoder, pairs: ScoredPairs) -> dict[str, float]:
    """Return n and the correlations of cosine and human score: pearson, spearman.

    Raises:
        CourseError: the correlations are undefined: fewer than two pairs, or equal scores for all.
    """
    found = encoder.similarity(pairs.sentence1, pairs.sentence2)
    try:
        return {
            "n": len(pairs),
            "pearson": round(pearson(found, pairs.score), 4),
            "spearman": round(spearman(found, pairs.score), 4),
        }
    except ValueError as error:
        raise CourseError(f"There is no correlation of cosine and score: {error}.") from error


def score_triplets(encoder: SentenceEncoder, triplets: Triplets) -> dict[str, float]:
    """Return n and the fraction of triplets whose positive is nearer than the negative."""
    sides = (triplets.anchor, triplets.positive, triplets.negative)
    rows = [encoder.encode(side, verbose=False) for side in sides]
    return {"n": len(triplets), "accuracy": round(triplet_accuracy(*rows), 4)}


def run_pairs(
    recipe: str,
    backbone: str,
    data: ScoredData,
    budget: str,
    *,
    pooling: str = "mean",
    **options: Any,
) -> tuple[SentenceEncoder, dict]:
    """Fine-tune a backbone on scored pairs and score it on the validation pairs, before and after.

    Args:
        recipe, data: as ``train_pairs``.
        backbone, pooling: as ``make_encoder``.
        budget: of ``settings.BUDGETS``.
        options: ``load_weights``, as ``make_encoder``, and those of ``train_pairs``.

    Returns:
        (encoder, report): the report is what ``siamese-course train stsb`` prints as JSON.

    Raises:
        ValueError: an unknown recipe or pooling.
    """
    build = partial(make_encoder, backbone, pooling, recipe == "classic")
    encoder, report = _run(
        recipe, build, train_pairs, score_pairs, data, data.train.sentence1, budget, **options
    )
    report["pooling"] = pooling
    return encoder, report


def run_triplets(
    recipe: str, backbone: str, data: TripletData, budget: str, **options: Any
) -> tuple[SentenceEncoder, dict]:
    """Fine-tune a backbone on triplets; as ``run_pairs``, with the accuracy on validation triplets."""
    build, sentences = partial(make_encoder, backbone), data.train.anchor
    return _run(recipe, build, train_triplets, score_triplets, data, sentences, budget, **options)


def _run(
    recipe: str,
    build: Callable[..., SentenceEncoder],
    train: Callable[..., Run],
    score: Callable[..., dict],
    data: Any,
    sentences: Sequence[str],
    budget: str,
    *,
    load_weights: bool = True,
    seed: int = 0,
    team: Team = ALONE,
    **options: Any,
) -> tuple[SentenceEncoder, dict]:
    """Build an encoder, score it, standardize it (course recipe only), train it, and score it again."""
    require_choice(recipe, "recipe", RECIPES)

    def make() -> SentenceEncoder:
        keras.utils.set_random_seed(seed)
        return build(load_weights=load_weights)

    encoder, sizes = make(), settings.sentence_sizes(budget)
    before = score(encoder, data.validation)
    started = time.perf_counter()
    if recipe == "course":
        standardize(encoder, sentences[:MAX_STANDARDIZED])
    options |= {"seed": seed, "team": team}
    run = team.train(encoder, make, lambda encoder: train(recipe, encoder, data, sizes, **options))
    seconds = time.perf_counter() - started
    after = score(encoder, data.validation)
    report = {
        "recipe": recipe,
        "backbone": encoder.name,
        "seconds": round(seconds, 2),
        "training_seconds": round(run.history.seconds, 2),
        "rows": run.rows,
        "pairs_per_second": round(run.rows / run.history.seconds, 1),
        **{f"{name}_before": value for name, value in before.items() if name != "n"},
        **after,
        "budget": budget,
        "data_source": data.source,
        "seed": seed,
        "pretrained": load_weights,
        "processes": team.processes,
    }
    return encoder, report
