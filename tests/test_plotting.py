"""Charts: what they show, and what they refuse. How they look is looked at."""

import base64
import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from siamese_course import plotting
from siamese_course.training.loop import History


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def sample(n=30):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)), np.arange(n) % 10, rng.random((n, 784)).astype("float32")


def test_scatter_has_one_color_and_one_name_per_class():
    embeddings, labels, _ = sample()
    axis = plotting.scatter(embeddings, labels, "title").axes[0]
    assert len(axis.collections) == 10
    colors = {tuple(c.get_facecolor()[0][:3]) for c in axis.collections}
    assert len(colors) == 10
    assert [text.get_text() for text in axis.texts] == [str(i) for i in range(10)]
    shown = np.concatenate([c.get_offsets() for c in axis.collections])
    assert sorted(map(tuple, shown)) == sorted(map(tuple, embeddings))


def test_every_snapshot_is_shown():
    embeddings, labels, _ = sample()
    figure = plotting.snapshots(
        {0: embeddings, 10: embeddings, 1200: embeddings, 1300: embeddings}, labels
    )
    titles = [axis.get_title() for axis in figure.axes if axis.get_title()]
    assert titles == ["before training", "after 10 steps", "after 1,200 steps", "after 1,300 steps"]


def test_loss_curve_and_histogram_draw_the_numbers():
    axis = plotting.loss_curve({"a": History([1, 2], [3.0, 2.0])}).axes[0]
    assert axis.lines[0].get_xydata().tolist() == [[1, 3], [2, 2]]
    axis = plotting.distance_histogram([0.1, 0.2, 3.0, 4.0], [1, 1, 0, 0], 1.5).axes[0]
    assert axis.lines[0].get_xdata() == [1.5, 1.5]
    for bars in axis.containers:  # all distances are in a bar, the largest one, too
        assert sum(bar.get_height() * bar.get_width() for bar in bars) == pytest.approx(1)
    figure = plotting.distance_histogram([0.2, 5.0], [1, 0], 1.0)
    assert [max(bar.get_height() for bar in bars) > 0 for bars in figure.axes[0].containers] == [
        True,
        True,
    ]


def test_five_curves_have_five_colors():
    histories = {name: History([1], [1.0]) for name in "abcde"}
    rates = {name: ([0.1, 0.9], [0, 1]) for name in "abcde"}
    for figure in (plotting.loss_curve(histories), plotting.roc_chart(rates)):
        assert len({line.get_color() for line in figure.axes[0].lines[:5]}) == 5


def test_image_grid_shows_each_image():
    _, _, images = sample(12)
    figure = plotting.image_grid(images, titles=[str(i) for i in range(12)])
    [axis] = figure.axes
    assert [text.get_text() for text in axis.texts] == [str(i) for i in range(12)]
    np.testing.assert_array_equal(axis.images[3].get_array(), images[3].reshape(28, 28))
    # ten in a row, each under its title, all in view
    boxes = [image.get_extent() for image in axis.images]
    assert boxes[9][2] == boxes[0][2] > boxes[10][3] and boxes[10][:2] == boxes[0][:2]
    for (left, right, bottom, top), text in zip(boxes, axis.texts, strict=True):
        x, y = text.get_position()
        assert left < x < right and y > top
        assert axis.get_xlim()[0] <= left < right <= axis.get_xlim()[1]
        assert axis.get_ylim()[0] <= bottom < y < axis.get_ylim()[1]


def test_image_grid_takes_square_images_and_a_title_for_each():
    _, _, images = sample(3)
    [axis] = plotting.image_grid(images.reshape(3, 28, 28)).axes
    np.testing.assert_array_equal(axis.images[1].get_array(), images[1].reshape(28, 28))
    for titles in (["a", "b"], list("abcd")):
        with pytest.raises(ValueError, match=f"titles has {len(titles)} entries; expected 3"):
            plotting.image_grid(images, titles=titles)


def test_the_slider_shows_the_image_of_its_step(caplog):
    embeddings, labels, _ = sample()
    widget = plotting.snapshots_slider({0: 0.1 * embeddings, 50: embeddings}, labels)
    slider, image = widget.children
    first = image.value
    slider.value = 50
    assert image.value != first
    slider.value = 0
    assert image.value == first
    assert not caplog.records and not plt.get_fignums()


