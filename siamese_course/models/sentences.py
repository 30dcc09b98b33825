"""Sentence encoders: a RoBERTa backbone of KerasHub, pooling, and unit length if wanted.

After Reimers and Gurevych (2019), "Sentence-BERT: sentence embeddings using siamese BERT-networks",
EMNLP 2019. Runs on the TensorFlow, JAX and PyTorch backends. Text becomes ids outside the model, so that
a batch is padded to what it needs and not to the longest text there could be.
"""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import keras
import numpy as np
from keras import layers, ops

from siamese_course.losses import unit_length
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.shipped import shipped
from siamese_course.validation import require_between

POOLINGS = ("mean", "max", "cls")
VIEWS = "views"  # words and context side by side, see ``Views``
OWN_PRESET = "course_roberta_en"
LONGEST = 128  # tokens of a sentence that are read, unless the backbone reads fewer
CHUNK = 8_192  # sentences that are tokenised and sorted at a time
EPSILON = 1e-9
RARE = 1e-2  # share of a text at which a token weighs half


# --- model ---


def pool(states, padding_mask, how: str = "mean"):
    """One vector for a sentence from the states of its tokens; padding takes no part.

    ====================  ======================================================================
    how                   the vector
    ====================  ======================================================================
    mean                  mean over the real tokens, <s> and </s> among them
    max                   largest value of each dimension over the real tokens
    cls                   the state of the first token, <s>
    ====================  ======================================================================

    Args:
        states: (batch, length, dim).
        padding_mask: (batch, length), 1 for a real token and 0 for padding.
        how: one of ``POOLINGS``.

    Returns:
        (batch, dim). A row without any real token gives zeros (``cls`` apart).

    Raises:
        ValueError: no such pooling.
    """
    if how == "cls":
        return states[:, 0]
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    if how == "mean":
        return ops.sum(states * real, axis=1) / ops.maximum(ops.sum(real, axis=1), 1.0)
    if how == "max":
        lowest = ops.where(real > 0, states, ops.full_like(states, -1e4))
        return ops.max(lowest, axis=1) * ops.max(real, axis=1)
    raise ValueError(f"pooling is {how!r}; expected one of {', '.join(POOLINGS)}")


@keras.saving.register_keras_serializable("siamese_course")
class Pooling(layers.Layer):
    """``pool`` as a layer of two inputs, states and padding mask; computes in float32."""

    def __init__(self, how: str = "mean", unit_length: bool = False, **kwargs):
        super().__init__(**{**kwargs, "dtype": "float32"})
        self.how, self.unit_length = how, unit_length

    def call(self, states, padding_mask):
        rows = pool(states, padding_mask, self.how)
        if self.unit_length:
            rows = unit_length(rows)
        return rows

    def get_config(self):
        kept = {"how": self.how, "unit_length": self.unit_length}
        return {**super().get_config(), **kept}


@keras.saving.register_keras_serializable("siamese_course")
class WordMean(layers.Layer):
    """Mean of a sentence's token embeddings in which each kind of token has a weight of its own.

    A weight is the exponential of a trained number, one for every id of the vocabulary, so that it stays
    positive. All start alike; ``set_shares`` makes frequent tokens count for less.
    """

    def __init__(self, vocabulary_size: int, **kwargs):
        super().__init__(**{**kwargs, "dtype": "float32"})
        self.vocabulary_size = vocabulary_size
        self.log_weights = self.add_weight((vocabulary_size,), "zeros", name="log_weights")

    def build(self, *shapes):
        pass

    def call(self, states, token_ids, padding_mask):
        weights = ops.exp(ops.take(self.log_weights, token_ids, axis=0))
        weights = weights * ops.cast(padding_mask, "float32")
        weights = weights / ops.maximum(ops.sum(weights, axis=1, keepdims=True), EPSILON)
        return ops.sum(ops.cast(states, "float32") * weights[:, :, None], axis=1)

    def set_shares(self, shares: np.ndarray) -> None:
        """Weigh a token of share p of a text by a / (a + p), with a = ``RARE``.

        Args:
            shares: (vocabulary_size,), adding up to 1.

        Source: Arora, Liang and Ma (2017), "A simple but tough-to-beat baseline for sentence embeddings".
        """
        self.log_weights.assign(-np.log1p(shares / RARE))

    def get_config(self):
        return {**super().get_config(), "vocabulary_size": self.vocabulary_size}


