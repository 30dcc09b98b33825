"""Folders of sentence-transformers: read one as a backbone with its tokenizer, or write an encoder as one.

Such a folder holds a transformer of Hugging Face, and ``modules.json``, which lists what follows it: pooling and
maybe unit length. BERT, RoBERTa, DistilBERT and XLM-RoBERTa are read and written.
"""

import json
import shutil
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import keras
import numpy as np

from siamese_course.runtime.errors import CourseError

TOKENIZER = "tokenizer.json"
# In a preset of KerasHub, tokenizer.json is something else
OWN_TOKENIZER, OWN_SETTINGS = "hugging_face_tokenizer.json", "hugging_face_tokenizer_config.json"
MODULES = "modules.json"
POOLING_KEYS = {"mean": "mean_tokens", "max": "max_tokens", "cls": "cls_token"}
# Parts of a layer: in KerasHub, in BERT and RoBERTa of Hugging Face, in its DistilBERT
DENSE = (
    ("_self_attention_layer.query_dense", "attention.self.query", "attention.q_lin"),
    ("_self_attention_layer.key_dense", "attention.self.key", "attention.k_lin"),
    ("_self_attention_layer.value_dense", "attention.self.value", "attention.v_lin"),
    ("_self_attention_layer.output_dense", "attention.output.dense", "attention.out_lin"),
    ("_feedforward_intermediate_dense", "intermediate.dense", "ffn.lin1"),
    ("_feedforward_output_dense", "output.dense", "ffn.lin2"),
)
NORMS = (
    ("_self_attention_layer_norm", "attention.output.LayerNorm", "sa_layer_norm"),
    ("_feedforward_layer_norm", "output.LayerNorm", "output_layer_norm"),
)
SPECIAL = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "cls_token": "<s>",
    "unk_token": "<unk>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
}
POSITION_OFFSET = 2
"""RoBERTa of Hugging Face counts positions from padding's id, 1, plus 1."""
TENSORS = "model.safetensors"


# --- tokenizer ---


