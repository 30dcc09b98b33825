"""Embed a collection that takes too long for one run, or for one machine.

A text with one sentence per line becomes a folder of shards: arrays of embeddings, in the text's order. A
shard's name contains a hash of its sentences and of the encoder, so that after an interruption, or after lines
were added at the end, only what is missing is embedded. The work is done in this process or by the workers of a
Dask cluster. Each worker loads the encoder once; if a worker is lost, another one embeds its shard.
"""

import gzip
import hashlib
import json
import lzma
import os
import re
import secrets
import signal
import threading
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.quiet import quiet_stderr
from siamese_course.validation import require_between

if TYPE_CHECKING:
    from siamese_course.models.sentences import SentenceEncoder

LINES = 8_192  # sentences of a shard
INDEX = "collection.json"
OWN_NAME = re.compile(r"\d{8}-[0-9a-f]{16}\.(npy|[0-9a-f]{8}\.part)")
AHEAD = 2  # shards queued per worker, so that none waits for the next
WAIT = 60  # seconds to wait for the first worker of a cluster


class Shard(NamedTuple):
    """Sentences that are embedded together, and the file for their embeddings."""

    path: Path
    sentences: list[str]


def read_lines(text: Path) -> Iterator[str]:
    """Yield the lines of a text file, plain or .gz or .xz.

    Raises:
        CourseError: it cannot be read, or is not UTF-8.
    """
    openers: dict[str, Callable] = {".gz": gzip.open, ".xz": lzma.open}
    opener = openers.get(text.suffix, open)
    try:
        with opener(text, "rt", encoding="utf-8-sig", newline="\n") as lines:
            for line in lines:
                yield line.rstrip("\r\n")
    except (OSError, EOFError, lzma.LZMAError, zlib.error, UnicodeDecodeError) as error:
        raise CourseError(f"{text} cannot be read as lines of text ({error}).") from error


def encoder_hash(folder: Path) -> str:
    """Return a hash of the files of a saved encoder.

    Raises:
        CourseError: the folder holds no sentence encoder.
    """
    if not (folder / "sentence_encoder.json").is_file():
        raise CourseError(
            f"{folder} holds no sentence encoder. Make one: siamese-course train stsb"
        )
    digest = hashlib.sha256()
    files = [folder / "sentence_encoder.json", *folder.glob("backbone/**/*")]
    for path in sorted(filter(Path.is_file, files)):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def split_lines(
    lines: Iterator[str], out: Path, encoder: str, size: int = LINES
) -> Iterator[Shard]:
    """Yield shards of ``size`` lines, the last one shorter; ``encoder`` is the encoder's hash."""
    for number in range(10**8):
        sentences = list(islice(lines, size))
        if not sentences:
            return
        content = hashlib.sha256("\n".join([encoder, *sentences]).encode("utf-8", "surrogatepass"))
        yield Shard(out / f"{number:08}-{content.hexdigest()[:16]}.npy", sentences)


def embed_text(
    text: Path,
    encoder: Path,
    out: Path,
    *,
    size: int = LINES,
    scheduler: str | None = None,
    workers: int | None = None,
    on_shard: Callable[[int, bool], None] = lambda sentences, is_new: None,
) -> dict:
    """Embed every line of a text, resuming where an earlier call ended.

    Args:
        text: one sentence per line, plain or .gz or .xz. Row i is line i; an empty line is a sentence too.
        encoder: the folder of a sentence encoder.
        out: folder for the shards. All workers must see it and ``encoder`` under these paths.
        size: sentences of a shard.
        scheduler: address of a Dask scheduler whose workers do the work.
        workers: number of Dask workers to start on this machine instead.
        on_shard: called for each shard with its number of sentences, and whether it is new.

    Returns:
        {sentences, parts, dim, embedded}: ``parts`` counts the shards, ``embedded`` the sentences of new ones.

    Raises:
        CourseError: text or encoder cannot be read; no worker appears within a minute, one does not see
            the folders, or several died on the same shard.
        ValueError: the size is below 1.
        KeyboardInterrupt: Ctrl-C; finished shards are kept.
    """
    require_between(size, "size", 1, float("inf"))
    encoder, out = encoder.resolve(), out.resolve()
    hashed = encoder_hash(encoder)
    out.mkdir(parents=True, exist_ok=True)
    names: list[str] = []
    sentences = embedded = 0

    def missing() -> Iterator[Shard]:
        nonlocal sentences
        for shard in split_lines(read_lines(text), out, hashed, size):
            names.append(shard.path.name)
            sentences += len(shard.sentences)
            if shard.path.exists():
                on_shard(len(shard.sentences), False)
            else:
                yield shard

    if scheduler or workers:
        done = _on_dask(missing(), str(encoder), hashed, scheduler, workers)
    else:
        done = _here(missing(), str(encoder), hashed)
    with closing(done):
        for count in done:
            embedded += count
            on_shard(count, True)
    index = {
        "sentences": sentences,
        "parts": names,
        "dim": int(np.load(out / names[0], mmap_mode="r").shape[1]) if names else 0,
        "encoder": hashed,
    }
    _write(out / INDEX, lambda stream: stream.write(json.dumps(index).encode()))
    kept = set(names)
    for path in out.iterdir():  # left by an earlier text or encoder, or by a lost worker
        if OWN_NAME.fullmatch(path.name) and path.name not in kept:
            path.unlink()
    return {
        "sentences": sentences,
        "parts": len(names),
        "dim": index["dim"],
        "embedded": embedded,
    }


