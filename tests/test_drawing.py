"""The drawing pad: its image, and that it needs nothing from elsewhere."""

import re

import numpy as np

from siamese_course.drawing import CSS, ESM, SIDE, DrawingPad
from tests.browser import chromium
from tests.conftest import ROOT

SCREENS = ROOT / "build" / "screens"


def test_a_new_pad_is_blank():
    image = DrawingPad().image
    assert (image.shape, image.dtype, image.max()) == ((SIDE, SIDE), np.float32, 0)


def test_what_the_browser_sends_becomes_an_image():
    pad, seen = DrawingPad(), []
    pad.observe(lambda change: seen.append(change["new"]), "ink")
    pad.ink = [0] * 783 + [255]
    assert len(seen) == 1
    assert pad.image[-1, -1] == 1
    assert pad.image.sum() == 1


def test_it_loads_nothing_from_a_network():
    assert not re.search(r"https?:|import ", ESM + CSS)


PAGE = """async ([esm, css]) => {
    const style = document.createElement("style");
    style.textContent = css;
    document.head.append(style);
    const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
    const widget = (await import(url)).default;
    window.sent = [];
    const model = { set: (name, value) => { window.ink = value; }, save_changes: () => window.sent.push(window.ink) };
    widget.render({ model, el: document.body });
}"""


def test_a_stroke_in_a_real_browser_is_sent_and_cleared():
    with chromium(viewport={"width": 400, "height": 400}) as page:
        page.set_content("<body style='margin: 20px'></body>")
        page.evaluate(PAGE, [ESM, CSS])
        box = page.locator("canvas").bounding_box()
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + 30, middle)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 30, middle, steps=8)
        page.mouse.up()
        # a move without a pressed button draws nothing
        page.mouse.move(box["x"] + 100, box["y"] + 20, steps=3)
        SCREENS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{SCREENS}/pad.png")
        page.get_by_role("button", name="Clear").click()
        stroke, blank = page.evaluate("window.sent")
    pad = DrawingPad(ink=stroke)
    rows = np.flatnonzero(pad.image.any(axis=1))
    columns = np.flatnonzero(pad.image.any(axis=0))
    assert set(rows) <= {13, 14}
    assert (columns.min(), columns.max()) == (3, 24)
    assert pad.image.max() > 0.3
    assert not any(blank)
