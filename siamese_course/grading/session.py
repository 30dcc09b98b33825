"""Grade the answers of one notebook: they run in their own process, the points are computed here."""

import builtins
import contextlib
import io
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from siamese_course.exercises.engine import ATTEMPT_MARK, Exercise
from siamese_course.exercises.observe import Wrong
from siamese_course.grading import cells as notebook_cells
from siamese_course.grading import wire
from siamese_course.grading.sandbox import CALL_SECONDS, Ended, Process

# How often the process of one submission is started, if its code ends it repeatedly
MAX_STARTS = 12


@dataclass
class Outcome:
    """The result of one exercise of one submission."""

    exercise: str
    points: float
    max_points: float
    status: str
    messages: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Session:
    """The process of one submission, started again when its code ends it.

    A cell that ended the process is not run again.
    """

    def __init__(
        self,
        cells: Sequence[notebook_cells.Cell],
        sandbox: str,
        package: Path,
        seconds: float = CALL_SECONDS,
    ):
        self.cells, self.options = list(cells), (sandbox, package, seconds)
        self.adopted: list[notebook_cells.Cell] = []
        self.errors: dict[int, BaseException] = {}
        self.process: Process | None = None
        self.starts = 0

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def _stop(self) -> None:
        if self.process:
            self.process.close()
        self.process = None

    def start(self) -> None:
        """Start the process and run the cells; errors are kept in ``errors``."""
        while self.process is None:
            self.starts += 1
            if self.starts > MAX_STARTS:
                raise Ended("Your code ended its process repeatedly.")
            self.process = Process(*self.options)
            self.kept: dict[int, Any] = {}
            self.arguments: dict[int, Sequence] = {}
            self.raised: list[BaseException] = []
            for cell in [*self.cells, *self.adopted]:
                if isinstance(self.errors.get(cell.number), Ended):
                    continue
                try:
                    self.ask({"op": "run", "number": cell.number, "source": cell.source}, [], ())
                except Ended as error:
                    self.errors[cell.number] = error
                    break
                except Exception as error:  # whatever the learner's cell raises
                    self.errors[cell.number] = error

    def replace(self, cells: Sequence[notebook_cells.Cell]) -> None:
        """Run other cells in the running process, after what ran before."""
        self.cells, self.errors = list(cells), {}
        if self.process is None:
            self.start()
            return
        for cell in self.cells:
            try:
                self.ask({"op": "run", "number": cell.number, "source": cell.source}, [], ())
            except (Exception, Ended) as error:
                self.errors[cell.number] = error

    def ask(self, header: dict, blobs: list[bytes], arguments: Sequence) -> Any:
        """Send a message and return the value; raise what the learner's code raised, or Ended."""
        process = self.process
        if process is None:  # an iterator whose process has ended since
            raise Ended("Your code ended the process it ran in.")
        try:
            reply, blobs = process.ask(header, blobs)
            while reply.get("op") == "callback":
                reply, blobs = process.ask(*self._call_back(reply, blobs))
            return self._value(reply, blobs, arguments)
        except (wire.WireError, KeyError, TypeError, ValueError) as error:
            if getattr(error, "by_learner", False):
                raise
            self._stop()
            raise Ended(
                f"Your code interfered with the grading ({type(error).__name__})."
            ) from None
        except Ended:
            self._stop()
            raise

    def _value(self, reply: dict, blobs: list[bytes], arguments: Sequence) -> Any:
        decode = self._decoder(blobs)
        if isinstance(reply.get("printed"), str):
            sys.stdout.write(reply["printed"][:10_000])
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
            error = make_error(
                [str(t) for t in reported["types"]],
                str(reported["text"]),
                reported.get("arguments") or [],
            )
        where = reported.get("where")
        if where:
            error.where = f" in line {int(where[0] or 0)} of your cell (`{str(where[1])[:200]}`)"  # type: ignore[attr-defined]
        error.by_learner = True  # type: ignore[attr-defined]
        return error

    def _decoder(self, blobs: list[bytes]) -> wire.Decoder:
        return wire.Decoder(blobs, self._call_kept, self._advance, False, self._begin)

    def _call_kept(self, number: int, args: tuple, kwargs: dict) -> Any:
        return self.call(number, args, kwargs)

    def _advance(self, number: int) -> Any:
        message = {"op": "next", "iterator": number}
        try:
            return self.ask(message, [], self.arguments.get(number, ()))
        except Exception as error:
            if type(error).__name__ == "Wrong":
                raise Wrong(str(error)) from None
            raise

    def _begin(self, number: int) -> Any:
        return self.ask({"op": "iter", "iterable": number}, [], self.arguments.get(number, ()))

    def _call_back(self, message: dict, blobs: list[bytes]) -> tuple[dict, list[bytes]]:
        """Call a function of the grader for the learner's code."""
        args, kwargs = self._decoder(blobs)(message["arguments"])
        try:
            value = self.kept[int(message["number"])](*args, **kwargs)
        except Exception as error:  # it passes through the learner's code and comes back here
            self.raised.append(error)
            return {"raised": len(self.raised) - 1}, []
        encode = wire.Encoder(self.kept)
        return {"value": encode(value)}, encode.blobs

    def call(self, function: str | int, args: tuple, kwargs: dict) -> Any:
        """Call a function of the learner's."""
        self.start()
        encode = wire.Encoder(self.kept)
        header = {"op": "call", "function": function, "arguments": encode((args, kwargs))}
        return self.ask(header, encode.blobs, [*args, *kwargs.values()])

    def look(self, observer: Callable, names: Sequence[str], case: tuple) -> Any:
        """Call an observer of the course with the learner's functions, in their process."""
        self.start()
        encode = wire.Encoder(self.kept)
        header = {
            "op": "observe",
            "observer": observer.__name__,
            "functions": list(names),
            "arguments": encode((case, {})),
        }
        try:
            return self.ask(header, encode.blobs, ())
        except Exception as error:
            if type(error).__name__ == "Wrong":
                raise Wrong(str(error)) from None
            raise

    def adopt(self, name: str, exercise: str) -> None:
        """Use the course's answer to an exercise instead of the learner's from now on."""
        for cell in notebook_cells.own_answer(name, exercise):
            number = -len(self.adopted) - 1
            self.adopted.append(notebook_cells.Cell(number, cell.source))
            if self.process:
                with suppress(Exception):  # such as a cell with hints, which cannot run here
                    self.ask({"op": "run", "number": number, "source": cell.source}, [], ())

    def has(self, names: Sequence[str], last: bool = False) -> set[str]:
        """Return those of the names that are functions of the learner's."""
        self.start()
        try:
            return set(self.ask({"op": "has", "names": list(names)}, [], ()))
        except Exception as error:  # no learner's code runs here: the worker was manipulated
            self._stop()  # perhaps by an earlier call: a new process may work
            if not last:
                return self.has(names, last=True)
            text = f"Your code interfered with the grading ({type(error).__name__})."
            raise Ended(text) from None


