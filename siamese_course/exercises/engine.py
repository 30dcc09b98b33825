"""The engine behind the exercises: call an answer, compare it, and say what is wrong with it.

An exercise has parts; a part has points and a test, which raises ``Wrong`` with a diagnosis. Most tests
compare numbers: with the right ones and, where they differ, with those of known mistakes, so that the
learner reads "you forgot the mean" and not "0.3 is not 2.1".
"""

import contextlib
import copy
import html
import inspect
import io
import json
import math
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from siamese_course.exercises import origin, patterns, record
from siamese_course.exercises.observe import REUSED_RESULT, Wrong
from siamese_course.runtime.quiet import quiet_stderr

ATTEMPT_MARK = "not attempted"
# *words*, and no product
STRESS = re.compile(r"(?<![\w*])\*([a-z][a-z ]*)\*(?![\w*])")
# Colors, and what TensorFlow says about itself
NOISE = re.compile(r"\x1b\[[0-9;]*m|\{\{function_node .*?\}\} ?|\[Op:\w+\]( name: \S*)?")
# After these words, Keras repeats the error of a layer
INNER = "Error encountered:"
# A long list of numbers in a message
NUMBERS = re.compile(r"\[[\d\s.,e+\-\[\]]{80,}\]")
# Errors of a framework that say too little: (sentence, tag)
KNOWN_ERRORS = {
    "No gradients provided for any variable": (
        "Does `stop_gradient`, rounding or a conversion to NumPy stand between the weights and the result?",
        "no_gradient",
    ),
    "A KerasTensor is symbolic": (
        "There are no values yet when a model is built: use layers or `keras.ops`, no NumPy.",
        "symbolic",
    ),
    "operands provided to einstein sum function": (
        "NumPy may say 'more' where there are fewer: compare the number of arrays with the subscripts.",
        "einsum",
    ),
    "Tensor is unhashable": (
        "A tensor can't be a key or a name: are arguments exchanged, as in `ops.cast('float32', x)`?",
        "unhashable",
    ),
    "slice indices must be integers": ("`/` gives a float, `//` an integer.", "float_index"),
    "list indices must be integers or slices, not tuple": (
        "This is a list; only an array takes an index such as `[:, 0]`.",
        "list_index",
    ),
} | dict.fromkeys(
    [
        "invalid index to scalar variable",
        "slice scalar",
        "calling nonzero on 0d arrays",
        "must be >= 1-D, got shape []",
        "axis 0 is out of bounds for array of dimension 0",
        "iteration over a 0-d",
    ],
    (
        "There is one number where an array is needed: does a sum, norm or the like before it lack its `axis=`?",
        "scalar",
    ),
)
NOT_FINITE = (
    "Is something divided by 0, a mean taken of nothing, or a root or logarithm of a negative number? (An epsilon is "
    "*added*.)"
)
STILL_RAISES = "The line `raise NotImplementedError(...)` is still in your code: delete it."
HARD_CODED = (
    "This gives the right results for the inputs of the notebook's check, but not for others. Does it depend on "
    "those values, on their shapes, or on chance?"
)
# Characters of what an answer prints that are shown during one check
MAX_PRINTED = 2_000
# Outputs of display that are shown during one check
MAX_DISPLAYED = 10
# More than any exercise asks for: a larger result is not looked at
MAX_NUMBERS = 100_000
SLOW_SECONDS = 10
SLOW = (
    f"This check has been running for {SLOW_SECONDS} seconds. If your code has an infinite loop, interrupt it (menu "
    "Kernel, Interrupt): the message will show the line."
)
_hidden: ContextVar[int | None] = ContextVar("hidden", default=None)


@contextlib.contextmanager
def hidden_numbers(seed: int) -> Iterator[None]:
    """Within it the tests draw other numbers: the instructor's, which no notebook shows."""
    token = _hidden.set(seed)
    try:
        yield
    finally:
        _hidden.reset(token)


def seeded(seed: int | Sequence[int]) -> np.random.Generator:
    """Random numbers for a test: always the same ones in a notebook, others for the instructor."""
    hidden = _hidden.get()
    return np.random.default_rng(seed if hidden is None else [hidden, *np.atleast_1d(seed)])


def is_hidden() -> bool:
    """Whether the instructor's numbers are in use."""
    return _hidden.get() is not None


