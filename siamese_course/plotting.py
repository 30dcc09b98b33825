"""Charts of the course: one palette, static by default, interactive as widgets.

The colors are Paul Tol's "muted" scheme, which color-blind readers can distinguish. The name of every class is
also written at its center, so that a grayscale print is readable.
"""

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from siamese_course.validation import require_embeddings, require_labels

PALETTE = (
    "#332288", "#88ccee", "#44aa99", "#117733", "#999933",
    "#ddcc77", "#cc6677", "#882255", "#aa4499", "#777777",
)  # fmt: skip
SAME, DIFFERENT = "#117733", "#882255"
INTERACTIVE_POINTS = 1000
Style = dict[str, Any]
"""Keyword arguments of matplotlib."""


class Curve(Protocol):
    """A training history with its loss curve."""

    steps: list[int]
    losses: list[float]


def image_grid(
    images: npt.ArrayLike, titles: Sequence[str] | None = None, columns: int = 10
) -> Figure:
    """Show small images in rows.

    Args:
        images: (n, side * side) or (n, side, side) in [0, 1].
        titles: one for each image; fewer or more are a ValueError.
        columns: images per row.
    """
    images = np.asarray(images)
    if titles is not None and len(titles) != len(images):
        raise ValueError(f"titles has {len(titles)} entries; expected {len(images)}, as images")
    side = round(np.prod(images.shape[1:]) ** 0.5)
    rows = -(-len(images) // columns)
    # All in one axis: with an axis for each image, drawing takes several times as long
    width, height = 1.1 * side, (1.1 if titles is None else 1.4) * side
    figure, axis = plt.subplots(figsize=(0.9 * columns, 0.9 * rows * height / width))
    axis.axis("off")
    for index, image in enumerate(images):
        left, bottom = width * (index % columns), -height * (index // columns)
        extent = left, left + side, bottom, bottom + side
        axis.imshow(image.reshape(side, side), cmap="gray_r", vmin=0, vmax=1, extent=extent)
        if titles is not None:
            middle, above = left + side / 2, bottom + 1.05 * side
            axis.text(middle, above, titles[index], fontsize=9, ha="center", va="bottom")
    axis.set(xlim=(0, columns * width), ylim=(height * (1 - rows), height))
    figure.tight_layout(pad=0.3)
    return figure


def scatter(
    embeddings: npt.ArrayLike,
    labels: npt.ArrayLike,
    title: str = "",
    axis: Axes | None = None,
    *,
    name: str = "class",
) -> Figure:
    """Plot a 2-D embedding, one color per label, with the label at its center and in the legend.

    Args:
        embeddings: (n, 2).
        labels: (n,) integers.
        title: of the chart.
        axis: a matplotlib axis to draw on; a new figure if None.
        name: of what the labels are.
    """
    embeddings, labels = _require_plane(embeddings, labels)
    standalone = axis is None
    if axis is None:
        axis = plt.subplots(figsize=(7.5, 6))[1]
    figure: Any = axis.figure
    size, font_size = (10, 14) if standalone else (2, 9)
    name_style: Style = {"fontweight": "bold", "ha": "center", "va": "center"}
    halo = [patheffects.withStroke(linewidth=3, foreground="white")]
    for index, label in enumerate(np.unique(labels)):
        points = embeddings[labels == label]
        style: Style = {"color": PALETTE[index % len(PALETTE)], "alpha": 0.6, "linewidths": 0}
        axis.scatter(points[:, 0], points[:, 1], s=size, label=str(label), **style)
        center = np.median(points, axis=0)
        axis.annotate(str(label), center, fontsize=font_size, path_effects=halo, **name_style)
    axis.set_title(title)
    axis.set_aspect("equal", adjustable="datalim")
    if standalone:
        axis.legend(title=name, markerscale=3, loc="center left", bbox_to_anchor=(1.01, 0.5))
        axis.set(xlabel="dimension 1", ylabel="dimension 2")
        figure.tight_layout()
    return figure


def snapshots(embeddings: Mapping[int, np.ndarray], labels: npt.ArrayLike) -> Figure:
    """Plot the same embedding at several steps of training, three side by side.

    Args:
        embeddings: step -> (n, 2) embeddings.
        labels: (n,) integers.
    """
    rows, columns = -(-len(embeddings) // 3), 3
    figure, axes = plt.subplots(rows, columns, figsize=(3.6 * columns, 3.4 * rows), squeeze=False)
    for axis in axes.flat[len(embeddings) :]:
        axis.axis("off")
    for axis, (step, points) in zip(axes.flat, embeddings.items(), strict=False):
        scatter(points, labels, f"after {step:,} steps" if step else "before training", axis)
        axis.tick_params(labelsize=7)
    figure.tight_layout()
    return figure


def snapshots_slider(embeddings: Mapping[int, np.ndarray], labels: npt.ArrayLike) -> Any:
    """Show the same embedding during training as a widget: one image, and a slider for the step.

    Args:
        embeddings: step -> (n, 2) embeddings.
        labels: (n,) integers.
    """
    import ipywidgets

    reach = 1.05 * max(np.abs(points).max() for points in embeddings.values())
    images = {}
    for step, points in embeddings.items():
        figure, axis = plt.subplots(figsize=(5.5, 5.5))
        scatter(points, labels, axis=axis)
        axis.set_aspect("equal", adjustable="box")
        axis.set(xlim=(-reach, reach), ylim=(-reach, reach))
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=90, bbox_inches="tight")
        plt.close(figure)
        images[step] = stream.getvalue()
    first = next(iter(images))
    steps = [(f"{step:,} steps", step) for step in images]
    layout: Style = {"width": "28em"}
    slider = ipywidgets.SelectionSlider(options=steps, description="after", layout=layout)
    image = ipywidgets.Image(value=images[first], format="png", layout={"width": "32em"})
    slider.observe(lambda change: setattr(image, "value", images[change["new"]]), "value")
    return ipywidgets.VBox([slider, image])


def loss_curve(histories: Mapping[str, Curve]) -> Figure:
    """Plot loss against step, one line per training run.

    Args:
        histories: name -> a history with ``steps`` and ``losses``.
    """
    axis = plt.subplots(figsize=(7, 3.6))[1]
    for index, (name, history) in enumerate(histories.items()):
        color = PALETTE[3 * index % len(PALETTE)]
        style: Style = {"marker": "." if index == 0 else "x", "color": color}
        axis.plot(history.steps, history.losses, label=name, **style)
    axis.set_ylim(bottom=0)
    return _labeled(axis, "training step", "mean loss since the last point")


def distance_histogram(distances: npt.ArrayLike, same: npt.ArrayLike, threshold: float) -> Figure:
    """Plot the distances of similar and of different pairs, and the threshold between them.

    Args:
        distances: (n,); those above the 99% quantile are counted in the last bar.
        same: (n,) 1 for a similar pair, 0 for a different one.
        threshold: drawn as a line.
    """
    same, axis = np.asarray(same).astype(bool), plt.subplots(figsize=(7, 3.2))[1]
    low, high = np.quantile(np.asarray(distances), [0.01, 0.99])
    shown, bins = np.minimum(distances, high), np.linspace(min(0, low), high, 50).tolist()
    for name, chosen, color in (("same", same, SAME), ("different", ~same, DIFFERENT)):
        axis.hist(shown[chosen], bins, density=True, alpha=0.55, color=color, label=name)
    axis.axvline(threshold, color="black", linestyle="--", label=f"threshold {threshold:.2f}")
    return _labeled(axis, "distance between two embeddings", "density", grid=False)


def similarity_heatmap(
    similarities: npt.ArrayLike, title: str = "", labels: Sequence[str] | None = None
) -> Figure:
    """Plot a similarity matrix with its values and the two negatives of each row.

    The positives, on the diagonal, have a green frame; the hardest negative of each row has a purple one.
    The mean negative is in a separate column on the right.

    Args:
        similarities: (batch, batch) cosines, batch from 2 to about 10.
        title: of the chart.
        labels: one for each row and column; row numbers if None.
    """
    matrix = np.asarray(similarities, dtype="float64")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise ValueError(
            f"similarities has shape {matrix.shape}; expected (batch, batch), batch >= 2"
        )
    batch = len(matrix)
    off_diagonal = ~np.eye(batch, dtype=bool)
    hardest = np.where(off_diagonal, matrix, -np.inf).argmax(axis=1)
    means = np.where(off_diagonal, matrix, 0.0).sum(axis=1) / (batch - 1)
    figure, (axis, beside) = plt.subplots(
        1, 2, figsize=(1.1 * batch + 2.2, 0.95 * batch + 1.1), width_ratios=(batch, 1), sharey=True
    )
    for place, values in ((axis, matrix), (beside, means[:, None])):
        place.imshow(values, cmap="RdYlBu", vmin=-1, vmax=1, aspect="auto")
        for (row, column), value in np.ndenumerate(values):
            color = "white" if abs(value) > 0.75 else "black"
            place.text(column, row, f"{value:.2f}", ha="center", va="center", color=color)
    frame: Style = {"fill": False, "linewidth": 3}
    for row, negative in enumerate(hardest):
        for column, color in ((row, SAME), (negative, DIFFERENT)):
            corner = column - 0.44, row - 0.44
            axis.add_patch(plt.Rectangle(corner, 0.88, 0.88, edgecolor=color, **frame))
    names = [str(n) for n in range(1, batch + 1)] if labels is None else labels
    axis.set_xticks(range(batch), names)
    axis.set_yticks(range(batch), names)
    axis.set(xlabel="right question", ylabel="left question", title=title)
    beside.set_xticks([0], ["mean\nnegative"])
    square: Style = {"marker": "s", "fillstyle": "none", "markersize": 10, "linestyle": ""}
    names_of = {SAME: "positive", DIFFERENT: "hardest negative"}
    handles = [plt.Line2D([], [], color=c, label=name, **square) for c, name in names_of.items()]
    figure.tight_layout()
    below: Style = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.02)}
    figure.legend(handles=handles, ncols=2, frameon=False, **below)
    return figure


