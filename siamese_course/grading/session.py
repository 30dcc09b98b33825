"""Grade the answers of one notebook: they run in processes of their own, the points are computed here.

First every exercise is checked with the numbers of the notebook, in one process, in which the cells run in the order
of the notebook. Then what passed is checked with the instructor's numbers, each exercise in a new process. What a
learner reads was all written before that.
"""

import builtins
import io
import secrets
import sys
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import closing, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from siamese_course.exercises import engine, observe
from siamese_course.exercises.engine import ATTEMPT_MARK, HARD_CODED, Exercise, is_hidden, location
from siamese_course.exercises.observe import Wrong
from siamese_course.grading import cells as notebook_cells
from siamese_course.grading import wire
from siamese_course.grading.cells import Cell
from siamese_course.grading.plain import clean
from siamese_course.grading.reading import Plan
from siamese_course.grading.sandbox import (
    CALL_SECONDS,
    LATE,
    NO_LIMIT,
    Ended,
    Exited,
    Limit,
    NotStarted,
    OverLimit,
    Process,
    Sandbox,
)
from siamese_course.runtime.errors import CourseError

# How often the process of one submission is started, if its code ends it repeatedly
MAX_STARTS = 12
# Bytes that a call of a learner's function may send to functions of the grader
MAX_CALLED_BACK = 8 << 20
EXERCISE_SECONDS, NOTEBOOK_SECONDS = 120, 600
OF_EXERCISE = " (the limit for an exercise)"
# Of gradients, values come first; a Trax model gets weights that are drawn here
COMPARED = (observe.gradients, observe.one_shot, observe.trax_siamese)
REFUSED = (
    "This answer uses `{}`, by which code can reach what is around it. The check of this exercise watches the answer "
    "at work, so that is not allowed. Leave it out, or ask your instructor to read the answer."
)
INTERFERED = "Your code interfered with the grading ({})."
UNEXPORTED = (
    "This model cannot be exported as data, and its answer uses `{}`, which a model does not need. Leave it out, or "
    "replace what Keras cannot export, such as a `Lambda` layer, or ask your instructor to read the answer."
)


