"""Exercise 11 of notebook 02: in-batch softmax, with near misses as more negatives."""

from keras import ops

from siamese_course.exercises.cases import gradients, require_trainable, tensor, unit
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden


def softmax_loss(targets, embeddings, *, temperature=0.1):
    """Mean over the batch of -log softmax, at the positive, of the similarities to all candidates."""
    anchors, candidates = _sides(embeddings)
    logits = ops.matmul(anchors, ops.transpose(candidates)) / temperature
    return ops.mean(ops.logsumexp(logits, axis=1) - ops.diagonal(logits))


def _sides(embeddings):
    """Anchors, and below each other all other sides."""
    others = [embeddings[:, side] for side in range(1, embeddings.shape[1])]
    return embeddings[:, 0], ops.concatenate(others)


def _like(
    sides=_sides,
    temperature_of=lambda t: t,
    scale=lambda s, t: s / t,
    positive=ops.diagonal,
    axis=1,
    combine=ops.mean,
    sign=1.0,
):
    """``softmax_loss`` that differs in one place."""

    def mistaken(targets, embeddings, *, temperature=0.1):
        anchors, candidates = sides(embeddings)
        similarities = ops.matmul(anchors, ops.transpose(candidates))
        logits = scale(similarities, temperature_of(temperature))
        return combine(sign * (ops.logsumexp(logits, axis=axis) - positive(logits)))

    return mistaken


def _own_near_miss_only(targets, embeddings, *, temperature=0.1):
    anchors, positives = embeddings[:, 0], embeddings[:, 1]
    logits = [ops.matmul(anchors, ops.transpose(positives)) / temperature]
    for side in range(2, embeddings.shape[1]):
        own = ops.sum(anchors * embeddings[:, side], axis=1, keepdims=True)
        logits.append(own / temperature)
    logits = ops.concatenate(logits, axis=1)
    return ops.mean(ops.logsumexp(logits, axis=1) - ops.diagonal(logits))


def _sum_of_losses(targets, embeddings, *, temperature=0.1):
    loss = softmax_loss(targets, embeddings[:, :2], temperature=temperature)
    for side in range(2, embeddings.shape[1]):
        logits = ops.matmul(embeddings[:, 0], ops.transpose(embeddings[:, side])) / temperature
        loss = loss + ops.mean(ops.logsumexp(logits, axis=1))
    return loss


def _swapped(embeddings):
    """Anchor and positive exchanged."""
    return ops.concatenate([embeddings[:, 1:2], embeddings[:, :1], embeddings[:, 2:]], axis=1)


def _both_directions(targets, embeddings, *, temperature=0.1):
    directions = embeddings, _swapped(embeddings)
    return 0.5 * sum(softmax_loss(targets, each, temperature=temperature) for each in directions)


def _no_log(targets, embeddings, *, temperature=0.1):
    anchors, candidates = _sides(embeddings)
    shares = ops.softmax(ops.matmul(anchors, ops.transpose(candidates)) / temperature)
    return ops.mean(1.0 - ops.diagonal(shares))


def _negatives_only(targets, embeddings, *, temperature=0.1):
    anchors, candidates = _sides(embeddings)
    logits = ops.matmul(anchors, ops.transpose(candidates)) / temperature
    batch = embeddings.shape[0]
    lowered = logits - 1e9 * ops.eye(batch, logits.shape[1])
    return ops.mean(ops.logsumexp(lowered, axis=1) - ops.diagonal(logits))


