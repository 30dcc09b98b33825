"""Exercise 7 of notebook 01: one-shot verification by a threshold."""

import numpy as np

from siamese_course.evaluation import balanced_accuracy, choose_threshold, verify_one_shot
from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Wrong,
    as_array,
    compare,
    is_hidden,
    require_shape,
    seeded,
)

# --- choose_threshold ---------------------------------------------------------------------------------

# a candidate or two beside the best one is no mistake: a grid, or < where we write <=
TOLERANCE = 0.005
PLAIN_ACCURACY = (
    "This maximizes plain accuracy: with nine different pairs to each similar one, it sacrifices the similar ones. "
    "Average the fractions of both kinds: balanced accuracy."
)
REVERSED = (
    "A reversed comparison gives this threshold. Similar pairs count if they are at or below it, *different* ones if they "
    "are above it: are both parts of your score right?"
)


def _accuracy(distances, same, threshold):
    return ((distances <= threshold) == (same == 1)).mean()


def _most_accurate(distances, same):
    return max(distances, key=lambda t: _accuracy(distances, same, t))


def _errors(distances, same, threshold):
    return (distances[same == 1] > threshold).mean() + (distances[same == 0] <= threshold).mean()


CHOOSE_MISTAKES = [
    Mistake(
        lambda d, s: d.mean(),
        "This is the mean distance. Try each candidate, and keep the one with the best balanced accuracy.",
        "mean",
    ),
    Mistake(
        lambda d, s: np.median(d),
        "This is the median distance. Try each candidate, and keep the best one.",
        "median",
    ),
    Mistake(
        lambda d, s: d[s == 1].max(),
        "This accepts every similar pair, but far too many different ones as well.",
        "accepts_all_similar",
    ),
    Mistake(
        lambda d, s: d[s == 0].min(),
        "This stops before the first different pair, and rejects most similar ones.",
        "rejects_all_different",
    ),
    Mistake(
        lambda d, s: balanced_accuracy(d, s, choose_threshold(d, s)),
        "This is the accuracy at the best threshold. Return the threshold itself.",
        "accuracy",
    ),
    Mistake(_most_accurate, PLAIN_ACCURACY, "plain_accuracy"),
    Mistake(lambda d, s: max(np.sort(d), key=lambda t: _errors(d, s, t)), REVERSED, "reversed"),
    Mistake(lambda d, s: max(d, key=lambda t: _errors(d, s, t)), REVERSED, "reversed"),
    Mistake(lambda d, s: -choose_threshold(-d, s), REVERSED, "reversed"),
]


