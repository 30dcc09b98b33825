"""Execute notebooks with a progress bar, and write them as HTML pages with their pictures."""

import asyncio
import atexit
import base64
import copy
import html
import os
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
from bs4 import BeautifulSoup
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert import HTMLExporter
from tqdm import tqdm

from siamese_course.runtime.errors import CourseError

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
SOLUTIONS = NOTEBOOKS / "solutions"
SOURCES = NOTEBOOKS / "source"
CELL_SECONDS = 600
WIDGET = "application/vnd.jupyter.widget-view+json"
CODE = re.compile(r"(```.*?```|`[^`]*`)", re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(\S(?:[^$\n]*?\S)?)\$", re.DOTALL)
BADGE = re.compile(r"\[!\[([^\]]*)\]\([^)]*\)\](?=\()")  # a picture from the network that is a link
# In front of a page: the way back, and the colours of nbconvert's that are too pale to read.
HOME = """<style>
.jp-InputPrompt, .jp-OutputPrompt { color: #595959 !important; opacity: 1 !important; }
.highlight .mf, .highlight .mi { color: #006600 !important; }
.highlight .c1 { color: #2f6a6a !important; }
.highlight .ow { color: #8a00e0 !important; }
</style>
<nav style="padding: 0.6em 1em"><a href="index.html">The course: all pages</a></nav>
"""
INDEX = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Siamese networks: a course workbook</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 17px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto; max-width: 46em; padding: 1em; }}
a {{ color: #1a4fa0; }}
h1 {{ line-height: 1.2; }}
section {{ margin: 1.5em 0; border-top: 1px solid #ccc; }}
section p {{ color: #555; margin-top: -0.5em; }}
ul {{ columns: 20em; column-gap: 2em; padding-left: 1.2em; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #ddd; background: #181818; }}
  a {{ color: #8ab4f8; }}
  section p {{ color: #aaa; }}
}}
</style></head>
<body><main>
<h1>Siamese networks: a course workbook</h1>
<p>The notebooks, solved and run on this machine, as pages to read. To work on them yourself: <code>make lab</code>.</p>
{body}
</main></body></html>
"""


@dataclass(frozen=True)
class Report:
    """What executing one notebook came to; ``error`` is None if it ran to its end."""

    name: str
    seconds: float
    peak_bytes: int
    points: float
    max_points: float
    page: Path
    error: str | None = None


def collect(paths: Sequence[Path]) -> list[Path]:
    """The notebooks that the paths name: files, or all the notebooks of a folder.

    Raises:
        CourseError: a path does not exist or holds no notebook.
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob("*.ipynb")) if path.is_dir() else [path] * path.is_file()
        if not inside:
            raise CourseError(f"{path} is no notebook and no folder that holds one.")
        found += inside
    return found


def run_notebooks(paths: Sequence[Path], out: Path) -> list[Report]:
    """Execute notebooks one after another; write HTML pages, pictures and an index into ``out``.

    Raises:
        KeyboardInterrupt: by Ctrl-C; the pages of the notebooks that ran to their end are there, with an index.
    """
    out.mkdir(parents=True, exist_ok=True)
    reports = []
    try:
        for path in paths:
            reports.append(_run_one(path, out))
    finally:
        if reports:
            write_index(reports, out)
    return reports


def _run_one(path: Path, out: Path) -> Report:
    notebook = nbformat.read(path, as_version=4)
    started = time.perf_counter()
    error = None
    with cell_bar(notebook, path.stem) as bar:
        try:
            peak = execute(notebook, path.parent, bar.update)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as failure:
            peak, error = getattr(failure, "peak_bytes", 0), _first_line(failure)
    seconds = time.perf_counter() - started
    points, max_points = score(notebook)
    page = write_page(notebook, path.stem, out)
    return Report(path.stem, seconds, peak, points, max_points, page, error)


@contextmanager
def cell_bar(notebook, name: str) -> Iterator[tqdm]:
    """A progress bar over the code cells of a notebook; Ctrl-C ends it with a line that says where."""
    cells = sum(cell.cell_type == "code" and bool(cell.source.strip()) for cell in notebook.cells)
    with tqdm(total=cells, desc=name, unit="cell", file=sys.stdout) as bar:
        try:
            yield bar
        except KeyboardInterrupt:
            bar.close()
            print(f"{name} was stopped after {bar.n} of {cells} cells: nothing of it is kept.")
            raise


class _Client(NotebookClient):
    """nbclient meets Ctrl-C by taking the kernel away under the cell that runs, and fails over it."""

    stopped = False

    async def async_start_new_kernel(self, **kwargs):
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def stop():
            self.stopped = True
            self.shutdown_kernel = (
                "immediate"  # a kernel that is only starting would report at length
            )
            task.cancel()

        with suppress(RuntimeError):  # not the main thread, or Windows: no such handlers there
            loop.add_signal_handler(signal.SIGINT, stop)
        await super().async_start_new_kernel(**kwargs)

    def forget_kernel(self) -> None:
        """End the kernel where nbclient did not come to it, and take back that it is ended at the exit."""
        if self.km is not None:
            self._cleanup_kernel()
        atexit.unregister(self._cleanup_kernel)


def execute(notebook, folder: Path, on_cell=lambda: None, environment: dict | None = None) -> int:
    """Execute a notebook in place, in a kernel of its own.

    Args:
        notebook: filled with outputs.
        folder: working directory of the kernel.
        on_cell: called after every cell.
        environment: variables to set (a value) or to take away (None) for the kernel.

    Returns:
        Peak resident memory of the kernel in bytes.

    Raises:
        CellExecutionError, CellTimeoutError, DeadKernelError: as nbclient does; the notebook keeps the
            outputs up to there, and the exception carries ``peak_bytes``.
        KeyboardInterrupt: by Ctrl-C; the kernel is gone.
    """
    variables = {**os.environ, **(environment or {})}
    client = _Client(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        on_cell_executed=lambda **_: on_cell(),
    )
    with _peak_memory(client) as peak:
        try:
            client.execute(env={k: v for k, v in variables.items() if v is not None})
        except (Exception, asyncio.CancelledError) as failure:
            if client.stopped:
                client.forget_kernel()
                raise KeyboardInterrupt from None
            failure.peak_bytes = peak[0]
            raise
    return peak[0]


@contextmanager
def _peak_memory(client: NotebookClient) -> Iterator[list[int]]:
    """Watch the resident memory of the client's kernel and its children."""
    peak = [0]
    done = threading.Event()

    def watch():
        while not done.wait(0.2):
            pid = getattr(getattr(client.km, "provisioner", None), "pid", None)
            if pid is None:
                continue
            try:
                kernel = psutil.Process(pid)
                family = [kernel, *kernel.children(recursive=True)]
                peak[0] = max(peak[0], sum(process.memory_info().rss for process in family))
            except psutil.Error:
                continue  # the kernel, or a child of it, has just ended

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


def score(notebook) -> tuple[float, float]:
    """Points and maximum over the graded cells of an executed notebook, as nbgrader reads them."""
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
    """The points a check cell shows; a cell that was made to show something else earns none."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def write_page(notebook, name: str, out: Path) -> Path:
    """Write an executed notebook as an HTML page, and its tagged figures as PNG files beside it."""
    exporter = HTMLExporter(template_name="lab", mathjax_url="", require_js_url="")
    shown = with_mathml(notebook)
    tidy_outputs(shown)
    describe_charts(shown)
    for cell in shown.cells:
        if cell.cell_type == "markdown":
            cell.source = BADGE.sub(r"[\1]", cell.source)
    body, _ = exporter.from_notebook_node(shown)
    body = body.replace("<main>", f"{HOME}<main>", 1)
    page = out / f"{name}.html"
    _write_whole(page, body)
    pictures = out / name
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir()
    for title, png in figures(notebook):
        (pictures / f"{title}.png").write_bytes(png)
    return page


def describe_charts(notebook) -> None:
    """Give the pictures of cells with an ``alt`` text that text, for readers who do not see them."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []) if "alt" in cell.metadata else []:
            if png := output.get("data", {}).pop("image/png", None):
                alt = html.escape(cell.metadata.alt, quote=True)
                output.data["text/html"] = f'<img src="data:image/png;base64,{png}" alt="{alt}">'


def write_index(reports: Sequence[Report], out: Path) -> Path:
    """Write ``index.html``: the pages with their chapters, and what running them came to."""
    parts = []
    for report in reports:
        page = BeautifulSoup(report.page.read_text("utf-8"), "html.parser")
        title = _heading(page.h1) if page.h1 else report.name
        chapters = "".join(
            f'<li><a href="{report.page.name}#{heading["id"]}">{html.escape(_heading(heading))}</a></li>'
            for heading in page.find_all("h2", id=True)
        )
        came_to = f"{report.points:g} of {report.max_points:g} points"
        parts.append(
            f'<section><h2><a href="{report.page.name}">{html.escape(title)}</a></h2>\n'
            f"<p>{came_to}, {report.seconds:.0f} seconds, {report.peak_bytes / 2**30:.1f} GiB"
            f"{': stopped early' if report.error else ''}</p>\n<ul>{chapters}</ul></section>"
        )
    index = out / "index.html"
    _write_whole(index, INDEX.format(body="\n".join(parts)))
    return index


def _write_whole(path: Path, text: str) -> None:
    """Write a file whole, or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _heading(heading) -> str:
    """The text of a heading, without the mark that links to it."""
    return heading.get_text().strip().removesuffix("¶")


def tidy_outputs(notebook) -> None:
    """Drop what differs from run to run and helps no reader: times, widget state, the bars' steps."""
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type != "code":
            continue
        cell.outputs = coalesce_streams(cell.outputs)
        for output in cell.outputs:
            if output.output_type == "stream":
                lines = output.text.split("\n")
                output.text = "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in lines)
            elif output.get("data", {}).pop(WIDGET, None):
                output.data["text/plain"] = (
                    "An interactive chart: open this notebook in JupyterLab to see it."
                )


def coalesce_streams(outputs: list) -> list:
    """Join neighbouring pieces of one stream: a progress bar leaves dozens."""
    joined: list = []
    for output in outputs:
        if output.output_type == "stream" and joined and joined[-1].get("name") == output.name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def with_mathml(notebook):
    """A copy whose formulas are MathML: browsers draw it themselves, without a script from the network."""
    from latex2mathml.converter import convert

    def drawn(match: re.Match) -> str:
        block, inline = match.groups()
        return convert(block or inline, display="block" if block else "inline")

    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            pieces = CODE.split(cell.source)  # code keeps its dollar signs
            pieces[::2] = [FORMULA.sub(drawn, piece) for piece in pieces[::2]]
            cell.source = "".join(pieces)
    return notebook


def figures(notebook) -> Iterator[tuple[str, bytes]]:
    """(name, PNG bytes) of each picture in a cell tagged ``figure-NAME``."""
    for cell in notebook.cells:
        names = [t.removeprefix("figure-") for t in cell.metadata.get("tags", []) if "figure-" in t]
        for output in cell.get("outputs", []) if names else []:
            if "image/png" in output.get("data", {}):
                yield names[0], base64.b64decode(output.data["image/png"])


def _first_line(error: Exception) -> str:
    """The last line of a traceback says what happened; the ones before it where."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line for line in plain.splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
