"""Pre-train a small RoBERTa as a masked-language model: text in, KerasHub preset out.

    python tools/pretrain.py TEXT [TEXT ...] --out FOLDER [--work FOLDER] [--steps N] [--start PRESET]

TEXT is a file with one paragraph a line, plain or .gz or .xz; a file whose name holds "quora" is read as
Quora's question pairs. Everything on the way is kept in --work: tokenizer, token ids, held-out
paragraphs, checkpoints and the log. The same command goes on where it was cut off; a longer --steps goes
on from the last checkpoint before the learning rate fell. Where the checkpoints are gone, --start goes on from
a preset that this script made: with its tokenizer, its weights and its count of steps. A batch depends on the seed and the number of
its step alone, so that a resumed run sees what an uninterrupted one would have seen. Runs on every Keras
backend (KERAS_BACKEND), on a CPU or a GPU. The last line is one JSON object.

The method is RoBERTa's (Liu et al. 2019, arXiv:1907.11692): byte-level BPE, full windows, dynamic masking
of 15% of the tokens, no sentence objective. The learning rate is held between a rise and a fall, so that
the length of the run need not be known when it begins. While it falls the windows are longer, 20% of the
tokens are predicted and all of these hidden: Wettig et al. (2023, arXiv:2202.08005) found both to help, in larger
models; here it has not been compared. Two things are added. The token embeddings start
from counts of neighbors, which saves the first thousands of steps, in which the loss hardly moves; and the
weight matrices are trained by Muon (Jordan et al. 2024), which needs about half the tokens that AdamW does.
"""

import argparse
import gzip
import json
import lzma
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from tqdm import tqdm

START, PAD, END, UNKNOWN, MASK = range(5)
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
LONGEST = 128
HELD_OUT, BLOCK = 2_000, 50  # held-out paragraphs, in blocks: neighbors often share an article
WINDOW = 5  # tokens to either side that count as neighbors
ROWS = 10_000_000  # tokens to count at a time
RISE, FALL = 200, 0.5  # steps in which the learning rate rises; share of them in which it falls


class Stage(NamedTuple):
    """What batches are like. All have the same number of tokens."""

    lengths: tuple  # of the windows: (length, share of the batches)
    masked: float  # share of the tokens to predict
    hidden: float  # share of these that become <mask>; half of the others are exchanged, half stay


LEVEL_STAGE = Stage(((32, 0.2), (64, 0.6), (128, 0.2)), 0.15, 0.8)
FALL_STAGE = Stage(((64, 0.3), (128, 0.7)), 0.2, 1.0)


# --- text and tokens ---


def paragraphs(path: Path) -> Iterator[str]:
    """The paragraphs of a text file, or the questions of a file of Quora's pairs, each once."""
    if "quora" in path.name:
        from siamese_course.sources.question_pairs import read_pairs

        pairs = read_pairs(path)
        yield from dict.fromkeys(pairs.question1 + pairs.question2)
        return
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "rt", encoding="utf-8") as lines:
        yield from filter(None, map(str.strip, lines))


