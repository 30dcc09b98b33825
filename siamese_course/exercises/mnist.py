"""The seven exercises of notebook 01, 100 points."""

from itertools import islice

import numpy as np
from keras import ops

from siamese_course import evaluation, losses
from siamese_course.datasets import mnist
from siamese_course.exercises import observe
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    as_array,
    compare,
    is_hidden,
    seeded,
)
from siamese_course.exercises.explain import watch
from siamese_course.models import images as models

# --- 1: distance -------------------------------------------------------------------------------------


def _embeddings(*shape: int, seed: int = 0):
    rng = seeded(seed)
    return ops.convert_to_tensor(rng.normal(scale=2.0, size=shape).astype("float32"))


def _sum_of_squares(left, right, axis=-1):
    return ops.sum(ops.square(left - right), axis=axis)


DISTANCE_MISTAKES = [
    (
        lambda a, b: _sum_of_squares(a, b) + 1e-6,
        "This is the *squared* distance: the square root is missing.",
    ),
    (_sum_of_squares, "This is the *squared* distance: the square root is missing."),
    (
        lambda a, b: ops.sqrt(_sum_of_squares(a, b)) + 1e-6,
        "The epsilon stands outside the square root. There it saves nothing: the gradient of `sqrt` is "
        "infinite at 0, so the 1e-6 must be added before the root is taken.",
    ),
    (
        lambda a, b: ops.sqrt(_sum_of_squares(a, b)),
        "The epsilon is missing: at distance 0 the gradient of the square root is infinite, and one pair "
        "of equal embeddings turns every weight into NaN. Add 1e-6 inside the root.",
    ),
    (
        lambda a, b: ops.sqrt(_sum_of_squares(a, b, axis=0) + 1e-6),
        "The sum runs over the batch (axis 0). Sum over the last axis, the dimensions of one embedding.",
    ),
    (
        lambda a, b: ops.sqrt(_sum_of_squares(a, b, axis=None) + 1e-6),
        "All pairs were summed into one number. Sum over the last axis only: one distance a row.",
    ),
    (
        lambda a, b: ops.sqrt(ops.sum(ops.square(a - b), axis=-1, keepdims=True) + 1e-6),
        "The result has shape (batch, 1). Expected (batch,): leave `keepdims` out, or the distances will "
        "broadcast against the labels into a (batch, batch) table.",
    ),
    (
        lambda a, b: ops.sqrt(ops.square(ops.sum(a - b, axis=-1)) + 1e-6),
        "The differences are added up first, and squared then: they cancel out. Square each, then sum.",
    ),
    (
        lambda a, b: ops.sum(ops.abs(a - b), axis=-1),
        "This is the Manhattan distance, the sum of absolute differences. Square, sum, take the root.",
    ),
    (
        lambda a, b: ops.sqrt(ops.mean(ops.square(a - b), axis=-1) + 1e-6),
        "The squares are averaged over the dimensions. The Euclidean distance *sums* them.",
    ),
    (
        lambda a, b: ops.sqrt(ops.sum(ops.square(a + b), axis=-1) + 1e-6),
        "The embeddings are added. The distance is about their difference, left - right.",
    ),
]


def _test_distance(answer):
    points = _embeddings(6, 3)
    cases = [(points, _embeddings(6, 3, seed=1)), (_embeddings(2, 5), _embeddings(2, 5, seed=1))]
    half = ops.concatenate([points[:3], _embeddings(3, 3, seed=2)])  # some rows are equal, some not
    compare(
        answer,
        losses.euclidean_distance,
        [*cases, (points, points), (points, half)],  # equal rows show the epsilon
        DISTANCE_MISTAKES,
        atol=1e-7,
    )


def _test_distance_far_apart(answer):
    """Rows of distance 3 and more, where the epsilon does not show: the formula alone."""
    apart = ops.convert_to_tensor(np.array([8.0, -8.0, 8.0], "float32"))
    far = [(_embeddings(6, 3), _embeddings(6, 3, seed=1) + apart)]
    without_epsilon = [m for m in DISTANCE_MISTAKES if "psilon" not in m[1]]
    compare(answer, losses.euclidean_distance, far, without_epsilon)


distance = Exercise(
    name="01.distance",
    title="Euclidean distance",
    parts=[Part(5, _test_distance_far_apart), Part(5, _test_distance)],
    reference=[losses.euclidean_distance],
    hints=(
        "The distance is Pythagoras: subtract the embeddings, square the differences, add them up, and "
        "take the square root. Do it row by row: (batch, dim) and (batch, dim) give (batch,).",
        "`ops.sum` takes an `axis`: -1 is the last one, the dimensions of an embedding. The 1e-6 belongs "
        "under the root, because the derivative of sqrt(x) is 1 / (2 sqrt(x)).",
        "`ops.sqrt(ops.sum(ops.square(left - right), axis=...) + ...)`: two gaps to fill.",
    ),
)

# --- 2: contrastive loss ------------------------------------------------------------------------------


