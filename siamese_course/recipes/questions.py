"""Recipes for Quora's question pairs: the classic one and the course's own, each in Trax and in Keras.

============  ======================================  ================================================
              classic                                 course
============  ======================================  ================================================
words         nltk.word_tokenize, as written          lower case, no punctuation; unknown words hashed
rows          duplicates, in random batches           duplicates, one row of a group in a batch, of
                                                      similar length; some labeled differences
padding       to a power of two, part of the mean     masked
encoder       Embedding, LSTM, mean over time         weighted mean of the word vectors beside that of
                                                      the LSTM's states
loss          triplet, margin 0.25                    in-batch softmax, and logistic on labeled pairs
optimizer     Adam, 0.01, warmup and 1/sqrt decay     Adam, one cycle
beside it     nothing                                 in Keras, the course's RoBERTa, fine-tuned with the
                                                      same loss on the same pairs
============  ======================================  ================================================

Both are siamese networks with an LSTM: they embed each question once and compare embeddings by cosine. The LSTM knows
the questions it was trained on; the RoBERTa beside it knows English. A weighted mean of their cosines
uses both; its weight is fitted to the validation pairs. The classic Adam has Trax's defaults in Trax (epsilon 1e-5,
weight decay 1e-5); in Keras its epsilon is 1e-9, without weight decay.
"""

import contextlib
import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import keras
import numpy as np

from siamese_course import evaluation, losses
from siamese_course.batching import questions as batching
from siamese_course.batching import tokens
from siamese_course.batching.padding import PAD
from siamese_course.datasets import punkt
from siamese_course.datasets.question_splits import components
from siamese_course.datasets.quora import QuestionData
from siamese_course.models import questions as models
from siamese_course.models import sentences as sentence_models
from siamese_course.models.questions import QuestionEncoder
from siamese_course.models.sentences import OWN_PRESET, SentenceEncoder, make_encoder
from siamese_course.recipes.question_batches import course_batches, training_pairs
from siamese_course.recipes.sentences import MAX_STANDARDIZED, standardize
from siamese_course.runtime import settings
from siamese_course.runtime.interrupts import held_interrupts, report_stopped
from siamese_course.runtime.types import Tensor
from siamese_course.sources.question_pairs import QuestionPairs
from siamese_course.training.loop import (
    CHECKPOINTS,
    LOG_INTERVALS,
    History,
    progress_bar,
    round_steps,
    train,
)
from siamese_course.training.schedules import OneCycle, WarmupRsqrt
from siamese_course.validation import require_choice

FRAMEWORKS, RECIPES = ("trax", "keras"), ("classic", "course")
CLASSIC_LEARNING_RATE, WARMUP = 0.01, 400
COURSE_LEARNING_RATE = 4e-3
# Words of a question that the course recipe reads
COURSE_MAX_LENGTH = 24
# Ids for words that are not in the vocabulary
BUCKETS = 1000
# With fewer pairs, words are cut to stems and rare words are kept
SMALL = 20_000
# Steps of the RoBERTa for each one of the LSTM, for few pairs and for many; the RoBERTa's take longer
SENTENCE_STEPS = {"small": 0.3, "large": 0.08}
SENTENCE_BATCH, SENTENCE_LEARNING_RATE, SENTENCE_MAX_LENGTH = 128, 3e-4, 32
# Of the in-batch softmax, for few pairs and for many
TEMPERATURES = {"small": 0.1, "large": 0.2}
# Options of the course encoder for few pairs and for many; neighbors: ids for pairs of neighboring words
SHAPES = {
    "small": {"neighbors": 0, "dropout": 0.5},
    "large": {"neighbors": 99_991, "dropout": 0.2},
}


@dataclass
class Run:
    """A trained encoder and how it was trained."""

    encoder: QuestionEncoder
    history: History
    steps: int
    seconds: float
    """From questions to the trained encoder, the choice of its threshold included."""
    validation: dict[str, Any]
    """``score`` of the validation pairs, on which the threshold was chosen."""


