"""Delay Ctrl-C (the stop button) where stopping halfway would do damage."""

import builtins
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_interrupts() -> Iterator[list[int]]:
    """Hold back Ctrl-C: it only adds to the list that this yields. A second one interrupts at once.

    Check the list where it is safe to stop. Half of an optimizer step can leave a broken model: JAX frees the
    memory of the old weights before the new ones are in place.
    """
    asked: list[int] = []
    # Only the main thread can handle signals
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(number: int, frame: object) -> None:
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
    """Let the block finish, such as writing files that belong together, before Ctrl-C takes effect."""
    with held_interrupts() as asked:
        yield
    if asked:
        # Not KeyboardInterrupt: held_interrupts around this block has to learn of it, too
        signal.raise_signal(signal.SIGINT)


def report_stopped(done: int, steps: int) -> None:
    """Print where training was stopped.

    Raises:
        KeyboardInterrupt: outside a notebook; inside, later cells can use the model.
    """
    print(f"Stopped after {done} of {steps} steps: the model keeps what it learned.")
    if not hasattr(builtins, "__IPYTHON__"):
        raise KeyboardInterrupt
