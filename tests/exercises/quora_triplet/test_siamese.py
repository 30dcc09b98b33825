"""Exercise 6: right siamese models in Trax pass, known mistakes are named."""

import jax
import pytest

from siamese_course.exercises.quora_triplet import siamese
from siamese_course.exercises.quora_triplet.siamese import MISTAKES
from siamese_course.models.questions_trax import unit_length
from siamese_course.runtime.trax_patch import trax
from tests.exercises.mistakes import cases, require_named

tl, jnp = trax.layers, trax.fastmath.numpy
(build_siamese,) = siamese.reference


@pytest.fixture(autouse=True)
def compile_quickly():
    """Most time goes into compiling."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


def siamese_with(of_states):
    """A siamese model whose encoder makes something else of the LSTM's states."""

    def build(vocabulary_size, dim=128):
        states = tl.Embedding(vocabulary_size, dim), tl.LSTM(dim)
        encoder = tl.Serial(*states, tl.Fn("OfStates", of_states))
        return tl.Parallel(encoder, encoder)

    return build


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(siamese.check(siamese_with(mistake.answer)), mistake)


def normalized():
    return tl.Fn("N", lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True))


def encoder_of(vocabulary_size, dim, units=None, mean=1, last=None, lstm=tl.LSTM, more=()):
    """An encoder with one thing changed."""
    layers = [tl.Embedding(vocabulary_size, dim), lstm(units or dim), *more]
    return tl.Serial(*layers, tl.Mean(axis=mean), last or normalized())


def twice(make):
    """A siamese model of the encoder that ``make(vocabulary_size, dim)`` makes."""

    def build(vocabulary_size, dim=128):
        encoder = make(vocabulary_size, dim)
        return tl.Parallel(encoder, encoder)

    return build


def one_embedding_two_lstms(vocabulary_size, dim=128):
    embedding = tl.Embedding(vocabulary_size, dim)
    sides = (tl.Serial(embedding, tl.LSTM(dim), tl.Mean(axis=1), normalized()) for _ in range(2))
    return tl.Parallel(*sides)


def without_lstm(v, d):
    return tl.Serial(tl.Embedding(v, d), tl.Mean(axis=1), normalized())


def without_keepdims():
    return tl.Fn("N", lambda x: x / jnp.linalg.norm(x, axis=-1))


SIAMESE = [
    (
        lambda v, d=128: tl.Parallel(encoder_of(v, d), encoder_of(v, d)),
        "not_shared",
    ),
    (one_embedding_two_lstms, "layers"),
    (lambda v, d=128: encoder_of(v, d), "inputs"),
    (lambda v, d=128: tl.Serial(encoder_of(v, d)), "inputs"),
    (lambda v, d=128: (encoder_of(v, d),) * 2, "type"),
    (lambda v, d=128: tl.Parallel, "type"),
    (lambda v, d=128: v, "type"),
    (
        lambda v, d=128: tl.Serial(twice(encoder_of)(v, d), tl.Concatenate()),
        "outputs",
    ),
    (twice(lambda v, d: encoder_of(v, 128)), "embedding_size"),
    (twice(lambda v, d: encoder_of(41, d)), "no_embedding"),
    (twice(lambda v, d: encoder_of(v, d, units=128)), "layers_do_not_fit"),
    (twice(lambda v, d: encoder_of(d, v, units=d)), "layers_do_not_fit"),
    (twice(without_lstm), "no_lstm"),
    (twice(lambda v, d: encoder_of(v, d, lstm=tl.GRU)), "layers"),
    (
        twice(lambda v, d: encoder_of(v, d, more=[tl.Dense(d)])),
        "layers",
    ),
    (twice(lambda v, d: encoder_of(v, d, mean=-1)), "mean_over_dim"),
    (twice(lambda v, d: encoder_of(v, d, mean=0)), "mean_over_batch"),
    (siamese_with(lambda states: unit_length()(states)), "no_mean"),
    (siamese_with(lambda states: -jnp.mean(states, axis=1)), "value"),
    (twice(lambda v, d: encoder_of(v, d, last=lambda x: x)), "no_layer"),
    (twice(lambda v, d: tl.Serial(tl.Embedding(v, d), tl.LSTM)), "no_layer"),
    (twice(lambda v, d: encoder_of(v, d, last=without_keepdims())), "layers_do_not_fit"),
    (
        twice(lambda v, d: tl.Serial(tl.LSTM(d), tl.Embedding(v, d), normalized())),
        "layers_do_not_fit",
    ),
]


@pytest.mark.parametrize(("answer", "tag"), SIAMESE, ids=range(len(SIAMESE)))
def test_siamese_mistakes_are_named(answer, tag):
    result = siamese.check(answer)
    assert repr(result) == "0"
    assert result.tags[0] == tag


def siamese_of_shared_layers(vocabulary_size, dim=128):
    shared = tl.Embedding(vocabulary_size, dim), tl.LSTM(dim)
    left = tl.Serial(*shared, tl.Mean(axis=-2), normalized())
    return tl.Parallel(left, tl.Serial(*shared, tl.Mean(axis=-2), normalized()))


def siamese_with_norm_behind(vocabulary_size, dim=128):
    encoder = tl.Serial(
        tl.Embedding(vocab_size=vocabulary_size, d_feature=dim),
        tl.LSTM(n_units=dim),
        tl.Fn("Mean", lambda x: jnp.sum(x, axis=1) / x.shape[1]),
    )
    return tl.Serial(tl.Parallel(encoder, encoder), tl.Parallel(normalized(), normalized()))


RIGHT = [(siamese_of_shared_layers,), (siamese_with_norm_behind,), (twice(encoder_of),)]


@pytest.mark.parametrize("answers", RIGHT, ids=range(len(RIGHT)))
def test_a_right_answer_in_another_style_passes(answers):
    result = siamese.check(*answers)
    assert result.passed, str(result)


@pytest.mark.parametrize("answer", [siamese_with_norm_behind])
def test_what_cannot_be_trained_with_is_replaced_and_the_learner_told(answer, capsys):
    assert siamese.use(answer) == build_siamese
    assert "yours is right, but it can't be used for training (" in capsys.readouterr().out