def _pieces(same, embeddings):
    left, right = embeddings[:, 0], embeddings[:, 1]
    same = ops.cast(same, "float32")
    squared = ops.sum(ops.square(left - right), axis=-1)
    return same, squared, ops.sqrt(squared + 1e-6)


def _loss(combine):
    """A loss that differs from the right one in one place: ``combine`` of (same, D^2, D, margin)."""

    def mistaken(same, embeddings, margin=5.0):
        same, squared, d = _pieces(same, embeddings)
        return combine(same, squared, d, margin)

    return mistaken


def _hinge(x):
    return ops.maximum(0.0, x)


def _course_loss(same, embeddings, margin=5.0):
    """The course's loss as the exercise asks for it: the margin may come without its name."""
    return losses.contrastive_loss(same, embeddings, margin=margin)


def _default_margin_of_one(same, embeddings, margin=1.0):
    return losses.contrastive_loss(same, embeddings, margin=margin)


MISSING_EPSILON = (
    _loss(lambda s, d2, d, m: ops.mean(s * d2 / 2 + (1 - s) * _hinge(m - ops.sqrt(d2)) ** 2 / 2)),
    "The epsilon is missing under the root: two different pictures on one point get the gradient NaN. Use "
    "`euclidean_distance`, or add 1e-6 inside `ops.sqrt`.",
)
SWAPPED = (
    "The labels are the wrong way round: here `same` is 1 for a *similar* pair. (The paper writes 0 "
    "for similar; this mix-up is the most common one of all.)"
)

LOSS_MISTAKES = [
    (
        _loss(lambda s, d2, d, m: ops.mean((1 - s) * d2 / 2 + s * _hinge(m - d) ** 2 / 2)),
        SWAPPED,
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean((1 - s) * d2 + s * _hinge(m - d) ** 2)),
        SWAPPED + " The factor 1/2 is missing, too.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.sum((1 - s) * d2 / 2 + s * _hinge(m - d) ** 2 / 2)),
        SWAPPED + " And the mean is forgotten.",
    ),
    (
        _default_margin_of_one,
        "Without a margin given, it must be 5: `margin=5.0` in the first line.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(s * d2 / 2 + (1 - s) * ops.max(m - d) ** 2 / 2)),
        "`ops.max` looks for the largest of the whole batch. `ops.maximum(0.0, ...)` compares number by number.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.sum(s * d2 / 2 + (1 - s) * _hinge(m - d) ** 2 / 2)),
        "The mean is forgotten: this is the sum over the pairs, which grows with the batch.",
    ),
    (
        _loss(lambda s, d2, d, m: s * d2 / 2 + (1 - s) * _hinge(m - d) ** 2 / 2),
        "The mean is forgotten: this is one value a pair, and a loss is one number.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(s * d2 / 2 + (1 - s) * _hinge(m**2 - d2) / 2)),
        "The margin got inside the square: this is max(0, m^2 - D^2). Subtract the distance from the "
        "margin first, and square what is left.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(s * d2 / 2 + (1 - s) * _hinge(m - d2) ** 2 / 2)),
        "The different pairs compare the margin with the *squared* distance. Use D itself there.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(s * d2 / 2 + (1 - s) * _hinge(m - d2) / 2)),
        "The different pairs compare the margin with the *squared* distance. Use D itself there.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(s * d / 2 + (1 - s) * _hinge(m - d) ** 2 / 2)),
        "The distance of similar pairs is not squared: their term is 1/2 D^2.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(s * d2 / 2 + (1 - s) * _hinge(m - d) / 2)),
        "The term of different pairs is not squared: it is 1/2 max(0, m - D)^2.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(s * d2 + (1 - s) * _hinge(m - d) ** 2)),
        "The factor 1/2 is missing.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(s * d2 / 2 + (1 - s) * (m - d) ** 2 / 2)),
        "The max(0, ...) is missing: different pairs that are farther apart than the margin would be pulled "
        "back together.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(s * d2 / 2 + (1 - s) * _hinge(d - m) ** 2 / 2)),
        "The sign inside max is turned round: different pairs pay when they are *nearer* than the "
        "margin, so it is m - D.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(s * d2 / 2 + (1 - s) * _hinge(5.0 - d) ** 2 / 2)),
        "The margin is written down as 5. Use the argument `margin`.",
    ),
    (
        _loss(lambda s, d2, d, m: ops.mean(d2 / 2 + _hinge(m - d) ** 2 / 2)),
        "Every pair gets both terms. `same` selects: the first where it is 1, the second where it is 0.",
    ),
]


def _pair_cases(same_values, margin_values=(5.0,)):
    rng = seeded(3)
    embeddings = _embeddings(8, 2, 4 if is_hidden() else 2, seed=3)
    same = rng.permutation(np.resize(same_values, 8)).astype("float32")
    return [(ops.convert_to_tensor(same), embeddings, margin) for margin in margin_values]


def _test_loss(same_values, margins):
    def test(answer):
        cases = _pair_cases(same_values, margins)
        default = cases[0][:2]  # and once with the margin left to its default, 5
        compare(answer, _course_loss, [*cases, default], LOSS_MISTAKES)

    return test


