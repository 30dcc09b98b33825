"""Run the pages of docs/ for your own data, all their code in this process, and keep the chart of each.

    python tools/pages.py [PAGE ...]    # writes docs/images/PAGE.png

Look at the charts, and whether the text below them in the pages is still right.
"""

import contextlib
import io
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = ("your-photos", "your-faq", "your-sentences")
COLORS = 64


def blocks(page: str) -> list[tuple[str, str]]:
    """Return the blocks of code of a page: (language, code)."""
    text = (DOCS / f"{page}.md").read_text("utf-8")
    return re.findall(r"```(python|sh)\n(.*?)```", text, re.DOTALL)


def run(page: str, folder: Path) -> Iterator[tuple[list[str], str]]:
    """Run a page from top to bottom in a folder; yield each command's words, none for Python, and its output."""
    from siamese_course.cli.main import typer_app
    from siamese_course.runtime.quiet import quiet_tensorflow

    quiet_tensorflow()
    with contextlib.chdir(folder):
        for language, code in blocks(page):
            for lines in [code] if language == "python" else code.splitlines():
                words = shlex.split(lines, comments=True)[1:] if language == "sh" else []
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    if words:
                        typer_app(words, standalone_mode=False)
                    else:
                        exec(compile(lines, f"{page}.md", "exec"), {"__name__": page})
                yield words, output.getvalue()


def main() -> None:
    """Write the charts, with few colors, so that they are small."""
    from PIL import Image

    for page in sys.argv[1:] or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            for words, _ in run(page, Path(folder)):
                if words and words[0] == "train":
                    break
            target = DOCS / "images" / f"{page}.png"
            shutil.copy(Path(folder, "encoder", "chart.png"), target)
        image = Image.open(target).convert("RGB").quantize(COLORS)
        image.save(target, optimize=True)
        print(f"{target}: {image.size}, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
