"""MNIST: the course recipe beside the classic network, which is written here as TensorFlow 1 code.

The classic side follows the description of 2006 as it was programmed ten years later: a graph with
placeholders, a session, arrays fed step by step. Both sides get a share of their full number of steps; the
clock runs from plain arrays to trained weights, building and compiling included, and stops for the score.
"""

import time
from itertools import pairwise

import numpy as np

from benchmarks.common import fingerprint
from siamese_course.batching.images import classic_pairs
from siamese_course.datasets.mnist import Digits, load_mnist
from siamese_course.evaluation import knn_score

CLASSIC_BATCH, CLASSIC_STEPS, CLASSIC_RATE = 128, 2340, 0.01
MARGIN, EPSILON = 5.0, 1e-6
SIZES = (784, 1024, 1024, 2)
EMBED_BATCH = 4096


def data_of(digits: Digits) -> str:
    """The mark of the digits that both sides must share."""
    return fingerprint(digits.train_labels, digits.test_labels, digits.test_images[:100])


def course(share: float) -> dict:
    """The course recipe at a share of its full number of images.

    The learning rate falls to zero at the end of a run, so that a quarter of the time is a run of its own.
    """
    from siamese_course.recipes import images as mnist
    from siamese_course.runtime import settings

    digits = load_mnist(verbose=False)
    kilo_images = share * settings.mnist_sizes("full").course_kilo_images
    started = time.perf_counter()
    run = mnist.train_course(
        digits.train_images, digits.train_labels, kilo_images=kilo_images, verbose=False
    )
    seconds = time.perf_counter() - started
    accuracy = mnist.score(run.encoder, digits)
    return {
        "seconds": seconds,
        "k-NN accuracy": accuracy,
        "steps": run.steps,
        "data": data_of(digits),
        "losses": run.history.losses,
    }


def classic(share: float) -> dict:
    """The classic network and training, at a share of its ten epochs."""
    import tensorflow.compat.v1 as tf

    digits = load_mnist(verbose=False)
    steps = max(1, round(share * CLASSIC_STEPS))
    rng = np.random.default_rng(0)
    started = time.perf_counter()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        images, same, embedding, loss, train = classic_graph(tf)
        session.run(tf.global_variables_initializer())
        losses = []
        while len(losses) < steps:
            for left, right in classic_pairs(digits.train_labels, CLASSIC_BATCH, rng):
                equal = digits.train_labels[left] == digits.train_labels[right]
                fed = {
                    images[0]: digits.train_images[left],
                    images[1]: digits.train_images[right],
                    same: equal.astype("float32"),
                }
                losses.append(float(session.run([train, loss], fed)[1]))
                if len(losses) == steps:
                    break
        seconds = time.perf_counter() - started

        def embed(pixels):
            starts = range(0, len(pixels), EMBED_BATCH)
            parts = [pixels[start : start + EMBED_BATCH] for start in starts]
            return np.concatenate([session.run(embedding, {images[0]: part}) for part in parts])

        rows = [embed(pixels) for pixels in (digits.train_images, digits.test_images)]
    accuracy = knn_score(rows[0], digits.train_labels, rows[1], digits.test_labels)
    return {
        "seconds": seconds,
        "k-NN accuracy": accuracy,
        "steps": steps,
        "data": data_of(digits),
        "losses": losses[:: max(1, steps // 20)],
    }


def classic_graph(tf):
    """Placeholders, embedding, loss and training operation: one set of variables for both sides."""
    images = [tf.placeholder("float32", (None, SIZES[0])) for _ in range(2)]
    same = tf.placeholder("float32", (None,))
    start = tf.glorot_uniform_initializer(seed=0)
    layers = [
        (
            tf.get_variable(f"weights{number}", (fan_in, fan_out), initializer=start),
            tf.get_variable(f"biases{number}", (fan_out,), initializer=tf.zeros_initializer()),
        )
        for number, (fan_in, fan_out) in enumerate(pairwise(SIZES))
    ]

    def encoder(rows):
        for number, (weights, biases) in enumerate(layers):
            rows = tf.matmul(rows, weights) + biases
            rows = tf.nn.relu(rows) if number < len(layers) - 1 else rows
        return rows

    left, right = (encoder(rows) for rows in images)
    squared = tf.reduce_sum(tf.square(left - right), axis=1)
    distance = tf.sqrt(squared + EPSILON)
    pull = 0.5 * squared
    push = 0.5 * tf.square(tf.maximum(0.0, MARGIN - distance))
    loss = tf.reduce_mean(same * pull + (1.0 - same) * push)
    train = tf.train.GradientDescentOptimizer(CLASSIC_RATE).minimize(loss)
    return images, same, left, loss, train