def read_shards(folder: Path) -> Iterator[np.ndarray]:
    """Yield the embeddings of a collection in the text's order: (lines, dim) float32 for each shard.

    Raises:
        CourseError: the collection does not exist, or is not finished.
    """
    try:
        index = json.loads((folder / INDEX).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(
            f"{folder} holds no finished collection of embeddings ({error}). Make one: siamese-course embed"
        ) from error
    for name in index["parts"]:
        yield np.load(folder / name)


# --- who does the work ---


def _here(shards: Iterator[Shard], folder: str, hashed: str) -> Generator[int, None, None]:
    for shard in shards:
        yield _embed(folder, hashed, shard)


def _on_dask(
    shards: Iterator[Shard], folder: str, hashed: str, scheduler: str | None, workers: int | None
) -> Generator[int, None, None]:
    """On the workers of a cluster, or of one started here for as long as the work takes."""
    try:
        from distributed import Client, KilledWorker, LocalCluster
        from distributed import as_completed as completed
    except ImportError as error:
        raise CourseError(
            """Dask is not installed: pip install -e ".[cluster]" in the course's folder"""
        ) from error

    first = next(shards, None)
    if first is None:  # no worker is needed
        return
    with ExitStack() as stack:
        try:
            if not scheduler:
                threads = max(1, (os.cpu_count() or 1) // (workers or 1))
                with _deaf_children(), quiet_stderr():
                    cluster = LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        dashboard_address=None,
                        env={"TF_NUM_INTRAOP_THREADS": str(threads)},
                    )
                scheduler = stack.enter_context(cluster).scheduler_address
            client = stack.enter_context(Client(scheduler, timeout=WAIT))
            client.wait_for_workers(1, timeout=WAIT)
        except (OSError, ValueError, AssertionError) as error:
            where = scheduler or "this machine"
            # Dask asserts, without a message, that its event loop starts within 10 seconds
            why = str(error) or "Dask did not start in time: is the machine busy? Try again"
            raise CourseError(f"No Dask worker at {where} ({why}).") from error
        running = completed()
        path_of: dict[str, Path] = {}

        def result() -> int:
            future = next(running)
            path = path_of.pop(future.key)
            count = future.result()
            if not path.exists():
                raise CourseError(f"A worker wrote {path}, but this process does not see the file.")
            return count

        try:
            for shard in chain([first], shards):
                if running.count() >= AHEAD * max(1, len(client.nthreads())):
                    yield result()
                path_of[str(shard.path)] = shard.path
                running.add(client.submit(_embed, folder, hashed, shard, key=str(shard.path)))
            while path_of:
                yield result()
        except KilledWorker as error:
            raise CourseError(f"Several workers died on the same shard ({error}).") from error
        except OSError as error:
            raise CourseError(f"A worker cannot write to {first.path.parent} ({error}).") from error
        finally:
            with quiet_stderr():  # Dask logs a lot while it shuts down
                stack.close()


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Make processes started inside ignore Ctrl-C, which a terminal sends to all: this one ends them."""
    if threading.current_thread() is not threading.main_thread():  # only there signals can be set
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@lru_cache(maxsize=1)
def _loaded(folder: str, hashed: str) -> "SentenceEncoder":
    """The encoder, which a process keeps until the hash changes."""
    from siamese_course.models.sentences import load_encoder

    return load_encoder(Path(folder))


def _embed(folder: str, hashed: str, shard: Shard) -> int:
    embeddings = _loaded(folder, hashed).encode(shard.sentences, verbose=False)
    _write(shard.path, lambda stream: np.save(stream, embeddings))
    return len(shard.sentences)


def _write(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Write a file completely or not at all; several processes may write the same file at once."""
    part = path.with_suffix(f".{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as stream:
            fill(stream)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