class Mistake(NamedTuple):
    """A known mistake: a function that makes it, what to tell the learner, and a tag for code and tests."""

    answer: Callable
    message: str
    tag: str


class NotAttempted(Exception):
    """The exercise is still as it was handed out."""


class NotJudged(Exception):
    """A part was not judged, because another one that it builds on did not pass."""


@dataclass(frozen=True)
class Part:
    """One part of an exercise: ``test`` takes the answers and raises ``Wrong``.

    Args:
        points: what the part is worth.
        test: takes all answers of the exercise, or one of them.
        of: which answer the test takes, by its place; all of them if None.
        look: a function of ``observe``, for answers that make what cannot leave its process, such as a
            model. It takes the answers and what ``case`` returns; ``test`` then takes what it saw, and the case.
        case: makes the arguments of ``look``.
        last: it is judged only where all parts before it pass that take the same answer, or all of them.
    """

    points: float
    test: Callable
    of: int | None = None
    look: Callable | None = None
    case: Callable[[], tuple] = tuple
    last: bool = False

    def judge(self, answers: Sequence[Callable]) -> None:
        """Test the answers: functions here or in a submission's process.

        Raises:
            Wrong: they do not pass.
        """
        if self.of is not None:
            answers = [answers[self.of]]
        if self.look is None:
            self.test(*answers)
            return
        case = self.case()
        elsewhere = getattr(answers[0], "look", None)
        seen = elsewhere(self.look, answers, case) if elsewhere else self.look(*answers, *case)
        self.test(seen, *case)


class Result:
    """What a check found. Its repr is the bare number of points: nbgrader reads it as partial credit.

    ``tags`` name what was wrong for code and tests, ``messages`` say it to the learner: each tag belongs to the
    message at its place; the last messages may have none.
    """

    def __init__(
        self,
        title: str,
        points: float,
        max_points: float,
        messages: Sequence[str],
        status: str,
        tags: Sequence[str] = (),
    ):
        self.title = title
        self.points = min(float(points), float(max_points))
        self.max_points = float(max_points)
        tagged: dict[str, str | None] = {}
        for message, tag in zip_longest(messages, tags):
            tagged.setdefault(message, tag)
        self.messages = list(tagged)
        self.status = status
        self.tags = [tag for tag in tagged.values() if tag is not None]

    @property
    def passed(self) -> bool:
        """Whether the answer got every point."""
        return self.points == self.max_points

    def __repr__(self) -> str:
        return f"{self.points:g}"

    def __str__(self) -> str:
        head = f"{self.title}: {self.points:g} of {self.max_points:g} points ({self.status})"
        return "\n".join([head, *self.messages])

    def _repr_html_(self) -> str:
        color = {"right": "#2a9d5c", "wrong": "#c8553d"}.get(self.status, "#8a8a8a")
        mark = {"right": "✔", "wrong": "✘"}.get(self.status, "…")
        lines = "".join(f"<div>{inline(message)}</div>" for message in self.messages)
        return (
            f'<div style="border-left: 4px solid {color}; padding: 0.3em 0.8em">'
            f"<b>{mark} {html.escape(self.title)}: {self.points:g} of {self.max_points:g} points</b> "
            f"({self.status}){lines}</div>"
        )


