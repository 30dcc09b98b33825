"""Sentences: training and encoding beside the published pipeline and sentence-transformers.

Before anything is timed, the sides must agree: see agreement.py.
"""

import os
import statistics
import tempfile
import time
from dataclasses import replace
from itertools import islice

import numpy as np

from benchmarks.agreement import (
    CHECKED,
    TOLERANCE,
    columns,
    course_encoder,
    exported_folder,
    require_agreement,
    scored_pairs,
    texts_of,
)
from siamese_course.runtime.startup import halve_cores

WARM_UP = 20  # steps before those that are timed
PUBLISHED_LENGTH, PUBLISHED_BATCH, PUBLISHED_RATE = 512, 6, 2e-5
# The course recipe's batch. Of the three rates tried in sentence_spearman the peer's best, on the preset's weights
# before any distillation; the course recipe's is 1e-4
RATE, BATCH = 3e-4, 32
BFLOAT16_TOLERANCE = 0.02  # where one of them computes in bfloat16, with steps of 2**-8


# --- the sides ---


def agreed_course(dtype: str | None = None, **case):
    """(encoder, mark of the ids) of a case."""
    texts, max_length = texts_of(**case)
    encoder = course_encoder(max_length, dtype)
    embeddings = encoder.encode(texts[:CHECKED], verbose=False)
    ids, tolerance = encoder.tokenize(texts), BFLOAT16_TOLERANCE if dtype else TOLERANCE
    return encoder, require_agreement(texts, max_length, ids, embeddings, tolerance)


