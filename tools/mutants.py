"""Do the checks see what is wrong? Change right answers a little, and count which changes a check notices.

    python tools/mutants.py                      all exercises
    python tools/mutants.py 01.knn 03.search     some of them
    python tools/mutants.py --show 01.knn        with every mutant that survives

Every right answer on file and every solution is changed in one place at a time (see ``changes``). A mutant is killed if
the check in the notebook does not give it all points. Those that compute the same are listed in mutants.toml, each with
its reason. The command fails if fewer than 97% of the others are killed, or fewer than 95% of an exercise.
"""

import argparse
import ast
import contextlib
import fnmatch
import hashlib
import io
import multiprocessing
import os
import re
import resource
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ANSWERS = ROOT / "tests" / "submissions"
EQUIVALENT = Path(__file__).with_suffix(".toml")
HIDDEN_SEED = 20_251
# Mutants of an exercise: of more, a sample is drawn, the same in every run
MOST = 120
# Those whose checks train, compile or build networks
SLOW = {
    "02.loop": 60,
    "02.siamese": 60,
    "01.encoder": 80,
    "01.siamese": 60,
    "03.siamese": 60,
    "04.verifier": 60,
}
# A mutant that computes longer than this, or than its answer allows (see ``patience``), is killed
SECONDS = 5
MEMORY = 4 << 30  # bytes; one that needs more is killed, too
NEEDED, NEEDED_EACH = 0.97, 0.95
# Exercises that the notebook trains with: their answers must pass gradients on
TRAINED = {
    *("01.distance", "01.contrastive_loss", "01.encoder", "01.siamese"),
    *("02.similarity", "02.negatives", "02.siamese", "02.loss", "02.padding", "02.softmax"),
    *("04.verifier", "04.mining", "04.supervised", "04.prototypes"),
    *("03.pooling", "03.siamese", "03.regression", "03.distances", "03.loss"),
}
# Arguments that no gradient must reach
NOT_TRAINED = {
    *("same", "labels", "targets", "y_true", "true", "words", "mask", "padding_mask"),
    *("margin", "temperature", "shots", "_", "unused"),
}
# Tags of messages that show evidence and name no mistake
GENERIC = {"", "value", "shape", "error", "type", "hard_coded", "late"}
# Python's own words that name it, for a line of the learner's
NAMED = re.compile(
    r"`(Name|UnboundLocal|Attribute|Import|Syntax)Error`|missing \d+ required|unexpected keyword argument"
    r"|takes .* positional arguments? but|expected \d+ arguments?, got|has no attribute"
)


class Late(BaseException):
    """A mutant computed too long. A BaseException, so that no check catches it."""


# --- helpers that mutants call -------------------------------------------------------------------------

touched: list[str] = []


def _array_of(value):
    """The library of an array and its functions, or None: numpy, jax or keras."""
    import jax
    import keras
    import numpy as np

    if isinstance(value, np.ndarray):
        return "numpy"
    if isinstance(value, jax.Array):
        return "jax"
    if keras.ops.is_tensor(value) or isinstance(value, keras.KerasTensor):
        return "keras"
    return None


def _stopped(value):
    """The value without its gradient."""
    import jax
    from keras import ops

    kind = _array_of(value)
    if kind in ("jax", "keras") and "float" in str(value.dtype):
        touched.append("stopped")
        return jax.lax.stop_gradient(value) if kind == "jax" else ops.stop_gradient(value)
    return value


def _in_numpy(value):
    """The value as a NumPy array."""
    import jax
    import numpy as np
    from keras import ops

    kind = _array_of(value)
    if kind in ("jax", "keras") and "float" in str(value.dtype):
        touched.append("numpy")
        # a traced array has no values, and in a learner's code this is an error, too
        return np.asarray(value) if kind == "jax" else ops.convert_to_numpy(value)
    del jax
    return value


def _squeezed(value):
    """The value without axes of length 1."""
    import numpy as np

    if (kind := _array_of(value)) and len(value.shape) > 0:
        if 1 not in value.shape:
            # while a model is built there are no rows yet: it holds no squeeze then
            if None not in value.shape:
                touched.append("nothing to squeeze")
            return value
        touched.append("squeezed")
        if kind == "keras":
            from keras import ops

            return ops.squeeze(value)
        return value.squeeze() if kind == "jax" else np.squeeze(value)
    return value


