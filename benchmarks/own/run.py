"""Run the scripts of this folder: lines of code, seconds, and how good their answers are, all on the same data.

A job holds out a fifth of one's own data, trains on the rest, prints a score, saves the model, and prints what a
search finds. What it finds is scored here, by one function for both sides.
"""

import ast
import contextlib
import io
import os
import runpy
import shutil
import tempfile
import time
import tokenize
from pathlib import Path

from benchmarks.common import fingerprint, work_folder

FOLDER = Path(__file__).parent
PHOTOS, QUERIES = 100, 50  # digits of a class
SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def lines_of_code(script: Path) -> dict[str, int]:
    """Lines and statements of a script, without empty lines, comments and docstrings.

    A statement counts as one however many lines the formatter gives it.
    """
    text = script.read_text("utf-8")
    tree = ast.parse(text)
    docstrings = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in (*SKIPPED, tokenize.ENDMARKER)
        for line in range(token.start[0], token.end[0] + 1)
    }
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return {
        "lines": len(lines - docstrings),
        "statements": sum(node.lineno not in docstrings for node in statements),
    }


def data_folder(job: str) -> Path:
    """Where ``prepare`` writes the data of a job."""
    return work_folder() / f"own-{job}"


def prepare(job: str) -> dict:
    """Write the data of a job as files: all that a side finds in its folder."""
    folder = data_folder(job)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    {"sentences": prepare_sentences, "images": prepare_images}[job](folder)
    return {}


def prepare_sentences(folder: Path) -> None:
    """Write scored pairs, a collection, queries, and a backbone for the peer with the weights of the course's."""
    from siamese_course.datasets.own_sentences import read_search
    from siamese_course.models.sentences import make_encoder
    from siamese_course.runtime.shipped import shipped
    from siamese_course.sources.sentence_tables import read_scored_pairs

    pairs = read_scored_pairs(shipped("sentences") / "pairs.tsv")
    rows = zip(pairs.sentence1, pairs.sentence2, pairs.score / 5, strict=True)
    lines = ["sentence1\tsentence2\tscore", *("\t".join(map(str, row)) for row in rows)]
    (folder / "pairs.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    search = read_search()
    for name, texts in (("collection", search.collection), ("queries", search.queries)):
        (folder / f"{name}.txt").write_text("\n".join(texts) + "\n", "utf-8")
    make_encoder().export(folder / "backbone")


def prepare_images(folder: Path) -> None:
    """Write digits as images, one folder per class: those to train on, and queries."""
    import numpy as np
    from PIL import Image

    from siamese_course.datasets.mnist import load_mnist

    digits = load_mnist(verbose=False)
    for digit in range(10):
        images = digits.train_images[digits.train_labels == digit][: PHOTOS + QUERIES]
        for number, image in enumerate(images.reshape(-1, 28, 28)):
            kind = "photos" if number < PHOTOS else "queries"
            file = folder / kind / str(digit) / f"{number:03}.png"
            file.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(np.round(255 * image).astype("uint8")).save(file)


def side(job: str, name: str) -> dict:
    """Run a script in a folder with the data of its job, and score the hits that it prints."""
    script, data = FOLDER / f"{job}_{name}.py", data_folder(job)
    files = sorted(path for path in data.rglob("*") if path.is_file())
    mark = fingerprint([(str(path.relative_to(data)), path.read_bytes()) for path in files])
    output = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(data, folder, dirs_exist_ok=True)
        os.environ["HF_HOME"] = f"{folder}/cache"  # or a second run would find its data read
        started = time.perf_counter()
        with contextlib.redirect_stdout(output):
            runpy.run_path(str(script))
        seconds = time.perf_counter() - started
    hits = [line.split("\t") for line in output.getvalue().splitlines() if line.count("\t") == 3]
    return {
        **lines_of_code(script),
        "seconds": seconds,
        "first hit right": first_hits(job, hits),
        "data": mark,
    }


def first_hits(job: str, hits: list[list[str]]) -> float:
    """Fraction of the queries whose first hit is right: of their class, or an answer.

    Raises:
        ValueError: not every query has its line.
    """
    from siamese_course.datasets.own_sentences import read_search

    if job == "images":
        expected = [[str(digit)] for digit in range(10) for _ in range(QUERIES)]
    else:
        search = read_search()
        expected = [[search.collection[row] for row in rows] for rows in search.answers]
    right = [first in rows for (_, first, *_), rows in zip(hits, expected, strict=True)]
    return sum(right) / len(right)


def course(job: str) -> dict:
    """The course's script."""
    return side(job, "course")


def peer(job: str) -> dict:
    """The peer's: sentence-transformers for sentences, pytorch-metric-learning for images."""
    return side(job, "peer")