def agreed_peer(bfloat16: bool = False, **case):
    """(sentence-transformers model, mark of the ids) of a case; the model in float32, or in bfloat16."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    torch.manual_seed(0)
    texts, max_length = texts_of(**case)
    transformer = Transformer(str(exported_folder()), max_seq_length=max_length)
    pooling = Pooling(transformer.get_embedding_dimension(), "mean")
    model = SentenceTransformer(modules=[transformer, pooling], device="cpu")
    if bfloat16:
        model.to(torch.bfloat16)
    ids = [
        row
        for start in range(0, len(texts), 1024)
        for row in real_ids(model.preprocess(texts[start : start + 1024]))
    ]
    embeddings = model.encode(texts[:CHECKED], show_progress_bar=False)
    tolerance = BFLOAT16_TOLERANCE if bfloat16 else TOLERANCE
    return model, require_agreement(texts, max_length, ids, embeddings, tolerance)


def real_ids(features) -> list[list[int]]:
    """Rows of ids without padding."""
    ids, masks = features["input_ids"], features["attention_mask"]
    return [row[mask > 0].tolist() for row, mask in zip(ids, masks, strict=True)]


# --- encoding ---


def encode_rate(encode, texts: list[str], mark: str) -> dict:
    """Median over three passes, from text to embeddings, after one that compiles.

    And how well the embeddings follow the human scores, before any fine-tuning: bfloat16 may cost something.
    """
    encode(texts)
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        encode(texts)
        seconds.append(time.perf_counter() - started)
    rate = len(texts) / statistics.median(seconds)
    return {"sentences/s": rate, "Spearman": spearman_of(encode), "data": mark}


def course_encoding(batch: int, count: int, length: int | None = None) -> dict:
    """``SentenceEncoder.encode``."""
    halve_cores()
    encoder, mark = agreed_course(count=count, length=length)
    texts, _ = texts_of(count, length)
    return encode_rate(lambda texts: encoder.encode(texts, batch, verbose=False), texts, mark)


def openvino_encoding(batch: int, count: int, length: int | None = None) -> dict:
    """The same on OpenVINO in bfloat16."""
    from siamese_course.scale.openvino import on_openvino

    texts, max_length = texts_of(count, length)
    encoder = on_openvino(course_encoder(max_length), "bf16")
    checked = encoder.encode(texts[:CHECKED], verbose=False)
    ids = encoder.tokenize(texts)
    mark = require_agreement(texts, max_length, ids, checked, BFLOAT16_TOLERANCE)
    return encode_rate(lambda texts: encoder.encode(texts, batch, verbose=False), texts, mark)


def peer_encoding(batch: int, count: int, length: int | None = None) -> dict:
    """``SentenceTransformer.encode``."""
    model, mark = agreed_peer(count=count, length=length)
    return encode_rate(peer_encode(model, batch), texts_of(count, length)[0], mark)


def peer_bfloat16_encoding(batch: int, count: int, length: int | None = None) -> dict:
    """The same in bfloat16."""
    model, mark = agreed_peer(bfloat16=True, count=count, length=length)
    return encode_rate(peer_encode(model, batch), texts_of(count, length)[0], mark)


def peer_encode(model, batch: int):
    """Texts to embeddings."""
    return lambda texts: model.encode(texts, batch_size=batch, show_progress_bar=False)


# --- training: rows a second ---


def steps_of_a_pass(objective: str, batch: int) -> int:
    """Timed are whole passes: some batches are of long sentences, and a few of them would be a matter of luck."""
    from siamese_course.training.loop import round_steps

    return round_steps(len(columns(objective)[0]) / batch)


def rows_a_second(objective: str, rows: int, seconds: float, mark: str) -> dict:
    """The rate after the warm-up."""
    return {f"{objective}/s": rows / seconds, "data": mark}


def course_training(
    objective: str, batch: int, steps: int | None = None, dtype: str | None = None
) -> dict:
    """As the course's recipes, on the loss that the peer has too; a whole pass, if it is not said how many steps."""
    halve_cores()
    import keras

    from siamese_course import losses
    from siamese_course.batching.sentences import random_batches
    from siamese_course.recipes.sentences import build_fast_siamese
    from siamese_course.training.loop import train

    encoder, mark = agreed_course(dtype, objective=objective)
    steps = steps or steps_of_a_pass(objective, batch)
    started = time.perf_counter()  # the peer tokenizes step by step, so this counts, too
    sides = [encoder.tokenize(column) for column in columns(objective)]
    tokenizing = (time.perf_counter() - started) * steps * batch / len(sides[0])
    targets = targets_of(objective, len(sides[0]))
    siamese = build_fast_siamese(encoder.model, len(sides))
    loss = {
        "pairs": losses.cosine_regression_loss,
        "triplets": losses.distance_triplet_loss,
    }[objective]
    siamese.compile(keras.optimizers.Adam(RATE, clipnorm=1.0), loss)
    for seed, count in enumerate((WARM_UP, steps)):
        rng = np.random.default_rng(seed)
        batches = random_batches(sides, targets, batch, rng, encoder.pad_id)
        started = time.perf_counter()
        train(siamese, batches, count, verbose=False, jit=False)
        seconds = time.perf_counter() - started
    return rows_a_second(objective, batch * steps, seconds + tokenizing, mark)


def targets_of(objective: str, count: int) -> np.ndarray:
    """Scores from -1 to 1, or zeros for triplets, which need none."""
    if objective == "triplets":
        return np.zeros(count, "float32")
    return np.asarray(scored_pairs().train.score / 2.5 - 1, "float32")


def published_training(objective: str, batch: int, steps: int | None = None) -> dict:
    """The published pipeline: 512 tokens whatever the sentence, every left with every right side.

    All its steps are alike, so there are only a few.
    """
    mark = agreed_published(objective=objective)
    moments = []
    train_published(batch, 1 + (steps or 8), lambda: moments.append(time.perf_counter()))
    rows = batch * (len(moments) - 2)
    return rows_a_second(objective, rows, moments[-1] - moments[1], mark)


def agreed_published(**case) -> str:
    """The mark of the ids; they are padded to 512 as they are trained on."""
    texts, max_length = texts_of(**case)
    features, ids = published_features(course_encoder()), []
    for start in range(0, len(texts), 1024):
        made = features(texts[start : start + 1024])
        made = {"input_ids": made["token_ids"], "attention_mask": made["padding_mask"]}
        ids += [row[:max_length] for row in real_ids({k: np.asarray(v) for k, v in made.items()})]
    return require_agreement(texts, max_length, ids, None)


