"""Chromium and JupyterLab for the tests that see what a reader sees and do what a learner does."""

import io
import os
import re
import shutil
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image

SLOW = 60_000  # milliseconds that a step may take on a busy machine
NO_CELL_RUNS = """() => ![...document.querySelectorAll(".jp-InputPrompt")].some(
    prompt => prompt.innerText.includes("*"))"""


@contextmanager
def chromium(**context) -> Iterator:
    """A new page of a headless Chromium; the test is skipped where there is none.

    Args:
        context: of Playwright's ``new_context``, such as ``viewport`` and ``color_scheme``.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    program = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if program is None:
        pytest.skip("no Chromium is installed (Debian: apt install chromium)")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--use-gl=swiftshader"]
        )
        try:
            yield browser.new_context(**context).new_page()
        finally:
            browser.close()


@contextmanager
def lab(root: Path, python: Path | str = sys.executable, **environment) -> Iterator[str]:
    """JupyterLab on a folder, as ``siamese-course lab`` starts it; gives its address, token included."""
    command = [python, "-m", "siamese_course.cli", "lab", "--root", str(root)]
    # Not a pipe: that stays open as long as any kernel lives
    with tempfile.NamedTemporaryFile() as said:
        server = psutil.Popen(
            [*command, "--", "--no-browser", "--ServerApp.port=0"],
            env=os.environ | environment,
            stderr=said,
        )
        try:
            yield _address(server, Path(said.name))
        finally:
            started = [server, *server.children(recursive=True)]
            for jupyter in server.children():  # it ends its kernels
                jupyter.terminate()
            for process in psutil.wait_procs(started, SLOW / 1000)[1]:
                process.kill()


def _address(server: psutil.Popen, said: Path) -> str:
    """What JupyterLab prints, once it listens there."""
    ends = time.monotonic() + 2 * SLOW / 1000
    while server.poll() is None and time.monotonic() < ends:
        if found := re.search(r"http://127\.0\.0\.1:\d+/lab\?token=\w+", said.read_text()):
            with suppress(urllib.error.URLError):
                urllib.request.urlopen(found.group(), timeout=SLOW / 1000).close()
                return found.group()
        time.sleep(0.1)
    raise RuntimeError("JupyterLab did not start:\n" + said.read_text())


class NotebookPage:
    """A notebook in JupyterLab, worked with as a learner does: keys, menus and the pointer."""

    def __init__(self, page, address: str, name: str):
        self.page = page
        page.goto(address.replace("/lab?", f"/lab/tree/{name}.ipynb?"))
        page.wait_for_function("document.querySelectorAll('.jp-Cell').length > 4", timeout=SLOW)
        self.idle()

    def idle(self) -> None:
        """Wait until the kernel has nothing to do."""
        self.page.get_by_text("| Idle").wait_for(timeout=SLOW)

    def cell(self, text: str):
        """The code cell with this text, scrolled into sight."""
        found = self.page.locator(".jp-CodeCell").filter(has_text=text).first
        found.scroll_into_view_if_needed()
        return found

    def menu(self, *names: str) -> None:
        """Choose from the menu bar."""
        bar, *below = names
        self.page.locator(".lm-MenuBar-itemLabel").get_by_text(bar, exact=True).click()
        for name in below:
            self.page.locator(".lm-Menu-itemLabel").get_by_text(name, exact=True).click()

    def run_above(self, text: str) -> None:
        """Run all cells above the one with this text."""
        self.cell(text).locator(".cm-content").click()
        self.menu("Run", "Run All Above Selected Cell")
        self.page.wait_for_timeout(500)
        self.idle()

    def answer(self, old: str, code: str, check: str):
        """Type an answer over the cell with a text, run it and the check below; gives the check's output."""
        self.cell(old).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(code)
        self.page.keyboard.press("Shift+Enter")
        self.page.keyboard.press("Shift+Enter")
        return self.cell(check).locator(".jp-OutputArea")

    def run_all(self, last: str) -> None:
        """Run every cell, and wait for the output of the one with this text and the number of each cell."""
        self.menu("Edit", "Clear Outputs of All Cells")
        self.menu("Run", "Run All Cells")
        self.cell(last).locator(".jp-OutputArea-output").first.wait_for(timeout=10 * SLOW)
        # Numbers come with replies, which a busy server may pass on after the outputs
        self.page.wait_for_function(NO_CELL_RUNS, timeout=SLOW)

    def save(self) -> None:
        """Write the notebook to its file, and wait until it is there."""
        self.menu("File", "Save Notebook")
        self.page.locator(".jp-mod-dirty").wait_for(timeout=SLOW, state="detached")

    def draw(self, text: str) -> None:
        """Draw a line across the drawing pad below the cell with a text."""
        pad = self.cell(text).locator("canvas.siamese-pad")
        pad.wait_for(timeout=SLOW)
        pad.scroll_into_view_if_needed()
        box = pad.bounding_box()
        middle = box["y"] + box["height"] / 2
        self.page.mouse.move(box["x"] + 30, middle)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + box["width"] - 30, middle, steps=8)
        self.page.mouse.up()

    def point_at(self, text: str, found: str, seed: int = 0):
        """Move the pointer over points of the scatter below the cell with a text, until something shows.

        Args:
            text: of the cell.
            found: JavaScript function of the cell's element: what is shown at the pointer, or nothing.
            seed: of the points tried.
        """
        cell = self.cell(text)
        canvas = cell.locator("canvas").nth(1)
        canvas.wait_for(timeout=SLOW)
        canvas.scroll_into_view_if_needed()
        self.page.wait_for_timeout(1000)  # it is drawn with a short animation
        box = canvas.bounding_box()
        area = {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}
        image = Image.open(io.BytesIO(self.page.screenshot(clip=area))).convert("RGB")
        pixels = np.asarray(image).astype(int)
        colored = pixels.max(axis=2) - pixels.min(axis=2) > 60
        inside = np.lib.stride_tricks.sliding_window_view(colored, (3, 3)).all(axis=(2, 3))
        rows, columns = np.nonzero(inside)
        away = columns > 100  # from the legend
        tries = np.random.default_rng(seed).permutation(np.flatnonzero(away))[:20]
        for x, y in zip(columns[tries] + 1, rows[tries] + 1, strict=True):
            x, y = float(box["x"] + x), float(box["y"] + y)
            self.page.mouse.move(x - 4, y - 4)
            self.page.mouse.move(x, y, steps=4)
            self.page.wait_for_timeout(700)
            if shown := cell.evaluate(found):
                return shown
        raise LookupError("nothing shows at the pointer")
