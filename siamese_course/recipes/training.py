"""What every training run shares: seeds, a progress bar, the loss curve, snapshots on the way."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import keras
import numpy as np
from tqdm import tqdm


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


class _Watch(keras.callbacks.Callback):
    """Fill a History and move the progress bar at the end of each stretch of steps."""

    def __init__(self, history: History, bar: tqdm, stretch: int, embed, moments: set[int]):
        super().__init__()
        self.history, self.bar, self.stretch = history, bar, stretch
        self.embed, self.moments = embed, moments

    def on_epoch_end(self, epoch, logs=None):
        step = (epoch + 1) * self.stretch
        self.history.steps.append(step)
        self.history.losses.append(float(logs["loss"]))
        self.bar.update(self.stretch)
        self.bar.set_postfix(loss=f"{logs['loss']:.3f}")
        if epoch + 1 in self.moments:
            self.history.snapshots[step] = self.embed()


STRETCHES = 20


def whole_stretches(steps: float) -> int:
    """A number of steps that divides into ``STRETCHES`` equal parts: at least one step each."""
    return STRETCHES * max(1, round(steps / STRETCHES))


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
    verbose: bool = True,
) -> History:
    """Train a compiled Keras model for a number of steps, in ``STRETCHES`` equal stretches.

    The loss is averaged over each stretch: with few epochs an epoch would be too coarse for a curve.

    Args:
        model: a compiled model.
        batches: endless iterator of what ``model.fit`` takes.
        steps: optimizer steps, as ``whole_stretches`` gives them.
        name: shown in front of the progress bar.
        embed: called for a snapshot, with nothing; returns (n, dim).
        snapshots: how many, evenly spread from before the first step to after the last.
        verbose: show a progress bar.

    Returns:
        The history; ``seconds`` is wall time, compilation included.
    """
    stretch = steps // STRETCHES
    moments = {round(x) for x in np.linspace(0, STRETCHES, snapshots)} if snapshots else set()
    history = History()
    if 0 in moments:
        history.snapshots[0] = embed()
    if keras.backend.backend() == "tensorflow":
        model.jit_compile = True  # "auto" means no on a CPU, where XLA halves the time of a step
    started = time.perf_counter()
    with tqdm(total=stretch * STRETCHES, desc=name, unit="step", file=sys.stdout, disable=not verbose) as bar:
        model.fit(
            batches,
            epochs=STRETCHES,
            steps_per_epoch=stretch,
            shuffle=False,
            verbose=0,
            callbacks=[_Watch(history, bar, stretch, embed, moments)],
        )
    history.seconds = time.perf_counter() - started
    return history