def published_features(encoder):
    """Sentences to {token_ids, padding_mask}, of 512 tokens each."""
    import keras_hub

    tokenizer = encoder.tokenizer
    packer = keras_hub.layers.StartEndPacker(
        PUBLISHED_LENGTH,
        start_value=tokenizer.start_token_id,
        end_value=tokenizer.end_token_id,
        pad_value=tokenizer.pad_token_id,
    )

    def features(sentences):
        ids = packer(tokenizer(sentences))
        return {"token_ids": ids, "padding_mask": ids != tokenizer.pad_token_id}

    return features


def train_published(batch: int, steps: int, on_step=lambda: None):
    """Train the published way; returns (sentence model, sentences to what it takes, seconds)."""
    import keras
    import tensorflow as tf
    from keras import layers, ops

    keras.utils.set_random_seed(0)
    encoder = course_encoder()
    backbone = stretched(encoder.backbone, PUBLISHED_LENGTH)
    features = published_features(encoder)
    train = scored_pairs().train
    rows = train.sentence1, train.sentence2, targets_of("pairs", len(train))[:, None]
    batches = (
        tf.data.Dataset.from_tensor_slices(rows)
        .shuffle(len(train), seed=0)
        .repeat()
        .batch(batch)
        .map(lambda left, right, score: ((features(left), features(right)), score))
        .prefetch(tf.data.AUTOTUNE)
        .take(steps)
    )

    def inputs():
        return {
            name: keras.Input((PUBLISHED_LENGTH,), dtype=dtype)
            for name, dtype in (("token_ids", "int32"), ("padding_mask", "bool"))
        }

    one = inputs()
    pooled = layers.GlobalAveragePooling1D()(backbone(one), mask=one["padding_mask"])
    sentence = keras.Model(one, layers.UnitNormalization(axis=1)(pooled))
    left, right = inputs(), inputs()
    every_with_every = ops.matmul(sentence(left), ops.transpose(sentence(right)))
    model = keras.Model(
        [left, right], every_with_every
    )  # (batch, batch), against (batch, 1) targets
    model.compile(keras.optimizers.Adam(PUBLISHED_RATE), keras.losses.MeanSquaredError())
    callback = keras.callbacks.LambdaCallback(on_train_batch_end=lambda number, logs: on_step())
    started = time.perf_counter()
    model.fit(batches, steps_per_epoch=steps, callbacks=[callback], verbose=0)
    return sentence, features, time.perf_counter() - started


def stretched(backbone, length: int):
    """The backbone with its weights and room for longer texts; positions it does not know are random."""
    import keras_hub

    config = {**backbone.get_config(), "max_sequence_length": length, "dtype": "float32"}
    longer = keras_hub.models.RobertaBackbone.from_config(config)
    weights = []
    for old, new in zip(backbone.get_weights(), longer.get_weights(), strict=True):
        weights.append(old if old.shape == new.shape else np.concatenate([old, new[len(old) :]]))
    longer.set_weights(weights)
    return longer


def peer_training(
    objective: str, batch: int, steps: int | None = None, dtype: str | None = None
) -> dict:
    """The trainer of sentence-transformers, with CosineSimilarityLoss or TripletLoss; so many steps as the course's."""
    model, mark = agreed_peer(objective=objective)
    steps, moments = steps or steps_of_a_pass(objective, batch), []
    train_peer(
        model,
        objective,
        batch,
        WARM_UP + steps,
        lambda: moments.append(time.perf_counter()),
        dtype=dtype,
    )
    seconds = moments[-1] - moments[WARM_UP - 1]
    return rows_a_second(objective, batch * steps, seconds, mark)