def _labeled(axis: Axes, x: str, y: str, grid: bool = True) -> Any:
    """The figure of a chart, with names of its axes, a legend and, if wanted, a grid."""
    axis.set(xlabel=x, ylabel=y)
    if grid:
        axis.grid(alpha=0.3)
    axis.legend()
    figure: Any = axis.figure
    figure.tight_layout()
    return figure


def score_scatter(
    panels: Mapping[str, npt.ArrayLike], scores: npt.ArrayLike, lowest: float = -1.0
) -> Figure:
    """Plot the cosine of each pair against its human score, one panel per model.

    Args:
        panels: title -> (n,) cosines.
        scores: (n,) from 0 to 5.
        lowest: the training target for the score 0.
    """
    scores = np.asarray(scores)
    figure, axes = plt.subplots(
        1, len(panels), figsize=(4.2 * len(panels), 3.8), sharex=True, sharey=True, squeeze=False
    )
    for axis, (title, cosines) in zip(axes.flat, panels.items(), strict=True):
        if np.shape(cosines) != scores.shape:
            raise ValueError(
                f"{title}: cosines has shape {np.shape(cosines)}; expected {scores.shape}, as scores"
            )
        axis.plot((0, 5), (lowest, 1), color="gray", linestyle=":", label="target of regression")
        axis.scatter(scores, cosines, s=14, color=PALETTE[0], alpha=0.5, linewidths=0)
        axis.set(title=title, xlabel="score", ylim=(-1.05, 1.05))
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("cosine")
    axes[0, -1].legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    return figure


