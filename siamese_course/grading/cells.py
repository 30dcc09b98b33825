"""Select the cells of a submission to run, and find what its answers borrow from the course.

Only the answers are run, and the cells that bind a name which they use, each before the answer it is needed for.
Charts and training are not repeated for a grade.
"""

import ast
import copy
import dis
import itertools
import json
import re
import warnings
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

from siamese_course.exercises import engine
from siamese_course.exercises.origin import BORROWED, HANDED_OUT
from siamese_course.notebooks.catalog import BY_NAME

MAGIC = re.compile(r"^([ \t]*)[%!?].*$", re.MULTILINE)
# Magics around statements, which are run without them: %%time, and %time x = f()
AROUND_CELL = re.compile(r"\A\s*%%(?:time|timeit|capture|prun|memit)\b.*\n?")
AROUND_LINE = re.compile(r"^([ \t]*)%(?:time|timeit|prun|memit)\b(?: +-\w+ ?\d*)* *", re.MULTILINE)
BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)  # what compiling may raise
MAX_CHARACTERS = 100_000  # of a cell that is looked into
# What exercises of a notebook import that no cell before the first one does
LATER_IMPORTS = {
    "01": ["import sklearn.neighbors"],
    "03": ["import keras_hub", "import sklearn.cluster", "import sklearn.metrics"],
}
ANYTHING, LAST_RESULT = "*", "_"
# Libraries whose star imports bind only names that are examined where an answer uses them
STARRED = {"jax", "keras", "math", "numpy", "tensorflow", "trax"}
# Names by which an answer could import what it may not use
REACHING = {"importlib", "__import__"}
# Names by which code could find the objects around it, or write what looks like a reply
INNER = REACHING | {
    *("sys", "gc", "inspect", "ctypes", "ctypeslib", "builtins", "modules", "pickle", "marshal"),
    *("exec", "eval", "compile", "getattr", "vars", "locals", "globals", "attrgetter"),
    *("methodcaller", "_getframe", "settrace", "setprofile", "runpy", "pkgutil", "getoutput"),
    # among them functions that import, look up or replace what a text names
    *("allow_pickle", "setattr", "delattr", "mock", "Formatter", "get_field", "pydoc"),
    *("walk_stack", "walk_tb", "get_type_hints", "resolve_name", "locate", "get_objects"),
    *("func_load", "runstring", "Timer", "runctx", "pdb", "InteractiveInterpreter"),
    *("run_docstring_examples", "os", "posix", "io", "open", "fdopen", "FileIO", "socket"),
    *("subprocess", "multiprocessing"),
}
HARMLESS = {"os": {"environ", "path", "getenv", "cpu_count"}, "sys": {"exit"}}
FRAMES = ("tb_", "f_", "gi_", "cr_", "ag_", "co_")
PLAIN = {
    *("__init__", "__call__", "__name__", "__version__", "__doc__", "__len__", "__getitem__"),
    *("__iter__", "__next__", "__main__", "__file__", "__array__", "__future__"),
}


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
    def exercises(self) -> dict[str, engine.Exercise]:
        """The exercises by their short names; loads Keras, and Trax for notebook 02."""
        return BY_NAME[self.name].exercises()


def grade_id(cell: dict) -> str | None:
    """Return the name of a cell that is an answer or a check, or None."""
    settings = cell.get("metadata", {}).get("nbgrader")
    found = settings.get("grade_id") if isinstance(settings, dict) else None
    return found if isinstance(found, str) else None


@cache
def release(name: str) -> Release:
    """Return a notebook of the course by its name."""
    notebook = json.loads(BY_NAME[name].learner.read_text(encoding="utf-8"))
    functions, stubs = {}, {}
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])  # the file has lists of lines
        settings = cell["metadata"].get("nbgrader", {})
        if settings.get("solution"):
            stubs[settings["grade_id"]] = cell["source"]
        elif settings.get("grade"):
            call = ast.parse(cell["source"]).body[-1].value
            functions[settings["grade_id"].removesuffix("-check")] = [a.id for a in call.args]
    return Release(name, notebook, functions, stubs)


def code_cells(notebook: dict) -> list[Cell]:
    """Return the code cells of a submission that preflight has repaired, as Python."""
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        name = grade_id(cell)
        if cell.get("cell_type") != "code" or (name or "").endswith("-check"):
            continue
        cells.append(Cell(number, python_of(cell["source"]), name.split("-")[0] if name else None))
    return cells