def _narrow(value):
    """The value in a type that holds three digits."""
    if (kind := _array_of(value)) and "float" in str(value.dtype):
        if kind == "keras":
            from keras import ops

            narrow = ops.cast(ops.cast(value, "float16"), value.dtype)
        else:
            narrow = value.astype("float16").astype(value.dtype)
        if not _is_equal(narrow, value):
            touched.append("narrow")
        return narrow
    return value


def _is_equal(left, right) -> bool:
    """Whether two arrays hold the same, where they hold something: not while a model is built."""
    import numpy as np

    with contextlib.suppress(Exception):
        return np.array_equal(left, right)
    return False


_buffers: dict = {}


def _reused(place, value):
    """The value in a buffer that the next call overwrites."""
    import numpy as np

    if isinstance(value, tuple | list):
        return type(value)(_reused((place, n), each) for n, each in enumerate(value))
    if isinstance(value, dict):
        return {key: _reused((place, key), each) for key, each in value.items()}
    if not isinstance(value, np.ndarray) or not value.ndim:
        return value
    touched.append("reused")
    buffer = _buffers.setdefault((place, value.shape, value.dtype.str), np.empty_like(value))
    buffer[...] = value
    return buffer


def _spoiled(value):
    """Change an argument in place."""
    import numpy as np

    if isinstance(value, np.ndarray) and value.size and value.flags.writeable:
        touched.append("spoiled")
        value += np.ones((), value.dtype)
    elif isinstance(value, list) and value:
        touched.append("spoiled")
        value.append(value[-1])
    elif isinstance(value, dict) and value:
        touched.append("spoiled")
        value["_"] = next(iter(value.values()))


_firsts: dict = {}


def _first(place, value):
    """The first value that an argument had: that of a global of the same name."""
    touched.append("first")
    return _firsts.setdefault(place, value)


HELPERS = {
    each.__name__: each
    for each in (_stopped, _in_numpy, _squeezed, _narrow, _reused, _spoiled, _first)
}


# --- changes --------------------------------------------------------------------------------------------

OPERATORS: dict = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Div],
    ast.Mod: [ast.Mult],
    ast.Pow: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}