def accuracy_chart(
    thresholds: npt.ArrayLike, accuracies: npt.ArrayLike, threshold: float, base: float
) -> Figure:
    """Plot accuracy against threshold, with the chosen threshold and the accuracy of a constant answer.

    Args:
        thresholds, accuracies: (n,) as ``evaluation.accuracy_curve`` returns them.
        threshold: the chosen one.
        base: accuracy of always answering "different".
    """
    axis = plt.subplots(figsize=(7, 3.4))[1]
    axis.plot(thresholds, accuracies, color=PALETTE[0], label="accuracy")
    axis.axhline(base, color="gray", linestyle=":", label=f'always "different": {base:.0%}')
    axis.axvline(threshold, color=DIFFERENT, linestyle="--", label=f"threshold {threshold:.2f}")
    return _labeled(axis, "threshold on the cosine similarity", "fraction of correct pairs")


def roc_chart(curves: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]]) -> Figure:
    """Plot ROC curves: the true positive rate against the false positive rate.

    Args:
        curves: name -> (similarities, same).
    """
    from sklearn.metrics import auc, roc_curve

    axis = plt.subplots(figsize=(5.2, 4.6))[1]
    for index, (name, (similarities, same)) in enumerate(curves.items()):
        false, true, _ = roc_curve(same, similarities)
        color = PALETTE[3 * index % len(PALETTE)]
        style: Style = {"color": color, "linestyle": ("-", "--", "-.")[index % 3]}
        axis.plot(false, true, label=f"{name}: AUC {auc(false, true):.2f}", **style)
    axis.plot([0, 1], [0, 1], color="gray", linestyle=":", label="guessing: 0.50")
    return _labeled(axis, "different pairs taken for duplicates", "duplicates found")