def train_peer(
    model,
    objective: str,
    batch: int,
    steps: int,
    on_step=lambda: None,
    rate: float = RATE,
    dtype: str | None = None,
) -> float:
    """Train as its documentation shows, in bfloat16 with ``bf16``; returns seconds."""
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer import losses
    from transformers import TrainerCallback

    class Clock(TrainerCallback):
        def on_step_end(self, *unused, **more):
            on_step()

    names = ("anchor", "positive", "negative")
    table = dict(zip(names, columns(objective), strict=False))
    if objective == "pairs":
        # From 0 to 1, as its documentation has them
        table["score"] = [score / 5 for score in scored_pairs().train.score]
        loss = losses.CosineSimilarityLoss(model)
    else:
        euclidean = losses.TripletDistanceMetric.EUCLIDEAN
        loss = losses.TripletLoss(model, euclidean, triplet_margin=1.0)
    with tempfile.TemporaryDirectory() as folder:
        arguments = SentenceTransformerTrainingArguments(
            output_dir=folder,
            max_steps=steps,
            per_device_train_batch_size=batch,
            learning_rate=rate,
            warmup_steps=steps // 10,
            use_cpu=True,
            bf16=dtype == "bfloat16",
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            seed=0,
        )
        trainer = SentenceTransformerTrainer(
            model=model,
            args=arguments,
            train_dataset=Dataset.from_dict(table),
            loss=loss,
            callbacks=[Clock()],
        )
        started = time.perf_counter()
        trainer.train()
        return time.perf_counter() - started


# --- the same steps on each backend of Keras ---


def tensorflow_steps(batch: int, steps: int | None = None) -> dict:
    """As ``course_training``."""
    halve_cores()
    return steps_on("tensorflow", batch, steps, 1)


def jax_steps(batch: int, steps: int | None = None) -> dict:
    """On JAX, which compiles once for each length: padded to multiples of 16, so that there are few."""
    return steps_on("jax", batch, steps, 16)


def torch_steps(batch: int, steps: int | None = None) -> dict:
    """On PyTorch, without its compiler, which had not finished the first length after several minutes."""
    return steps_on("torch", batch, steps, 1)


def steps_on(backend: str, batch: int, steps: int | None, multiple: int) -> dict:
    """Pairs a second of a whole pass, after a step of every length, for which a backend may compile."""
    os.environ["KERAS_BACKEND"] = backend
    import keras

    from siamese_course import losses
    from siamese_course.batching.sentences import random_batches
    from siamese_course.models.sentences import build_siamese
    from siamese_course.runtime.fused_adam import fuse

    if keras.backend.backend() != backend:
        raise RuntimeError(f"Keras was imported before {backend} could be chosen")
    texts, max_length = texts_of(objective="pairs")
    encoder = course_encoder()
    mark = require_agreement(texts, max_length, encoder.tokenize(texts), None)
    sides = [encoder.tokenize(column) for column in columns("pairs")]
    targets = targets_of("pairs", len(sides[0]))
    siamese = build_siamese(encoder.model, 2)
    siamese.compile(keras.optimizers.Adam(RATE, clipnorm=1.0), losses.cosine_regression_loss)
    fuse(siamese.optimizer)

    def padded(inputs, targets):
        more = -inputs["token_ids"].shape[-1] % multiple
        widths = [(0, 0), (0, 0), (0, more)]
        fillings = {"token_ids": encoder.pad_id, "padding_mask": 0}
        made = {n: np.pad(x, widths, constant_values=fillings[n]) for n, x in inputs.items()}
        return made, targets

    batches = random_batches(sides, targets, batch, np.random.default_rng(1), encoder.pad_id)
    rows = [padded(*b) for b in islice(batches, steps or steps_of_a_pass("pairs", batch))]
    lengths = {inputs["token_ids"].shape[-1]: (inputs, targets) for inputs, targets in rows}
    moments = [time.perf_counter()]
    for some in (lengths.values(), rows):
        for inputs, targets in some:
            siamese.train_on_batch(inputs, targets)
        moments.append(time.perf_counter())
    return {
        "pairs/s": batch * len(rows) / (moments[2] - moments[1]),
        "seconds for a step of every length": moments[1] - moments[0],
        "lengths": len(lengths),
        "data": mark,
    }