@dataclass
class Exercise:
    """One exercise: its parts, its hints, and the course's own answers.

    Args:
        name: number of the notebook and short name, such as "01.distance".
        title: as shown to the learner.
        parts: what is tested, with points.
        hints: three: the idea, where to look, nearly the code.
        reference: the package's functions, one for each the exercise asks for. They are what answers are
            compared with, and they stand in for an answer that does not pass.
        ready: raises where answers are right but cannot be trained with (one in NumPy, say).
    """

    name: str
    title: str
    parts: Sequence[Part]
    hints: tuple[str, str, str]
    reference: Sequence[Callable]
    ready: Callable | None = None
    _hints_shown: int = field(default=0, repr=False)

    @property
    def points(self) -> float:
        """The points of all parts."""
        return sum(part.points for part in self.parts)

    @property
    def short_name(self) -> str:
        """The name without the notebook's number: the attribute of ``exercises`` in the notebook."""
        return self.name.split(".")[1]

    def check(self, *answers: Callable) -> Result:
        """Check the answers, one for each function the exercise asks for."""
        if len(answers) != len(self.reference):
            names = ", ".join(function.__name__ for function in self.reference)
            message = f"check takes {len(self.reference)} function(s): {names}."
            return self._refused(message, "number_of_functions")
        if record.in_notebook() and (reason := origin.refusal(answers, self.reference)):
            return self._refused(reason, "not_own")
        try:
            with quiet_stderr(), told_if_slow(), bounded_output(), bounded_display(), kernel_kept():
                outcomes = _outcomes(self.parts, answers)
        except KeyboardInterrupt as error:
            return self._refused(f"You stopped the check{_where(error)}.", "interrupted")
        result = self.result(outcomes, answers)
        if record.in_notebook():
            record.remember(self.name, result.points)
        return result

    def _refused(self, reason: str, tag: str) -> Result:
        return Result(self.title, 0, self.points, [reason, self.help], "wrong", [tag])

    def grade(self, hidden_seed: int, *answers: Callable) -> Result:
        """Check the answers as ``check`` does; what passes must pass again with the instructor's numbers.

        Nothing about these numbers is shown.
        """
        outcomes = self.outcomes(answers)
        return self.result(self.again(hidden_seed, outcomes, answers), answers)

    def outcomes(self, answers: Sequence[Callable]) -> list[Exception | None]:
        """Return what is wrong with each part, None where it passes."""
        with quiet_stderr():
            return _outcomes(self.parts, answers)

    def again(
        self, hidden_seed: int, outcomes: Sequence[Exception | None], answers: Sequence[Callable]
    ) -> list[Exception | None]:
        """Return the outcomes after the parts that passed were tested with the instructor's numbers."""
        with quiet_stderr(), hidden_numbers(hidden_seed):
            hidden = _outcomes(self.parts, answers, outcomes)
        return [
            outcome or (Wrong(HARD_CODED, "hard_coded") if other else None)
            for outcome, other in zip(outcomes, hidden, strict=True)
        ]

    def result(self, outcomes: Sequence[Exception | None], answers: Sequence[Callable]) -> Result:
        """Return the points and messages of outcomes."""
        earned = sum(
            part.points for part, outcome in zip(self.parts, outcomes, strict=True) if not outcome
        )
        wrong = [outcome for outcome in outcomes if isinstance(outcome, Wrong)]
        wrong.sort(key=lambda each: each.tag == "hard_coded")  # last: the others say more
        left_out = any(isinstance(outcome, NotAttempted) for outcome in outcomes)
        if left_out and any(map(_is_begun, answers)):
            wrong.append(Wrong(STILL_RAISES, "still_raises"))
        if wrong:
            messages = [*map(str, wrong), self.help]
            status = "wrong"
        elif left_out:
            messages = [
                f"Write your answer in the cell above, run it, then run this cell again. {self.help}"
            ]
            status = "begun" if earned else ATTEMPT_MARK
        else:
            messages, status = [], "right"
        return Result(
            self.title, earned, self.points, messages, status, [each.tag for each in wrong]
        )

    def use(self, *answers: Callable) -> Any:
        """Return the learner's answers if they pass, else the course's own, and print which.

        Returns:
            One function, or a tuple of them where the exercise asks for several.
        """
        result = self.check(*answers)
        if "interrupted" in result.tags:
            reason = result.messages[0].removesuffix(".")
        elif not result.passed:
            reason = "yours does not pass yet"
        elif obstacle := self._obstacle(answers):
            reason = f"yours is right, but it can't be used for training ({obstacle})"
        else:
            print(f"{self.title}: the notebook goes on with your own answer.")
            return answers[0] if len(answers) == 1 else answers
        print(f"{self.title}: {reason}, so the notebook goes on with the course's own.")
        return self.reference[0] if len(self.reference) == 1 else tuple(self.reference)

    def _obstacle(self, answers: Sequence[Callable]) -> str | None:
        """Why right answers cannot be used in training, or None."""
        if self.ready is None:
            return None
        with quiet_stderr():
            try:
                self.ready(*answers)
            # whatever a framework raises when it cannot trace a function
            except Exception as error:
                return reason_of(error)[:300] or type(error).__name__
        return None

    def hint(self, number: int | None = None) -> "Text":
        """Return the next hint (1: the idea, 2: where to look, 3: nearly the code), or hint ``number``."""
        if number is None:
            number = min(self._hints_shown + 1, len(self.hints))
        if not 1 <= number <= len(self.hints):
            raise ValueError(f"number is {number}; expected 1 to {len(self.hints)}")
        self._hints_shown = max(self._hints_shown, number)
        more = (
            "run hint() again for the next one"
            if number < len(self.hints)
            else "solution() is next"
        )
        return Text(f"Hint {number} of {len(self.hints)}. {self.hints[number - 1]} ({more})")

    def solution(self, show: bool = False) -> "Text":
        """Return the course's own answer, as the solution notebook has it.

        Args:
            show: show it also to somebody who has seen no hint yet.
        """
        if not (show or self._hints_shown):
            return Text(
                f"You haven't seen a hint yet: `exercises.{self.short_name}.hint()`. To see the course's answer "
                f"anyway: `exercises.{self.short_name}.solution(show=True)`."
            )
        if record.in_notebook():
            record.remember_shown(self.name, self.points)
        return Text(solutions()[self.name], code=True)

    def reset(self) -> None:
        """Forget the points of this exercise, and which hints were shown."""
        self._hints_shown = 0
        record.reset(self.name)

    @property
    def help(self) -> str:
        """A sentence that says where to find help."""
        return f"Stuck? `exercises.{self.short_name}.hint()` helps step by step."


