"""The engine behind the exercises: run an answer, compare it, and say what is wrong with it.

An exercise has parts; a part has points and a test, which raises ``Wrong`` with a diagnosis. Most tests
compare numbers: with the right ones, and, where they differ, with those of known mistakes, so that
the learner reads "you forgot the mean" and not "0.3 is not 2.1".
"""

import contextlib
import html
import json
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import numpy as np

from siamese_course.exercises import record
from siamese_course.exercises.observe import Wrong
from siamese_course.runtime.quiet import quiet_stderr

ATTEMPT_MARK = "not attempted"
STRESS = re.compile(r"(?<![\w*])\*([a-z][a-z ]*)\*(?![\w*])")  # *words*, and no product


HARD_CODED = (
    "This is right on the numbers of the notebook's check, and wrong on other numbers. Does the code know those "
    "numbers, or their shape?"
)
_hidden: ContextVar[int | None] = ContextVar("hidden", default=None)


@contextlib.contextmanager
def hidden_numbers(seed: int) -> Iterator[None]:
    """Within it the checks draw other numbers: the instructor's, which no notebook shows."""
    token = _hidden.set(seed)
    try:
        yield
    finally:
        _hidden.reset(token)


def seeded(seed: int) -> np.random.Generator:
    """Random numbers for a check: always the same ones in a notebook, others for the instructor."""
    hidden = _hidden.get()
    return np.random.default_rng(seed if hidden is None else [hidden, seed])


def is_hidden() -> bool:
    """Whether the instructor's numbers are used."""
    return _hidden.get() is not None


class NotAttempted(Exception):
    """The exercise is still as it was handed out."""


@dataclass(frozen=True)
class Part:
    """One part of an exercise: ``test`` takes the answers and raises ``Wrong``.

    Where an answer makes what cannot leave its process, ``look``, a function of ``observe``, takes the answers
    and what ``case`` gives, and ``test`` takes what it saw, and the same case.
    """

    points: float
    test: Callable
    look: Callable | None = None
    case: Callable[[], tuple] = tuple

    def run(self, answers) -> None:
        """Test the answers, functions here or in a submission's process."""
        if self.look is None:
            self.test(*answers)
            return
        case = self.case()
        elsewhere = getattr(answers[0], "look", None)
        seen = elsewhere(self.look, answers, case) if elsewhere else self.look(*answers, *case)
        self.test(seen, *case)


class Result:
    """What a check found. Its repr is the bare number of points: nbgrader reads it as partial credit."""

    def __init__(
        self, title: str, points: float, max_points: float, messages: Sequence[str], status: str
    ):
        self.title = title
        self.points = min(float(points), float(max_points))
        self.max_points = float(max_points)
        self.messages = list(dict.fromkeys(messages))
        self.status = status

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
        colour = {"right": "#2a9d5c", "wrong": "#c8553d"}.get(self.status, "#8a8a8a")
        mark = {"right": "✔", "wrong": "✘"}.get(self.status, "…")
        lines = "".join(f"<div>{inline(message)}</div>" for message in self.messages)
        return (
            f'<div style="border-left: 4px solid {colour}; padding: 0.3em 0.8em">'
            f"<b>{mark} {html.escape(self.title)}: {self.points:g} of {self.max_points:g} points</b> "
            f"({self.status}){lines}</div>"
        )