# --- the first steps: what a learner waits for ---


def course_first_steps(batch: int, steps: int) -> dict:
    """The training loop of the notebooks, on batches padded to their own lengths."""
    halve_cores()
    import keras

    from siamese_course import losses
    from siamese_course.batching.sentences import random_batches
    from siamese_course.models.sentences import build_siamese
    from siamese_course.training.loop import train
    from siamese_course.training.schedules import OneCycle

    encoder, mark = agreed_course()
    started = time.perf_counter()
    left, right = columns("pairs")
    chosen = np.random.default_rng(0).permutation(len(left))[: batch * steps]
    sides = [encoder.tokenize([column[i] for i in chosen]) for column in (left, right)]
    targets = targets_of("pairs", len(left))[chosen]
    rows = random_batches(sides, targets, batch, np.random.default_rng(0), encoder.pad_id)
    siamese = build_siamese(encoder.model, 2)
    optimizer = keras.optimizers.Adam(OneCycle(RATE, steps), clipnorm=1.0)
    siamese.compile(optimizer, losses.cosine_regression_loss)
    train(siamese, rows, steps, verbose=False, jit=False)
    return {"ms a step": 1000 * (time.perf_counter() - started) / steps, "data": mark}


def peer_first_steps(batch: int, steps: int) -> dict:
    """The trainer of sentence-transformers."""
    model, mark = agreed_peer()
    started = time.perf_counter()
    train_peer(model, "pairs", batch, steps)
    return {"ms a step": 1000 * (time.perf_counter() - started) / steps, "data": mark}


# --- Spearman against seconds ---


def course_spearman(pairs: int, dtype: str | None = None) -> dict:
    """The course recipe, its standardizing included."""
    halve_cores()
    from siamese_course.recipes import sentences as recipes
    from siamese_course.runtime import settings

    encoder, mark = agreed_course(dtype)
    data = scored_pairs()
    epochs = pairs / len(data.train)
    sizes = replace(settings.sentence_sizes("full"), pair_epochs=epochs)
    started = time.perf_counter()
    recipes.standardize(encoder, data.train.sentence1[: recipes.MAX_STANDARDIZED])
    run = recipes.train_pairs("course", encoder, data, sizes, verbose=False)
    seconds = time.perf_counter() - started
    found = recipes.score_pairs(encoder, data.validation)["spearman"]
    return {"seconds": seconds, "Spearman": found, "rows": run.rows, "data": mark}


def published_spearman(pairs: int) -> dict:
    """The published pipeline in its own setting: batches of 6, Adam 2e-5."""
    mark = agreed_published()
    steps = max(1, pairs // PUBLISHED_BATCH)
    sentence, features, seconds = train_published(PUBLISHED_BATCH, steps)

    def encode(texts):
        parts = [texts[start : start + 16] for start in range(0, len(texts), 16)]
        return np.concatenate([np.asarray(sentence(features(part))) for part in parts])

    rows = steps * PUBLISHED_BATCH
    return {"seconds": seconds, "Spearman": spearman_of(encode), "rows": rows, "data": mark}


def peer_spearman(pairs: int, rate: float = RATE, dtype: str | None = None) -> dict:
    """sentence-transformers with CosineSimilarityLoss, at the course's batch."""
    model, mark = agreed_peer()
    steps = max(1, round(pairs / BATCH))
    seconds = train_peer(model, "pairs", BATCH, steps, rate=rate, dtype=dtype)
    found = spearman_of(lambda texts: model.encode(texts, show_progress_bar=False))
    return {"seconds": seconds, "Spearman": found, "rows": steps * BATCH, "data": mark}


def spearman_of(encode) -> float:
    """Of the cosines of the validation pairs and their scores."""
    from siamese_course.evaluation import spearman

    pairs = scored_pairs().validation
    left, right = (np.asarray(encode(side)) for side in (pairs.sentence1, pairs.sentence2))
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return spearman(np.sum(left * right, axis=1) / lengths, pairs.score)
