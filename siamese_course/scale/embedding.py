"""Embed a collection that is too much for one sitting, or for one machine.

A text with one sentence a line becomes a folder of parts, arrays of embeddings in the text's order. A part's name
holds a mark of its sentences and of the encoder: what is there already is not made again, after an interruption or
when lines were added at the end. The parts are made here, or by the workers of a Dask cluster, each of which
loads the encoder once and keeps it; a part whose worker is lost is made by another.
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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.quiet import quiet_stderr
from siamese_course.validation import require_between

LINES = 8_192  # sentences of a part
INDEX = "collection.json"
OWN_NAME = re.compile(r"\d{8}-[0-9a-f]{16}\.(npy|[0-9a-f]{8}\.part)")
AHEAD = 2  # parts that a worker has before it, so that none waits for the next
WAIT = 60  # seconds in which the first worker of a cluster has to come


class Part(NamedTuple):
    """Sentences that are embedded together, and the file that gets their embeddings."""

    path: Path
    sentences: list[str]


def read_lines(text: Path) -> Iterator[str]:
    """The lines of a text file, plain or .gz or .xz.

    Raises:
        CourseError: it cannot be read, or is no UTF-8.
    """
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(text.suffix, open)
    try:
        with opener(text, "rt", encoding="utf-8", newline="\n") as lines:
            for line in lines:
                yield line.rstrip("\r\n")
    except (OSError, EOFError, lzma.LZMAError, zlib.error, UnicodeDecodeError) as error:
        raise CourseError(f"{text} cannot be read as lines of text ({error}).") from error


def mark_of(folder: Path) -> str:
    """Differs for encoders that are not the same, file by file.

    Raises:
        CourseError: the folder holds no sentence encoder.
    """
    if not (folder / "sentence_encoder.json").is_file():
        raise CourseError(
            f"{folder} holds no sentence encoder. Make one: siamese-course train stsb"
        )
    digest = hashlib.sha256()
    files = [folder / "sentence_encoder.json", folder / "views.npz", *folder.glob("backbone/**/*")]
    for path in sorted(filter(Path.is_file, files)):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def parts_of(lines: Iterator[str], out: Path, mark: str, size: int = LINES) -> Iterator[Part]:
    """Lines as parts of ``size``, the last one shorter."""
    for number in range(10**8):
        sentences = list(islice(lines, size))
        if not sentences:
            return
        content = hashlib.sha256("\n".join([mark, *sentences]).encode("utf-8", "surrogatepass"))
        yield Part(out / f"{number:08}-{content.hexdigest()[:16]}.npy", sentences)


def embed_text(
    text: Path,
    encoder: Path,
    out: Path,
    *,
    size: int = LINES,
    scheduler: str | None = None,
    workers: int | None = None,
    tell: Callable[[int, bool], None] = lambda sentences, fresh: None,
) -> dict:
    """Embed every line of a text, going on where an earlier call ended.

    Args:
        text: one sentence a line, plain or .gz or .xz. An empty line is a sentence, too: row i is line i.
        encoder: the folder of a sentence encoder.
        out: folder of the parts. It and ``encoder`` must be seen under these paths by all workers.
        size: sentences of a part.
        scheduler: address of a Dask scheduler whose workers do it.
        workers: as many Dask workers on this machine do it.
        tell: called with the sentences of each part that is there, and whether it is new.

    Returns:
        {sentences, parts, dim, embedded}: ``embedded`` are those sentences that were not there already.

    Raises:
        CourseError: text or encoder cannot be read; no worker comes within a minute, one does not see the folders,
            or a part cost several their lives.
        ValueError: the size is below 1.
        KeyboardInterrupt: by Ctrl-C; finished parts are kept.
    """
    require_between(size, "size", 1, float("inf"))
    encoder, out = encoder.resolve(), out.resolve()
    mark = mark_of(encoder)
    out.mkdir(parents=True, exist_ok=True)
    names, sentences, embedded = [], 0, 0

    def missing() -> Iterator[Part]:
        nonlocal sentences
        for part in parts_of(read_lines(text), out, mark, size):
            names.append(part.path.name)
            sentences += len(part.sentences)
            if part.path.exists():
                tell(len(part.sentences), False)
            else:
                yield part

    if scheduler or workers:
        done = _on_dask(missing(), str(encoder), mark, scheduler, workers)
    else:
        done = _here(missing(), str(encoder), mark)
    with closing(done):
        for count in done:
            embedded += count
            tell(count, True)
    index = {
        "sentences": sentences,
        "parts": names,
        "dim": int(np.load(out / names[0], mmap_mode="r").shape[1]) if names else 0,
        "encoder": mark,
    }
    _write(out / INDEX, lambda stream: stream.write(json.dumps(index).encode()))
    for path in out.iterdir():  # of an earlier text or encoder, or half written by a lost worker
        if OWN_NAME.fullmatch(path.name) and path.name not in set(names):
            path.unlink()
    return {
        "sentences": sentences,
        "parts": len(names),
        "dim": index["dim"],
        "embedded": embedded,
    }


def read_parts(folder: Path) -> Iterator[np.ndarray]:
    """The embeddings of a collection, part by part in the text's order: (lines, dim) float32 each.

    Raises:
        CourseError: the collection is not there, or not finished.
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


