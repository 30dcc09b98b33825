"""Write a RoBERTa preset of KerasHub as a Hugging Face folder, which any user of transformers can load.

    python tools/to_hugging_face.py PRESET FOLDER

The folder holds config.json, model.safetensors (float32, the prediction head included) and the tokenizer in
its two forms: vocab.json with merges.txt, and tokenizer.json. KerasHub reads it back with from_preset.
"""

import argparse
import json
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

POSITION_OFFSET = 2  # Hugging Face's RoBERTa counts positions from padding's id, 1, plus 1
SPECIAL = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "cls_token": "<s>",
    "unk_token": "<unk>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
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
        array = np.asarray(self.variable, "float32").reshape(self.shape)
        if self.skipped:
            array = np.pad(array, ((self.skipped, 0), (0, 0)))
        return np.ascontiguousarray(array.T if self.transposed else array)

    def write(self, array: np.ndarray) -> None:
        """Give KerasHub the weight that transformers has."""
        array = array[self.skipped :]
        array = array.T if self.transposed else array
        self.variable.assign(array.reshape(self.variable.shape))


def variables(model) -> dict[str, Part]:
    """The weights of a RobertaMaskedLM under Hugging Face's names."""
    backbone = model.backbone
    dim = backbone.hidden_dim
    found = {}

    def put_dense(name, layer, inward=dim):
        outward = int(np.prod(layer.kernel.shape)) // inward
        found[f"{name}.weight"] = Part(layer.kernel, (inward, outward), transposed=True)
        found[f"{name}.bias"] = Part(layer.bias)

    def put_norm(name, layer):
        found[f"{name}.weight"] = Part(layer.gamma)
        found[f"{name}.bias"] = Part(layer.beta)

    embeddings = "roberta.embeddings"
    table = backbone.token_embedding.embeddings
    found[f"{embeddings}.word_embeddings.weight"] = Part(table, tuple(table.shape))
    positions = backbone.embeddings.position_embedding.position_embeddings
    positions = Part(positions, tuple(positions.shape), skipped=POSITION_OFFSET)
    found[f"{embeddings}.position_embeddings.weight"] = positions
    put_norm(f"{embeddings}.LayerNorm", backbone.embeddings_layer_norm)
    for number, layer in enumerate(backbone.transformer_layers):
        prefix = f"roberta.encoder.layer.{number}"
        attention = layer._self_attention_layer
        for name in ("query", "key", "value"):
            put_dense(f"{prefix}.attention.self.{name}", getattr(attention, f"{name}_dense"))
        put_dense(f"{prefix}.attention.output.dense", attention.output_dense)
        put_norm(f"{prefix}.attention.output.LayerNorm", layer._self_attention_layer_norm)
        put_dense(f"{prefix}.intermediate.dense", layer._feedforward_intermediate_dense)
        outward = layer._feedforward_output_dense
        put_dense(f"{prefix}.output.dense", outward, backbone.intermediate_dim)
        put_norm(f"{prefix}.output.LayerNorm", layer._feedforward_layer_norm)
    head = model.masked_lm_head
    put_dense("lm_head.dense", head._intermediate_dense)
    put_norm("lm_head.layer_norm", head._intermediate_layer_norm)
    found["lm_head.bias"] = Part(head._bias)
    return found


def tensors(model) -> dict[str, np.ndarray]:
    """The weights of a RobertaMaskedLM under Hugging Face's names, as Hugging Face has them."""
    token_types = np.zeros((1, model.backbone.hidden_dim), "float32")
    found = {name: part.read() for name, part in variables(model).items()}
    return {**found, "roberta.embeddings.token_type_embeddings.weight": token_types}


def configuration(backbone) -> dict:
    """Hugging Face's config.json for a RobertaBackbone."""
    return {
        "architectures": ["RobertaForMaskedLM"],
        "model_type": "roberta",
        "vocab_size": backbone.vocabulary_size,
        "hidden_size": backbone.hidden_dim,
        "num_hidden_layers": backbone.num_layers,
        "num_attention_heads": backbone.num_heads,
        "intermediate_size": backbone.intermediate_dim,
        "hidden_act": "gelu",
        "hidden_dropout_prob": backbone.dropout,
        "attention_probs_dropout_prob": backbone.dropout,
        "max_position_embeddings": backbone.max_sequence_length + POSITION_OFFSET,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-5,
        "bos_token_id": 0,
        "pad_token_id": 1,
        "eos_token_id": 2,
        "tie_word_embeddings": True,
        "torch_dtype": "float32",
    }


def write_tokenizer(assets: Path, out: Path, longest: int) -> None:
    """vocab.json, merges.txt, tokenizer.json and what says how to use them."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    shutil.copy(assets / "vocabulary.json", out / "vocab.json")
    shutil.copy(assets / "merges.txt", out / "merges.txt")
    vocabulary = json.loads((out / "vocab.json").read_text("utf-8"))
    tokenizer = Tokenizer(models.BPE.from_file(str(out / "vocab.json"), str(out / "merges.txt")))
    tokenizer.add_special_tokens([t for t in dict.fromkeys(SPECIAL.values()) if t in vocabulary])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    ends = [(token, vocabulary[token]) for token in ("</s>", "<s>")]
    tokenizer.post_processor = processors.RobertaProcessing(*ends, add_prefix_space=False)
    tokenizer.save(str(out / "tokenizer.json"))
    settings = {
        "tokenizer_class": "RobertaTokenizerFast",
        "add_prefix_space": False,
        "model_max_length": longest,
        **SPECIAL,
    }
    (out / "tokenizer_config.json").write_text(json.dumps(settings, indent=1) + "\n")
    (out / "special_tokens_map.json").write_text(json.dumps(SPECIAL, indent=1) + "\n")


def main() -> None:
    """Read the preset, write the folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("preset", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    import keras_hub
    from safetensors.numpy import save_file

    model = keras_hub.models.RobertaMaskedLM.from_preset(
        str(options.preset), preprocessor=None, dtype="float32"
    )
    options.folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors(model), options.folder / "model.safetensors", metadata={"format": "pt"})
    config = json.dumps(configuration(model.backbone), indent=1)
    (options.folder / "config.json").write_text(config + "\n")
    longest = model.backbone.max_sequence_length
    write_tokenizer(options.preset / "assets" / "tokenizer", options.folder, longest)
    print(options.folder)


if __name__ == "__main__":
    main()
