"""A RoBERTa small enough for tests, and the script that pre-trains, as a module."""

import importlib.util
from pathlib import Path

from tests.conftest import ROOT

SCRIPT = ROOT / "tools" / "pretrain.py"
DIM, MAX_LENGTH, SIZE = 32, 160, 330
SENTENCES = [
    "A dog eats its dinner in the yard behind the house.",
    "The sun shines on the hills, and it is a warm day.",
    "How do I learn to play the violin without a teacher?",
    "She mended the old bicycle with a new chain and two tyres.",
    "Rain fell on the market, so nobody bought bread or flowers.",
    "What is the best way to earn money on the internet?",
]


def load_script():
    """tools/pretrain.py as a module: it is in no package."""
    spec = importlib.util.spec_from_file_location("pretrain", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_tiny_preset(folder: Path, seed: int = 0) -> Path:
    """A KerasHub preset: two layers of 32, a byte-level BPE vocabulary of a few hundred, random weights.

    Its vocab.json and merges.txt, as `tokenizers` writes them, are in the folder above.
    """
    import keras
    import keras_hub
    from tokenizers import ByteLevelBPETokenizer

    tokenizer = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(3 * SENTENCES, SIZE, min_frequency=2, special_tokens=special)
    assert tokenizer.get_vocab_size() == SIZE
    tokenizer.save_model(str(folder))
    keras.utils.set_random_seed(seed)
    backbone = keras_hub.models.RobertaBackbone(
        vocabulary_size=SIZE,
        num_layers=2,
        num_heads=2,
        hidden_dim=DIM,
        intermediate_dim=2 * DIM,
        dropout=0.1,
        max_sequence_length=MAX_LENGTH,
    )
    preset = folder / "tiny"
    files = str(folder / "vocab.json"), str(folder / "merges.txt")
    backbone.save_to_preset(str(preset))
    keras_hub.models.RobertaTokenizer(*files).save_to_preset(str(preset))
    return preset