@dataclass
class Exercise:
    """One exercise: its parts, its hints, and the course's own answers.

    ``reference`` are the package's functions that stand in for an answer that does not pass.
    ``ready`` raises where an answer is right and yet cannot be trained with (one in NumPy, say).
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
        """The most that can be had."""
        return sum(part.points for part in self.parts)

    def check(self, *answers) -> Result:
        """Check the answers, one for each function the exercise asks for."""
        if len(answers) != len(self.reference):
            names = ", ".join(function.__name__ for function in self.reference)
            message = f"check takes {len(self.reference)} function(s): {names}."
            return Result(self.title, 0, self.points, [message, self.help], "wrong")
        with quiet_stderr():
            outcomes = [_run(part, answers) for part in self.parts]
        result = self._result(outcomes, answers)
        if record.in_notebook():
            record.remember(self.name, result.points)
        return result

    def grade(self, hidden_seed: int, *answers) -> Result:
        """Check the answers as ``check`` does; what passes must pass again with the instructor's numbers.

        Nothing is told of these numbers.
        """
        with quiet_stderr():
            outcomes = [_run(part, answers) for part in self.parts]
            with hidden_numbers(hidden_seed):
                outcomes = [
                    outcome or (HARD_CODED if _run(part, answers) else None)
                    for part, outcome in zip(self.parts, outcomes, strict=True)
                ]
        return self._result(outcomes, answers)

    def _result(self, outcomes, answers) -> Result:
        earned = sum(
            part.points for part, outcome in zip(self.parts, outcomes, strict=True) if not outcome
        )
        messages = [outcome for outcome in outcomes if outcome and outcome != ATTEMPT_MARK]
        messages.sort(key=HARD_CODED.__eq__)  # last: the others say more
        if ATTEMPT_MARK in outcomes and any(map(_is_begun, answers)):
            messages.append(
                "The line `raise NotImplementedError(...)` is still in your code: delete it."
            )
        if not messages and ATTEMPT_MARK in outcomes:
            status = ATTEMPT_MARK if earned == 0 else "begun"
            messages = [
                f"Write your answer in the cell above, run it, then run this cell again. {self.help}"
            ]
        elif messages:
            status = "wrong"
            messages.append(self.help)
        else:
            status = "right"
        return Result(self.title, earned, self.points, messages, status)

    def use(self, *answers):
        """The learner's answers if they pass, else the course's own; says which.

        Returns:
            One function, or a tuple of them where the exercise asks for several.
        """
        if not self.check(*answers).passed:
            reason = "yours does not pass yet"
        elif obstacle := self._obstacle(answers):
            reason = f"yours is right, but cannot be trained with ({obstacle})"
        else:
            print(f"{self.title}: the notebook goes on with your own answer.")
            return answers[0] if len(answers) == 1 else answers
        print(f"{self.title}: {reason}, so the notebook goes on with the course's own.")
        return self.reference[0] if len(self.reference) == 1 else tuple(self.reference)

    def _obstacle(self, answers) -> str | None:
        """Why right answers cannot be used in training, or None."""
        if self.ready is None:
            return None
        with quiet_stderr():
            try:
                self.ready(*answers)
            except (
                Exception
            ) as error:  # whatever a framework raises when it cannot trace a function
                return (str(error).splitlines() or [""])[0][:80] or type(error).__name__
        return None

    def hint(self, number: int | None = None) -> "Text":
        """The next hint (1: the idea, 2: where to look, 3: nearly the code), or the one of that number."""
        if number is None:
            self._hints_shown = min(self._hints_shown + 1, len(self.hints))
            number = self._hints_shown
        if not 1 <= number <= len(self.hints):
            raise ValueError(f"number is {number}; expected 1 to {len(self.hints)}")
        more = (
            "run hint() again for the next one"
            if number < len(self.hints)
            else "solution() is next"
        )
        return Text(f"Hint {number} of {len(self.hints)}. {self.hints[number - 1]} ({more})")

    def solution(self) -> "Text":
        """The course's own answer, as the solution notebook has it."""
        return Text(_solutions()[self.name], code=True)

    @property
    def help(self) -> str:
        """The sentence that says where help is."""
        return f"Stuck? `exercises.{self.name.split('.')[1]}.hint()` helps, step by step."


