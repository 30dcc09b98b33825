"""Run a Trax Loop so that Ctrl-C or the stop button ends it after a step."""

from typing import Any

from siamese_course.runtime.interrupts import held_interrupts, report_stopped


class _Stopped(Exception):
    """The learner asked to stop."""


def run_loop(loop: Any, steps: int) -> int:
    """Run a ``training.Loop`` until it has done a number of steps, those before a restart included.

    Ctrl-C or the stop button ends training after the current step, and the model keeps what it has learned.
    In a notebook, execution continues.

    Args:
        loop: with one task.
        steps: all optimizer steps; those that were done are returned.

    Raises:
        KeyboardInterrupt: training was stopped outside a notebook.
    """
    with held_interrupts() as asked:
        task = loop.tasks[0]
        draw = task.next_batch

        def checked() -> Any:
            if asked:
                raise _Stopped
            return draw()

        # An attribute of the object, in front of the method of its class
        task.next_batch = checked
        try:
            loop.run(max(0, steps - loop.step))
        except _Stopped:
            loop._step -= 1  # Trax counts a step before it draws the batch
            loop.eval_model.weights = loop.model.weights
        finally:
            del task.next_batch
    if asked:
        report_stopped(loop.step, steps)
    return loop.step