def _pairs(seed=4):
    rng = seeded(seed)
    n = 2000 if is_hidden() else 400  # more of them, so that a candidate or two hardly count
    same = rng.permutation(np.arange(n) < n // 10).astype(float)
    distances = np.where(same == 1, rng.gamma(2.0, 0.5, n), rng.gamma(9.0, 0.4, n))
    return distances * (2.7 if is_hidden() else 1.0), same


# Few pairs, so that one of them counts
FEW = np.array([0.1, 0.5, 0.2, 0.6, 0.3, 0.7]), np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
# Equal distances, which are all accepted or all rejected
TIED = np.array([1.0, 1, 1, 2, 2, 2, 2, 2]), np.array([1.0, 1, 1, 1, 0, 0, 0, 0])
# Distances that differ in the fifth digit
NEAR = np.array([2.0007, 2.0, 2.0006, 2.0005, 2.0012]), np.array([0.0, 1.0, 0.0, 1.0, 1.0])


def _threshold(answer, distances, same) -> float:
    given = distances.copy(), same.copy()
    found = answer(*given)
    if found is None:
        raise Wrong(
            "The threshold is `None`: is a `return` missing? Or did no candidate ever replace the first value?",
            "none",
        )
    got = as_array(found, "The threshold")
    require_shape(got, ())
    if not (np.array_equal(given[0], distances) and np.array_equal(given[1], same)):
        raise Wrong("Your code changes `distances` or `same`. Work on copies.", "changed")
    return float(got)


def _is_best(threshold, distances, same) -> bool:
    best = balanced_accuracy(distances, same, choose_threshold(distances, same))
    return balanced_accuracy(distances, same, threshold) >= best - TOLERANCE


def _test_choose(answer):
    cases = [_pairs(4), _pairs(7)]
    cases[1] = 40 * cases[1][0], cases[1][1]  # far outside of any fixed grid
    found = [_threshold(answer, *case) for case in cases]
    missed = [place for place, case in enumerate(cases) if not _is_best(found[place], *case)]
    if not missed:
        for few in (FEW, NEAR):
            if not _is_best(_threshold(answer, *few), *few):
                raise Wrong(
                    "A pair exactly at the threshold must be accepted: D <= threshold. For distances "
                    f"{few[0].tolist()} with same {few[1].tolist()}, your threshold accepts or rejects one pair too "
                    "many.",
                    "strict",
                )
        if not _is_best(_threshold(answer, *TIED), *TIED):
            raise Wrong(
                f"For distances {TIED[0].tolist()} with same {TIED[1].tolist()}, a better threshold is possible. Pairs at "
                "the same distance are all accepted, or none of them.",
                "ties",
            )
        distances, same = cases[0]
        distances = np.where(distances == distances.max(), 60 * distances, distances)
        if not _is_best(_threshold(answer, distances, same), distances, same):
            raise Wrong(
                "With one distance sixty times as large as the next, a better threshold is possible. Try the "
                "distances themselves: few candidates at equal steps lie between the others.",
                "outlier",
            )
        return
    for mistake in CHOOSE_MISTAKES:
        if np.allclose(found, [float(mistake.answer(*case)) for case in cases], rtol=1e-6):
            raise Wrong(mistake.message, mistake.tag)
    threshold, (distances, same) = found[missed[0]], cases[missed[0]]
    best = balanced_accuracy(distances, same, choose_threshold(distances, same))
    reached = balanced_accuracy(distances, same, threshold)
    most = _accuracy(distances, same, _most_accurate(distances, same))
    if _accuracy(distances, same, threshold) >= most:
        raise Wrong(PLAIN_ACCURACY, "plain_accuracy")
    if threshold > distances.max():
        raise Wrong(
            "This is larger than every distance. Return the threshold itself, not its position.",
            "position",
        )
    accepted = (distances[same == 1] <= threshold).mean()
    let_in = (distances[same == 0] <= threshold).mean()
    advice = (
        "Is the score of a candidate the mean of two fractions: similar pairs at or below it, different ones above it?"
        if np.isclose(distances, threshold, rtol=1e-6).any()
        else "It is none of the distances: try each of them as the threshold."
    )
    raise Wrong(
        f"At your threshold, balanced accuracy is {reached:.3f}; {best:.3f} is possible. It accepts {accepted:.0%} of "
        f"the similar pairs, and {let_in:.0%} of the different ones. {advice}",
        "not_best",
    )


# --- verify_one_shot ----------------------------------------------------------------------------------


def _distance(reference, queries):
    return np.sqrt(np.square(np.asarray(queries) - np.asarray(reference)).sum(-1))


def _coordinates(reference, queries):
    return np.abs(np.asarray(queries) - np.asarray(reference))


ONE_BY_ONE = "Each coordinate is compared on its own. Compare the distance, one number per query."
VERIFY_MISTAKES = [
    Mistake(
        lambda r, q, t: _distance(r, q) > t,
        "The comparison is reversed: a *small* distance means same. (With a similarity it would be large.)",
        "reversed",
    ),
    Mistake(
        lambda r, q, t: _distance(r, q) ** 2 <= t,
        "The *squared* distance is compared with the threshold.",
        "squared",
    ),
    Mistake(
        lambda r, q, t: _distance(r, q),
        "These are the distances. Compare them with the threshold.",
        "distances",
    ),
    Mistake(
        lambda r, q, t: _coordinates(r, q).sum(-1) <= t,
        "This uses the Manhattan distance; the threshold was chosen for the Euclidean one.",
        "manhattan",
    ),
    Mistake(lambda r, q, t: (_coordinates(r, q) <= t).all(-1), ONE_BY_ONE, "one_by_one"),
    Mistake(lambda r, q, t: _coordinates(r, q) <= t, ONE_BY_ONE, "one_by_one"),
    Mistake(
        lambda r, q, t: _coordinates(r, q)[:, 0] <= t,
        "Only the first coordinate is compared.",
        "first_coordinate",
    ),
    Mistake(
        lambda r, q, t: _distance(r, q) <= 1.0,
        "The threshold is hard-coded. Use the argument `threshold`.",
        "threshold_ignored",
    ),
    Mistake(
        lambda r, q, t: _distance(r, q) < t,
        "A distance equal to the threshold is rejected. It counts as the same: use `<=`.",
        "less_than",
    ),
    Mistake(
        lambda r, q, t: np.sqrt(np.square(q - r).sum(-1) + 1e-6) <= t,
        "The epsilon of Exercise 1 is in the distance. Leave it out here.",
        "epsilon",
    ),
    Mistake(lambda r, q, t: np.ones(len(q)), "Everything is accepted as the same.", "accepts_all"),
    Mistake(lambda r, q, t: np.zeros(len(q)), "Nothing is accepted as the same.", "accepts_none"),
]


def _test_verify(answer):
    rng = seeded(2)
    if is_hidden():
        reference, queries, thresholds = (
            rng.normal(size=3),
            rng.normal(size=(80, 3)),
            (0.8, 1.5, 2.4),
        )
    else:
        reference, queries, thresholds = [1.0, -0.5], rng.normal(size=(60, 2)), (0.4, 0.9, 1.6)
    cases = [(np.array(reference), 2 * queries, 1.8 * threshold) for threshold in thresholds]
    # distances of exactly the threshold, where float32 hides an epsilon under the root
    exact = np.array([[3, 4], [6, 8], [0, 5], [0, 0], [5, 1]], "float32")
    almost = np.array([[3.0003, 4.0004], [2.9997, 3.9996], [3.0, -4.0005]])
    edges = [
        (np.zeros(2, "float32"), exact, 5.0),
        (np.zeros(2), almost, 5.0),
        (np.ones(2, "float32"), np.array([[3, 1], [1, -1], [1, 4], [1, 1]], "float32"), 2.0),
        (np.ones(1, "float32"), np.array([[3.0], [-1.0], [4.0]], "float32"), 2.5),
        (np.array(reference), 2 * queries[:1], 0.7),
    ]
    compare(answer, verify_one_shot, cases, VERIFY_MISTAKES, edges=edges)


one_shot = Exercise(
    name="01.one_shot",
    title="One-shot verification",
    parts=[Part(7, _test_choose, of=0), Part(8, _test_verify, of=1)],
    reference=[choose_threshold, verify_one_shot],
    hints=(
        "Verification asks one question: is it close enough? `choose_threshold` finds what 'enough' is, on pairs whose "
        "answer is known; `verify_one_shot` then answers for new images, with one example and no training.",
        "The best threshold is one of the distances, so try each. For each one: the fraction of similar pairs at or "
        "below it, the fraction of different pairs above it, and the mean of the two.",
        "`max(distances, key=lambda t: ((distances[same == 1] <= t).mean() + ...) / 2)`, and "
        "`np.linalg.norm(queries - ..., axis=...) <= threshold`.",
    ),
)
