"""Losses alone: value and gradient with respect to the embeddings, time and memory by batch.

Three sides get the same made-up embeddings: the course's functions, compiled as its recipes compile them; naive
code, which goes row by row or builds the (batch, batch, dim) array of all differences; and
pytorch-metric-learning. Where the formulas are the same the values are too: ``loss, batch N`` shows it. Its
contrastive loss does not square the margin's part, and its triplet loss knows no mean negative.
"""

import statistics
import time
from functools import partial

import numpy as np

from benchmarks.side import peak_bytes

DIM, CLASSES = 128, 10
MARGIN, ALPHA = 5.0, 0.25
SUPERVISED_TEMPERATURE, SOFTMAX_TEMPERATURE = 0.1, 0.05
CUBE_BYTES = 2**30  # the largest array of three dimensions that naive code or a peer may build
PAIRED = ("contrastive", "triplet", "softmax")  # losses of (batch, 2, dim)
COMPILED = ("contrastive", "all_pairs", "supervised")  # by XLA, in the recipes of notebook 01


def embeddings_and_labels(loss: str, batch: int) -> tuple[np.ndarray, np.ndarray]:
    """Made-up input: (batch, dim) and classes, or (batch, 2, dim) and whether the sides belong together."""
    rng = np.random.default_rng(0)
    shape = (batch, 2, DIM) if loss in PAIRED else (batch, DIM)
    embeddings = rng.normal(size=shape).astype("float32")
    if loss in ("triplet", "softmax"):
        embeddings[:, 1] += 0.2 * embeddings[:, 0]  # positives are a little nearer than negatives
        embeddings /= np.linalg.norm(embeddings, axis=-1, keepdims=True)
    labels = rng.integers(0, 2 if loss == "contrastive" else CLASSES, batch)
    return embeddings, np.ones_like(labels) if loss == "softmax" else labels


def timed(step, steps: int | None) -> float:
    """Median seconds of a call: of so many, or of as many as half a second takes and at least five."""
    seconds = []
    while len(seconds) < (steps or 5) or (steps is None and sum(seconds) < 0.5):
        started = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def by_batch(loss: str, batches: list[int], steps: int | None, step_of) -> dict:
    """Milliseconds, memory beyond what was there before the smallest batch, and value, for rising batches.

    Args:
        loss: its name.
        batches: rising, so that the largest resident memory is that of the last batch.
        steps: calls to time, or None for as many as it takes.
        step_of: (embeddings, labels) -> a function that returns value and gradient, or None where the batch is
            too much for this side.
    """
    found = {}
    step_of(*embeddings_and_labels(loss, 8))()  # so that start-up is over when memory is read
    before = peak_bytes()
    for batch in batches:
        step = step_of(*embeddings_and_labels(loss, batch))
        if step is None:
            continue
        value, gradient = step()
        if not (np.isfinite(value) and np.isfinite(gradient).all() and np.any(gradient)):
            raise ValueError(f"{loss}, batch {batch}: value {value}, or a gradient of zeros or NaN")
        found[f"ms, batch {batch:,}"] = 1000 * timed(step, steps)
        found[f"MiB, batch {batch:,}"] = (peak_bytes() - before) / 2**20
        found[f"loss, batch {batch:,}"] = float(value)
    return found


# --- in Keras ---


def keras_steps(function, compiled: bool):
    """``step_of`` for a loss of (labels, embeddings) in keras.ops, on TensorFlow."""
    import tensorflow as tf

    def step_of(embeddings, labels):
        embeddings, labels = tf.constant(embeddings), tf.constant(labels.astype("float32"))

        @tf.function(jit_compile=compiled)
        def value_and_gradient(embeddings):
            with tf.GradientTape() as tape:
                tape.watch(embeddings)
                value = function(labels, embeddings)
            return value, tape.gradient(value, embeddings)

        return lambda: [part.numpy() for part in value_and_gradient(embeddings)]

    return step_of


def course(loss: str, batches: list[int], steps: int | None = None) -> dict:
    """The course's losses."""
    return by_batch(loss, batches, steps, keras_steps(course_losses()[loss], loss in COMPILED))


def course_losses() -> dict:
    """By name, as functions of (labels, embeddings)."""
    from siamese_course import losses

    return {
        "contrastive": partial(losses.contrastive_loss, margin=MARGIN),
        "all_pairs": partial(losses.all_pairs_contrastive_loss, margin=MARGIN),
        "supervised": partial(
            losses.supervised_contrastive_loss, temperature=SUPERVISED_TEMPERATURE
        ),
        "triplet": partial(losses.triplet_loss, margin=ALPHA),
        "softmax": partial(losses.in_batch_softmax_loss, temperature=SOFTMAX_TEMPERATURE),
    }


def naive(loss: str, batches: list[int], steps: int | None = None) -> dict:
    """The same formulas as they are read: a loop over rows, or every difference and product spelled out."""
    functions = {
        "contrastive": naive_contrastive,
        "all_pairs": naive_all_pairs,
        "supervised": naive_supervised,
        "triplet": naive_triplet,
        "softmax": naive_softmax,
    }
    step_of = keras_steps(functions[loss], compiled=False)
    builds_cube = loss in ("all_pairs", "supervised", "triplet")

    def within_memory(embeddings, labels):
        cube = 4 * len(embeddings) ** 2 * DIM
        return None if builds_cube and cube > CUBE_BYTES else step_of(embeddings, labels)

    return by_batch(loss, batches, steps, within_memory)


def naive_contrastive(same, embeddings):
    """Pair by pair."""
    import tensorflow as tf

    def one(pair):
        same, (left, right) = pair[0], tf.unstack(pair[1])
        squared = tf.reduce_sum((left - right) ** 2)
        push = tf.maximum(0.0, MARGIN - tf.sqrt(squared + 1e-6)) ** 2
        return 0.5 * tf.where(same > 0, squared, push)

    return tf.reduce_mean(tf.map_fn(one, (same, embeddings), fn_output_signature="float32"))