@cache
def imports(name: str) -> str:
    """Return what a notebook of the course imports before its first exercise, and what exercises import later."""
    cells = itertools.takewhile(
        lambda cell: cell.exercise is None, code_cells(release(name).notebook)
    )
    statements = [each for cell in cells for each in ast.parse(cell.source).body]
    lines = [
        ast.unparse(each) for each in statements if isinstance(each, ast.Import | ast.ImportFrom)
    ]
    return "\n".join([*lines, *LATER_IMPORTS.get(name[:2], ())])


@cache
def python_of(source: str) -> str:
    """Return the text of a cell as Python, in which magics are calls of ``get_ipython()``, as in a kernel."""
    plain = len(source) > MAX_CHARACTERS or not re.search(r"[%!?]", source)
    if plain or parsed(source) is not None:
        return source
    from IPython.core.inputtransformer2 import TransformerManager

    inner = AROUND_LINE.sub(r"\1", AROUND_CELL.sub("", source))
    for text in (inner, MAGIC.sub(r"\1pass", inner)):
        with suppress(*BROKEN):
            text = TransformerManager().transform_cell(text)
            if parsed(text) is not None:
                return text
    return source


def parsed(source: str) -> ast.Module | None:
    """Return a cell parsed as Python, or None if that is not possible."""
    with warnings.catch_warnings(action="ignore"), suppress(*BROKEN):
        return ast.parse(source) if len(source) <= MAX_CHARACTERS else None
    return None


def with_answers(name: str, answers: dict[str, str]) -> dict:
    """Return the course's notebook with answers, each in the first answer cell of its exercise."""
    notebook = copy.deepcopy(release(name).notebook)
    waiting = dict(answers)
    for cell in notebook["cells"]:
        settings = cell["metadata"].get("nbgrader", {})
        exercise = settings.get("grade_id", "").split("-")[0]
        if settings.get("solution") and exercise in answers:
            cell["source"] = waiting.pop(exercise, "")
    return notebook


def own_answer(name: str, exercise: str) -> list[Cell]:
    """Return the cells of the course's answer to an exercise and what they need, without other exercises."""
    answers = {exercise: engine.solutions()[f"{name[:2]}.{exercise}"]}
    cells = code_cells(with_answers(name, answers))
    return needed([cell for cell in cells if cell.exercise in (None, exercise)])


def needed(
    cells: Sequence[Cell], exercise: str | None = None, *, anything: bool = True
) -> list[Cell]:
    """Return the answers to an exercise (to all if None) and the other cells that they need, in order.

    A name comes from the cells up to the answer that bind it, as in a kernel in which the notebook was run from
    the top; from those below only if there is none. ``anything``: with the cells that might bind any name, and not
    only those that import everything from a library.
    """
    chosen = {c.number for c in cells if c.exercise and exercise in (None, c.exercise)}
    last = max(chosen, default=-1) if exercise else max((c.number for c in cells), default=-1)
    source_of = {cell.number: cell.source for cell in cells}
    binders: dict[str, list[int]] = {}
    for cell in cells:
        for name in bound(cell.source):
            binders.setdefault(name, []).append(cell.number)
    chosen |= {
        number
        for number in binders.get(ANYTHING, ())
        if number <= last and (anything or _imports_libraries(source_of[number]))
    }
    waiting = list(chosen)
    while waiting:
        number = waiting.pop()
        for name in _used(source_of[number]):
            found = binders.get(name, [])
            if name == LAST_RESULT:
                found = [each for each in found if each < number][-1:]
            new = set([n for n in found if n <= last] or found) - chosen
            chosen |= new
            waiting += new
    return [cell for cell in cells if cell.number in chosen]


def _imports_libraries(source: str) -> bool:
    """Whether a cell has only imports, with a star only from libraries."""
    tree = parsed(source) or ast.Module([], [])
    starred = [n for n in tree.body if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"]
    return all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body) and all(
        node.level == 0 and str(node.module).split(".")[0] in STARRED for node in starred
    )


def uses(cells: Sequence[Cell], exercise: str) -> set[str]:
    """Return the names of the notebook that the answer to an exercise uses."""
    return set().union(*(_used(cell.source) for cell in cells if cell.exercise == exercise))


@cache
def _instructions(source: str) -> list[tuple[str, Any]]:
    """(operation, argument) of everything that is compiled from a cell; nothing if it cannot be."""
    found: list[tuple[str, Any]] = []
    waiting: list[CodeType] = []
    with warnings.catch_warnings(action="ignore"), suppress(*BROKEN):
        if len(source) <= MAX_CHARACTERS:
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            waiting.append(compile(source, "cell", "exec", flags, dont_inherit=True))
    while waiting:
        code = waiting.pop()
        found += [(step.opname, step.argval) for step in dis.get_instructions(code)]
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
    return found