def make_error(types: list[str], text: str, arguments: list) -> BaseException:
    """Return an exception with the name of one in another process, of the nearest built-in type."""
    kinds = [getattr(builtins, name, None) for name in types]
    known = [k for k in kinds if isinstance(k, type) and issubclass(k, Exception | SystemExit)]
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
        """See ``Part.run``."""
        return self.session.look(observer, [answer.name for answer in answers], case)


def grade_notebook(
    name: str,
    notebook: dict,
    sandbox: str,
    package: Path,
    hidden_seed: int,
    *,
    seconds: float = CALL_SECONDS,
    only: str | None = None,
) -> list[Outcome]:
    """Return the outcome of every exercise of a repaired notebook (see ``preflight``).

    Args:
        name: of the notebook.
        notebook: its contents.
        sandbox: one of ``sandbox.KINDS``.
        package: the copy of the course without answers.
        hidden_seed: seed of the hidden tests.
        seconds: time limit for a call of a learner's function.
        only: grade this exercise alone.
    """
    release = notebook_cells.release(name)
    cells = notebook_cells.needed(notebook_cells.code_cells(notebook))
    outcomes: list[Outcome] = []
    own: list[str] = []  # right answers that later ones may use
    with Session(cells, sandbox, package, seconds) as session:
        for short, exercise in release.exercises.items():
            started = time.perf_counter()
            outcome = None
            if only in (None, short):
                outcome = grade_exercise(session, release, cells, short, exercise, hidden_seed)
                used = notebook_cells.uses(cells, short)
                below = [each for each in own if used & set(release.functions[each])]
                if outcome.status == "wrong" and below:
                    # A right answer, such as one that returns lists, may not work in a later exercise: try
                    # again with the course's own
                    for each in below:
                        own.remove(each)
                        session.adopt(name, each)
                    again = grade_exercise(session, release, cells, short, exercise, hidden_seed)
                    outcome = max(outcome, again, key=lambda each: each.points)
                outcome.seconds = round(time.perf_counter() - started, 2)
                outcomes.append(outcome)
            if only == short:
                break
            if outcome and outcome.status == "right":
                own.append(short)
            else:  # the course's own replaces it, as in the notebook, so that one mistake costs once
                with suppress(Ended):
                    session.adopt(name, short)
    return outcomes


def grade_exercise(
    session: Session,
    release: notebook_cells.Release,
    cells: Sequence[notebook_cells.Cell],
    short: str,
    exercise: Exercise,
    hidden_seed: int,
) -> Outcome:
    """Return the outcome of one exercise."""
    names = release.functions[short]
    own = [cell for cell in cells if cell.exercise == short]
    stubs = {
        text.strip() for grade_id, text in release.stubs.items() if grade_id.split("-")[0] == short
    }
    begun = any(cell.source.strip() and cell.source.strip() not in stubs for cell in own)

    def zero(status: str, *messages: str) -> Outcome:
        return Outcome(short, 0.0, exercise.points, status, list(messages))

    if not begun:
        return zero(ATTEMPT_MARK)
    if taken := notebook_cells.borrowed(cells, short):
        return zero("wrong", taken)
    try:
        session.start()
        missing = [name for name in names if name not in session.has(names)]
    except Ended as error:
        return zero("stopped", str(error))
    for cell in own:
        failure = session.errors.get(cell.number)
        if isinstance(failure, Ended):
            return zero("stopped", str(failure))
        if failure is not None and missing:
            return zero("wrong", describe(failure))
    if missing:
        return zero(
            "wrong", f"There is no function `{missing[0]}`: was it renamed, or its cell deleted?"
        )
    answers = [RemoteAnswer(session, name, begun) for name in names]
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # what a learner's code prints
            result = exercise.grade(hidden_seed, *answers)
    except Ended as error:
        return zero("stopped", str(error))
    return Outcome(short, result.points, result.max_points, result.status, result.messages)


def describe(error: BaseException) -> str:
    """Return a sentence about an error of a learner's cell."""
    where = getattr(error, "where", "")
    lines = str(error).splitlines()
    return f"Your code stopped with `{type(error).__name__}`{where}: {lines[0] if lines else ''}"