@dataclass
class Outcome:
    """The result of one exercise of one submission."""

    exercise: str
    points: float
    max_points: float
    status: str
    messages: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Session:
    """A process of one submission, started again when its code ends it.

    A cell that ended the process is not run again.

    Args:
        sandbox: where it runs.
        seconds: time limit for a cell, and for a call of a learner's function with all that it calls back.
        whole: the limit of the notebook; calls have that of their exercise besides, which is set as ``limit``.
    """

    def __init__(self, sandbox: Sandbox, seconds: float = CALL_SECONDS, whole: Limit = NO_LIMIT):
        self.sandbox, self.seconds, self.whole, self.limit = sandbox, seconds, whole, whole
        self.log: list[Cell] = []  # what was run, in order: a new process runs it again
        self.adopted: set[str] = set()  # exercises that the course's own functions answer
        self.errors: dict[int, BaseException] = {}
        self.process: Process | None = None
        self.starts = 0
        self.exited = False  # the last process, by itself
        self.exported = True  # every model whose observation counted
        self._outer: Limit | None = None  # of the call during which another one is made

    def close(self) -> None:
        """End the process."""
        if self.process:
            self.process.close()
        self.process = None

    def start(self) -> None:
        """Start the process and run the cells of before; errors are kept in ``errors``."""
        while self.process is None:
            self.starts += 1
            if self.starts > MAX_STARTS:
                raise Ended("Your code ended its process repeatedly.")
            self.process = self.sandbox.fresh()
            self.kept: dict[int, Any] = {}
            self.arguments: dict[int, Sequence] = {}
            self.raised: list[BaseException] = []
            for cell in self.log:
                if self.process is not None:
                    self._run(cell)

    def run(self, cells: Sequence[Cell]) -> None:
        """Run those of the cells that have not been run yet."""
        known = {cell.number for cell in self.log}
        for cell in cells:
            if cell.number not in known:
                self.start()
                self.log.append(cell)
                self._run(cell)

    def _run(self, cell: Cell) -> None:
        if isinstance(self.errors.get(cell.number), Ended):
            return
        self.errors.pop(cell.number, None)
        try:
            self.ask({"op": "run", "number": cell.number, "source": cell.source})
        except (Exception, Ended) as error:  # whatever the learner's cell raises
            if cell.number >= 0 or not isinstance(error, Ended):  # the course's own ends nothing
                self.errors[cell.number] = error

    def ask(self, header: dict, blobs: Sequence[bytes] = (), arguments: Sequence = ()) -> Any:
        """Send a message and return the value; raise what the learner's code raised, or Ended."""
        process = self.process
        if process is None:  # an iterator whose process has ended since
            raise Ended("Your code ended the process it ran in.")
        outer = self._outer
        # That an exercise is late must not end a cell which the next one needs, too
        longest = self.whole if header["op"] == "run" else self.limit
        self._outer = limit = outer or min(Limit.after(self.seconds), longest)
        header = header | {"id": secrets.token_hex(8)}
        before = process.received
        try:
            reply, blobs = process.ask(header, blobs, limit)
            while reply.get("op") == "callback":
                if process.received - before > MAX_CALLED_BACK:
                    raise wire.WireError("too much for the grader's memory")
                reply, blobs = process.ask(*self._call_back(reply, blobs), limit)
            if reply.get("to") != header["id"]:
                raise wire.WireError("another reply")
            if header["op"] == "call" and isinstance(reply.get("printed"), str):
                sys.stdout.write(reply["printed"][:10_000])  # for checks that look at it
            return self._value(reply, blobs, arguments)
        except (wire.WireError, KeyError, TypeError, ValueError, RecursionError) as error:
            if getattr(error, "by_learner", False):
                raise
            self.close()
            reason = str(error) if isinstance(error, wire.WireError) else type(error).__name__
            raise Ended(INTERFERED.format(reason)) from None
        except Ended as error:
            self.exited = isinstance(error, Exited)
            self.close()
            raise
        finally:
            self._outer = outer

    def _value(self, reply: dict, blobs: list[bytes], arguments: Sequence) -> Any:
        decode = self._decoder(blobs)
        if "changed" in reply:
            targets = wire.mutable(list(arguments))
            for place, new in decode(reply["changed"]):
                if 0 <= place < len(targets) and isinstance(new, type(targets[place])):
                    wire.put_back(targets[place], new)
        if "error" in reply:
            raise self._error(reply["error"])
        value = decode(reply["value"])
        if isinstance(value, wire.RemoteIterator | wire.RemoteIterable):
            self.arguments[value._number] = arguments
        return value

    def _error(self, reported: dict) -> BaseException:
        """The learner's exception, as one with the same name."""
        number = reported.get("callback")
        if isinstance(number, int) and 0 <= number < len(self.raised):
            error = self.raised[number]
        else:
            types = [str(each) for each in reported["types"]]
            error = make_error(types, str(reported["text"]), reported.get("arguments") or [])
            error.tag = str(reported.get("tag") or "")[:80]  # type: ignore[attr-defined]
        where = reported.get("where")
        if where:
            error.where = location(int(where[0] or 0), str(where[1] or "")[:200])  # type: ignore[attr-defined]
        error.by_learner = True  # type: ignore[attr-defined]
        return error

    def _decoder(self, blobs: list[bytes]) -> wire.Decoder:
        return wire.Decoder(blobs, self.call, self._advance, self._begin)

    def _advance(self, number: int) -> Any:
        message = {"op": "next", "iterator": number}
        with _course_errors():
            return self.ask(message, arguments=self.arguments.get(number, ()))

    def _begin(self, number: int) -> Any:
        message = {"op": "iter", "iterable": number}
        return self.ask(message, arguments=self.arguments.get(number, ()))

    def _call_back(self, message: dict, blobs: list[bytes]) -> tuple[dict, list[bytes]]:
        """Call a function of the grader for the learner's code."""
        args, kwargs = self._decoder(blobs)(message["arguments"])
        try:
            value = self.kept[int(message["number"])](*args, **kwargs)
        except Exception as error:  # it passes through the learner's code and comes back here
            # Tracebacks would hold what the learner's code sent
            error.__cause__ = error.__context__ = None
            self.raised.append(error.with_traceback(None))
            return {"raised": len(self.raised) - 1}, []
        encode = wire.Encoder(self.kept)
        return {"value": encode(value)}, encode.blobs

    def call(self, function: str | int, args: tuple, kwargs: dict) -> Any:
        """Call a function of the learner's."""
        self.start()
        encode = wire.Encoder(self.kept)
        header = {"op": "call", "function": function, "arguments": encode((args, kwargs))}
        with _course_errors():
            return self.ask(header, encode.blobs, [*args, *kwargs.values()])

    def look(self, observer: Callable, names: Sequence[str], case: tuple) -> Any:
        """Call an observer of the course with the learner's functions, in their process.

        With the instructor's numbers, models leave it as data. What counts is what is seen of them in another
        process, in which no code of the learner's has run; ``exported`` tells whether that was possible.
        """
        if not is_hidden() or observer.__name__ not in observe.FED:
            return self._observe(observer, case, names)
        seen, models = self._observe(observer, case, names, export=True)
        if self.process:
            self.close()
            self.starts -= 1  # stopped on purpose, not by the answer
        apart = Session(self.sandbox, self.seconds, self.limit)
        with closing(apart), suppress(observe.NotRebuilt):
            if all(map(_is_data, models)):
                return apart._observe(observer, case, models=models)
        self.exported = False
        return seen

    def _observe(
        self,
        observer: Callable,
        case: tuple,
        names: Sequence[str] = (),
        models: list | None = None,
        export: bool = False,
    ) -> Any:
        self.start()
        encode = wire.Encoder(self.kept)
        header = {
            "op": "observe",
            "observer": observer.__name__,
            "functions": list(names),
            "arguments": encode((case, models)),
            "export": export,
        }
        with _course_errors():
            return self.ask(header, encode.blobs)

    def adopt(self, name: str, exercise: str) -> None:
        """Use the course's answer to an exercise instead of the learner's from now on."""
        self.adopted.add(exercise)
        first = min([0, *(cell.number for cell in self.log)]) - 1
        own = notebook_cells.own_answer(name, exercise)
        with suppress(Ended):  # of the process, which the next exercise starts again
            self.run([Cell(first - n, cell.source) for n, cell in enumerate(own)])

    def has(self, names: Sequence[str]) -> set[str]:
        """Return those of the names that are functions of the learner's."""
        for _ in range(2):
            self.start()
            try:
                return set(self.ask({"op": "has", "names": list(names)}))
            # No learner's code runs here: the worker was manipulated, perhaps by an earlier call
            except Exception as error:
                kind = type(error).__name__
                self.close()
        raise Ended(INTERFERED.format(kind))


