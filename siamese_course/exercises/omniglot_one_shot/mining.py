"""Exercise 6 of notebook 04: the triplet loss, with the hardest triplet of each anchor."""

import numpy as np
from keras import Input, Model, layers, ops

from siamese_course.exercises.cases import gradients, normal, require_trainable, tensor
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden, seeded
from siamese_course.losses import EPSILON, mined_triplet_loss

# Beyond any distance of unit vectors
FAR = 1e3


def hard_triplet_loss(labels, embeddings, margin=0.2):
    """The package's triplet loss with hard mining, with the arguments that the exercise asks for."""
    return mined_triplet_loss(labels, embeddings, margin=margin, mining="hard")


def _unit(x):
    return x / ops.maximum(ops.norm(x, axis=-1, keepdims=True), 1e-12)


def _squared(x):
    return ops.sum(ops.square(x[:, None] - x), axis=-1)


def _farthest(d, where):
    return ops.max(d - FAR * (1.0 - where), axis=1)


def _nearest(d, where):
    return ops.min(d + FAR * (1.0 - where), axis=1)


def _mean_where(rows, counts):
    return ops.sum(rows * counts) / ops.maximum(ops.sum(counts), 1.0)


def _loss(
    scale=_unit,
    measure=lambda x: ops.sqrt(_squared(x) + EPSILON),
    positive=lambda d, partners, strangers: _farthest(d, partners),
    negative=lambda d, partners, strangers: _nearest(d, strangers),
    pay=lambda near, far, margin: ops.maximum(0.0, near - far + margin),
    total=_mean_where,
):
    """The hard triplet loss, with one thing changed."""

    def mistaken(labels, embeddings, margin=0.2):
        d = measure(scale(embeddings))
        same = ops.cast(labels[:, None] == labels, "float32")
        tables = same - ops.eye(len(labels)), 1.0 - same
        rows = pay(positive(d, *tables), negative(d, *tables), margin)
        return total(rows, ops.max(tables[0], axis=1))

    return mistaken


def _all_triplets(labels, embeddings, margin=0.2):
    """The mean over all triplets of a batch."""
    unit = _unit(embeddings)
    d = ops.sqrt(_squared(unit) + EPSILON)
    same = ops.cast(labels[:, None] == labels, "float32")
    triplets = (same - ops.eye(len(labels)))[:, :, None] * (1.0 - same)[:, None]
    return _mean_where(ops.maximum(0.0, d[:, :, None] - d[:, None] + margin), triplets)