def train_classic(
    framework: str,
    data: QuestionData,
    *,
    steps: int,
    max_pairs: int = 50_000,
    seed: int = 0,
    **options: Any,
) -> Run:
    """Train on duplicates only, with the triplet loss, and choose the threshold on the validation pairs.

    Args:
        framework: ``trax`` or ``keras``.
        data: as ``load_questions`` returns it.
        steps: optimizer steps, rounded to ``LOG_INTERVALS``.
        max_pairs: maximum duplicates to train on.
        seed: of the weights and the order.
        options: ``folder`` and ``verbose``, as ``loop.train`` takes them.

    Raises:
        ValueError: an unknown framework, no duplicates, or validation pairs of one kind only.
    """
    _require_trainable(framework, data)
    started = time.perf_counter()
    pairs = data.train.duplicates()
    if len(pairs) < 2:
        raise ValueError(
            f"data.train holds {len(pairs)} duplicates; expected two or more, one is the other's negative"
        )
    pairs = pairs.take(np.random.default_rng(seed).permutation(len(pairs))[:max_pairs])
    sentence_data = punkt.prepare()
    tokenize = tokens.word_tokenizer(sentence_data=sentence_data)
    vocabulary = tokens.build_vocabulary(pairs.question1 + pairs.question2, tokenize)
    left, right = (
        tokens.encode(side, vocabulary, tokenize) for side in (pairs.question1, pairs.question2)
    )
    batch_size = min(batching.BATCH_SIZE, len(left))
    batches = batching.classic_batches(left, right, batch_size, rng=np.random.default_rng(seed))
    fit = _classic_trax if framework == "trax" else _classic_keras
    size, steps = len(vocabulary) + 1, round_steps(steps)
    model, forward, history = fit(size, batches, steps, seed=seed, **options)
    encoder = QuestionEncoder(framework, "classic", vocabulary, model, forward, "word_tokenize")
    encoder.sentence_data = sentence_data
    return _finished(encoder, history, steps, started, data)


def train_course(
    framework: str,
    data: QuestionData,
    *,
    steps: int,
    max_pairs: int = 250_000,
    seed: int = 0,
    backbone: str | None = OWN_PRESET,
    **options: Any,
) -> Run:
    """Train on duplicates and labeled differences, and choose the threshold on the validation pairs.

    Arguments and errors as ``train_classic``; ``max_pairs`` counts pairs of both kinds. In Keras, a sentence encoder
    of ``backbone`` is trained after the LSTM, for ``SENTENCE_STEPS`` times its steps; None for the LSTM alone. If the
    LSTM's training is stopped, the encoder is that LSTM alone.
    """
    _require_trainable(framework, data)
    started = time.perf_counter()
    pairs = training_pairs(data)
    if len(pairs) > max_pairs:
        pairs = pairs.take(np.random.default_rng(seed).permutation(len(pairs))[:max_pairs])
    amount, tokenizer, min_count = (
        ("small", "stems", 1) if len(pairs) < SMALL else ("large", "simple", 2)
    )
    options |= {"temperature": TEMPERATURES[amount], "seed": seed}
    tokenize = tokens.tokenizer(tokenizer)
    questions = pairs.question1 + pairs.question2
    vocabulary = tokens.build_vocabulary(questions, tokenize, min_count=min_count)
    left, right = (
        tokens.encode(side, vocabulary, tokenize, max_length=COURSE_MAX_LENGTH, buckets=BUCKETS)
        for side in (pairs.question1, pairs.question2)
    )
    groups = components(pairs, duplicates_only=True)
    rng = np.random.default_rng(seed)
    batches = course_batches(left, right, pairs.same, groups, rng)
    fit = _course_trax if framework == "trax" else _course_keras
    size, steps = len(vocabulary) + 1 + BUCKETS, round_steps(steps)
    model, forward, history = fit(size, batches, steps, SHAPES[amount], **options)
    encoder = QuestionEncoder(
        framework, "course", vocabulary, model, forward, tokenizer, BUCKETS, COURSE_MAX_LENGTH
    )
    finished = history.steps[-1:] == [steps]
    if framework == "keras" and backbone is not None and finished:
        encoder.sentence_encoder, beside = _course_sentences(
            backbone, pairs, groups, round_steps(SENTENCE_STEPS[amount] * steps), **options
        )
        history.seconds += beside.seconds
    return _finished(encoder, history, steps, started, data)