class Text:
    """A text for the learner: as it is in a terminal, formatted in a notebook."""

    def __init__(self, text: str, code: bool = False):
        self.text, self.code = text, code

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.text}\n```" if self.code else self.text


@cache
def _solutions() -> dict[str, str]:
    """The answers, taken out of notebooks/source by ``make notebooks``."""
    text = files("siamese_course.exercises").joinpath("solutions.json").read_text(encoding="utf-8")
    return json.loads(text)


def _run(part: Part, answers) -> str | None:
    """None if the part passes, else what is wrong in words."""
    try:
        part.run(answers)
    except NotAttempted:
        return ATTEMPT_MARK
    except NotImplementedError as error:
        # the stub raises it; a framework may too, and then it has a message of its own
        return ATTEMPT_MARK if str(error) in ("", ATTEMPT_MARK) else _describe(error)
    except Wrong as wrong:
        return str(wrong)
    except (Exception, SystemExit) as error:
        return _describe(error)
    return None


def _is_begun(answer) -> bool:
    """Whether a function does more than raise the stub's NotImplementedError."""
    if hasattr(answer, "begun"):  # a function in a submission's process
        return answer.begun
    code = getattr(answer, "__code__", None)
    if code is None or "NotImplementedError" not in code.co_names:
        return False
    arguments = code.co_argcount + code.co_kwonlyargcount
    named = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # *args, **kwargs
    return code.co_names != ("NotImplementedError",) or code.co_nlocals > arguments + named


def _describe(error: BaseException) -> str:
    """An error in the learner's code: what, and in which line of it."""
    here = cell_frames(error)
    where = f" in line {here[-1].lineno} of your cell (`{here[-1].line}`)" if here else ""
    where = getattr(error, "where", where)  # known where the code ran elsewhere
    lines = str(error).splitlines()
    return f"Your code stopped with `{type(error).__name__}`{where}: {lines[0] if lines else ''}"


def cell_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of an error's traceback that lie in cells of a notebook."""
    frames = traceback.extract_tb(error.__traceback__)
    return [
        frame for frame in frames if "ipykernel" in frame.filename or "<ipython" in frame.filename
    ]


def inline(text: str) -> str:
    """Escape for HTML, with `code` between backticks and *stress* between stars."""
    pieces = html.escape(text).split("`")
    pieces[::2] = [STRESS.sub(r"<em>\1</em>", piece) for piece in pieces[::2]]
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))


def as_array(value, what: str = "The result") -> np.ndarray:
    """A number, list, array or tensor as float64, for comparing.

    Raises:
        Wrong: it is nothing of the kind, or holds NaN or infinity.
    """
    if value is None:
        raise Wrong(f"{what} is `None`: is a `return` missing?")
    try:
        import keras

        if keras.ops.is_tensor(value):
            value = keras.ops.convert_to_numpy(value)
        array = np.array(value, dtype="float64")
    except (TypeError, ValueError):
        raise Wrong(f"{what} is a `{type(value).__name__}`; expected numbers.") from None
    if not np.isfinite(array).all():
        raise Wrong(f"{what} holds NaN or infinity.")
    return array


def compare(
    answer: Callable,
    reference: Callable,
    cases: Sequence[tuple],
    mistakes: Sequence[tuple[Callable, str]] = (),
    *,
    rtol: float = 1e-4,
    atol: float = 1e-5,
) -> None:
    """Compare an answer with the reference on every case, and name the mistake where they differ.

    A mistake is named only if it explains every case that came out; so a case that two mistakes
    share cannot mislead.

    Args:
        answer, reference: functions of the same arguments.
        cases: tuples of arguments.
        mistakes: (function, sentence): functions that make a known mistake, and what to say of it.
        rtol, atol: how near is equal.

    Raises:
        Wrong: with the sentence of the first mistake that gives what the answer gives.
    """
    got = [as_array(answer(*case)) for case in cases]
    expected = [as_array(reference(*case)) for case in cases]
    if all(_close(g, e, rtol, atol) for g, e in zip(got, expected, strict=True)):
        return
    for mistake, sentence in mistakes:
        made = [as_array(mistake(*case)) for case in cases]
        if all(_close(g, m, rtol, atol) for g, m in zip(got, made, strict=True)):
            raise Wrong(sentence)
    for g, e in zip(got, expected, strict=True):
        if g.shape != e.shape:
            raise Wrong(f"The result has shape {g.shape}; expected {e.shape}.")
        if not _close(g, e, rtol, atol):
            at = np.unravel_index(np.argmax(np.abs(g - e)), e.shape)
            raise Wrong(f"A value is off: {g[at]:.6g}, where {e[at]:.6g} was expected.")


def _close(a: np.ndarray, b: np.ndarray, rtol: float, atol: float) -> bool:
    return a.shape == b.shape and np.allclose(a, b, rtol=rtol, atol=atol)