NAMES = {}
for left, right in (
    ("min", "max"),
    ("minimum", "maximum"),
    ("sum", "mean"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("floor", "ceil"),
    ("zeros", "ones"),
    ("stack", "concatenate"),
    ("expand_dims", "squeeze"),
):
    NAMES |= {left: right, right: left}
COMMUTATIVE = {"maximum", "minimum", "add", "multiply", "equal", "not_equal", "logical_and"}
# Calls whose argument may stand in their place
OPTIONAL = re.compile(
    r"abs|copy|exp|log|log2|mean|normalize|permutation|relu|reversed|set|sorted|sqrt|square|sum|transpose"
)


def changes(source: str, trained: bool) -> Iterator[tuple[str, str]]:
    """Yield mutants of an answer: (what is changed, source)."""
    tree = ast.parse(source)
    carried = _carried(tree) if trained else set()
    parameters = {
        each.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for each in node.args
    }
    lines = {id(node): getattr(node, "lineno", 0) for node in ast.walk(tree)}
    seen = {ast.unparse(tree)}
    for node in list(_code(tree)):
        for field, at, old in _places(node):
            for new in _replacements(node, field, old, carried, parameters):
                ast.fix_missing_locations(ast.copy_location(new, old))
                label = f"line {lines.get(id(old), 0)}: {_text(old)} -> {_text(new)}"
                _put(node, field, at, new)
                try:
                    mutant = ast.unparse(ast.fix_missing_locations(tree))
                finally:
                    _put(node, field, at, old)
                if mutant not in seen:
                    seen.add(mutant)
                    yield label, mutant


def _carried(tree) -> set[str]:
    """The names that carry gradients: arguments, and what is computed from them."""
    found = {
        each.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for each in node.args
    }
    found -= NOT_TRAINED
    for _ in range(3):  # through assignments of assignments
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and _names_in(node.value) & found:
                found |= {name for target in node.targets for name in _names_in(target)}
    return found


def _names_in(node) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _text(node) -> str:
    """A node in one line; of a function only its name, or what is done to its argument."""
    if isinstance(node, ast.FunctionDef):
        calls = [each for each in ast.walk(node) if _name_of(each) in ("_spoiled", "_first")]
        return ast.unparse(calls[0]) if calls else f"def {node.name}"
    text = " ".join((ast.unparse(node) or type(node).__name__).split())
    return text if len(text) < 120 else f"{text[:120]} ..."


def _code(tree) -> Iterator[ast.AST]:
    """The nodes of an answer that compute something: no imports, docstrings, annotations or messages."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Raise | ast.JoinedStr):
            yield node


def _places(node) -> Iterator[tuple[str, int | None, ast.AST]]:
    """The children of a node: field, place in its list, child."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for at, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                yield field, at, child


def _put(node, field, at, child) -> None:
    if at is None:
        setattr(node, field, child)
    else:
        getattr(node, field)[at] = child


def _call(helper: str, *arguments) -> ast.Call:
    return ast.Call(ast.Name(helper, ast.Load()), list(arguments), [])


def _with(node, **fields):
    """A copy of a node with other fields."""
    values = {name: getattr(node, name) for name in node._fields if hasattr(node, name)} | fields
    return ast.copy_location(type(node)(**values), node)


def _name_of(node) -> str:
    """The name of the function that a node calls."""
    func = getattr(node, "func", None)
    return getattr(func, "attr", getattr(func, "id", ""))


def _replacements(parent, field, node, carried, parameters) -> Iterator[ast.AST]:
    kind = type(node)
    if kind in OPERATORS:
        yield from (each() for each in OPERATORS[kind])
    elif isinstance(node, ast.stmt):
        yield from _statements(parent, node)
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult | ast.Sub | ast.Div):
        yield _with(node, left=node.right, right=node.left)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Attribute) and node.attr == "T":
        yield node.value
    elif isinstance(node, ast.Slice):
        yield from _slices(node)
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Tuple) and isinstance(parent, ast.Return | ast.Yield):
        yield _with(node, elts=node.elts[::-1])
    if isinstance(node, ast.expr) and _is_value(parent, field, node):
        if isinstance(parent, ast.Return) or _names_in(node) & parameters == {ast.unparse(node)}:
            yield _call("_squeezed", node)
        if isinstance(parent, ast.Return | ast.Compare):
            yield _call("_narrow", node)
        if _names_in(node) & carried:
            yield from (_call(name, node) for name in ("_stopped", "_in_numpy"))
    if isinstance(parent, ast.Return | ast.Yield) and isinstance(node, ast.expr):
        yield _call("_reused", ast.Constant(node.lineno), node)


def _is_value(parent, field, node) -> bool:
    """Whether an expression is an operand, an argument or a result, which an array may be."""
    if not isinstance(node, ast.Call | ast.BinOp | ast.Subscript | ast.Name):
        return False
    if isinstance(parent, ast.Call):
        return field == "args"
    return isinstance(parent, ast.BinOp | ast.Return | ast.Yield | ast.Compare) or (
        isinstance(parent, ast.Assign) and field == "value" and not isinstance(node, ast.Name)
    )


def _statements(parent, node) -> Iterator[ast.AST]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.If | ast.For | ast.While):
        yield ast.Pass()
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
        yield ast.Pass()
    if isinstance(node, ast.If):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.FunctionDef) and isinstance(parent, ast.Module):
        made = any(isinstance(each, ast.Yield) for each in ast.walk(node))
        for argument in node.args.args:
            spoil = ast.Expr(_call("_spoiled", ast.Name(argument.arg, ast.Load())))
            if made:
                # what a generator was given, changed at every step
                yield _with(node, body=[_AfterYield(spoil).visit(_copy(s)) for s in node.body])
            else:
                yield _with(
                    node, body=[ast.Try(body=node.body, handlers=[], orelse=[], finalbody=[spoil])]
                )
        for name in [each.arg for each in (*node.args.args, *node.args.kwonlyargs)]:
            if any(name in _names_in(each) for each in node.body):
                first = _call(
                    "_first", ast.Constant(f"{node.name}.{name}"), ast.Name(name, ast.Load())
                )
                kept = ast.Assign([ast.Name(name, ast.Store())], first)
                yield _with(node, body=[kept, *node.body])


