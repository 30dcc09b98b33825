"""Select the cells of a submission to run, and find what its answers borrow from the course.

Only the answers are run, and the cells that bind a name which they use, in the order of the notebook.
Charts and training are not repeated for a grade.
"""

import ast
import dis
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import CodeType

from siamese_course.exercises.engine import Exercise
from siamese_course.exercises.origin import BORROWED, HANDED_OUT
from siamese_course.notebooks.catalog import BY_NAME

MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)  # what compiling may raise


@dataclass(frozen=True)
class Cell:
    """A code cell: its position in the notebook, its text, and the exercise that it answers, if any."""

    number: int
    source: str
    exercise: str | None = None


@dataclass(frozen=True)
class Release:
    """A notebook as the learner receives it.

    ``functions`` are the names that each exercise's check asks for, ``stubs`` the cells to fill in.
    """

    name: str
    notebook: dict
    functions: dict[str, list[str]]
    stubs: dict[str, str]

    @property
    def exercises(self) -> dict[str, Exercise]:
        """The exercises by their short names; loads Keras, and Trax for notebook 02."""
        return BY_NAME[self.name].exercises()


def grade_id(cell: dict) -> str | None:
    """Return the name of a cell that is an answer or a check, or None."""
    settings = cell.get("metadata", {}).get("nbgrader")
    found = settings.get("grade_id") if isinstance(settings, dict) else None
    return found if isinstance(found, str) else None


def text_of(cell: dict) -> str:
    """Return a cell's source, which a notebook file may store as a list of lines."""
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else source


@cache
def solutions() -> dict[str, str]:
    """Return the course's own answers by the names of their exercises."""
    return json.loads(
        files("siamese_course.exercises").joinpath("solutions.json").read_text("utf-8")
    )


@cache
def release(name: str) -> Release:
    """Return a notebook of the course by its name."""
    notebook = json.loads(BY_NAME[name].learner.read_text(encoding="utf-8"))
    functions, stubs = {}, {}
    for cell in notebook["cells"]:
        settings = cell["metadata"].get("nbgrader", {})
        if settings.get("solution"):
            stubs[settings["grade_id"]] = text_of(cell)
        elif settings.get("grade"):
            call = ast.parse(text_of(cell)).body[-1].value  # type: ignore[attr-defined]
            functions[settings["grade_id"].removesuffix("-check")] = [a.id for a in call.args]
    return Release(name, notebook, functions, stubs)


def code_cells(notebook: dict) -> list[Cell]:
    """Return the code cells of a submission that preflight has repaired, without magics."""
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
    """Return the course's notebook with answers, each in the first answer cell of its exercise."""
    notebook = json.loads(json.dumps(release(name).notebook))
    waiting = dict(answers)
    for cell in notebook["cells"]:
        settings = cell["metadata"].get("nbgrader", {})
        exercise = settings.get("grade_id", "").split("-")[0]
        if settings.get("solution") and exercise in answers:
            cell["source"] = waiting.pop(exercise, "")
    return notebook


def own_answer(name: str, exercise: str) -> list[Cell]:
    """Return the cells of the course's answer to an exercise and what they need, without other exercises."""
    answers = {exercise: solutions()[f"{name[:2]}.{exercise}"]}
    cells = code_cells(with_answers(name, answers))
    return needed([cell for cell in cells if cell.exercise in (None, exercise)])


def needed(cells: list[Cell]) -> list[Cell]:
    """Return the answers and the other cells that they need, in order."""
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


def uses(cells: Sequence[Cell], exercise: str) -> set[str]:
    """Return the names of the notebook that the answer to an exercise uses."""
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
    """Names that a cell binds in the notebook."""
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


def borrowed(cells: Sequence[Cell], exercise: str) -> str | None:
    """Return a sentence about what an answer borrows from the course, or None.

    Only imports and names are examined. An answer that hides what it does finds the course's answers removed
    from the copy of the course that it runs with (see ``package.py``).
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
    """Yield what is imported from the course: (name in the notebook, full name)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("siamese_course"):
            for each in node.names:
                if each.name not in HANDED_OUT:
                    yield each.asname or each.name, f"{node.module}.{each.name}"
        elif isinstance(node, ast.Import):
            for each in node.names:
                if each.name.startswith("siamese_course"):
                    yield each.asname or each.name.split(".")[0], each.name
