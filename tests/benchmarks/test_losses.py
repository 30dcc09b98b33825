"""The sides of the losses compute the same thing."""

import pytest
import tensorflow as tf

from benchmarks import losses
from benchmarks.rows import LOSSES

pytestmark = pytest.mark.slow

SIZES = {"batches": [16], "steps": 1}
BATCH, DIM = 48, 32


def largest_tensor(loss, function):
    """The most numbers in any tensor that value and gradient pass through."""
    paired = loss in losses.PAIRED
    spec = tf.TensorSpec((BATCH, 2, DIM) if paired else (BATCH, DIM))

    @tf.function
    def value_and_gradient(labels, embeddings):
        with tf.GradientTape() as tape:
            tape.watch(embeddings)
            value = function(labels, embeddings)
        return value, tape.gradient(value, embeddings)

    graph = value_and_gradient.get_concrete_function(tf.TensorSpec((BATCH,)), spec).graph
    return max(out.shape.num_elements() or 0 for op in graph.get_operations() for out in op.outputs)


@pytest.mark.parametrize("loss", LOSSES)
def test_no_tensor_of_all_pairs_and_all_dimensions_is_built(loss):
    assert largest_tensor(loss, losses.course_losses()[loss]) < BATCH * BATCH * DIM / 4


def test_that_tensor_would_be_seen():
    assert largest_tensor("all_pairs", losses.naive_all_pairs) == BATCH * BATCH * DIM


@pytest.mark.parametrize("loss", LOSSES)
def test_naive_code_and_the_course_agree(loss):
    ours, theirs = losses.course(loss, **SIZES), losses.naive(loss, **SIZES)
    assert ours["loss, batch 16"] == pytest.approx(theirs["loss, batch 16"], rel=1e-4)


@pytest.mark.parametrize("loss", ["supervised", "softmax"])  # every row of 64 has a partner
def test_where_the_formulas_are_the_same_the_peer_agrees(loss):
    pytest.importorskip("pytorch_metric_learning")
    ours, theirs = (
        losses.course(loss, batches=[64], steps=1),
        losses.metric_learning(loss, batches=[64], steps=1),
    )
    assert ours["loss, batch 64"] == pytest.approx(theirs["loss, batch 64"], rel=1e-3)


def test_the_peer_leaves_out_softmax_batches_that_are_too_much_for_memory(monkeypatch):
    pytest.importorskip("pytorch_metric_learning")
    monkeypatch.setattr(losses, "CUBE_BYTES", 4 * 32**3)
    found = losses.metric_learning("softmax", batches=[16, 32, 64], steps=1)
    assert [name for name in found if name.startswith("ms")] == ["ms, batch 16", "ms, batch 32"]
    assert "ms, batch 64" in losses.metric_learning("supervised", batches=[64], steps=1)
