"""Question encoders: siamese LSTMs in Keras 3, and what it takes to use a trained one of Keras or Trax.

A sentence encoder may stand beside the LSTM: it knows words that the training questions do not hold.

What builds an encoder raises ValueError for a size below 1; ``seed`` sets the initial weights.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import initializers, layers, ops

from siamese_course.batching import tokens
from siamese_course.batching.padding import MIN_WEIGHT, PAD, pad, pad_pair
from siamese_course.losses import unit_length
from siamese_course.models import sentences
from siamese_course.models.encoder import Encoder, reading, require_sizes
from siamese_course.runtime.files import whole_folder
from siamese_course.runtime.types import Tensor
from siamese_course.validation import require_count

BATCH_SIZE = 256

# Settings of an encoder by their names in encoder.json
STORED = {"longest": "max_length", "sentence_data": "sentence_data"} | {
    name: name
    for name in ("framework", "recipe", "tokenizer", "buckets", "threshold", "sentence_weight")
}
SENTENCES = "sentences"
"""Folder of the sentence encoder inside that of a question encoder."""

# --- models ---


@keras.saving.register_keras_serializable("siamese_course")
class UnitLength(layers.Layer):
    """Divide every row by its length, so that the dot product of two rows is their cosine: (..., dim)."""

    def call(self, inputs: Tensor) -> Tensor:
        return unit_length(inputs)


@keras.saving.register_keras_serializable("siamese_course")
class WeightedMean(layers.Layer):
    """Compute a mean over time: (batch, length, dim) values, (batch, length, 1) weights -> (batch, dim)."""

    def call(self, values: Tensor, weights: Tensor) -> Tensor:
        total = ops.maximum(ops.sum(weights, axis=1), MIN_WEIGHT)
        return ops.sum(values * weights, axis=1) / total


def build_classic_encoder(vocabulary_size: int, dim: int = 128, *, seed: int = 0) -> keras.Model:
    """Build the classic question encoder: Embedding, LSTM, mean over time, unit length.

    Padding counts as a word here and takes part in the mean, as in the classic Trax model: an embedding
    depends on the length its batch was padded to. Word vectors start as in Trax. Trax starts the bias of
    all four LSTM gates at 1, which makes all embeddings alike at first; Keras does so for the forget gate
    only.

    Args:
        vocabulary_size: number of ids, unknown and padding included.
        dim: of the word vectors, the LSTM and the embedding.

    Returns:
        A Keras model (batch, length) int -> (batch, dim).
    """
    require_sizes(vocabulary_size=vocabulary_size, dim=dim)
    words = keras.Input((None,), dtype="int32", name="words")
    start = initializers.VarianceScaling(1.0, "fan_out", "uniform", seed=seed)
    vectors = layers.Embedding(vocabulary_size, dim, embeddings_initializer=start)(words)
    states = _lstm(dim, seed)(vectors)
    return keras.Model(words, UnitLength()(ops.mean(states, axis=1)))


def build_course_encoder(
    vocabulary_size: int,
    dim: int = 128,
    units: int = 128,
    *,
    buckets: int = 0,
    neighbors: int = 0,
    dropout: float = 0.1,
    seed: int = 0,
) -> keras.Model:
    """Build the course's question encoder: the words of a question, and the order they come in.

    One half of an embedding is a weighted mean of the word vectors; the other half is the same mean of
    the LSTM's states. Each half has unit length, so both count. Every word has a learned weight: "the"
    says little, a name says much. Padding has weight 0, so that an embedding does not depend on the rest
    of its batch. With ``neighbors``, a vector for each word and the word before it is added to the word's
    own, as in fastText (Joulin et al. 2016): "new york" is more than its two words. In training, words
    are dropped at random, so that the model does not rely on single ones.

    Args:
        vocabulary_size: number of ids, unknown and padding included.
        dim: of the word vectors.
        units: of the LSTM.
        buckets: how many ids at the end of the vocabulary are for unknown words. If no training word has one of
            them, their vectors stay short, but rare words say much, so their weight is double.
        neighbors: number of ids that pairs of neighboring words are hashed to; 0 for no pairs.
        dropout: fraction of words dropped in training.

    Returns:
        A Keras model (batch, length) int -> (batch, dim + units).
    """
    require_sizes(vocabulary_size=vocabulary_size, dim=dim, units=units)
    words = keras.Input((None,), dtype="int32", name="words")
    start = initializers.RandomNormal(stddev=0.05, seed=seed)
    vectors = layers.Embedding(vocabulary_size, dim, embeddings_initializer=start)(words)
    vectors = layers.Dropout(dropout, noise_shape=(None, None, 1), seed=seed)(vectors)
    importances = layers.Embedding(vocabulary_size, 1, embeddings_initializer="zeros")
    real = ops.expand_dims(ops.cast(ops.not_equal(words, PAD), "float32"), -1)
    weights = ops.exp(importances(words)) * real
    states = _lstm(units, seed)(vectors)
    if neighbors:
        small = initializers.RandomNormal(stddev=0.025, seed=seed + 3)
        pairs = layers.Embedding(neighbors, dim, embeddings_initializer=small)
        pair_vectors = pairs(neighbor_ids(words, neighbors))
        vectors += layers.Dropout(dropout, noise_shape=(None, None, 1), seed=seed + 1)(pair_vectors)
    halves = [UnitLength()(WeightedMean()(values, weights)) for values in (vectors, states)]
    importances.set_weights([tokens.log_importance(vocabulary_size, buckets)])
    return keras.Model(words, UnitLength()(ops.concatenate(halves, axis=-1)))


def neighbor_ids(words: Tensor, size: int) -> Tensor:
    """Return an id below ``size`` for each word and the word before it, or padding: (batch, length)."""
    before = ops.concatenate([ops.full_like(words[:, :1], PAD), words[:, :-1]], axis=1)
    return ops.mod(before * tokens.NEIGHBOR_FACTOR + words, size)


def build_siamese(encoder: keras.Model) -> keras.Model:
    """Build the siamese model: one encoder (batch, length) -> (batch, dim) for both sides.

    Returns:
        A model of two inputs (batch, length) and one output (batch, 2, dim).
    """
    left = keras.Input((None,), dtype="int32", name="left")
    right = keras.Input((None,), dtype="int32", name="right")
    # Not as one batch of twice the rows: an LSTM computes step by step, and two of them use two cores
    return keras.Model([left, right], ops.stack([encoder(left), encoder(right)], axis=1))


def _lstm(units: int, seed: int) -> layers.Layer:
    return layers.LSTM(
        units,
        return_sequences=True,
        kernel_initializer=initializers.GlorotUniform(seed=seed + 1),
        recurrent_initializer=initializers.GlorotUniform(seed=seed + 2),
    )


def compiled_forward(encoder: keras.Model) -> Callable[[np.ndarray], np.ndarray]:
    """Return a Keras encoder as a compiled function: (n, length) ids, lists or an array -> (n, dim) embeddings."""
    encoder.jit_compile = False  # XLA would compile again for every length
    # called directly, the LSTM would run step by step; Keras would take a list for several inputs
    return lambda ids: encoder.predict_on_batch(np.asarray(ids))


# --- text in, embeddings out ---


@dataclass
class QuestionEncoder(Encoder):
    """A trained encoder with everything it needs to embed and compare text.

    Methods raise TypeError for one string instead of a list, and for an item that is not a string; and
    CourseError if the tokenizer's data is not available.

    Attributes:
        framework: ``keras`` or ``trax``.
        recipe: the recipe that trained it.
        vocabulary: word -> id.
        model: the Keras model, or Trax's encoder and its weights.
        forward: maps (n, length) ids to (n, dim) unit vectors.
        tokenizer: a name in ``TOKENIZERS``.
        buckets: ids that unknown words share by a hash.
        max_length: how many tokens of a question are read.
        threshold: the cosine above which two questions count as duplicates.
        sentence_data: whether ``word_tokenize`` splits into sentences first; see ``word_tokenizer``.
        sentence_encoder: of unit length; its embedding follows the model's, and the cosine is a weighted mean of both.
        sentence_weight: its weight, from 0 to 1.
    """

    framework: str
    recipe: str
    vocabulary: dict[str, int]
    model: Any
    forward: Callable[[np.ndarray], np.ndarray]
    tokenizer: str = "simple"
    buckets: int = 0
    max_length: int = tokens.MAX_LENGTH
    threshold: float = float("nan")
    sentence_data: bool = True
    sentence_encoder: sentences.SentenceEncoder | None = None
    sentence_weight: float = 0.5

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Return texts as lists of ids, cut to ``max_length``."""
        tokenize = tokens.tokenizer(self.tokenizer, sentence_data=self.sentence_data)
        sizes = {"max_length": self.max_length, "buckets": self.buckets}
        return tokens.encode(texts, self.vocabulary, tokenize, **sizes)

    def encode(self, texts: Sequence[str], batch_size: int = BATCH_SIZE) -> np.ndarray:
        """Embed texts.

        A batch is padded to the length of its longest text. That changes the embeddings of the classic
        encoder, which does not mask padding; ``similarity`` pads as in training.

        Args:
            texts: n strings.
            batch_size: rows at a time.

        Returns:
            (n, dim) unit vectors.

        Raises:
            ValueError: the batch size is below 1.
        """
        require_count(batch_size, "batch_size")
        rows = self.tokenize(texts)
        starts = range(0, len(rows) or 1, batch_size)  # one empty batch, if there is no text
        batches = [pad(rows[start : start + batch_size]) for start in starts]
        embeddings = np.concatenate([self._forward(batch, batch_size) for batch in batches])
        if self.sentence_encoder is None:
            return embeddings
        beside = self.sentence_encoder.encode(texts, verbose=False)
        weights = np.sqrt(np.array([1 - self.sentence_weight, self.sentence_weight], "float32"))
        return np.concatenate([weights[0] * embeddings, weights[1] * beside], axis=1)

    def similarity(self, left: Sequence[str], right: Sequence[str]) -> np.ndarray:
        """Return the cosines of text pairs: n strings on each side -> (n,) float32 from -1 to 1.

        Both sides of a batch are padded to one length, as in training.

        Raises:
            TypeError, ValueError: not lists of strings, or of unequal length.
        """
        sides = self.tokenize(left), self.tokenize(right)
        if len(left) != len(right):
            raise ValueError(
                f"left has {len(left)} questions and right {len(right)}; expected the same number"
            )
        cosines = [np.zeros(0, "float32")]
        for start in range(0, len(left), BATCH_SIZE):
            batch = pad_pair(*(side[start : start + BATCH_SIZE] for side in sides))
            first, second = (self._forward(ids, BATCH_SIZE) for ids in batch)
            cosines.append(np.sum(first * second, axis=1))
        found = np.concatenate(cosines)
        if self.sentence_encoder is None:
            return found
        beside = self.sentence_encoder.similarity(left, right)
        return found + np.float32(self.sentence_weight) * (beside - found)

    def _forward(self, ids: np.ndarray, batch_size: int) -> np.ndarray:
        """Embed a batch filled up to ``batch_size`` rows, so that compiled models see few shapes."""
        filling = np.full((batch_size - len(ids), ids.shape[1]), PAD, "int32")
        return np.asarray(self.forward(np.concatenate([ids, filling])))[: len(ids)]

    def predict(self, question1: str, question2: str) -> bool:
        """Return whether two questions count as duplicates.

        Raises:
            ValueError: the encoder has no threshold yet.
        """
        if math.isnan(self.threshold):
            raise ValueError(
                "threshold is nan; expected a cosine: call recipes.questions.set_threshold first"
            )
        return float(self.similarity([question1], [question2])[0]) > self.threshold

    def save(self, folder: Path | str) -> None:
        """Write weights, vocabulary and settings into a folder, wholly or not at all, without a pickle."""
        settings = {name: getattr(self, attribute) for name, attribute in STORED.items()}
        settings[SENTENCES] = self.sentence_encoder is not None
        if math.isnan(self.threshold):
            settings["threshold"] = None  # JSON has no NaN
        words = json.dumps(self.vocabulary, ensure_ascii=False)
        with whole_folder(Path(folder)) as part:
            (part / "encoder.json").write_text(json.dumps(settings, indent=1) + "\n")
            (part / "vocabulary.json").write_text(words, encoding="utf-8")
            if self.sentence_encoder is not None:
                self.sentence_encoder.save(part / SENTENCES)
            if self.framework == "keras":
                self.model.save(part / "encoder.keras")
            else:
                from siamese_course.models.questions_trax import leaves

                np.savez(part / "weights.npz", *leaves(self.model[1]))


