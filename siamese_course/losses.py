"""The losses of the course, in keras.ops: they run on the TensorFlow, JAX and PyTorch backends.

Every loss has the signature ``loss(targets, embeddings, *, options)``, so that ``model.compile`` takes
it as it is, and returns a scalar. ``same`` is 1 for a similar pair and 0 for a different one. (Hadsell, Chopra
and LeCun write Y = 0 for a similar pair.)

Every loss raises ValueError for a bad option or shape. Values, such as a NaN or a label that is neither 0 nor 1, are
checked only where they can be looked at: not in a traced training step, nor in PyTorch tensors that need a gradient.
"""

import numpy as np
from keras import ops

from siamese_course.runtime.types import Tensor
from siamese_course.tensor_validation import (
    as_rows,
    as_same,
    as_sides,
    as_targets,
    as_tensor,
    equal_labels,
    known,
    values_of,
)
from siamese_course.validation import (
    require_choice,
    require_count,
    require_number,
    require_positive,
    require_shape,
)

EPSILON = 1e-6
"""Added inside the square root of a distance, so that its gradient is finite at distance zero."""


def euclidean_distance(left: Tensor, right: Tensor) -> Tensor:
    """Return the distance between embeddings, row by row: D = sqrt(sum((left - right)^2) + 1e-6).

    The derivative of sqrt(x) grows without bound as x goes to 0. The epsilon keeps it at or below
    1 / (2 sqrt(1e-6)) = 500: two equal embeddings have distance 0.001 and gradient zero.

    Args:
        left, right: (..., dim) embeddings.

    Returns:
        (...,) distances.

    Example:
        >>> euclidean_distance([[0.0, 0.0]], [[3.0, 4.0]])  # 5, to six digits
    """
    left, right = as_tensor(left, "left"), as_tensor(right, "right")
    shapes = tuple(left.shape), tuple(right.shape)
    if 0 in (*shapes[0], *shapes[1]) or not shapes[0] or shapes[0][-1:] != shapes[1][-1:]:
        raise ValueError(
            f"left has shape {shapes[0]} and right {shapes[1]}; expected (..., dim), the same dim"
        )
    difference = ops.subtract(left, right)
    return ops.sqrt(ops.sum(ops.square(difference), axis=-1) + EPSILON)


def contrastive_loss(same: Tensor, embeddings: Tensor, *, margin: float = 5.0) -> Tensor:
    """Compute the contrastive loss of Hadsell, Chopra and LeCun (2006), as a mean over pairs.

    similar pair:    1/2 sum((a - b)^2)            pulls together, at any distance
    different pair:  1/2 max(0, margin - D)^2      pushes apart, up to the margin

    D has the epsilon of ``euclidean_distance``; the similar term has none. The paper sums over the
    pairs. Like most code, we take the mean, so that the learning rate does not depend on the batch size.

    Args:
        same: (batch,), 1 similar, 0 different.
        embeddings: (batch, 2, dim), the two sides of each pair.
        margin: the distance beyond which a different pair adds nothing.
    """
    require_positive(margin, "margin")
    embeddings = as_sides(embeddings, 2)
    same = as_same(same, embeddings)
    left, right = embeddings[:, 0], embeddings[:, 1]
    squared = ops.sum(ops.square(left - right), axis=-1)
    pull = 0.5 * squared
    push = 0.5 * ops.square(ops.maximum(0.0, margin - euclidean_distance(left, right)))
    return ops.mean(same * pull + (1.0 - same) * push)


def squared_distances(embeddings: Tensor) -> Tensor:
    """Compute squared Euclidean distances between all rows, without a (batch, batch, dim) array.

    |a - b|^2 = |a|^2 + |b|^2 - 2 a.b takes one matrix product. Subtracting the mean of all rows first
    changes no distance and keeps the rounding error small.

    Args:
        embeddings: (batch, dim).

    Returns:
        (batch, batch), zero or greater.
    """
    embeddings = as_rows(embeddings)
    centered = embeddings - ops.mean(embeddings, axis=0, keepdims=True)
    norms = ops.sum(ops.square(centered), axis=-1)
    products = ops.matmul(centered, ops.transpose(centered))
    return ops.maximum(norms[:, None] + norms[None, :] - 2.0 * products, 0.0)