@contextmanager
def _course_errors() -> Iterator[None]:
    """Raise the course's own errors, which came from another process, as what they are."""
    try:
        yield
    except Exception as error:
        name = type(error).__name__
        if name == Wrong.__name__:
            raise Wrong(str(error), getattr(error, "tag", "")) from None
        if name == observe.NotRebuilt.__name__:
            raise observe.NotRebuilt(str(error)) from None
        raise


def _is_data(model: Any) -> bool:
    """Whether a model was exported as text and arrays."""
    return (
        isinstance(model, dict)
        and isinstance(model.get("config"), str)
        and isinstance(model.get("weights"), list)
        and all(isinstance(weight, np.ndarray) for weight in model["weights"])
    )


def make_error(types: list[str], text: str, arguments: list) -> BaseException:
    """Return an exception with the name of one in another process, of the nearest built-in type."""
    kinds = [getattr(builtins, name, None) for name in types]
    known = [k for k in kinds if isinstance(k, type) and issubclass(k, Exception)]
    # A group cannot be made without the errors in it
    known = [k for k in known if not issubclass(k, BaseExceptionGroup)]
    kind = known[0] if known else Exception
    if kinds and kinds[0] is kind:
        with suppress(Exception):
            error = kind(*(arguments or [text]))
            if str(error) == text:
                return error
    name = types[0][:80] if types else "Exception"
    members = {"__str__": lambda self: text, "__init__": lambda self: None}
    return type(name, (kind,), members)()


class RemoteAnswer:
    """A learner's function, which runs in its own process."""

    def __init__(self, session: Session, name: str, begun: bool):
        self.session, self.name, self.begun = session, name, begun

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.session.call(self.name, args, kwargs)

    def look(self, observer: Callable, answers: Sequence, case: tuple) -> Any:
        """See ``Part.judge``."""
        return self.session.look(observer, [answer.name for answer in answers], case)


@dataclass
class Checked:
    """An exercise that was checked with the notebook's numbers."""

    outcome: Outcome
    parts: list[Exception | None] = field(default_factory=list)
    log: list[Cell] = field(default_factory=list)  # what had been run