def load_encoder(folder: Path | str) -> QuestionEncoder:
    """Read an encoder that ``QuestionEncoder.save`` wrote.

    Raises:
        CourseError: the folder holds none, or it is damaged.
    """
    folder = Path(folder)
    with reading(folder, "question", " Make one: siamese-course train quora"):
        stored = json.loads((folder / "encoder.json").read_text())
        beside = (
            sentences.load_encoder(folder / SENTENCES) if stored.pop(SENTENCES, False) else None
        )
        settings = {STORED[name]: value for name, value in stored.items()}
        if settings.get("threshold") is None:
            settings["threshold"] = math.nan
        vocabulary = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
        size = len(vocabulary) + 1 + settings["buckets"]
        if settings["framework"] == "keras":
            model = keras.saving.load_model(folder / "encoder.keras", compile=False)
            forward = compiled_forward(model)
        else:
            model, forward = _restore_trax(folder, settings["recipe"], size)
        settings |= {"vocabulary": vocabulary, "model": model, "forward": forward}
        return QuestionEncoder(sentence_encoder=beside, **settings)


def _restore_trax(
    folder: Path, recipe: str, size: int
) -> tuple[Any, Callable[[np.ndarray], np.ndarray]]:
    from siamese_course.models import questions_trax as models

    with np.load(folder / "weights.npz") as stored:
        arrays = list(stored.values())
    if recipe == "classic":
        model = models.build_classic_encoder(size)
    else:
        neighbors = len(arrays[1]) if len(arrays) == 5 else 0
        dim = arrays[0].shape[1]
        model = models.build_course_encoder(size, dim, neighbors=neighbors, mode="eval")
    weights = models.with_leaves(model, arrays)
    return (model, weights), models.forward_function(model, weights)