def all_pairs_contrastive_loss(
    labels: Tensor, embeddings: Tensor, *, margin: float = 5.0
) -> Tensor:
    """Compute the contrastive loss over every pair of a batch, with equal weight for both kinds.

    A batch of B rows holds B (B - 1) / 2 pairs for the price of B forward passes. With ten classes,
    nine in ten of them are different, so each kind is averaged separately and the two means are added:
    the balance of ``balanced_pairs``, without sampling.

    Args:
        labels: (batch,) or (batch, 1) class of each row.
        embeddings: (batch, dim).
        margin: the distance beyond which a different pair adds nothing.

    Returns:
        A scalar: mean over similar pairs of 1/2 D^2 plus mean over different pairs of
        1/2 max(0, margin - D)^2. A kind of pair that is not in the batch adds nothing.
    """
    require_positive(margin, "margin")
    embeddings = as_rows(embeddings)
    equal = equal_labels(labels, embeddings)
    different = 1.0 - equal
    similar = equal - ops.eye(ops.shape(embeddings)[0], dtype=embeddings.dtype)
    squared = squared_distances(embeddings)
    push = ops.square(ops.maximum(0.0, margin - ops.sqrt(squared + EPSILON)))
    return 0.5 * (_mean_where(similar, squared) + _mean_where(different, push))


def _mean_where(weights: Tensor, values: Tensor) -> Tensor:
    """Mean of the values with weight 1, or 0 where there are none."""
    return ops.sum(weights * values) / ops.maximum(ops.sum(weights), 1.0)


def supervised_contrastive_loss(
    labels: Tensor, embeddings: Tensor, *, temperature: float = 0.1
) -> Tensor:
    """Compute the supervised contrastive loss of Khosla et al. (2020): a softmax over all pairs.

    With unit vectors z and similarities s_ij = z_i.z_j / temperature, row i picks its own class among
    all other rows:  -mean over p of the same class  log( exp(s_ip) / sum over k != i of exp(s_ik) ).
    It needs no margin, because hard pairs get more weight automatically. The MNIST recipe applies it to
    the wide hidden layer, where directions mean more than distances. (The paper's L_out, averaged over
    the batch.)

    Args:
        labels: (batch,) or (batch, 1) class of each row.
        embeddings: (batch, dim), not normalized; an all-zero row has similarity 0 to all.
        temperature: positive; a smaller one puts more weight on the nearest rows.

    Returns:
        A scalar: mean over the rows. A row without a partner in the batch adds nothing.
    """
    require_positive(temperature, "temperature")
    embeddings = as_rows(embeddings)
    itself = ops.eye(ops.shape(embeddings)[0], dtype=embeddings.dtype)
    partners = equal_labels(labels, embeddings) - itself
    unit = unit_length(embeddings)
    logits = ops.matmul(unit, ops.transpose(unit)) / temperature - 1e9 * itself
    log_probabilities = logits - ops.logsumexp(logits, axis=-1, keepdims=True)
    per_row = ops.sum(partners * log_probabilities, axis=-1)
    return -ops.mean(per_row / ops.maximum(ops.sum(partners, axis=-1), 1.0))


def prototypical_loss(labels: Tensor, embeddings: Tensor, *, shots: int = 1) -> Tensor:
    """Compute the prototypical loss: each query picks its class among the means of the examples.

    The first ``shots`` rows of a class are its examples, and their mean is its prototype c. Every other row
    z of the class is a query:  -log( exp(-|z - c_own|^2) / sum over classes k of exp(-|z - c_k|^2) ).

    Args:
        labels: (batch,) or (batch, 1) class of each row, in any order.
        embeddings: (batch, dim), not normalized.
        shots: examples of each class, K.

    Returns:
        A scalar: mean over the queries, or 0 if there are none.

    Source: Snell, Swersky and Zemel (2017), "Prototypical Networks for Few-shot Learning".
    """
    require_count(shots, "shots")
    embeddings = as_rows(embeddings)
    equal = equal_labels(labels, embeddings)
    earlier = ops.sum(ops.tril(equal, -1), axis=1)  # rows of the same class before each row
    is_example = ops.cast(earlier < shots, embeddings.dtype)
    weights = equal * is_example[None, :]
    # Row j holds the prototype of row j's class; the first row of a class stands for it
    prototypes = ops.matmul(weights, embeddings) / ops.sum(weights, axis=1, keepdims=True)
    center = ops.mean(prototypes, axis=0, keepdims=True)  # keeps the rounding error small
    rows, prototypes = embeddings - center, prototypes - center
    norms = ops.sum(ops.square(prototypes), axis=1)
    logits = 2.0 * ops.matmul(rows, ops.transpose(prototypes)) - norms[None, :]
    own = ops.diagonal(logits)
    others = ops.cast(earlier > 0, embeddings.dtype)[None, :]
    per_row = ops.logsumexp(logits - 1e9 * others, axis=1) - own
    return _mean_where(1.0 - is_example, per_row)


