"""The packed encoder computes what KerasHub's layers compute, which are its oracle."""

import copy
import os

import keras
import keras_hub
import numpy as np
import pytest
import tensorflow as tf

from siamese_course.backbones.hugging_face import set_activation
from siamese_course.backbones.packed_roberta import PackedRoberta, for_export
from siamese_course.losses import cosine_regression_loss
from siamese_course.models import sentences as sentence
from siamese_course.runtime.startup import halve_cores

pytestmark = pytest.mark.slow

SIZE, DIM, LENGTH = 50, 24, 9


def make_backbone(dropout=0.0, dtype="float32", seed=0):
    keras.utils.set_random_seed(seed)
    backbone = keras_hub.models.RobertaBackbone(SIZE, 2, 3, DIM, 40, dropout, 16, dtype=dtype)
    rng = np.random.default_rng(seed)  # biases that are not zero, kernels of more than 0.02
    backbone.set_weights([rng.normal(0, 0.3, weight.shape) for weight in backbone.get_weights()])
    return backbone


def made_up_batch(mask, seed=0):
    mask = np.asarray(mask, "int32")
    ids = np.random.default_rng(seed).integers(2, SIZE, mask.shape, "int32")
    return {"token_ids": np.where(mask, ids, 1).astype("int32"), "padding_mask": mask}


def ends(*lengths):
    return np.arange(LENGTH) < np.array(lengths)[:, None]


MASKS = {
    "one row": ends(4),
    "one token": ends(1, 1),
    "no padding": ends(LENGTH, LENGTH, LENGTH),
    "an odd number of rows": ends(3, 9, 1, 5, 2, 7, 7),
    "left": ends(3, 5, 8)[:, ::-1],
    "in the middle": np.array([[1, 0, 1, 1, 0, 0, 1], [1, 1, 0, 0, 0, 1, 0]]),
}


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_states_of_real_tokens_are_those_of_keras_hub(mask, training):
    backbone, batch = make_backbone(), made_up_batch(mask)
    expected = backbone.predict_on_batch(batch)
    for call in (PackedRoberta(backbone), tf.function(PackedRoberta(backbone))):
        states = call(batch["token_ids"], batch["padding_mask"], training=training).numpy()
        assert states.shape == (*mask.shape, DIM) and np.isfinite(states).all()
        real = np.asarray(mask, bool)
        np.testing.assert_allclose(states[real], expected[real], atol=1e-5)


def test_rows_of_padding_alone_are_finite_and_leave_the_others_alone():
    backbone, batch = make_backbone(), made_up_batch(ends(0, 0, 5, 0, 2))
    states = PackedRoberta(backbone)(**batch).numpy()
    assert np.isfinite(states).all()
    expected = backbone.predict_on_batch(batch)
    np.testing.assert_allclose(states[2, :5], expected[2, :5], atol=1e-5)
    np.testing.assert_allclose(states[4, :2], expected[4, :2], atol=1e-5)


@pytest.mark.parametrize(
    ("training", "activation"),
    [(False, "gelu"), (True, "gelu"), (True, "gelu_pytorch_tanh"), (True, "relu")],
)
def test_gradients_are_those_of_keras_hub(training, activation):
    backbone, batch = make_backbone(), made_up_batch(MASKS["an odd number of rows"])
    set_activation(backbone, activation)
    wanted = (
        np.random.default_rng(1).normal(size=(7, LENGTH, DIM))
        * ends(3, 9, 1, 5, 2, 7, 7)[..., None]
    )

    def gradients(states_of):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(states_of() * wanted.astype("float32"))
        found = tape.gradient(loss, [weight.value for weight in backbone.trainable_weights])
        return [tf.convert_to_tensor(gradient).numpy() for gradient in found]

    expected = gradients(lambda: backbone(batch))
    got = gradients(lambda: PackedRoberta(backbone)(**batch, training=training))
    assert len(got) == len(backbone.get_weights())
    for weight, one, other in zip(backbone.trainable_weights, got, expected, strict=True):
        scale = np.abs(other).max()
        assert scale > 1e-3 or "key/bias" in weight.path  # to which softmax is blind
        np.testing.assert_allclose(one, other, atol=1e-4 * scale + 1e-6, err_msg=weight.path)


def test_gradients_at_padding_are_dropped():
    backbone = make_backbone()
    weights = [weight.value for weight in backbone.trainable_weights]

    def gradients(lengths, wanted):
        batch = made_up_batch(ends(*lengths))
        with tf.GradientTape() as tape:
            states = PackedRoberta(backbone)(**batch, training=True)
            loss = tf.reduce_sum(states * wanted.astype("float32"))
        return [tf.convert_to_tensor(g).numpy() for g in tape.gradient(loss, weights)]

    wanted = np.random.default_rng(1).normal(size=(2, LENGTH, DIM))
    everywhere = gradients((4, 6), wanted)
    for one, other in zip(
        gradients((4, 6), wanted * ends(4, 6)[..., None]), everywhere, strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-6 * np.abs(other).max())


