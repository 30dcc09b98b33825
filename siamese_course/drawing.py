"""A pad to draw on with the mouse, a finger or a pen, in JupyterLab and Colab."""

import anywidget
import numpy as np
from traitlets import List

SIDE = 28

# Ink from 0 to 255: each pixel is the mean of its 10 x 10 points on the canvas. A line is as wide as
# Omniglot's, which are 3 of 105 pixels.
ESM = """
const SIDE = 28, POINTS = 10, LINE = 8;

function render({ model, el }) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE * POINTS;
  canvas.className = "siamese-pad";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Draw here");
  const clear = document.createElement("button");
  clear.textContent = "Clear";
  clear.className = "siamese-clear";
  const frame = document.createElement("div");
  frame.append(canvas, document.createElement("br"), clear);
  el.append(frame);

  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.lineWidth = LINE;
  pen.lineCap = pen.lineJoin = "round";

  function send() {
    const alpha = pen.getImageData(0, 0, canvas.width, canvas.height).data;
    const ink = new Array(SIDE * SIDE).fill(0);
    for (let y = 0; y < canvas.height; y++)
      for (let x = 0; x < canvas.width; x++)
        ink[Math.floor(y / POINTS) * SIDE + Math.floor(x / POINTS)] += alpha[4 * (y * canvas.width + x) + 3];
    model.set("ink", ink.map(sum => Math.round(sum / (POINTS * POINTS))));
    model.save_changes();
  }

  // Where the pointer is, in points of the canvas, whatever its size on the screen
  function place(event) {
    const box = canvas.getBoundingClientRect();
    const scale = canvas.width / canvas.clientWidth;
    return [(event.clientX - box.left - canvas.clientLeft) * scale, (event.clientY - box.top - canvas.clientTop) * scale];
  }

  let drawing = false;
  canvas.addEventListener("pointerdown", event => {
    drawing = true;
    canvas.setPointerCapture(event.pointerId);
    pen.beginPath();
    pen.moveTo(...place(event));
    pen.lineTo(...place(event));
    pen.stroke();
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", event => {
    if (!drawing) return;
    pen.lineTo(...place(event));
    pen.stroke();
  });
  function stop() {
    if (!drawing) return;
    drawing = false;
    send();
  }
  canvas.addEventListener("pointerup", stop);
  canvas.addEventListener("pointercancel", stop);
  clear.addEventListener("click", () => {
    pen.clearRect(0, 0, canvas.width, canvas.height);
    send();
  });
}

export default { render };
"""
CSS = """
.siamese-pad {
  width: 210px;
  height: 210px;
  border: 1px solid #777777;
  background: white;
  cursor: crosshair;
  touch-action: none;
}
.siamese-clear {
  padding: 4px 12px;
  border: 1px solid #777777;
  cursor: pointer;
}
"""


class DrawingPad(anywidget.AnyWidget):
    """A white square to draw on, and a button that clears it. It needs no network.

    ``pad.observe(function, "ink")`` calls the function after every stroke.

    Attributes:
        ink: 784 whole numbers from 0, paper, to 255, row by row.
    """

    _esm = ESM
    _css = CSS
    ink = List(default_value=[0] * SIDE**2).tag(sync=True)

    @property
    def image(self) -> np.ndarray:
        """The drawing as Omniglot's are: (28, 28) float32 from 0, paper, to 1."""
        return np.asarray(self.ink, "float32").reshape(SIDE, SIDE) / 255
