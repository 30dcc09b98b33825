"""Encoding with sentence-transformers on its own OpenVINO backend, in an environment of its own.

Its backend needs optimum-intel, which needs an older transformers than the other benchmarks have. So ``prepare`` makes a
virtual environment in the working folder, and a side runs this file there, as a script:

    python benchmarks/peer_openvino.py FOLDER TASK.json RESULT.npz

FOLDER is the preset as a Hugging Face folder. The last line is JSON.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

import numpy as np

PACKAGES = ("sentence-transformers", "transformers", "optimum-intel", "openvino", "torch")


def environment() -> Path:
    """The Python of the environment."""
    from benchmarks.common import work_folder

    return work_folder().resolve() / "peer-openvino" / "bin" / "python"


def prepare(**case) -> dict:
    """What the sides must agree on, and the environment: the versions that this one has, where its packages allow it."""
    from benchmarks import agreement

    python = environment()
    complete = python.parents[1] / "complete"  # written last: pip may fail on the way
    if not complete.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", python.parents[1]], check=True)
        wanted = [
            f"sentence-transformers[openvino]=={metadata.version('sentence-transformers')}",
            f"openvino=={metadata.version('openvino')}",
            f"torch=={metadata.version('torch').split('+')[0]}",
        ]
        pip = [python, "-m", "pip"]
        subprocess.run([*pip, "install", "-q", *wanted], check=True)
        # optimum-intel requires it, but text doesn't need it, and a build that doesn't match PyTorch's breaks transformers
        subprocess.run([*pip, "uninstall", "-q", "-y", "torchvision"], check=True)
        complete.touch()
    return agreement.prepare(**case)


def encoding(batch: int, count: int, length: int | None = None) -> dict:
    """``SentenceTransformer.encode`` with ``backend="openvino"``, in bfloat16."""
    from benchmarks.agreement import CHECKED, exported_folder, require_agreement, texts_of
    from benchmarks.sentences import BFLOAT16_TOLERANCE

    texts, max_length = texts_of(count, length)
    with tempfile.TemporaryDirectory() as folder:
        task, result = Path(folder, "task.json"), Path(folder, "result.npz")
        task.write_text(
            json.dumps(
                {"texts": texts, "batch": batch, "max_length": max_length, "checked": CHECKED}
            )
        )
        command = [environment(), __file__, exported_folder(), task, result]
        output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        with np.load(result) as found:
            ids = np.split(found["ids"], np.cumsum(found["lengths"])[:-1])
            mark = require_agreement(
                texts,
                max_length,
                [row.tolist() for row in ids],
                found["embeddings"],
                BFLOAT16_TOLERANCE,
            )
    return {**json.loads(output.splitlines()[-1]), "data": mark}


def main() -> None:
    """Encode, in the other environment."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    folder, task_file, result = sys.argv[1:]
    task = json.loads(Path(task_file).read_text())
    texts, batch = task["texts"], task["batch"]
    transformer = Transformer(
        folder,
        max_seq_length=task["max_length"],
        backend="openvino",
        model_kwargs={"ov_config": {"INFERENCE_PRECISION_HINT": "bf16"}},
    )
    pooling = Pooling(transformer.get_embedding_dimension(), "mean")
    model = SentenceTransformer(modules=[transformer, pooling], device="cpu")
    rows = []
    for start in range(0, len(texts), 1024):
        features = model.preprocess(texts[start : start + 1024])
        pairs = zip(features["input_ids"], features["attention_mask"], strict=True)
        rows += [ids[mask > 0].numpy() for ids, mask in pairs]
    seconds = []
    for number in range(4):  # the first one compiles
        started = time.perf_counter()
        model.encode(texts, batch_size=batch, show_progress_bar=False)
        seconds += [time.perf_counter() - started] * (number > 0)
    np.savez(
        result,
        ids=np.concatenate(rows),
        lengths=[len(row) for row in rows],
        embeddings=model.encode(texts[: task["checked"]], show_progress_bar=False),
    )
    rate = len(texts) / statistics.median(seconds)
    versions = {name: metadata.version(name) for name in PACKAGES}
    print(json.dumps({"sentences/s": rate, "threads": torch.get_num_threads(), **versions}))


if __name__ == "__main__":
    main()