MISTAKES = [
    Mistake(
        _like(sides=lambda e: (e[:, 0], e[:, 1])),
        "The near misses, `embeddings[:, 2]`, are not among the candidates. Put them below the positives: "
        "`ops.concatenate`.",
        "no_near_misses",
    ),
    Mistake(
        _own_near_miss_only,
        "Every anchor sees only its own near miss. The near misses of the other rows are negatives, too.",
        "own_near_miss_only",
    ),
    Mistake(
        _sum_of_losses,
        "The near misses have a separate softmax. Anchor i picks its positive from *all* candidates: one softmax over "
        "one row of logits.",
        "two_softmaxes",
    ),
    Mistake(
        _like(sides=lambda e: (e[:, 0], ops.concatenate([e[:, s] for s in range(e.shape[1])]))),
        "The anchors are among the candidates. The candidates are only the other sides, from `embeddings[:, 1]` on.",
        "anchors_as_candidates",
    ),
    Mistake(
        _like(sides=lambda e: _sides(_swapped(e))),
        "The roles are swapped: side 0 is the anchor, which picks; side 1 is the positive, which is picked.",
        "swapped",
    ),
    Mistake(
        _both_directions,
        "This averages both directions, left to right and right to left. Here only the anchor picks.",
        "both_directions",
    ),
    Mistake(
        _like(scale=lambda s, t: s),
        "The temperature is missing. Cosines lie between -1 and 1: without it the softmax is nearly flat, and the "
        "loss cannot get small.",
        "no_temperature",
    ),
    Mistake(
        _like(temperature_of=lambda t: 0.1),
        "The temperature is always 0.1. Use the argument `temperature`.",
        "temperature_fixed",
    ),
    Mistake(
        _like(scale=lambda s, t: s * t),
        "The similarities are multiplied by the temperature. Divide them.",
        "multiplied",
    ),
    Mistake(
        _like(sign=-1.0),
        "The sign is wrong: this is the logarithm of the probability. The loss is its negative.",
        "sign",
    ),
    Mistake(_like(combine=ops.sum), "The batch is summed. Take the mean.", "sum"),
    Mistake(
        _like(combine=lambda rows: rows), "This is one loss per row. Take the mean.", "per_row"
    ),
    Mistake(
        _no_log,
        "This is 1 minus the probability. The loss is the negative logarithm of the probability, which is large where "
        "the model is confident and wrong.",
        "no_log",
    ),
    Mistake(
        _negatives_only,
        "The positive is not in the denominator. The softmax runs over all candidates, including the right one.",
        "positive_left_out",
    ),
    Mistake(
        _like(positive=lambda logits: ops.max(logits, axis=1)),
        "The largest candidate is taken as the right one. The positive of row i is candidate i.",
        "largest_as_positive",
    ),
    Mistake(
        lambda targets, embeddings, *, temperature=0.1: (
            -ops.mean(
                ops.diagonal(
                    ops.matmul(_sides(embeddings)[0], ops.transpose(_sides(embeddings)[1]))
                )
            )
            / temperature
        ),
        "Only the positives count here. Divide their exponential by the sum over all candidates, and take the log.",
        "positives_only",
    ),
]


def _cases(sides: int):
    shapes = ((7, 5), (2, 9)) if is_hidden() else ((5, 4), (3, 6))
    temperatures = (0.3, 0.07) if is_hidden() else (0.1, 0.5)
    return [
        (tensor([0.0] * rows), tensor(unit(rows, sides, dim, seed=sides)), temperature)
        for (rows, dim), temperature in zip(shapes, temperatures, strict=True)
    ]


def _test(sides: int, mistakes: list[Mistake]):
    """Compare on batches with that number of sides."""

    def by_keyword(loss):
        # without a temperature: its default
        return lambda targets, embeddings, *temperature: loss(
            targets, embeddings, **dict(zip(["temperature"], temperature, strict=False))
        )

    def test(answer):
        compare(
            by_keyword(answer),
            by_keyword(softmax_loss),
            [*_cases(sides), _cases(sides)[0][:2]],
            [m._replace(answer=by_keyword(m.answer)) for m in mistakes],
            edges=[
                (tensor([0.0] * rows), tensor(unit(rows, each, dim, seed=9)), 0.4)
                # near misses of two kinds in the last
                for rows, each, dim in ((1, sides, 3), (4, sides, 1), (3, 2 * sides - 2, 4))
            ],
        )

    return test


def _ready(answer):
    """Two batches of different sizes, as in training."""
    import keras

    table = keras.layers.Embedding(9, 4)
    words = keras.Input((3,), dtype="int32")
    words_of = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    require_trainable(
        keras.Model(words, table(words)),
        lambda targets, embeddings: answer(targets, embeddings, temperature=0.1),
        *((tensor(words_of[:rows], "int32"), tensor([0.0] * rows)) for rows in (3, 2)),
    )


def _calls():
    return [(targets, rows, {"temperature": t}) for targets, rows, t in _cases(3)]


NEAR_MISS_TAGS = ("no_near_misses", "own_near_miss_only", "two_softmaxes")
softmax = Exercise(
    name="02.softmax",
    title="In-batch softmax",
    parts=[
        Part(5, _test(2, [m for m in MISTAKES if m.tag not in NEAR_MISS_TAGS])),
        Part(3, _test(3, MISTAKES)),
        gradients(2, softmax_loss, _calls, by=(1,), unit_rows=True),
    ],
    reference=[softmax_loss],
    ready=_ready,
    hints=(
        "It is a classifier whose classes are the questions of the batch: anchor i must pick candidate i. Its loss is "
        "the cross entropy, the negative logarithm of the probability of the right class.",
        "Candidates: `ops.concatenate([embeddings[:, side] for side in range(1, embeddings.shape[1])])`. The logits are "
        "all cosines divided by the temperature. -log softmax at the positive is `logsumexp` of the row minus the "
        "positive's logit, and the positives are on the diagonal.",
        "`logits = ops.matmul(embeddings[:, 0], ops.transpose(candidates)) / ...`, "
        "`return ops.mean(ops.logsumexp(logits, axis=...) - ops.diagonal(...))`.",
    ),
)