MININGS = ("semi-hard", "hard")


def mined_triplet_loss(
    labels: Tensor, embeddings: Tensor, *, margin: float = 0.2, mining: str = "semi-hard"
) -> Tensor:
    """Compute the triplet loss on triplets that are mined inside the batch, with distances D of unit vectors.

    max(0, D(anchor, positive) - D(anchor, negative) + margin), as a mean over the triplets:

    - ``hard``: one triplet for each anchor, its farthest positive and its nearest negative.
    - ``semi-hard``: one for each anchor and positive, with the nearest negative that is farther than the
      positive; where there is none, the farthest negative.

    Args:
        labels: (batch,) or (batch, 1) class of each row, in any order.
        embeddings: (batch, dim), not normalized.
        margin: how much nearer than the negative the positive should be.
        mining: ``semi-hard`` or ``hard``.

    Returns:
        A scalar. A row without a positive or without a negative adds nothing.

    Source: Schroff, Kalenichenko and Philbin (2015), "FaceNet"; Hermans, Beyer and Leibe (2017), "In
    Defense of the Triplet Loss for Person Re-Identification".
    """
    require_positive(margin, "margin")
    require_choice(mining, "mining", MININGS)
    embeddings = as_rows(embeddings)
    equal = equal_labels(labels, embeddings)
    distances = ops.sqrt(squared_distances(unit_length(embeddings)) + EPSILON)
    different = 1.0 - equal
    similar = equal - ops.eye(ops.shape(embeddings)[0], dtype=embeddings.dtype)
    far = 1e3  # beyond any distance of unit vectors
    if mining == "hard":
        positive = ops.max(distances - far * (1.0 - similar), axis=1)
        negative = ops.min(distances + far * equal, axis=1)
        counts = ops.max(similar, axis=1) * ops.max(different, axis=1)
    else:
        positive = distances
        # [anchor, positive, negative]
        candidates = distances[:, None, :] + far * equal[:, None, :]
        farther = ops.cast(candidates > distances[:, :, None], embeddings.dtype)
        nearest = ops.min(candidates + far * (1.0 - farther), axis=2)
        farthest = ops.max(distances - far * equal, axis=1)
        negative = ops.where(nearest < far, nearest, farthest[:, None])
        counts = similar * ops.max(different, axis=1)[:, None]
    return _mean_where(counts, ops.maximum(0.0, positive - negative + margin))


def similarity_matrix(left: Tensor, right: Tensor) -> Tensor:
    """Return the similarity of every left embedding with every right one: left right^T.

    For unit vectors these are cosines, from -1 to 1. If row i of both sides is a positive pair, the
    positives are on the diagonal and everything else is a negative.

    Args:
        left, right: (batch, dim).

    Returns:
        (batch, batch): entry (i, j) compares left row i with right row j.
    """
    left, right = as_rows(left, "left"), as_rows(right, "right")
    require_shape(right.shape, "right", (None, left.shape[1]), f"(batch, {left.shape[1]}), as left")
    return ops.matmul(left, ops.transpose(right))


def hard_negatives(similarities: Tensor) -> tuple[Tensor, Tensor]:
    """Return two negatives for every row of a similarity matrix: the hardest, and the mean of all.

    The hardest negative is the largest value off the diagonal, even where it exceeds the diagonal:
    the diagonal is lowered by 2, below any cosine, before the maximum is taken. (Some lectures take the
    largest value *below* the diagonal's instead. That leaves out the negatives with the largest error.)
    The mean is over the batch - 1 values off the diagonal.

    Args:
        similarities: (batch, batch) cosines, positives on the diagonal; batch at least 2.

    Returns:
        (hardest, mean), each (batch,).

    Example:
        >>> hard_negatives([[0.6, 0.7, -0.2], [0.1, 0.3, 0.2], [0.4, -0.5, 0.8]])
        # hardest 0.7, 0.2, 0.4; mean 0.25, 0.15, -0.05
    """
    similarities = as_tensor(similarities, "similarities")
    shape = similarities.shape
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] in (0, 1):
        raise ValueError(
            f"similarities has shape {tuple(shape)}; expected (batch, batch), batch >= 2"
        )
    batch = ops.shape(similarities)[0]
    diagonal = ops.eye(batch, dtype=similarities.dtype)
    hardest = ops.max(similarities - 2.0 * diagonal, axis=1)
    others = ops.cast(batch, similarities.dtype) - 1.0
    mean = ops.sum(similarities * (1.0 - diagonal), axis=1) / others
    return hardest, mean


