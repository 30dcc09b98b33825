"""Grade a class: many notebooks in parallel, each once; results are kept and not computed again."""

import hashlib
import json
import multiprocessing
import os
import secrets
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from siamese_course import __version__
from siamese_course.grading import cells, package, preflight, session
from siamese_course.grading.sandbox import CALL_SECONDS, bubblewrap
from siamese_course.notebooks.catalog import NAMES
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import write_whole

SETTINGS, RESULTS = "settings.json", "results"
NOTEBOOKS_PER_PROCESS = 10


@dataclass(frozen=True)
class Job:
    """One notebook of one learner, with everything needed to grade it on another machine."""

    learner: str
    file: str
    data: bytes
    sandbox: str
    hidden_seed: int
    seconds: float = CALL_SECONDS

    @property
    def key(self) -> str:
        """A hash of all that may change the grade: contents, release of the course, hidden seed."""
        releases = [cells.release(name).notebook["metadata"]["siamese_course"] for name in NAMES]
        text = json.dumps([__version__, releases, self.hidden_seed, self.file])
        return hashlib.sha256(text.encode() + self.data).hexdigest()


def collect(folder: Path) -> list[tuple[str, Path]]:
    """Return (learner, notebook file) pairs of a folder with one folder or one file per learner.

    Raises:
        CourseError: there is no notebook in it.
    """
    if not folder.is_dir():
        raise CourseError(f"{folder} is not a folder.")
    found = []
    for path in sorted(folder.rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in path.parts and path.is_file() and not path.is_symlink():
            parts = path.relative_to(folder).parts
            found.append((parts[0] if len(parts) > 1 else path.stem, path))
    if not found:
        raise CourseError(f"{folder} contains no notebook.")
    return found


def settings(out: Path) -> dict:
    """Return the class's settings: the seed of its hidden tests, drawn once."""
    path = out / SETTINGS
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        _write(path, {"hidden_seed": secrets.randbelow(2**31)})
    return json.loads(path.read_text("utf-8"))


def grade_job(job: Job) -> dict:
    """Return the result of one notebook as plain data, whatever the submission does."""
    started = time.perf_counter()
    result: dict = {
        "learner": job.learner,
        "file": job.file,
        "key": job.key,
        "found": [],
        "outcomes": [],
    }
    try:
        checked = preflight.check(job.data, job.file)
    except CourseError as error:
        result |= {"notebook": None, "problem": str(error)}
    else:
        outcomes = session.grade_notebook(
            checked.name,
            checked.notebook,
            job.sandbox,
            _package(),
            job.hidden_seed,
            seconds=job.seconds,
        )
        result |= {"notebook": checked.name, "problem": None, "found": checked.found}
        result["outcomes"] = [asdict(outcome) for outcome in outcomes]
    return result | {"seconds": round(time.perf_counter() - started, 2)}


@cache
def _package() -> Path:
    """The copy of the course for submissions, made once per process."""
    folder = tempfile.TemporaryDirectory(prefix="siamese-course-")
    _kept.append(folder)  # deleted when the process ends
    return package.copy_without_answers(Path(folder.name))


_kept: list = []


def grade_class(
    submissions: Iterable[tuple[str, Path]],
    out: Path,
    *,
    sandbox: str = "bubblewrap",
    jobs: int | None = None,
    scheduler: str | None = None,
    callback: Callable[[dict, bool], object] = lambda result, fresh: None,
) -> list[dict]:
    """Grade what has not been graded yet, and keep each result in its own file.

    Args:
        submissions: as ``collect`` returns them.
        out: the class's folder.
        sandbox: one of ``sandbox.KINDS``.
        jobs: how many at once on this machine; default: one per core.
        scheduler: address of a Dask scheduler whose workers grade instead.
        callback: called with each result, and whether it is new.

    Returns:
        All results.

    Raises:
        CourseError: the sandbox is not available.
        KeyboardInterrupt: on Ctrl-C; graded notebooks are kept, and the next call grades the others.
    """
    if sandbox == "bubblewrap" and scheduler is None:
        bubblewrap(Path())
    seed = settings(out)["hidden_seed"]
    results, waiting = [], []
    for learner, path in submissions:
        job = Job(learner, path.name, path.read_bytes(), sandbox, seed)
        kept = result_path(out, job)
        if kept.exists() and (known := json.loads(kept.read_text("utf-8")))["key"] == job.key:
            results.append(known)
            callback(known, False)
        else:
            waiting.append(job)
    fresh = (
        _on_dask(waiting, scheduler) if scheduler else _here(waiting, jobs or os.cpu_count() or 1)
    )
    for job, result in fresh:
        path = result_path(out, job)
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, result)
        results.append(result)
        callback(result, True)
    return results


def _here(jobs: list[Job], workers: int) -> Iterator[tuple[Job, dict]]:
    context = multiprocessing.get_context("spawn")
    at_once = NOTEBOOKS_PER_PROCESS * workers
    for first in range(0, len(jobs), at_once):  # then new processes, because frameworks leak memory
        part = jobs[first : first + at_once]
        pool = ProcessPoolExecutor(min(workers, len(part)), context, _wait_for_work)
        try:
            # A terminal sends Ctrl-C to every process; those that are still starting must ignore it
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                futures = {pool.submit(_work, job): job for job in part}
            finally:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


# Not empty in a worker that received Ctrl-C: it must not begin what is queued for it
_stopped: list = []


def _wait_for_work() -> None:
    """Record a Ctrl-C while the worker is idle, including one that arrived while it was starting."""
    signal.signal(signal.SIGINT, lambda number, frame: _stopped.append(number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _work(job: Job) -> dict:
    """Call ``grade_job``, which Ctrl-C ends at once."""
    waiting = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if _stopped:
            raise KeyboardInterrupt
        return grade_job(job)
    except KeyboardInterrupt:
        _stopped.append(signal.SIGINT)
        raise
    finally:
        signal.signal(signal.SIGINT, waiting)


def _on_dask(jobs: list[Job], address: str) -> Iterator[tuple[Job, dict]]:
    """Grade on the workers of a Dask cluster; the work of a lost worker is done again by another."""
    from distributed import Client
    from distributed import as_completed as completed

    with Client(address) as client:
        futures = {
            client.submit(grade_job, job, key=f"grade-{job.learner}-{job.key}"): job for job in jobs
        }
        for future in completed(futures):
            yield futures[future], future.result()


def result_path(out: Path, job: Job) -> Path:
    """Return the file that keeps the result of a job."""
    return out / RESULTS / plain_name(job.learner) / f"{plain_name(job.file)}.json"


def results(out: Path) -> list[dict]:
    """Return all results of a class.

    Raises:
        CourseError: nothing has been graded.
    """
    found = [
        json.loads(path.read_text("utf-8")) for path in sorted((out / RESULTS).glob("*/*.json"))
    ]
    if not found:
        raise CourseError(f"{out} contains no results: start with `siamese-course grade run`.")
    return found


def plain_name(name: str) -> str:
    """Return a name that is valid for a file: letters and digits, plus a hash if anything was replaced."""
    plain = "".join(c if c.isalnum() or c in "-_. @" else "_" for c in name)
    plain = plain.strip(". ")[:80] or "_"
    if plain == name:
        return plain
    return f"{plain}-{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:8]}"


def _write(path: Path, content: dict) -> None:
    write_whole(path, json.dumps(content, indent=1) + "\n")
