"""Drawn figures: readable on light and dark pages, nothing cut off."""

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_rgb

from siamese_course import diagrams

FIGURES = {
    **{
        kind: lambda kind=kind: diagrams.siamese_architecture(kind)
        for kind in diagrams.ARCHITECTURES
    },
    "triplet step": diagrams.triplet_step,
    "negatives": diagrams.easy_and_hard_negatives,
    "encoders": diagrams.bi_and_cross_encoder,
}


@pytest.fixture(params=FIGURES)
def figure(request):
    figure = FIGURES[request.param]()
    figure.canvas.draw()
    yield figure
    plt.close(figure)


def luminance(color) -> float:
    channels = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), channels, strict=True))


def contrast(a, b) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_page_shows_through(figure):
    assert figure.patch.get_alpha() == 0


def test_no_text_is_cut_off(figure):
    width, height = figure.canvas.get_width_height()
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert (box.x0, box.y0) >= (0, 0), text.get_text()
        assert box.x1 <= width and box.y1 <= height, text.get_text()


def test_text_is_readable_on_light_and_dark_pages(figure):
    assert {text.get_color() for text in figure.axes[0].texts} == {"white", diagrams.INK}
    assert min(contrast(diagrams.INK, page) for page in ("#ffffff", "#181818")) > 3.9


@pytest.mark.parametrize("name", ["INPUT", "ENCODER", "EMBEDDING", "COMPARE", "LOSS", "NEGATIVE"])
def test_white_text_is_readable_in_every_box(name):
    assert contrast("white", getattr(diagrams, name)) > 4.5


def test_another_kind_is_refused():
    with pytest.raises(ValueError, match="kind is 'cats'; expected one of images, "):
        diagrams.siamese_architecture("cats")