def _test_loss_of_twins(answer):
    """Two different pictures on one point: the value shows the epsilon, and its absence."""
    twins = ops.convert_to_tensor(np.ones((3, 2, 2), "float32"))
    different = ops.convert_to_tensor(np.zeros(3, "float32"))
    cases = [(different, twins, 5.0), *_pair_cases([1, 0, 0])]
    compare(answer, _course_loss, cases, [*LOSS_MISTAKES, MISSING_EPSILON])


def _train_one_step(answer):
    """Take two optimizer steps through the answer: it must be made of what the backend can differentiate."""
    import keras

    model = models.build_siamese(models.build_encoder(pixels=4, units=4))
    model.compile("sgd", answer)
    if keras.backend.backend() == "tensorflow":
        model.jit_compile = True  # as training does
    for pairs_in_batch in (4, 5):  # two lengths, as training has
        pictures = seeded(0).random((pairs_in_batch, 4)).astype("float32")
        same = np.arange(pairs_in_batch) % 2
        model.train_on_batch([pictures, pictures[::-1]], same.astype("float32"))
    moved = any(
        np.abs(ops.convert_to_numpy(bias)).max() > 0 for bias in model.trainable_weights[1::2]
    )
    if not moved:
        raise Wrong(f"no gradient comes through it on {keras.backend.backend()}")


contrastive_loss = Exercise(
    name="01.contrastive_loss",
    title="Contrastive loss",
    parts=[
        Part(5, _test_loss([1], (5.0,))),
        Part(5, _test_loss([0], (5.0,))),
        Part(2, _test_loss_of_twins),
        Part(8, _test_loss([1, 0, 0], (5.0, 2.0))),
    ],
    reference=[losses.contrastive_loss],
    ready=_train_one_step,
    hints=(
        "Two wishes in one formula. A similar pair pays for every bit of distance; a different pair pays "
        "only while it is nearer than the margin. `same` decides which of the two a pair pays.",
        "`embeddings[:, 0]` and `embeddings[:, 1]` are the two sides. The similar term is 1/2 D^2 and the "
        "different one 1/2 max(0, margin - D)^2; `ops.maximum` is the max.",
        "`pull = 0.5 * ...`, `push = 0.5 * ops.square(ops.maximum(0.0, ...))`, and then "
        "`ops.mean(same * pull + (1 - same) * push)`.",
    ),
)

# --- 3: pairs -----------------------------------------------------------------------------------------


def _labels() -> np.ndarray:
    """Of ten classes, a few more or less in the instructor's check."""
    return seeded(5).integers(0, 10, size=1003 if not is_hidden() else 977)


SMALL_CLASSES = np.arange(60) % 15


def _batch_size() -> int:
    return 24 if is_hidden() else 32


ENOUGH = 200  # more batches than an epoch can have: an endless generator is cut here


def _require_whole_numbers(side):
    """Row numbers must be integers: NumPy's default of floats cannot index."""
    dtype = np.asarray(side).dtype
    if dtype.kind == "f":
        raise Wrong(
            f"The row numbers have dtype {dtype}, and floats cannot index an array. "
            "Make the array with `dtype=int`."
        )


def _epoch(answer, seed: int = 0, labels=None, batch_size: int | None = None):
    """One epoch of an answer as a list of index pairs, with the faults of form named."""
    labels = _labels() if labels is None else labels
    batch_size = batch_size or _batch_size()
    produced = answer(labels, batch_size, seeded(seed))
    if produced is None:
        raise Wrong(
            "The function returns `None`: use `yield left, right` in the loop, or return a list."
        )
    try:
        batches = list(islice(iter(produced), ENOUGH))
    except TypeError:
        raise Wrong(
            f"The function returns a `{type(produced).__name__}`; expected batches to loop over."
        ) from None
    if not batches:
        raise Wrong("No batch came out. Is a `yield` missing, or is it outside the loop?")
    epoch = []
    for batch in batches:
        if not isinstance(batch, tuple | list) or len(batch) != 2:
            raise Wrong("Every batch must be a pair `(left, right)` of index arrays.")
        left, right = (as_array(side, "A side of a batch") for side in batch)
        for side in batch:
            _require_whole_numbers(side)
        if left.ndim != 1 or right.ndim != 1:
            raise Wrong(
                f"The sides have shapes {left.shape} and {right.shape}; expected (batch,) each."
            )
        if len(left) != len(right):
            raise Wrong(
                f"A left side has {len(left)} rows and its right side {len(right)}: where the number of rows "
                "does not divide evenly, neighbouring batches differ by one. Cut both to the shorter one."
            )
        for side in (left, right):
            if (side != side.round()).any() or side.min() < 0 or side.max() >= len(labels):
                raise Wrong(f"The sides must hold row numbers from 0 to {len(labels) - 1}.")
        epoch.append((left.astype(int), right.astype(int)))
    if len(batches) == ENOUGH:
        raise Wrong("The generator never ends. One call is one epoch: loop over the batches once.")
    used = np.unique(np.concatenate([side for batch in epoch for side in batch]))
    if len(labels) > 200 and np.array_equal(used, np.unique(labels)):
        raise Wrong(
            "These look like labels. Yield row numbers: where in the data the pictures stand."
        )
    return epoch