def test_training_goes_the_same_way():
    rng = np.random.default_rng(3)
    steps = [
        (
            {name: ids.reshape(4, 2, -1) for name, ids in made_up_batch(ends(*lengths), 5).items()},
            scores,
        )
        for lengths, scores in zip(
            rng.integers(1, LENGTH + 1, (6, 8)), rng.uniform(-1, 1, (6, 4)), strict=True
        )
    ]

    def curve(build):
        backbone = make_backbone()
        model = sentence.build_siamese(build(backbone), 2)
        model.compile(keras.optimizers.Adam(1e-3, clipnorm=1.0), cosine_regression_loss)
        return [float(model.train_on_batch(*step)) for step in steps]

    def plain(backbone):
        states = sentence.Pooling("mean")(backbone.output, backbone.input["padding_mask"])
        return keras.Model(backbone.input, states)

    expected = curve(plain)
    assert max(expected) - min(expected) > 0.01
    np.testing.assert_allclose(curve(sentence.build_sentence_model), expected, atol=1e-4)


def test_dropout_is_that_of_keras_hub():
    backbone = make_backbone(dropout=0.3)
    batch = {name: np.repeat(ids, 2000, axis=0) for name, ids in made_up_batch(ends(4)).items()}
    packed = PackedRoberta(backbone)
    got, expected = (
        np.asarray(states)[:, :4].reshape(2000, -1)
        for states in (packed(**batch, training=True), backbone(batch, training=True))
    )
    assert len(np.unique(got[:, 0])) > 1900  # equal rows do not draw alike
    error = np.sqrt((got.var(0) + expected.var(0)) / 2000)
    assert (np.abs(got.mean(0) - expected.mean(0)) / error).max() < 5
    np.testing.assert_allclose(got.std(0), expected.std(0), rtol=0.15)
    still = packed(**batch, training=False).numpy()
    np.testing.assert_array_equal(still[0, :4], still[1, :4])


@pytest.mark.parametrize(("dtype", "most"), [("bfloat16", 0.15), ("float16", 0.02)])
@pytest.mark.parametrize("training", [False, True])
def test_16_bits_are_close(dtype, most, training):
    backbone = make_backbone(dtype=f"mixed_{dtype}")
    batch = made_up_batch(MASKS["an odd number of rows"])
    packed = tf.function(PackedRoberta(backbone), autograph=False)
    states = packed(**batch, training=training)
    assert states.dtype == dtype
    expected = np.asarray(backbone.predict_on_batch(batch), "float32")
    real = batch["padding_mask"] > 0
    assert np.abs(tf.cast(states, "float32").numpy() - expected)[real].max() < most


def test_what_is_exported_has_layer_normalization_as_keras_has_it():
    packed, spec = PackedRoberta(make_backbone()), tf.TensorSpec((None, None), "int32")

    def operations():
        function = tf.function(lambda ids, mask: packed(ids, mask, training=False))
        traced = function.get_concrete_function(spec, spec)
        return {operation.type for operation in traced.graph.get_operations()}

    assert "FusedBatchNormV3" in operations()
    with for_export():
        assert "FusedBatchNormV3" not in operations()
    assert "FusedBatchNormV3" in operations()


def test_a_model_is_saved_and_loaded_whole(tmp_path):
    model = sentence.build_sentence_model(make_backbone())
    model.save(tmp_path / "model.keras")
    batch = made_up_batch(MASKS["an odd number of rows"])
    again = keras.models.load_model(tmp_path / "model.keras")
    assert any(isinstance(layer, PackedRoberta) for layer in again.layers)
    np.testing.assert_array_equal(again.predict_on_batch(batch), model.predict_on_batch(batch))


def test_weights_are_the_backbones_own():
    backbone = make_backbone()
    model = sentence.build_sentence_model(backbone)
    assert model.count_params() == backbone.count_params()
    batch = made_up_batch(ends(3, 4))
    before = model.predict_on_batch(batch)
    backbone.set_weights([1.5 * weight for weight in backbone.get_weights()])
    assert np.abs(model.predict_on_batch(batch) - before).max() > 0.01
    backbone.trainable = False
    assert not model.trainable_weights


def test_cores_are_halved_but_for_what_the_environment_says(monkeypatch):
    monkeypatch.setattr(os, "environ", copy.copy(dict(os.environ)))
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    for name in ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"):
        os.environ.pop(name, None)
    halve_cores()
    assert (os.environ["TF_NUM_INTRAOP_THREADS"], os.environ["TF_NUM_INTEROP_THREADS"]) == (
        "3",
        "2",
    )
    os.environ["TF_NUM_INTRAOP_THREADS"] = "5"
    halve_cores()
    assert os.environ["TF_NUM_INTRAOP_THREADS"] == "5"
