"""Sentence encoders: a RoBERTa backbone of KerasHub, pooling, and unit length if wanted.

After Reimers and Gurevych (2019), "Sentence-BERT: sentence embeddings using siamese BERT-networks",
EMNLP 2019. Text becomes token ids outside the model, so that a batch is padded to its own longest
sentence and not to the longest that the model can read.
"""

import json
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import layers, ops

from siamese_course.backbones import hugging_face
from siamese_course.batching.sentences import length_batches
from siamese_course.losses import unit_length
from siamese_course.models.encoder import Encoder, reading
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import whole_folder
from siamese_course.runtime.shipped import shipped
from siamese_course.runtime.types import Tensor
from siamese_course.validation import require_between, require_choice, require_count, require_texts

POOLINGS = ("mean", "max", "cls")
OWN_PRESET = "course_roberta_en"
MAX_LENGTH = 128
"""Tokens of a sentence that are read, unless the backbone reads fewer."""
CHUNK = 8_192
"""Sentences that are tokenized and sorted together."""
CPU_TOKENS = 2_048
"""Tokens of a batch for embedding on a CPU: fewer cost time between batches, more no longer fit its cache."""
EPSILON = 1e-9


# --- model ---


def pool(states: Tensor, padding_mask: Tensor, how: str = "mean") -> Tensor:
    """Reduce the states of a sentence's tokens to one vector; padding takes no part.

    Args:
        states: (batch, length, dim).
        padding_mask: (batch, length), 1 for a real token and 0 for padding.
        how: ``mean`` over the real tokens, including <s> and </s>; ``max``, the largest value of each
            dimension; or ``cls``, the state of the first token, <s>.

    Returns:
        (batch, dim). A row without real tokens gives zeros, except with ``cls``.
    """
    require_choice(how, "pooling", POOLINGS)
    if how == "cls":
        return states[:, 0]
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    if how == "mean":
        return ops.sum(states * real, axis=1) / ops.maximum(ops.sum(real, axis=1), 1.0)
    lowered = ops.where(real > 0, states, ops.full_like(states, -1e4))
    return ops.max(lowered, axis=1) * ops.max(real, axis=1)


@keras.saving.register_keras_serializable("siamese_course")
class Pooling(layers.Layer):
    """``pool`` as a layer of two inputs, states and padding mask. It computes in float32."""

    def __init__(self, how: str = "mean", unit_length: bool = False, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "dtype": "float32"})
        self.how, self.unit_length = how, unit_length

    def call(self, states: Tensor, padding_mask: Tensor) -> Tensor:
        pooled = pool(states, padding_mask, self.how)
        return unit_length(pooled) if self.unit_length else pooled

    def get_config(self) -> dict:
        return {**super().get_config(), "how": self.how, "unit_length": self.unit_length}


