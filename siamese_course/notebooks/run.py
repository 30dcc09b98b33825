"""Execute notebooks with a progress bar, and score them."""

import asyncio
import atexit
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import nbformat
import psutil
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode, ValidationError
from nbformat.reader import NotJSONError
from tqdm import tqdm

from siamese_course.exercises.record import OFF
from siamese_course.notebooks.render import Report, write_index, write_page
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.interrupts import held_interrupts
from siamese_course.runtime.settings import environment_of_course

CELL_SECONDS = 600


def collect(paths: Sequence[Path]) -> list[Path]:
    """Return the notebooks that the paths name: files, or all notebooks of a folder.

    Raises:
        CourseError: a path does not exist or contains no notebook, or two notebooks have the same name.
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob("*.ipynb")) if path.is_dir() else [path] * path.is_file()
        if not inside:
            raise CourseError(f"{path} is not a notebook, and not a folder that contains one.")
        found += inside
    names = [path.stem for path in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise CourseError(
            f"There are two notebooks {twice[0]}.ipynb, and one page would replace the other. "
            "Run their folders one after the other, each with another --out."
        )
    return found


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook file.

    Raises:
        CourseError: it is not a notebook.
    """
    try:
        return nbformat.read(path, as_version=4)
    # What nbformat raises depends on what is in the file
    except (
        NotJSONError,
        ValidationError,
        ValueError,
        AttributeError,
        KeyError,
        TypeError,
    ) as error:
        raise CourseError(
            f"{path} cannot be read as a notebook ({type(error).__name__})."
        ) from error


def run_notebooks(paths: Sequence[Path], out: Path) -> list[Report]:
    """Execute notebooks one after another; write HTML pages, figures and an index into ``out``.

    Raises:
        CourseError: one of the files cannot be read as a notebook.
        KeyboardInterrupt: on Ctrl-C; the pages of the finished notebooks and an index are kept.
    """
    notebooks = [read_notebook(path) for path in paths]  # all, before the first one takes minutes
    out.mkdir(parents=True, exist_ok=True)
    reports = []
    try:
        for path, notebook in zip(paths, notebooks, strict=True):
            reports.append(_run_one(path, notebook, out))
    finally:
        if reports:
            write_index(reports, out)
    return reports


def _run_one(path: Path, notebook: NotebookNode, out: Path) -> Report:
    started = time.perf_counter()
    error = None
    with cell_bar(notebook, path.stem) as bar:
        try:
            peak = execute(notebook, path.parent, bar.update)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as failure:
            peak, error = getattr(failure, "peak_bytes", 0), _last_line(failure)
    seconds = time.perf_counter() - started
    points, max_points = score(notebook)
    page = write_page(notebook, path.stem, out)
    return Report(path.stem, seconds, peak, points, max_points, page, error)


@contextmanager
def cell_bar(notebook: NotebookNode, name: str) -> Iterator[tqdm]:
    """Show a progress bar over the code cells; Ctrl-C ends it with a line that says where."""
    cells = sum(cell.cell_type == "code" and bool(cell.source.strip()) for cell in notebook.cells)
    with tqdm(total=cells, desc=name, unit="cell", file=sys.stdout) as bar:
        try:
            yield bar
        except KeyboardInterrupt:
            bar.close()
            print(f"{name} was stopped after {bar.n} of {cells} cells: nothing of it is kept.")
            raise


class _Client(NotebookClient):
    """A client that stops on Ctrl-C; nbclient itself shuts the kernel down under the running cell and fails."""

    stopped = False
    # Ctrl-C before the event loop could handle it
    asked: Sequence[int] = ()

    async def async_start_new_kernel(self, **kwargs: Any) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def stop() -> None:
            self.stopped = True
            # A kernel that is still starting would print a long report
            self.shutdown_kernel = "immediate"
            if task:
                task.cancel()

        # Not the main thread, or Windows: signal handlers are not available there
        with suppress(RuntimeError, NotImplementedError):
            loop.add_signal_handler(signal.SIGINT, stop)
        if self.asked:
            stop()
            await asyncio.sleep(0)  # the cancellation takes effect here, before there is a kernel
        await super().async_start_new_kernel(**kwargs)

    def forget_kernel(self) -> None:
        """End the kernel if nbclient has not, and cancel the clean-up at exit."""
        if self.km is not None:
            self._cleanup_kernel()
        atexit.unregister(self._cleanup_kernel)


def execute(
    notebook: NotebookNode,
    folder: Path,
    on_cell: Callable[[], object] = lambda: None,
    environment: Mapping[str, str | None] | None = None,
) -> int:
    """Execute a notebook in place, in a kernel of its own, which keeps no points of the learner's.

    Args:
        notebook: its cells receive the outputs.
        folder: working directory of the kernel.
        on_cell: called after every cell.
        environment: variables to set (a value) or remove (None) for the kernel.

    Returns:
        Peak resident memory of the kernel in bytes.

    Raises:
        CellExecutionError, CellTimeoutError, DeadKernelError: as in nbclient; the notebook keeps the
            outputs up to that cell, and the exception has the attribute ``peak_bytes``.
        KeyboardInterrupt: on Ctrl-C; the kernel has ended.
    """
    variables = {**environment_of_course(), "SIAMESE_COURSE_PROGRESS": OFF, **(environment or {})}
    client = _Client(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        on_cell_executed=lambda **_: on_cell(),
    )
    # Hold Ctrl-C until the event loop handles it (never on Windows): half a loop prints a traceback at exit
    held = nullcontext(()) if sys.platform == "win32" else held_interrupts()
    with _peak_memory(client) as peak, held as client.asked:
        try:
            client.execute(env={k: v for k, v in variables.items() if v is not None})
        except (Exception, asyncio.CancelledError) as failure:
            if client.stopped:
                client.forget_kernel()
                raise KeyboardInterrupt from None
            failure.peak_bytes = peak[0]  # type: ignore[union-attr]
            raise
    return peak[0]


@contextmanager
def _peak_memory(client: NotebookClient) -> Iterator[list[int]]:
    """Measure the resident memory of the client's kernel and its children."""
    peak = [0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            pid = getattr(getattr(client.km, "provisioner", None), "pid", None)
            if pid is None:
                continue
            try:
                kernel = psutil.Process(pid)
                family = [kernel, *kernel.children(recursive=True)]
                peak[0] = max(peak[0], sum(process.memory_info().rss for process in family))
            except psutil.Error:
                continue  # the kernel or one of its children has just ended

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


def score(notebook: NotebookNode) -> tuple[float, float]:
    """Return (points, maximum) over the graded cells of an executed notebook, as nbgrader reads them."""
    earned = maximum = 0.0
    for cell in notebook.cells:
        settings = cell.metadata.get("nbgrader", {})
        if not settings.get("grade"):
            continue
        maximum += settings["points"]
        results = [o for o in cell.get("outputs", []) if o.output_type == "execute_result"]
        if results:
            earned += _points(results[-1].data["text/plain"])
    return earned, maximum


def _points(text: str) -> float:
    """The points that a check cell shows; anything else that it shows earns none."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def _last_line(error: Exception) -> str:
    """The last line of a traceback, which says what happened."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line for line in plain.splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
