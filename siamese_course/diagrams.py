"""Drawn figures of ideas: architectures, a triplet before and after a step, easy and hard negatives.

They have a transparent background, white text in dark boxes and mid-gray text outside of them, so that
they can be read on a light and on a dark page, at half their size as well.
"""

from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from siamese_course.validation import require_choice

INK = "#7f7f7f"
INPUT, ENCODER, EMBEDDING, COMPARE, LOSS = "#5b6770", "#332288", "#117733", "#7a5c00", "#882255"
ANCHOR, POSITIVE, NEGATIVE = "#332288", "#117733", "#882255"
FONT = 12.5


# Inputs, encoder, embeddings, comparison and loss, from left to right
ARCHITECTURES = {
    "images": (
        ("image a", "image b"),
        "encoder G\n784-1024-1024-2",
        ("G(a)", "G(b)"),
        "distance\nD",
        "contrastive\nloss",
    ),
    "questions": (
        ("question 1", "question 2"),
        "embedding, LSTM,\nmean, unit length",
        ("v1", "v2"),
        "cosines of\nthe batch",
        "triplet\nloss",
    ),
    "sentence pairs": (
        ("sentence a", "sentence b"),
        "RoBERTa,\nmean of tokens",
        ("u", "v"),
        "cosine",
        "squared\nerror",
    ),
    "sentence triplets": (
        ("anchor", "positive", "negative"),
        "RoBERTa,\nmean of tokens",
        ("a", "p", "n"),
        "distances\na-p, a-n",
        "triplet\nloss",
    ),
}


def siamese_architecture(kind: str = "images") -> Figure:
    """Draw inputs that go through encoders of the same weights, a comparison and a loss.

    Args:
        kind: "images", "questions", "sentence pairs" or "sentence triplets".

    Raises:
        ValueError: another kind.
    """
    require_choice(kind, "kind", tuple(ARCHITECTURES))
    inputs, encoder, embeddings, comparison, loss = ARCHITECTURES[kind]
    rows = len(inputs)
    heights = [0.95 * (rows - 1 - row) + 0.35 for row in range(rows)]
    middle = sum(heights) / rows
    figure, axis = _canvas(6.9, heights[0] + 0.35)
    for text, embedding, y in zip(inputs, embeddings, heights, strict=True):
        _box(axis, (0.6, y), text, INPUT, 1.1)
        _box(axis, (2.24, y), encoder, ENCODER, 1.74)
        _box(axis, (3.67, y), embedding, EMBEDDING, 0.6)
        _arrow(axis, (1.15, y), (1.37, y))
        _arrow(axis, (3.11, y), (3.37, y))
        _arrow(axis, (3.97, y), (4.33, middle + 0.2 * (y - middle)))
    for upper, lower in pairwise(heights):
        for x in (2.05, 2.11):
            axis.plot([x, x], [lower + 0.29, upper - 0.29], color=INK, linewidth=1.5)
        _text(axis, (2.2, (upper + lower) / 2), "same weights", ha="left")
    _box(axis, (4.85, middle), comparison, COMPARE, 1.04)
    _arrow(axis, (5.37, middle), (5.67, middle))
    _box(axis, (6.25, middle), loss, LOSS, 1.16)
    return figure


def triplet_step() -> Figure:
    """Draw a triplet before and after a step: the positive comes closer, the negative moves away."""
    figure, axis = _canvas(6.9, 3.6)
    before = {"P": (0.94, 0.5), "N": (0.5, -0.62)}
    after = {"P": (0.55, 0.29), "N": (0.88, -1.09)}
    for x, title, places in (
        (1.65, "before the step: loss > 0", before),
        (5.25, "after the step: loss 0", after),
    ):
        center = x, 1.8
        radius = sum(side**2 for side in places["P"]) ** 0.5
        _ring(axis, center, radius, POSITIVE, "-")
        _ring(axis, center, radius + 0.36, INK, "--")
        _point(axis, center, "A", ANCHOR)
        for name, color in (("P", POSITIVE), ("N", NEGATIVE)):
            _point(axis, _moved(center, places[name]), name, color)
        _text(axis, (x, 3.45), title, fontsize=FONT)
    for name, color in (("P", POSITIVE), ("N", NEGATIVE)):
        start, end = (_moved((1.65, 1.8), places[name]) for places in (before, after))
        _arrow(axis, start, end, color, shrinkA=11)
    axis.plot([0.75, 1.1], [0.14, 0.14], color=POSITIVE)
    _text(axis, (1.2, 0.14), "d(A, P)", ha="left")
    axis.plot([2.6, 2.95], [0.14, 0.14], color=INK, linestyle="--")
    _text(axis, (3.05, 0.14), "d(A, P) + margin: N should be outside", ha="left")
    return figure