def _flat(epoch):
    return tuple(np.concatenate(side) for side in zip(*epoch, strict=True))


def _equal(a, b) -> bool:
    return len(a) == len(b) and all(
        np.array_equal(x, y) for x, y in zip(_flat(a), _flat(b), strict=True)
    )


def _require_random(answer, first):
    if not _equal(first, _epoch(answer, seed=0)):
        raise Wrong("Two runs with the same seed differ. Draw every random number from `rng`.")
    if _equal(first, _epoch(answer, seed=1)):
        raise Wrong(
            "The pairs are never shuffled: another `rng` gives the same pairs. Use `rng.permutation`."
        )


def _require_sides_differ(left, right):
    if np.array_equal(left, right):
        raise Wrong("Left and right are the same rows: every picture is paired with itself.")
    if (left == right).any():
        raise Wrong(
            f"{(left == right).sum()} pictures are paired with themselves: such a pair teaches nothing."
        )


def _test_classic(answer):
    labels = _labels()
    first = _epoch(answer)
    left, right = _flat(first)
    _require_sides_differ(left, right)
    if (labels[left] == labels[right]).all():
        raise Wrong("Every pair is similar. The classic pairs ignore the labels.")
    used = np.concatenate([left, right])
    if len(np.unique(used)) < len(used):
        raise Wrong(
            "Some rows occur twice in an epoch. Pair batch 1 with 2, 3 with 4, and so on: each once."
        )
    _require_random(answer, first)
    if (np.diff(left) == 1).mean() > 0.5:
        raise Wrong(
            "Inside the batches the rows stand in the order of the data: only the batches were shuffled. Shuffle the rows."
        )
    steps = len(labels) // (2 * _batch_size())
    if len(first) != steps:
        raise Wrong(
            f"{len(first)} steps came out of {len(labels)} rows with batch_size {_batch_size()}; expected {steps}: an "
            "even number of batches, `2 * (n // (2 * batch_size))`, gives none to drop."
        )
    if any(len(batch) < _batch_size() for batch, _ in first):
        raise Wrong(f"A batch is shorter than batch_size = {_batch_size()}.")


def _test_balanced(answer):
    labels = _labels()
    first = _epoch(answer)
    left, right = _flat(first)
    _require_sides_differ(left, right)
    # small classes, where a row would soon meet itself
    _require_sides_differ(*_flat(_epoch(answer, labels=SMALL_CLASSES, batch_size=8)))
    same = labels[left] == labels[right]
    share = same.mean()
    if share == 1:
        raise Wrong("Every pair is similar: half of the right sides must come from another class.")
    if share == 0:
        raise Wrong("No pair is similar: half of the right sides must come from the same class.")
    if share < 0.2:
        raise Wrong(
            f"Only {share:.0%} of the pairs are similar, as many as chance makes. Half of them should be."
        )
    if 0.5 < share < 0.65:
        _require_other_class(answer)  # which is another way to get too many similar ones
    if not 0.42 <= share <= 0.58:
        raise Wrong(f"{share:.0%} of the pairs are similar; expected about half.")
    if len(left) < len(labels):
        raise Wrong(
            f"{len(left)} pairs came out of {len(labels)} rows. Keep the last batch, though it is shorter."
        )
    if not np.array_equal(np.sort(left), np.arange(len(labels))):
        raise Wrong("The left sides must be every row exactly once.")
    if any(len(batch) > _batch_size() for batch, _ in first):
        raise Wrong(f"A batch is longer than batch_size = {_batch_size()}.")
    _require_random(answer, first)
    if np.array_equal(left, np.arange(len(labels))):
        raise Wrong(
            "The left sides come in the order of the data: shuffle them with `rng.permutation`."
        )
    full = [labels[a] == labels[b] for a, b in first if len(a) == _batch_size()]
    if any(batch.all() or not batch.any() for batch in full):
        raise Wrong(
            "Some batches hold only similar, or only different pairs. Shuffle which row gets which."
        )
    if len(np.unique(right)) < len(labels) // 3:
        raise Wrong("Few rows are ever chosen as partners. Draw each partner at random.")
    _require_varied_classes(labels, left, right)
    _require_varied_partners(answer, left, right)
    _require_other_class(answer)


def _require_varied_classes(labels, left, right):
    """Different partners of one class should come from several others."""
    for each in np.unique(labels):
        others = labels[right[(labels[left] == each) & (labels[right] != each)]]
        if len(np.unique(others)) <= 2:
            raise Wrong(
                f"The different partners of class {each} come from {len(np.unique(others))} other class(es) only. Draw them "
                "from all other classes, or some classes are never told apart."
            )


def _require_varied_partners(answer, left, right):
    """Where two epochs give a row the same kind of partner, it should rarely be the same one."""
    labels = _labels()
    again_left, again_right = _flat(_epoch(answer, seed=1))
    partner, again = np.empty_like(left), np.empty_like(left)
    partner[left], again[again_left] = right, again_right
    kinds = (labels[partner] == labels) == (labels[again] == labels)
    if (partner == again)[kinds].mean() > 0.5:
        raise Wrong("A row always gets the same partner. Draw each partner at random, from `rng`.")


