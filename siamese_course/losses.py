"""The losses of the course, in keras.ops: they run on the TensorFlow, JAX and PyTorch backends.

One convention everywhere: ``same`` is 1 for a similar pair and 0 for a different one, and comes first,
as Keras passes targets first. (Hadsell, Chopra and LeCun write Y = 0 for a similar pair.)
"""

from keras import ops

from siamese_course.validation import require_margin

EPSILON = 1e-6
"""Added inside the square root of a distance: keeps its gradient finite where two embeddings coincide."""


def euclidean_distance(left, right):
    """Distance between embeddings, row by row: D = sqrt(sum((left - right)^2) + 1e-6).

    The derivative of sqrt(x) grows without bound as x goes to 0; the epsilon keeps it at most
    1 / (2 sqrt(1e-6)) = 500, so that two equal embeddings have distance 0.001 and gradient zero.

    Args:
        left: (..., dim) embeddings.
        right: (..., dim) embeddings.

    Returns:
        (...,) distances.

    Example:
        >>> euclidean_distance([[0.0, 0.0]], [[3.0, 4.0]])  # 5, to six digits
    """
    difference = ops.subtract(left, right)
    return ops.sqrt(ops.sum(ops.square(difference), axis=-1) + EPSILON)


def contrastive_loss(same, embeddings, *, margin=5.0):
    """The contrastive loss of Hadsell, Chopra and LeCun (2006), as a mean over pairs.

    similar pair:    1/2 sum((a - b)^2)            pulls together, however near
    different pair:  1/2 max(0, margin - D)^2      pushes apart, up to the margin

    ====================  =======================================  ==========================
    argument              shape                                    meaning
    ====================  =======================================  ==========================
    same                  (batch,)                                 1 similar, 0 different
    embeddings            (batch, 2, dim)                          the two sides of each pair
    ====================  =======================================  ==========================

    D carries the epsilon of ``euclidean_distance``, the similar term does not. The paper sums over
    the pairs; like most code we take the mean, so that the learning rate does not depend on the batch.

    Args:
        same: (batch,) of 1 and 0.
        embeddings: (batch, 2, dim).
        margin: the distance beyond which a different pair is left alone.

    Returns:
        A scalar.

    Raises:
        ValueError: the margin is not a positive number.
    """
    require_margin(margin)
    left, right = embeddings[:, 0], embeddings[:, 1]
    same = ops.reshape(ops.cast(same, embeddings.dtype), (-1,))
    squared = ops.sum(ops.square(left - right), axis=-1)
    pull = 0.5 * squared
    push = 0.5 * ops.square(ops.maximum(0.0, margin - euclidean_distance(left, right)))
    return ops.mean(same * pull + (1.0 - same) * push)


def squared_distances(embeddings):
    """Squared Euclidean distances between all rows, without a (batch, batch, dim) array.

    |a - b|^2 = |a|^2 + |b|^2 - 2 a.b: one matrix product. Distances do not change when every row moves
    by the same vector, so the mean is taken off first, which keeps the rounding error small.

    Args:
        embeddings: (batch, dim).

    Returns:
        (batch, batch), zero or above.
    """
    centred = embeddings - ops.mean(embeddings, axis=0, keepdims=True)
    norms = ops.sum(ops.square(centred), axis=-1)
    products = ops.matmul(centred, ops.transpose(centred))
    return ops.maximum(norms[:, None] + norms[None, :] - 2.0 * products, 0.0)


