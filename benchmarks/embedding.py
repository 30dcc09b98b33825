"""Embedding a collection in parts: ``siamese-course embed`` in one process, and by Dask workers on the same cores."""

import json
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

from benchmarks.agreement import course_encoder, preset_mark
from benchmarks.common import fingerprint, peak_of, work_folder
from benchmarks.search import sentences

PARTS = 20


def prepare(lines: int) -> dict:
    """The text, one sentence a line, and the course's encoder."""
    text_file(lines).write_text("\n".join(islice(sentences(), lines)) + "\n", "utf-8")
    if not encoder_folder().exists():
        course_encoder().save(encoder_folder())
    return {}


def text_file(lines: int) -> Path:
    """Where ``prepare`` keeps the text."""
    return work_folder() / f"sentences-{lines}.txt"


def encoder_folder() -> Path:
    """Where ``prepare`` keeps the encoder."""
    return work_folder() / f"encoder-{preset_mark()}"


def here(lines: int) -> dict:
    """One process, which uses all cores."""
    return embed(lines, 1)


def one_worker(lines: int) -> dict:
    """One worker with all cores, and a scheduler."""
    return embed(lines, 1, "--workers", "1")


def two_workers(lines: int) -> dict:
    """Two workers, which share the cores."""
    return embed(lines, 2, "--workers", "2")


def four_workers(lines: int) -> dict:
    """Four workers, which share the cores."""
    return embed(lines, 4, "--workers", "4")


def embed(lines: int, workers: int, *options: str) -> dict:
    """Seconds in all, the rate once every worker has a part done, and the memory of all processes together."""
    text = text_file(lines)
    with tempfile.TemporaryDirectory() as out:
        command = [
            sys.executable,
            "-m",
            "siamese_course.cli",
            "embed",
            str(text),
            "--out",
            out,
        ]
        command += ["--encoder", str(encoder_folder()), "--lines", str(lines // PARTS), *options]
        output, peak = peak_of(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        moments = sorted(path.stat().st_mtime for path in Path(out).glob("*.npy"))
    return {
        "sentences/s": lines // PARTS * (PARTS - workers) / (moments[-1] - moments[workers - 1]),
        "seconds": json.loads(output.splitlines()[-1])["seconds"],
        "GiB, all processes": peak / 2**30,
        "data": fingerprint(text.read_text("utf-8").splitlines()),
    }
