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

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

from siamese_course.backbones import hugging_face
from siamese_course.backbones.hugging_face import SPECIAL, Part, dense_parts, norm_parts


def variables(model) -> dict[str, Part]:
    """The weights of a RobertaMaskedLM under Hugging Face's names."""
    parts = hugging_face.variables(model.backbone).items()
    head = model.masked_lm_head
    return {
        **{f"roberta.{name}": part for name, part in parts},
        **dense_parts("lm_head.dense", head._intermediate_dense),
        **norm_parts("lm_head.layer_norm", head._intermediate_layer_norm),
        "lm_head.bias": Part(head._bias),
    }


def tensors(model) -> dict[str, np.ndarray]:
    """The weights of a RobertaMaskedLM under Hugging Face's names, as Hugging Face has them."""
    token_types = np.zeros((1, model.backbone.hidden_dim), "float32")
    found = {name: part.read() for name, part in variables(model).items()}
    return {**found, "roberta.embeddings.token_type_embeddings.weight": token_types}


def configuration(backbone) -> dict:
    """Hugging Face's config.json for a RobertaBackbone."""
    return {
        **hugging_face.configuration(backbone),
        "architectures": ["RobertaForMaskedLM"],
        "pad_token_id": 1,
        "tie_word_embeddings": True,
    }


def write_tokenizer(assets: Path, out: Path, longest: int) -> None:
    """vocab.json, merges.txt, tokenizer.json and what says how to use them."""
    shutil.copy(assets / "vocabulary.json", out / "vocab.json")
    shutil.copy(assets / "merges.txt", out / "merges.txt")
    hugging_face.write_bpe(out)
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