def _used(source: str) -> set[str]:
    """Names of the notebook that a cell uses, at its top or inside its functions."""
    return {name for step, name in _instructions(source) if step in ("LOAD_GLOBAL", "LOAD_NAME")}


@cache
def bound(source: str) -> frozenset[str]:
    """Return the names that a cell binds in the notebook; ``ANYTHING`` if that is seen only when it runs."""
    names = {name for step, name in _instructions(source) if step in ("STORE_NAME", "STORE_GLOBAL")}
    tree = parsed(source) or ast.Module([], [])
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        names.add(LAST_RESULT)
    for node in ast.walk(tree):
        if isinstance(node, ast.alias) and node.name == "*":
            names.add(ANYTHING)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names |= {ANYTHING} if node.func.id in ("exec", "globals", "locals", "vars") else set()
        elif isinstance(node, ast.Constant) and node.value == "writefile":  # a file to import
            names.add(ANYTHING)
    return frozenset(names)


def borrowed(cells: Sequence[Cell], exercise: str) -> str | None:
    """Return a sentence about what an answer borrows from the course, or None.

    Imports, names and texts are examined. An answer that hides what it does finds the course's answers removed
    from the copy of the course that it runs with (see ``package.py``).
    """
    ours: dict[str, str] = {}
    for cell in cells:
        tree = parsed(cell.source)
        if tree is None:
            continue
        imports = dict(_imports(tree))
        if cell.exercise == exercise:
            used = _used(cell.source)
            taken = [ours[name] for name in sorted(used & ours.keys())]
            for name in [*imports.values(), *taken, *_texts(tree), *sorted(used & REACHING)]:
                return BORROWED.format(name)
        elif not cell.exercise:
            ours |= imports
    return None


def _texts(tree: ast.AST) -> Iterator[str]:
    """Yield texts in code that begin as names of the course's modules do, other than docstrings."""
    words = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and value.startswith("siamese_course") and id(node) not in words:
            yield value[:80]


def reaching(cells: Sequence[Cell]) -> str | None:
    """Return the first name in cells by which code could reach what is around it, or None.

    Where an answer makes a model or a training loop, a function of the course examines it in the learner's
    process. Code that uses ``sys``, frames and the like could replace that function.
    """
    for cell in cells:
        tree = parsed(cell.source) or ast.Module([], [])
        harmless = {id(node) for each in ast.walk(tree) for node in _harmless(each)}
        for node in ast.walk(tree):
            for name in _names(node) if id(node) not in harmless else ():
                if name in INNER or (name.startswith("__") and name not in PLAIN):
                    return name
                if isinstance(node, ast.Attribute) and name.startswith(FRAMES):
                    return name
    return None


def beyond(cells: Sequence[Cell], plain: Container[str]) -> str | None:
    """Return the first name in cells that is not plain, or None: an import, an attribute, or one that is set.

    Attributes of ``self`` may have any name, but those that are set no plain one: anything may be called self.
    """
    for cell in cells:
        for node in ast.walk(parsed(cell.source) or ast.Module([], [])):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = ".".join(each.name for each in node.names).split(".")
            elif isinstance(node, ast.ImportFrom):
                names = [*(node.module or "").split("."), *(each.name for each in node.names)]
            elif isinstance(node, ast.MatchClass):
                names = node.kwd_attrs
            elif isinstance(node, ast.Attribute):
                own = isinstance(node.value, ast.Name) and node.value.id == "self"
                if not isinstance(node.ctx, ast.Load) and (not own or node.attr in plain):
                    return node.attr
                names = [] if own else [node.attr]
            for name in names:
                if name not in plain:
                    return name
    return None


def _harmless(node: ast.AST) -> Iterator[ast.AST]:
    """Yield names inside ``os.environ``, ``sys.exit`` and ``globals()["name"] = value``."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield from [node.value] * (node.attr in HARMLESS.get(node.value.id, ()))
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        named = isinstance(node.slice, ast.Constant) and str(node.slice.value)[:1] != "_"
        if named and isinstance(node.value, ast.Call):
            yield node.value.func


def _names(node: ast.AST) -> list[str]:
    """What a node of a tree uses by name."""
    if isinstance(node, ast.Name):
        return [node.id] if isinstance(node.ctx, ast.Load) else []
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.alias):
        return [node.name.rsplit(".", 1)[-1]] if node.asname else []
    if isinstance(node, ast.ImportFrom):
        return [*(each.name for each in node.names), *(node.module or "").split(".")]
    if isinstance(node, ast.MatchClass):
        return node.kwd_attrs
    return ["allow_pickle"] if isinstance(node, ast.keyword) and node.arg == "allow_pickle" else []


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