@keras.saving.register_keras_serializable("siamese_course")
class Views(layers.Layer):
    """Two embeddings of a sentence side by side, so that cosines average.

    With unit vectors w of the words and c of the context, the embedding is [sqrt(1 - s) w, sqrt(s) c]. It has
    length 1, and the cosine of two of them is (1 - s) cos(w, w') + s cos(c, c'). s, the share of the context,
    is not trained but chosen afterwards: on training pairs the two views fit alike.
    """

    def __init__(self, **kwargs):
        super().__init__(**{**kwargs, "dtype": "float32"})
        self.share = self.add_weight(
            (), keras.initializers.Constant(0.5), trainable=False, name="share"
        )

    def build(self, *shapes):
        pass

    def call(self, words, context):
        both = [
            ops.sqrt(1 - self.share) * unit_length(words),
            ops.sqrt(self.share) * unit_length(context),
        ]
        return ops.concatenate(both, axis=-1)


def build_sentence_model(backbone, pooling: str = "mean", unit_length: bool = False):
    """Backbone and pooling as one model.

    With pooling ``views`` a sentence is seen twice: as its words, the weighted mean of the backbone's token
    embeddings before the first layer and without positions, and in context, the mean of the last layer's
    states. The embedding is both, of twice the dimensions; the course's question encoder of notebook 02 has
    the same two halves.

    Args:
        backbone: a KerasHub text backbone.
        pooling: one of ``POOLINGS``, or ``views``.
        unit_length: divide every embedding by its length.

    Returns:
        A Keras model of {token_ids, padding_mask}, (batch, length) each -> (batch, dim) float32.

    Raises:
        ValueError: no such pooling.
    """
    if pooling not in (*POOLINGS, VIEWS):
        raise ValueError(f"pooling is {pooling!r}; expected one of {', '.join((*POOLINGS, VIEWS))}")
    inputs = {
        name: keras.Input((None,), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    states = _states(backbone, inputs)
    if pooling == VIEWS:
        tokens = inputs["token_ids"]
        for layer in word_layers(backbone):
            tokens = layer(tokens)
        weighted = WordMean(backbone.token_embedding.input_dim, name="words")
        words = weighted(tokens, inputs["token_ids"], inputs["padding_mask"])
        context = Pooling("mean", name="context")(states, inputs["padding_mask"])
        return keras.Model(inputs, Views(name="views")(words, context))
    return keras.Model(inputs, Pooling(pooling, unit_length)(states, inputs["padding_mask"]))


def _states(backbone, inputs):
    """The last layer's states of every token, (batch, length, dim)."""
    import keras_hub

    is_roberta = isinstance(backbone, keras_hub.models.RobertaBackbone)
    if is_roberta and keras.backend.backend() == "tensorflow":
        from siamese_course.models.packed import PackedRoberta

        return PackedRoberta(backbone)(inputs["token_ids"], inputs["padding_mask"])
    if "segment_ids" in backbone.input:  # BERT's: all one segment
        inputs = {**inputs, "segment_ids": ops.zeros_like(inputs["token_ids"])}
    states = backbone(inputs)
    return states["sequence_output"] if isinstance(states, dict) else states


def word_layers(backbone) -> list:
    """The layers of a backbone that see words alone: token embedding, and what normalises it, if anything."""
    norm = getattr(backbone, "embeddings_layer_norm", None)
    return [backbone.token_embedding] + ([norm] if norm else [])


class Siamese(keras.Model):
    """The siamese model: the sides of a pair or triplet run through one sentence model, as one batch.

    {token_ids, padding_mask}, (batch, sides, length) each -> (batch, sides, dim).
    """

    def __init__(self, encoder, **kwargs):
        super().__init__(**kwargs)
        self.encoder = encoder

    def call(self, inputs, training=None):
        _, sides, length = ops.shape(inputs["token_ids"])
        one_by_one = {name: ops.reshape(ids, (-1, length)) for name, ids in inputs.items()}
        rows = self.encoder(one_by_one, training=training)
        return ops.reshape(rows, (-1, sides, rows.shape[-1]))


# --- backbones by name ---


def preset_path(name: str) -> str:
    """What ``from_preset`` is to be given: the folder of the course's own preset, or the name itself."""
    return str(shipped(f"presets/{name}")) if name == OWN_PRESET else name


def load_backbone(
    name: str = OWN_PRESET,
    *,
    dtype=None,
    dropout: float | None = None,
    layers: int | None = None,
    load_weights: bool = True,
):
    """A backbone and its tokenizer.

    Args:
        name: ``course_roberta_en``, a KerasHub preset such as ``roberta_base_en``, or a folder: a KerasHub
            preset or a Hugging Face model of type RoBERTa.
        dtype: such as ``mixed_bfloat16``; float32 if not given.
        dropout: in training; what the preset says if not given.
        layers: of the transformer, the first so many; all if not given.
        load_weights: False for random ones, as a control: what does pre-training give?

    Returns:
        (backbone, tokenizer).

    Raises:
        CourseError: there is no such preset, it cannot be reached, or it is damaged.
        ValueError: ``layers`` is below 1.
    """
    if layers is not None:
        require_between(layers, "layers", 1, float("inf"))
    import keras_hub

    options = {"dropout": dropout, "num_layers": layers}
    options = {option: value for option, value in options.items() if value is not None}
    try:
        path = preset_path(name)
        tokenizer = keras_hub.models.Tokenizer.from_preset(path)
        backbone = keras_hub.models.Backbone.from_preset(
            path, load_weights=load_weights, dtype=dtype, **options
        )
    except Exception as error:  # whatever a hub, a disk or a damaged file can raise
        raise CourseError(_what_is_wrong(name, error)) from error
    return backbone, tokenizer


def _what_is_wrong(name: str, error: Exception) -> str:
    reason = " ".join(str(error).split())[:300]
    remedy = f"The course's own backbone needs no network: {OWN_PRESET}."
    if Path(name).is_dir() or name == OWN_PRESET:
        return f"The backbone in {name} cannot be read ({type(error).__name__}: {reason}). {remedy}"
    known = keras_hub_presets()
    if name not in known and "://" not in name:
        return f"There is no backbone {name!r}: no folder of that name, and no preset of KerasHub. {remedy}"
    return (
        f"The backbone {name!r} could not be fetched ({type(error).__name__}: {reason}). {remedy}"
    )


def keras_hub_presets() -> set[str]:
    """The names of KerasHub's own text presets of RoBERTa's kind."""
    import keras_hub

    return set(keras_hub.models.RobertaBackbone.presets) | set(keras_hub.models.Backbone.presets)


# --- text in, embeddings out ---


@dataclass
class SentenceEncoder:
    """A sentence model with all it takes to embed text.

    ``model`` maps {token_ids, padding_mask} to (batch, dim); ``longest`` is the number of tokens that are
    read of a sentence, <s> and </s> included. ``predict``, where it is given, embeds in the model's place:
    see ``models.openvino``.
    """

    model: keras.Model
    backbone: object
    tokenizer: object
    name: str
    pooling: str = "mean"
    unit_length: bool = False
    longest: int = LONGEST
    predict: Callable[[dict], np.ndarray] | None = None

    @property
    def dim(self) -> int:
        """Dimensions of an embedding."""
        return self.model.output_shape[-1]

    def tokenize(self, sentences: Sequence[str]) -> list[list[int]]:
        """Sentences as lists of ids, <s> first and </s> last, cut to ``longest``.

        Raises:
            TypeError: one string instead of a list, or something in the list that is no string.
        """
        return self._tokenize(sentences)[0]

    def _tokenize(self, sentences):
        require_sentences(sentences)
        if not len(sentences):
            return [], 0
        start, end = _markers(self.tokenizer)
        rows = _as_lists(self.tokenizer([clean(sentence) for sentence in sentences]))
        room = self.longest - 2
        return (
            [[start, *row[:room], end] for row in rows],
            sum(len(row) > room for row in rows),
        )

    def encode(
        self, sentences: Sequence[str], batch_size: int = 64, *, verbose: bool = True
    ) -> np.ndarray:
        """Embed sentences.

        They are sorted by length, so that a batch is padded to the length of its own longest sentence, and
        put back into their order. An empty sentence, or one of spaces, is <s></s>: all such have the same
        embedding. Memory beyond the result does not grow with n.

        Args:
            sentences: any number of strings, 0 included.
            batch_size: rows at a time.
            verbose: a progress bar on long work, and a line when a sentence was cut.

        Returns:
            (n, dim) float32.

        Raises:
            TypeError: one string instead of a list, or something in the list that is no string.
            ValueError: the batch size is below 1.
        """
        require_sentences(sentences)
        require_between(batch_size, "batch_size", 1, float("inf"))
        from tqdm import tqdm

        embeddings = np.zeros((len(sentences), self.dim), "float32")
        cut = 0
        with tqdm(
            total=len(sentences),
            desc="embedding",
            unit="sentence",
            file=_stdout(),
            delay=2,
            disable=not verbose,
        ) as bar:
            done = 0
            try:
                for start in range(0, len(sentences), CHUNK):
                    rows, cut_here = self._tokenize(sentences[start : start + CHUNK])
                    cut += cut_here
                    for numbers, states in self._embed(
                        length_batches(rows, batch_size, self.pad_id)
                    ):
                        embeddings[start + numbers] = np.asarray(states)[: len(numbers)]
                        done += len(numbers)
                        bar.update(len(numbers))
            except KeyboardInterrupt:
                bar.close()
                print(f"Embedding stopped after {done:,} of {len(sentences):,} sentences.")
                raise
        if cut and verbose:
            print(
                f"{cut:,} of {len(sentences):,} sentences are longer than {self.longest} tokens; "
                "what follows was not read."
            )
        return embeddings

    def _embed(self, batches) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(numbers, embeddings) of each batch, in their order.

        On TensorFlow two batches are under way at a time, so that no core waits for Python between them.
        """
        if self.predict or keras.backend.backend() != "tensorflow":
            predict = self.predict or self.model.predict_on_batch
            yield from ((numbers, predict(batch)) for numbers, batch in batches)
            return
        self.model.make_predict_function()  # which two threads should not do at once
        with ThreadPoolExecutor(2) as pool:
            under_way = deque()
            for numbers, batch in batches:
                under_way.append((numbers, pool.submit(self.model.predict_on_batch, batch)))
                if len(under_way) > 2:
                    numbers, embedded = under_way.popleft()
                    yield numbers, embedded.result()
            for numbers, embedded in under_way:
                yield numbers, embedded.result()

    @property
    def pad_id(self) -> int:
        """The id of padding."""
        return self.tokenizer.pad_token_id

    def save(self, folder: Path) -> None:
        """Write backbone, tokenizer and settings to a folder, from which ``load_encoder`` reads them."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.backbone.save_to_preset(str(folder / "backbone"))
        self.tokenizer.save_to_preset(str(folder / "backbone"))
        settings = {
            "name": self.name,
            "pooling": self.pooling,
            "unit_length": self.unit_length,
            "longest": self.longest,
            "dtype": self.backbone.dtype_policy.name,
        }
        if self.pooling == VIEWS:
            np.savez(
                folder / "views.npz", **{w.name: ops.convert_to_numpy(w) for w in self._of_views()}
            )
        (folder / "sentence_encoder.json").write_text(json.dumps(settings, indent=1) + "\n")

    def _of_views(self) -> list:
        """The weights of the pooling ``views``, which are not the backbone's."""
        return [*self.model.get_layer("words").weights, *self.model.get_layer("views").weights]


def make_encoder(
    name: str = OWN_PRESET,
    pooling: str = "mean",
    unit_length: bool = False,
    *,
    longest: int | None = None,
    dtype=None,
    dropout: float | None = None,
    layers: int | None = None,
    load_weights: bool = True,
) -> SentenceEncoder:
    """A sentence encoder on a backbone that was not yet fine-tuned.

    Args:
        name, dtype, dropout, layers, load_weights: as ``load_backbone``.
        pooling, unit_length: as ``build_sentence_model``.
        longest: tokens of a sentence to read; 128, or what the backbone can read, if not given.

    Raises:
        CourseError: the backbone cannot be had.
        ValueError: ``longest`` is below 3 or more than the backbone can read; no such pooling.
    """
    backbone, tokenizer = load_backbone(
        name, dtype=dtype, dropout=dropout, layers=layers, load_weights=load_weights
    )
    most = backbone.max_sequence_length
    longest = min(LONGEST, most) if longest is None else longest
    require_between(longest, "longest", 3, most, "what the backbone can read")
    model = build_sentence_model(backbone, pooling, unit_length)
    return SentenceEncoder(model, backbone, tokenizer, name, pooling, unit_length, longest)


def load_encoder(folder: Path) -> SentenceEncoder:
    """Read what ``SentenceEncoder.save`` wrote: the embeddings are the same.

    Raises:
        CourseError: the folder holds no sentence encoder, or a damaged one.
    """
    folder = Path(folder)
    try:
        settings = json.loads((folder / "sentence_encoder.json").read_text())
        encoder = make_encoder(
            str(folder / "backbone"),
            settings["pooling"],
            settings["unit_length"],
            longest=settings["longest"],
            dtype=settings.get("dtype"),
        )
        if encoder.pooling == VIEWS:
            with np.load(folder / "views.npz") as stored:
                for weight in encoder._of_views():
                    weight.assign(stored[weight.name])
        encoder.name = settings["name"]
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise CourseError(f"{folder} holds no sentence encoder ({error}).") from error
    return encoder


def clean(sentence: str) -> str:
    """White space of every kind to single spaces, none at the ends; half of a surrogate pair, which is
    no character, to a question mark."""
    return " ".join(sentence.split()).encode("utf-8", "replace").decode("utf-8")


def length_batches(rows, batch_size: int, pad_id: int) -> Iterator[tuple[np.ndarray, dict]]:
    """Rows sorted by length, in batches padded to their longest.

    Every batch has ``batch_size`` rows, the last one filled up with copies of its first.

    Args:
        rows: lists of ids.
        batch_size: rows in a batch.
        pad_id: what to pad with.

    Yields:
        (numbers, batch): the rows' numbers, and {token_ids, padding_mask}, (batch_size, length) each.
    """
    batch_size = min(
        batch_size, 8 * -(-len(rows) // 8)
    )  # a handful of sentences needs no full batch
    order = np.argsort([-len(row) for row in rows], kind="stable")  # the longest first
    for start in range(0, len(order), batch_size):
        numbers = order[start : start + batch_size]
        filled = np.concatenate([numbers, np.repeat(numbers[:1], batch_size - len(numbers))])
        padded = [rows[number] for number in filled]
        yield numbers, pad_rows(padded, pad_id, padded_length(padded))


def padded_length(rows: Sequence[Sequence[int]]) -> int | None:
    """That of the longest row; on JAX, which compiles anew for every shape, None: ``pad_rows`` rounds up."""
    return None if keras.backend.backend() == "jax" else max(1, *map(len, rows))


def pad_rows(
    rows: Sequence[Sequence[int]], pad_id: int, length: int | None = None
) -> dict[str, np.ndarray]:
    """Lists of ids as {token_ids, padding_mask}: (n, length) int32, the length the next multiple of 8
    if not given."""
    length = length or 8 * max(1, -(-max(map(len, rows)) // 8))
    ids = np.full((len(rows), length), pad_id, "int32")
    mask = np.zeros((len(rows), length), "int32")
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return {"token_ids": ids, "padding_mask": mask}


def require_sentences(sentences) -> None:
    """Refuse what is not a list of strings.

    Raises:
        TypeError: with the place of the first thing that is no string.
    """
    if isinstance(sentences, str):
        raise TypeError(f"expected a list of strings, not one string: [{sentences[:40]!r}]")
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            raise TypeError(
                f"sentence {number} is {sentence!r}, of type {type(sentence).__name__}; expected a string"
            )


def _markers(tokenizer) -> tuple[int, int]:
    first = getattr(tokenizer, "start_token_id", None)
    if first is not None:
        return first, tokenizer.end_token_id
    return tokenizer.cls_token_id, tokenizer.sep_token_id


def _as_lists(rows) -> list[list[int]]:
    return (
        rows.tolist()
        if hasattr(rows, "tolist")
        else rows.to_list()
        if hasattr(rows, "to_list")
        else rows
    )


def _stdout():
    import sys

    return sys.stdout
