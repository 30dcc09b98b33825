"""Exercise 1 of notebook 04: cosines, and the accuracy on one-shot runs."""

import numpy as np

from siamese_course.evaluation import cosine_similarities, one_shot_accuracy
from siamese_course.exercises import observe
from siamese_course.exercises.engine import (
    Exercise,
    Mistake,
    Part,
    Wrong,
    all_close,
    as_array,
    compare,
    difference,
    is_hidden,
    require_shape,
    seeded,
)

# --- cosine_similarities ------------------------------------------------------------------------------


def _lengths(rows):
    return np.linalg.norm(rows, axis=1, keepdims=True)


def _products(queries, references):
    return queries @ references.T


def _distances(queries, references):
    return np.linalg.norm(queries[:, None] - references, axis=-1)


COSINE_MISTAKES = [
    Mistake(
        lambda q, r: cosine_similarities(r, q),
        "Queries and references are swapped: expected one row for each query, one column for each reference.",
        "swapped",
    ),
    Mistake(
        _products,
        "These are the dot products. Divide by the lengths of both vectors, so that only the direction counts.",
        "not_normalized",
    ),
    Mistake(
        lambda q, r: _products(q / _lengths(q), r),
        "Only the queries are divided by their length. Divide the references by theirs, too.",
        "references_not_normalized",
    ),
    Mistake(
        lambda q, r: _products(q, r / _lengths(r)),
        "Only the references are divided by their length. Divide the queries by theirs, too.",
        "queries_not_normalized",
    ),
    Mistake(
        lambda q, r: _products(q / np.linalg.norm(q), r / np.linalg.norm(r)),
        "All rows are divided by one length, that of the whole array. Use `axis=1, keepdims=True`.",
        "one_length",
    ),
    Mistake(
        lambda q, r: _products(q / _lengths(q) ** 2, r / _lengths(r) ** 2),
        "The rows are divided by their *squared* length: a square root is missing.",
        "squared_length",
    ),
    Mistake(
        lambda q, r: _products(q / abs(q).sum(1, keepdims=True), r / abs(r).sum(1, keepdims=True)),
        "The length is the sum of absolute values. Use the Euclidean one, the root of the sum of squares.",
        "sum_of_values",
    ),
    Mistake(
        lambda q, r: 1 - cosine_similarities(q, r),
        "This is the cosine *distance*, 1 - cosine. Return the cosine.",
        "distance",
    ),
    Mistake(
        _distances,
        "These are Euclidean distances, which are small for similar images. Cosines are large for similar images.",
        "euclidean",
    ),
    Mistake(
        lambda q, r: -_distances(q, r),
        "These are negative Euclidean distances. Return the cosines.",
        "euclidean",
    ),
]


def _rows(seed):
    rng = seeded(seed)
    dim = 5 if is_hidden() else 4
    return tuple(
        rng.normal(size=(n, dim)) * rng.uniform(0.5, 4, (n, 1)) for n in (6 + is_hidden(), 3)
    )


def _test_cosines(answer):
    q, r = _rows(0)
    edges = [
        (q[:1], r),
        (q, r[:1]),
        (q[:, :1], r[:, :1]),
        (q.astype("float32"), r.astype("float32")),
    ]
    compare(answer, cosine_similarities, [_rows(0), _rows(1)], COSINE_MISTAKES, edges=edges)


def _test_blank(answer):
    """A blank image, as a drawing widget gives it before the first stroke."""
    rows, references = _rows(2)
    rows[1] = 0
    for case in ((rows, references), (references, rows)):
        with np.errstate(divide="ignore", invalid="ignore"):
            got = np.asarray(answer(*(each.copy() for each in case)), "float64")
        if np.isnan(got).any():
            raise Wrong(
                "A row of zeros, a blank image, gives NaN: 0 divided by 0. Divide by the length or by a tiny number, "
                "whichever is larger: `np.maximum(length, 1e-12)`.",
                "blank",
            )
    compare(answer, cosine_similarities, [(rows, references), (references, rows)])


# --- one_shot_accuracy --------------------------------------------------------------------------------


def _score(
    table=lambda similarity, run: similarity(run.test, run.train),
    choose=lambda s: s.argmax(axis=1),
    finish=np.mean,
    total=np.mean,
    answers=lambda run: run.answers,
):
    """The accuracy, with one thing changed."""

    def mistaken(similarity, runs):
        return total(
            np.stack([finish(choose(table(similarity, run)) == answers(run)) for run in runs])
        )

    return mistaken


def _first_run(similarity, runs):
    return one_shot_accuracy(similarity, runs[:1])


def _similarity_of_right(similarity, runs):
    tables = [(similarity(run.test, run.train), run.answers) for run in runs]
    return np.mean(np.concatenate([s[np.arange(len(s)), answers] for s, answers in tables]))


