"""What every training run shares: a progress bar, the loss curve, snapshots on the way, schedules."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import keras
import numpy as np
from keras import ops
from tqdm import tqdm

from siamese_course.runtime.interrupts import held_interrupts, say_stopped

STRETCHES = 20

# From 3.15 on train_on_batch forgets the losses of earlier batches itself; twice would be 2 ms a step
KEEPS_LOSSES = tuple(map(int, keras.__version__.split(".")[:2])) < (3, 15)


@dataclass
class History:
    """What a training run leaves behind.

    ``losses[i]`` is the mean loss of the steps up to ``steps[i]`` since the entry before;
    ``snapshots`` maps a step to the embeddings of the watched pictures at that moment.
    """

    steps: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    snapshots: dict[int, np.ndarray] = field(default_factory=dict)
    seconds: float = 0.0


def whole_stretches(steps: float) -> int:
    """A number of steps that divides into ``STRETCHES`` equal parts; fewer are parts of one step each."""
    if steps < STRETCHES:
        return max(1, round(steps))
    return STRETCHES * round(steps / STRETCHES)


def repeat(make_epoch: Callable[[], Iterator]) -> Iterator:
    """Batches without end: one epoch after another."""
    while True:
        yield from make_epoch()


def train(
    model,
    batches: Iterator,
    steps: int,
    *,
    name: str = "training",
    embed: Callable[[], np.ndarray] | None = None,
    snapshots: int = 0,
    jit: bool = True,
    verbose: bool = True,
) -> History:
    """Train a compiled Keras model for a number of steps, in at most ``STRETCHES`` equal stretches.

    The loss is averaged over each stretch: with few epochs an epoch would be too coarse for a curve.
    The loop is ours and not ``model.fit`` because fit, given an endless generator on the TensorFlow
    backend, can hang for as long again as it ran when its input pipeline is taken down.

    Ctrl-C, the stop button, ends it after the step in hand, and the model keeps what it learned so far. In a
    notebook the history up to there is returned, and the notebook goes on.

    Args:
        model: a compiled model.
        batches: endless iterator of (inputs, targets).
        steps: optimizer steps, as ``whole_stretches`` gives them.
        name: shown in front of the progress bar.
        embed: called for a snapshot, with nothing; returns (n, dim).
        snapshots: how many, evenly spread from before the first step to after the last.
        jit: compile with XLA on TensorFlow; pays where steps are dense and of one shape.
        verbose: show a progress bar.

    Returns:
        The history; ``seconds`` is wall time, compilation included.

    Raises:
        KeyboardInterrupt: it was stopped, and this is no notebook.
    """
    stretches = min(STRETCHES, steps)
    stretch = steps // stretches
    moments = {round(x) for x in np.linspace(0, stretches, snapshots)} if snapshots else set()
    history = History()
    if 0 in moments:
        history.snapshots[0] = embed()
    if keras.backend.backend() == "tensorflow":
        # "auto" means no on a CPU, where XLA halves the time of a dense step
        model.jit_compile = jit
        # For a handful of steps tracing a graph takes longer than it saves
        model.run_eagerly = steps < STRETCHES
    started = time.perf_counter()
    done = 0
    with (
        held_interrupts() as asked,
        tqdm(
            total=stretch * stretches, desc=name, unit="step", file=sys.stdout, disable=not verbose
        ) as bar,
    ):
        for number in range(1, stretches + 1):
            losses = []
            while len(losses) < stretch and not asked:
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
            if number in moments or (asked and moments):
                history.snapshots[done] = embed()
            if asked:
                break
    history.seconds = time.perf_counter() - started
    if asked:
        say_stopped(done, stretch * stretches)
    return history


class OneCycle(keras.optimizers.schedules.LearningRateSchedule):
    """Learning rate that rises in a straight line to its peak and falls in one to zero.

    After Smith and Topin (2019), "Super-convergence", with a tenth of the steps for the rise.
    """

    def __init__(self, peak: float, steps: int, rise: float = 0.1):
        self.peak, self.steps, self.rise = peak, steps, rise

    def __call__(self, step):
        step = ops.cast(step, "float32")
        top = self.rise * self.steps
        up = (step + 1.0) / (top + 1.0)
        down = (self.steps - step) / (self.steps - top)
        return self.peak * ops.clip(ops.minimum(up, down), 0.0, 1.0)

    def get_config(self):
        return {"peak": self.peak, "steps": self.steps, "rise": self.rise}


class WarmupRsqrt(keras.optimizers.schedules.LearningRateSchedule):
    """Trax's ``warmup_and_rsqrt_decay`` in Keras: up in a straight line, then down as 1 / sqrt(step).

    The first step has number 0 here and 1 in Trax.
    """

    def __init__(self, peak: float = 0.01, warmup: int = 400):
        self.peak, self.warmup = peak, warmup

    def __call__(self, step):
        number = ops.cast(step, "float32") + 1.0
        tail = ops.sqrt((self.warmup + 1.0) / ops.maximum(number, self.warmup + 1.0))
        return self.peak * ops.minimum(number / (self.warmup + 1.0), 1.0) * tail

    def get_config(self):
        return {"peak": self.peak, "warmup": self.warmup}