class Text:
    """Text for the learner: plain in a terminal, formatted in a notebook."""

    def __init__(self, text: str, code: bool = False):
        self.text, self.code = text, code

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.text}\n```" if self.code else self.text


@cache
def solutions() -> dict[str, str]:
    """Return the course's answers; ``make notebooks`` takes them out of notebooks/source."""
    text = files("siamese_course.exercises").joinpath("solutions.json").read_text(encoding="utf-8")
    return json.loads(text)


def _outcomes(
    parts: Sequence[Part], answers: Sequence[Callable], known: Sequence[Exception | None] = ()
) -> list[Exception | None]:
    """What each part finds, None if it passes; parts that are known not to pass are not judged again."""
    found: list[Exception | None] = []
    for number, part in enumerate(parts):
        before = zip(parts, found, strict=False)
        if known and known[number]:
            found.append(known[number])
        elif part.last and any(outcome for each, outcome in before if each.of in (part.of, None)):
            found.append(NotJudged())
        else:
            found.append(_outcome(part, answers))
    return found


def _outcome(part: Part, answers: Sequence[Callable]) -> Wrong | NotAttempted | None:
    """None if the part passes, else what is wrong."""
    try:
        part.judge(answers)
    except (Wrong, NotAttempted) as outcome:
        return outcome
    except NotImplementedError as error:
        # the stub raises it; a framework may too, and then it has a message of its own
        if str(error) in ("", ATTEMPT_MARK):
            return NotAttempted()
        return _stopped(error)
    except (Exception, SystemExit) as error:
        return _stopped(error)
    return None


def _stopped(error: BaseException) -> Wrong:
    """What to say where the learner's code raised an error."""
    for sign, (sentence, tag) in KNOWN_ERRORS.items():
        if sign in str(error):
            return Wrong(f"{describe(error)} {sentence}", tag)
    return Wrong(describe(error), "error")


def _is_begun(answer: Any) -> bool:
    """Whether a function does more than raise the stub's NotImplementedError."""
    if hasattr(answer, "begun"):  # a function in a submission's process
        return answer.begun
    code = getattr(answer, "__code__", None)
    if code is None or "NotImplementedError" not in code.co_names:
        return False
    arguments = code.co_argcount + code.co_kwonlyargcount
    named = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # *args, **kwargs
    return code.co_names != ("NotImplementedError",) or code.co_nlocals > arguments + named


def describe(error: BaseException) -> str:
    """Say what an error in the learner's code is, and on which line."""
    where = getattr(error, "where", _where(error))  # set where the code ran in another process
    return f"Your code stopped with `{type(error).__name__}`{where}: {reason_of(error)}".rstrip()


def _where(error: BaseException) -> str:
    """The last line of the learner's cells that an error came through."""
    here = cell_frames(error)
    return location(here[-1].lineno, here[-1].line) if here else ""


def location(number: int | None, line: str | None) -> str:
    """Where in the learner's cells something happened; the line itself may be unknown."""
    return f" in line {number} of your cell" + (f" (`{line}`)" if line else "")


def reason_of(error: BaseException) -> str:
    """The sentence of an error's message that says why; Keras puts it below one that says where."""
    text = NUMBERS.sub("[...]", NOISE.sub("", str(error))).split(INNER)[-1]
    for paragraph in text.split("\n\n"):
        first = " ".join(paragraph.split())
        if first and not first.startswith(
            ("Exception encountered when calling", "Arguments received")
        ):
            return first if len(first) <= 400 else f"{first[:400]} ..."
    return text.strip()


class _Bounded(io.TextIOBase):
    """Passes on the beginning of what is printed, and counts the rest."""

    def __init__(self, stream: Any):
        self.stream, self.room, self.left_out = stream, MAX_PRINTED, 0

    def write(self, text: str) -> int:
        kept = text[: self.room]
        self.room -= len(kept)
        self.left_out += len(text) - len(kept)
        if kept:
            self.stream.write(kept)
        return len(text)

    def flush(self) -> None:
        self.stream.flush()


@contextlib.contextmanager
def bounded_output() -> Iterator[None]:
    """Show only the beginning of what is printed in this block, and how much more there was."""
    bounded = _Bounded(sys.stdout)
    try:
        with contextlib.redirect_stdout(bounded):
            yield
    finally:
        if bounded.left_out:
            print(f"\n[{bounded.left_out:,} more characters that your code printed are not shown]")


@contextlib.contextmanager
def bounded_display() -> Iterator[None]:
    """Show only the first outputs of ``display`` in this block, and how many more there were."""
    publisher: Any = getattr(record.shell(), "display_pub", None)
    if not hasattr(publisher, "register_hook"):  # not in a notebook
        yield
        return
    shown = 0

    def first(message: dict) -> dict | None:
        nonlocal shown
        shown += 1
        return message if shown <= MAX_DISPLAYED else None

    publisher.register_hook(first)
    try:
        yield
    finally:
        publisher.unregister_hook(first)
        if shown > MAX_DISPLAYED:
            print(f"[{shown - MAX_DISPLAYED:,} more outputs of display are not shown]")


@contextlib.contextmanager
def kernel_kept() -> Iterator[None]:
    """Within it ``exit()`` and ``quit()`` raise SystemExit and do not end the notebook's kernel."""
    shell = record.shell()
    if shell is None:
        yield
        return
    leave = shell.ask_exit

    def refuse() -> None:
        raise SystemExit("exit() is not part of an answer")

    shell.ask_exit = refuse
    try:
        yield
    finally:
        shell.ask_exit = leave


@contextlib.contextmanager
def told_if_slow() -> Iterator[None]:
    """Print a sentence if the block takes longer than ``SLOW_SECONDS``, however much was printed in it."""
    timer = threading.Timer(SLOW_SECONDS, print, [SLOW], {"file": sys.stdout})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def cell_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of an error's traceback that are cells of a notebook."""
    frames = traceback.extract_tb(error.__traceback__)
    return [
        frame for frame in frames if "ipykernel" in frame.filename or "<ipython" in frame.filename
    ]


def inline(text: str) -> str:
    """Escape for HTML, turning `code` in backticks and *stress* in stars into tags."""
    pieces = html.escape(text).split("`")
    pieces[::2] = [STRESS.sub(r"<em>\1</em>", piece) for piece in pieces[::2]]
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))