class Tokenizer:
    """A tokenizer of the ``tokenizers`` library, as sentence-transformers uses it.

    Args:
        path: of tokenizer.json.
        pad_token: the text of padding.
        split_special: read the text of a special token, such as <s>, as any other.
    """

    def __init__(self, path: Path, pad_token: str, split_special: bool = False) -> None:
        import tokenizers

        try:
            self.fast = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises no narrower kind
            raise ValueError(f"{path.name}: {error}") from error
        self.fast.no_padding()
        self.fast.encode_special_tokens = split_special
        self.pad_token, self.split_special = pad_token, split_special
        self.pad_token_id = self.fast.token_to_id(pad_token)

    def rows(self, texts: Sequence[str], max_length: int) -> tuple[list[list[int]], int]:
        """Return the ids of each text, first and last token included, and how many texts were cut."""
        self.fast.enable_truncation(max_length)
        # Half of a surrogate pair is not a character
        encoded = self.fast.encode_batch(
            [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        )
        return [row.ids for row in encoded], sum(bool(row.overflowing) for row in encoded)

    def save(self, path: Path) -> None:
        """Write tokenizer.json, without truncation."""
        self.fast.no_truncation()
        self.fast.save(str(path))

    def save_to_preset(self, folder: str) -> None:
        """Write the tokenizer and the name of padding beside a backbone of KerasHub."""
        self.save(Path(folder, OWN_TOKENIZER))
        settings = json.dumps({"pad_token": self.pad_token, "split_special": self.split_special})
        Path(folder, OWN_SETTINGS).write_text(settings + "\n")


def saved_tokenizer(folder: Path) -> Tokenizer | None:
    """Return the tokenizer that ``Tokenizer.save_to_preset`` wrote, if there is one."""
    path = folder / OWN_TOKENIZER
    if not path.exists():
        return None
    return Tokenizer(path, **_json(folder / OWN_SETTINGS))


# --- read ---


def read_folder(folder: Path) -> tuple[Any, Tokenizer, str, bool, int]:
    """Read a folder of sentence-transformers.

    Returns:
        (backbone, tokenizer, pooling, whether embeddings have unit length, maximum length).

    Raises:
        CourseError: a module, a pooling or a setting that the course does not have, or no tokenizer.json.
        OSError, ValueError, KeyError: damaged files.
    """
    import keras_hub

    kinds = [(row["type"].rsplit(".", 1)[-1], row["path"]) for row in _json(folder / MODULES)]
    names = [kind for kind, _ in kinds]
    if names[:2] != ["Transformer", "Pooling"] or names[2:] not in ([], ["Normalize"]):
        raise CourseError(
            f"{folder} has the modules {', '.join(names)}; the course reads Transformer, Pooling and "
            "Normalize."
        )
    transformer, pooling = (folder / path for _, path in kinds[:2])
    if _json_if(folder / "config_sentence_transformers.json").get("default_prompt_name"):
        raise CourseError(f"{folder} puts a prompt before each text, which the course does not do.")
    settings = _json_if(transformer / "sentence_bert_config.json")
    config, about = (_json(transformer / f"{name}config.json") for name in ("", "tokenizer_"))
    if not (transformer / TOKENIZER).exists():
        raise CourseError(
            f"{transformer} has no {TOKENIZER}. Write it with transformers: "
            "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)"
        )
    pad = about.get("pad_token") or "[PAD]"
    pad = pad["content"] if isinstance(pad, dict) else pad
    split_special = bool(about.get("split_special_tokens"))
    tokenizer = Tokenizer(transformer / TOKENIZER, pad, split_special)
    if tokenizer.pad_token_id is None:
        raise CourseError(
            f"{transformer / TOKENIZER} has no {pad!r}; set pad_token in tokenizer_config.json."
        )
    if settings.get("do_lower_case"):
        from tokenizers import normalizers

        found = tokenizer.fast.normalizer
        tokenizer.fast.normalizer = normalizers.Sequence(
            [normalizers.Lowercase(), *([found] if found else [])]
        )
    backbone = keras_hub.models.Backbone.from_preset(str(transformer), load_weights=False)
    _fill(backbone, transformer / TENSORS)
    set_activation(backbone, config.get("hidden_act") or config.get("activation") or "gelu")
    limit = backbone.max_sequence_length
    longest = settings.get("max_seq_length") or about.get("model_max_length") or limit
    max_length = min(int(longest), limit)
    return backbone, tokenizer, _pooling(pooling), "Normalize" in names, max_length


def _pooling(folder: Path) -> str:
    config = _json(folder / "config.json")
    modes = config.get("pooling_mode")
    if modes is None:
        flags = [name for name in config if name.startswith("pooling_mode_") and config[name]]
        modes = [name.removeprefix("pooling_mode_") for name in flags] or ["mean_tokens"]
    modes = [modes] if isinstance(modes, str) else modes
    for name, key in POOLING_KEYS.items():
        if modes in ([name], [key]):
            return name
    raise CourseError(
        f"{folder} pools by {', '.join(modes)}; the course has {', '.join(POOLING_KEYS)}."
    )


def _fill(backbone: Any, path: Path) -> None:
    """Give a backbone the weights of a model.safetensors, whose names may have the model's in front."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if not path.exists():
        raise CourseError(
            f"{path} does not exist. Write it with transformers: "
            "AutoModel.from_pretrained(FOLDER).save_pretrained(FOLDER)"
        )
    try:
        stored = load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path.name}: {error}") from error
    first = "embeddings.word_embeddings.weight"
    prefix = next((name.removesuffix(first) for name in stored if name.endswith(first)), None)
    if prefix is None:
        raise ValueError(f"{path.name} has no {first}")
    stored = {name.removeprefix(prefix): array.astype("float32") for name, array in stored.items()}
    if "roberta" in _family(backbone):  # KerasHub's has no token types, of which there is one
        positions = "embeddings.position_embeddings.weight"
        stored[positions] = stored[positions] + stored["embeddings.token_type_embeddings.weight"][0]
    for name, part in variables(backbone).items():
        if name in stored or not name.startswith("pooler"):
            part.write(stored[name])


def _gelu_tanh(x: Any) -> Any:
    return keras.ops.gelu(x, approximate=True)


ACTIVATIONS = {
    "gelu": keras.activations.gelu,
    "gelu_new": _gelu_tanh,
    "gelu_pytorch_tanh": _gelu_tanh,
    "relu": keras.activations.relu,
}


def set_activation(backbone: Any, name: str) -> None:
    """Set the activation of the feedforward layers; KerasHub's BERT has an approximate GELU.

    Raises:
        CourseError: an unknown one.
    """
    if name not in ACTIVATIONS:
        raise CourseError(f"The activation {name} is not one of {', '.join(ACTIVATIONS)}.")
    backbone.activation_name = name
    for layer in backbone.transformer_layers:
        layer.activation = ACTIVATIONS[name]
        layer._feedforward_intermediate_dense.activation = ACTIVATIONS[name]


def _json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def _json_if(path: Path) -> dict:
    return _json(path) if path.exists() else {}


# --- write ---


def write_folder(encoder: Any, folder: Path) -> None:
    """Write a sentence encoder as a folder of sentence-transformers; see ``SentenceEncoder.export``."""
    from safetensors.numpy import save_file

    pooling = {f"pooling_mode_{key}": name == encoder.pooling for name, key in POOLING_KEYS.items()}
    modules = ["Transformer", "Pooling"] + ["Normalize"] * encoder.unit_length
    paths = ["", "1_Pooling", "2_Normalize"]
    config = configuration(encoder.backbone)
    for path in paths[: len(modules)]:
        (folder / path).mkdir(parents=True, exist_ok=True)
    save_file(tensors(encoder.backbone), folder / TENSORS, metadata={"format": "pt"})
    settings = write_tokenizer(encoder.tokenizer, folder, encoder.max_length)
    files = {
        "config.json": {**config, "pad_token_id": encoder.pad_id},
        "tokenizer_config.json": settings,
        "sentence_bert_config.json": {"max_seq_length": encoder.max_length, "do_lower_case": False},
        "1_Pooling/config.json": {
            "word_embedding_dimension": encoder.backbone.hidden_dim,
            **pooling,
        },
        MODULES: [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{name}"}
            for i, (name, path) in enumerate(zip(modules, paths, strict=False))
        ],
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def _family(backbone: Any) -> str:
    """bert, roberta, distilbert or xlm-roberta."""
    names = {
        "BertBackbone": "bert",
        "RobertaBackbone": "roberta",
        "DistilBertBackbone": "distilbert",
        "XLMRobertaBackbone": "xlm-roberta",
    }
    try:
        return names[type(backbone).__name__]
    except KeyError as error:
        raise CourseError(
            f"The backbone is a {type(backbone).__name__}, which is not supported; the course "
            f"supports {', '.join(names)}."
        ) from error


def configuration(backbone: Any) -> dict[str, Any]:
    """Return Hugging Face's config.json for a backbone."""
    family = _family(backbone)
    is_roberta = "roberta" in family
    activation = getattr(backbone, "activation_name", None)
    activation = activation or ("gelu_pytorch_tanh" if family == "bert" else "gelu")
    config = {
        "model_type": family,
        "architectures": [type(backbone).__name__.replace("Backbone", "Model")],
        "vocab_size": backbone.vocabulary_size,
        "max_position_embeddings": backbone.max_sequence_length + POSITION_OFFSET * is_roberta,
        "torch_dtype": "float32",
    }
    if family == "distilbert":
        return config | {
            "dim": backbone.hidden_dim,
            "n_layers": backbone.num_layers,
            "n_heads": backbone.num_heads,
            "hidden_dim": backbone.intermediate_dim,
            "activation": activation,
            "dropout": backbone.dropout,
        }
    return config | {
        "hidden_size": backbone.hidden_dim,
        "num_hidden_layers": backbone.num_layers,
        "num_attention_heads": backbone.num_heads,
        "intermediate_size": backbone.intermediate_dim,
        "hidden_act": activation,
        "hidden_dropout_prob": backbone.dropout,
        "attention_probs_dropout_prob": backbone.dropout,
        "type_vocab_size": 1 if is_roberta else backbone.num_segments,
        "layer_norm_eps": 1e-5 if is_roberta else 1e-12,
        **({"bos_token_id": 0, "eos_token_id": 2} if is_roberta else {}),
    }


class Part(NamedTuple):
    """A weight of KerasHub's as transformers has it: heads lie flat, and a matrix is (out, in).

    Attributes:
        variable: KerasHub's.
        shape: transformers' shape, before a matrix is transposed; (-1,) for a vector.
        transposed: whether it is the matrix of a dense layer.
        skipped: rows that transformers has in front of it and does not use.
    """

    variable: Any
    shape: tuple[int, ...] = (-1,)
    transposed: bool = False
    skipped: int = 0

    def read(self) -> np.ndarray:
        """The weight as transformers has it."""
        array = keras.ops.convert_to_numpy(self.variable).astype("float32").reshape(self.shape)
        if self.skipped:
            array = np.pad(array, ((self.skipped, 0), (0, 0)))
        return np.ascontiguousarray(array.T if self.transposed else array)

    def write(self, array: np.ndarray) -> None:
        """Give KerasHub the weight that transformers has."""
        array = array[self.skipped :]
        array = array.T if self.transposed else array
        self.variable.assign(array.reshape(self.variable.shape))


def variables(backbone: Any) -> dict[str, Part]:
    """Return the weights of a backbone under the names of Hugging Face, without the model's prefix."""
    family = _family(backbone)
    is_distilbert = family == "distilbert"
    found: dict[str, Part] = {}

    def table(name: str, variable: Any, skipped: int = 0) -> None:
        shape = tuple(variable.shape)
        found[f"embeddings.{name}.weight"] = Part(variable, shape, skipped=skipped)

    if family == "bert":
        positions = backbone.get_layer("position_embedding").position_embeddings
        table("token_type_embeddings", backbone.get_layer("segment_embedding").embeddings)
        found |= dense_parts("pooler.dense", backbone.get_layer("pooled_dense"))
    else:
        both = "token_and_position_embedding" if is_distilbert else "embeddings"
        positions = backbone.get_layer(both).position_embedding.position_embeddings
    table("word_embeddings", backbone.token_embedding.embeddings)
    table("position_embeddings", positions, POSITION_OFFSET * ("roberta" in family))
    found |= norm_parts("embeddings.LayerNorm", backbone.get_layer("embeddings_layer_norm"))
    for number, layer in enumerate(backbone.transformer_layers):
        stem = f"{'transformer' if is_distilbert else 'encoder'}.layer.{number}"
        for parts_of, names in ((dense_parts, DENSE), (norm_parts, NORMS)):
            for ours, *theirs in names:
                found |= parts_of(f"{stem}.{theirs[is_distilbert]}", attrgetter(ours)(layer))
    return found


def dense_parts(name: str, layer: Any) -> dict[str, Part]:
    """The kernel and bias of a dense layer, whose heads lie flat in transformers."""
    outward = int(np.prod(layer.bias.shape))
    kernel = Part(layer.kernel, (-1, outward), transposed=True)
    return {f"{name}.weight": kernel, f"{name}.bias": Part(layer.bias)}


def norm_parts(name: str, layer: Any) -> dict[str, Part]:
    """The weights of a layer normalization."""
    return {f"{name}.weight": Part(layer.gamma), f"{name}.bias": Part(layer.beta)}


def tensors(backbone: Any) -> dict[str, np.ndarray]:
    """Return the weights of a backbone as Hugging Face has them."""
    found = {name: part.read() for name, part in variables(backbone).items()}
    if "roberta" in _family(backbone):
        token_types = np.zeros((1, backbone.hidden_dim), "float32")
        found["embeddings.token_type_embeddings.weight"] = token_types
    return found


def write_tokenizer(tokenizer: Any, folder: Path, max_length: int) -> dict[str, Any]:
    """Write tokenizer.json, and return tokenizer_config.json.

    Raises:
        CourseError: a tokenizer of KerasHub other than RoBERTa's.
    """
    common = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_input_names": ["input_ids", "attention_mask"],
        "model_max_length": max_length,
    }
    if isinstance(tokenizer, Tokenizer):
        tokenizer.save(folder / TOKENIZER)
        split = {"split_special_tokens": True} if tokenizer.split_special else {}
        return {**common, **split, "pad_token": tokenizer.pad_token}
    if type(tokenizer).__name__ != "RobertaTokenizer":
        raise CourseError(
            f"The tokenizer is KerasHub's {type(tokenizer).__name__}, which cannot be exported. Load "
            "the model from a folder of sentence-transformers instead."
        )
    tokenizer.save_assets(str(folder))
    shutil.move(folder / "vocabulary.json", folder / "vocab.json")
    write_bpe(folder)
    return {**common, **SPECIAL}


def write_bpe(folder: Path) -> None:
    """Write the tokenizer.json of a folder's vocab.json and merges.txt."""
    from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors
    from tokenizers import Tokenizer as Fast

    vocabulary = _json(folder / "vocab.json")
    fast = Fast(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    fast.add_special_tokens(
        [token for token in dict.fromkeys(SPECIAL.values()) if token in vocabulary]
    )
    # White space as in ``models.sentences.clean``: what str.split takes for it
    spaces = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
    single = normalizers.Replace(Regex(f"[{spaces}]+"), " ")
    fast.normalizer = normalizers.Sequence([single, normalizers.Strip()])
    fast.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    fast.decoder = decoders.ByteLevel()
    end, start = ((token, vocabulary[token]) for token in ("</s>", "<s>"))
    fast.post_processor = processors.RobertaProcessing(end, start, add_prefix_space=False)
    fast.save(str(folder / TOKENIZER))
