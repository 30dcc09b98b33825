"""Grade a class: many notebooks in parallel, each once; results are kept and not computed again.

Every file that was handed in ends as graded, or with a reason why it could not be graded.
"""

import ctypes
import hashlib
import json
import multiprocessing
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from asyncio import CancelledError
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

from siamese_course import __version__
from siamese_course.grading import cells, package, reading, session
from siamese_course.grading.plain import clean, clean_all, plain_name
from siamese_course.grading.sandbox import CALL_SECONDS, Ended, trial
from siamese_course.grading.submissions import Submission, read_bytes
from siamese_course.notebooks.catalog import NAMES
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import write_whole

SETTINGS, RESULTS, HANDED_IN = "settings.json", "results", "handed_in.json"
NOTEBOOKS_PER_PROCESS = 10
JOBS_ON_THE_WAY = 50  # to a Dask cluster
WAIT = 60  # seconds for the scheduler of a cluster
DEATH_SIGNAL = 1  # of prctl
UNKNOWN = "It has not been graded, or its result is damaged: run `grade run` again."


@dataclass(frozen=True)
class Job:
    """One notebook of one learner, with everything needed to grade it.

    ``digest`` is that of its contents, ``data`` are the contents for another machine, ``seconds`` is the time
    limit of a call.
    """

    submission: Submission
    digest: str
    sandbox: str
    hidden_seed: int
    data: bytes | None = None
    seconds: float = CALL_SECONDS

    @property
    def file(self) -> str:
        """The name of the notebook's file."""
        return clean(self.submission.place.rsplit("/", 1)[-1])

    @property
    def key(self) -> str:
        """A hash of all that may change the grade: contents, release of the course, hidden seed."""
        releases = [cells.release(name).notebook["metadata"]["siamese_course"] for name in NAMES]
        text = json.dumps([__version__, releases, self.hidden_seed, self.file, self.digest])
        return hashlib.sha256(text.encode()).hexdigest()

    def contents(self) -> bytes:
        """Return the notebook's bytes."""
        return read_bytes(self.submission) if self.data is None else self.data


def settings(out: Path) -> dict:
    """Return the class's settings: the seed of its hidden tests, drawn once. Nobody else may read the folder.

    Raises:
        CourseError: the folder contains something other than a class.
    """
    path, ignored = out / SETTINGS, out / ".gitignore"
    out.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        if others := {each.name for each in out.iterdir()} - {ignored.name}:
            raise CourseError(
                f"{out} is not a class's folder: it has no {SETTINGS}, but {min(others)!r}. "
                "Choose a new folder with --out."
            )
        write_whole(path, json.dumps({"hidden_seed": secrets.randbelow(2**31)}) + "\n")
    with suppress(PermissionError):  # another instructor's
        out.chmod(0o700)
    if not ignored.exists():
        ignored.write_text("*\n", "utf-8")
    return json.loads(path.read_text("utf-8"))


def grade_job(job: Job) -> dict:
    """Return the result of one notebook as plain data, whatever the submission does.

    ``kept`` says whether it may be stored: not if the reason is not in the notebook.
    """
    with _in_turn:
        return _graded(job)


# A check redirects the output of its whole process, and a Dask worker may have several threads
_in_turn = threading.Lock()


def _graded(job: Job) -> dict:
    started = time.perf_counter()
    result = _result(job.submission, job.key)
    try:
        data = job.contents()
        try:
            plan = reading.read(data, job.file)
        except CourseError as error:
            return clean_all(result | {"problem": str(error)})
        copy = copy_for(job.sandbox)
        outcomes = session.grade_notebook(plan, job.sandbox, copy, job.hidden_seed, job.seconds)
        result |= {"notebook": plan.name, "found": plan.found}
        result["outcomes"] = [asdict(outcome) for outcome in outcomes]
    except CourseError as error:  # of the sandbox, or of a disk
        result |= {"problem": str(error), "kept": False}
    except (Exception, Ended, SystemExit) as error:  # one notebook must not stop the others
        problem = f"The grader failed ({type(error).__name__}: {str(error)[:200]})."
        result |= {"problem": problem, "kept": False}
    return clean_all(result) | {"seconds": round(time.perf_counter() - started, 2)}