def easy_and_hard_negatives() -> Figure:
    """Draw where negatives lie around an anchor: closer than the positive, within the margin, or beyond."""
    figure, axis = _canvas(6.9, 3.3)
    center = 1.65, 1.65
    for radius, alpha in ((1.6, 0.12), (1.08, 0.22), (0.64, 0.38)):
        axis.add_patch(Circle(center, radius, color=NEGATIVE, alpha=alpha, linewidth=0))
    _ring(axis, center, 0.64, POSITIVE, "-")
    _ring(axis, center, 1.08, INK, "--")
    _point(axis, center, "A", ANCHOR)
    _point(axis, _moved(center, (-0.45, 0.455)), "P", POSITIVE)
    hard = "hard: closer than the positive;\nlargest loss, maybe a false negative"
    for shift, y, text in (
        ((0.34, 0.2), 2.85, hard),
        ((0.82, -0.24), 1.65, "semi-hard: within the margin;\nloss > 0"),
        ((1.04, -0.9), 0.45, "easy: beyond the margin;\nloss 0, nothing to learn"),
    ):
        place = _moved(center, shift)
        _point(axis, place, "N", NEGATIVE)
        axis.plot([place[0] + 0.12, 3.5], [place[1], y], color=INK, linewidth=1)
        _text(axis, (3.57, y), text, ha="left")
    return figure


def bi_and_cross_encoder() -> Figure:
    """Draw a bi-encoder, which embeds each sentence once, above a cross-encoder, which reads pairs."""
    figure, axis = _canvas(6.9, 3.8)
    for y, input_text, embedding in ((3.2, "sentence a", "u"), (2.4, "sentence b", "v")):
        _box(axis, (0.6, y), input_text, INPUT, 1.1)
        _box(axis, (1.95, y), "encoder", ENCODER, 1.0)
        _box(axis, (3.0, y), embedding, EMBEDDING, 0.5)
        _arrow(axis, (1.15, y), (1.45, y))
        _arrow(axis, (2.45, y), (2.75, y))
        _arrow(axis, (3.25, y), (3.6, 2.8 + 0.2 * (y - 2.8)))
    _box(axis, (4.05, 2.8), "cosine", COMPARE, 0.9)
    for y, input_text in ((1.2, "sentence a"), (0.4, "sentence b")):
        _box(axis, (0.6, y), input_text, INPUT, 1.1)
        _arrow(axis, (1.15, y), (1.45, 0.8 + 0.5 * (y - 0.8)))
    _box(axis, (1.95, 0.8), "encoder", ENCODER, 1.0, 0.9)
    _arrow(axis, (2.45, 0.8), (3.6, 0.8))
    _box(axis, (4.05, 0.8), "score", COMPARE, 0.9)
    axis.plot([0, 6.9], [1.8, 1.8], color=INK, linewidth=0.8)
    for y, title, text in (
        (2.8, "bi-encoder", "n sentences:\nn encoder calls,\nthen products\nof vectors"),
        (0.8, "cross-encoder", "n sentences:\nn(n − 1)/2 calls,\none per pair"),
    ):
        _text(axis, (4.75, y + 0.62), title, ha="left", fontweight="bold", fontsize=FONT)
        _text(axis, (4.75, y - 0.12), text, ha="left")
    return figure


def _canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of one blank axis whose units are inches, with a transparent background."""
    figure = plt.figure(figsize=(width, height))
    figure.patch.set_alpha(0)
    axis = figure.add_axes((0, 0, 1, 1))
    axis.axis("off")
    axis.set(xlim=(0, width), ylim=(0, height))
    return figure, axis


def _moved(place: tuple, by: tuple) -> tuple:
    return place[0] + by[0], place[1] + by[1]


def _box(
    axis: Axes, center: tuple, text: str, color: str, width: float, height: float = 0.58
) -> None:
    edge = 0.05  # which the style adds on all sides
    corner = center[0] - width / 2 + edge, center[1] - height / 2 + edge
    size = width - 2 * edge, height - 2 * edge
    style = f"round,pad={edge},rounding_size=0.08"
    shape = FancyBboxPatch(corner, *size, boxstyle=style, facecolor=color, edgecolor="white")
    axis.add_patch(shape)
    _text(axis, center, text, color="white")


def _text(axis: Axes, place: tuple[float, float], text: str, **options: Any) -> None:
    defaults: dict[str, Any] = {"color": INK, "fontsize": FONT - 1, "ha": "center", "va": "center"}
    axis.text(place[0], place[1], text, **{**defaults, **options})


def _arrow(axis: Axes, start: tuple, end: tuple, color: str = INK, shrinkA: float = 0) -> None:
    shape = FancyArrowPatch(
        start, end, arrowstyle="-|>", mutation_scale=13, color=color, linewidth=1.6,
        shrinkA=shrinkA, shrinkB=0,
    )  # fmt: skip
    axis.add_patch(shape)


def _point(axis: Axes, place: tuple, name: str, color: str) -> None:
    axis.add_patch(Circle(place, 0.13, facecolor=color, edgecolor="white", zorder=3))
    _text(axis, place, name, color="white", fontweight="bold", zorder=4)


def _ring(axis: Axes, center: tuple, radius: float, color: str, style: str) -> None:
    axis.add_patch(Circle(center, radius, fill=False, color=color, linestyle=style, linewidth=1.5))