def require_returned(value: Any, what: str = "The result") -> None:
    """Raise ``Wrong`` if a value is None: a return is missing."""
    if value is None:
        raise Wrong(f"{what} is `None`: is a `return` missing?", "none")


def as_array(value: Any, what: str = "The result") -> np.ndarray:
    """Convert a number, list, array or tensor to float64 for comparing.

    Raises:
        Wrong: it is nothing of the kind, far larger than any result, or contains NaN or infinity.
    """
    require_returned(value, what)
    if math.prod(shape := _shape_of(value)) > MAX_NUMBERS:
        raise Wrong(f"{what} has shape {shape}, which is far more numbers than expected.", "shape")
    try:
        import keras

        if keras.ops.is_tensor(value):
            value = keras.ops.convert_to_numpy(value)
        array = np.array(value, dtype="float64")
    except (TypeError, ValueError):
        raise Wrong(f"{what} is a `{type(value).__name__}`; expected numbers.", "type") from None
    if not np.isfinite(array).all():
        raise Wrong(f"{what} contains NaN or infinity. {NOT_FINITE}", "not_finite")
    return array


def _shape_of(value: Any) -> tuple[int, ...]:
    """The shape of an array, or of a list by its first items: nothing is converted."""
    if isinstance(value, list | tuple):
        return (len(value), *(_shape_of(value[0]) if value else ()))
    shape = getattr(value, "shape", ())
    known = isinstance(shape, tuple) and all(isinstance(size, int) for size in shape)
    return shape if known else ()


