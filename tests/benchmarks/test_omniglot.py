"""The peer's encoder is the course's, and its side returns the same measures."""

import numpy as np
import pytest

from benchmarks import omniglot
from siamese_course.models.images import embed
from siamese_course.recipes.image_encoders import build_character_encoder

torch = pytest.importorskip("torch", reason="PyTorch is not installed: it is in the bench extra")


@pytest.mark.slow
def test_the_encoder_of_the_peer_is_the_courses():
    torch.manual_seed(0)
    peer, course = omniglot.torch_encoder(), build_character_encoder()
    images = np.random.default_rng(0).random((6, 28, 28, 1)).astype("float32")
    rows = torch.from_numpy(images).permute(0, 3, 1, 2)
    with torch.no_grad():
        peer(rows)  # moves the running means and variances
        omniglot.copy_weights(peer, course)
        np.testing.assert_allclose(embed(course, images), peer.eval()(rows).numpy(), atol=1e-3)


@pytest.mark.slow
def test_the_sides_return_the_same_measures(shipped):
    pytest.importorskip("pytorch_metric_learning")
    course, peer = (side(share=0.0008) for side in (omniglot.course, omniglot.peer))
    assert course.keys() == peer.keys()
    assert course["data"] == peer["data"]
    assert course["steps"] == peer["steps"] == 3
    assert len(course["losses"]) == len(peer["losses"])
    # The first loss of random weights, of the same formula on the same batch
    assert peer["losses"][0] == pytest.approx(course["losses"][0], rel=0.3)
