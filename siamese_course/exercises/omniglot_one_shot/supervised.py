"""Exercise 7 of notebook 04: the supervised contrastive loss."""

import numpy as np
from keras import ops

from siamese_course.exercises.cases import gradients, normal, tensor
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden, seeded
from siamese_course.exercises.omniglot_one_shot.mining import ready
from siamese_course.losses import supervised_contrastive_loss


def _unit(x):
    return x / ops.maximum(ops.norm(x, axis=-1, keepdims=True), 1e-12)


def _loss(
    scale=_unit,
    divide=lambda s, t: s / t,
    partners=lambda same, eye: same - eye,
    outside=lambda same, eye: 1.0 - eye,
    row=lambda log, p: ops.sum(p * log, axis=-1) / ops.maximum(ops.sum(p, axis=-1), 1.0),
    total=lambda rows: -ops.mean(rows),
    axis=-1,
):
    """The supervised contrastive loss, with one thing changed."""

    def mistaken(labels, embeddings, temperature=0.1):
        unit = scale(embeddings)
        eye = ops.eye(len(labels))
        same = ops.cast(labels[:, None] == labels, "float32")
        logits = divide(ops.matmul(unit, ops.transpose(unit)), temperature)
        masked = logits - 1e9 * (1.0 - outside(same, eye))
        log = logits - ops.logsumexp(masked, axis=axis, keepdims=True)
        return total(row(log, partners(same, eye)))

    return mistaken


def _log_of_mean(log, p):
    """The logarithm of the mean probability: the paper's L_in."""
    mean = ops.sum(ops.exp(log - 1e9 * (1.0 - p)), axis=-1) / ops.maximum(ops.sum(p, axis=-1), 1.0)
    return ops.log(mean + 1e-12) * ops.cast(ops.sum(p, axis=-1) > 0, "float32")


MISTAKES = [
    Mistake(
        _loss(scale=lambda x: x),
        "The embeddings are not scaled to length 1, so these are dot products, not cosines.",
        "not_unit",
    ),
    Mistake(
        _loss(divide=lambda s, t: s),
        "The temperature is missing: divide the cosines by it.",
        "no_temperature",
    ),
    Mistake(
        _loss(divide=lambda s, t: s * t),
        "The cosines are multiplied by the temperature. Divide by it.",
        "times_temperature",
    ),
    Mistake(
        _loss(divide=lambda s, t: s / 0.1),
        "The temperature is always 0.1. Use the argument `temperature`.",
        "temperature_ignored",
    ),
    Mistake(
        _loss(outside=lambda same, eye: 1.0),
        "Each row also competes with itself in the denominator, at cosine 1. Leave the diagonal out of it.",
        "itself_in_denominator",
    ),
    Mistake(
        _loss(partners=lambda same, eye: same),
        "Each row counts as its own partner. Subtract the diagonal from the table of partners.",
        "own_partner",
    ),
    Mistake(
        _loss(partners=lambda same, eye: same, outside=lambda same, eye: 1.0),
        "Each row is its own partner and its own rival: the diagonal must be left out of both.",
        "diagonal",
    ),
    Mistake(
        _loss(outside=lambda same, eye: 1.0 - same),
        "The denominator contains only the other classes. It must run over all other rows, including the partners.",
        "only_negatives",
    ),
    Mistake(
        _loss(partners=lambda same, eye: 1.0 - same),
        "The partners are the rows of *other* classes. Take those with an equal label.",
        "reversed",
    ),
    Mistake(
        _loss(row=lambda log, p: ops.sum(p * log, axis=-1)),
        "The log probabilities of the partners are summed. Divide by the number of partners of each row.",
        "sum_of_partners",
    ),
    Mistake(
        _loss(row=lambda log, p: ops.sum(p * log, axis=-1) / len(p)),
        "The sum over the partners is divided by the batch size. Divide by the number of partners of each row.",
        "mean_over_batch",
    ),
    Mistake(
        _loss(row=_log_of_mean),
        "The logarithm is outside the mean over the partners (the paper's L_in). Take the mean of the logarithms.",
        "log_of_mean",
    ),
    Mistake(
        _loss(total=lambda rows: ops.mean(rows)),
        "The sign is wrong: the loss is the *negative* mean log probability.",
        "sign",
    ),
    Mistake(
        _loss(total=lambda rows: -ops.sum(rows)),
        "This is the sum over the rows. Take the mean, so that the loss does not grow with the batch.",
        "sum",
    ),
    Mistake(
        _loss(total=lambda rows: -rows),
        "This is one value for each row. A loss is one number: take the mean.",
        "per_row",
    ),
]
ALONE = Mistake(
    lambda labels, embeddings, temperature=0.1: (
        _loss(total=lambda rows: -ops.sum(rows))(labels, embeddings, temperature)
        / ops.sum(
            ops.cast(ops.sum(ops.cast(labels[:, None] == labels, "float32"), -1) > 1, "float32")
        )
    ),
    "Rows without a partner are left out of the mean. They add 0 to the sum and count in the mean.",
    "mean_over_paired",
)