def test_interactive_scatter_carries_the_digits(monkeypatch):
    monkeypatch.setattr(plotting, "INTERACTIVE_POINTS", 10)
    embeddings, labels, images = sample()
    widget = plotting.interactive_scatter(embeddings, labels, images)
    assert widget.tooltip_enable
    assert widget.tooltip_preview_type == "image"
    assert len(widget.points) == 10


def test_interactive_sentences_carry_the_sentences_in_any_number_of_clusters():
    points, _, _ = sample()
    widget = plotting.interactive_sentences(
        points, np.arange(30) % 14, [f"s{i}" for i in range(30)]
    )
    assert widget.tooltip_enable
    assert widget.tooltip_preview_type == "text"
    assert len(widget.points) == 30
    with pytest.raises(ValueError, match="sentences has 2 rows; expected 30"):
        plotting.interactive_sentences(points, np.zeros(30, int), ["a", "b"])


def test_score_scatter_draws_each_model_and_refuses_other_lengths():
    figure = plotting.score_scatter({"before": [0.9, 0.8], "after": [0.1, 0.9]}, [1.0, 4.5])
    assert [axis.get_title() for axis in figure.axes] == ["before", "after"]
    shown = figure.axes[1].collections[0].get_offsets()
    np.testing.assert_allclose(shown, [[1.0, 0.1], [4.5, 0.9]])
    with pytest.raises(ValueError, match=r"before: cosines has shape \(1,\); expected \(2,\)"):
        plotting.score_scatter({"before": [0.9]}, [1.0, 4.5])


def test_data_url_is_the_image_in_dark_ink():
    image = np.zeros(784)
    image[0] = 1
    head, _, body = plotting.data_url(image).partition(",")
    assert head == "data:image/png;base64"
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(body))))
    assert pixels.shape == (84, 84)
    assert pixels[:3, :3].max() == 0
    assert pixels[3:].min() == 255


@pytest.mark.parametrize(
    ("embeddings", "labels", "message"),
    [
        (np.zeros((3, 3)), [0, 1, 2], r"embeddings has shape \(3, 3\); expected \(n, 2\)"),
        (np.zeros((3, 2)), [0, 1], r"labels has shape \(2,\)"),
        (np.full((3, 2), np.nan), [0, 1, 2], "embeddings holds NaN"),
    ],
)
def test_charts_refuse_what_is_no_map(embeddings, labels, message):
    with pytest.raises(ValueError, match=message):
        plotting.scatter(embeddings, labels)
    with pytest.raises(ValueError, match=message):
        plotting.interactive_scatter(embeddings, labels, np.zeros((len(labels), 784)))


WORKED = np.array(
    [[0.9, -0.8, 0.3, -0.5], [-0.8, 0.5, 0.1, -0.2], [0.3, 0.1, 0.7, -0.8], [-0.5, -0.2, -0.8, 1.0]]
)


def test_heatmap_frames_the_positives_and_the_hardest_negatives():
    axis, beside = plotting.similarity_heatmap(WORKED).axes
    frames = [(round(p.get_x() + 0.44), round(p.get_y() + 0.44)) for p in axis.patches]
    assert frames[::2] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert frames[1::2] == [(2, 0), (2, 1), (0, 2), (1, 3)]
    assert [text.get_text() for text in beside.texts] == ["-0.33", "-0.30", "-0.13", "-0.50"]
    assert len(axis.texts) == 16


@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (4,)])
def test_heatmap_refuses_what_is_no_similarity_matrix(shape):
    with pytest.raises(ValueError, match="similarities has shape"):
        plotting.similarity_heatmap(np.zeros(shape))


def test_roc_chart_names_each_area():
    same = np.array([1, 1, 0, 0])
    curves = {
        "good": (np.array([0.9, 0.8, 0.2, 0.1]), same),
        "bad": (np.array([0.9, 0.1, 0.8, 0.2]), same),
    }
    (axis,) = plotting.roc_chart(curves).axes
    labels = [text.get_text() for text in axis.get_legend().get_texts()]
    assert labels == ["good: AUC 1.00", "bad: AUC 0.50", "guessing: 0.50"]


def test_accuracy_chart_shows_the_threshold_and_the_base():
    (axis,) = plotting.accuracy_chart([0, 0.5, 1], [0.4, 0.8, 0.6], 0.5, 0.6).axes
    labels = [text.get_text() for text in axis.get_legend().get_texts()]
    assert labels == ["accuracy", 'always "different": 60%', "threshold 0.50"]