def _copy(node):
    return ast.parse(ast.unparse(node)).body[0]


class _AfterYield(ast.NodeTransformer):
    """Put a statement after every yield."""

    def __init__(self, statement):
        self.statement = statement

    def visit_Expr(self, node):
        return [node, self.statement] if isinstance(node.value, ast.Yield) else node


def _constants(node) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from (ast.Constant(value + 1), ast.Constant(value - 1))
    elif isinstance(value, float):
        yield from (ast.Constant(value * 1.5 or 0.5), ast.Constant(-value or -0.5))
    elif value in ("relu", "linear"):
        yield from (ast.Constant(None), ast.Constant("tanh"), ast.Constant("relu"))


def _calls(node) -> Iterator[ast.AST]:
    name = _name_of(node)
    if other := NAMES.get(name):
        if isinstance(node.func, ast.Attribute):
            yield _with(node, func=_with(node.func, attr=other))
        else:
            yield _with(node, func=ast.Name(other, ast.Load()))
    if OPTIONAL.fullmatch(name):
        if node.args:
            yield node.args[0]
        elif isinstance(node.func, ast.Attribute):
            yield node.func.value
    if len(node.args) == 2 and name not in COMMUTATIVE:
        yield _with(node, args=node.args[::-1])
    for keyword in node.keywords:
        yield _with(node, keywords=[each for each in node.keywords if each is not keyword])
    if len(node.args) > 1:
        yield _with(node, args=node.args[:-1])


def _slices(node) -> Iterator[ast.AST]:
    for field in ("lower", "upper", "step"):
        if (bound := getattr(node, field)) is not None:
            yield _with(node, **{field: None})
            if not isinstance(bound, ast.Constant) and field != "step":
                for op in (ast.Add(), ast.Sub()):
                    yield _with(node, **{field: ast.BinOp(bound, op, ast.Constant(1))})


# --- running them -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutant:
    """A changed answer, and what became of it.

    ``status`` is killed, survived, instructor (killed only by the instructor's numbers), equivalent or idle (its
    helper had nothing to change). ``tag`` is the check's.
    """

    exercise: str
    answer: str
    change: str
    status: str
    tag: str = ""
    message: str = ""

    def __str__(self) -> str:
        return f"{self.exercise}/{self.answer} {self.change}"


def right_answers(name: str) -> dict[str, str]:
    """The right answers to an exercise, such as "01.knn": their names and sources."""
    from siamese_course.exercises import engine

    number, short = name.split(".")
    files = sorted((ANSWERS / number / short / "right").glob("*.py"))
    found = {"solution": engine.solutions()[name]}
    return found | {file.stem: file.read_text("utf-8") for file in files}


def mutants(name: str, most: int | None = None) -> list[tuple[str, str, str]]:
    """(answer, change, source) of an exercise: all, or a sample that is the same in every run."""
    made = [
        (answer, change, mutant)
        for answer, source in right_answers(name).items()
        for change, mutant in changes(source, name in TRAINED)
    ]
    made.sort(key=lambda each: hashlib.sha256("".join(each[:2]).encode()).digest())
    return made[: most or SLOW.get(name, MOST)]


