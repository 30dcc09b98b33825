"""Write executed notebooks as HTML pages with their figures, and an index of the pages."""

import base64
import copy
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from nbconvert import HTMLExporter
from nbformat import NotebookNode

from siamese_course.runtime.files import write_whole

WIDGET = "application/vnd.jupyter.widget-view+json"
CODE = re.compile(r"(```.*?```|`[^`]*`)", re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(\S(?:[^$\n]*?\S)?)\$", re.DOTALL)
# An image from the network that is a link
BADGE = re.compile(r"\[!\[([^\]]*)\]\([^)]*\)\](?=\()")
# At the top of a page: a link back, and readable colors where nbconvert's are too pale.
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
    """The result of executing one notebook; ``error`` is None if it ran to its end."""

    name: str
    seconds: float
    peak_bytes: int
    points: float
    max_points: float
    page: Path
    error: str | None = None


def write_page(notebook: NotebookNode, name: str, out: Path) -> Path:
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
    write_whole(page, body)
    images = out / name
    images.mkdir(exist_ok=True)
    for old in images.glob("*.png"):
        old.unlink()
    for title, png in figures(notebook):
        (images / f"{title}.png").write_bytes(png)
    return page


def describe_charts(notebook: NotebookNode) -> None:
    """Give images the ``alt`` text of their cell, for readers who do not see them."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []) if "alt" in cell.metadata else []:
            if png := output.get("data", {}).pop("image/png", None):
                alt = html.escape(cell.metadata.alt, quote=True)
                output.data["text/html"] = f'<img src="data:image/png;base64,{png}" alt="{alt}">'


def write_index(reports: Sequence[Report], out: Path) -> Path:
    """Write ``index.html``: the pages with their chapters, points, seconds and memory."""
    parts = []
    for report in reports:
        page = BeautifulSoup(report.page.read_text("utf-8"), "html.parser")
        title = _heading(page.h1) if page.h1 else report.name
        chapters = "".join(
            f'<li><a href="{report.page.name}#{heading["id"]}">{html.escape(_heading(heading))}</a></li>'
            for heading in page.find_all("h2", id=True)
        )
        result = f"{report.points:g} of {report.max_points:g} points"
        parts.append(
            f'<section><h2><a href="{report.page.name}">{html.escape(title)}</a></h2>\n'
            f"<p>{result}, {report.seconds:.0f} seconds, {report.peak_bytes / 2**30:.1f} GiB"
            f"{': stopped early' if report.error else ''}</p>\n<ul>{chapters}</ul></section>"
        )
    index = out / "index.html"
    write_whole(index, INDEX.format(body="\n".join(parts)))
    return index


def _heading(heading: Tag) -> str:
    """The text of a heading, without the sign that links to it."""
    return heading.get_text().strip().removesuffix("¶")


def tidy_outputs(notebook: NotebookNode) -> None:
    """Remove what differs between runs and helps no reader: times, widget state, steps of progress bars."""
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
                    "Something interactive: open this notebook in JupyterLab to see it."
                )


def coalesce_streams(outputs: list) -> list:
    """Join adjacent outputs of one stream: a progress bar makes dozens."""
    joined: list = []
    for output in outputs:
        if output.output_type == "stream" and joined and joined[-1].get("name") == output.name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def with_mathml(notebook: NotebookNode) -> NotebookNode:
    """Return a copy with formulas as MathML, which browsers draw without a script from the network."""
    from latex2mathml.converter import convert

    def drawn(match: re.Match) -> str:
        block, inline = match.groups()
        try:
            return convert(block or inline, display="block" if block else "inline")
        except Exception:  # its errors have no common class; the formula stays as it was written
            return match[0]

    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            pieces = CODE.split(cell.source)  # code keeps its dollar signs
            pieces[::2] = [FORMULA.sub(drawn, piece) for piece in pieces[::2]]
            cell.source = "".join(pieces)
    return notebook


def figures(notebook: NotebookNode) -> Iterator[tuple[str, bytes]]:
    """Yield (name, PNG bytes) of each image in a cell with the tag ``figure-NAME``."""
    for cell in notebook.cells:
        names = [t.removeprefix("figure-") for t in cell.metadata.get("tags", []) if "figure-" in t]
        for output in cell.get("outputs", []) if names else []:
            if "image/png" in output.get("data", {}):
                yield names[0], base64.b64decode(output.data["image/png"])
