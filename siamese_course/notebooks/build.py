"""Build the learner's and the solution notebooks from their source scripts, the only way they are written.

A source is a jupytext percent script. ``answer="NAME"`` marks a cell with a solution, ``check="NAME"`` the
graded cell of that exercise. Inside a solution, the line ``# from the package: losses.contrastive_loss``
stands for the body of that function, so that no second copy of it exists.
"""

import ast
import hashlib
import inspect
import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from siamese_course.notebooks.catalog import CATALOG, ROOT, SOLUTIONS, Entry, require_repository
from siamese_course.notebooks.render import figures, tidy_outputs
from siamese_course.notebooks.run import cell_bar, execute
from siamese_course.runtime.quiet import quiet_stderr

SOLUTION_TEXTS = ROOT / "siamese_course" / "exercises" / "solutions.json"
README_FIGURES = {"scatter"}
BADGE = (
    "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
    "(https://colab.research.google.com/github/{github}/blob/{branch}/notebooks/{name}.ipynb)"
)
ADDRESS = re.compile(r"git\+https://github\.com/[^\"]*")
MARK = re.compile(r"^[ \t]*### (BEGIN|END) SOLUTION[ \t]*\n?", re.MULTILINE)
FROM_PACKAGE = re.compile(r"^([ \t]*)# from the package: ([\w.]+)\.(\w+)$", re.MULTILINE)

# The one setting in which solution notebooks are executed and nbval checks them.
STORED_SETTING = {
    "SIAMESE_COURSE_DATA": "shipped",
    "SIAMESE_COURSE_BUDGET": "course",
    "KERAS_BACKEND": "tensorflow",
}


def read_source(entry: Entry) -> NotebookNode:
    """Read a source script as a notebook with nbgrader's metadata.

    Points come from the exercises. ``{{badge}}`` and ``{{package}}`` are made of the address in
    pyproject.toml, and vanish if it has none.
    """
    text = FROM_PACKAGE.sub(_body, entry.source.read_text(encoding="utf-8"))
    text = with_address(text, entry.name, **_address())
    notebook = jupytext.reads(text, fmt="py:percent")
    known = entry.exercises()
    for number, cell in enumerate(notebook.cells):
        # jupytext draws random ids, which would change the file with every build
        cell.id = f"cell-{number:03d}"
        answer, check = cell.metadata.pop("answer", None), cell.metadata.pop("check", None)
        if answer:
            cell.metadata["nbgrader"] = _nbgrader(answer.replace(".", "-"), solution=True)
        if check:
            points = known[check].points
            cell.metadata["nbgrader"] = _nbgrader(f"{check}-check", grade=True, points=points)
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "siamese_course": {"source_sha256": hashlib.sha256(text.encode()).hexdigest()},
        }
    )
    nbformat.validate(notebook)
    return notebook


def _body(match: re.Match) -> str:
    """The body of a package function without its docstring, indented as the line it replaces."""
    indent, module, name = match.groups()
    with quiet_stderr():
        function = getattr(import_module(f"siamese_course.{module}"), name)
    source = textwrap.dedent(inspect.getsource(function))
    body = ast.parse(source).body[0].body  # type: ignore[attr-defined]
    first = body[1] if ast.get_docstring(ast.parse(source).body[0]) else body[0]  # type: ignore[arg-type]
    lines = source.splitlines()[first.lineno - 1 :]
    return textwrap.indent(textwrap.dedent("\n".join(lines)), indent)


def _address() -> dict[str, str]:
    """The address of the course on GitHub: ``github``, empty until there is one, and ``branch``."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["siamese-course"]


def with_address(text: str, name: str, github: str, branch: str) -> str:
    """Return a source with its badge and the place that its first cell installs from, if there is an address."""
    if not github:
        return text.replace("# {{badge}}\n#\n", "").replace("{{package}}", "")
    badge = BADGE.format(github=github, branch=branch, name=name)
    package = f"git+https://github.com/{github}@{branch}"
    return text.replace("{{badge}}", badge).replace("{{package}}", package)


def _nbgrader(
    grade_id: str, *, grade: bool = False, solution: bool = False, points: float = 0
) -> dict:
    settings = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": grade,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    return settings | ({"points": points} if grade else {})


def solution_notebook(entry: Entry) -> NotebookNode:
    """Return the solution notebook, not executed: the source's cells with the answers in them."""
    notebook = read_source(entry)
    for cell in notebook.cells:
        cell.source = MARK.sub("", cell.source)
    return notebook


def solution_texts(entries: Iterable[Entry] = CATALOG) -> dict[str, str]:
    """Return the answers by exercise name, for ``solution()`` in the notebooks."""
    texts: dict[str, list[str]] = {}
    for entry in entries:
        for cell in solution_notebook(entry).cells:
            settings = cell.metadata.get("nbgrader", {})
            if settings.get("solution"):
                name = f"{entry.number}.{settings['grade_id'].split('-')[0]}"
                texts.setdefault(name, []).append(cell.source)
    return {name: "\n\n\n".join(parts) for name, parts in texts.items()}


def build(
    release: Callable[[NotebookNode], NotebookNode],
    numbers: Iterable[str] = (),
    *,
    text_only: bool = False,
) -> list[Path]:
    """Write the learner's and the executed solution notebooks.

    Args:
        release: makes the learner's notebook of a source with solutions (``grading.authoring.release``).
        numbers: which notebooks, by the beginnings of their names such as "01"; all if empty.
        text_only: keep the stored outputs of a notebook whose code is the same, apart from the course's address.

    Returns:
        The files written.

    Raises:
        CourseError: there is no repository to write to.
    """
    require_repository()
    chosen = [e for e in CATALOG if not numbers or any(e.name.startswith(n) for n in numbers)]
    SOLUTION_TEXTS.write_text(json.dumps(solution_texts(), indent=1) + "\n", "utf-8")
    written = [SOLUTION_TEXTS]
    for entry in chosen:
        learner = release(read_source(entry))
        _write(learner, entry.learner)
        _write(learner, entry.working)
        solution = solution_notebook(entry)
        if not (text_only and _take_outputs(solution, entry.solution)):
            with cell_bar(solution, entry.name) as bar:
                execute(solution, SOLUTIONS, bar.update, STORED_SETTING)
            tidy_outputs(solution)
        _write(solution, entry.solution)
        written += [entry.learner, entry.working, entry.solution, *_write_figures(solution, entry)]
    return written


def _take_outputs(solution: NotebookNode, path: Path) -> bool:
    """Take the outputs of the stored notebook, if its code is the same, and return whether it is."""
    if not path.exists():
        return False
    stored = nbformat.read(path, as_version=4)
    cells, kept = ([c for c in n.cells if c.cell_type == "code"] for n in (solution, stored))
    if [ADDRESS.sub("", c.source) for c in cells] != [ADDRESS.sub("", c.source) for c in kept]:
        return False
    for cell, before in zip(cells, kept, strict=True):
        cell.outputs, cell.execution_count = before.outputs, before.execution_count
    solution.metadata.language_info = stored.metadata.language_info
    return True


def _write_figures(solution: NotebookNode, entry: Entry) -> list[Path]:
    """Write the figures that the README shows."""
    written = []
    for title, png in figures(solution):
        if title in README_FIGURES:
            path = ROOT / "docs" / "images" / f"{entry.number}-{title}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(png)
            written.append(path)
    return written


def _write(notebook: NotebookNode, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