def build_sentence_model(
    backbone: Any, pooling: str = "mean", unit_length: bool = False
) -> keras.Model:
    """Build a model from a backbone and a pooling.

    Args:
        backbone: a KerasHub text backbone.
        pooling: one of ``POOLINGS``.
        unit_length: divide every embedding by its length.

    Returns:
        A Keras model of {token_ids, padding_mask}, (batch, length) each -> (batch, dim) float32.

    Raises:
        ValueError: an unknown pooling.
    """
    require_choice(pooling, "pooling", POOLINGS)
    inputs = {
        name: keras.Input((None,), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    states = token_states(backbone, inputs)
    return keras.Model(inputs, Pooling(pooling, unit_length)(states, inputs["padding_mask"]))


def token_states(backbone: Any, inputs: dict[str, Tensor]) -> Tensor:
    """Call a backbone for the last layer's state of every token, in a fast way where there is one.

    Args:
        backbone: a KerasHub text backbone.
        inputs: {token_ids, padding_mask}, (batch, length) each.

    Returns:
        (batch, length, dim). States of padding are finite, but may differ from the backbone's.
    """
    import keras_hub

    is_roberta = isinstance(backbone, keras_hub.models.RobertaBackbone)
    if is_roberta and keras.backend.backend() == "tensorflow":
        from siamese_course.backbones.packed_roberta import PackedRoberta

        return PackedRoberta(backbone)(inputs["token_ids"], inputs["padding_mask"])
    if "segment_ids" in backbone.input:  # BERT's: all one segment
        inputs = {**inputs, "segment_ids": ops.zeros_like(inputs["token_ids"])}
    states = backbone(inputs)
    return states["sequence_output"] if isinstance(states, dict) else states


def build_siamese(encoder: keras.Model, sides: int) -> keras.Model:
    """Build the siamese model: one encoder for every side of a pair or triplet.

    Args:
        encoder: a model of {token_ids, padding_mask}, (batch, length) each -> (batch, dim).
        sides: 2 for pairs, 3 for triplets.

    Returns:
        A Keras model of {token_ids, padding_mask}, (batch, sides, length) each -> (batch, sides, dim).
    """
    inputs = {
        name: keras.Input((sides, None), dtype="int32", name=name)
        for name in ("token_ids", "padding_mask")
    }
    # Not as one batch of all sides: they don't depend on each other, and TensorFlow computes two at a time
    rows = [encoder({name: ids[:, side] for name, ids in inputs.items()}) for side in range(sides)]
    return keras.Model(inputs, ops.stack(rows, axis=1))


# --- backbones by name ---


def preset_path(name: str) -> str:
    """Return what ``from_preset`` needs: the folder of the course's own preset, or the name itself."""
    return str(shipped(f"presets/{name}")) if name == OWN_PRESET else name


def load_backbone(
    name: str | Path = OWN_PRESET,
    *,
    dtype: str | None = None,
    layers: int | None = None,
    load_weights: bool = True,
) -> tuple[Any, Any]:
    """Load a backbone and its tokenizer.

    Args:
        name: ``course_roberta_en``, a KerasHub preset such as ``roberta_base_en``, or a folder: a
            KerasHub preset or a Hugging Face model of type RoBERTa.
        dtype: such as ``mixed_bfloat16``; float32 if not given, in whatever precision the weights are stored.
        layers: number of transformer layers to keep, from the first on; all if not given.
        load_weights: False for random weights, to see what pretraining contributes.

    Returns:
        (backbone, tokenizer).

    Raises:
        CourseError: the preset does not exist, is out of reach, or is damaged.
        ValueError: ``layers`` is below 1.
    """
    if layers is not None:
        require_between(layers, "layers", 1, float("inf"))
    import keras_hub

    name = str(name)
    options = {} if layers is None else {"num_layers": layers}
    try:
        path = preset_path(name)
        tokenizer = hugging_face.saved_tokenizer(Path(path))
        tokenizer = tokenizer or keras_hub.models.Tokenizer.from_preset(path)
        backbone = _from_preset(path, load_weights, dtype or "float32", options)
    except Exception as error:  # whatever a hub, a disk or a damaged file can raise
        raise CourseError(_what_is_wrong(name, error)) from error
    return backbone, tokenizer


def _from_preset(path: str, load_weights: bool, dtype: str, options: dict) -> Any:
    """``Backbone.from_preset``; KerasHub 0.21 keeps the stored precision, whatever is asked for."""
    import keras_hub

    backbone = keras_hub.models.Backbone.from_preset(
        path, load_weights=load_weights, dtype=dtype, **options
    )
    if backbone.dtype_policy.name == dtype:
        return backbone
    rebuilt = type(backbone).from_config({**backbone.get_config(), "dtype": dtype})
    if load_weights:
        for new, old in zip(rebuilt.weights, backbone.weights, strict=True):
            new.assign(ops.cast(old, new.dtype))
    return rebuilt


def _what_is_wrong(name: str, error: Exception) -> str:
    reason = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    remedy = f"The course's own backbone needs no network: {OWN_PRESET}."
    if Path(name).is_dir() or name == OWN_PRESET:
        return f"The backbone in {name} cannot be read ({reason}). {remedy}"
    import keras_hub

    presets = keras_hub.models.RobertaBackbone.presets | keras_hub.models.Backbone.presets
    if name not in presets and "://" not in name:
        return f"There is no backbone {name!r}: no folder of that name, and no preset of KerasHub. {remedy}"
    return f"The backbone {name!r} could not be fetched ({reason}). {remedy}"


# --- text in, embeddings out ---


@dataclass
class SentenceEncoder(Encoder):
    """A sentence model with everything needed to embed text.

    Methods raise TypeError for one string instead of a list, and for an item that is not a string.

    Attributes:
        model: a Keras model of {token_ids, padding_mask} -> (batch, dim); yours, if you like.
        backbone: the KerasHub backbone inside it.
        tokenizer: the backbone's tokenizer.
        name: of the backbone.
        pooling, unit_length: as ``build_sentence_model``, which rebuilds a saved encoder.
        max_length: tokens of a sentence that are read, <s> and </s> included.
        predict: if given, replaces the model, for two batches at a time: see ``scale.openvino``.
    """

    model: keras.Model
    backbone: Any
    tokenizer: Any
    name: str
    pooling: str = "mean"
    unit_length: bool = False
    max_length: int = MAX_LENGTH
    predict: Callable[[dict[str, np.ndarray]], np.ndarray] | None = None

    @property
    def dim(self) -> int:
        """Dimensions of an embedding."""
        return self.model.output_shape[-1]

    @property
    def pad_id(self) -> int:
        """The id of padding."""
        return self.tokenizer.pad_token_id

    def tokenize(self, sentences: Sequence[str]) -> list[list[int]]:
        """Turn sentences into lists of ids, <s> first and </s> last, at most ``max_length`` long."""
        return self._tokenize(sentences)[0]

    def _tokenize(self, sentences: Sequence[str]) -> tuple[list[list[int]], int]:
        """The ids, and how many sentences were cut."""
        sentences = require_texts(sentences, "sentences")
        if not sentences:
            return [], 0
        if isinstance(self.tokenizer, hugging_face.Tokenizer):
            return self.tokenizer.rows(sentences, self.max_length)
        start, end = _markers(self.tokenizer)
        # Not the layer itself, which looks for a tensor among the sentences first
        rows = _as_lists(self.tokenizer.tokenize([clean(sentence) for sentence in sentences]))
        room = self.max_length - 2
        return [[start, *row[:room], end] for row in rows], sum(len(row) > room for row in rows)

    def encode(
        self, sentences: Sequence[str], batch_size: int = 64, *, verbose: bool = True
    ) -> np.ndarray:
        """Embed sentences.

        Sentences of similar length share a batch, which is padded to its longest; the embeddings
        come back in the order of the sentences. An empty sentence is <s></s>. Memory beyond the
        result does not grow with n.

        Args:
            sentences: n strings; n may be 0.
            batch_size: sentences of a batch at most; on a CPU, long ones share smaller batches.
            verbose: show a progress bar on long work, and report sentences that were cut.

        Returns:
            (n, dim) float32.

        Raises:
            ValueError: the batch size is below 1.
        """
        sentences = require_texts(sentences, "sentences")
        require_count(batch_size, "batch_size")
        from tqdm import tqdm

        n, cut, done = len(sentences), 0, 0
        embeddings = np.zeros((n, self.dim), "float32")
        options = {"unit": "sentence", "file": sys.stdout, "delay": 2, "disable": not verbose}
        with tqdm(total=n, desc="embedding", **options) as bar:
            try:
                for start in range(0, n, CHUNK):
                    rows, cut_here = self._tokenize(sentences[start : start + CHUNK])
                    cut += cut_here
                    batches = length_batches(rows, batch_size, self.pad_id, self._most_tokens())
                    for indices, embedded in self._embed(batches):
                        embeddings[start + indices] = np.asarray(embedded)[: len(indices)]
                        done += len(indices)
                        bar.update(len(indices))
            except KeyboardInterrupt:
                bar.close()
                print(f"Embedding stopped after {done:,} of {n:,} sentences.")
                raise
        if cut and verbose:
            longer = f"{cut:,} of {n:,} sentences are longer than {self.max_length} tokens"
            print(f"{longer}; the rest of each was not read.")
        return embeddings

    def _most_tokens(self) -> int | None:
        """Tokens of a batch, with which a CPU is fastest; None where that was not measured."""
        if self.predict:
            return CPU_TOKENS // 2  # OpenVINO is fastest with these
        if keras.backend.backend() != "tensorflow":
            return None
        import tensorflow as tf

        return None if tf.config.list_physical_devices("GPU") else CPU_TOKENS

    def _embed(
        self, batches: Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(indices, embeddings) of each batch, in order.

        Two batches run at a time, so that no core waits for Python in between; but not on JAX or PyTorch.
        """
        if not self.predict and keras.backend.backend() != "tensorflow":
            predict = self.model.predict_on_batch
            yield from ((indices, predict(batch)) for indices, batch in batches)
            return
        predict = self.predict or _traced_predict(self.model)
        with ThreadPoolExecutor(2) as executor:
            running: deque = deque()
            for indices, batch in batches:
                running.append((indices, executor.submit(predict, batch)))
                if len(running) > 2:
                    indices, embedded = running.popleft()
                    yield indices, embedded.result()
            for indices, embedded in running:
                yield indices, embedded.result()

    def similarity(self, left: Sequence[str], right: Sequence[str]) -> np.ndarray:
        """Return the cosine of each pair of sentences: n strings twice -> (n,).

        Raises:
            ValueError: lists of different lengths.
        """
        left, right = require_texts(left, "left"), require_texts(right, "right")
        if len(left) != len(right):
            raise ValueError(
                f"right has {len(right)} sentences; expected {len(left)}, as many as left"
            )
        texts = [*left, *right]
        # A sentence of many pairs is embedded once
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        rows = self.encode(list(places), verbose=False)[[places[text] for text in texts]]
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), EPSILON)
        return np.sum(rows[: len(left)] * rows[len(left) :], axis=1)

    def save(self, folder: Path | str) -> None:
        """Write backbone, tokenizer and settings to a folder, wholly or not at all; ``load_encoder`` reads it."""
        settings = {
            "name": self.name,
            "pooling": self.pooling,
            "unit_length": self.unit_length,
            "longest": self.max_length,
            "dtype": self.backbone.dtype_policy.name,
        }
        if activation := getattr(self.backbone, "activation_name", None):
            settings["activation"] = activation
        with whole_folder(Path(folder)) as part:
            self.backbone.save_to_preset(str(part / "backbone"))
            self.tokenizer.save_to_preset(str(part / "backbone"))
            (part / "sentence_encoder.json").write_text(json.dumps(settings, indent=1) + "\n")

    def export(self, folder: Path | str) -> None:
        """Write a folder that ``sentence_transformers.SentenceTransformer(folder)`` loads, for the same embeddings.

        Only texts that hold special tokens, such as <s>, may be tokenized a little differently: sentence-transformers
        drops spaces beside them.

        Raises:
            CourseError: a backbone or tokenizer that cannot be exported.
        """
        with whole_folder(Path(folder)) as part:
            hugging_face.write_folder(self, part)


def _traced_predict(model: keras.Model) -> Callable[[dict[str, np.ndarray]], Any]:
    """Return a model's prediction on TensorFlow, traced once for batches of any shape, before two threads call it.

    Keras takes a second for each of the first shapes, and for every batch it compares the types of all weights.
    """
    import tensorflow as tf

    ids = {name: tf.TensorSpec((None, None), "int32") for name in ("token_ids", "padding_mask")}
    model.make_predict_function()
    if model.run_eagerly:
        return model.predict_on_batch
    predict = model.predict_function.get_concrete_function([(ids,)])
    return lambda batch: predict([(batch,)])


def make_encoder(
    name: str | Path = OWN_PRESET,
    pooling: str = "mean",
    unit_length: bool = False,
    *,
    max_length: int | None = None,
    **options: Any,
) -> SentenceEncoder:
    """Make a sentence encoder from a backbone, before any fine-tuning.

    Args:
        name: as ``load_backbone``.
        pooling, unit_length: as ``build_sentence_model``.
        max_length: tokens of a sentence to read; if not given, 128 or what the backbone can read.
        options: ``dtype``, ``layers`` and ``load_weights``, as ``load_backbone``.

    Raises:
        CourseError: the backbone is not available.
        ValueError: ``max_length`` is below 3 or above what the backbone can read, or an unknown
            pooling.
    """
    backbone, tokenizer = load_backbone(name, **options)
    limit = backbone.max_sequence_length
    max_length = min(MAX_LENGTH, limit) if max_length is None else max_length
    require_between(max_length, "max_length", 3, limit, "what the backbone can read")
    model = build_sentence_model(backbone, pooling, unit_length)
    return SentenceEncoder(model, backbone, tokenizer, str(name), pooling, unit_length, max_length)


def load_encoder(folder: Path | str) -> SentenceEncoder:
    """Read what ``SentenceEncoder.save`` wrote, or a folder of sentence-transformers.

    The embeddings are the same. From sentence-transformers it reads BERT, RoBERTa, DistilBERT or XLM-RoBERTa with
    pooling and optional normalization, and tokenizes and truncates texts in the same way.

    Raises:
        CourseError: the folder holds no sentence encoder, or a damaged one.
    """
    folder = Path(folder)
    with reading(folder, "sentence"):
        if (folder / hugging_face.MODULES).exists():
            backbone, tokenizer, pooling, unit, length = hugging_face.read_folder(folder)
            model = build_sentence_model(backbone, pooling, unit)
            return SentenceEncoder(model, backbone, tokenizer, folder.name, pooling, unit, length)
        settings = json.loads((folder / "sentence_encoder.json").read_text())
        encoder = make_encoder(
            str(folder / "backbone"),
            settings["pooling"],
            settings["unit_length"],
            max_length=settings["longest"],
            dtype=settings.get("dtype"),
        )
        if settings.get("activation"):
            hugging_face.set_activation(encoder.backbone, settings["activation"])
        encoder.name = settings["name"]
        return encoder


def clean(sentence: str) -> str:
    """Replace white space of any kind with single spaces, with none at the ends.

    Half of a surrogate pair is not a character and becomes a question mark. NUL, which KerasHub 0.21 treats as the
    end of the text, is dropped.
    """
    words = sentence.replace("\0", "").split()
    return " ".join(words).encode("utf-8", "replace").decode("utf-8")


def _markers(tokenizer: Any) -> tuple[int, int]:
    """The ids of <s> and </s>, or of BERT's [CLS] and [SEP]."""
    first = getattr(tokenizer, "start_token_id", None)
    if first is not None:
        return first, tokenizer.end_token_id
    return tokenizer.cls_token_id, tokenizer.sep_token_id


def _as_lists(rows: Any) -> list[list[int]]:
    """Rows of ids as lists: KerasHub's tokenizers give ragged tensors, arrays or lists."""
    to_list = getattr(rows, "to_list", None) or getattr(rows, "tolist", None)
    return to_list() if to_list else rows
