"""The sides of the losses compute the same thing."""

import pytest

from benchmarks import losses
from benchmarks.rows import LOSSES

SIZES = {"batches": [16], "steps": 1}


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
def test_naive_code_and_the_course_agree(loss):
    ours, theirs = losses.course(loss, **SIZES), losses.naive(loss, **SIZES)
    assert ours["loss, batch 16"] == pytest.approx(theirs["loss, batch 16"], rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["supervised", "softmax"])  # every row of 64 has a partner
def test_where_the_formulas_are_the_same_the_peer_agrees(loss):
    pytest.importorskip("pytorch_metric_learning")
    ours, theirs = (
        losses.course(loss, batches=[64], steps=1),
        losses.metric_learning(loss, batches=[64], steps=1),
    )
    assert ours["loss, batch 64"] == pytest.approx(theirs["loss, batch 64"], rel=1e-3)
