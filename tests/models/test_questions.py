"""The question encoders: NumPy by hand, Keras and Trax with the same weights give the same embeddings and losses."""

import jax
import keras
import numpy as np
import pytest
from keras import ops

from siamese_course import losses
from siamese_course.models import questions as quora_keras
from siamese_course.models import questions_trax as quora_trax
from siamese_course.runtime.trax_patch import trax

WORDS, DIM = 23, 6
CLASSIC_SHAPES = [(WORDS, DIM), (2 * DIM, 4 * DIM), (4 * DIM,)]
COURSE_SHAPES = [(WORDS, DIM), (WORDS, 1), (2 * DIM, 4 * DIM), (4 * DIM,)]
NEIGHBORS = 11
NEIGHBOR_SHAPES = [COURSE_SHAPES[0], (NEIGHBORS, DIM), *COURSE_SHAPES[1:]]


def sentences(n=5, length=8, seed=0, shortest=1):
    """(n, length) ids, padded with 1 after a random number of words."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(2, WORDS, (n, length)).astype("int32")
    ids[rng.random(ids.shape) < 0.1] = 0  # unknown words
    ends = rng.integers(shortest, length + 1, n)
    return np.where(np.arange(length) < ends[:, None], ids, quora_keras.PAD).astype("int32")


def random_weights(shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(scale=0.5, size=shape).astype("float32") for shape in shapes]


# The oracle: one LSTM cell in NumPy, word by word, with Trax's matrix on [x, h] and gates i, j, f, o.


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_by_hand(vectors, matrix, bias):
    units = len(bias) // 4
    states = []
    for row in vectors.astype("float64"):
        c = h = np.zeros(units)
        states.append([])
        for x in row:
            i, j, f, o = np.split(np.concatenate([x, h]) @ matrix + bias, 4)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(j)
            h = sigmoid(o) * np.tanh(c)
            states[-1].append(h)
    return np.array(states)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def classic_by_hand(words, vectors, matrix, bias):
    return unit(lstm_by_hand(vectors[words], matrix, bias).mean(axis=1))


def course_by_hand(words, vectors, importance, matrix, bias):
    states = lstm_by_hand(vectors[words], matrix, bias)
    rows = []
    for row, row_states in zip(words, states, strict=True):
        real = [place for place, word in enumerate(row) if word != 1]
        weights = [np.exp(importance[row[place], 0]) for place in real]
        halves = [
            unit(sum(w * values[place] for w, place in zip(weights, real, strict=True)))
            for values in (vectors[row], row_states)
        ]
        rows.append(unit(np.concatenate(halves)))
    return np.array(rows)


def neighbors_by_hand(words, vectors, pairs, importance, matrix, bias):
    halves = course_by_hand(words, vectors, importance, matrix, bias)
    order = unit(halves[:, DIM:])
    rows = []
    for row in words:
        total, before = np.zeros(DIM), 1
        for word in row:
            if word != 1:
                pair = (7919 * before + word) % NEIGHBORS
                total += np.exp(importance[word, 0]) * (vectors[word] + pairs[pair])
            before = int(word)
        rows.append(unit(total))
    return unit(np.concatenate([rows, order], axis=1))


def lstm_weights_of_keras(matrix, bias, inputs):
    """Trax's matrix on [x, h] and gates i, j, f, o as Keras's kernel, recurrent kernel, bias: i, f, c, o."""

    def gates(array):
        i, j, f, o = np.split(array, 4, axis=-1)
        return np.concatenate([i, f, j, o], axis=-1)

    return [gates(matrix[:inputs]), gates(matrix[inputs:]), gates(bias)]


def in_keras(encoder, arrays):
    """The encoder with weights in Trax's order set, layer by layer."""
    *tables, matrix, bias = arrays
    for layer in encoder.layers:
        if isinstance(layer, keras.layers.LSTM):
            layer.set_weights(lstm_weights_of_keras(matrix, bias, len(matrix) - len(bias) // 4))
        elif isinstance(layer, keras.layers.Embedding):
            (table,) = (t for t in tables if t.shape == (layer.input_dim, layer.output_dim))
            layer.set_weights([table])
    return encoder


def trax_function(encoder, arrays):
    return quora_trax.forward_function(encoder, quora_trax.with_leaves(encoder, arrays))


@pytest.fixture(scope="module")
def classic():
    arrays = random_weights(CLASSIC_SHAPES)
    return (
        arrays,
        in_keras(quora_keras.build_classic_encoder(WORDS, DIM), arrays),
        trax_function(quora_trax.build_classic_encoder(WORDS, DIM), arrays),
    )


@pytest.fixture(scope="module")
def course():
    arrays = random_weights(COURSE_SHAPES)
    return (
        arrays,
        in_keras(quora_keras.build_course_encoder(WORDS, DIM, DIM), arrays),
        trax_function(quora_trax.build_course_encoder(WORDS, DIM, mode="eval"), arrays),
    )


@pytest.fixture(scope="module")
def neighbors():
    arrays = random_weights(NEIGHBOR_SHAPES)
    options = {"neighbors": NEIGHBORS}
    return (
        arrays,
        in_keras(quora_keras.build_course_encoder(WORDS, DIM, DIM, **options), arrays),
        trax_function(quora_trax.build_course_encoder(WORDS, DIM, mode="eval", **options), arrays),
    )


@pytest.fixture(params=["classic", "course", "neighbors"])
def encoders(request):
    """(arrays, Keras encoder, Trax function, by hand) of one recipe."""
    by_hand = {
        "classic": classic_by_hand,
        "course": course_by_hand,
        "neighbors": neighbors_by_hand,
    }[request.param]
    return *request.getfixturevalue(request.param), by_hand


def test_keras_and_trax_with_the_same_weights_are_the_encoder_by_hand(encoders):
    arrays, in_keras_, in_trax, by_hand = encoders
    words = sentences()
    expected = by_hand(words, *arrays)
    np.testing.assert_allclose(ops.convert_to_numpy(in_keras_(words)), expected, atol=1e-5)
    np.testing.assert_allclose(in_trax(words), expected, atol=1e-5)
    assert np.ptp(expected, axis=0).max() > 0.1  # the rows differ, so that this says something


@pytest.mark.parametrize("length", [1, 3, 16])
def test_embeddings_have_length_one(encoders, length):
    _, in_keras_, in_trax, _ = encoders
    for embeddings in (in_keras_(sentences(4, length)), in_trax(sentences(4, length))):
        lengths = np.linalg.norm(ops.convert_to_numpy(embeddings), axis=1)
        np.testing.assert_allclose(lengths, np.ones(4), atol=1e-5)


def test_shapes(classic, course):
    words = sentences(3, 4)
    assert quora_keras.build_classic_encoder(WORDS, 5)(words).shape == (3, 5)
    assert quora_keras.build_course_encoder(WORDS, 5, 7)(words).shape == (3, 12)
    assert quora_keras.build_course_encoder(WORDS)(words).shape == (3, 256)
    assert classic[2](words).shape == (3, DIM)
    assert course[2](words).shape == (3, 2 * DIM)


def test_sizes_are_the_same_in_both_frameworks():
    for name, shapes in (("classic", CLASSIC_SHAPES), ("course", COURSE_SHAPES)):
        encoder = getattr(quora_trax, f"build_{name}_encoder")(WORDS, DIM)
        weights, _ = encoder.init(trax.shapes.ShapeDtype((1, 4), dtype=np.int32))
        assert [array.shape for array in quora_trax.leaves(weights)] == shapes
        sizes = {"classic": (WORDS, DIM), "course": (WORDS, DIM, DIM)}[name]
        in_keras_ = getattr(quora_keras, f"build_{name}_encoder")(*sizes)
        assert in_keras_.count_params() == sum(int(np.prod(shape)) for shape in shapes)


def test_word_vectors_start_alike_in_both_frameworks():
    """Uniform, up to sqrt(3 / dim): the bound holds, and it is used."""
    table = quora_keras.build_classic_encoder(500, 12).layers[1].get_weights()[0]
    encoder = quora_trax.build_classic_encoder(500, 12)
    weights, _ = encoder.init(trax.shapes.ShapeDtype((1, 4), dtype=np.int32))
    for array in (table, quora_trax.leaves(weights)[0]):
        assert 0.99 * 0.5 < np.abs(array).max() <= 0.5


def test_all_embeddings_start_alike_in_trax_and_not_in_keras():
    """Trax starts the bias of all four gates at 1, Keras that of the forget gate (the second) only."""
    in_keras_ = quora_keras.build_classic_encoder(WORDS, DIM)
    encoder = quora_trax.build_classic_encoder(WORDS, DIM)
    weights, _ = encoder.init(trax.shapes.ShapeDtype((5, 8), dtype=np.int32))
    np.testing.assert_allclose(quora_trax.leaves(weights)[2], np.ones(4 * DIM), atol=1e-4)
    expected = np.repeat([0, 1, 0, 0], DIM)
    assert np.array_equal(in_keras_.layers[2].get_weights()[2], expected)
    words = sentences()
    alike, apart = (np.asarray(embed(words)) for embed in (encoder, in_keras_))
    assert (alike @ alike.T).min() > 0.95
    assert (apart @ apart.T).min() < 0.8


def test_one_seed_one_encoder():
    words = sentences()
    for build in (quora_keras.build_classic_encoder, quora_keras.build_course_encoder):
        first, again, other = (ops.convert_to_numpy(build(WORDS, seed=s)(words)) for s in (1, 1, 2))
        assert np.array_equal(first, again)
        assert not np.allclose(first, other, atol=0.01)


# --- losses ---


def both_sides(embed, seed=3):
    left, right = (np.asarray(embed(sentences(6, seed=s))) for s in (seed, seed + 1))
    return left, right


def test_the_triplet_loss_of_a_batch_is_the_same_in_both_frameworks(encoders):
    _, in_keras_, in_trax, _ = encoders
    siamese = quora_keras.build_siamese(in_keras_)
    expected = losses.triplet_loss(
        None, siamese([sentences(6, seed=3), sentences(6, seed=4)]), margin=0.25
    )
    sides = both_sides(in_trax)
    assert float(expected) > 0.1
    np.testing.assert_allclose(quora_trax.cosine_triplet_loss(*sides), expected, atol=1e-5)
    np.testing.assert_allclose(quora_trax.triplet_loss_layer()(sides), expected, atol=1e-5)


@pytest.mark.parametrize("same", [[1, 0, 1, 1, 0, 1], [1] * 6, [0] * 6])
def test_the_course_loss_of_a_batch_is_the_same_in_both_frameworks(encoders, same):
    _, in_keras_, in_trax, _ = encoders
    same = np.array(same, "float32")
    embeddings = quora_keras.build_siamese(in_keras_)([sentences(6, seed=3), sentences(6, seed=4)])
    expected = losses.in_batch_softmax_loss(
        same, embeddings, temperature=0.1
    ) + losses.labeled_pairs_loss(same, embeddings)
    got = quora_trax.course_loss_layer(0.1)((*both_sides(in_trax), same))
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("margin", [0, -1.0, float("nan")])
def test_trax_refuses_the_same_margins(margin):
    with pytest.raises(ValueError, match=f"margin is {margin}; expected a positive"):
        quora_trax.triplet_loss_layer(margin)


# --- padding ---


def padded(words, more):
    return np.pad(words, ((0, 0), (0, more)), constant_values=quora_keras.PAD)


def test_the_course_embedding_does_not_depend_on_padding(course):
    _, in_keras_, in_trax = course
    words = sentences()
    for embed in (lambda ids: ops.convert_to_numpy(in_keras_(ids)), in_trax):
        np.testing.assert_allclose(embed(padded(words, 9)), embed(words), atol=1e-6)
        alone = embed(words[:1, : np.sum(words[0] != quora_keras.PAD)])
        np.testing.assert_allclose(alone, embed(words)[:1], atol=1e-6)


def test_the_classic_embedding_depends_on_padding(classic):
    _, in_keras_, in_trax = classic
    words = sentences()
    for embed in (lambda ids: ops.convert_to_numpy(in_keras_(ids)), in_trax):
        assert np.abs(embed(padded(words, 9)) - embed(words)).max() > 0.05


def test_a_row_of_padding_alone_is_finite(encoders):
    """``QuestionEncoder`` fills its last batch with such rows."""
    _, in_keras_, in_trax, _ = encoders
    nothing = np.full((2, 4), quora_keras.PAD, "int32")
    assert np.isfinite(ops.convert_to_numpy(in_keras_(nothing))).all()
    assert np.isfinite(in_trax(nothing)).all()


def test_an_important_word_weighs_more():
    encoder = quora_keras.build_course_encoder(WORDS, DIM, DIM)
    arrays = random_weights(COURSE_SHAPES)
    alone, beside = np.array([[7]], "int32"), np.array([[7, 3, 4, 5]], "int32")
    cosines = []
    for importance in (0.0, 5.0):  # as any other word; exp(5) = 148 times as much
        arrays[1][:] = 0
        arrays[1][7] = importance
        in_keras(encoder, arrays)
        cosines.append(float(ops.sum(encoder(alone) * encoder(beside))))
    assert cosines[0] < 0.9
    assert cosines[1] > 0.99


# --- two sides, one encoder ---


def test_both_sides_share_every_weight_in_keras(encoders):
    _, encoder, _, _ = encoders
    siamese = quora_keras.build_siamese(encoder)
    left, right = sentences(seed=1), sentences(seed=2)
    both = ops.convert_to_numpy(siamese([left, right]))
    assert both.shape == (5, 2, encoder.output_shape[1])
    np.testing.assert_allclose(both[:, 0], encoder(left), atol=1e-6)
    np.testing.assert_allclose(both[:, 1], encoder(right), atol=1e-6)
    swapped = ops.convert_to_numpy(siamese([right, left]))
    np.testing.assert_allclose(swapped[:, ::-1], both, atol=1e-6)
    assert siamese.count_params() == encoder.count_params()


SIGNATURE = trax.shapes.ShapeDtype((5, 8), dtype=np.int32)


def test_the_same_object_twice_has_one_set_of_weights_in_trax():
    siamese = quora_trax.build_siamese(quora_trax.build_classic_encoder(WORDS, DIM))
    weights, _ = siamese.init((SIGNATURE, SIGNATURE))
    assert [array.shape for array in quora_trax.leaves(weights)] == CLASSIC_SHAPES
    left, right = siamese((sentences(), sentences()))
    assert np.array_equal(left, right)


def test_two_encoders_built_alike_share_nothing_in_trax():
    apart = trax.layers.Parallel(
        *(quora_trax.build_classic_encoder(WORDS, DIM) for _ in range(2)),
    )
    weights, _ = apart.init((SIGNATURE, SIGNATURE))
    assert [array.shape for array in quora_trax.leaves(weights)] == 2 * CLASSIC_SHAPES
    left, right = apart((sentences(), sentences()))
    assert not np.allclose(left, right, atol=0.05)


def test_both_sides_pull_at_the_shared_weights_in_trax():
    """The gradient of the shared weights is the sum over both sides."""
    encoder = quora_trax.build_classic_encoder(WORDS, DIM)
    siamese = quora_trax.build_siamese(encoder)
    weights, state = siamese.init((SIGNATURE, SIGNATURE))
    left, right = sentences(seed=1), sentences(seed=2)
    direction = np.random.default_rng(0).normal(size=(5, DIM)).astype("float32")

    def both(w):
        (a, b), _ = siamese.pure_fn((left, right), w, state, None)
        return (a * direction).sum() + (b * direction).sum()

    def one(w, words):
        return (encoder.pure_fn(words, w, encoder.state, None)[0] * direction).sum()

    side = jax.jit(jax.grad(one))
    together = quora_trax.leaves(jax.jit(jax.grad(both))(weights))
    sides = [quora_trax.leaves(side(weights[0], words)) for words in (left, right)]
    for got, a, b in zip(together, *sides, strict=True):
        np.testing.assert_allclose(got, a + b, atol=1e-5)


# --- dropout ---


def test_dropout_is_off_where_nothing_is_trained():
    words = sentences(8, 16, shortest=12)
    encoder = quora_keras.build_course_encoder(WORDS, DIM, DIM, dropout=0.5)
    assert np.array_equal(encoder(words), encoder(words))
    assert np.array_equal(encoder(words), encoder(words, training=False))
    assert not np.allclose(encoder(words), encoder(words, training=True), atol=0.01)

    arrays = random_weights(COURSE_SHAPES)
    embed = trax_function(quora_trax.build_course_encoder(WORDS, DIM, mode="eval"), arrays)
    assert np.array_equal(embed(words), embed(words))
    training = quora_trax.build_course_encoder(WORDS, DIM, dropout=0.5)
    weights = quora_trax.with_leaves(training, arrays)
    key = trax.fastmath.random.get_prng(0)
    dropped, _ = training.pure_fn(words, weights, training.state, key)
    assert not np.allclose(dropped, embed(words), atol=0.01)


def test_dropout_drops_whole_words():
    words = sentences(8, 16, shortest=12)
    encoder = quora_keras.build_course_encoder(WORDS, DIM, DIM, dropout=0.5)
    (layer,) = (layer for layer in encoder.layers if isinstance(layer, keras.layers.Dropout))
    vectors = ops.convert_to_numpy(keras.Model(encoder.input, layer.output)(words, training=True))
    dropped = (vectors == 0).all(axis=-1)
    assert np.array_equal(dropped, (vectors == 0).any(axis=-1))
    assert 0.3 < dropped.mean() < 0.7

    trax_layer = quora_trax.build_course_encoder(WORDS, DIM, dropout=0.5)
    found = [layer for layer in every_layer(trax_layer) if "Dropout" in type(layer).__name__]
    assert found
    key = trax.fastmath.random.get_prng(0)
    for layer in found:
        vectors, _ = layer.pure_fn(np.ones((8, 16, DIM), "float32"), (), np.float32(0.5), key)
        dropped = np.asarray((vectors == 0).all(axis=-1))
        assert np.array_equal(dropped, (vectors == 0).any(axis=-1))
        assert 0.3 < dropped.mean() < 0.7


def every_layer(layer):
    yield layer
    for part in layer.sublayers or ():
        yield from every_layer(part)


# --- saving ---


def test_a_saved_keras_encoder_reloads_bit_by_bit(encoders, tmp_path):
    _, encoder, _, _ = encoders
    words = sentences()
    before = ops.convert_to_numpy(encoder(words))
    encoder.save(tmp_path / "encoder.keras")
    after = keras.saving.load_model(tmp_path / "encoder.keras")
    assert np.array_equal(before, after(words))


def test_leaves_go_back_where_they_were():
    arrays = random_weights(COURSE_SHAPES)
    encoder = quora_trax.build_course_encoder(WORDS, DIM, mode="eval")
    again = quora_trax.leaves(quora_trax.with_leaves(encoder, arrays))
    assert len(again) == len(arrays)
    assert all(np.array_equal(a, b) for a, b in zip(again, arrays, strict=True))


@pytest.mark.parametrize("count", [0, 3, 5])
def test_another_number_of_leaves_is_refused(count):
    encoder = quora_trax.build_course_encoder(WORDS, DIM, mode="eval")
    arrays = (2 * random_weights(COURSE_SHAPES))[:count]
    with pytest.raises(ValueError, match=r"Too (few|many) leaves"):
        quora_trax.with_leaves(encoder, arrays)


# --- what is refused ---


@pytest.mark.parametrize("value", [0, -3])
@pytest.mark.parametrize(
    ("build", "names"),
    [
        (quora_keras.build_classic_encoder, ("vocabulary_size", "dim")),
        (quora_keras.build_course_encoder, ("vocabulary_size", "dim", "units")),
        (quora_trax.build_classic_encoder, ("vocabulary_size", "dim")),
        (quora_trax.build_course_encoder, ("vocabulary_size", "dim")),
    ],
)
def test_sizes_below_one_are_refused(build, names, value):
    for name in names:
        with pytest.raises(ValueError, match=f"{name} is {value}; expected at least 1"):
            build(**{"vocabulary_size": WORDS, **{name: value}})