def interactive_scatter(
    embeddings: npt.ArrayLike, labels: npt.ArrayLike, images: np.ndarray, name: str = "digit"
) -> Any:
    """Show the scatter plot as a widget of jupyter-scatter: zoom, pan, and the image under the pointer.

    At most ``INTERACTIVE_POINTS`` are shown, evenly sampled.

    Args:
        embeddings: (n, 2).
        labels: (n,) integers.
        images: (n, side * side) in [0, 1].
        name: of what the labels are.
    """
    embeddings, labels = _require_plane(embeddings, labels)
    if len(images) != len(labels):
        raise ValueError(f"images has {len(images)} rows; expected {len(labels)}, as labels")
    shown = min(INTERACTIVE_POINTS, len(labels))
    rows = np.linspace(0, len(labels) - 1, shown).astype(int)
    urls = [data_url(images[row]) for row in rows]
    style: Style = {"preview_image_height": 84, "preview_image_background_color": "white"}
    options: Style = {"preview": "image", "preview_type": "image", **style}
    return _interactive(embeddings[rows], labels[rows], {"image": urls}, name, **options)


def interactive_sentences(
    points: npt.ArrayLike, labels: npt.ArrayLike, sentences: Sequence[str]
) -> Any:
    """Show a map of sentences as a widget of jupyter-scatter: zoom, pan, and the sentence under the pointer.

    Args:
        points: (n, 2).
        labels: (n,) integers, such as clusters.
        sentences: n strings.
    """
    points, labels = _require_plane(points, labels)
    if len(sentences) != len(labels):
        raise ValueError(f"sentences has {len(sentences)} rows; expected {len(labels)}, as labels")
    options: Style = {"preview": "sentence", "preview_type": "text", "size": "large"}
    return _interactive(points, labels, {"sentence": list(sentences)}, "cluster", **options)


def _interactive(
    points: np.ndarray, labels: np.ndarray, shown: dict[str, list], group: str, **tooltip: Any
) -> Any:
    """A widget of points, colored by their labels, that shows a text or an image of each."""
    import jscatter
    import pandas as pd

    # Categories in numeric order: 10 after 9, not after 1 as with strings
    names = [str(label) for label in np.unique(labels)]
    colors = (PALETTE * (1 + len(names) // len(PALETTE)))[: len(names)]
    dimensions = {"dimension 1": points[:, 0], "dimension 2": points[:, 1]}
    frame = pd.DataFrame({**dimensions, group: pd.Categorical(labels.astype(str), names), **shown})
    margin = 0.05 * np.ptp(points, axis=0)
    ends = zip(points.min(axis=0) - margin, points.max(axis=0) + margin, strict=True)
    x_scale, y_scale = ((float(low), float(high)) for low, high in ends)
    axes: Style = {"x": "dimension 1", "y": "dimension 2", "x_scale": x_scale, "y_scale": y_scale}
    chart = jscatter.Scatter(data=frame, height=480, **axes)
    chart.color(by=group, map=dict(zip(names, colors, strict=True)))
    chart.size(default=5)
    chart.legend(True)
    chart.tooltip(enable=True, properties=["color"], histograms=False, **tooltip)
    widget = chart.show()
    # Whole sentences; `tooltip` ignores its own option for them
    chart.widget.tooltip_preview_text_lines = None
    return widget


def data_url(image: npt.ArrayLike) -> str:
    """Return an image (side * side,) in [0, 1] as the data URL of a PNG, dark ink on white."""
    from PIL import Image

    pixels = np.asarray(image)
    side = round(len(pixels) ** 0.5)
    ink = 255 - np.round(255 * pixels.reshape(side, side)).astype("uint8")
    stream = io.BytesIO()
    Image.fromarray(ink).resize((3 * side, 3 * side), Image.Resampling.NEAREST).save(stream, "PNG")
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()


def _require_plane(
    embeddings: npt.ArrayLike, labels: npt.ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    embeddings = require_embeddings(embeddings)
    if embeddings.shape[1] != 2:
        raise ValueError(f"embeddings has shape {embeddings.shape}; expected (n, 2) for a chart")
    return embeddings, require_labels(labels, len(embeddings))
