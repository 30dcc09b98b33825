"""The physical limit: how fast this machine multiplies matrices, and what share of it the encoder reaches."""

import statistics
import time

import numpy as np

from benchmarks.side import peak_bytes

SIZE = 2048  # rows and columns of the matrices that stand for the machine's rate
BASE = {"num_layers": 12, "num_heads": 12, "hidden_dim": 768, "intermediate_dim": 3072}
BASE_VOCABULARY = 50_265


def seconds_of(call, least: float = 1.0) -> float:
    """Median seconds of a call, of at least three and as many as fill ``least`` seconds, after one more."""
    call()
    seconds = []
    while len(seconds) < 3 or sum(seconds) < least:
        started = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def factors(size: int) -> list[np.ndarray]:
    """Two (size, size) float32 matrices."""
    return list(np.random.default_rng(0).normal(size=(2, size, size)).astype("float32"))


def gigaflops(size: int, call) -> dict:
    """A multiplication and an addition count as two."""
    return {"GFLOP/s": 2 * size**3 / seconds_of(call) / 1e9}


# --- matrix products ---


def tensorflow(dtype: str, size: int) -> dict:
    """TensorFlow, the course's backend."""
    import tensorflow as tf

    left, right = (tf.cast(factor, dtype) for factor in factors(size))
    product = tf.function(tf.matmul)

    def call():  # one number is fetched, so that the product is there
        return float(product(left, right)[0, 0])

    return gigaflops(size, call)


def jax(dtype: str, size: int) -> dict:
    """JAX, on which Trax stands."""
    import jax as framework

    left, right = (framework.numpy.asarray(factor, dtype) for factor in factors(size))
    product = framework.jit(framework.numpy.matmul)
    return gigaflops(size, lambda: product(left, right).block_until_ready())


def torch(dtype: str, size: int) -> dict:
    """PyTorch, on which the peers stand."""
    import torch as framework

    left, right = (
        framework.from_numpy(factor).to(getattr(framework, dtype)) for factor in factors(size)
    )
    return gigaflops(size, lambda: left @ right)


def numpy(dtype: str, size: int) -> dict:
    """NumPy, which mines pairs; it has no bfloat16."""
    left, right = (factor.astype(dtype) for factor in factors(size))
    return gigaflops(size, lambda: left @ right)


# --- shares ---


def random_model(shape: str, dtype: str, length: int):
    """A sentence model with random weights, of the course's preset's shape or of RoBERTa base's."""
    import keras_hub

    from siamese_course.models.sentences import build_sentence_model, load_backbone

    config = {**load_backbone()[0].get_config(), "max_sequence_length": max(128, length)}
    if shape == "base":
        config |= {**BASE, "vocabulary_size": BASE_VOCABULARY}
    policy = "float32" if dtype == "float32" else f"mixed_{dtype}"
    backbone = keras_hub.models.RobertaBackbone.from_config({**config, "dtype": policy})
    return backbone, build_sentence_model(backbone)


def flops(backbone, batch: int, length: int) -> float:
    """Of the matrix products of one pass forwards: projections, attention, feed-forward."""
    dim, inner = backbone.hidden_dim, backbone.intermediate_dim
    per_token = 2 * (4 * dim * dim + 2 * dim * inner) + 4 * length * dim
    return batch * length * backbone.num_layers * per_token


def full_batch(backbone, shape: tuple) -> dict[str, np.ndarray]:
    """Random ids, no padding."""
    ids = np.random.default_rng(0).integers(5, backbone.vocabulary_size, shape, "int32")
    return {"token_ids": ids, "padding_mask": np.ones(shape, "int32")}


def encoding(shape: str, dtype: str, batch: int, length: int) -> dict:
    """Passes forwards, as ``SentenceEncoder.encode`` makes them, on full batches of equal length."""
    backbone, model = random_model(shape, dtype, length)
    rows = full_batch(backbone, (batch, length))
    seconds = seconds_of(lambda: np.asarray(model.predict_on_batch(rows)))
    return {
        "GFLOP/s": flops(backbone, batch, length) / seconds / 1e9,
        "sentences/s": batch / seconds,
        "GiB": peak_bytes() / 2**30,
    }


def training(shape: str, dtype: str, batch: int, length: int) -> dict:
    """Steps of the pair regression, as the recipes make them; backwards counts as twice forwards."""
    import keras

    from siamese_course.losses import cosine_regression_loss
    from siamese_course.models.sentences import build_siamese
    from siamese_course.runtime.fused_adam import fuse

    backbone, model = random_model(shape, dtype, length)
    rows, targets = full_batch(backbone, (batch, 2, length)), np.zeros(batch, "float32")
    siamese = build_siamese(model, 2)
    siamese.compile(keras.optimizers.Adam(2e-5, clipnorm=1.0), cosine_regression_loss)
    fuse(siamese.optimizer)  # as training.loop does
    seconds = seconds_of(lambda: float(siamese.train_on_batch(rows, targets)))
    return {
        "GFLOP/s": 3 * flops(backbone, 2 * batch, length) / seconds / 1e9,
        "pairs/s": batch / seconds,
        "seconds a step": seconds,
        "GiB": peak_bytes() / 2**30,
        "parameters": backbone.count_params(),
    }


def limit(shape: str, dtype: str, batch: int, length: int) -> dict:
    """The machine's rate on the same backend."""
    return tensorflow(dtype, SIZE)