def _require_other_class(answer):
    """With two classes, a 'different' partner from all rows makes three similar pairs in four."""
    two_classes = np.arange(600) % 2
    left, right = _flat(_epoch(answer, labels=two_classes))
    if (two_classes[left] == two_classes[right]).mean() > 0.62:
        raise Wrong(
            "The partner of a different pair is drawn from all rows, its own class included. "
            "Leave that class out, or such a pair is similar by accident."
        )


pairs = Exercise(
    name="01.pairs",
    title="Pair generators",
    parts=[
        Part(8, lambda classic, balanced: _test_classic(classic)),
        Part(12, lambda classic, balanced: _test_balanced(balanced)),
    ],
    reference=[mnist.classic_pairs, mnist.balanced_pairs],
    hints=(
        "A pair is two row numbers. Classic: shuffle the rows, cut them into batches, and put neighbouring "
        "batches side by side. Balanced: walk over the shuffled rows, and toss a coin for each: a partner of "
        "its own class, or of another one.",
        "Classic: `np.array_split(rng.permutation(n), number)` cuts into nearly equal batches; ask for an even "
        "number, and cut each two neighbours to the shorter one. Balanced: `np.flatnonzero(labels == c)` are "
        "the rows of class c; leave the row itself out.",
        "Classic: `for left, right in zip(batches[::2], batches[1::2])`. Balanced: for each row `i`, "
        "`candidates = (labels == labels[i]) if similar else (labels != labels[i])`, set `candidates[i] = False`, "
        "and `rng.choice(np.flatnonzero(candidates))`.",
    ),
)

# --- 4: encoder ---------------------------------------------------------------------------------------


def _forward(weights, x, activations):
    for (kernel, bias), activation in zip(weights, activations, strict=True):
        x = activation(x @ kernel + bias)
    return x


def _relu(x):
    return np.maximum(x, 0)


def _linear(x):
    return x


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


ENCODER_MISTAKES = [
    (
        (_linear, _linear, _linear),
        "The hidden layers have no activation: without ReLU three layers are no more than one.",
    ),
    (
        (_relu, _relu, _relu),
        "There is a ReLU after the last layer: it cuts off every negative coordinate. Leave it linear.",
    ),
    (
        (_relu, _relu, _sigmoid),
        "There is a sigmoid after the last layer: it squeezes the plane into the unit square. Leave it linear.",
    ),
    (
        (_relu, _relu, np.tanh),
        "There is a tanh after the last layer: it squeezes the plane into a square. Leave it linear.",
    ),
    ((_relu, _linear, _linear), "The second hidden layer has no ReLU."),
    ((_linear, _relu, _linear), "The first hidden layer has no ReLU."),
    ((_sigmoid, _sigmoid, _linear), "The hidden layers use the sigmoid; expected ReLU."),
    ((np.tanh, np.tanh, _linear), "The hidden layers use tanh; expected ReLU."),
]


def _encoder_case():
    return 5 if is_hidden() else 2, seeded(0).random((16, 784)).astype("float32")


def _test_encoder(seen, dim, images):
    if any(np.ptp(kernel) == 0 for kernel in seen["kernels"]):
        raise Wrong(
            "All weights of a layer begin with one value: its units would stay alike for ever. Leave the initializer out."
        )
    if not np.allclose(seen["outputs"], seen["again"], atol=1e-5):
        raise Wrong(
            "The model gives two answers for one picture: is there a Dropout layer? Leave it out."
        )
    got = np.asarray(seen["outputs"], "float64")
    kernels, biases = (
        [np.asarray(w, "float64") for w in seen[kind]] for kind in ("kernels", "biases")
    )
    weights = list(zip(kernels, biases, strict=True))
    if np.allclose(got, _forward(weights, images, (_relu, _relu, _linear)), rtol=1e-3, atol=1e-4):
        return
    if (got == 0).any():  # a ReLU at the end may hide what else differs
        raise Wrong(ENCODER_MISTAKES[1][1])
    if np.allclose(got.sum(axis=1), 1, atol=1e-4):
        raise Wrong(
            "There is a softmax after the last layer: an embedding is no probability. Leave it linear."
        )
    for activations, sentence in ENCODER_MISTAKES:
        if np.allclose(got, _forward(weights, images, activations), rtol=1e-3, atol=1e-4):
            raise Wrong(sentence)
    raise Wrong(
        "The layers have the right sizes, but the result is not Dense-ReLU, Dense-ReLU, Dense. Is there another layer?"
    )


def _shape_case():
    return (7 if is_hidden() else 3,)


def _test_encoder_dim(shapes, dim):
    given, default = map(tuple, shapes)
    if given != (None, dim):
        raise Wrong(
            f"With dim = {dim} the output has shape {given}: use the argument `dim` for the last layer."
        )
    if default != (None, 2):
        raise Wrong(f"Without a dim the output has shape {default}: the default is `dim=2`.")