def all_pairs_contrastive_loss(labels, embeddings, *, margin=5.0):
    """The contrastive loss over every pair inside a batch, similar and different pairs weighing the same.

    A batch of B rows holds B (B - 1) / 2 pairs for the price of B forward passes. Nine in ten of them
    are different, so the two kinds are averaged apart and then added: the same balance as
    ``balanced_pairs``, without drawing.

    Args:
        labels: (batch,) or (batch, 1) class of each row.
        embeddings: (batch, dim).
        margin: the distance beyond which a different pair is left alone.

    Returns:
        A scalar: mean over similar pairs of 1/2 D^2 plus mean over different pairs of
        1/2 max(0, margin - D)^2. A kind that the batch does not hold adds nothing.

    Raises:
        ValueError: the margin is not a positive number.
    """
    require_margin(margin)
    labels = ops.reshape(labels, (-1,))
    equal = ops.cast(labels[:, None] == labels[None, :], embeddings.dtype)
    different = 1.0 - equal
    similar = equal - ops.eye(ops.shape(embeddings)[0], dtype=embeddings.dtype)
    squared = squared_distances(embeddings)
    push = ops.square(ops.maximum(0.0, margin - ops.sqrt(squared + EPSILON)))
    return 0.5 * (_mean_where(similar, squared) + _mean_where(different, push))


def _mean_where(weights, values):
    """Mean of the values with weight 1, or 0 where there are none."""
    return ops.sum(weights * values) / ops.maximum(ops.sum(weights), 1.0)


def supervised_contrastive_loss(labels, embeddings, *, temperature=0.1):
    """The supervised contrastive loss of Khosla et al. (2020): every pair of a batch, as a softmax.

    With unit vectors z and similarities s_ij = z_i.z_j / temperature, row i wants its own class among
    all other rows:  -mean over p of the same class  log( exp(s_ip) / sum over k != i of exp(s_ik) ).
    It has no margin: hard pairs weigh more by themselves. The course uses it on the wide hidden layer,
    where directions mean more than distances. (The paper's L_out, averaged over the batch.)

    Args:
        labels: (batch,) or (batch, 1) class of each row.
        embeddings: (batch, dim), not normalized; an all-zero row counts as similar to nothing.
        temperature: above 0; smaller looks harder at the nearest rows.

    Returns:
        A scalar: mean over the rows; a row without a partner in the batch adds nothing.

    Raises:
        ValueError: the temperature is not a positive number.
    """
    if not 0 < temperature < float("inf"):
        raise ValueError(f"temperature is {temperature}; expected a positive number")
    labels = ops.reshape(labels, (-1,))
    itself = ops.eye(ops.shape(embeddings)[0], dtype=embeddings.dtype)
    partners = ops.cast(labels[:, None] == labels[None, :], embeddings.dtype) - itself
    unit = unit_length(embeddings)
    logits = ops.matmul(unit, ops.transpose(unit)) / temperature - 1e9 * itself
    log_shares = logits - ops.logsumexp(logits, axis=-1, keepdims=True)
    per_row = ops.sum(partners * log_shares, axis=-1)
    return -ops.mean(per_row / ops.maximum(ops.sum(partners, axis=-1), 1.0))


def similarity_matrix(left, right):
    """Similarities of every left embedding with every right one: left right^T.

    For unit vectors these are cosines, from -1 to 1. Where row i of both sides belongs together, the
    positives stand on the diagonal and all else is negatives.

    Args:
        left: (batch, dim).
        right: (batch, dim).

    Returns:
        (batch, batch): entry (i, j) compares left row i with right row j.
    """
    return ops.matmul(left, ops.transpose(right))


def hard_negatives(similarities):
    """The two negatives of every row of a similarity matrix: the closest one, and the mean of all.

    The closest negative is the largest value off the diagonal, whatever the diagonal holds: the diagonal
    is lowered by 2, below any cosine, before the maximum is taken. (Some lectures ask for the largest
    value *below* the diagonal one instead. That leaves out exactly the negatives that are wrong by most.)
    The mean runs over the batch - 1 values off the diagonal.

    Args:
        similarities: (batch, batch) cosines, positives on the diagonal; batch at least 2.

    Returns:
        (closest, mean), each (batch,).

    Raises:
        ValueError: the matrix is not square, or has a single row, which leaves no negative.

    Example:
        >>> hard_negatives([[0.6, 0.7, -0.2], [0.1, 0.3, 0.2], [0.4, -0.5, 0.8]])
        # closest 0.7, 0.2, 0.4; mean 0.25, 0.15, -0.05
    """
    similarities = ops.convert_to_tensor(similarities)
    shape = similarities.shape
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 1:
        raise ValueError(
            f"similarities has shape {tuple(shape)}; expected (batch, batch), batch >= 2"
        )
    batch = ops.shape(similarities)[0]
    diagonal = ops.eye(batch, dtype=similarities.dtype)
    closest = ops.max(similarities - 2.0 * diagonal, axis=1)
    others = ops.cast(batch, similarities.dtype) - 1.0
    mean = ops.sum(similarities * (1.0 - diagonal), axis=1) / others
    return closest, mean