def _require_trainable(framework: str, data: QuestionData) -> None:
    """Require a framework, duplicates to train on, and both kinds of pairs to choose a threshold on."""
    require_choice(framework, "framework", FRAMEWORKS)
    if not (data.train.same == 1).any() and not data.extra_duplicates:
        raise ValueError("data.train holds no duplicate; expected pairs with same = 1")
    if len(np.unique(data.validation.same)) < 2:
        raise ValueError(
            f"data.validation holds {len(data.validation)} pairs of one kind; "
            "expected duplicates and others, to choose the threshold on"
        )


def _finished(
    encoder: QuestionEncoder, history: History, steps: int, started: float, data: QuestionData
) -> Run:
    similarities = set_threshold(encoder, data.validation)
    seconds = time.perf_counter() - started
    return Run(encoder, history, steps, seconds, score(encoder, data.validation, similarities))


TRAINERS: dict[str, Callable[..., Run]] = {"classic": train_classic, "course": train_course}


# --- the recipes in each framework: options are the trainers' ---

Trained = tuple[Any, Callable[[np.ndarray], np.ndarray], History]
"""The model, its forward function, and the history of its training."""


def _classic_keras(
    size: int, batches: Iterator, steps: int, *, seed: int, **options: Any
) -> Trained:
    encoder = models.build_classic_encoder(size, seed=seed)
    siamese = models.build_siamese(encoder)
    schedule = WarmupRsqrt(CLASSIC_LEARNING_RATE, WARMUP)
    siamese.compile(keras.optimizers.Adam(schedule, epsilon=1e-9), losses.triplet_loss)
    with_targets = ((list(sides), np.zeros(len(sides[0]), "float32")) for sides in batches)
    history = train(siamese, with_targets, steps, name="classic", jit=False, **options)
    return encoder, models.compiled_forward(encoder), history


def _course_keras(
    size: int,
    batches: Iterator,
    steps: int,
    shape: dict[str, Any],
    *,
    temperature: float,
    seed: int,
    **options: Any,
) -> Trained:
    encoder = models.build_course_encoder(size, buckets=BUCKETS, seed=seed, **shape)
    siamese = models.build_siamese(encoder)
    optimizer = keras.optimizers.Adam(OneCycle(COURSE_LEARNING_RATE, steps), beta_2=0.99)
    siamese.compile(optimizer, partial(_course_loss, temperature=temperature))
    history = train(siamese, batches, steps, name="course", jit=False, **options)
    return encoder, models.compiled_forward(encoder), history


def _course_loss(same: Tensor, embeddings: Tensor, *, temperature: float) -> Tensor:
    softmax = losses.in_batch_softmax_loss(same, embeddings, temperature=temperature)
    return softmax + losses.labeled_pairs_loss(same, embeddings)


def _course_sentences(
    backbone: str,
    pairs: QuestionPairs,
    groups: np.ndarray,
    steps: int,
    *,
    temperature: float,
    seed: int,
    **options: Any,
) -> tuple[SentenceEncoder, History]:
    """Fine-tune a sentence encoder on the pairs, in the course recipe's batches and with its loss."""
    # The seeds of the backbone's dropout are drawn when it is built
    keras.utils.set_random_seed(seed)
    encoder = make_encoder(backbone, unit_length=True, max_length=SENTENCE_MAX_LENGTH)
    rng = np.random.default_rng(seed)
    # Twice as many as are trained on, so that their kinds and lengths suffice: tokenizing all takes longer
    drawn = rng.permutation(len(pairs))[: 2 * SENTENCE_BATCH * steps]
    pairs, groups = pairs.take(drawn), groups[drawn]
    standardize(encoder, pairs.question1[:MAX_STANDARDIZED])
    left, right = encoder.tokenize(pairs.question1), encoder.tokenize(pairs.question2)
    batches = course_batches(left, right, pairs.same, groups, rng, SENTENCE_BATCH)

    def inputs() -> Iterator:
        for sides, same in batches:
            ids = np.stack(sides, axis=1)
            yield {"token_ids": ids, "padding_mask": (ids != PAD).astype("int32")}, same

    siamese = sentence_models.build_siamese(encoder.model, 2)
    rate = OneCycle(SENTENCE_LEARNING_RATE, steps)
    loss = partial(_course_loss, temperature=temperature)
    siamese.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss)
    return encoder, train(siamese, inputs(), steps, name="sentences", jit=False, **options)