def triplet_loss(targets: Tensor, embeddings: Tensor, *, margin: float = 0.25) -> Tensor:
    """Compute the triplet loss with the hardest and the mean negative of a batch.

    For row i with s = left right^T, positive s_ii, hardest negative h_i and mean negative m_i:

        L1 = max(0, margin - s_ii + h_i)        L2 = max(0, margin - s_ii + m_i)

    and the loss is the mean over the batch of L1 + L2. A model that gives every question the same
    embedding has s = 1 everywhere, and its loss is 2 margin.

    Args:
        targets: unused, because the rows define what is positive, but Keras passes them.
        embeddings: (batch, 2, dim) unit vectors: anchor and positive of each row. No other row of
            the batch may be their duplicate. batch is at least 2.
        margin: alpha, how much more similar than a negative the positive must be.

    Source: hardest in-batch negatives as in Schroff, Kalenichenko and Philbin (2015), "FaceNet".
    """
    require_positive(margin, "margin")
    embeddings = as_sides(embeddings, 2)
    if embeddings.shape[0] == 1:
        raise ValueError(
            "embeddings has one pair, so similarities is (1, 1); expected (batch, batch), batch >= 2"
        )
    similarities = similarity_matrix(embeddings[:, 0], embeddings[:, 1])
    hardest, mean = hard_negatives(similarities)
    positive = ops.diagonal(similarities)
    return ops.mean(
        ops.maximum(0.0, margin - positive + hardest) + ops.maximum(0.0, margin - positive + mean)
    )


def in_batch_softmax_loss(same: Tensor, embeddings: Tensor, *, temperature: float = 0.05) -> Tensor:
    """Compute the in-batch softmax loss: each row picks its partner among all rows of the batch.

    -log( exp(s_ii / t) / sum over j of exp(s_ij / t) ), averaged over left to right and right to left.
    It needs no margin. Every negative counts, and the hardest count most. Also known as
    multiple-negatives ranking loss, InfoNCE or NT-Xent.

    Args:
        same: (batch,) 1 for a duplicate row, 0 for a row whose two sides only serve as negatives
            for the other rows.
        embeddings: (batch, 2, dim) unit vectors.
        temperature: t, positive; a smaller one puts more weight on the hardest negatives.

    Returns:
        A scalar: mean over the duplicate rows, or 0 if there are none.

    Source: Henderson et al. (2017), "Efficient Natural Language Response Suggestion for Smart Reply".
    """
    require_positive(temperature, "temperature")
    embeddings = as_sides(embeddings, 2)
    same = as_same(same, embeddings)
    logits = similarity_matrix(embeddings[:, 0], embeddings[:, 1]) / temperature
    positive = ops.diagonal(logits)
    forward = ops.logsumexp(logits, axis=1) - positive
    backward = ops.logsumexp(logits, axis=0) - positive
    return _mean_where(same, 0.5 * (forward + backward))


def labeled_pairs_loss(
    same: Tensor, embeddings: Tensor, *, scale: float = 20.0, threshold: float = 0.6
) -> Tensor:
    """Compute the logistic loss of labeled pairs: is the cosine above the threshold or below?

    log(1 + exp(-scale (s - threshold))) for a duplicate pair of cosine s, and
    log(1 + exp(scale (s - threshold))) for a different one. Each kind is averaged separately, and
    both have the same weight.

    Args:
        same: (batch,) 1 for a duplicate, 0 for a different pair.
        embeddings: (batch, 2, dim) unit vectors.
        scale: how steep the step at the threshold is.
        threshold: the cosine that separates the two kinds.

    Returns:
        A scalar. A kind of pair that is not in the batch adds nothing.
    """
    require_positive(scale, "scale")
    require_number(threshold, "threshold")
    embeddings = as_sides(embeddings, 2)
    same = as_same(same, embeddings)
    similarity = ops.sum(embeddings[:, 0] * embeddings[:, 1], axis=-1)
    logits = scale * (similarity - threshold)
    return 0.5 * (
        _mean_where(same, ops.softplus(-logits)) + _mean_where(1.0 - same, ops.softplus(logits))
    )