def triplet_loss(targets, embeddings, *, margin=0.25):
    """The triplet loss with the hardest and the mean negative of a batch.

    For row i with s = left right^T, positive s_ii, closest negative c_i and mean negative m_i:

        L1 = max(0, margin - s_ii + c_i)        L2 = max(0, margin - s_ii + m_i)

    and the loss is the mean over the batch of L1 + L2. A model that gives every question the same
    embedding has s = 1 everywhere, and sits at 2 margin.

    Args:
        targets: not used: the rows themselves say what belongs together. Keras passes some all the same.
        embeddings: (batch, 2, dim) unit vectors: anchor and positive of each row, and no other row of
            the batch is their duplicate. batch is at least 2.
        margin: alpha, by how much the positive must be more similar than a negative.

    Returns:
        A scalar.

    Raises:
        ValueError: the margin is not a positive number, or there is no negative.

    Source: hardest in-batch negatives as in Schroff, Kalenichenko and Philbin (2015), "FaceNet".
    """
    require_margin(margin)
    embeddings = ops.convert_to_tensor(embeddings)
    similarities = similarity_matrix(embeddings[:, 0], embeddings[:, 1])
    closest, mean = hard_negatives(similarities)
    positive = ops.diagonal(similarities)
    return ops.mean(
        ops.maximum(0.0, margin - positive + closest) + ops.maximum(0.0, margin - positive + mean)
    )


def in_batch_softmax_loss(same, embeddings, *, temperature=0.05):
    """Each row picks its partner among all of the batch: a softmax over the similarity matrix.

    -log( exp(s_ii / t) / sum over j of exp(s_ij / t) ), left to right and right to left averaged. It needs
    no margin, and every negative counts, the hard ones by themselves most. Known as
    multiple-negatives ranking loss, InfoNCE or NT-Xent.

    Args:
        same: (batch,) 1 for a duplicate row, 0 for a row whose two sides are only there to be
            negatives of the others.
        embeddings: (batch, 2, dim) unit vectors.
        temperature: t, above 0; smaller looks harder at the most similar negatives.

    Returns:
        A scalar: mean over the duplicate rows, and 0 if there is none.

    Raises:
        ValueError: the temperature is not a positive number.

    Source: Henderson et al. (2017), "Efficient Natural Language Response Suggestion for Smart Reply".
    """
    if not 0 < temperature < float("inf"):
        raise ValueError(f"temperature is {temperature}; expected a positive number")
    logits = similarity_matrix(embeddings[:, 0], embeddings[:, 1]) / temperature
    positive = ops.diagonal(logits)
    forward = ops.logsumexp(logits, axis=1) - positive
    backward = ops.logsumexp(logits, axis=0) - positive
    same = ops.reshape(ops.cast(same, embeddings.dtype), (-1,))
    return _mean_where(same, 0.5 * (forward + backward))


