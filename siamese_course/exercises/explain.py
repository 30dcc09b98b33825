"""Print a sentence about the exercise after the traceback of a cell that belongs to one."""

import re
from collections.abc import Sequence
from typing import Any

from siamese_course.exercises import origin, record
from siamese_course.exercises.engine import Exercise, cell_frames


def watch(exercises: Sequence[Exercise]) -> None:
    """In a notebook, explain every cell that ends in an error, and know old answers; elsewhere, do nothing."""
    origin.watch(function.__name__ for each in exercises for function in each.reference)
    shell = record.shell()
    if shell is not None:
        shell.events.register("post_run_cell", lambda result: explain(result, exercises))


def explain(result: Any, exercises: Sequence[Exercise]) -> None:
    """Print the sentence if the cell ended in an error and belongs to an exercise.

    Args:
        result: IPython's result of a cell that was run.
        exercises: those of the notebook.
    """
    error = result.error_before_exec or result.error_in_exec
    source = result.info.raw_cell or ""
    if isinstance(error, Exception) and (found := _belongs_to(source, error, exercises)):
        print(explanation(found, error))


def explanation(exercise: Exercise, error: Exception) -> str:
    """Say what an error has to do with an exercise, and what helps."""
    names = [function.__name__ for function in exercise.reference]
    if isinstance(error, NameError) and error.name in names:
        what = f"`{error.name}` is your answer to it: write it in the cell that begins with its `def`, and run that cell"
    elif isinstance(error, NotImplementedError):
        what = "your answer to it isn't written yet"
    else:
        what = "the last line above says what went wrong"
    return f"Exercise {exercise.title}: {what}. {exercise.help}"


def _belongs_to(source: str, error: Exception, exercises: Sequence[Exercise]) -> Exercise | None:
    """The exercise that a cell names, or whose function it defines or calls."""
    called = re.findall(r"\bexercises\.(\w+)\.", source)
    functions = re.findall(r"^\s*def (\w+)", source, re.MULTILINE)
    functions += [frame.name for frame in cell_frames(error)]
    for exercise in exercises:
        if exercise.short_name in called:
            return exercise
    for exercise in exercises:
        if any(function.__name__ in functions for function in exercise.reference):
            return exercise
    return None