def require_shape(
    array: np.ndarray,
    expected: tuple[int, ...],
    known: Mapping[tuple[int, ...], tuple[str, str]] | None = None,
    what: str = "The result",
) -> None:
    """Raise ``Wrong`` unless an array has a shape.

    Args:
        array: what the answer made.
        expected: its shape.
        known: wrong shapes with the (message, tag) that explains each.
        what: begins the message for all other shapes.
    """
    if array.shape == expected:
        return
    if known and array.shape in known:
        raise Wrong(*known[array.shape])
    sentence, tag = patterns.of_shape(array.shape, expected) or ("", "shape")
    message = f"{what} has shape {array.shape}; expected {expected or 'one number'}. {sentence}"
    raise Wrong(_ended(message), tag)


def _ended(message: str) -> str:
    """The message with a period, where it ends in no other mark."""
    message = message.rstrip()
    return message if message[-1] in ".?" else f"{message}."


def compare(
    answer: Callable,
    reference: Callable,
    cases: Sequence[tuple],
    mistakes: Sequence[Mistake] = (),
    *,
    edges: Sequence[tuple] = (),
    parts: Sequence[str] = (),
    rtol: float = 1e-4,
    atol: float = 1e-5,
) -> None:
    """Compare an answer with the reference on every case, and name the mistake where they differ.

    A mistake is named only if it explains the results of all cases, of at least two; so a case on which two
    mistakes agree cannot mislead.

    Args:
        answer, reference: functions of the same arguments.
        cases: tuples of arguments; the answer gets copies of arrays, lists and dictionaries.
        mistakes: what to look for; the first one that gives what the answer gives is named.
        edges: more cases, for answers that are right on the others: one row, one dimension, a value at a limit.
        parts: what to call each part of a result, where its first axis is several results.
        rtol, atol: how near counts as equal.

    Raises:
        Wrong: with the mistake's message and tag, with those of ``patterns``, or with "shape", "value", "changed" or
            "reused" as tag.
    """
    expected = [as_array(reference(*case)) for case in cases]
    got, fault = _results(answer, reference, cases)
    if all_close(got, expected, rtol, atol):
        if fault:
            raise fault
        if edges:
            cases = [*cases, *edges]
            compare(answer, reference, cases, mistakes, parts=parts, rtol=rtol, atol=atol)
        return
    if len(cases) > 1:
        for mistake in mistakes:
            if _explains(mistake, cases, got, rtol, atol):
                raise Wrong(mistake.message, mistake.tag)
    right = list(map(partial(_close, rtol=rtol, atol=atol), got, expected))
    sentence, tag = (
        patterns.of_values(got, expected)
        or patterns.of_cases(cases, right, _names(reference, max(map(len, cases))))
        or ("", "value")
    )
    for g, e, case in zip(got, expected, cases, strict=True):
        require_shape(g, e.shape)
        places = [f" in {part}" for part in parts] or [""]
        pairs = list(zip(g, e, strict=True)) if parts else [(g, e)]
        for where, (a, b) in zip(places, pairs, strict=True):
            if not _close(a, b, rtol, atol):
                evidence = f"{difference(a, b, rtol, atol)}{where}{given(reference, case)}."
                raise Wrong(_ended(f"{evidence} {sentence}"), tag)


def _explains(
    mistake: Mistake, cases: Sequence[tuple], got: Sequence, rtol: float, atol: float
) -> bool:
    """Whether a mistake gives all that an answer gave; some cannot be made on every case."""
    try:
        return all_close(got, [as_array(mistake.answer(*case)) for case in cases], rtol, atol)
    # whatever a library raises, such as for an axis that one row does not have
    except Exception:
        return False