encoder = Exercise(
    name="01.encoder",
    title="Encoder",
    parts=[
        Part(8, _test_encoder, look=observe.encoder, case=_encoder_case),
        Part(2, _test_encoder_dim, look=observe.encoder_shapes, case=_shape_case),
    ],
    reference=[models.build_encoder],
    hints=(
        "Three dense layers in a row: 784 numbers in, two hidden layers of 1,024 with ReLU, and `dim` numbers "
        "out, free to take any value.",
        "`keras.Sequential([...])` stacks layers; begin with `keras.Input((784,))`. "
        "`keras.layers.Dense(n)` without an activation is linear.",
        "`keras.Sequential([keras.Input((784,)), Dense(1024, activation='relu'), Dense(..., ...), Dense(dim)])`.",
    ),
)

# --- 5: siamese model ---------------------------------------------------------------------------------


def _siamese_case():
    rng = seeded(1)
    widths = ((784, 32), (32, 32), (32, 4 if is_hidden() else 3))
    weights = [
        array
        for ins, outs in widths
        for array in (3 * rng.normal(size=(ins, outs)) / np.sqrt(ins), rng.normal(size=outs))
    ]
    return [w.astype("float32") for w in weights], *rng.random((2, 5, 784)).astype("float32")


def _test_siamese(seen, weights, left, right):
    got, dim = as_array(seen["output"], "The output"), len(weights[-1])
    layers = list(zip(weights[::2], weights[1::2], strict=True))
    sides = [_forward(layers, side, (_relu, _relu, _linear)) for side in (left, right)]
    if got.shape in ((5,), (5, 1)):
        raise Wrong(
            "The model returns distances. Return both embeddings, so that the loss can use them."
        )
    if got.shape == (5, 2 * dim):
        raise Wrong(
            "The embeddings are concatenated to (batch, 2 dim). Stack them along a new axis 1: (batch, 2, dim)."
        )
    if got.shape == (2, 5, dim):
        raise Wrong(
            "The embeddings are stacked along axis 0, to (2, batch, dim). The batch comes first: use axis=1."
        )
    if got.shape == (5, dim, 2):
        raise Wrong(
            "The embeddings are stacked along the last axis, to (batch, dim, 2). Use axis=1."
        )
    if got.shape != (5, 2, dim):
        raise Wrong(f"The output has shape {got.shape}; expected (batch, 2, dim) = (5, 2, {dim}).")
    for index, name in enumerate(("left", "right")):
        if np.allclose(got, np.stack([sides[index]] * 2, axis=1), atol=1e-4):
            raise Wrong(
                f"Both sides show the {name} picture's embedding: the other input is never used."
            )
    if np.allclose(got, np.stack(sides[::-1], axis=1), atol=1e-4):
        raise Wrong("Left and right are exchanged in the output.")
    if not np.allclose(got, np.stack(sides, axis=1), atol=1e-4):
        raise Wrong(
            "The output is not the encoder's embeddings. Stack them as they are: no other layer, no activation."
        )
    for name, trained in zip(("left", "right"), seen["trained"], strict=True):
        if not trained:
            raise Wrong(
                f"Through the {name} side nothing is learned: no gradient reaches the encoder. Both sides train it."
            )


siamese = Exercise(
    name="01.siamese",
    title="Siamese model",
    parts=[Part(15, _test_siamese, look=observe.siamese, case=_siamese_case)],
    reference=[models.build_siamese],
    hints=(
        "There is one encoder, and it is used twice. Twins share everything: whatever one side learns, the "
        "other one knows.",
        "Make two `keras.Input`s of shape (784,), or better of `encoder.input_shape[1:]`; a model can be called "
        "like a function, as often as you like, and always with the same weights.",
        "`keras.Model([left, right], ops.stack([encoder(left), ...], axis=...))`.",
    ),
)

# --- 6: k-NN score ------------------------------------------------------------------------------------


def _knn_like(
    choose=lambda d: np.argsort(d, axis=1), metric=None, k_of=lambda k: k, vote=None, finish=None
):
    """A k-NN score that differs in one place."""

    def mistaken(train, train_labels, test, test_labels, k=5):
        train, test = np.asarray(train, "float64"), np.asarray(test, "float64")
        difference = test[:, None] - train[None]
        d = (metric or (lambda x: np.sqrt((x**2).sum(-1))))(difference)
        near = np.asarray(train_labels)[choose(d)[:, : k_of(k)]]
        majority = vote or (lambda row: np.bincount(row).argmax())
        hits = np.array([majority(row) for row in near]) == np.asarray(test_labels)
        return (finish or (lambda hits: hits.mean()))(hits)

    return mistaken