def _result(submission: Submission, key: str = "", **known: object) -> dict:
    """A result without outcomes, with what is known of it besides."""
    whose = ("learner", "system", "number", "matters")
    about: dict = {name: getattr(submission, name) for name in whose}
    about |= {"file": clean(submission.place), "key": key, "problem": submission.reason}
    about |= {"notebook": None, "kept": True, "found": [], "outcomes": [], "seconds": 0.0}
    return about | known


FIELDS = _result(Submission("", "", Path())).keys()


@cache
def copy_for(sandbox: str) -> Path:
    """The copy of the course for submissions; in a sandbox that protects it, one for all processes."""
    if sandbox == "bubblewrap":
        return package.kept_copy()
    folder = tempfile.mkdtemp(prefix="siamese-course-")
    # Its input ends when this process does, even by kill -9
    program = "import shutil, sys; sys.stdin.read(); shutil.rmtree(sys.argv[1])"
    command = [sys.executable, "-c", program, folder]
    _deleting.append(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True))
    return package.copy_without_answers(Path(folder))


_deleting: list = []


def grade_class(
    submissions: Sequence[Submission],
    out: Path,
    *,
    sandbox: str = "bubblewrap",
    jobs: int | None = None,
    scheduler: str | None = None,
    again: Collection[str] | None = (),
    seconds: float = CALL_SECONDS,
    callback: Callable[[dict, bool], object] = lambda result, fresh: None,
) -> list[dict]:
    """Grade what has not been graded yet, and keep each result in its own file.

    Args:
        submissions: as ``submissions.collect`` returns them.
        out: the class's folder.
        sandbox: one of ``sandbox.KINDS``.
        jobs: how many at once on this machine; default: one per core.
        scheduler: address of a Dask scheduler whose workers grade instead.
        again: learners whose notebooks are graded again; None: all.
        seconds: time limit of a call.
        callback: called with each result, and whether it is new.

    Returns:
        A result for everything that was handed in; ``problem`` says why something was not graded.

    Raises:
        CourseError: the sandbox is not available.
        KeyboardInterrupt: on Ctrl-C; graded notebooks are kept, and the next call grades the others.
    """
    if scheduler is None:
        trial(sandbox, copy_for(sandbox))
    seed = settings(out)["hidden_seed"]
    found: list[tuple[Submission, Job | None]] = []
    for each in submissions:
        job = None
        if each.reason is None:
            try:
                digest = hashlib.sha256(read_bytes(each)).hexdigest()
                job = Job(each, digest, sandbox, seed, seconds=seconds)
            except CourseError as error:
                each = replace(each, reason=str(error))
                callback(_result(each), False)
        found.append((each, job))
    listed = [asdict(each) | {"path": "", "key": job and job.key} for each, job in found]
    write_whole(out / HANDED_IN, json.dumps(listed, indent=1) + "\n")
    results, waiting = [], []
    for each, job in found:
        if job is None:
            continue
        known = _read(result_path(out, each.learner, each.place))
        if again is None or each.learner in again or (known and known["key"] != job.key):
            known = None
        if known:
            results.append(known)
            callback(known, False)
        else:
            waiting.append(job)
    if scheduler:
        fresh = _on_dask(waiting, scheduler)
    else:
        fresh = _here(waiting, jobs or os.cpu_count() or 1)
    for job, result in fresh:
        path = result_path(out, job.submission.learner, job.submission.place)
        if result["kept"]:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps(result, indent=1) + "\n")
            results.append(result)
        else:
            stored = _read(path)
            if stored and stored["key"] != job.key:  # of another version of the notebook
                path.unlink()
                stored = None
            results.append(stored or result)
        callback(result, True)
    return results + [_result(each) for each, job in found if job is None]


def _read(path: Path) -> dict | None:
    """A stored result, or None if there is none that can be read and shown."""
    with suppress(OSError, ValueError):
        result = json.loads(path.read_text("utf-8"))
        if isinstance(result, dict) and result.keys() >= FIELDS and _is_known(result):
            return result
    return None