def _here(parts: Iterator[Part], folder: str, mark: str) -> Iterator[int]:
    for part in parts:
        yield _embed(folder, mark, part)


def _on_dask(
    parts: Iterator[Part], folder: str, mark: str, scheduler: str | None, workers: int | None
) -> Iterator[int]:
    """On the workers of a cluster, or of one started here for the time of the work."""
    try:
        from distributed import Client, KilledWorker, LocalCluster
        from distributed import as_completed as completed
    except ImportError as error:
        raise CourseError(
            "Dask is not installed: pip install -e '.[cluster]' in the course's folder"
        ) from error

    first = next(parts, None)
    if first is None:  # nobody is needed
        return
    with ExitStack() as stack:
        try:
            if not scheduler:
                each = max(1, (os.cpu_count() or 1) // workers)
                with _deaf_children(), quiet_stderr():
                    cluster = LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        dashboard_address=None,
                        env={"TF_NUM_INTRAOP_THREADS": str(each)},
                    )
                scheduler = stack.enter_context(cluster).scheduler_address
            client = stack.enter_context(Client(scheduler, timeout=WAIT))
            client.wait_for_workers(1, timeout=WAIT)
        except (OSError, ValueError, AssertionError) as error:
            where = scheduler or "this machine"
            # Dask asserts, without a word, that its event loop begins within 10 seconds
            why = str(error) or "Dask did not start in time: is the machine busy? Try again"
            raise CourseError(f"No Dask worker at {where} ({why}).") from error
        under_way, part_of = completed(), {}

        def result() -> int:
            future = next(under_way)
            path = part_of.pop(future.key)
            count = future.result()
            if not path.exists():
                raise CourseError(f"A worker wrote {path}, which is not to be seen from here.")
            return count

        try:
            for part in chain([first], parts):
                if under_way.count() >= AHEAD * max(1, len(client.nthreads())):
                    yield result()
                part_of[str(part.path)] = part.path
                under_way.add(client.submit(_embed, folder, mark, part, key=str(part.path)))
            while part_of:
                yield result()
        except KilledWorker as error:
            raise CourseError(f"A part cost several workers their lives ({error}).") from error
        except OSError as error:
            raise CourseError(f"A worker cannot write to {first.path.parent} ({error}).") from error
        finally:
            with quiet_stderr():  # of what it ends, Dask writes at length
                stack.close()


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes that begin within it do not hear Ctrl-C, which a terminal sends to all: the first one ends them."""
    if threading.current_thread() is not threading.main_thread():  # signals are the main thread's
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@lru_cache(maxsize=1)
def _loaded(folder: str, mark: str):
    """The encoder, which a process keeps; with another mark it is another one."""
    from siamese_course.models.sentences import load_encoder

    return load_encoder(Path(folder))


def _embed(folder: str, mark: str, part: Part) -> int:
    embeddings = _loaded(folder, mark).encode(part.sentences, verbose=False)
    _write(part.path, lambda stream: np.save(stream, embeddings))
    return len(part.sentences)


def _write(path: Path, fill: Callable) -> None:
    """Write a file whole, or not at all; two that write the same at once do no harm."""
    part = path.with_suffix(f".{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as stream:
            fill(stream)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
