"""Which cells of a submission to run for its answers, and what they may not borrow.

Only what the answers need is run: their own cells, and those that bind a name which they use, in the order
of the notebook. Charts and trainings need not be repeated for a grade.
"""

import ast
import dis
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from types import CodeType

from siamese_course.notebooks.run import NOTEBOOKS
from siamese_course.runtime.quiet import quiet_stderr

NAMES = ("01_mnist_contrastive", "02_quora_triplet", "03_sbert_roberta")
CHECKS = {
    "01": "siamese_course.exercises.mnist",
    "02": "siamese_course.exercises.quora",
    "03": "siamese_course.exercises.sentences",
}
MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)  # what compiling may raise
# What the notebooks hand out of the course, and an answer may use
HANDED_OUT = {"pad_pair", "training", "trax"}
BORROWED = (
    "This answer uses the course's own code (`{}`). Write the function yourself: NumPy, Keras and the other "
    "libraries are at your service."
)


@dataclass(frozen=True)
class Cell:
    """A code cell: its place in the notebook, its text, and the exercise that it answers, if it does."""

    number: int
    source: str
    exercise: str | None = None


@dataclass(frozen=True)
class Release:
    """A notebook as it was handed out.

    ``functions`` are the names that each exercise's check asks for, ``stubs`` the cells to be filled in.
    """

    name: str
    notebook: dict
    functions: dict[str, list[str]]
    stubs: dict[str, str]

    @property
    def exercises(self) -> dict[str, object]:
        """The exercises by their short names; loads Keras, and Trax for notebook 02."""
        with quiet_stderr():
            found = import_module(CHECKS[self.name[:2]]).EXERCISES
        return {exercise.name.split(".")[1]: exercise for exercise in found}


def grade_id(cell: dict) -> str | None:
    """The name of a cell that is an answer or a check."""
    settings = cell.get("metadata", {}).get("nbgrader")
    found = settings.get("grade_id") if isinstance(settings, dict) else None
    return found if isinstance(found, str) else None


def text_of(cell: dict) -> str:
    """A cell's source, which a notebook file may hold as a list of lines."""
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else source


@cache
def solutions() -> dict[str, str]:
    """The course's own answers by the names of their exercises."""
    return json.loads(
        files("siamese_course.exercises").joinpath("solutions.json").read_text("utf-8")
    )


@cache
def release(name: str) -> Release:
    """A notebook of the course by its name."""
    notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
    functions, stubs = {}, {}
    for cell in notebook["cells"]:
        settings = cell["metadata"].get("nbgrader", {})
        if settings.get("solution"):
            stubs[settings["grade_id"]] = text_of(cell)
        elif settings.get("grade"):
            call = ast.parse(text_of(cell)).body[-1].value
            functions[settings["grade_id"].removesuffix("-check")] = [a.id for a in call.args]
    return Release(name, notebook, functions, stubs)


def code_cells(notebook: dict) -> list[Cell]:
    """The code cells of a submission that was found to be in order, magics taken out."""
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        name = grade_id(cell)
        if cell.get("cell_type") != "code" or (name or "").endswith("-check"):
            continue
        source = text_of(cell)
        if _compiled(source) is None:
            source = MAGIC.sub(r"\1pass", source)
        cells.append(Cell(number, source, name.split("-")[0] if name else None))
    return cells


def with_answers(name: str, answers: dict[str, str]) -> dict:
    """The notebook of the course with exercises answered: a text stands in the first answer cell of each."""
    notebook = json.loads(json.dumps(release(name).notebook))
    waiting = dict(answers)
    for cell in notebook["cells"]:
        settings = cell["metadata"].get("nbgrader", {})
        exercise = settings.get("grade_id", "").split("-")[0]
        if settings.get("solution") and exercise in answers:
            cell["source"] = waiting.pop(exercise, "")
    return notebook


def own_answer(name: str, exercise: str) -> list[Cell]:
    """The cells of the course's own answer to an exercise, and what they need, less other exercises."""
    answers = {exercise: solutions()[f"{name[:2]}.{exercise}"]}
    cells = code_cells(with_answers(name, answers))
    return needed([cell for cell in cells if cell.exercise in (None, exercise)])


def needed(cells: list[Cell]) -> list[Cell]:
    """The answers, and what they need of the other cells, in order."""
    source_of = {cell.number: cell.source for cell in cells}
    binds = {number: _bound(source) for number, source in source_of.items()}
    chosen = {cell.number for cell in cells if cell.exercise}
    waiting = list(chosen)
    while waiting:
        uses = _used(source_of[waiting.pop()])
        found = {n for n, bound in binds.items() if bound & uses and n not in chosen}
        chosen |= found
        waiting += found
    return [cell for cell in cells if cell.number in chosen]


def uses(cells: list[Cell], exercise: str) -> set[str]:
    """Names of the notebook that the answer to an exercise uses."""
    return set().union(*(_used(cell.source) for cell in cells if cell.exercise == exercise))


def _compiled(source: str) -> CodeType | None:
    try:
        return compile(source, "cell", "exec")
    except BROKEN:
        return None


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _used(source: str) -> set[str]:
    """Names of the notebook that a cell uses, at its top or inside its functions."""
    code = _compiled(source)
    return {
        step.argval
        for part in (_codes(code) if code else ())
        for step in dis.get_instructions(part)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }


def _bound(source: str) -> set[str]:
    """Names that a cell gives to the notebook."""
    code = _compiled(source)
    return {
        step.argval
        for step in (dis.get_instructions(code) if code else ())
        if step.opname in ("STORE_NAME", "STORE_GLOBAL")
    } | {
        step.argval
        for part in (_codes(code) if code else ())
        for step in dis.get_instructions(part)
        if step.opname == "STORE_GLOBAL"
    }


def borrowed(cells: list[Cell], exercise: str) -> str | None:
    """What an answer borrows from the course instead of writing it, in a sentence; None if nothing.

    Looked at are imports and names: an answer that hides better what it does finds the course's answers
    gone from the copy of the course that it runs with (see ``package.py``).
    """
    ours: dict[str, str] = {}
    for cell in cells:
        try:
            tree = ast.parse(cell.source)
        except BROKEN:
            continue
        imports = dict(_imports(tree))
        if cell.exercise == exercise:
            taken = [ours[name] for name in sorted(_used(cell.source) & set(ours))]
            for name in [*imports.values(), *taken]:
                return BORROWED.format(name)
        elif not cell.exercise:
            ours |= imports
    return None


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What is imported from the course: (name in the notebook, where from)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("siamese_course"):
            for each in node.names:
                if each.name not in HANDED_OUT:
                    yield each.asname or each.name, f"{node.module}.{each.name}"
        elif isinstance(node, ast.Import):
            for each in node.names:
                if each.name.startswith("siamese_course"):
                    yield each.asname or each.name.split(".")[0], each.name
