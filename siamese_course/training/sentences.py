"""Sentence recipes: scored pairs and section triplets, the classic way and the course's own.

============  ======================================  ================================================
              classic                                 course
============  ======================================  ================================================
batches       of 6, in random order                   of 32, of similar length
padding       to the longest text there could be      to the longest of the batch
pairs         squared error of cosine and             words first, then context (pooling ``views``):
              score / 2.5 - 1                         squared error of each one's cosine and score / 5
triplets      distances, margin 1                     the same
optimizer     Adam, 2e-5                              Adam, one cycle to 3e-4, for words to 1e-3
============  ======================================  ================================================

The classic recipe is the published one (Reimers and Gurevych 2019, as in KerasHub's example) without its
mistakes: cosines row by row, text tokenised once and outside the model.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import keras
import numpy as np

from siamese_course import losses
from siamese_course.datasets.sentences import ScoredData, ScoredPairs, TripletData, Triplets
from siamese_course.evaluation import pearson, spearman, triplet_accuracy
from siamese_course.models.sentences import (
    VIEWS,
    SentenceEncoder,
    Siamese,
    make_encoder,
    pad_rows,
    padded_length,
    word_layers,
)
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError
from siamese_course.scale import parallel
from siamese_course.training.loop import STRETCHES, History, OneCycle, train, whole_stretches

RECIPES = ("classic", "course")
CLASSIC_BATCH, CLASSIC_RATE = 6, 2e-5
BATCH, RATE, WORD_RATE = 32, 3e-4, 1e-3
SHARES = np.linspace(0, 1, 21)  # of the context, to choose from
POOL = 50  # batches among which rows of similar length are put together


# --- batches ---


def random_batches(
    sides: Sequence[list[list[int]]],
    targets: np.ndarray,
    batch_size: int,
    rng: np.random.Generator,
    pad_id: int,
    length: int | None = None,
) -> Iterator:
    """Full batches without end, in random order, a row at most once in a pass.

    So many rows as do not fill a batch are left out of a pass, others each time.

    Args:
        sides: two or three lists of n lists of ids.
        targets: (n,).
        batch_size: rows in a batch, at most n.
        rng: source of the order.
        pad_id: what to pad with.
        length: pad to this; to the longest of the batch, rows of similar length together, if not given.

    Yields:
        ({token_ids, padding_mask}, targets): (batch, sides, length) each, and (batch,).
    """
    n = len(targets)
    batch_size = min(batch_size, n)
    lengths = np.max([[len(row) for row in side] for side in sides], axis=0)
    while True:
        order = rng.permutation(n)[
            : n - n % batch_size
        ]  # before long and short rows are told apart
        if length is None:
            for start in range(0, len(order), POOL * batch_size):
                pool = order[start : start + POOL * batch_size]
                order[start : start + len(pool)] = pool[np.argsort(lengths[pool], kind="stable")]
        batches = np.split(order, len(order) // batch_size)
        for number in rng.permutation(len(batches)):
            yield pad_sides(sides, batches[number], pad_id, length), targets[batches[number]]


def pad_sides(sides, rows, pad_id: int, length: int | None = None) -> dict[str, np.ndarray]:
    """Chosen rows of all sides, padded alike: {token_ids, padding_mask}, (batch, sides, length) each."""
    chosen = [side[row] for row in rows for side in sides]
    flat = pad_rows(chosen, pad_id, length or padded_length(chosen))
    return {name: ids.reshape(len(rows), len(sides), -1) for name, ids in flat.items()}


# --- training ---


@dataclass
class Run:
    """A fine-tuned encoder and how it got there, one history a stage."""

    encoder: SentenceEncoder
    histories: dict[str, History] = field(default_factory=dict)
    rows: int = 0

    @property
    def seconds(self) -> float:
        """Of training, all stages."""
        return sum(history.seconds for history in self.histories.values())


def fit(
    run: Run, name: str, batches: Iterator, batch_size: int, steps, rate, loss, verbose, model=None
) -> None:
    """One stage of fine-tuning; the history goes into the run.

    Args:
        run: what is trained.
        name: of the stage.
        batches: endless, as ``random_batches`` yields them.
        batch_size: rows in a batch.
        steps: optimizer steps, rounded to ``STRETCHES``, and at least so many.
        rate: a number, or a schedule as a function of the steps.
        loss: a function of (targets, embeddings).
        verbose: show a progress bar.
        model: the part of the encoder's model to train; all of it if not given.
    """
    steps = max(STRETCHES, whole_stretches(steps))  # a few epochs of little data are hardly any
    siamese = Siamese(model or run.encoder.model)
    rate = rate(steps) if callable(rate) else rate
    siamese.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss)
    jit = keras.backend.backend() == "jax"
    rows = parallel.own_rows(batches)
    run.histories[name] = train(siamese, rows, steps, name=name, jit=jit, verbose=verbose)
    run.rows += steps * batch_size


def _one_cycle(steps: int):
    return OneCycle(RATE, steps)


def _one_word_cycle(steps: int):
    return OneCycle(WORD_RATE, steps)


def train_pairs(
    recipe: str,
    encoder: SentenceEncoder,
    data: ScoredData,
    sizes: settings.SentenceSizes,
    *,
    seed: int = 0,
    verbose: bool = True,
) -> Run:
    """Fine-tune an encoder on scored pairs.

    The course recipe trains an encoder of pooling ``views`` in two stages, see ``_train_views``, after which
    ``choose_share`` weighs the views, and one of another pooling by ``losses.score_ranking_loss``.

    Args:
        recipe: ``classic`` or ``course``.
        encoder: is trained in place.
        data: as ``load_scored_pairs`` gives it.
        sizes: of ``settings.SENTENCE_SIZES``.
        seed: of the order.
        verbose: show progress bars.

    Raises:
        CourseError: no such recipe.
    """
    _require_recipe(recipe)
    rng = np.random.default_rng(seed)
    run = Run(encoder)
    pairs = data.train
    if recipe == "course" and encoder.pooling == VIEWS:
        _train_views(run, pairs, sizes, rng, verbose)
        return run
    sides = [encoder.tokenize(side) for side in (pairs.sentence1, pairs.sentence2)]
    if recipe == "classic":
        targets = losses.scale_scores(pairs.score)
        batches = random_batches(
            sides, targets, CLASSIC_BATCH, rng, encoder.pad_id, encoder.longest
        )
        loss, steps = losses.cosine_regression_loss, sizes.classic_pair_steps
        fit(run, "scores", batches, CLASSIC_BATCH, steps, CLASSIC_RATE, loss, verbose)
        return run
    batches = random_batches(sides, pairs.score, BATCH, rng, encoder.pad_id)
    steps = sizes.pair_epochs * len(pairs) / BATCH
    fit(run, "scores", batches, BATCH, steps, _one_cycle, losses.score_ranking_loss, verbose)
    return run


def _train_views(
    run: Run, pairs: ScoredPairs, sizes: settings.SentenceSizes, rng, verbose: bool
) -> None:
    """Fine-tune the words of an encoder of pooling ``views``, then their context.

    The token embeddings learn from the words' cosine alone, at a rate that the layers above would not stand,
    and rest while these learn. Both aim at score / 5: unrelated sentences are to have cosine 0, not -1.
    """
    encoder, model = run.encoder, run.encoder.model
    sides = [encoder.tokenize(side) for side in (pairs.sentence1, pairs.sentence2)]
    words = model.get_layer("words")
    ids = np.concatenate([row for side in sides for row in side])
    counts = np.bincount(ids, minlength=words.vocabulary_size)
    words.set_shares(counts / counts.sum())
    stages = (
        ("words", sizes.word_epochs, _one_word_cycle),
        ("context", sizes.pair_epochs, _one_cycle),
    )
    for name, epochs, rate in stages:
        view = keras.Model(model.inputs, model.get_layer(name).output)
        for layer in word_layers(encoder.backbone):
            layer.trainable = name == "words"
        batches = random_batches(sides, pairs.score / 5, BATCH, rng, encoder.pad_id)
        steps = epochs * len(pairs) / BATCH
        loss = losses.cosine_regression_loss
        fit(run, name, batches, BATCH, steps, rate, loss, verbose, view)
    for layer in word_layers(encoder.backbone):
        layer.trainable = True


def view_cosines(encoder: SentenceEncoder, pairs: ScoredPairs) -> tuple[np.ndarray, np.ndarray]:
    """The cosines of the words and those of the context, (n,) each, of an encoder of pooling ``views``."""
    share = encoder.model.get_layer("views").share
    kept, found = float(share), []
    for only in (0.0, 1.0):
        share.assign(only)
        found.append(cosines(encoder, pairs.sentence1, pairs.sentence2))
    share.assign(kept)
    return tuple(found)


def choose_share(encoder: SentenceEncoder, pairs: ScoredPairs) -> None:
    """Give an encoder of pooling ``views`` the share of the context, of ``SHARES``, with the best Spearman.

    Args:
        encoder: its share is set.
        pairs: not trained on: on those that were, the context looks better than it is.
    """
    words, context = view_cosines(encoder, pairs)
    blends = [(1 - share) * words + share * context for share in SHARES]
    best = np.argmax([spearman(blend, pairs.score) for blend in blends])
    encoder.model.get_layer("views").share.assign(SHARES[best])


def train_triplets(
    recipe: str,
    encoder: SentenceEncoder,
    data: TripletData,
    sizes: settings.SentenceSizes,
    *,
    seed: int = 0,
    verbose: bool = True,
) -> Run:
    """Fine-tune an encoder on triplets; arguments and errors as ``train_pairs``."""
    _require_recipe(recipe)
    rng = np.random.default_rng(seed)
    run = Run(encoder)
    triplets = data.train
    chosen = rng.permutation(len(triplets))[: sizes.most_triplets]
    triplets = triplets.take(chosen)
    sides = [
        encoder.tokenize(side) for side in (triplets.anchor, triplets.positive, triplets.negative)
    ]
    unused = np.zeros(len(triplets), "float32")  # Keras wants targets; a triplet is its own label
    if recipe == "classic":
        batches = random_batches(sides, unused, CLASSIC_BATCH, rng, encoder.pad_id, encoder.longest)
        steps, rate, size = sizes.classic_triplet_steps, CLASSIC_RATE, CLASSIC_BATCH
    else:
        batches = random_batches(sides, unused, BATCH, rng, encoder.pad_id)
        steps, rate, size = sizes.triplet_epochs * len(triplets) / BATCH, _one_cycle, BATCH
    fit(run, "triplets", batches, size, steps, rate, losses.distance_triplet_loss, verbose)
    return run


def _require_recipe(recipe: str) -> None:
    if recipe not in RECIPES:
        raise CourseError(f"The recipe is {recipe!r}, and must be one of {', '.join(RECIPES)}.")


# --- score, run ---


def cosines(encoder: SentenceEncoder, left: Sequence[str], right: Sequence[str]) -> np.ndarray:
    """Cosine of each pair of sentences: n strings twice -> (n,).

    Raises:
        ValueError: lists of unequal length.
    """
    if len(left) != len(right):
        raise ValueError(f"left has {len(left)} sentences and right {len(right)}; expected as many")
    rows = encoder.encode([*left, *right], verbose=False)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return np.sum(rows[: len(left)] * rows[len(left) :], axis=1)


def score_pairs(encoder: SentenceEncoder, pairs: ScoredPairs) -> dict:
    """n, and the correlations of cosine and human score: pearson, spearman.

    Raises:
        CourseError: they have none: fewer than two pairs, or the same score for all.
    """
    found = cosines(encoder, pairs.sentence1, pairs.sentence2)
    try:
        return {
            "n": len(pairs),
            "pearson": round(pearson(found, pairs.score), 4),
            "spearman": round(spearman(found, pairs.score), 4),
        }
    except ValueError as error:
        raise CourseError(f"There is no correlation of cosine and score: {error}.") from error


def score_triplets(encoder: SentenceEncoder, triplets: Triplets) -> dict:
    """n, and the share of triplets whose positive is nearer than the negative."""
    sides = (triplets.anchor, triplets.positive, triplets.negative)
    rows = [encoder.encode(side, verbose=False) for side in sides]
    return {"n": len(triplets), "accuracy": round(triplet_accuracy(*rows), 4)}


def run_pairs(
    recipe: str,
    backbone: str,
    data: ScoredData,
    budget: str,
    *,
    pooling: str | None = None,
    load_weights: bool = True,
    seed: int = 0,
    verbose: bool = True,
) -> tuple[SentenceEncoder, dict]:
    """Fine-tune a backbone on scored pairs and score it on the validation pairs, before and after.

    Args:
        recipe, data, seed, verbose: as ``train_pairs``.
        backbone, load_weights: as ``make_encoder``.
        budget: of ``settings.BUDGETS``.
        pooling: as ``make_encoder``; ``mean`` for the classic recipe and ``views`` for the course's if not given.

    Returns:
        (encoder, report): the report is what ``siamese-course train stsb`` prints as JSON; with pooling
        ``views`` the share of the context and each view's own Spearman are part of it.
    """
    pooling = pooling or (VIEWS if recipe == "course" else "mean")
    encoder, report = _run(
        recipe,
        backbone,
        {"pooling": pooling, "unit_length": recipe == "classic"},
        lambda encoder: score_pairs(encoder, data.validation),
        lambda encoder, sizes: train_pairs(
            recipe, encoder, data, sizes, seed=seed, verbose=verbose
        ),
        {
            "pooling": pooling,
            "budget": budget,
            "data_source": data.source,
            "seed": seed,
            "pretrained": load_weights,
        },
        lambda encoder: choose_share(encoder, data.validation) if pooling == VIEWS else None,
    )
    if pooling == VIEWS:
        report["share_of_context"] = round(float(encoder.model.get_layer("views").share), 2)
        for name, found in zip(
            ("words", "context"), view_cosines(encoder, data.validation), strict=True
        ):
            report[f"spearman_{name}"] = round(spearman(found, data.validation.score), 4)
    return encoder, report


def run_triplets(
    recipe: str,
    backbone: str,
    data: TripletData,
    budget: str,
    *,
    load_weights: bool = True,
    seed: int = 0,
    verbose: bool = True,
) -> tuple[SentenceEncoder, dict]:
    """Fine-tune a backbone on triplets; as ``run_pairs``, with the accuracy on validation triplets."""
    return _run(
        recipe,
        backbone,
        {},
        lambda encoder: score_triplets(encoder, data.validation),
        lambda encoder, sizes: train_triplets(
            recipe, encoder, data, sizes, seed=seed, verbose=verbose
        ),
        {"budget": budget, "data_source": data.source, "seed": seed, "pretrained": load_weights},
    )


def _run(
    recipe, backbone, options, score, fine_tune, about, finish=lambda encoder: None
) -> tuple[SentenceEncoder, dict]:
    def make():
        keras.utils.set_random_seed(about["seed"])
        return make_encoder(backbone, load_weights=about["pretrained"], **options)

    _require_recipe(recipe)
    encoder, sizes = make(), settings.sentence_sizes(about["budget"])
    before = score(encoder)
    started = time.perf_counter()
    run = parallel.train_together(encoder, make, lambda encoder: fine_tune(encoder, sizes))
    finish(encoder)
    seconds = time.perf_counter() - started
    after = score(encoder)
    report = {
        "recipe": recipe,
        "backbone": backbone,
        "seconds": round(seconds, 2),
        "training_seconds": round(run.seconds, 2),
        "rows": run.rows,
        "pairs_per_second": round(run.rows / run.seconds, 1),
        **{f"{name}_before": value for name, value in before.items() if name != "n"},
        **after,
        **about,
        "processes": parallel.processes()[1],
    }
    return encoder, report
