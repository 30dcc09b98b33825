"""Ctrl-C, the stop button, where half of something would be worse than a short wait."""

import builtins
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_interrupts() -> Iterator[list]:
    """Within it Ctrl-C (the stop button) interrupts nothing, and the list that is given fills: look at it
    where it is safe to stop. A second one interrupts at once.

    Half of an optimizer step can leave a model behind that no longer runs: JAX gives the old weights'
    memory away before the new ones are in place.
    """
    asked: list = []
    if threading.current_thread() is not threading.main_thread():  # signals are the main thread's
        yield asked
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(number, frame):
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def finished_first() -> Iterator[None]:
    """What is within it, such as the writing of files that belong together, ends before Ctrl-C does anything."""
    with held_interrupts() as asked:
        yield
    if asked:
        raise KeyboardInterrupt


def say_stopped(done: int, steps: int) -> None:
    """Say where a training was stopped.

    Raises:
        KeyboardInterrupt: this is no notebook, where the next cell has a use for what there is.
    """
    print(f"Stopped after {done} of {steps} steps: the model is as they left it.")
    if not hasattr(builtins, "__IPYTHON__"):
        raise KeyboardInterrupt