MISTAKES = [
    Mistake(
        _loss(scale=lambda x: x),
        "The embeddings are not scaled to length 1: a network could pay less by making all of them longer or shorter.",
        "not_unit",
    ),
    Mistake(
        _loss(measure=lambda x: _squared(x) + EPSILON),
        "The distances are squared: the square root is missing.",
        "squared",
    ),
    Mistake(
        _loss(measure=lambda x: 1.0 - ops.matmul(x, ops.transpose(x))),
        "You compare cosines. This loss compares distances: the root of |a - b|^2, which is 2 - 2 cos for unit vectors.",
        "cosines",
    ),
    Mistake(
        _loss(positive=lambda d, partners, strangers: _nearest(d, partners)),
        "The positive is the *nearest* row of the class, the easiest one. Take the farthest.",
        "easy_positive",
    ),
    Mistake(
        _loss(positive=lambda d, partners, strangers: ops.min(d + FAR * strangers, axis=1)),
        "Every anchor is its own positive, at distance 0. Take the farthest of the *other* rows of its class.",
        "own_positive",
    ),
    Mistake(
        _loss(negative=lambda d, partners, strangers: _farthest(d, strangers)),
        "The negative is the *farthest* row of another class, the easiest one. Take the nearest.",
        "easy_negative",
    ),
    Mistake(
        _loss(
            positive=lambda d, partners, strangers: _nearest(d, partners),
            negative=lambda d, partners, strangers: _farthest(d, strangers),
        ),
        "These are the easiest triplets: the nearest positive and the farthest negative. Take the farthest positive and the "
        "nearest negative.",
        "easiest",
    ),
    Mistake(
        _loss(
            positive=lambda d, partners, strangers: ops.min(d + FAR * strangers, axis=1),
            negative=lambda d, partners, strangers: _farthest(d, strangers),
        ),
        "These are the easiest triplets, and every anchor is its own positive. Take the farthest positive and the nearest "
        "negative.",
        "easiest",
    ),
    Mistake(
        _loss(positive=lambda d, partners, strangers: ops.max(d, axis=1)),
        "The positive is the farthest row of *all*. Look only among the rows with the anchor's label.",
        "any_positive",
    ),
    Mistake(
        _loss(negative=lambda d, partners, strangers: _nearest(d, strangers + partners)),
        "The negative is the nearest of all other rows, and may be of the anchor's own class. Look only among other classes.",
        "any_negative",
    ),
    Mistake(
        _loss(negative=lambda d, partners, strangers: ops.min(d, axis=1)),
        "The negative is the nearest of *all* rows: the anchor itself. Look only among other classes.",
        "own_negative",
    ),
    Mistake(
        _loss(negative=lambda d, partners, strangers: ops.min(d * strangers, axis=1)),
        "`ops.min` finds the zeros where there is no negative. Add a large number there instead of multiplying by 0.",
        "zeros_found",
    ),
    Mistake(
        _loss(
            positive=lambda d, partners, strangers: _farthest(d, strangers),
            negative=lambda d, partners, strangers: _nearest(d, partners),
        ),
        "Positives and negatives are swapped: a positive has the anchor's label, a negative has another one.",
        "exchanged",
    ),
    Mistake(
        _loss(
            positive=lambda d, partners, strangers: (
                ops.sum(d * partners, axis=1) / ops.maximum(ops.sum(partners, axis=1), 1.0)
            )
        ),
        "The positive's distance is the mean over the class. Take the largest.",
        "mean_positive",
    ),
    Mistake(
        _loss(
            negative=lambda d, partners, strangers: (
                ops.sum(d * strangers, axis=1) / ops.maximum(ops.sum(strangers, axis=1), 1.0)
            )
        ),
        "The negative's distance is the mean over all other classes. Take the smallest.",
        "mean_negative",
    ),
    Mistake(
        _all_triplets,
        "This is the mean over all triplets. Each anchor has only one: its farthest positive and its nearest negative.",
        "all_triplets",
    ),
    Mistake(
        lambda labels, embeddings, margin=0.2: mined_triplet_loss(
            labels, embeddings, margin=margin
        ),
        "This is semi-hard mining. Take the nearest negative, even where it is nearer than the positive.",
        "semi_hard",
    ),
    Mistake(
        _loss(pay=lambda near, far, margin: ops.maximum(0.0, near - far)),
        "The margin is missing. Add it inside the max.",
        "no_margin",
    ),
    Mistake(
        _loss(pay=lambda near, far, margin: ops.maximum(0.0, near - far + 0.2)),
        "The margin is always 0.2. Use the argument `margin`.",
        "margin_ignored",
    ),
    Mistake(
        _loss(pay=lambda near, far, margin: ops.maximum(0.0, near - far - margin)),
        "The margin is subtracted. Add it: an anchor must pay until its negative is farther away *by the margin*.",
        "minus_margin",
    ),
    Mistake(
        _loss(pay=lambda near, far, margin: ops.maximum(0.0, near - far) + margin),
        "The margin is outside the max, so every anchor pays it. Add it inside.",
        "margin_outside",
    ),
    Mistake(
        _loss(pay=lambda near, far, margin: ops.maximum(0.0, far - near + margin)),
        "The sign is reversed: an anchor pays if the *positive* is too far away.",
        "sign",
    ),
    Mistake(
        _loss(pay=lambda near, far, margin: near - far + margin),
        "The max is missing. An anchor that keeps the margin pays 0, never less.",
        "no_hinge",
    ),
    Mistake(
        _loss(
            pay=lambda near, far, margin: near - far + margin,
            total=lambda rows, counts: ops.maximum(0.0, _mean_where(rows, counts)),
        ),
        "The max is outside the mean, so good anchors make up for bad ones. Take it for each anchor.",
        "hinge_outside",
    ),
    Mistake(
        _loss(pay=lambda near, far, margin: ops.softplus(near - far + margin)),
        "This is the soft version, log(1 + exp(x)). Take max(0, x).",
        "softplus",
    ),
    Mistake(
        _loss(total=lambda rows, counts: ops.sum(rows * counts)),
        "This is the sum over the anchors. Take the mean, so that the loss does not grow with the batch.",
        "sum",
    ),
    Mistake(
        _loss(total=lambda rows, counts: rows),
        "This is one value for each row. A loss is one number: take the mean.",
        "per_row",
    ),
    Mistake(
        _loss(total=lambda rows, counts: _mean_where(rows, counts * ops.cast(rows > 0, "float32"))),
        "The mean runs only over anchors that pay something. Those that keep the margin count, too, as 0.",
        "only_paying",
    ),
]
ALONE_MISTAKES = [
    Mistake(
        _loss(total=lambda rows, counts: ops.mean(rows * counts)),
        "The sum is divided by the size of the batch. Rows without a positive are not anchors: leave them out of the "
        "mean.",
        "mean_over_batch",
    ),
    Mistake(
        _loss(
            positive=lambda d, partners, strangers: ops.max(d * partners, axis=1),
            total=lambda rows, counts: ops.mean(rows),
        ),
        "A row without a positive pays, as if its positive were at distance 0. Leave such rows out of the mean.",
        "alone_pays",
    ),
]
NO_EPSILON = Mistake(
    _loss(measure=lambda x: ops.sqrt(_squared(x))),
    "The epsilon is missing under the root: where two embeddings are equal, as each is with itself, the gradient is NaN. "
    "Add 1e-6 inside `ops.sqrt`.",
    "no_epsilon",
)


def _by_name(loss):
    """A loss that gets its margin by name, or none: the default counts, too."""
    return lambda labels, embeddings, *margin: loss(
        labels, embeddings, **dict(zip(["margin"], margin, strict=False))
    )


