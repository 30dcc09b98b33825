"""The training loop: a progress bar, the loss curve, and snapshots of an embedding on the way."""

import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import keras
import numpy as np
from tqdm import tqdm

from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import whole_folder
from siamese_course.runtime.interrupts import held_interrupts, report_stopped
from siamese_course.runtime.traced_step import TracedStep, trace_once

LOG_INTERVALS = 20
"""Points of a loss curve, each the mean loss of as many steps."""
CHECKPOINTS = 5
"""Checkpoints of a run, evenly spaced, if it has a folder; one more if it is stopped."""

# From 3.15 on, train_on_batch resets the losses of earlier batches; doing it twice takes 2 ms a step
KEEPS_LOSSES = tuple(map(int, keras.__version__.split(".")[:2])) < (3, 15)


@dataclass
class History:
    """The record of a training run.

    Attributes:
        steps: the last step of each log interval.
        losses: the mean loss of each log interval.
        snapshots: step -> embeddings that ``embed`` returned at that step.
        seconds: wall time, compilation included.
    """

    steps: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    snapshots: dict[int, np.ndarray] = field(default_factory=dict)
    seconds: float = 0.0


def round_steps(steps: float) -> int:
    """Round to a number of steps that ``LOG_INTERVALS`` divides; below that, each step is an interval."""
    if steps < LOG_INTERVALS:
        return max(1, round(steps))
    return LOG_INTERVALS * round(steps / LOG_INTERVALS)


def repeat(make_epoch: Callable[[], Iterator]) -> Iterator:
    """Yield batches without end: one epoch after another."""
    while True:
        yield from make_epoch()


def progress_bar(name: str, steps: int, done: int, verbose: bool) -> tqdm:
    """Return a bar of training steps, or one that is not shown."""
    return tqdm(
        total=steps, initial=done, desc=name, unit="step", file=sys.stdout, disable=not verbose
    )


def _state(model: keras.Model) -> list[Any]:
    """All that training changes: weights, the seeds of dropout, the optimizer's moments and step."""
    return [*model.variables, *model.optimizer.variables]


def _write_checkpoint(path: Path, model: keras.Model, mark: str, history: History) -> None:
    arrays = {f"v{n}": keras.ops.convert_to_numpy(v) for n, v in enumerate(_state(model))}
    curve = history.steps, history.losses
    with whole_folder(path.parent) as part:
        np.savez(part / path.name, mark=mark, history=curve, seconds=history.seconds, **arrays)


def _read_checkpoint(path: Path, model: keras.Model, mark: str) -> History:
    """Put a checkpoint into a model, and return its history; an empty one if there is none."""
    if not path.exists():
        return History()
    try:
        with np.load(path) as kept:
            if str(kept["mark"]) != mark:
                raise ValueError("it is of other data, options or versions")
            model.optimizer.build(model.trainable_variables)
            for number, variable in enumerate(_state(model)):
                variable.assign(kept[f"v{number}"])
            steps, losses = kept["history"]
            return History(steps.astype(int).tolist(), losses.tolist(), {}, float(kept["seconds"]))
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise CourseError(
            f"Training cannot resume from {path} ({error}). Start over, without --resume."
        ) from error


def _mark(batch: tuple[Any, Any], steps: int, about: str) -> str:
    """A mark of a training by its first batch, its steps, and what else is known about it."""
    arrays = map(np.ascontiguousarray, keras.tree.flatten(batch))
    crc = zlib.crc32(b"".join(array.tobytes() for array in arrays))
    return f"{steps} steps, crc32 {crc:08x}{about and ', ' + about}"


def _train_on(model: keras.Model, batch: tuple[Any, Any]) -> float:
    """Train on a batch, and return its loss."""
    if isinstance(model.train_function, TracedStep) and model.train_function.fits(batch):
        return float(model.train_function.step(tuple(batch))["loss"])
    if KEEPS_LOSSES:
        model.reset_metrics()
    return float(model.train_on_batch(*batch, return_dict=True)["loss"])


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
    folder: Path | None = None,
    about: str = "",
) -> History:
    """Train a compiled Keras model for a number of steps.

    Ctrl-C or the stop button ends training after the current step, and the model keeps what it has
    learned. In a notebook the history so far is returned, and execution continues.

    Args:
        model: a compiled model.
        batches: endless iterator of (inputs, targets).
        steps: optimizer steps, as ``round_steps`` returns them.
        name: shown in front of the progress bar.
        embed: called without arguments for a snapshot; returns (n, dim).
        snapshots: how many, evenly spaced from before the first step to after the last.
        jit: compile with XLA on TensorFlow; it helps if the steps are dense and have one shape.
        verbose: show a progress bar.
        folder: for checkpoints, ``name``.npz. Training resumes from the one there, with the same weights as if it
            had never been stopped: earlier batches are drawn again and skipped. Snapshots start anew.
        about: what tells this run from another with the same batches and shapes; a checkpoint with other words is
            refused.

    Raises:
        CourseError: the checkpoint is of another run, or damaged, or none can be written.
        KeyboardInterrupt: training was stopped outside a notebook.
    """
    # Not model.fit: with an endless generator on TensorFlow it can hang when it ends
    intervals = min(LOG_INTERVALS, steps)
    interval_steps = steps // intervals
    total = interval_steps * intervals
    wanted = {round(x) for x in np.linspace(0, intervals, snapshots)} if embed else set()
    history, mark, path = History(), "", folder and folder / f"{name}.npz"
    first = next(batches)
    batches = chain([first], batches)
    if path:
        mark = _mark(first, total, about)
        history = _read_checkpoint(path, model, mark)
    if embed and 0 in wanted and not history.steps:
        history.snapshots[0] = embed()
    done = history.steps[-1] if history.steps else 0
    for _ in range(done):
        next(batches)
    started = time.perf_counter() - history.seconds
    if keras.backend.backend() == "tensorflow":
        # For a few steps, tracing a graph takes longer than it saves
        settings = jit, steps < LOG_INTERVALS
        if settings != (model.jit_compile, model.run_eagerly):
            model.train_function = None  # one of an earlier training keeps its settings
        # "auto" means no on a CPU, where XLA halves the time of a dense step
        model.jit_compile, model.run_eagerly = settings
        if not jit and not model.run_eagerly and model.train_function is None:
            trace_once(model, first)
    with held_interrupts() as asked, progress_bar(name, total, done, verbose) as bar:
        for interval in range(1 + done // interval_steps, intervals + 1):
            losses: list[float] = []
            while done + len(losses) < interval * interval_steps and not asked:
                losses.append(_train_on(model, next(batches)))
                bar.update()
            done += len(losses)
            if losses:
                history.steps.append(done)
                history.losses.append(sum(losses) / len(losses))
                bar.set_postfix(loss=f"{history.losses[-1]:.3f}")
            history.seconds = time.perf_counter() - started
            if path and losses and (asked or interval % -(-intervals // CHECKPOINTS) == 0):
                _write_checkpoint(path, model, mark, history)
            if embed and (interval in wanted or (asked and wanted)):
                history.snapshots[done] = embed()
            if asked:
                break
    history.seconds = time.perf_counter() - started
    if asked:
        report_stopped(done, total)
    return history
