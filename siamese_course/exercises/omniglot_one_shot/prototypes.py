"""Exercise 8 of notebook 04: the prototypical loss."""

import numpy as np
from keras import ops

from siamese_course.exercises.cases import gradients, normal, tensor
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden, seeded
from siamese_course.exercises.omniglot_one_shot.mining import ready
from siamese_course.losses import prototypical_loss


def _loss(
    examples=lambda earlier, shots: earlier < shots,
    asked=lambda earlier, shots: earlier >= shots,
    center=lambda weights, rows: weights @ rows / ops.sum(weights, axis=1, keepdims=True),
    measure=lambda d: ops.sum(ops.square(d), axis=-1),
    sign=1.0,
    each=lambda logits, own, mine: ops.logsumexp(logits, axis=1) - own,
    total=lambda rows, asked: ops.sum(rows * asked) / ops.sum(asked),
):
    """The prototypical loss, with one thing changed."""

    def mistaken(labels, embeddings, shots=1):
        equal = ops.cast(labels[:, None] == labels, "float32")
        earlier = ops.sum(ops.tril(equal, -1), axis=1)
        weights = equal * ops.cast(examples(earlier, shots), "float32")
        distances = measure(embeddings[:, None] - center(weights, embeddings))
        logits = -sign * distances
        # one column for each class: that of its first row
        column = 1e9 * ops.cast(earlier > 0, "float32")
        rows = each(logits - column, ops.diagonal(logits), 1e9 * equal)
        return total(rows, ops.cast(asked(earlier, shots), "float32"))

    return mistaken


def _nearest_example(weights, rows):
    """The first example of each row's class."""
    first = weights * ops.cast(ops.cumsum(weights, axis=1) == 1, "float32")
    return first @ rows


def _root(d):
    return ops.sqrt(ops.sum(ops.square(d), axis=-1) + 1e-6)


MISTAKES = [
    Mistake(
        lambda labels, embeddings, shots=1: _loss()(labels, embeddings, 1),
        "This always uses one shot. The first `shots` rows of each class are the examples; the prototype is their "
        "mean.",
        "one_shot",
    ),
    Mistake(
        _loss(examples=lambda earlier, shots: earlier < 99),
        "The prototype is the mean of *all* rows of a class, queries included: the query has seen the answer. Use the "
        "first `shots` only.",
        "leak",
    ),
    Mistake(
        _loss(asked=lambda earlier, shots: earlier < 99),
        "The examples are queries, too. Only the rows from `shots` on are queries.",
        "examples_asked",
    ),
    Mistake(
        _loss(asked=lambda earlier, shots: earlier < shots),
        "The examples are used as queries. The queries are the rows from `shots` on.",
        "only_examples",
    ),
    Mistake(
        _loss(center=lambda weights, rows: weights @ rows),
        "The prototype is the *sum* of the examples. Take their mean.",
        "sum_of_examples",
    ),
    Mistake(
        _loss(center=_nearest_example),
        "The prototype is the first example. Take the mean of all of them.",
        "first_example",
    ),
    Mistake(
        _loss(measure=_root),
        "The distances are not squared. Prototypical networks use the *squared* Euclidean distance.",
        "not_squared",
    ),
    Mistake(
        _loss(measure=lambda d: ops.sqrt(ops.sum(ops.square(d), axis=-1) + 1e-12)),
        "The distances are not squared. Prototypical networks use the *squared* Euclidean distance.",
        "not_squared",
    ),
    Mistake(
        _loss(measure=lambda d: ops.mean(ops.square(d), axis=-1)),
        "The squares are averaged over the dimensions. Sum them.",
        "mean_of_squares",
    ),
    Mistake(
        _loss(measure=lambda d: ops.sum(ops.abs(d), axis=-1)),
        "This is the Manhattan distance. Square the differences, and sum them.",
        "manhattan",
    ),
    Mistake(
        _loss(measure=lambda d: 0.5 * ops.sum(ops.square(d), axis=-1)),
        "There is an extra factor 1/2: the logits are the negative squared distances.",
        "half",
    ),
    Mistake(
        _loss(sign=-1.0),
        "The sign is wrong: the *nearest* prototype must be the most probable. The logits are the negative distances.",
        "sign",
    ),
    Mistake(
        _loss(total=lambda rows, asked: ops.sum(rows * asked)),
        "This is the sum over the queries. Take the mean.",
        "sum",
    ),
    Mistake(
        _loss(total=lambda rows, asked: ops.mean(rows * asked)),
        "The sum is divided by the number of all rows. Divide by the number of *queries*.",
        "mean_over_rows",
    ),
    Mistake(
        lambda labels, embeddings, shots=1: -_loss()(labels, embeddings, shots),
        "The sign of the loss is wrong: this is the mean log probability. Return its negative.",
        "negative",
    ),
    Mistake(
        _loss(each=lambda logits, own, mine: -ops.exp(own - ops.logsumexp(logits, axis=1))),
        "The logarithm is missing: the loss of a query is -log of the probability.",
        "no_log",
    ),
    Mistake(
        _loss(each=lambda logits, own, mine: -own),
        "This is only the distance to the query's own prototype. Equal embeddings would be perfect: the other "
        "prototypes belong in the denominator.",
        "no_denominator",
    ),
    Mistake(
        _loss(each=lambda logits, own, mine: ops.logsumexp(logits - mine, axis=1) - own),
        "The denominator leaves out the query's own class. The softmax is over *all* prototypes.",
        "own_left_out",
    ),
]
MANY_COLUMNS = Mistake(
    lambda labels, embeddings, shots=1: _columns_of_rows(labels, embeddings, shots),
    "A class counts as often in the denominator as it has rows. Give each class one column, that of its first row.",
    "many_columns",
)