def grade_notebook(
    plan: Plan, sandbox: str, package: Path, hidden_seed: int, seconds: float = CALL_SECONDS
) -> list[Outcome]:
    """Return the outcome of every exercise of a notebook.

    Args:
        plan: what to run.
        sandbox: one of ``sandbox.KINDS``.
        package: the copy of the course without answers.
        hidden_seed: seed of the hidden tests.
        seconds: time limit for a call of a learner's function.

    Raises:
        CourseError: the sandbox does not start.
    """
    name, release = plan.name, notebook_cells.release(plan.name)
    exercises, functions = release.exercises, release.functions
    whole = Limit.after(NOTEBOOK_SECONDS, " (the limit for a notebook)")
    with _not_started(), closing(Sandbox(sandbox, package, notebook_cells.imports(name))) as place:
        session = Session(place, seconds, whole)
        checked: dict[str, Checked] = {}
        own: list[str] = []  # right answers that later ones may use
        for short, exercise in exercises.items():
            started = time.monotonic()
            session.limit = min(Limit.after(EXERCISE_SECONDS, OF_EXERCISE), whole)
            found = check(session, plan, exercise)
            used = set(plan.exercises[short].uses)
            below = [each for each in own if used & set(functions[each])]
            if found.outcome.status == "wrong" and below:
                # A right answer, such as one that returns lists, may not work in a later exercise: try again
                # with the course's own
                for each in below:
                    own.remove(each)
                    session.adopt(name, each)
                again = check(session, plan, exercise)
                found = max(found, again, key=lambda each: each.outcome.points)
            found.outcome.seconds = time.monotonic() - started
            checked[short] = found
            if found.outcome.status == "right":
                own.append(short)
            else:  # the course's own replaces it, as in the notebook, so that one mistake costs once
                session.adopt(name, short)
        failed: list[str] = []
        for short, found in checked.items():
            if found.outcome.points:
                started = time.monotonic()
                later = Session(place, seconds, whole)
                later.limit = min(Limit.after(EXERCISE_SECONDS, OF_EXERCISE), whole)
                later.errors = {n: e for n, e in session.errors.items() if isinstance(e, Ended)}
                if not check_hidden(later, plan, exercises[short], found, failed, hidden_seed):
                    failed.append(short)
                found.outcome.seconds += time.monotonic() - started
    outcomes = [found.outcome for found in checked.values()]
    for outcome in outcomes:
        outcome.messages = list(map(clean, outcome.messages))
        outcome.seconds = round(outcome.seconds, 2)
    return outcomes


@contextmanager
def _not_started() -> Iterator[None]:
    """Raise NotStarted, which has passed through the checks, as an ordinary error."""
    try:
        yield
    except NotStarted as error:
        raise CourseError(str(error)) from None


def check(session: Session, plan: Plan, exercise: Exercise) -> Checked:
    """Check an exercise with the numbers of the notebook.

    Where the process exits, an earlier exercise may have damaged it: then a new process decides.
    """
    used, session.exited, errors = session.process is not None, False, dict(session.errors)
    found = _check(session, plan, exercise)
    if used and session.exited and found.outcome.status != "right":
        session.close()  # one that was started since has left out the cell at which the last one ended
        session.errors = errors
        found = _check(session, plan, exercise)
    return found


def _check(session: Session, plan: Plan, exercise: Exercise) -> Checked:
    short = exercise.short_name
    asked = plan.exercises[short]
    names = notebook_cells.release(plan.name).functions[short]

    def zero(status: str, *messages: str, tag: str = "") -> Checked:
        tags = [tag] if tag else []
        return Checked(Outcome(short, 0.0, exercise.points, status, list(messages), tags))

    if not asked.begun:
        return zero(ATTEMPT_MARK)
    if asked.refused:
        return zero("refused", asked.refused, tag="borrowed")
    if asked.reaching and _is_trusted(exercise, observe.FED):
        return zero("refused", REFUSED.format(asked.reaching), tag="reaching")
    try:
        cells = _cells_of(plan, exercise)
        # An answer that is replaced must not run after what replaces it
        session.run([cell for cell in cells if cell.exercise not in session.adopted - {short}])
        missing = set(names) - session.has(names)
    except Ended as error:
        return zero("stopped", str(error), tag="stopped")
    for cell in plan.cells:
        failure = session.errors.get(cell.number) if cell.exercise == short else None
        if isinstance(failure, Ended):
            return zero("stopped", str(failure), tag="stopped")
        if failure is not None and missing:
            return zero("wrong", engine.describe(failure), tag="error")
    if missing:
        name = min(missing, key=names.index)
        message = f"There is no function `{name}`: was it renamed, or its cell deleted?"
        return zero("wrong", message, tag="missing")
    answers = [RemoteAnswer(session, name, asked.begun) for name in names]
    try:
        with redirect_stdout(io.StringIO()):
            parts = exercise.outcomes(answers)
    except Ended as error:
        return zero("stopped", str(error), tag="stopped")
    return Checked(_outcome(exercise, parts, answers), parts, list(session.log))