def labeled_pairs_loss(same, embeddings, *, scale=20.0, threshold=0.6):
    """Logistic loss of labelled pairs: is this cosine above the threshold, or below?

    log(1 + exp(-scale (s - threshold))) for a duplicate pair of cosine s, log(1 + exp(scale (s - threshold)))
    for a different one, each kind averaged by itself and both weighing the same.

    Args:
        same: (batch,) 1 for a duplicate, 0 for a different pair.
        embeddings: (batch, 2, dim) unit vectors.
        scale: how sharp the border is.
        threshold: where it is.

    Returns:
        A scalar. A kind that the batch does not hold adds nothing.
    """
    same = ops.reshape(ops.cast(same, embeddings.dtype), (-1,))
    similarity = ops.sum(embeddings[:, 0] * embeddings[:, 1], axis=-1)
    logits = scale * (similarity - threshold)
    return 0.5 * (
        _mean_where(same, ops.softplus(-logits)) + _mean_where(1.0 - same, ops.softplus(logits))
    )


def scale_scores(score):
    """Human similarity scores from 0 to 5 on the range of a cosine: x / 2.5 - 1, from -1 to 1."""
    return score / 2.5 - 1.0


def unit_length(embeddings):
    """Every embedding divided by its length: (..., dim).

    Lengths below ``EPSILON`` count as ``EPSILON``: zeros stay zeros, and the gradient is finite there.
    """
    squared = ops.sum(ops.square(embeddings), axis=-1, keepdims=True)
    return embeddings * ops.rsqrt(ops.maximum(squared, EPSILON**2))


def row_cosines(embeddings):
    """Cosine of the two sides, row by row: (batch, 2, dim) -> (batch,).

    Row by row, and not left times right transposed: that product is (batch, batch), and broadcasts
    without a word against (batch, 1) targets.
    """
    unit = unit_length(embeddings)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def cosine_regression_loss(targets, embeddings):
    """Mean squared error between the cosine of a pair and its scaled human score.

    Args:
        targets: (batch,) or (batch, 1) from -1 to 1, as ``scale_scores`` gives them.
        embeddings: (batch, 2, dim), of any length.

    Returns:
        A scalar.

    Source: the regression objective of Reimers and Gurevych (2019), "Sentence-BERT".
    """
    targets = ops.reshape(ops.cast(targets, embeddings.dtype), (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))


def score_ranking_loss(scores, embeddings, *, scale=20.0):
    """A pair with a higher score is to have a higher cosine: only the order of the pairs counts.

    log( 1 + sum over all (i, j) with score_i > score_j of exp(scale (cos_j - cos_i)) )

    This is what Spearman's correlation asks for; the squared error also asks for the right numbers.

    Args:
        scores: (batch,) or (batch, 1), of any range.
        embeddings: (batch, 2, dim), of any length.
        scale: how much a wrong order of close cosines counts.

    Returns:
        A scalar, 0 where all scores are the same.

    Source: Su (2022), "CoSENT: a more efficient sentence vector scheme than Sentence-BERT".
    """
    scores = ops.reshape(ops.cast(scores, embeddings.dtype), (-1,))
    cosines = scale * row_cosines(embeddings)
    differences = cosines[None, :] - cosines[:, None]
    ordered = scores[:, None] > scores[None, :]
    terms = ops.where(ordered, differences, ops.full_like(differences, -1e9))
    return ops.softplus(ops.logsumexp(terms))


def distance_triplet_loss(targets, embeddings, *, margin=1.0):
    """The triplet loss on distances: anchor and positive nearer than anchor and negative, by a margin.

    mean of max(0, D(anchor, positive) - D(anchor, negative) + margin), with the D of ``euclidean_distance``.

    Args:
        targets: not used: a triplet is its own label. Keras passes some all the same.
        embeddings: (batch, 3, dim): anchor, positive, negative; not normalized.
        margin: by how much.

    Returns:
        A scalar.

    Raises:
        ValueError: the margin is not a positive number.

    Source: the triplet objective of Reimers and Gurevych (2019), "Sentence-BERT".
    """
    require_margin(margin)
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    gap = euclidean_distance(anchor, positive) - euclidean_distance(anchor, negative)
    return ops.mean(ops.maximum(0.0, gap + margin))