def _results(
    answer: Callable, reference: Callable, cases: Sequence[tuple]
) -> tuple[list[np.ndarray], Wrong | None]:
    """What an answer returns for each case, and what is wrong if it changes its arguments or its results."""
    kept: list[Any] = []
    got: list[np.ndarray] = []
    fault = None
    for case in cases:
        own = copy.deepcopy([each if _is_mutable(each) else None for each in case])
        arguments = [
            mine if _is_mutable(each) else each for mine, each in zip(own, case, strict=True)
        ]
        try:
            kept.append(answer(*arguments))
        except (Wrong, NotAttempted, NotImplementedError):
            raise
        except Exception as error:
            if got and patterns.has_one(case) and not all(map(patterns.has_one, cases[: len(got)])):
                raise Wrong(f"{_ended(describe(error))} {patterns.ONLY_ONE}", "one_row") from error
            raise
        try:
            got.append(as_array(kept[-1]))
        except Wrong as wrong:
            if wrong.tag != "not_finite":
                raise
            raise Wrong(_not_finite(kept[-1], given(reference, case)), wrong.tag) from None
        for name, mine, each in zip(_names(reference, len(case)), own, case, strict=False):
            if _is_mutable(each) and not same(mine, each):
                fault = Wrong(
                    f"Your code changes `{name}` in place (as `/=`, `+=`, `.sort()`, and `.append()` do). Work on a "
                    "copy: the caller needs the original.",
                    "changed",
                )
    for result, array in zip(kept, got, strict=True):
        if not np.array_equal(as_array(result), array):
            fault = Wrong(*REUSED_RESULT)
    return got, fault


def _not_finite(value: Any, arguments: str) -> str:
    """What to say of a result with NaN or infinity in it."""
    import keras

    numbers = keras.ops.convert_to_numpy(value) if keras.ops.is_tensor(value) else value
    array = np.array(numbers, dtype="float64")
    [at, *more] = np.argwhere(~np.isfinite(array)).tolist()
    count = f": {len(more) + 1} of {array.size} values, the first at {at}" if at else ""
    return f"The result contains NaN or infinity{count}{arguments}. {NOT_FINITE}"


def _is_mutable(value: Any) -> bool:
    return isinstance(value, np.ndarray | list | dict)


def same(left: Any, right: Any) -> bool:
    """Whether arrays, or lists, tuples and dictionaries of them, are equal."""
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if hasattr(left, "shape"):
        return np.array_equal(np.asarray(left), np.asarray(right))
    return bool(left == right)


def difference(
    got: np.ndarray, expected: np.ndarray, rtol: float = 1e-4, atol: float = 1e-5
) -> str:
    """Say where two arrays of one shape differ first."""
    [at, *_] = np.argwhere(~np.isclose(got, expected, rtol, atol)).tolist()
    place = f", at {at}" if at else ""
    g, e = (f"{float(array[tuple(at)]):.6g}" for array in (got, expected))
    if g == e:  # the difference is in further digits
        g, e = (f"{float(array[tuple(at)]):.9g}" for array in (got, expected))
    return f"A value is off: {g}, where {e} was expected{place}"


def given(function: Callable, case: Sequence[Any]) -> str:
    """Say with what arguments: small ones as they are, of others the shape."""
    parts = []
    for name, value in zip(_names(function, len(case)), case, strict=False):
        shape = getattr(value, "shape", ())
        if math.prod(shape) > 8:
            parts.append(f"`{name}` of shape {tuple(shape)}")
        elif isinstance(value, str | int | float | list) and len(repr(value)) < 80:
            parts.append(f"`{name}` = {value!r}")
        elif shape or hasattr(value, "dtype"):
            text = np.array2string(np.asarray(value), precision=4, separator=", ").replace("\n", "")
            parts.append(f"`{name}` = {re.sub(' +', ' ', text)}")
    return f", for {', '.join(parts)}" if parts else ""


def _names(function: Callable, count: int) -> list[str]:
    """The names of a function's arguments."""
    found = list(inspect.signature(function).parameters)
    return [*found, *(f"argument {n + 1}" for n in range(len(found), count))]


def all_close(
    left: Sequence[npt.ArrayLike],
    right: Sequence[npt.ArrayLike],
    rtol: float = 1e-4,
    atol: float = 1e-5,
) -> bool:
    """Whether the arrays of two sequences agree in shape and, nearly, in values."""
    return all(_close(a, b, rtol, atol) for a, b in zip(left, right, strict=True))


def _close(a: npt.ArrayLike, b: npt.ArrayLike, rtol: float, atol: float) -> bool:
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=rtol, atol=atol)