def _classic_trax(size: int, batches: Iterator, steps: int, **options: Any) -> Trained:
    from siamese_course.models import questions_trax as in_trax
    from siamese_course.runtime.trax_patch import training, trax

    encoder = in_trax.build_classic_encoder(size)
    task = training.TrainTask(
        batches,
        in_trax.triplet_loss_layer(),
        trax.optimizers.Adam(CLASSIC_LEARNING_RATE),
        trax.lr.warmup_and_rsqrt_decay(WARMUP, CLASSIC_LEARNING_RATE),
        n_steps_per_checkpoint=max(1, steps // LOG_INTERVALS),
    )
    return _run_trax("classic", encoder, encoder, task, steps, **options)


def _course_trax(
    size: int,
    batches: Iterator,
    steps: int,
    shape: dict[str, Any],
    *,
    temperature: float,
    **options: Any,
) -> Trained:
    from siamese_course.models import questions_trax as in_trax
    from siamese_course.runtime.trax_patch import training, trax

    schedule = OneCycle(COURSE_LEARNING_RATE, steps)
    task = training.TrainTask(
        ((*sides, same) for sides, same in batches),
        in_trax.course_loss_layer(temperature),
        trax.optimizers.Adam(COURSE_LEARNING_RATE, b2=0.99, weight_decay_rate=0.0),
        lambda step: float(schedule(step - 1)),
        n_steps_per_checkpoint=max(1, steps // LOG_INTERVALS),
    )
    encoder, eval_encoder = (
        in_trax.build_course_encoder(size, buckets=BUCKETS, mode=m, **shape)
        for m in ("train", "eval")
    )
    return _run_trax("course", encoder, eval_encoder, task, steps, **options)


def _run_trax(
    name: str,
    encoder: Any,
    eval_encoder: Any,
    task: Any,
    steps: int,
    *,
    seed: int,
    folder: Path | None = None,
    verbose: bool = True,
) -> Trained:
    """Run a Trax Loop to its last step, from the checkpoint in ``folder`` if there is one."""
    from siamese_course.models import questions_trax as in_trax
    from siamese_course.runtime.trax_patch import training

    # Trax records the training loss only if there is something to evaluate
    evaluation = training.EvalTask(task.labeled_data, [task.loss_layer], n_eval_batches=1)
    with contextlib.redirect_stdout(io.StringIO()):  # Trax prints reports of its own
        loop = training.Loop(
            in_trax.build_siamese(encoder),
            task,
            eval_model=in_trax.build_siamese(eval_encoder),
            eval_tasks=[evaluation],
            output_dir=None if folder is None else str(folder),
            checkpoint_at=lambda step: (
                folder is not None and step % max(1, steps // CHECKPOINTS) == 0
            ),
            random_seed=seed,
        )
    history = History()
    interval_steps = max(1, steps // LOG_INTERVALS)
    started = time.perf_counter()
    with held_interrupts() as asked, progress_bar(name, steps, loop.step, verbose) as bar:
        while loop.step < steps and not asked:
            count = interval_steps - loop.step % interval_steps
            with contextlib.redirect_stdout(io.StringIO()):
                loop.run(count)
            bar.update(count)
            history.steps.append(loop.step)
            metric = loop.history.get("train", f"metrics/{task.loss_name}")
            history.losses.append(float(metric[-1][1]))
            bar.set_postfix(loss=f"{history.losses[-1]:.3f}")
    history.seconds = time.perf_counter() - started
    if asked:
        report_stopped(loop.step, steps)
    weights = loop.model.weights[0]
    return (eval_encoder, weights), in_trax.forward_function(eval_encoder, weights), history


# --- threshold and score ---


def score(
    encoder: QuestionEncoder, pairs: QuestionPairs, similarities: np.ndarray | None = None
) -> dict[str, Any]:
    """Score an encoder on labeled pairs: n, duplicates, auc, accuracy at its threshold and at the best one.

    ``similarities`` are the encoder's for these pairs, if they are known already.
    """
    if similarities is None:
        similarities = encoder.similarity(pairs.question1, pairs.question2)
    same = pairs.same
    found = {
        "duplicates": float(same.mean()),
        "auc": evaluation.roc_auc(similarities, same),
        "accuracy": evaluation.accuracy_at(similarities, same, encoder.threshold),
        "best_accuracy": float(evaluation.accuracy_curve(similarities, same)[1].max()),
    }
    return {"n": len(pairs), **{name: round(value, 4) for name, value in found.items()}}


def run(
    framework: str,
    recipe: str,
    data: QuestionData,
    budget: str,
    *,
    longer: float = 1.0,
    seed: int = 0,
    **options: Any,
) -> tuple[Run, dict[str, Any]]:
    """Train one recipe, choose its threshold on the validation pairs, and score it.

    Args:
        recipe: ``classic`` or ``course``.
        budget: of ``settings.BUDGETS``.
        longer: multiple of the budget's steps.
        framework, data, options: as the trainers take them.

    Returns:
        (run, report): the report is what ``siamese-course train quora`` prints as JSON. Its ``seconds``
        are everything from questions to the trained encoder: tokenizing, building, compiling, training, threshold.

    Raises:
        ValueError: an unknown recipe or framework.
    """
    require_choice(recipe, "recipe", RECIPES)
    sizes = settings.quora_sizes(budget)
    steps = getattr(sizes, f"{recipe}_steps") * longer
    options |= {"max_pairs": getattr(sizes, f"{recipe}_rows"), "seed": seed}
    trained = TRAINERS[recipe](framework, data, steps=steps, **options)
    validation, test = trained.validation, score(trained.encoder, data.test)
    report = {
        "framework": framework,
        "recipe": recipe,
        "budget": budget,
        "seconds": round(trained.seconds, 2),
        "training_seconds": round(trained.history.seconds, 2),
        "steps": trained.steps,
        "auc": validation["auc"],
        "accuracy": validation["accuracy"],
        "threshold": round(trained.encoder.threshold, 4),
        "validation_pairs": validation["n"],
        "test": test,
        "data_source": data.source,
        "last_loss": round(trained.history.losses[-1], 4) if trained.history.losses else None,
        "seed": seed,
    }
    return trained, report


def set_threshold(encoder: QuestionEncoder, validation: QuestionPairs) -> np.ndarray:
    """Set the threshold of the best accuracy on validation pairs of the task's fraction of duplicates.

    A sentence encoder's weight is set first, by logistic regression on both cosines (stacking, Wolpert 1992).

    Returns:
        (n,) the similarities of the validation pairs.
    """
    sides = validation.question1, validation.question2
    if encoder.sentence_encoder is None:
        similarities = encoder.similarity(*sides)
    else:
        from sklearn.linear_model import LogisticRegression

        both = replace(encoder, sentence_encoder=None), encoder.sentence_encoder
        cosines = np.stack([part.similarity(*sides) for part in both], axis=1)
        coefficients = LogisticRegression().fit(cosines, validation.same).coef_[0]
        weights = np.maximum(coefficients, 1e-9)
        weights /= weights.sum()
        encoder.sentence_weight = float(weights[1])
        similarities = cosines @ np.asarray(weights, "float32")
    encoder.threshold = evaluation.choose_similarity_threshold(similarities, validation.same)
    return similarities


def load(folder: Path) -> QuestionEncoder:
    """Read a saved encoder, and look for the data of its tokenizer; errors as ``load_encoder``."""
    encoder = models.load_encoder(folder)
    if encoder.tokenizer == "word_tokenize" and encoder.sentence_data:
        encoder.sentence_data = punkt.prepare()
    return encoder