def _with_temperature(loss):
    """A loss that takes its temperature by position; the learner's may want it by name."""
    return lambda labels, embeddings, *temperature: loss(
        labels, embeddings, **({"temperature": temperature[0]} if temperature else {})
    )


def _compare(answer, cases, mistakes=(), edges=()):
    reference = _with_temperature(supervised_contrastive_loss)
    compare(_with_temperature(answer), reference, cases, mistakes, edges=edges)


def _batch(sizes, seed, scale=2.0, dim=4):
    """Rows of classes of these sizes, in no order."""
    labels = seeded(seed).permutation(np.repeat(3 * np.arange(len(sizes)) + 2, sizes))
    return tensor(labels, "int64"), tensor(
        normal(len(labels), dim + is_hidden(), seed=seed, scale=scale)
    )


def _test_pairs(answer):
    """Every class has two rows."""
    cases = [(*_batch([2, 2, 2], 0), 0.5), (*_batch([2, 2, 2, 2], 1), 0.2), _batch([2] * 3, 2)]
    edges = [(*_batch([2], 3), 0.5), (*_batch([2, 2], 4, dim=1 - is_hidden()), 1.0)]
    same_for_pairs = ("sum_of_partners", "log_of_mean")
    _compare(answer, cases, [m for m in MISTAKES if m.tag not in same_for_pairs], edges)


def _test_classes(answer):
    cases = [(*_batch([4, 3, 2], 5), 0.5), (*_batch([3, 3, 3], 6), 0.2)]
    _compare(answer, cases, MISTAKES, [(*_batch([6], 7), 0.5)])


def _test_alone(answer):
    """Classes of one row, as in the last batch of an epoch."""
    cases = [(*_batch([1, 3, 2], 8), 0.5), (*_batch([1, 1, 4], 9), 0.3)]
    _compare(answer, cases, [*MISTAKES, ALONE], [(*_batch([1, 1], 10), 0.5)])


def _test_small_temperature(answer):
    """A temperature at which exp() of a cosine overflows."""
    cases = [(*_batch([3, 3], 11), 0.005), (*_batch([2, 2, 2], 12), 0.004)]
    _compare(answer, cases, MISTAKES)


supervised = Exercise(
    name="04.supervised",
    title="Supervised contrastive loss",
    parts=[
        Part(4, _test_pairs),
        Part(4, _test_classes),
        Part(3, _test_alone),
        Part(2, _test_small_temperature),
        gradients(
            3,
            supervised_contrastive_loss,
            lambda: [(*_batch([4, 3, 2], 13), {"temperature": 0.5})],
            by=(1,),
        ),
    ],
    reference=[supervised_contrastive_loss],
    ready=ready,
    hints=(
        "Every row asks: who are my partners? A softmax over all *other* rows gives each a probability. The loss is the mean "
        "of -log of the partners' probabilities, over partners and then over rows.",
        "Scale the rows to length 1; `ops.matmul(unit, ops.transpose(unit)) / temperature` are the logits. Subtract "
        "`1e9 * ops.eye(batch)`, so that no row competes with itself. `ops.logsumexp(..., axis=-1, keepdims=True)` is the "
        "logarithm of the denominator.",
        "`partners = ops.cast(labels[:, None] == labels, 'float32') - ops.eye(batch)`, `log = logits - ops.logsumexp(...)`, and "
        "`-ops.mean(ops.sum(partners * log, axis=-1) / ops.maximum(ops.sum(partners, axis=-1), 1.0))`.",
    ),
)
