"""Quora recipes: the classic one and the course's own, each in Trax and in Keras.

============  ======================================  ================================================
              classic                                 course
============  ======================================  ================================================
words         nltk.word_tokenize, as written          lower case, no punctuation; unknown words hashed
rows          duplicates, in random batches           duplicates, one row of a group in a batch, of
                                                      similar length; some labelled differences
padding       to a power of two, part of the mean     masked
encoder       Embedding, LSTM, mean over time         weighted mean of the word vectors beside that of
                                                      the LSTM's states
loss          triplet, margin 0.25                    in-batch softmax, and logistic on labelled pairs
optimizer     Adam, 0.01, warm-up and 1/sqrt decay    Adam, one cycle
============  ======================================  ================================================

Both embed a question once and compare embeddings by their cosine: siamese networks, with an LSTM inside.
"""

import contextlib
import io
import json
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from siamese_course.batching import questions as text
from siamese_course.datasets import quora
from siamese_course.evaluation import (
    accuracy_at,
    accuracy_curve,
    choose_similarity_threshold,
    roc_auc,
)
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError, DataError
from siamese_course.runtime.interrupts import held_interrupts, say_stopped
from siamese_course.training.loop import (
    STRETCHES,
    History,
    OneCycle,
    WarmupRsqrt,
    train,
    whole_stretches,
)

FRAMEWORKS, RECIPES = ("trax", "keras"), ("classic", "course")
BATCH = 256
CLASSIC_RATE, WARMUP = 0.01, 400
COURSE_RATE, TEMPERATURE = 4e-3, 0.1
DIFFERENT_SHARE = 0.35  # labelled differences in a batch of the course recipe
COURSE_LONGEST = 24  # words of a question that the course recipe reads
CHECKPOINTS = 5  # that Trax keeps on the way; each takes about a second
BUCKETS = 1000  # ids for words that are not in the vocabulary
NEIGHBOURS = 99_991  # ids for pairs of neighbouring words
SMALL = 20_000  # pairs below which words are cut to stems and rare words kept
SHAPES = {  # of the course encoder, on few pairs and on many
    "small": {"dim": 128, "neighbours": 0, "dropout": 0.5},
    "large": {"dim": 128, "neighbours": NEIGHBOURS, "dropout": 0.2},
}
TOKENIZERS = {
    "word_tokenize": text.word_tokenizer,
    "simple": lambda: text.simple_tokenizer,
    "stems": lambda: text.stem_tokenizer,
}


@dataclass
class QuestionEncoder:
    """A trained encoder with all it takes to compare typed questions.

    ``forward`` maps (n, length) ids to (n, dim) unit vectors; ``threshold`` is the cosine above which two
    questions count as duplicates.
    """

    framework: str
    recipe: str
    vocabulary: dict[str, int]
    model: object
    forward: Callable[[np.ndarray], np.ndarray]
    tokenizer: str = "simple"
    buckets: int = 0
    longest: int = text.LONGEST
    threshold: float = float("nan")

    def encode(self, questions: Sequence[str]) -> list[list[int]]:
        """Questions as lists of ids; errors as ``text.encode``."""
        return text.encode(
            questions,
            self.vocabulary,
            TOKENIZERS[self.tokenizer](),
            longest=self.longest,
            buckets=self.buckets,
        )

    def similarities(self, left: Sequence[str], right: Sequence[str]) -> np.ndarray:
        """Cosines of question pairs: n strings twice -> (n,) from -1 to 1.

        Raises:
            ValueError: lists of unequal length, or something that is not a string.
        """
        if len(left) != len(right):
            raise ValueError(
                f"left has {len(left)} questions and right {len(right)}; expected as many"
            )
        return pair_similarities(self.forward, self.encode(left), self.encode(right))

    def predict(self, question1: str, question2: str) -> bool:
        """Whether two questions count as duplicates."""
        return float(self.similarities([question1], [question2])[0]) > self.threshold