KNN_MISTAKES = [
    (
        _knn_like(finish=lambda hits: 100 * hits.mean()),
        "This is a percentage. Return the share, from 0 to 1.",
    ),
    (
        _knn_like(finish=lambda hits: hits.sum()),
        "This is the number of hits. Divide by the number of test embeddings.",
    ),
    (
        _knn_like(finish=lambda hits: 1 - hits.mean()),
        "This is the error rate. Return the share that is right.",
    ),
    (
        _knn_like(finish=lambda hits: hits),
        "This is one value a test embedding. Return the share that is right, one number.",
    ),
    (_knn_like(k_of=lambda k: 1), "Only the nearest neighbour votes. Let `k` of them vote."),
    (_knn_like(k_of=lambda k: 5), "Always 5 neighbours vote. Use the argument `k`."),
    (
        _knn_like(choose=lambda d: np.argsort(-d, axis=1)),
        "The *farthest* neighbours vote. Sort the distances upwards.",
    ),
    (
        _knn_like(vote=lambda row: round(row.mean())),
        "The labels are averaged. A 3 and a 9 do not make a 6: take the most frequent label.",
    ),
    (
        _knn_like(metric=lambda x: np.abs(x[..., 0])),
        "Only the first coordinate is compared. Use all of them.",
    ),
    (
        _knn_like(metric=lambda x: x.sum(-1)),
        "The differences are added with their signs. Square them first.",
    ),
    (
        lambda train, train_labels, test, test_labels, k=5: _knn_like()(
            train, train_labels, train, train_labels, k
        ),
        "This scores the training embeddings. The neighbours come from there; the score is about the test embeddings.",
    ),
    (
        lambda train, train_labels, test, test_labels, k=5: _knn_like()(
            test, test_labels, test, test_labels, k
        ),
        "The neighbours come from the test embeddings, and every point finds itself. Take them from the training ones.",
    ),
]


def _knn_cases():
    rng = seeded(11)
    dim = 3 if is_hidden() else 2
    centres = rng.normal(scale=3.0, size=(5, dim))

    def sample(n, spread):
        labels = rng.integers(0, 5, size=n)
        return (centres[labels] + rng.normal(scale=spread, size=(n, dim))).astype("float32"), labels

    cases = []
    for k in (5, 3, 1):
        train, train_labels = sample(120, 2.0)
        test, test_labels = sample(60, 2.0)
        clear = _no_ties(train, train_labels, test, k)
        cases.append((train, train_labels, test[clear], test_labels[clear], k))
    return cases


def _no_ties(train, train_labels, test, k):
    """Test rows whose vote has one winner: how a tie is broken is anybody's choice."""
    d = ((test[:, None] - train[None]) ** 2).sum(-1)
    near = train_labels[np.argsort(d, axis=1)[:, :k]]
    counts = np.sort([np.bincount(row, minlength=5) for row in near], axis=1)
    return counts[:, -1] > counts[:, -2]


def _test_knn(answer):
    compare(answer, evaluation.knn_score, _knn_cases(), KNN_MISTAKES, rtol=1e-6, atol=1e-6)


knn = Exercise(
    name="01.knn",
    title="k-NN score",
    parts=[Part(10, _test_knn)],
    reference=[evaluation.knn_score],
    hints=(
        "A good embedding puts a digit among its own kind. So ask the neighbours: for each test point find the k "
        "nearest training points, let their labels vote, and count how often the vote is right.",
        "scikit-learn's `KNeighborsClassifier` does it: `fit` on the training embeddings and labels, then `score` "
        "on the test ones. Or by hand: distances, `np.argsort`, `np.bincount(...).argmax()`.",
        "`KNeighborsClassifier(n_neighbors=...).fit(..., ...).score(..., ...)`.",
    ),
)

# --- 7: one-shot verification -------------------------------------------------------------------------


def _reference_distance(reference, queries):
    return np.sqrt(
        ((np.asarray(queries, "float64") - np.asarray(reference, "float64")) ** 2).sum(-1)
    )


VERIFY_MISTAKES = [
    (
        lambda r, q, t: _reference_distance(r, q) > t,
        "The comparison is turned round: a *small* distance means same. (With a similarity it would be large.)",
    ),
    (
        lambda r, q, t: _reference_distance(r, q) ** 2 <= t,
        "The *squared* distance is compared with the threshold.",
    ),
    (
        lambda r, q, t: _reference_distance(r, q),
        "These are the distances. Compare them with the threshold.",
    ),
    (
        lambda r, q, t: np.abs(np.asarray(q) - np.asarray(r)).sum(-1) <= t,
        "This uses the Manhattan distance; the threshold was chosen for the Euclidean one.",
    ),
    (
        lambda r, q, t: (np.abs(np.asarray(q) - np.asarray(r)) <= t).all(-1),
        "Each coordinate is compared by itself. Compare the distance, one number a query.",
    ),
    (
        lambda r, q, t: np.abs(np.asarray(q) - np.asarray(r)) <= t,
        "Each coordinate is compared by itself. Compare the distance, one number a query.",
    ),
    (
        lambda r, q, t: np.abs(np.asarray(q) - np.asarray(r))[:, 0] <= t,
        "Only the first coordinate is compared.",
    ),
    (
        lambda r, q, t: _reference_distance(r, q) <= 1.0,
        "The threshold is written down. Use the argument `threshold`.",
    ),
    (
        lambda r, q, t: np.ones(len(q)),
        "Everything is accepted as the same.",
    ),
    (lambda r, q, t: np.zeros(len(q)), "Nothing is accepted as the same."),
]


