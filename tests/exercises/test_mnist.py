"""The seven exercises: right answers in several styles pass, known mistakes get the hint meant for them."""

import time
from itertools import pairwise

import keras
import numpy as np
import pytest
from keras import layers, ops
from sklearn.neighbors import KNeighborsClassifier

from siamese_course import evaluation, losses
from siamese_course.datasets import mnist
from siamese_course.exercises import mnist as exercises
from siamese_course.models.images import build_encoder, build_siamese


def test_seven_exercises_are_worth_100_points():
    assert len(exercises.EXERCISES) == 7
    assert sum(exercise.points for exercise in exercises.EXERCISES) == 100


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_the_courses_own_answer_passes_in_under_a_second(exercise):
    exercise.check(
        *exercise.reference
    )  # the first call loads what a notebook has loaded long before
    started = time.perf_counter()
    result = exercise.check(*exercise.reference)
    assert result.passed, str(result)
    assert result.status == "right"
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_stubs_are_not_attempted_and_none_is_wrong(exercise):
    def stub(*arguments, **options):
        raise NotImplementedError("not attempted")

    result = exercise.check(*[stub] * len(exercise.reference))
    assert (result.status, repr(result)) == ("not attempted", "0")
    result = exercise.check(*[lambda *a, **k: None] * len(exercise.reference))
    assert (result.status, repr(result)) == ("wrong", "0")
    assert any("return" in message for message in result.messages)


@pytest.mark.parametrize("exercise", exercises.EXERCISES, ids=lambda e: e.name)
def test_every_exercise_has_a_solution_and_three_hints(exercise):
    assert "def " in repr(exercise.solution())
    assert len(set(exercise.hints)) == 3


# --- mistakes that are told by their numbers ---

NUMERIC = [
    (exercises.distance, exercises.DISTANCE_MISTAKES, lambda f: (f,)),
    (exercises.contrastive_loss, exercises.LOSS_MISTAKES, lambda f: (f,)),
    (exercises.knn, exercises.KNN_MISTAKES, lambda f: (f,)),
    (exercises.one_shot, exercises.VERIFY_MISTAKES, lambda f: (evaluation.choose_threshold, f)),
    (exercises.one_shot, exercises.THRESHOLD_TRAPS, lambda f: (f, evaluation.verify_one_shot)),
]
CASES = [
    pytest.param(exercise, answers(function), sentence, id=f"{exercise.name}-{i}")
    for exercise, mistakes, answers in NUMERIC
    for i, (function, sentence) in enumerate(mistakes)
]


@pytest.mark.parametrize(("exercise", "answers", "sentence"), CASES)
def test_a_mistake_gets_the_sentence_meant_for_it_and_no_other(exercise, answers, sentence):
    result = exercise.check(*answers)
    assert not result.passed
    assert result.messages[:-1] == [sentence]


# --- mistakes that are told by their form ---