def _columns_of_rows(labels, embeddings, shots):
    equal = ops.cast(labels[:, None] == labels, "float32")
    earlier = ops.sum(ops.tril(equal, -1), axis=1)
    weights = equal * ops.cast(earlier < shots, "float32")
    prototypes = weights @ embeddings / ops.sum(weights, axis=1, keepdims=True)
    logits = -ops.sum(ops.square(embeddings[:, None] - prototypes), axis=-1)
    asked = ops.cast(earlier >= shots, "float32")
    rows = ops.logsumexp(logits, axis=1) - ops.diagonal(logits)
    return ops.sum(rows * asked) / ops.sum(asked)


def _with_shots(loss):
    """A loss that takes its shots by position; the learner's may want it by name."""
    return lambda labels, embeddings, *shots: loss(
        labels, embeddings, **({"shots": shots[0]} if shots else {})
    )


def _episode(ways, columns, dim=3, seed=0, scale=0.8, mixed=False):
    """Rows of classes, those of a class together as in a batch, or mixed."""
    labels = np.repeat(seeded(seed).permutation(3 * ways)[:ways], columns)
    if mixed:
        labels = seeded(seed).permutation(labels)
    embeddings = normal(ways * columns, dim + is_hidden(), seed=seed, scale=scale)
    return tensor(labels, "int64"), tensor(embeddings)


def _compare(answer, cases, mistakes, edges=()):
    compare(_with_shots(answer), _with_shots(prototypical_loss), cases, mistakes, edges=edges)


def _test_one_shot(answer):
    # more shots are for the second part
    mistakes = [
        m for m in MISTAKES if m.tag not in ("one_shot", "sum_of_examples", "first_example")
    ]
    cases = [(*_episode(4, 3), 1), (*_episode(5, 2, seed=1), 1), _episode(3, 3, seed=2)]
    edges = [(*_episode(2, 2, seed=3), 1), (*_episode(6, 4, 1 - is_hidden(), seed=4), 1)]
    _compare(answer, cases, [*mistakes, MANY_COLUMNS], edges)


def _test_shots(answer):
    cases = [
        (*_episode(4, 5, seed=5), 3),
        (*_episode(5, 4, seed=6), 2),
        (*_episode(3, 6, seed=7), 2),
    ]
    edges = [(*_episode(3, 5, seed=8), 4), (*_episode(3, 4, seed=13, mixed=True), 2)]
    # the last class has two queries fewer than the others
    edges.append((*(rows[:-2] for rows in _episode(3, 5, seed=14)), 2))
    _compare(answer, cases, [*MISTAKES, MANY_COLUMNS], edges)


def _test_far(answer):
    """Embeddings so far apart that exp() of a distance is infinite or zero."""
    cases = [(*_episode(4, 3, seed=9, scale=30.0), 1), (*_episode(3, 5, seed=10, scale=30.0), 2)]
    _compare(answer, cases, [*MISTAKES, MANY_COLUMNS])


prototypes = Exercise(
    name="04.prototypes",
    title="Prototypical loss",
    parts=[
        Part(5, _test_one_shot),
        Part(4, _test_shots),
        Part(3, _test_far, last=True),
        gradients(
            3,
            prototypical_loss,
            lambda: [
                (*_episode(4, 5, seed=11), {"shots": 2}),
                (*_episode(3, 3, seed=12), {"shots": 1}),
            ],
            by=(1,),
        ),
    ],
    reference=[prototypical_loss],
    ready=ready,
    hints=(
        "The mean of a class's examples stands for the class. A query is classified by a softmax over its negative "
        "squared distances to all prototypes. Its loss is -log of the probability of its own class.",
        "`weights = equal * ops.cast(earlier < shots, 'float32')[None]` has a 1 where a column is an example of the row's "
        "class; `weights @ embeddings`, divided by the sums of its rows, are the prototypes. Every class has several rows and "
        "so several equal prototypes: subtract 1e9 from the logits in the columns with `earlier > 0`.",
        "`logits = -ops.sum(ops.square(embeddings[:, None] - prototypes), axis=-1)`; `own` is its `ops.diagonal`; "
        "`ops.logsumexp(masked, axis=1) - own` is the loss of each row, and the mean is over the rows with `earlier "
        ">= shots`.",
    ),
)
