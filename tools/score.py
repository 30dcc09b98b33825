"""How good a preset is; the last line is one JSON object.

    python tools/score.py PRESET --text FILE [--texts 2000]

Masked-token accuracy of a RoBERTa preset with its prediction head on paragraphs that it has not seen, one a
line (pretrain.py leaves them in its --work folder as held_out.txt), and the seconds from the preset on disk
to the embedding of a first sentence, imports apart. What fine-tuning makes of a preset:
siamese-course train stsb and train triplets with --backbone PRESET.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from tqdm import tqdm

MASKED_SHARE = 0.15
BATCH = 64


def masked_accuracy(
    predict: Callable, tokenizer, texts: Sequence[str], longest: int, seed: int = 0
) -> dict:
    """How often the model's first guess is the hidden token.

    Every text is cut to windows of ``longest`` tokens, markers included. Of a window's tokens 15%, chosen at
    random, are hidden behind <mask>.

    Args:
        predict: {token_ids, padding_mask, mask_positions} -> (batch, k, vocabulary) logits.
        tokenizer: a RobertaTokenizer.
        texts: paragraphs.
        longest: tokens of a window.
        seed: of the choice.

    Returns:
        ``texts``, ``masked_tokens`` and ``masked_accuracy``.
    """
    rng = np.random.default_rng(seed)
    start, end, pad, mask = (
        getattr(tokenizer, f"{name}_token_id") for name in ("start", "end", "pad", "mask")
    )
    room = longest - 2
    windows = [
        [start, *ids[first : first + room], end]
        for ids in tokenizer(list(texts))
        for first in range(0, len(ids), room)
    ]
    windows.sort(key=len)
    most = round(MASKED_SHARE * room)
    hits = total = 0
    for first in tqdm(range(0, len(windows), BATCH), unit="batch", file=sys.stdout):
        part = windows[first : first + BATCH]
        ids = np.full((BATCH, longest), pad, "int32")
        positions = np.zeros((BATCH, most), "int32")  # 0 fills up, and is not counted
        for row, window in enumerate(part):
            ids[row, : len(window)] = window
            count = round(MASKED_SHARE * (len(window) - 2))
            chosen = 1 + rng.choice(len(window) - 2, count, replace=False)
            positions[row, :count] = np.sort(chosen)
        targets = np.take_along_axis(ids, positions, axis=1)
        hidden = ids.copy()
        np.put_along_axis(hidden, positions, mask, axis=1)
        hidden[:, 0] = ids[:, 0]
        logits = predict(
            {
                "token_ids": hidden,
                "padding_mask": (ids != pad).astype("int32"),
                "mask_positions": positions,
            }
        )
        counted = positions > 0
        hits += int(((np.argmax(logits, axis=-1) == targets) & counted).sum())
        total += int(counted.sum())
    return {
        "texts": len(texts),
        "masked_tokens": total,
        "masked_accuracy": round(hits / max(1, total), 4),
    }


def first_sentence_seconds(preset: str) -> float:
    """From the preset on disk to the embedding of one sentence."""
    from siamese_course.models.sentences import make_encoder

    started = time.perf_counter()
    make_encoder(preset).encode(["How old are you?"], verbose=False)
    return time.perf_counter() - started


def main() -> None:
    """Load, score, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("preset", help="folder of a preset")
    parser.add_argument("--text", type=Path, required=True, help="one paragraph a line")
    parser.add_argument("--texts", type=int, default=2_000, help="so many of them")
    options = parser.parse_args()
    import keras_hub

    seconds = first_sentence_seconds(options.preset)
    model = keras_hub.models.RobertaMaskedLM.from_preset(options.preset, preprocessor=None)
    tokenizer = keras_hub.models.RobertaTokenizer.from_preset(options.preset)
    texts = list(filter(None, map(str.strip, options.text.open(encoding="utf-8"))))
    found = masked_accuracy(
        model.predict_on_batch,
        tokenizer,
        texts[: options.texts],
        model.backbone.max_sequence_length,
    )
    parameters = model.backbone.count_params()
    print(json.dumps({"parameters": parameters, "load_seconds": round(seconds, 2), **found}))


if __name__ == "__main__":
    main()