def namespace(name: str) -> tuple[dict, list[str]]:
    """The notebook's variables before an exercise, and the names of its functions."""
    from siamese_course.grading import cells, reading
    from siamese_course.notebooks.catalog import CATALOG

    number, short = name.split(".")
    (entry,) = [entry for entry in CATALOG if entry.number == number]
    release = cells.release(entry.name)
    earlier = list(release.functions)[: list(release.functions).index(short)]
    space: dict = {"__name__": "__main__", **HELPERS}
    texts = [cell.source for each in earlier for cell in cells.own_answer(entry.name, each)]
    for answer in right_answers(name).values():
        plan = reading.plan(entry.name, cells.with_answers(entry.name, {short: answer}))
        chosen = plan.cells_of(plan.exercises[short].cells)
        texts += [cell.source for cell in chosen if not cell.exercise]
    for text in dict.fromkeys(texts):
        tree = ast.parse(text)
        tree.body = [each for each in tree.body if _is_definition(each)]
        exec(compile(tree, "notebook", "exec"), space)
    return space, release.functions[short]


def _is_definition(statement) -> bool:
    """Whether a statement of the notebook only defines something: it loads no data and trains nothing."""
    if isinstance(statement, ast.Assign):
        calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call)]
        return all(
            _name_of(each) in ("sentence_sizes", "quora_sizes", "mnist_sizes", "budget")
            for each in calls
        )
    return isinstance(statement, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)


def patience(exercise, answers: list[Callable]) -> float:
    """Seconds of computing after which a mutant of these answers is late.

    More than a hundred mutants never end; with one long limit, waiting for them would take most of the time. But a
    mutant must have the time to compile what the answer compiles.
    """
    spent = []
    for _ in range(2):  # the first time, it is compiled
        started = time.process_time()
        for hidden in (False, True):
            _first_fault(exercise, answers, hidden)
        spent.append(time.process_time() - started)
    return max(min(SECONDS, 1 + 10 * spent[1]), 2 * spent[0])


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``Late`` after these seconds of computing, so that a busy machine kills no mutant."""

    def late(*_):
        raise Late

    before = signal.signal(signal.SIGPROF, late)
    # again and again: what is raised in a finalizer is lost
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _first_fault(exercise, answers, hidden: bool):
    """What the first part that does not pass found, or None."""
    from siamese_course.exercises import engine

    with engine.hidden_numbers(HIDDEN_SEED) if hidden else contextlib.nullcontext():
        for part in exercise.parts:
            if outcome := engine._outcome(part, answers):
                return outcome
    return None


def judge(
    exercise, space: dict, names: list[str], source: str, seconds: float = SECONDS
) -> tuple[str, str, str]:
    """(status, tag, message) of one mutant."""
    from siamese_course.exercises import engine

    touched.clear()
    _buffers.clear()
    _firsts.clear()
    space = dict(space)
    uses_helper = any(f"{name}(" in source for name in HELPERS)
    try:
        with time_limit(seconds):
            exec(compile(source, "<ipython-mutant>", "exec"), space)
            answers = [space[name] for name in names]
            status = "killed"
            fault = _first_fault(exercise, answers, hidden=False)
            if fault is None:
                status = "instructor"
                fault = _first_fault(exercise, answers, hidden=True)
    except Late:
        return "killed", "late", ""
    except Exception as error:
        return "killed", "error", engine.describe(error)
    if fault is None:
        return ("survived" if touched or not uses_helper else "idle"), "", ""
    return status, getattr(fault, "tag", ""), str(fault)


def run(name: str, most: int | None = None) -> list[Mutant]:
    """The mutants of an exercise and what became of them.

    They run in a process of their own. Where a mutant ends it, another one goes on with the next.
    """
    made, found = mutants(name, most), []
    rules = [rule for rule in equivalents() if fnmatch.fnmatch(name, rule["exercise"])]
    context = multiprocessing.get_context("spawn")
    while len(found) < len(made):
        receive, send = context.Pipe(duplex=False)
        process = context.Process(target=_judge_all, args=(name, made[len(found) :], send))
        process.start()
        send.close()
        outcomes = []
        with contextlib.suppress(EOFError):
            while True:
                outcomes.append(receive.recv())
        process.join()
        if len(found) + len(outcomes) < len(made):
            outcomes.append(("killed", "crash", ""))
        for status, tag, message in outcomes:
            answer, change, _ = made[len(found)]
            if status in ("survived", "instructor") and _is_listed(rules, answer, change):
                status = "equivalent"
            found.append(Mutant(name, answer, change, status, tag, message))
    return found


def _judge_all(name: str, made: list[tuple[str, str, str]], send) -> None:
    """Send the outcome of each mutant."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    import keras

    from siamese_course.notebooks.catalog import CATALOG
    from siamese_course.runtime.quiet import quiet_stderr
    from siamese_course.runtime.startup import start

    number, short = name.split(".")
    (entry,) = [entry for entry in CATALOG if entry.number == number]
    with contextlib.redirect_stdout(io.StringIO()), quiet_stderr():
        start()
        exercise = entry.exercises()[short]
        space, names = namespace(name)
        sources, seconds = right_answers(name), {}
        for count, (answer, _, source) in enumerate(made, 1):
            if answer not in seconds:
                own = dict(space)
                exec(compile(sources[answer], "<ipython-answer>", "exec"), own)
                seconds[answer] = patience(exercise, [own[each] for each in names])
            send.send(judge(exercise, space, names, source, seconds[answer]))
            if count % 50 == 0:
                keras.backend.clear_session()