ACCURACY_MISTAKES = [
    Mistake(
        _score(choose=lambda s: s.argmin(axis=1)),
        "The *least* similar train image is chosen. These are similarities: take the largest.",
        "least_similar",
    ),
    Mistake(
        _score(finish=np.sum, total=np.sum),
        "This is the number of right answers. Divide by the number of trials.",
        "count",
    ),
    Mistake(
        _score(finish=np.sum),
        "This is the mean number of right answers in a run. Return the fraction of all trials, from 0 to 1.",
        "count",
    ),
    Mistake(
        _score(total=lambda runs: 100 * np.mean(runs)),
        "This is a percentage. Return the fraction, from 0 to 1.",
        "percentage",
    ),
    Mistake(
        _score(total=lambda runs: 1 - np.mean(runs)),
        "This is the error. Return the fraction that is right.",
        "error",
    ),
    Mistake(
        _score(total=lambda runs: runs),
        "This is one accuracy for each run. Return the mean over all of them, one number.",
        "per_run",
    ),
    Mistake(
        _first_run,
        "Only the first run is scored. Is the `return` inside the loop?",
        "first_run",
    ),
    Mistake(
        lambda similarity, runs: one_shot_accuracy(similarity, runs[-1:]),
        "Only the last run is scored. Add up over all runs.",
        "last_run",
    ),
    Mistake(
        _score(answers=lambda run: np.arange(len(run.test))),
        "Test image i is taken to belong to train image i. They are in a different order: compare with `run.answers`.",
        "diagonal",
    ),
    Mistake(
        _score(table=lambda similarity, run: similarity(run.train, run.test)),
        "Each train image chooses a test image. Each *test* image chooses among the train images: "
        "`similarity(run.test, run.train).argmax(axis=1)`.",
        "swapped",
    ),
    Mistake(
        _score(table=lambda similarity, run: similarity(run.train, run.train)),
        "The train images are compared with themselves. Compare the test images with them.",
        "train_only",
    ),
    Mistake(
        _similarity_of_right,
        "This is the mean similarity to the right train image. Count how often it is the largest of its row.",
        "mean_similarity",
    ),
]


def _run(seed, count=9, dim=6):
    """Test and train images, and answers: (test, train, answers). About half are nearest to the right one."""
    rng = seeded(seed)
    count += 2 * is_hidden()
    train = rng.normal(size=(count, 2, dim // 2))
    answers = rng.permutation(count)
    return train[answers] + 0.9 * rng.normal(size=train.shape), train, answers


def _runs():
    return ([_run(seed) for seed in range(3)], [_run(seed) for seed in range(3, 8)])


def _edges():
    """One run; two classes; narrow answers; similarities that differ in the sixth digit; runs of 4 and 9 trials."""
    test, train, answers = _run(9)
    near = np.array([[[1.0, 0.0]], [[0.0, 1.0]]]), np.array([[[1.0, 1.0]], [[1.00001, 0.99999]]])
    return (
        [(test, train, answers)],
        [_run(10, 2)],
        [(test, train, answers.astype("uint8")), _run(11)],
        [(*near, np.array([1, 0]))],
        [_run(12, 4), _run(13)],
    )


def _test_accuracy(seen, cases):
    for each in seen:
        if each["changed"]:
            raise Wrong(
                "Your code changes a run. Work on a copy: the next similarity needs the original.",
                "changed",
            )

    got = [as_array(each["result"]) for each in seen]
    kept = observe.kept_runs(cases)

    def of(function):
        return [as_array(function(observe.products, runs)) for runs in kept]

    def explained(mistake):
        try:
            # in the last, of runs of two sizes, a mistake may be averaged in two ways
            return all_close(of(mistake.answer)[:-1], got[:-1], 1e-6, 1e-6)
        # runs of two classes can be too few for a mistake
        except (IndexError, ValueError):
            return False

    expected = of(one_shot_accuracy)
    if all_close(got, expected, 1e-6, 1e-6):
        least = one_shot_accuracy(lambda *images: -observe.products(*images), kept[0])
        if not all_close([as_array(seen[0]["other"])], [np.array(least)], 1e-6, 1e-6):
            raise Wrong(
                "Called with another similarity, the function does not return that similarity's accuracy. Use the argument "
                "`similarity` in each call.",
                "other_similarity",
            )
        return
    for mistake in ACCURACY_MISTAKES:
        if explained(mistake):
            raise Wrong(mistake.message, mistake.tag)
    for g, e, runs in zip(got, expected, cases, strict=True):
        require_shape(g, ())
        if not np.allclose(g, e, rtol=1e-6, atol=1e-6):
            sizes = ", ".join(f"{len(test)} trials" for test, _, _ in runs)
            raise Wrong(f"{difference(g, e, 1e-6, 1e-6)}, for runs of {sizes}.", "value")


accuracy = Exercise(
    name="04.accuracy",
    title="One-shot accuracy",
    parts=[
        Part(4, _test_cosines, of=0),
        Part(2, _test_blank, of=0, last=True),
        Part(4, _test_accuracy, of=1, look=observe.one_shot, case=lambda: ([*_runs(), *_edges()],)),
    ],
    reference=[cosine_similarities, one_shot_accuracy],
    hints=(
        "The cosine compares directions: make every row length 1, and multiply. Then, in every run, each test image chooses "
        "the train image with the largest similarity, and you count how often that is the right one.",
        "`np.linalg.norm(rows, axis=1, keepdims=True)` gives the lengths; a blank image has length 0, so divide by "
        "`np.maximum(length, 1e-12)`. `similarity(run.test, run.train)` is a table; its `.argmax(axis=1)` gives the "
        "choices.",
        "`unit_queries @ unit_references.T`; and collect `similarity(run.test, run.train).argmax(axis=1) == "
        "run.answers` of all runs in a list; its `np.mean` is the accuracy.",
    ),
)