def _verify_cases():
    rng = seeded(2)
    if is_hidden():
        return [
            (rng.normal(size=3), rng.normal(scale=2.0, size=(80, 3)), t) for t in (1.3, 2.1, 3.6)
        ]
    queries = rng.normal(scale=2.0, size=(60, 2))
    return [(np.array([1.0, -0.5]), queries, t) for t in (0.8, 1.7, 3.0)]


def _test_verify(answer):
    compare(answer, evaluation.verify_one_shot, _verify_cases(), VERIFY_MISTAKES)


def _distances_and_same():
    rng = seeded(4)
    n = 4000 if is_hidden() else 400  # more of them, so that a candidate or two hardly count
    same = rng.permutation(np.arange(n) < n // 10).astype(float)
    distances = np.where(same == 1, rng.gamma(2.0, 0.5, n), rng.gamma(9.0, 0.4, n))
    return distances * (2.7 if is_hidden() else 1.0), same


# a candidate or two beside the best one is no mistake: a grid, or < where we write <=
THRESHOLD_TOLERANCE = 0.005
PLAIN_ACCURACY = (
    "This maximises plain accuracy: with nine different pairs to a similar one, it gives up the similar ones. "
    "Average the two kinds' shares: balanced accuracy."
)


def _plain_accuracy(distances, same, threshold):
    return ((distances <= threshold) == (same == 1)).mean()


def _plain_accuracy_threshold(distances, same):
    return max(distances, key=lambda t: _plain_accuracy(distances, same, t))


THRESHOLD_TRAPS = [
    (
        lambda d, s: d.mean(),
        "This is the mean distance. Try each candidate, and keep the one with the best balanced accuracy.",
    ),
    (
        lambda d, s: np.median(d),
        "This is the median distance. Try each candidate, and keep the best.",
    ),
    (
        lambda d, s: d[s == 1].max(),
        "This accepts every similar pair, and far too many different ones with them.",
    ),
    (
        lambda d, s: d[s == 0].min(),
        "This stops before the first different pair, and refuses most similar ones.",
    ),
    (
        lambda d, s: evaluation.balanced_accuracy(d, s, evaluation.choose_threshold(d, s)),
        "This is the accuracy at the best threshold. Return the threshold itself.",
    ),
    (
        _plain_accuracy_threshold,
        PLAIN_ACCURACY,
    ),
    (
        lambda d, s: max(
            np.sort(d), key=lambda t: (d[s == 1] > t).mean() + (d[s == 0] <= t).mean()
        ),
        "At this threshold most answers are wrong: is the comparison turned round?",
    ),
    (
        lambda d, s: max(d, key=lambda t: (d[s == 1] > t).mean() + (d[s == 0] <= t).mean()),
        "At this threshold most answers are wrong: is the comparison turned round?",
    ),
    (
        lambda d, s: evaluation.choose_threshold(-d, s) * -1,
        "At this threshold most answers are wrong: is the comparison turned round?",
    ),
]


def _test_threshold(answer):
    distances, same = _distances_and_same()
    got = as_array(answer(distances.copy(), same.copy()), "The threshold")
    if got.shape != ():
        raise Wrong(f"The result has shape {got.shape}; expected one number.")
    threshold = float(got)
    best = evaluation.balanced_accuracy(
        distances, same, evaluation.choose_threshold(distances, same)
    )
    reached = evaluation.balanced_accuracy(distances, same, threshold)
    if reached >= best - THRESHOLD_TOLERANCE:
        return
    for trap, sentence in THRESHOLD_TRAPS:
        if np.isclose(threshold, float(trap(distances, same)), rtol=1e-6):
            raise Wrong(sentence)
    plain = _plain_accuracy(distances, same, threshold)
    if plain >= _plain_accuracy(distances, same, _plain_accuracy_threshold(distances, same)):
        raise Wrong(PLAIN_ACCURACY)
    if threshold > distances.max():
        raise Wrong(
            "This is larger than every distance. Return the threshold itself, not its position."
        )
    raise Wrong(
        f"Balanced accuracy there is {reached:.3f}; {best:.3f} can be reached. Try every distance as threshold."
    )


one_shot = Exercise(
    name="01.one_shot",
    title="One-shot verification",
    parts=[
        Part(7, lambda choose, verify: _test_threshold(choose)),
        Part(8, lambda choose, verify: _test_verify(verify)),
    ],
    reference=[evaluation.choose_threshold, evaluation.verify_one_shot],
    hints=(
        "Verification asks one question: is it near enough? `choose_threshold` finds what 'enough' is, on pairs "
        "whose answer is known; `verify_one_shot` then answers for new pictures, with one example and no training.",
        "The best threshold is among the distances themselves, so try each. For one of them: the share of similar "
        "pairs at or below it, the share of different pairs above it, and the mean of the two.",
        "`max(distances, key=lambda t: ((distances[same == 1] <= t).mean() + ...) / 2)`, and "
        "`euclidean distance from reference to each query <= threshold`.",
    ),
)

EXERCISES = (distance, contrastive_loss, pairs, encoder, siamese, knn, one_shot)

watch(EXERCISES)