def rows(n, batch_size, order):
    batches = np.array_split(order, 2 * (n // (2 * batch_size)))
    return [(a[: len(b)], b[: len(a)]) for a, b in zip(batches[::2], batches[1::2], strict=True)]


def classic_unshuffled(labels, batch_size, rng):
    yield from rows(len(labels), batch_size, np.arange(len(labels)))


def classic_with_own_randomness(labels, batch_size, rng):
    yield from rows(len(labels), batch_size, np.random.permutation(len(labels)))


def classic_with_itself(labels, batch_size, rng):
    for batch in np.array_split(rng.permutation(len(labels)), len(labels) // batch_size):
        yield batch, batch


def classic_of_unequal_length(labels, batch_size, rng):
    batches = np.array_split(rng.permutation(len(labels)), 2 * (len(labels) // (2 * batch_size)))
    yield from zip(batches[::2], batches[1::2], strict=True)


def classic_overlapping(labels, batch_size, rng):
    batches = np.array_split(rng.permutation(len(labels)), 2 * (len(labels) // (2 * batch_size)))
    for a, b in pairwise(batches):
        yield a[: len(b)], b[: len(a)]


def classic_without_end(labels, batch_size, rng):
    while True:
        yield from mnist.classic_pairs(labels, batch_size, rng)


def classic_one_step_short(labels, batch_size, rng):
    yield from list(mnist.classic_pairs(labels, batch_size, rng))[:-1]


def classic_labels_instead_of_rows(labels, batch_size, rng):
    for a, b in mnist.classic_pairs(labels, batch_size, rng):
        yield labels[a] - 1, labels[b]


def classic_three_values(labels, batch_size, rng):
    for a, b in mnist.classic_pairs(labels, batch_size, rng):
        yield a, b, labels[a] == labels[b]


def balanced_like(choose, keep=lambda batches: batches, shuffle=True):
    """A balanced generator with one thing changed."""

    def generator(labels, batch_size, rng):
        n = len(labels)
        left = rng.permutation(n) if shuffle else np.arange(n)
        right = np.array([choose(labels, row, place, rng) for place, row in enumerate(left)])
        batches = [
            (left[i : i + batch_size], right[i : i + batch_size]) for i in range(0, n, batch_size)
        ]
        yield from keep(batches)

    return generator


def partner(labels, row, similar, rng):
    allowed = (labels == labels[row]) == similar
    allowed[row] = False
    return rng.choice(np.flatnonzero(allowed))


def coin(labels, row, place, rng):
    return partner(labels, row, rng.random() < 0.5, rng)


def coin_with_itself(labels, row, place, rng):
    if rng.random() < 0.5:
        return rng.choice(np.flatnonzero(labels == labels[row]))
    return partner(labels, row, False, rng)


def different_from_all_rows(labels, row, place, rng):
    if rng.random() < 0.5:
        return partner(labels, row, True, rng)
    return (row + rng.integers(1, len(labels))) % len(labels)


def next_in_line(labels, row, place, rng):
    allowed = (labels == labels[row]) == (rng.random() < 0.5)
    ahead = np.roll(allowed, -row - 1)[:-1]
    return (row + 1 + int(np.argmax(ahead))) % len(labels)


def balanced_with_floats(labels, batch_size, rng):
    for a, b in mnist.balanced_pairs(labels, batch_size, rng):
        yield a, b.astype("float64")


def first_of_class(labels, row, place, rng):
    other = (labels == labels[row]) == (rng.random() < 0.5)
    other[row] = False
    return np.flatnonzero(other)[0]


FORM = [
    ("classic", classic_unshuffled, "never shuffled"),
    ("classic", classic_with_own_randomness, "Draw every random number from `rng`"),
    ("classic", classic_with_itself, "every picture is paired with itself"),
    ("classic", classic_of_unequal_length, "Cut both to the shorter one"),
    ("classic", classic_overlapping, "Some rows occur twice"),
    ("classic", classic_without_end, "never ends"),
    (
        "classic",
        classic_one_step_short,
        "14 steps came out of 1003 rows with batch_size 32; expected 15",
    ),
    ("classic", classic_labels_instead_of_rows, "must hold row numbers"),
    ("classic", classic_three_values, "must be a pair `(left, right)`"),
    ("classic", lambda labels, batch_size, rng: iter(()), "No batch came out"),
    ("classic", lambda labels, batch_size, rng: 3, "returns a `int`; expected batches"),
    ("balanced", mnist.classic_pairs, "as many as chance makes"),
    ("balanced", balanced_like(lambda y, r, p, g: partner(y, r, True, g)), "Every pair is similar"),
    ("balanced", balanced_like(lambda y, r, p, g: partner(y, r, False, g)), "No pair is similar"),
    (
        "balanced",
        balanced_like(lambda y, r, p, g: partner(y, r, g.random() < 0.8, g)),
        "expected about half",
    ),
    ("balanced", balanced_like(coin_with_itself), "paired with themselves"),
    ("balanced", balanced_like(coin, keep=lambda batches: batches[:-1]), "Keep the last batch"),
    ("balanced", balanced_like(coin, shuffle=False), "in the order of the data"),
    (
        "balanced",
        balanced_like(lambda y, r, p, g: partner(y, r, p < len(y) / 2, g)),
        "only similar, or only different",
    ),
    ("balanced", balanced_like(first_of_class), "Few rows are ever chosen"),
    ("balanced", balanced_like(different_from_all_rows), "drawn from all rows"),
    ("balanced", balanced_like(next_in_line), "always gets the same partner"),
    ("balanced", balanced_with_floats, "floats cannot index"),
]


@pytest.mark.parametrize(
    ("which", "answer", "sentence"), FORM, ids=[f"{w}-{i}" for i, (w, _, _) in enumerate(FORM)]
)
def test_pair_mistakes_are_named(which, answer, sentence):
    answers = {"classic": mnist.classic_pairs, "balanced": mnist.balanced_pairs} | {which: answer}
    result = exercises.pairs.check(*answers.values())
    assert result.points == (12 if which == "classic" else 8)
    assert sentence in result.messages[0]


def dense(units=(1024, 1024), activations=("relu", "relu", None), extra=(), inputs=784, **options):
    """An encoder with one thing changed."""

    def build(dim=2):
        widths = (*units, dim)
        stack = [layers.Dense(w, a, **options) for w, a in zip(widths, activations, strict=True)]
        return keras.Sequential(
            [keras.Input((inputs,)), *stack[:1], *(layer() for layer in extra), *stack[1:]]
        )

    return build


ENCODERS = [
    (dense(activations=(None, None, None)), "no activation"),
    (dense(activations=("relu", "relu", "relu")), "a ReLU after the last layer"),
    (
        dense(
            activations=("relu", "relu", "relu"),  # of which no picture shows a negative coordinate
            kernel_initializer=keras.initializers.RandomUniform(0, 0.1, seed=0),
        ),
        "a ReLU after the last layer",
    ),
    (dense(activations=("relu", "relu", "sigmoid")), "a sigmoid after the last layer"),
    (dense(activations=("relu", "relu", "softmax")), "a softmax after the last layer"),
    (dense(activations=("relu", "relu", "tanh")), "a tanh after the last layer"),
    (dense(activations=("relu", None, None)), "second hidden layer has no ReLU"),
    (dense(activations=("sigmoid", "sigmoid", None)), "use the sigmoid"),
    (dense(units=(1024,), activations=("relu", None)), "has 2 dense layers"),
    (dense(units=(512, 1024)), "expected 784 -> 1024 -> 1024 -> 2"),
    (dense(inputs=28), "flattened pictures"),
    (dense(use_bias=False), "0 of the 3 layers have a bias"),
    (dense(extra=[lambda: layers.Dropout(0.5)]), "Dropout"),
    (dense(extra=[lambda: layers.BatchNormalization()]), "not Dense (a normalization?)"),
    (
        lambda dim=2: keras.Sequential([layers.Dense(1024), layers.Dense(dim)]),
        "does not say what goes in",
    ),
    (lambda dim=2: dense()(3), "expected (None, 2)"),
    (lambda dim=2: dense()(2), "With dim = 3"),
    (lambda dim=2: 5, "a `int`; expected a Keras model"),
]


@pytest.mark.parametrize(("answer", "sentence"), ENCODERS, ids=range(len(ENCODERS)))
def test_encoder_mistakes_are_named(answer, sentence):
    result = exercises.encoder.check(answer)
    assert not result.passed
    assert sentence in result.messages[0]


def two_inputs():
    return keras.Input((784,)), keras.Input((784,))


def twins(combine, second=None, first=None):
    """A siamese model with one thing changed."""

    def build(encoder):
        left, right = two_inputs()
        one, two = (first or (lambda e: e))(encoder), (second or (lambda e: e))(encoder)
        return keras.Model([left, right], combine(one(left), two(right)))

    return build


def stacked(a, b):
    return ops.stack([a, b], axis=1)


def fresh(encoder):
    return build_encoder(dim=3, units=8, seed=9)


def left_only(encoder):
    left, right = two_inputs()
    return keras.Model([left, right], stacked(encoder(left), encoder(left)))


SIAMESE = [
    (twins(stacked, second=fresh), "do not share their weights"),
    (twins(stacked, second=keras.models.clone_model), "do not share their weights"),
    (twins(stacked, first=fresh, second=fresh), "does not contain the encoder it was given"),
    (left_only, "Both sides show the left picture's embedding"),
    (twins(lambda a, b: stacked(b, a)), "exchanged"),
    (twins(lambda a, b: ops.concatenate([a, b], axis=1)), "concatenated to (batch, 2 dim)"),
    (twins(lambda a, b: ops.stack([a, b], axis=0)), "stacked along axis 0"),
    (twins(lambda a, b: ops.stack([a, b], axis=-1)), "stacked along the last axis"),
    (twins(lambda a, b: losses.euclidean_distance(a, b)), "returns distances"),
    (twins(lambda a, b: [a, b]), "2 outputs; expected one"),
    (lambda encoder: encoder, "1 inputs; expected 2"),
    (twins(lambda a, b: ops.relu(stacked(a, b))), "not the encoder's embeddings"),
]


@pytest.mark.parametrize(("answer", "sentence"), SIAMESE, ids=range(len(SIAMESE)))
def test_siamese_mistakes_are_named(answer, sentence):
    result = exercises.siamese.check(answer)
    assert repr(result) == "0"
    assert sentence in result.messages[0]


# --- right answers in other styles ---


def numpy_distance(left, right):
    left, right = np.asarray(left), np.asarray(right)
    return np.sqrt(((left - right) ** 2).sum(axis=1) + 1e-6)


def loop_distance(left, right):
    pairs = zip(np.asarray(left).tolist(), np.asarray(right).tolist(), strict=True)
    return [(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) + 1e-6) ** 0.5 for a, b in pairs]


def numpy_loss(same, embeddings, margin=5.0):
    same, embeddings = np.asarray(same, "float64"), np.asarray(embeddings, "float64")
    squared = ((embeddings[:, 0] - embeddings[:, 1]) ** 2).sum(-1)
    push = np.clip(margin - np.sqrt(squared + 1e-6), 0, None) ** 2
    return np.where(same == 1, squared, push).mean() / 2


def loss_with_epsilon_everywhere(same, embeddings, margin=5.0):
    d = losses.euclidean_distance(embeddings[:, 0], embeddings[:, 1])
    return ops.mean(same * 0.5 * d**2 + (1 - same) * 0.5 * ops.relu(margin - d) ** 2)


def classic_as_list(labels, batch_size, rng):
    order = rng.permutation(len(labels)).tolist()
    steps = len(order) // (2 * batch_size)
    parts = [order[i * batch_size : (i + 1) * batch_size] for i in range(2 * steps)]
    return [(parts[2 * i], parts[2 * i + 1]) for i in range(steps)]


def functional_encoder(dim=2):
    image = keras.Input((784,))
    x = layers.ReLU()(layers.Dense(1024)(image))
    x = layers.Dense(1024, activation="relu")(x)
    return keras.Model(image, layers.Dense(dim)(x))


def siamese_by_concatenation(encoder):
    left, right = two_inputs()
    sides = [layers.Reshape((1, encoder.output_shape[-1]))(encoder(side)) for side in (left, right)]
    return keras.Model([left, right], layers.Concatenate(axis=1)(sides))


def knn_by_sklearn(train, train_labels, test, test_labels, k=5):
    return KNeighborsClassifier(k).fit(train, train_labels).score(test, test_labels)


def threshold_by_loop(distances, same):
    best, best_t = -1, None
    for t in sorted(distances):
        right = ((distances[same == 1] <= t).mean() + (distances[same == 0] > t).mean()) / 2
        if right > best:
            best, best_t = right, t
    return np.float32(best_t) + np.float32(1e-5)


RIGHT = [
    (exercises.distance, (numpy_distance,)),
    (exercises.distance, (loop_distance,)),
    (exercises.contrastive_loss, (numpy_loss,)),
    (exercises.contrastive_loss, (loss_with_epsilon_everywhere,)),
    (exercises.pairs, (classic_as_list, balanced_like(coin))),
    (exercises.encoder, (functional_encoder,)),
    (exercises.siamese, (siamese_by_concatenation,)),
    (exercises.siamese, (build_siamese,)),
    (exercises.knn, (knn_by_sklearn,)),
    (
        exercises.one_shot,
        (threshold_by_loop, lambda r, q, t: [float(np.linalg.norm(x - r)) <= t for x in q]),
    ),
]


@pytest.mark.parametrize(("exercise", "answers"), RIGHT, ids=range(len(RIGHT)))
def test_right_answers_in_other_styles_pass(exercise, answers):
    result = exercise.check(*answers)
    assert result.passed, str(result)


def loss_without_epsilon(same, embeddings, margin=5.0):
    squared = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    push = ops.square(ops.maximum(0.0, margin - ops.sqrt(squared)))
    return 0.5 * ops.mean(same * squared + (1 - same) * push)


def test_a_loss_without_epsilon_loses_two_points_and_says_why():
    result = exercises.contrastive_loss.check(loss_without_epsilon)
    assert repr(result) == "18"
    assert "The epsilon is missing under the root" in result.messages[0]


def loss_by_numpy_function(same, embeddings, margin=5.0):
    import tensorflow as tf

    return tf.numpy_function(
        lambda s, e: numpy_loss(s, e, margin).astype("float32"), [same, embeddings], "float32"
    )


@pytest.mark.parametrize("answer", [numpy_loss, loss_by_numpy_function])
def test_a_loss_that_cannot_be_trained_with_is_replaced_and_the_learner_told(answer, capsys):
    assert exercises.contrastive_loss.use(answer) is losses.contrastive_loss
    assert "cannot be trained with" in capsys.readouterr().out


def test_a_trainable_loss_is_kept():
    kept = exercises.contrastive_loss.use(loss_with_epsilon_everywhere)
    assert kept is loss_with_epsilon_everywhere


def test_the_stubs_raise_left_behind_is_named():
    def begun(left, right):
        difference = left - right
        raise NotImplementedError("not attempted")
        return difference

    result = exercises.distance.check(begun)
    assert result.status == "wrong"
    assert "`raise NotImplementedError(...)` is still in your code" in result.messages[0]
