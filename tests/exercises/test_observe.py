"""Models leave the process of an answer as data, and are observed where none of its code has run."""

import json

import keras
import numpy as np
import pytest
from keras import layers, ops

from siamese_course.exercises import observe
from siamese_course.exercises.cases import gradient_norms
from siamese_course.exercises.mnist_contrastive.siamese import siamese
from siamese_course.exercises.observe import NotRebuilt, Wrong
from siamese_course.exercises.sbert_roberta.siamese import siamese as sentence_siamese
from siamese_course.models.sentences import build_siamese

[PART] = siamese.parts


class Twins(layers.Layer):
    """A layer of a learner's, which no other process knows."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def call(self, left, right):
        return ops.stack([self.encoder(left), self.encoder(right)], axis=1)


class Subclass(keras.Model):
    """A model without a graph."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def call(self, sides, training=None):
        return ops.stack([self.encoder(side) for side in sides], axis=1)


def inputs():
    return [keras.Input((784,)), keras.Input((784,))]


def functional(encoder):
    sides = inputs()
    return keras.Model(sides, ops.stack([encoder(side) for side in sides], axis=1))


def own_layer(encoder):
    sides = inputs()
    return keras.Model(sides, Twins(encoder)(*sides))


def with_lambda(encoder):
    sides = inputs()
    stack = layers.Lambda(lambda rows: ops.stack(rows, axis=1))
    return keras.Model(sides, stack([encoder(side) for side in sides]))


def subclass(encoder):
    model = Subclass(encoder)
    model([np.zeros((1, 784), "float32")] * 2)
    return model


def again(answer):
    """What is seen of an answer's model after it was made again."""
    case = PART.case()
    _, models = observe.with_models(observe.siamese, [answer], *case)
    PART.test(observe.of_models(observe.siamese, models, *case), *case)


@pytest.mark.parametrize("answer", [functional, own_layer, with_lambda, subclass])
def test_a_model_made_again_from_data_is_right_as_the_original(answer):
    again(answer)


def test_a_wrong_model_is_wrong_after_it_was_made_again():
    def swapped(encoder):
        left, right = inputs()
        return keras.Model([left, right], ops.stack([encoder(right), encoder(left)], axis=1))

    with pytest.raises(Wrong, match="swapped"):
        again(swapped)


def test_weights_are_those_before_the_observer_trained_the_model():
    table, batches = sentence_siamese.parts[0].case()
    _, [model, _] = observe.with_models(observe.sentence_siamese, [build_siamese], table, batches)
    assert np.array_equal(model["weights"][0], table)


@pytest.mark.parametrize("name", ["kernel", "bias", "activity"])
def test_every_kind_of_regularizer_is_seen(name):
    model = keras.Sequential(
        [keras.Input((2,)), layers.Dense(1, **{f"{name}_regularizer": "l2"}), layers.Dense(1)]
    )
    model(np.ones((3, 2)))
    with pytest.raises(Wrong, match="regularizer"):
        observe.require_plain(model)


def test_gradients_of_weights_are_found():
    def model_of(cut):
        image = keras.Input((2,))
        return keras.Model(image, layers.Dense(1)(cut(layers.Dense(3, "relu")(image))))

    rows = np.ones((4, 2), "float32")
    for cut, reached in ((lambda x: x, True), (ops.stop_gradient, False)):
        model = model_of(cut)
        model.set_weights([np.ones((2, 3)), np.ones(3), np.ones((3, 1)), np.ones(1)])
        found = observe.weight_gradients(model, model.weights, rows)
        assert np.allclose(found, gradient_norms(model.get_weights(), rows)) == reached
        assert (found[0] > 0) == reached
        assert found[2] > 0


def test_what_keras_cannot_express_as_data_is_not_exported():
    def numpy_inside(encoder):
        sides = inputs()
        stack = layers.Lambda(
            lambda rows: ops.stack(
                [ops.convert_to_tensor(np.asarray(row)) for row in rows], axis=1
            ),
            output_shape=(2, 3),
        )
        return keras.Model(sides, stack([encoder(side) for side in sides]))

    model = numpy_inside(keras.Sequential([keras.Input((784,)), layers.Dense(3)]))
    assert observe._exported(model, model.get_weights(), (np.zeros((1, 784)),) * 2) is None


@pytest.mark.parametrize(
    "evil",
    [
        {"class_name": "__lambda__", "config": {"value": "4wAAAA=="}},
        {"class_name": "function", "module": "posix", "config": "system"},
        {"class_name": "function", "module": "builtins", "config": "exec"},
        {"class_name": "Lambda", "module": "keras.layers", "config": {}},
        {"class_name": "TFSMLayer", "module": "keras.layers", "config": {"filepath": "/tmp"}},
        {"class_name": "func_load", "module": "keras.src.utils.python_utils", "config": {}},
        {"class_name": "get_file", "module": "keras.utils", "config": {}},
        {"class_name": "Twins", "module": None, "registered_name": "Twins", "config": {}},
    ],
    ids=lambda evil: evil["class_name"],
)
def test_a_configuration_that_could_be_code_is_refused(evil):
    case = PART.case()
    _, [model, other] = observe.with_models(observe.siamese, [functional], *case)
    config = json.loads(model["config"])
    config["config"]["layers"].append({"name": "evil", "inbound_nodes": [], **evil})
    forged = [model | {"config": json.dumps(config)}, other]
    with pytest.raises(NotRebuilt):
        observe.of_models(observe.siamese, forged, *case)


def test_weights_that_do_not_fit_are_refused():
    case = PART.case()
    _, [model, other] = observe.with_models(observe.siamese, [functional], *case)
    with pytest.raises(NotRebuilt):
        forged = [model | {"weights": model["weights"][:1]}, other]
        observe.of_models(observe.siamese, forged, *case)