def _cells_of(plan: Plan, exercise: Exercise) -> list[Cell]:
    """The cells to run for an exercise; where it is observed, none that might bind anything."""
    asked = plan.exercises[exercise.short_name]
    return plan.cells_of(asked.named if _is_trusted(exercise) else asked.cells)


def _is_trusted(exercise: Exercise, but: Container[str] = ()) -> bool:
    """Whether points rest on what the learner's process reports of itself, other than to some observers.

    They do not where values are compared that only a right answer can compute from the numbers drawn here.
    """
    looks = {part.look for part in exercise.parts} - {None, *COMPARED}
    return any(look.__name__ not in but for look in looks if look)


def _outcome(exercise: Exercise, parts: Sequence, answers: Sequence[Callable]) -> Outcome:
    result = exercise.result(parts, answers)
    about = result.status, result.messages, result.tags
    return Outcome(exercise.short_name, result.points, result.max_points, *about)


def check_hidden(
    session: Session,
    plan: Plan,
    exercise: Exercise,
    found: Checked,
    failed: Sequence[str],
    hidden_seed: int,
) -> bool:
    """Check what passed with the instructor's numbers, in a new process; return whether it passes.

    ``found`` is changed if it does not. Nothing that the answer says here becomes part of it.
    """
    short, before = exercise.short_name, set(session.errors)
    wanted = {cell.number for cell in _cells_of(plan, exercise)}
    names = notebook_cells.release(plan.name).functions[short]
    answers = [RemoteAnswer(session, name, True) for name in names]
    try:
        session.run([cell for cell in found.log if cell.number < 0 or cell.number in wanted])
        for each in failed:
            session.adopt(plan.name, each)
        with redirect_stdout(io.StringIO()):
            parts = exercise.again(hidden_seed, found.parts, answers)
    except Ended as error:
        why = Wrong(HARD_CODED, "hard_coded")
        new = [each for number, each in session.errors.items() if number not in before]
        over = [each for each in (*new, error) if isinstance(each, OverLimit)]
        if over:  # it is slow or large, or the machine is busy
            why = Wrong(str(over[0]), "stopped")
        if time.monotonic() >= session.whole.until:  # other exercises took the time
            why = Wrong(LATE.format(session.whole.name), "stopped")
        parts = [each or why for each in found.parts]
    reaching = None if session.exported else _reaching(plan, short)
    if reaching:
        text = UNEXPORTED.format(reaching)
        found.outcome = Outcome(short, 0.0, exercise.points, "refused", [text], ["reaching"])
    elif parts == found.parts:
        return True
    else:
        found.outcome = _outcome(exercise, parts, answers)
    return False


def _reaching(plan: Plan, short: str) -> str | None:
    """The first name in an answer that a model of Keras does not need.

    What is seen of a model in the answer's own process counts only without such names: see ``cells.beyond``.
    """
    asked = plan.exercises[short]
    release = notebook_cells.release(plan.name)
    ours = {cell.source for cell in notebook_cells.code_cells(release.notebook)}
    cells = [cell for cell in plan.cells_of(asked.named) if cell.source not in ours]
    return asked.reaching or notebook_cells.beyond(cells, _plain_names())


@cache
def _plain_names() -> frozenset[str]:
    """Names that a model needs: those of values, layers and operations, and where they are."""
    import keras
    import tensorflow as tf

    public = [keras.ops, keras.layers, keras.activations, keras.initializers, keras.Sequential]
    public += [tf.math, tf.nn, tf.Tensor, np.ndarray, str, list, dict]
    names = {name for each in public for name in dir(each)}
    names |= {name for name in dir(tf) if callable(getattr(tf, name))}
    names |= {"keras", "tensorflow", "numpy", "math", "layers", "ops", "models", "activations"}
    names |= {"initializers", "nn", "backend", "Model", "Sequential", "Input", "saving"}
    names |= {"register_keras_serializable", "float32", "float64", "int32", "int64"}
    hidden = {name for name in names if name.startswith(("_", "load", "deserialize"))}
    return frozenset(names - hidden) | notebook_cells.PLAIN
