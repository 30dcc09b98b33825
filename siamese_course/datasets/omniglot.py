"""Omniglot: characters of 50 alphabets, each drawn by 20 people, and the official one-shot test.

The course ships every drawing at 28 x 28 pixels, and the 20 official runs, in ``data/omniglot``, so that
nothing has to be downloaded. ``tools/omniglot.py`` makes the file from the original drawings.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from siamese_course.runtime.shipped import shipped

LEVELS = 15
"""Ink of a pixel in whole steps: 0 is paper, 15 is full. Each of the 28 x 28 pixels covers 14 original ones."""
SPLITS = ("background", "evaluation")

PUBLISHED_ERRORS = {
    "people": (0.045, "Lake, Salakhutdinov and Tenenbaum (2015)"),
    "Bayesian program learning": (0.033, "Lake, Salakhutdinov and Tenenbaum (2015)"),
    "siamese network": (0.08, "Koch, Zemel and Salakhutdinov (2015)"),
    "simple convolutional network": (0.135, "Lake, Salakhutdinov and Tenenbaum (2015)"),
    "prototypical network": (0.137, "Lake, Salakhutdinov and Tenenbaum (2019)"),
    "attentive recurrent comparator": (0.015, "Lake, Salakhutdinov and Tenenbaum (2019)"),
}
"""Error on the official runs, within one alphabet: name -> (fraction of 400 trials, source).

2015 is "Human-level concept learning through probabilistic program induction", Science 350; 2019 is
"The Omniglot challenge: a 3-year progress report", Current Opinion in Behavioral Sciences 29. Koch, Zemel
and Salakhutdinov report 92.0% in "Siamese neural networks for one-shot image recognition". The 98.8%
of "Prototypical networks" (Snell, Swersky and Zemel 2017; 5-way one-shot, mixed alphabets, rotated
characters as classes) belong to an easier task.
"""


@dataclass(frozen=True)
class Characters:
    """Characters of some alphabets.

    Attributes:
        images: (n, 20, 28, 28) float32 in [0, 1], ink 1 on paper 0; the second axis is the drawer. The
            drawers of one alphabet are the same 20 people; another alphabet has others.
        alphabets: (n,) int64, the index of each character's alphabet in ``names``.
        names: of the alphabets.
    """

    images: np.ndarray
    alphabets: np.ndarray
    names: list[str]

    def __len__(self) -> int:
        return len(self.images)

    def of(self, alphabets: npt.ArrayLike) -> "Characters":
        """Return the characters of these alphabets (indices), which keep their indices and names."""
        chosen = np.isin(self.alphabets, alphabets)
        return Characters(self.images[chosen], self.alphabets[chosen], self.names)


@dataclass(frozen=True)
class OneShotRun:
    """One run of the official test: 20 characters of one alphabet, drawn once by each of two people.

    Attributes:
        alphabet: its name.
        train: (20, 28, 28) float32, one drawing of each character by the first person.
        test: (20, 28, 28) float32, one drawing of each by the second person, in another order.
        answers: (20,) int64; test image i shows the character of train image answers[i].
    """

    alphabet: str
    train: np.ndarray
    test: np.ndarray
    answers: np.ndarray


@dataclass(frozen=True)
class Omniglot:
    """All of Omniglot.

    Attributes:
        background: 964 characters of 30 alphabets, the only ones to learn from.
        evaluation: 659 characters of 20 other alphabets. The runs come from 10 of them.
        run_indices: (20, 2, 20, 2): run, train or test, item, (evaluation character, drawer).
        source: where the drawings are from.
    """

    background: Characters
    evaluation: Characters
    run_indices: np.ndarray
    source: str

    @cached_property
    def runs(self) -> list[OneShotRun]:
        """The 20 official runs of 20 trials each: 400 trials."""
        return [self._run(train, test) for train, test in self.run_indices]

    def _run(self, train: np.ndarray, test: np.ndarray) -> OneShotRun:
        characters = self.evaluation
        drawn_train, drawn_test = (characters.images[tuple(side.T)] for side in (train, test))
        answers = np.argmax(test[:, None, 0] == train[None, :, 0], axis=1)
        alphabet = characters.names[characters.alphabets[train[0, 0]]]
        return OneShotRun(alphabet, drawn_train, drawn_test, answers)

    def __str__(self) -> str:
        counts = (
            f"{len(split):,} {name} characters of {len(split.names)} alphabets"
            for name, split in zip(SPLITS, (self.background, self.evaluation), strict=True)
        )
        return (
            f"Omniglot: {', '.join(counts)}, {len(self.run_indices)} official runs ({self.source})"
        )


def load_omniglot(*, verbose: bool = True) -> Omniglot:
    """Load Omniglot at 28 x 28 pixels. All of it ships, so nothing is downloaded. Prints the counts.

    Example:
        >>> data = load_omniglot()
        >>> data.background.images.shape, data.background.names[data.background.alphabets[0]]
        ((964, 20, 28, 28), 'Arcadian')
        >>> run = data.runs[0]
        >>> run.train.shape, run.test.shape, run.answers.shape
        ((20, 28, 28), (20, 28, 28), (20,))
    """
    with np.load(shipped("omniglot") / "omniglot.npz", allow_pickle=False) as file:
        arrays = dict(file)
    splits = []
    for name in SPLITS:
        images = arrays[f"{name}_levels"].astype("float32") / np.float32(LEVELS)
        alphabets = arrays[f"{name}_alphabets"].astype("int64")
        splits.append(Characters(images, alphabets, arrays[f"{name}_names"].tolist()))
    background, evaluation = splits
    source = "all of it, which ships with the course"
    data = Omniglot(background, evaluation, arrays["runs"].astype("int64"), source)
    if verbose:
        print(data)
    return data