def held_out(texts: list[str], rng) -> tuple[list[str], list[str]]:
    """(texts to train on, texts that are kept from it): blocks of neighbors, drawn at random."""
    blocks = max(1, min(HELD_OUT, len(texts) // 10) // BLOCK)
    starts = rng.choice(len(texts) // BLOCK, blocks, replace=False) * BLOCK
    chosen = np.zeros(len(texts), bool)
    chosen[(starts[:, None] + np.arange(BLOCK)).ravel()] = True
    return tuple(
        [text for text, out in zip(texts, chosen, strict=True) if out == wanted]
        for wanted in (False, True)
    )


def prepare(
    paths: list[Path], work: Path, vocabulary_size: int, seed: int, start: Path | None = None
) -> None:
    """Write the tokenizer, the token ids and the held-out paragraphs of the first file to ``work``.

    The tokenizer is trained on the text, or it is that of the preset to start from.
    """
    from tokenizers import ByteLevelBPETokenizer

    if (work / "tokens.npy").exists():
        return
    work.mkdir(parents=True, exist_ok=True)
    texts = [list(paragraphs(path)) for path in paths]
    if len(texts[0]) < 2 * BLOCK:
        sys.exit(f"{paths[0]} holds {len(texts[0])} paragraphs; expected at least {2 * BLOCK}.")
    rng = np.random.default_rng(seed)
    texts[0], unseen = held_out(texts[0], rng)
    (work / "held_out.txt").write_text("\n".join(unseen) + "\n", "utf-8")
    everything = [text for part in texts for text in part]
    print(f"{len(everything):,} paragraphs, {len(unseen):,} held out; tokens come next")
    if start:
        files = [
            start / "assets" / "tokenizer" / name for name in ("vocabulary.json", "merges.txt")
        ]
        tokenizer = ByteLevelBPETokenizer.from_file(*map(str, files))
        tokenizer.add_special_tokens(SPECIAL)
    else:
        tokenizer = ByteLevelBPETokenizer()
        tokenizer.train_from_iterator(
            everything, vocabulary_size, min_frequency=2, special_tokens=SPECIAL
        )
    tokenizer.save_model(str(work))
    # In random order, so that no stretch of the run reads one subject, or questions only
    rng.shuffle(everything)
    ids = []
    for start in range(0, len(everything), 10_000):
        for encoded in tokenizer.encode_batch(everything[start : start + 10_000]):
            ids.append(np.array([*encoded.ids, END], "uint16"))
    ids = np.concatenate(ids)
    np.save(work / "tokens.part.npy", ids)
    os.replace(work / "tokens.part.npy", work / "tokens.npy")
    print(f"{len(ids):,} tokens, {tokenizer.get_vocab_size():,} kinds")


def mask_tokens(
    windows: np.ndarray,
    vocabulary_size: int,
    rng: np.random.Generator,
    stage: Stage = LEVEL_STAGE,
):
    """Dynamic masking: choose tokens to predict, 15% as in RoBERTa or what the stage says.

    RoBERTa turns 80% of the chosen tokens into <mask>, 10% into another token and leaves 10% as they are.
    Special tokens are not chosen.

    Args:
        windows: (batch, length) ids.
        vocabulary_size: number of ids.
        rng: source of the choice.
        stage: how many to choose and to hide.

    Returns:
        (inputs, positions, targets): (batch, length), (batch, k) and (batch, k) int32, with k the stage's
        share of the length.
    """
    count = max(1, round(stage.masked * windows.shape[1]))
    order = rng.random(windows.shape)
    order[windows < len(SPECIAL)] = 2.0
    positions = np.sort(np.argpartition(order, count, axis=1)[:, :count], axis=1).astype("int32")
    targets = np.take_along_axis(windows, positions, axis=1)
    fate = rng.random(positions.shape)
    other = rng.integers(len(SPECIAL), vocabulary_size, positions.shape)
    exchanged = (1 + stage.hidden) / 2
    put = np.where(fate < stage.hidden, MASK, np.where(fate < exchanged, other, targets))
    inputs = windows.copy()
    np.put_along_axis(inputs, positions, put.astype("int32"), axis=1)
    return inputs, positions, targets


def batch_of_step(
    tokens: np.ndarray,
    step: int,
    tokens_per_batch: int,
    size: int,
    seed: int,
    stage: Stage = LEVEL_STAGE,
):
    """The batch of a step, a function of the seed, the step and the stage alone.

    Windows begin anywhere, <s> before and </s> after them; every batch has ``tokens_per_batch`` tokens.

    Returns:
        (features, targets) as ``RobertaMaskedLM`` takes them.
    """
    rng = np.random.default_rng([seed, step])
    lengths, shares = zip(*stage.lengths, strict=True)
    length = int(rng.choice(lengths, p=shares))
    starts = rng.integers(0, len(tokens) - length, tokens_per_batch // length)
    windows = np.full((len(starts), length), START, "int32")
    windows[:, 1:-1] = tokens[starts[:, None] + np.arange(length - 2)]
    windows[:, -1] = END
    inputs, positions, targets = mask_tokens(windows, size, rng, stage)
    features = {
        "token_ids": inputs,
        "padding_mask": np.ones_like(inputs),
        "mask_positions": positions,
    }
    return features, targets


# --- model and training ---


def build_masked_lm(size: int, layers: int, dim: int, heads: int, seed: int):
    """A RobertaMaskedLM without dropout: a corpus that is hardly read twice needs none.

    Positions are learned, and start as the sinusoids of Vaswani et al. (2017), of the same size as
    KerasHub's random start: neighbors are alike from the first step.
    """
    import keras
    import keras_hub

    keras.utils.set_random_seed(seed)
    backbone = keras_hub.models.RobertaBackbone(
        vocabulary_size=size,
        num_layers=layers,
        num_heads=heads,
        hidden_dim=dim,
        intermediate_dim=4 * dim,
        dropout=0.0,
        max_sequence_length=LONGEST,
    )
    angles = np.arange(LONGEST)[:, None] / 10_000 ** (np.arange(0, dim, 2) / dim)
    waves = 0.02 * np.sqrt(2) * np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    backbone.embeddings.position_embedding.position_embeddings.assign(waves)
    return keras_hub.models.RobertaMaskedLM(backbone)


def count_statistics(tokens: np.ndarray, size: int, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """What counting alone tells of the tokens.

    Args:
        tokens: ids of a text.
        size: number of ids.
        dim: of the embeddings, less than ``size``.

    Returns:
        (embeddings, log_share): (size, dim) of KerasHub's usual standard deviation of 0.02, the singular
        vectors of the positive pointwise mutual information of tokens at most ``WINDOW`` apart; and
        (size,), the logarithm of each token's share of the text.

    Source: Levy and Goldberg (2014), "Neural Word Embedding as Implicit Matrix Factorization".
    """
    from sklearn.utils.extmath import randomized_svd

    pairs = np.zeros(size * size, "float32")
    for apart in range(1, WINDOW + 1):
        for start in range(0, len(tokens) - apart, ROWS):
            block = tokens[start : start + ROWS + apart].astype("int64")
            pairs += np.bincount(block[:-apart] * size + block[apart:], minlength=size * size)
    pairs = pairs.reshape(size, size)
    pairs += pairs.T
    share = pairs.sum(axis=1) + 1.0
    share /= share.sum()
    with np.errstate(divide="ignore"):
        information = np.log(pairs / pairs.sum() / share / share[:, None])
    left, strength, _ = randomized_svd(np.maximum(information, 0), dim, n_iter=3, random_state=0)
    rows = left * np.sqrt(strength)
    rows -= rows.mean(axis=0)  # what all tokens share says nothing
    return rows * (0.02 / rows.std()), np.log(share)


def start_from_counts(model, tokens: np.ndarray) -> None:
    """Give a model its first token embeddings, and its prediction head's bias, by ``count_statistics``.

    From a random start it spends thousands of steps on learning no more than that.
    """
    table = model.backbone.token_embedding.embeddings
    embeddings, log_share = count_statistics(tokens, *table.shape)
    table.assign(embeddings)
    (bias,) = (weight for weight in model.weights if weight.shape == log_share.shape)
    bias.assign(log_share)


def muon(rate):
    """Muon for every weight matrix, the attention's included, and AdamW for embeddings, biases and norms.

    Keras's own takes weights of two axes only. KerasHub's attention keeps its matrices with the heads on an
    axis of their own, (dim, heads, size) or (heads, size, dim): here they are flattened for the update.

    Args:
        rate: a number or a schedule; updates are scaled so that AdamW's rates fit (Liu et al. 2025,
            arXiv:2502.16982).
    """
    import keras
    from keras import ops

    def matrix_shape(shape) -> tuple[int, int] | None:
        if len(shape) == 3 and shape[0] * shape[1] <= shape[2]:
            return shape[0] * shape[1], shape[2]
        if len(shape) == 3:
            return shape[0], shape[1] * shape[2]
        return tuple(shape) if len(shape) == 2 else None

    class MatrixMuon(keras.optimizers.Muon):
        def _should_use_adamw(self, variable):
            return (
                "embedding" in variable.path
                or matrix_shape(variable.shape) is None
                or _is_bias(variable)
            )

        def _muon_update_step(self, gradient, variable, lr, m):
            self.assign_add(m, ops.add(gradient, m * (self.momentum - 1)))
            shape = matrix_shape(variable.shape)
            direction = ops.reshape(gradient + self.momentum * m, shape)
            direction = ops.cast(
                direction / (ops.norm(direction) + 1e-7), keras.config.dtype_policy().compute_dtype
            )
            update = ops.cast(
                self.zeropower_via_newtonschulz5(direction, self.ns_steps), variable.dtype
            )
            self.assign_sub(variable, ops.reshape(self.lr_adjust(lr * update), variable.shape))

    return MatrixMuon(
        rate, adam_beta_2=0.98, weight_decay=0.01, adam_weight_decay=0.01, clipnorm=1.0
    )


def _is_bias(variable) -> bool:
    return variable.path.endswith("bias")  # (heads, size): two axes, and no matrix


def learning_rate(peak: float, steps: int):
    """A schedule: up in ``RISE`` steps, level, and down to 0 in the last half."""
    import keras
    from keras import ops

    class Trapezoid(keras.optimizers.schedules.LearningRateSchedule):
        def __call__(self, step):
            step = ops.cast(step, "float32")
            up = (step + 1.0) / RISE
            down = (steps - step) / max(1.0, FALL * steps)
            return peak * ops.clip(ops.minimum(up, down), 0.0, 1.0)

        def get_config(self):
            return {"peak": peak, "steps": steps}

    return Trapezoid()


def start_from_preset(model, preset: Path, log: Path) -> tuple[int, float]:
    """Give a model the weights of a preset of its shape, and a log that of the preset.

    Returns:
        (step, seconds): what the preset has behind it.
    """
    import keras_hub

    model.set_weights(keras_hub.models.RobertaMaskedLM.from_preset(str(preset)).get_weights())
    lines = (preset / "training.jsonl").read_text("utf-8")
    log.write_text(lines, "utf-8")
    last = json.loads(lines.splitlines()[-1])
    return last["step"], last["seconds"]


def level_end(first: int, steps: int) -> int:
    """The step at which the learning rate begins to fall, in a run from step ``first`` to ``steps``."""
    return steps - round(FALL * (steps - first))


def save_checkpoint(path: Path, model, step: int, seconds: float, steps: int, first: int) -> None:
    """Weights, optimizer, step, seconds so far, and the run's planned and first step: one file or none."""
    from keras import ops

    variables = [*model.weights, *model.optimizer.variables]
    arrays = {str(number): ops.convert_to_numpy(v) for number, v in enumerate(variables)}
    part = path.with_suffix(".part.npz")
    np.savez(part, step=step, seconds=seconds, steps=steps, first=first, **arrays)
    os.replace(part, path)


def last_checkpoint(work: Path, steps: int) -> Path | None:
    """Where to go on from: the last checkpoint, or the last level one where the run was to end sooner."""
    last = work / "checkpoint.npz"
    if not last.exists():
        return None
    with np.load(last) as stored:
        planned, step, first = (int(stored[name]) for name in ("steps", "step", "first"))
    return work / "level.npz" if planned != steps and step > level_end(first, planned) else last


def load_checkpoint(path: Path, model) -> tuple[int, float]:
    """Put a checkpoint into a compiled model; returns its step and seconds."""
    with np.load(path) as stored:
        for number, variable in enumerate([*model.weights, *model.optimizer.variables]):
            variable.assign(stored[str(number)])
        return int(stored["step"]), float(stored["seconds"])


def _forget_after(log: Path, step: int) -> None:
    """Drop what a log says of later steps, which are now done again."""
    lines = log.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["step"] <= step]
    log.write_text("".join(kept), encoding="utf-8")


def train(work: Path, options) -> tuple[object, int, float]:
    """Train from the last checkpoint to the last step, or until the sitting is over.

    Returns:
        (model, step, seconds): seconds of all sittings.
    """
    import keras

    tokens = np.load(work / "tokens.npy", mmap_mode="r")
    size = len(json.loads((work / "vocab.json").read_text("utf-8")))
    if options.dtype:
        keras.config.set_dtype_policy(options.dtype)
    model = build_masked_lm(size, options.layers, options.dim, options.heads, options.seed)
    log_file = work / "log.jsonl"
    step, before, first = 0, 0.0, 0
    if found := last_checkpoint(work, options.steps):
        with np.load(found) as stored:
            first = int(stored["first"])
    elif options.start:
        step, before = start_from_preset(model, options.start, log_file)
        first = step
    else:
        start_from_counts(model, tokens)
    optimizer = muon(learning_rate(options.rate, options.steps - first))
    optimizer.exclude_from_weight_decay(var_names=["bias", "gamma", "beta"])
    model.compile(
        optimizer,
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["sparse_categorical_accuracy"],
        jit_compile=keras.backend.backend() == "jax" or options.jit,
    )
    optimizer.build(model.trainable_variables)
    print(f"{model.backbone.count_params():,} parameters, {options.tokens:,} tokens a batch")
    fall = level_end(first, options.steps)
    if found:
        step, before = load_checkpoint(found, model)
        _forget_after(log_file, step)
    if step:
        print(f"goes on at step {step:,}")
    started = since = now = time.perf_counter()
    log = log_file.open("a", encoding="utf-8")
    sums, count = np.zeros(2), 0
    with (
        log,
        tqdm(total=options.steps, initial=step, unit="step", file=sys.stdout, mininterval=5) as bar,
    ):
        while step < options.steps and now - started < 60 * options.minutes:
            stage = LEVEL_STAGE if step < fall else FALL_STAGE
            features, targets = batch_of_step(
                tokens, step, options.tokens, size, options.seed, stage
            )
            model.reset_metrics()
            result = model.train_on_batch(features, targets, return_dict=True)
            sums += [float(result["loss"]), float(result["sparse_categorical_accuracy"])]
            step, count = step + 1, count + 1
            bar.update()
            now = time.perf_counter()
            over = step == options.steps or now - started >= 60 * options.minutes
            if over or step == fall or step % options.every == 0:
                loss, accuracy = sums / count
                rate = count * options.tokens / (now - since)
                bar.set_postfix(
                    loss=f"{loss:.3f}", accuracy=f"{accuracy:.3f}", tokens_s=f"{rate:,.0f}"
                )
                for name in ["level"] * (step == fall) + ["checkpoint"]:
                    seconds = before + now - started
                    save_checkpoint(
                        work / f"{name}.npz", model, step, seconds, options.steps, first
                    )
                entry = {
                    "step": step,
                    "loss": round(float(loss), 4),
                    "accuracy": round(float(accuracy), 4),
                    "tokens_per_second": round(rate),
                    "seconds": round(before + now - started),
                }
                log.write(json.dumps(entry) + "\n")
                log.flush()
                sums, count, since = np.zeros(2), 0, time.perf_counter()
    return model, step, before + time.perf_counter() - started


# --- preset ---


def export(model, work: Path, out: Path, dtype: str = "float16") -> None:
    """Write the preset: configuration, tokenizer and weights of ``dtype``, the prediction head included."""
    import keras_hub

    models = keras_hub.models
    tokenizer = models.RobertaTokenizer(str(work / "vocab.json"), str(work / "merges.txt"))
    config = model.backbone.get_config() | {"dtype": dtype, "name": "roberta_backbone"}
    copy = models.RobertaMaskedLM(
        models.RobertaBackbone.from_config(config),
        models.RobertaMaskedLMPreprocessor(tokenizer, sequence_length=LONGEST),
    )
    copy.set_weights(model.get_weights())
    copy.save_to_preset(str(out))


def main() -> None:
    """Prepare, train, write the preset, and print what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="folder of the preset")
    parser.add_argument("--work", type=Path, default=Path("build/pretrain"))
    parser.add_argument("--start", type=Path, help="preset to go on from")
    parser.add_argument("--steps", type=int, default=12_000, help="those of the start counted in")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="of this sitting")
    parser.add_argument("--tokens", type=int, default=4_096, help="in a batch")
    parser.add_argument("--vocabulary", type=int, default=8_192)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--rate", type=float, default=1.2e-3, help="highest learning rate")
    parser.add_argument("--every", type=int, default=250, help="steps between checkpoints")
    parser.add_argument("--dtype", help="such as mixed_bfloat16, where the machine is faster at it")
    parser.add_argument("--jit", action="store_true", help="XLA on TensorFlow; JAX always has it")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.tokens < LONGEST:
        parser.error(f"--tokens is {options.tokens}; expected {LONGEST} or more, one window")

    prepare(options.texts, options.work, options.vocabulary, options.seed, options.start)
    model, step, seconds = train(options.work, options)
    if step < options.steps:
        print(json.dumps({"step": step, "steps": options.steps, "seconds": round(seconds)}))
        return
    export(model, options.work, options.out)
    lines = (options.work / "log.jsonl").read_text("utf-8").splitlines(keepends=True)
    entries = {json.loads(line)["step"]: line for line in lines}  # what was done twice counts once
    (options.out / "training.jsonl").write_text("".join(entries.values()), "utf-8")
    print(
        json.dumps(
            {
                "steps": step,
                "tokens": step * options.tokens,
                "parameters": model.backbone.count_params(),
                "seconds": round(seconds),
                "preset_bytes": sum(
                    f.stat().st_size for f in options.out.rglob("*") if f.is_file()
                ),
            }
        )
    )


if __name__ == "__main__":
    main()
