"""Learning rate schedules, registered with Keras so that a saved compiled model loads again."""

from typing import Any

import keras
from keras import ops

from siamese_course.runtime.types import Tensor


@keras.saving.register_keras_serializable("siamese_course")
class OneCycle(keras.optimizers.schedules.LearningRateSchedule):
    """A learning rate that rises linearly to its peak, then falls linearly to zero.

    Args:
        peak: the highest learning rate.
        steps: all optimizer steps.
        rise: the fraction of the steps for the rise.

    Source: Smith and Topin (2019), "Super-convergence: very fast training of neural networks using
    large learning rates".
    """

    def __init__(self, peak: float, steps: int, rise: float = 0.1) -> None:
        self.peak, self.steps, self.rise = peak, steps, rise

    def __call__(self, step: Tensor) -> Tensor:
        step = ops.cast(step, "float32")
        top = self.rise * self.steps
        up = (step + 1.0) / (top + 1.0)
        down = (self.steps - step) / (self.steps - top)
        return self.peak * ops.clip(ops.minimum(up, down), 0.0, 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"peak": self.peak, "steps": self.steps, "rise": self.rise}


@keras.saving.register_keras_serializable("siamese_course")
class WarmupRsqrt(keras.optimizers.schedules.LearningRateSchedule):
    """Trax's ``warmup_and_rsqrt_decay`` for Keras: a linear rise, then a fall as 1 / sqrt(step).

    The first step has index 0 here and 1 in Trax.

    Args:
        peak: the highest learning rate.
        warmup: steps of the rise.
    """

    def __init__(self, peak: float = 0.01, warmup: int = 400) -> None:
        self.peak, self.warmup = peak, warmup

    def __call__(self, step: Tensor) -> Tensor:
        step = ops.cast(step, "float32") + 1.0
        decay = ops.sqrt((self.warmup + 1.0) / ops.maximum(step, self.warmup + 1.0))
        return self.peak * ops.minimum(step / (self.warmup + 1.0), 1.0) * decay

    def get_config(self) -> dict[str, Any]:
        return {"peak": self.peak, "warmup": self.warmup}