def _is_known(result: dict) -> bool:
    """Whether this release of the course has the notebook and the exercises of a stored result."""
    name = result["notebook"]
    exercises = cells.release(name).exercises if name in NAMES else {}
    known = {outcome["exercise"] for outcome in result["outcomes"]} <= exercises.keys()
    return known and (name is None or name in NAMES)


def _here(jobs: list[Job], workers: int) -> Iterator[tuple[Job, dict]]:
    at_once = NOTEBOOKS_PER_PROCESS * workers
    for first in range(0, len(jobs), at_once):  # then new processes, because frameworks leak memory
        lost = yield from _in_pool(jobs[first : first + at_once], workers)
        for job in lost:  # one at a time shows which notebook ends the grader's process
            if (yield from _in_pool([job], 1)):
                problem = "The grader's process ended while it graded this notebook."
                yield job, _result(job.submission, job.key, problem=problem, kept=False)


def _in_pool(jobs: list[Job], workers: int) -> Generator[tuple[Job, dict], None, list[Job]]:
    """Grade in new processes; return the jobs whose process was lost."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(jobs)), context, _wait_for_work, (os.getpid(),))
    lost = []
    try:
        # A terminal sends Ctrl-C to every process; those that are still starting must ignore it
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            futures = {pool.submit(_work, job): job for job in jobs}
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        for future in as_completed(futures):
            try:
                result = future.result()
            except BrokenProcessPool:
                lost.append(futures[future])
                continue
            yield futures[future], result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return lost


# Not empty in a worker that received Ctrl-C: it must not begin what is queued for it
_stopped: list = []


def _wait_for_work(parent: int) -> None:
    """Record a Ctrl-C while the worker is idle, including one that arrived while it was starting.

    The worker ends when its parent does, however that ends.
    """
    ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
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

    with ExitStack() as stack:
        try:
            client = stack.enter_context(Client(address, timeout=WAIT))
        except (OSError, ValueError) as error:
            raise CourseError(f"There is no Dask scheduler at {address} ({error}).") from error
        for first in range(0, len(jobs), JOBS_ON_THE_WAY):
            futures = {}
            for job in jobs[first : first + JOBS_ON_THE_WAY]:
                try:
                    sent = replace(job, data=job.contents())
                except CourseError as error:  # the file has become unreadable
                    yield job, _result(job.submission, job.key, problem=str(error), kept=False)
                    continue
                key = f"grade-{plain_name(job.submission.place)}-{job.key}"
                futures[client.submit(grade_job, sent, key=key, pure=False)] = job
            for future in completed(futures):
                job = futures[future]
                try:
                    result = future.result()
                # Whatever a worker raises; CancelledError where the scheduler was lost
                except (Exception, CancelledError) as error:
                    problem = f"The Dask worker failed ({type(error).__name__})."
                    result = _result(job.submission, job.key, problem=problem, kept=False)
                yield job, result


def result_path(out: Path, learner: str, place: str) -> Path:
    """Return the file that keeps the result of a notebook: each place has its own."""
    return out / RESULTS / plain_name(learner) / f"{plain_name(place)}.json"


def results(out: Path) -> list[dict]:
    """Return a result for everything that was handed in at the last run.

    Raises:
        CourseError: nothing has been graded.
    """
    try:
        listed = json.loads((out / HANDED_IN).read_text("utf-8"))
    except (OSError, ValueError):
        raise CourseError(
            f"{out} contains no results: start with `siamese-course grade run`."
        ) from None
    found = []
    for each in listed:
        key = each.pop("key", None)  # earlier releases wrote none
        submission = Submission(**each | {"path": out})
        stored = _read(result_path(out, submission.learner, submission.place))
        if stored and key not in (None, stored["key"]):  # of another version of the notebook
            stored = None
        if submission.reason or not stored:
            stored = _result(submission, problem=submission.reason or UNKNOWN)
        found.append(stored)
    return found