def scale_scores(score: Tensor) -> Tensor:
    """Map human similarity scores from 0 to 5 to the range of a cosine: x / 2.5 - 1, from -1 to 1; any shape."""
    return score / 2.5 - 1.0


def unit_length(embeddings: Tensor) -> Tensor:
    """Divide every embedding by its length: (..., dim) -> (..., dim).

    Lengths below ``EPSILON`` count as ``EPSILON``: zeros stay zeros, and their gradient is finite.
    """
    embeddings = as_tensor(embeddings, "embeddings")
    if not len(embeddings.shape) or embeddings.shape[-1] == 0:
        raise ValueError(f"embeddings has shape {tuple(embeddings.shape)}; expected (..., dim)")
    squared = ops.sum(ops.square(embeddings), axis=-1, keepdims=True)
    return embeddings * ops.rsqrt(ops.maximum(squared, EPSILON**2))


def row_cosines(embeddings: Tensor) -> Tensor:
    """Return the cosine of the two sides, row by row: (batch, 2, dim) -> (batch,).

    It is not the product of left and right transposed: that is (batch, batch), and broadcasts
    against (batch, 1) targets without an error.
    """
    unit = unit_length(as_sides(embeddings, 2))
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def cosine_regression_loss(targets: Tensor, embeddings: Tensor) -> Tensor:
    """Compute the mean squared error between the cosine of a pair and its scaled human score.

    Args:
        targets: (batch,) or (batch, 1) from -1 to 1, as ``scale_scores`` returns them.
        embeddings: (batch, 2, dim), of any length.

    Source: the regression objective of Reimers and Gurevych (2019), "Sentence-BERT".
    """
    embeddings = as_sides(embeddings, 2)
    targets = as_targets(targets, "targets", embeddings)
    if known(targets) and np.abs(values_of(targets)).max() > 1 + EPSILON:
        raise ValueError(
            "targets leaves the range -1 to 1; expected cosines, as scale_scores returns them"
        )
    targets = ops.cast(targets, embeddings.dtype)
    return ops.mean(ops.square(row_cosines(embeddings) - targets))


def score_ranking_loss(scores: Tensor, embeddings: Tensor, *, scale: float = 20.0) -> Tensor:
    """Compute a ranking loss: a pair with a higher score should have a higher cosine.

    log( 1 + sum over all (i, j) with score_i > score_j of exp(scale (cos_j - cos_i)) )

    Only the order of the pairs counts, as in Spearman's correlation. The squared error also
    compares the values.

    Args:
        scores: (batch,) or (batch, 1), of any range.
        embeddings: (batch, 2, dim), of any length.
        scale: how much a wrong order of similar cosines counts.

    Returns:
        A scalar, 0 if all scores are the same.

    Source: Su (2022), "CoSENT: a more efficient sentence vector scheme than Sentence-BERT".
    """
    require_positive(scale, "scale")
    embeddings = as_sides(embeddings, 2)
    scores = ops.cast(as_targets(scores, "scores", embeddings), embeddings.dtype)
    cosines = scale * row_cosines(embeddings)
    differences = cosines[None, :] - cosines[:, None]
    ordered = scores[:, None] > scores[None, :]
    terms = ops.where(ordered, differences, ops.full_like(differences, -1e9))
    return ops.softplus(ops.logsumexp(terms))


def distance_triplet_loss(targets: Tensor, embeddings: Tensor, *, margin: float = 1.0) -> Tensor:
    """Compute the triplet loss on distances: the positive should be nearer than the negative.

    mean of max(0, D(anchor, positive) - D(anchor, negative) + margin), with the D of ``euclidean_distance``.

    Args:
        targets: unused, because a triplet needs no label, but Keras passes them.
        embeddings: (batch, 3, dim): anchor, positive, negative; not normalized.
        margin: how much nearer than the negative the positive should be.

    Source: the triplet objective of Reimers and Gurevych (2019), "Sentence-BERT".
    """
    require_positive(margin, "margin")
    embeddings = as_sides(embeddings, 3)
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    gap = euclidean_distance(anchor, positive) - euclidean_distance(anchor, negative)
    return ops.mean(ops.maximum(0.0, gap + margin))
