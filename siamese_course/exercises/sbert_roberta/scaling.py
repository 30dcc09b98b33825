"""Exercise 1 of notebook 03: label scaling."""

import numpy as np

from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    compare,
    is_hidden,
    seeded,
)
from siamese_course.losses import scale_scores

MISTAKES = [
    Mistake(
        lambda x: x / 5,
        "This maps the scores onto 0 to 1 (the notebook comes back to that range later). A cosine goes from -1 to 1, "
        "and the exercise asks for all of it: divide by 2.5, subtract 1.",
        "zero_to_one",
    ),
    Mistake(
        lambda x: x,
        "The scores are unchanged, 0 to 5. No cosine reaches 5: map them to -1 to 1.",
        "unscaled",
    ),
    Mistake(lambda x: x / 2.5, "This goes from 0 to 2. Subtract 1.", "not_shifted"),
    Mistake(lambda x: x - 2.5, "This goes from -2.5 to 2.5. Divide by 2.5, too.", "not_divided"),
    Mistake(
        lambda x: x / 5 - 1,
        "This goes from -1 to 0. Divide by 2.5, half of the range, and not by 5.",
        "divided_by_5",
    ),
    Mistake(
        lambda x: 1 - x / 2.5,
        "The scale is reversed: a score of 5 means the same, and so does a cosine of 1.",
        "reversed",
    ),
    Mistake(
        lambda x: (x - 1) / 2 - 1,
        "This would be right for scores from 1 to 5. These begin at 0: x / 2.5 - 1.",
        "one_to_five",
    ),
    Mistake(
        lambda x: 2 * x - 1,
        "This would be right for scores from 0 to 1. These go up to 5.",
        "zero_to_one_range",
    ),
    Mistake(
        lambda x: 2 * (x - x.min()) / (x.max() - x.min()) - 1,
        "The smallest and the largest score that happen to occur are used as the ends. The ends are 0 and 5, "
        "whatever the data: otherwise the same score means something else in each data set.",
        "ends_of_data",
    ),
    Mistake(
        lambda x: (x - x.mean()) / x.std(),
        "The scores are standardized (mean 0, standard deviation 1). They need the range of a cosine: x / 2.5 - 1.",
        "standardized",
    ),
    Mistake(
        lambda x: np.clip(x, -1, 1),
        "The scores are cut off at 1: everything from 1 to 5 is the same. Scale them.",
        "clipped",
    ),
    Mistake(lambda x: x // 2.5 - 1, "`//` drops the fraction. Divide with `/`.", "floor_division"),
]


def _test(answer):
    # of one length, so that a result shows whether a later one is written into it
    cases = [
        (np.array([0.0, 1.3, 2.5, 4.3333, 5.0], "float32"),),
        (np.array([1.2, 3.4, 3.6, 2.1, 4.7], "float32"),),
    ]
    if is_hidden():
        cases = [(seeded(n).uniform(0.5, 4.5, 9).astype("float32"),) for n in (6, 9)]
    edges = [(np.array([3.1], "float32"),), (np.array([2.4999, 2.5001], "float32"),)]
    compare(answer, scale_scores, cases, MISTAKES, edges=edges)


scaling = Exercise(
    name="03.scaling",
    title="Label scaling",
    parts=[Part(5, _test)],
    reference=[scale_scores],
    hints=(
        "Use a straight line that maps 0 to -1 and 5 to 1. How long is the range of the scores, and how long is that "
        "of a cosine?",
        "5 becomes 2: divide by 2.5. Now the range is 0 to 2, and it must start at -1.",
        "`return score / ... - ...`: two blanks to fill in.",
    ),
)
