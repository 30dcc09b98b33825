"""The training loop: a progress bar, the loss curve, and snapshots of an embedding on the way."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import keras
import numpy as np
from tqdm import tqdm

from siamese_course.runtime.interrupts import held_interrupts, report_stopped

LOG_INTERVALS = 20
"""Points of a loss curve: the steps are divided into this number of equal intervals."""

# From 3.15 on, train_on_batch resets the losses of earlier batches; doing it twice takes 2 ms a step
KEEPS_LOSSES = tuple(map(int, keras.__version__.split(".")[:2])) < (3, 15)


@dataclass
class History:
    """The record of a training run.

    Attributes:
        steps: the last step of each log interval.
        losses: the mean loss of each log interval.
        snapshots: step -> embeddings of the watched images at that step.
        seconds: wall time, compilation included.
    """

    steps: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    snapshots: dict[int, np.ndarray] = field(default_factory=dict)
    seconds: float = 0.0


def round_steps(steps: float) -> int:
    """Round to a number of steps that ``LOG_INTERVALS`` divides; fewer steps are one interval each."""
    if steps < LOG_INTERVALS:
        return max(1, round(steps))
    return LOG_INTERVALS * round(steps / LOG_INTERVALS)


def repeat(make_epoch: Callable[[], Iterator]) -> Iterator:
    """Yield batches without end: one epoch after another."""
    while True:
        yield from make_epoch()


def train(
    model: keras.Model,
    batches: Iterator[tuple[Any, Any]],
    steps: int,
    *,
    name: str = "training",
    embed: Callable[[], np.ndarray] | None = None,
    snapshots: int = 0,
    jit: bool = True,
    verbose: bool = True,
) -> History:
    """Train a compiled Keras model for a number of steps.

    The loss is averaged over each of ``LOG_INTERVALS`` intervals: with few epochs, one value an epoch
    would be too coarse for a curve. The loop does not use ``model.fit``: given an endless generator
    on the TensorFlow backend, fit can hang for as long as it ran while it shuts down its input pipeline.

    Ctrl-C or the stop button ends training after the current step, and the model keeps what it has
    learned. In a notebook the history so far is returned, and the notebook goes on.

    Args:
        model: a compiled model.
        batches: endless iterator of (inputs, targets).
        steps: optimizer steps, as ``round_steps`` returns them.
        name: shown in front of the progress bar.
        embed: called without arguments for a snapshot; returns (n, dim).
        snapshots: how many, evenly spaced from before the first step to after the last.
        jit: compile with XLA on TensorFlow; it helps if the steps are dense and have one shape.
        verbose: show a progress bar.

    Returns:
        The history.

    Raises:
        KeyboardInterrupt: training was stopped outside a notebook.
    """
    intervals = min(LOG_INTERVALS, steps)
    interval_steps = steps // intervals
    total = interval_steps * intervals
    wanted = (
        {round(x) for x in np.linspace(0, intervals, snapshots)} if embed and snapshots else set()
    )
    history = History()
    if embed and 0 in wanted:
        history.snapshots[0] = embed()
    if keras.backend.backend() == "tensorflow":
        # "auto" means no on a CPU, where XLA halves the time of a dense step
        model.jit_compile = jit
        # For a few steps, tracing a graph takes longer than it saves
        model.run_eagerly = steps < LOG_INTERVALS
    started = time.perf_counter()
    done = 0
    bar = tqdm(total=total, desc=name, unit="step", file=sys.stdout, disable=not verbose)
    with held_interrupts() as asked, bar:
        for interval in range(1, intervals + 1):
            losses: list[float] = []
            while len(losses) < interval_steps and not asked:
                if KEEPS_LOSSES:
                    model.reset_metrics()
                result = model.train_on_batch(*next(batches), return_dict=True)
                losses.append(float(result["loss"]))
                bar.update()
            done += len(losses)
            if losses:
                history.steps.append(done)
                history.losses.append(sum(losses) / len(losses))
                bar.set_postfix(loss=f"{history.losses[-1]:.3f}")
            if embed and (interval in wanted or (asked and wanted)):
                history.snapshots[done] = embed()
            if asked:
                break
    history.seconds = time.perf_counter() - started
    if asked:
        report_stopped(done, total)
    return history
