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


def contrastive_loss(same, embeddings, margin=5.0):
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


def all_pairs_contrastive_loss(labels, embeddings, margin=5.0):
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


def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    """The supervised contrastive loss of Khosla et al. (2020): every pair of a batch, as a softmax.

    With unit vectors z and similarities s_ij = z_i.z_j / temperature, row i wants its own class among
    all other rows:  -mean over p of the same class  log( exp(s_ip) / sum over k != i of exp(s_ik) ).
    It has no margin: hard pairs weigh more by themselves. The course uses it on the wide hidden layer,
    where directions mean more than distances. (The paper's L_out, averaged over the batch.)

    Args:
        labels: (batch,) or (batch, 1) class of each row.
        embeddings: (batch, dim), not normalised; an all-zero row counts as similar to nothing.
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
    norms = ops.sqrt(ops.sum(ops.square(embeddings), axis=-1, keepdims=True) + EPSILON)
    unit = embeddings / norms
    logits = ops.matmul(unit, ops.transpose(unit)) / temperature - 1e9 * itself
    log_shares = logits - ops.logsumexp(logits, axis=-1, keepdims=True)
    per_row = ops.sum(partners * log_shares, axis=-1)
    return -ops.mean(per_row / ops.maximum(ops.sum(partners, axis=-1), 1.0))