def pair_similarities(forward, left, right, batch_size: int = BATCH) -> np.ndarray:
    """Cosines of encoded pairs, batch by batch, the last short one included.

    Every batch has ``batch_size`` rows (the last is filled up and cut again), so that compiled models
    meet few shapes. Both sides are padded to one length, as in training.

    Args:
        forward: (n, length) ids -> (n, dim) unit vectors.
        left, right: n lists of ids each.
        batch_size: rows at a time.

    Returns:
        (n,) float32.
    """
    cosines = []
    for start in range(0, len(left), batch_size):
        sides = text.pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        filling = np.full((batch_size - len(sides[0]), sides[0].shape[1]), text.PAD, "int32")
        first, second = (np.asarray(forward(np.concatenate([side, filling]))) for side in sides)
        cosines.append(np.sum(first * second, axis=1)[: len(sides[0])])
    return np.concatenate(cosines) if cosines else np.zeros(0, "float32")


# --- rows and batches ---


@dataclass(frozen=True)
class Rows:
    """Encoded training rows: ``left`` and ``right`` lists of ids, ``same``, and the duplicate group."""

    left: list[list[int]]
    right: list[list[int]]
    same: np.ndarray
    groups: np.ndarray


def training_pairs(data: quora.QuestionData) -> quora.QuestionPairs:
    """All pairs to train on, the extra duplicates included; questions that differ only in case or
    punctuation get one number, so that their groups are joined."""
    question1 = data.train.question1 + [pair[0] for pair in data.extra_duplicates]
    question2 = data.train.question2 + [pair[1] for pair in data.extra_duplicates]
    number_of = {}  # and not np.unique, which would give every question the room of the longest
    numbers = np.array(
        [
            number_of.setdefault(quora.normal_form(question), len(number_of))
            for side in (question1, question2)
            for question in side
        ]
    )
    same = np.concatenate([data.train.same, np.ones(len(data.extra_duplicates), "int8")])
    return quora.QuestionPairs(question1, question2, same, *np.split(numbers, 2))


def course_rows(rows: Rows, rng: np.random.Generator, batch_size: int = BATCH) -> Iterator:
    """Batches without end, as row numbers: every duplicate once an epoch, one row of a group in a batch,
    and beside them so many labelled differences that all batches of an epoch have the same number of rows.

    Yields:
        (batch,) row numbers, the duplicates first.
    """
    duplicates, others = np.flatnonzero(rows.same == 1), np.flatnonzero(rows.same == 0)
    lengths = np.array([max(len(a), len(b)) for a, b in zip(rows.left, rows.right, strict=True)])
    others = others[np.argsort(lengths[others], kind="stable")]
    most = max(2, round(batch_size * (1 - DIFFERENT_SHARE))) if len(others) else batch_size
    while True:
        epoch = text.group_batches(
            rows.groups[duplicates], min(most, len(duplicates)), rng, lengths[duplicates]
        )
        total = min(batch_size, round(max(map(len, epoch)) / (1 - DIFFERENT_SHARE)))
        for batch in epoch:
            batch = duplicates[batch]
            if len(others):
                wanted = _others_like(lengths, batch, others, total, rng)
                batch = np.concatenate([batch, wanted])
            yield batch