def naive_all_pairs(labels, embeddings):
    """All differences as one (batch, batch, dim) array."""
    import tensorflow as tf

    squared = tf.reduce_sum((embeddings[:, None] - embeddings[None]) ** 2, axis=-1)
    equal = labels[:, None] == labels[None]
    similar = equal & ~tf.eye(len(labels), dtype=bool)
    push = tf.maximum(0.0, MARGIN - tf.sqrt(squared + 1e-6)) ** 2
    pull, push = squared[similar], push[~equal]
    return 0.5 * (tf.reduce_mean(pull) + tf.reduce_mean(push))


def naive_supervised(labels, embeddings):
    """All products as one (batch, batch, dim) array."""
    import tensorflow as tf

    norms = tf.sqrt(tf.reduce_sum(embeddings**2, axis=-1, keepdims=True) + 1e-6)
    unit = embeddings / norms
    logits = tf.reduce_sum(unit[:, None] * unit[None], axis=-1) / SUPERVISED_TEMPERATURE
    itself = tf.eye(len(labels))
    partners = tf.cast(labels[:, None] == labels[None], "float32") - itself
    others = tf.exp(logits) * (1 - itself)
    logs = logits - tf.math.log(tf.reduce_sum(others, axis=-1, keepdims=True))
    count = tf.maximum(tf.reduce_sum(partners, axis=-1), 1.0)
    return -tf.reduce_mean(tf.reduce_sum(partners * logs, axis=-1) / count)


def naive_triplet(unused, embeddings):
    """All products as one (batch, batch, dim) array, then row by row."""
    import tensorflow as tf

    left, right = embeddings[:, 0], embeddings[:, 1]
    similarities = tf.reduce_sum(left[:, None] * right[None], axis=-1)
    batch = len(left)

    def one(row):
        number, values = row
        others = tf.boolean_mask(values, tf.range(batch) != number)
        gap = ALPHA - values[number]
        hardest, mean = tf.reduce_max(others), tf.reduce_mean(others)
        return tf.maximum(0.0, gap + hardest) + tf.maximum(0.0, gap + mean)

    rows = tf.range(batch), similarities
    return tf.reduce_mean(tf.map_fn(one, rows, fn_output_signature="float32"))


def naive_softmax(unused, embeddings):
    """Row by row, once to the right and once to the left."""
    import tensorflow as tf

    sides = embeddings[:, 0], embeddings[:, 1]
    total = 0.0
    for one_side, other in (sides, sides[::-1]):

        def one(row, other=other):
            number, anchor = row
            logits = tf.reduce_sum(anchor * other, axis=-1) / SOFTMAX_TEMPERATURE
            return tf.reduce_logsumexp(logits) - logits[number]

        rows = tf.range(len(one_side)), one_side
        total += tf.reduce_mean(tf.map_fn(one, rows, fn_output_signature="float32"))
    return total / 2


# --- in PyTorch ---


def metric_learning(loss: str, batches: list[int], steps: int | None = None) -> dict:
    """pytorch-metric-learning's losses, called as its documentation shows.

    Its softmax compares each positive with all negative pairs of the batch, (batch, batch * (batch - 1)) of them:
    a batch of 1,024 does not fit into 23 GiB. It is measured as far as such an array is within ``CUBE_BYTES``.
    """
    import torch
    from pytorch_metric_learning import distances, losses, miners, reducers

    cosine = distances.CosineSimilarity()
    euclidean = distances.LpDistance(normalize_embeddings=False)
    contrastive = losses.ContrastiveLoss(0, MARGIN, distance=euclidean)
    supervised = losses.SupConLoss(SUPERVISED_TEMPERATURE)
    triplet = losses.TripletMarginLoss(ALPHA, distance=cosine, reducer=reducers.MeanReducer())
    softmax = losses.NTXentLoss(SOFTMAX_TEMPERATURE)
    hardest = miners.BatchHardMiner(distance=cosine)

    def of_pairs(embeddings, same):
        rows = torch.arange(len(same))
        similar, different = rows[same == 1], rows[same == 0]
        pairs = similar, similar, different, different
        return contrastive(embeddings[:, 0], rows, pairs, embeddings[:, 1], rows)

    def of_triplets(embeddings, unused):
        left, right = embeddings[:, 0], embeddings[:, 1]
        rows, others = torch.arange(len(left)), torch.arange(len(left))
        found = hardest(left, rows, right, others)
        return triplet(left, rows, found, right, others)

    def of_softmax(embeddings, unused):
        left, right = embeddings[:, 0], embeddings[:, 1]
        # two objects: of one and the same it would take row i to be no partner of row i
        rows, others = torch.arange(len(left)), torch.arange(len(left))
        there = softmax(left, rows, ref_emb=right, ref_labels=others)
        back = softmax(right, rows, ref_emb=left, ref_labels=others)
        return (there + back) / 2

    functions = {
        "contrastive": of_pairs,
        "all_pairs": contrastive,
        "supervised": supervised,
        "triplet": of_triplets,
        "softmax": of_softmax,
    }

    def step_of(embeddings, labels):
        if loss == "softmax" and 4 * len(embeddings) ** 3 > CUBE_BYTES:
            return None
        embeddings = torch.from_numpy(embeddings).requires_grad_()
        labels = torch.from_numpy(labels)

        def step():
            value = functions[loss](embeddings, labels)
            (gradient,) = torch.autograd.grad(value, embeddings)
            return value.detach().numpy(), gradient.numpy()

        return step

    return by_batch(loss, batches, steps, step_of)
