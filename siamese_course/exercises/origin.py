"""Is an answer the learner's own, and the one that stands in the notebook now?

In a notebook, every cell that runs is watched: which functions of the exercises it defines, and which it fails to
define. So an answer is known to be the course's own, or to be older than a cell that no longer defines it.
"""

import ast
import dis
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType, ModuleType
from typing import Any

from siamese_course.exercises import record

COURSE = "siamese_course"
# Names of the course that the notebooks give to the learner, and an answer may use
HANDED_OUT = {"pad", "pad_pair", "training", "trax"}
# Instructions that look a name up in a notebook's variables; the last one is in newer classes
GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
BORROWED = (
    "This answer uses the course's own code (`{}`). Write the function yourself; you can use NumPy, Keras, and the "
    "other libraries."
)
OWN = "`{}` is the course's own answer here. Write yours in the cell above, run it, then run this cell again."
OLD = (
    "`{}` is from an earlier run: the cell where you wrote it no longer defines it. Fix that cell, run it, then run "
    "this cell again."
)


class Watch:
    """What the cells of a notebook did to the functions that its exercises ask for.

    Args:
        shell: IPython's, with ``user_ns``, the notebook's variables.
        names: of the functions.
    """

    def __init__(self, shell: Any, names: Iterable[str]):
        self.shell, self.names = shell, list(names)
        self.before: dict[str, Any] = {}
        self.home: dict[str, Any] = {}  # the cell that defined it
        self.old: dict[str, Any] = {}  # functions that are older than their cell

    def before_cell(self, info: Any) -> None:
        """Store the functions as they are (IPython's ``pre_run_cell``)."""
        self.before = self._now()

    def after_cell(self, result: Any) -> None:
        """Compare with what is there now (IPython's ``post_run_cell``)."""
        now, cell = self._now(), getattr(result.info, "cell_id", None)
        source = result.info.raw_cell or ""
        written = re.findall(r"^\s*(?:def|class) +(\w+)", source, re.MULTILINE)
        failed = result.error_before_exec or result.error_in_exec
        for name in self.names:
            at_home = cell is not None and self.home.get(name) == cell
            if now.get(name) is not self.before.get(name):
                self.old.pop(name, None)
                self.home[name] = cell
            elif at_home and not failed and _binds(self.shell.transform_cell(source), name):
                self.old.pop(name, None)  # the same one again, such as an imported one
            elif name in now and ((failed and name in written) or at_home):
                self.old[name] = now[name]

    def _now(self) -> dict[str, Any]:
        return {name: self.shell.user_ns[name] for name in self.names if name in self.shell.user_ns}


def _binds(source: str, name: str) -> bool:
    """Whether a cell assigns or imports a name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.alias) and (node.asname or node.name) in (name, "*"):
            return True
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return True
    return False


_watches: list[Watch] = []


def watch(names: Iterable[str]) -> None:
    """Watch these functions in a notebook; elsewhere, do nothing."""
    shell = record.shell()
    if shell is None:
        return
    new = Watch(shell, names)
    shell.events.register("pre_run_cell", new.before_cell)
    shell.events.register("post_run_cell", new.after_cell)
    _watches.append(new)


def refusal(answers: Sequence[Any], reference: Sequence[Callable]) -> str | None:
    """Why these are not the learner's own, present answers, or None."""
    for answer, own in zip(answers, reference, strict=True):
        function = unwrapped(answer)
        if function is own or str(getattr(function, "__module__", "")).startswith(f"{COURSE}."):
            return OWN.format(own.__name__)
        if any(own.__name__ in each.old and answer is each.old[own.__name__] for each in _watches):
            return OLD.format(own.__name__)
        if name := borrowed(function):
            return BORROWED.format(name)
    return None


def unwrapped(answer: Any) -> Any:
    """The function inside of ``functools.partial`` and decorators."""
    while isinstance(answer, functools.partial) or hasattr(answer, "__wrapped__"):
        answer = answer.func if isinstance(answer, functools.partial) else answer.__wrapped__
    return answer


def borrowed(function: Any) -> str | None:
    """A name of the course that a function uses, or None; answers to other exercises are not counted."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    answered = {name for each in _watches for name in each.names}
    for step in (step for part in _codes(code) for step in dis.get_instructions(part)):
        if step.opname == "IMPORT_NAME" and _is_course(step.argval):
            return step.argval
        # other names of the code are attributes, such as `run.train`
        if step.opname in GLOBALS and step.argval not in HANDED_OUT | answered:
            value = function.__globals__.get(step.argval)
            home = "__name__" if isinstance(value, ModuleType) else "__module__"
            if _is_course(str(getattr(value, home, ""))):
                return step.argval
    return None


def _is_course(module: str) -> bool:
    return module.split(".")[0] == COURSE


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