def course_batches(rows: Rows, rng: np.random.Generator, batch_size: int = BATCH) -> Iterator:
    """The batches of ``course_rows``, padded alike on both sides.

    Yields:
        ([left, right], same): two (batch, length) int32 arrays and (batch,) float32.
    """
    for batch in course_rows(rows, rng, batch_size):
        longest = max(len(side[row]) for side in (rows.left, rows.right) for row in batch)
        length = -(-longest // 4) * 4
        sides = [text.pad([side[row] for row in batch], length) for side in (rows.left, rows.right)]
        yield sides, rows.same[batch].astype("float32")


def _others_like(lengths, batch, others, batch_size, rng) -> np.ndarray:
    """Differences about as long as a batch's duplicates: from a random window of those sorted by length."""
    wanted = batch_size - len(batch)
    middle = np.searchsorted(lengths[others], np.median(lengths[batch]))
    window = min(len(others), max(8 * wanted, len(others) // 4))
    start = np.clip(middle - window // 2, 0, len(others) - window)
    return rng.choice(others[start : start + window], wanted, replace=wanted > window)


# --- training ---


@dataclass
class Run:
    """A trained encoder and how it got there."""

    encoder: QuestionEncoder
    history: History
    steps: int


def train_classic(
    framework: str,
    data: quora.QuestionData,
    *,
    steps: int,
    rows: int = 50_000,
    warmup: int = WARMUP,
    batch_size: int = BATCH,
    longest: int = text.LONGEST,
    margin: float = 0.25,
    seed: int = 0,
    folder: Path | None = None,
    verbose: bool = True,
) -> Run:
    """Train on duplicates only, with the triplet loss.

    Args:
        framework: ``trax`` or ``keras``.
        data: as ``load_questions`` gives it.
        steps: optimizer steps, rounded to ``STRETCHES``.
        rows: most duplicates to read.
        warmup: steps in which the learning rate rises.
        batch_size: pairs of a batch; all of them where there are fewer.
        longest: most tokens of a question to read.
        margin: alpha of the triplet loss.
        seed: of the weights and the order.
        folder: where Trax keeps its checkpoints; training goes on from the last one there.
        verbose: show a progress bar.

    Raises:
        CourseError: no such framework.
    """
    _require_framework(framework)
    duplicates = data.train.duplicates()
    chosen = np.random.default_rng(seed).permutation(len(duplicates))[:rows]
    duplicates = duplicates.take(chosen)
    tokenize = text.word_tokenizer()
    vocabulary = text.build_vocabulary(duplicates.question1 + duplicates.question2, tokenize)
    left, right = (
        text.encode(side, vocabulary, tokenize, longest=longest)
        for side in (duplicates.question1, duplicates.question2)
    )
    batches = text.classic_batches(
        left, right, min(batch_size, len(left)), rng=np.random.default_rng(seed)
    )
    steps = whole_stretches(steps)
    fit = _classic_trax if framework == "trax" else _classic_keras
    model, forward, history = fit(
        len(vocabulary) + 1,
        batches,
        steps,
        warmup=warmup,
        margin=margin,
        seed=seed,
        folder=folder,
        verbose=verbose,
    )
    encoder = QuestionEncoder(
        framework, "classic", vocabulary, model, forward, "word_tokenize", longest=longest
    )
    return Run(encoder, history, steps)


def train_course(
    framework: str,
    data: quora.QuestionData,
    *,
    steps: int,
    rows: int = 250_000,
    batch_size: int = BATCH,
    longest: int = COURSE_LONGEST,
    seed: int = 0,
    folder: Path | None = None,
    verbose: bool = True,
) -> Run:
    """Train on duplicates and labelled differences.

    Arguments and errors as ``train_classic``; ``rows`` is the most pairs to read, of both kinds.
    """
    _require_framework(framework)
    pairs = training_pairs(data)
    if len(pairs) > rows:
        pairs = pairs.take(np.random.default_rng(seed).permutation(len(pairs))[:rows])
    tokenizer, least, shape = (
        ("stems", 1, SHAPES["small"]) if len(pairs) < SMALL else ("simple", 2, SHAPES["large"])
    )
    tokenize = TOKENIZERS[tokenizer]()
    vocabulary = text.build_vocabulary(pairs.question1 + pairs.question2, tokenize, least=least)
    options = {"longest": longest, "buckets": BUCKETS}
    left, right = (
        text.encode(side, vocabulary, tokenize, **options)
        for side in (pairs.question1, pairs.question2)
    )
    rows = Rows(left, right, pairs.same, quora.components(pairs, duplicates_only=True))
    batches = course_batches(rows, np.random.default_rng(seed), batch_size)
    steps = whole_stretches(steps)
    fit = _course_trax if framework == "trax" else _course_keras
    model, forward, history = fit(
        len(vocabulary) + 1 + BUCKETS,
        batches,
        steps,
        shape=shape,
        seed=seed,
        folder=folder,
        verbose=verbose,
    )
    encoder = QuestionEncoder(framework, "course", vocabulary, model, forward, tokenizer, **options)
    return Run(encoder, history, steps)


TRAINERS = {"classic": train_classic, "course": train_course}


def _classic_keras(size, batches, steps, *, warmup, margin, seed, folder, verbose):
    import keras

    from siamese_course.losses import triplet_loss
    from siamese_course.models.questions import build_classic_encoder, build_siamese

    encoder = build_classic_encoder(size, seed=seed)
    siamese = build_siamese(encoder)
    siamese.compile(
        keras.optimizers.Adam(WarmupRsqrt(CLASSIC_RATE, warmup), epsilon=1e-9),
        partial(triplet_loss, margin=margin),
    )
    labelled = ((list(sides), np.zeros(len(sides[0]), "float32")) for sides in batches)
    history = train(siamese, labelled, steps, name="classic", jit=False, verbose=verbose)
    return encoder, _keras_forward(encoder), history


def _course_keras(size, batches, steps, *, shape, seed, folder, verbose):
    import keras

    from siamese_course import losses
    from siamese_course.models.questions import build_course_encoder, build_siamese

    encoder = build_course_encoder(size, units=shape["dim"], buckets=BUCKETS, seed=seed, **shape)
    siamese = build_siamese(encoder)

    def loss(same, embeddings):
        return losses.in_batch_softmax_loss(
            same, embeddings, temperature=TEMPERATURE
        ) + losses.labeled_pairs_loss(same, embeddings)

    siamese.compile(keras.optimizers.Adam(OneCycle(COURSE_RATE, steps), beta_2=0.99), loss)
    history = train(siamese, batches, steps, name="course", jit=False, verbose=verbose)
    return encoder, _keras_forward(encoder), history


def _keras_forward(encoder):
    encoder.jit_compile = False  # or XLA compiles anew for every length
    return encoder.predict_on_batch  # compiled; called plainly, the LSTM runs step by step


def _classic_trax(size, batches, steps, *, warmup, margin, seed, folder, verbose):
    from siamese_course.models import questions_trax as models
    from siamese_course.models.trax_patch import training, trax

    encoder = models.build_classic_encoder(size)
    task = training.TrainTask(
        batches,
        models.triplet_loss_layer(margin),
        trax.optimizers.Adam(CLASSIC_RATE),
        trax.lr.warmup_and_rsqrt_decay(warmup, CLASSIC_RATE),
        n_steps_per_checkpoint=max(1, steps // STRETCHES),
    )
    return _run_trax(encoder, encoder, task, steps, seed, folder, "classic", verbose)


def _course_trax(size, batches, steps, *, shape, seed, folder, verbose):
    from siamese_course.models import questions_trax as models
    from siamese_course.models.trax_patch import training, trax

    schedule = OneCycle(COURSE_RATE, steps)
    task = training.TrainTask(
        ((*sides, same) for sides, same in batches),
        models.course_loss_layer(TEMPERATURE),
        trax.optimizers.Adam(COURSE_RATE, b2=0.99, weight_decay_rate=0.0),
        lambda step: float(schedule(step - 1)),
        n_steps_per_checkpoint=max(1, steps // STRETCHES),
    )
    encoder, eval_encoder = (
        models.build_course_encoder(size, buckets=BUCKETS, mode=m, **shape)
        for m in ("train", "eval")
    )
    return _run_trax(encoder, eval_encoder, task, steps, seed, folder, "course", verbose)


def _run_trax(encoder, eval_encoder, task, steps, seed, folder, name, verbose):
    """Run a Trax Loop to its last step, from the checkpoint in ``folder`` if there is one."""
    from siamese_course.models import questions_trax as models
    from siamese_course.models.trax_patch import training

    # Trax keeps the history of the training loss only where there is something to evaluate
    evaluation = training.EvalTask(task.labeled_data, [task.loss_layer], n_eval_batches=1)
    with contextlib.redirect_stdout(io.StringIO()):  # Trax prints reports of its own
        loop = training.Loop(
            models.build_siamese(encoder),
            task,
            eval_model=models.build_siamese(eval_encoder),
            eval_tasks=[evaluation],
            output_dir=None if folder is None else str(folder),
            checkpoint_at=lambda step: folder is not None and step % (steps // CHECKPOINTS) == 0,
            random_seed=seed,
        )
    history = History()
    stretch = max(1, steps // STRETCHES)
    started = time.perf_counter()
    with (
        held_interrupts() as asked,
        tqdm(
            total=steps,
            initial=loop.step,
            desc=name,
            unit="step",
            file=sys.stdout,
            disable=not verbose,
        ) as bar,
    ):
        while loop.step < steps and not asked:
            count = stretch - loop.step % stretch
            with contextlib.redirect_stdout(io.StringIO()):
                loop.run(count)
            bar.update(count)
            history.steps.append(loop.step)
            history.losses.append(
                float(loop.history.get("train", f"metrics/{task.loss_name}")[-1][1])
            )
            bar.set_postfix(loss=f"{history.losses[-1]:.3f}")
    history.seconds = time.perf_counter() - started
    if asked:
        say_stopped(loop.step, steps)
    weights = loop.model.weights[0]
    return (eval_encoder, weights), models.forward_function(eval_encoder, weights), history


def _require_framework(framework: str) -> None:
    if framework not in FRAMEWORKS:
        raise CourseError(f"The framework is {framework!r}, and must be one of {FRAMEWORKS}.")


# --- score, save, load ---


def score(encoder: QuestionEncoder, pairs: quora.QuestionPairs) -> dict:
    """How well an encoder tells duplicates: n, auc, accuracy at its threshold, and at the best one."""
    similarities = encoder.similarities(pairs.question1, pairs.question2)
    return {
        "n": len(pairs),
        "duplicates": round(float(pairs.same.mean()), 4),
        "auc": round(roc_auc(similarities, pairs.same), 4),
        "accuracy": round(accuracy_at(similarities, pairs.same, encoder.threshold), 4),
        "best_accuracy": round(float(accuracy_curve(similarities, pairs.same)[1].max()), 4),
    }


def run(
    framework: str,
    recipe: str,
    data: quora.QuestionData,
    budget: str,
    *,
    longer: float = 1.0,
    seed: int = 0,
    folder: Path | None = None,
    verbose: bool = True,
) -> tuple[Run, dict]:
    """Train one recipe, choose its threshold on the validation pairs, and score it.

    Args:
        framework, recipe, data, seed, folder, verbose: as the trainers take them.
        budget: of ``settings.QUORA_SIZES``.
        longer: times the budget's number of steps.

    Returns:
        (run, report): the report is what ``siamese-course train quora`` prints as JSON. ``seconds`` is all
        from plain questions to the trained encoder: tokenizing, building, compiling, training.
    """
    if recipe not in RECIPES:
        raise CourseError(f"The recipe is {recipe!r}, and must be one of {RECIPES}.")
    sizes = settings.quora_sizes(budget)
    steps = getattr(sizes, f"{recipe}_steps") * longer
    rows = getattr(sizes, f"{recipe}_rows")
    started = time.perf_counter()
    trained = TRAINERS[recipe](
        framework, data, steps=steps, rows=rows, seed=seed, folder=folder, verbose=verbose
    )
    seconds = time.perf_counter() - started
    set_threshold(trained.encoder, data.validation)
    validation, test = (score(trained.encoder, pairs) for pairs in (data.validation, data.test))
    report = {
        "framework": framework,
        "recipe": recipe,
        "budget": budget,
        "seconds": round(seconds, 2),
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


def set_threshold(encoder: QuestionEncoder, validation: quora.QuestionPairs) -> None:
    """Choose the threshold of the best accuracy on validation pairs of the task's share of duplicates."""
    similarities = encoder.similarities(validation.question1, validation.question2)
    encoder.threshold = choose_similarity_threshold(similarities, validation.same)


PLAIN = ("framework", "recipe", "tokenizer", "buckets", "longest", "threshold")


def save(encoder: QuestionEncoder, folder: Path) -> None:
    """Write an encoder into a folder: weights, vocabulary and settings; no pickle among them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "encoder.json").write_text(
        json.dumps({name: getattr(encoder, name) for name in PLAIN}, indent=1) + "\n"
    )
    words = json.dumps(encoder.vocabulary, ensure_ascii=False)
    (folder / "vocabulary.json").write_text(words, encoding="utf-8")
    if encoder.framework == "keras":
        encoder.model.save(folder / "encoder.keras")
    else:
        from siamese_course.models.questions_trax import leaves

        np.savez(folder / "weights.npz", *leaves(encoder.model[1]))


def load(folder: Path) -> QuestionEncoder:
    """Read an encoder that ``save`` wrote.

    Raises:
        CourseError: the folder holds none, or it is damaged.
    """
    try:
        plain = json.loads((folder / "encoder.json").read_text())
        vocabulary = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
        restore = _restore_keras if plain["framework"] == "keras" else _restore_trax
        model, forward = restore(folder, plain["recipe"], len(vocabulary) + 1 + plain["buckets"])
        return QuestionEncoder(vocabulary=vocabulary, model=model, forward=forward, **plain)
    except (OSError, ValueError, LookupError, TypeError, zipfile.BadZipFile) as error:
        raise CourseError(
            f"{folder} holds no question encoder ({error}). Make one: siamese-course train quora --out {folder}"
        ) from error


def _restore_keras(folder, recipe, size):
    import keras

    import siamese_course.models.questions  # noqa: F401 - registers its layers

    model = keras.saving.load_model(folder / "encoder.keras", compile=False)
    return model, _keras_forward(model)


def _restore_trax(folder, recipe, size):
    from siamese_course.models import questions_trax as models

    with np.load(folder / "weights.npz") as stored:
        arrays = list(stored.values())
    if recipe == "classic":
        model = models.build_classic_encoder(size)
    else:
        neighbours = len(arrays[1]) if len(arrays) == 5 else 0
        dim = arrays[0].shape[1]
        model = models.build_course_encoder(size, dim, neighbours=neighbours, mode="eval")
    weights = models.with_leaves(model, arrays)
    return (model, weights), models.forward_function(model, weights)


def read_labelled_pairs(path: Path) -> quora.QuestionPairs:
    """Read a tab-separated file with the columns question1, question2, is_duplicate (others may be there).

    Raises:
        DataError: the file or a column is missing, a label is not 0 or 1, or all are the same.
    """
    import pandas as pd

    try:
        table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, index_col=False)
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as a tab-separated file: {error}") from error
    missing = {"question1", "question2", "is_duplicate"} - set(table.columns)
    if missing:
        raise DataError(
            f"{path} lacks the columns {sorted(missing)}; it has {list(table.columns)}."
        )
    labels = table["is_duplicate"].str.strip()
    wrong = np.flatnonzero(~labels.isin(["0", "1"]))
    if len(wrong):
        raise DataError(
            f"{path}, row {wrong[0] + 1}: is_duplicate is {labels[wrong[0]]!r}; expected 0 or 1."
        )
    if labels.nunique() < 2:
        raise DataError(
            f"{path} holds {len(labels)} pairs, {(labels == '1').sum()} of them duplicates; "
            "expected duplicates and others, to tell one from the other."
        )
    numbers = np.arange(2 * len(table))
    question1, question2 = ([quora.clean(q) for q in table[c]] for c in ("question1", "question2"))
    same = labels.astype("int8").to_numpy()
    return quora.QuestionPairs(question1, question2, same, *np.split(numbers, 2))