def _compare(answer, cases, mistakes, edges=(), strict=True):
    """Compare with little tolerance, and with more to find a mistake: at distance 0, the fourth digit is rounded."""
    answer, reference = _by_name(answer), _by_name(hard_triplet_loss)
    compare(answer, reference, cases, mistakes, edges=edges, atol=3e-4)
    if strict:
        compare(answer, reference, [*cases, *edges])


def _batch(sizes, seed, apart=2.0, dtype="int64"):
    """Rows of classes of these sizes, in no order; ``apart`` is how far the classes lie from each other."""
    order = seeded(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    rows = len(order), 3 + is_hidden()
    centers = normal(len(sizes), rows[1], seed=seed + 50, scale=apart)
    return tensor(3 * order - 2, dtype), tensor(centers[order] + normal(*rows, seed=seed))


def _twins(labels, directions, seed):
    """Rows of these directions, in no order. Their lengths are powers of 2, so that little is rounded."""
    order = seeded(seed).permutation(len(labels))
    lengths = 2.0 ** seeded(seed).integers(-1, 3, (len(labels), 1))
    return tensor(np.take(labels, order) + 5, "int64"), tensor(
        np.take(directions, order, 0) * lengths
    )


def _test_classes(answer):
    cases = [
        (*_batch([4, 3, 2], 0), 0.5),
        (*_batch([3, 3, 3], 0), 1.0),
        _batch([2, 4, 3], 4, apart=4.0),
        (*_batch([2, 2, 2, 2], 4, dtype="int32"), 0.3),
    ]
    _compare(answer, cases, MISTAKES, [(*_batch([2, 2], 4), 0.7)])


def _test_alone(answer):
    """Rows without a positive, and batches without a negative or without any triplet."""
    cases = [(*_batch([1, 3, 2], 6, apart=4.0), 0.5), (*_batch([1, 1, 4, 1], 6), 2.5)]
    edges = [(*_batch(sizes, 7), 0.7) for sizes in ([6], [1, 1, 1], [2], [1, 1], [1])]
    # as far apart as unit vectors can be
    edges.append((*_twins([0, 0], [[1, 0], [-1, 0]], 15), 0.7))
    _compare(answer, cases, [*MISTAKES, *ALONE_MISTAKES], edges)


def _test_twins(answer):
    """Equal embeddings, whose distance shows the epsilon."""
    labels, axes = np.array([0, 0, 1, 1, 1, 2, 2]), np.eye(3 + is_hidden())
    cases = [(*_twins(labels, axes[labels], 8), 1.5), (*_batch([3, 2, 3], 10), 2.5)]
    # on one line, every distance is 0.001 or 2: at the margin 1.999 each anchor just keeps it
    apart, mixed = [[1, 0], [1, 0], [-1, 0], [-1, 0]], [[1, 0], [-1, 0], [1, 0], [-1, 0]]
    edges = [
        (*_twins([0, 0, 1, 1], apart, 9), 1.999),
        (*_twins([0, 0, 1, 1], apart, 13), 2.5),
        (*_twins([0, 0, 1, 1], mixed, 14), 0.5),
    ]
    _compare(answer, cases, [*MISTAKES, NO_EPSILON], edges, strict=False)


def ready(answer):
    """Two steps, as in training: a loop over the values of a batch cannot be traced."""
    inputs = Input((3,))
    model = Model(inputs, layers.Dense(4)(inputs))
    batches = [(normal(8, 3, seed=seed), np.repeat(np.arange(4), 2)) for seed in (0, 1)]
    require_trainable(model, answer, *batches)


mining = Exercise(
    name="04.mining",
    title="Hard triplets",
    parts=[
        Part(5, _test_classes),
        Part(2, _test_alone),
        Part(2, _test_twins),
        gradients(
            3,
            hard_triplet_loss,
            lambda: [
                (*_batch([4, 3, 2], 11), {"margin": 0.5}),
                (*_batch([1, 3, 3], 12), {"margin": 1.0}),
            ],
            by=(1,),
        ),
    ],
    reference=[hard_triplet_loss],
    ready=ready,
    hints=(
        "Make a table of the distances between all rows. In each row, find two numbers: the largest distance to a row "
        "with the same label, and the smallest to a row with another label. Their difference is what the anchor pays "
        "for.",
        "For unit vectors, |a - b|^2 = 2 - 2 cos: one `ops.matmul` gives all cosines. To look only among some columns, push the "
        "others out of the way: subtract 1000 from them before `ops.max`, or add 1000 before `ops.min`. An anchor is not its "
        "own positive: `ops.eye(batch)` is the diagonal.",
        "`positive = ops.max(apart - 1e3 * (1.0 - partners), axis=1)`, `negative = ops.min(apart + 1e3 * equal, axis=1)`, "
        "`anchors = ops.max(partners, axis=1)`, and `ops.sum(anchors * ops.maximum(0.0, ...)) / ops.maximum(ops.sum(anchors), "
        "1.0)`.",
    ),
)