def equivalents() -> list[dict]:
    """The rules of mutants.toml: exercise and answer (patterns), change (a regular expression), reason."""
    return tomllib.loads(EQUIVALENT.read_text("utf-8"))["equivalent"]


def _is_listed(rules: list[dict], answer: str, change: str) -> bool:
    return any(
        fnmatch.fnmatch(answer, rule.get("answer", "*")) and re.search(rule["change"], change)
        for rule in rules
    )


# --- the report -------------------------------------------------------------------------------------------


def table(found: list[Mutant]) -> tuple[str, bool]:
    """A line for each exercise, one for all, and whether enough is killed."""
    lines = [
        f"{'':22}{'mutants':>8}{'killed':>8}{'survived':>10}{'instructor':>12}{'equivalent':>12}"
    ]
    enough = True
    for name in [*sorted({each.exercise for each in found}), "all"]:
        own = [each for each in found if name in (each.exercise, "all") and each.status != "idle"]
        count = Counter(each.status for each in own)
        counted = len(own) - count["equivalent"]
        rate = count["killed"] / counted if counted else 1.0
        enough &= rate >= (NEEDED if name == "all" else NEEDED_EACH)
        lines.append(
            f"{name:22}{len(own):8}{count['killed']:8}{count['survived']:10}{count['instructor']:12}"
            f"{count['equivalent']:12}{rate:8.1%}"
        )
    killed = [each for each in found if each.status == "killed" and each.tag != "late"]
    ours = sum(each.tag not in GENERIC for each in killed)
    errors = [each for each in killed if each.tag == "error"]
    named = sum(bool(NAMED.search(each.message)) for each in errors)
    shares = (count / max(1, len(killed)) for count in (ours, named, len(errors) - named))
    lines.append(
        "{:.0%} of the messages name the mistake in our words, {:.0%} in Python's (an undefined name, a missing "
        "argument), {:.0%} are another error of Python or a framework and its line; the others show evidence.".format(
            *shares
        )
    )
    return "\n".join(lines), enough


def main(arguments: list[str], say: Callable = print) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exercises", nargs="*", help="such as 01.knn; all if none is named")
    parser.add_argument("--most", type=int, help="mutants of an exercise")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="list the mutants that survive")
    parser.add_argument("--messages", action="store_true", help="list the messages on the killed")
    options = parser.parse_args(arguments)
    names = options.exercises or sorted(
        f"{path.parts[-2]}.{path.name}" for path in ANSWERS.glob("0?/*") if path.is_dir()
    )
    found: list[Mutant] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for each in pool.map(run, names, [options.most] * len(names)):
            found += each
            if options.show:
                for mutant in each:
                    if mutant.status in ("survived", "instructor"):
                        say(f"{mutant.status}: {mutant}")
            if options.messages:
                for mutant in each:
                    if mutant.status == "killed":
                        say(f"[{mutant.tag}] {mutant}\n    {mutant.message}")
    text, enough = table(found)
    say(text)
    return 0 if enough else 1


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ["SIAMESE_COURSE_DATA"] = "shipped"
    sys.path.insert(0, str(ROOT))
    raise SystemExit(main(sys.argv[1:]))
