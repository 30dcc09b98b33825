"""Exercise 3 of notebook 02: the similarity matrix."""

from siamese_course.exercises.cases import Known, gradients, require_traceable, reworded, unit
from siamese_course.exercises.engine import Exercise, Mistake, Part, compare, is_hidden
from siamese_course.runtime.trax_patch import trax

jnp = trax.fastmath.numpy


def similarity_matrix(left, right):
    """Cosines of every left row with every right one, in Trax's NumPy."""
    return jnp.dot(left, right.T)


MISTAKES = [
    Mistake(
        lambda a, b: jnp.dot(b, a.T),
        "The matrix is transposed: entry (i, j) must compare *left* row i with *right* row j.",
        "transposed",
    ),
    Mistake(
        lambda a, b: jnp.sum(a * b, axis=1),
        "These are the positives only, row i with row i. Compare every left row with every right row.",
        "positives_only",
    ),
    Mistake(
        lambda a, b: jnp.diag(jnp.sum(a * b, axis=1)),
        "Only the diagonal is filled. Compare every left row with every right row.",
        "diagonal_only",
    ),
    Mistake(
        lambda a, b: a * b,
        "This multiplies element by element, (batch, dim). A matrix product is `jnp.dot` or `@`.",
        "elementwise",
    ),
    Mistake(
        lambda a, b: jnp.dot(a, a.T),
        "Left is compared with itself. Compare it with right.",
        "left_twice",
    ),
    Mistake(
        lambda a, b: jnp.dot(b, b.T),
        "Right is compared with itself. Compare left with right.",
        "right_twice",
    ),
    Mistake(
        lambda a, b: jnp.dot(a.T, b),
        "The wrong side is transposed: this is (dim, dim). Transpose right: left (batch, dim), right^T (dim, batch).",
        "left_transposed",
    ),
    Mistake(
        lambda a, b: jnp.sqrt(jnp.sum((a[:, None] - b[None]) ** 2, axis=-1)),
        "These are distances: small means alike. The cosine of unit vectors is their dot product.",
        "distances",
    ),
    Mistake(
        lambda a, b: 1.0 - jnp.dot(a, b.T),
        "This is 1 - cosine, a distance: small means similar. Return the cosine itself.",
        "one_minus_cosine",
    ),
    Mistake(
        lambda a, b: jnp.dot(a, b.T) / a.shape[1],
        "The products are divided by the number of dimensions. Unit vectors need no division.",
        "divided",
    ),
    Mistake(
        lambda a, b: trax.layers.Softmax()(jnp.dot(a, b.T)),
        "This applies a softmax. Return the cosines themselves.",
        "softmax",
    ),
]
NOT_TRANSPOSED = Known(
    ("dot", "matmul", "contract"),
    "These shapes don't match. A matrix product needs (batch, dim) times (dim, batch): `left` and `right.T`.",
    "not_transposed",
)
BROADCAST = Known(
    ("broadcast",),
    "`*`, `/`, `+`, and `-` work element by element, and these shapes don't match. A matrix product is `jnp.dot` or `@`; "
    "lengths to divide by are one for each row, `axis=1, keepdims=True`.",
    "star",
)


def _sides(rows, dim):
    return tuple(jnp.array(unit(rows, dim, seed=seed)) for seed in (0, 1))


def _test(answer):
    cases = [_sides(*shape) for shape in (((7, 6), (3, 9)) if is_hidden() else ((4, 3), (2, 5)))]
    answer, edges = reworded(answer, NOT_TRANSPOSED, BROADCAST), [_sides(1, 4), _sides(3, 1)]
    compare(answer, similarity_matrix, cases, MISTAKES, edges=edges)


def _ready(answer):
    left, right = _sides(4, 3)
    require_traceable(lambda rows: jnp.sum(answer(rows, right)), left)


similarity = Exercise(
    name="02.similarity",
    title="Similarity matrix",
    parts=[
        Part(5, _test),
        gradients(
            1,
            similarity_matrix,
            lambda: [_sides(4, 3)],
            by=(0, 1),
            backend="jax",
            unit_rows=True,
        ),
    ],
    reference=[similarity_matrix],
    ready=_ready,
    hints=(
        "The cosine of two unit vectors is their dot product. A matrix product takes all dot products of rows with "
        "columns at once; so the right questions must become columns.",
        "`.T` transposes. (batch, dim) times (dim, batch) gives (batch, batch).",
        "`jnp.dot(left, ...)`: one blank to fill in.",
    ),
)
