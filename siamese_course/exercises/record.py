"""The learner's points over all notebooks, kept in one small file on the learner's own machine."""

import json
import os
import sys
from pathlib import Path

from siamese_course.runtime import settings

NOTEBOOKS = {"01": "MNIST", "02": "Quora", "03": "SBERT"}
POINTS = 100  # of each notebook


def file() -> Path:
    """Return the file of points: SIAMESE_COURSE_PROGRESS, or a file in the course's cache folder."""
    named = os.environ.get("SIAMESE_COURSE_PROGRESS")
    return Path(named) if named else settings.cache_directory() / "progress.json"


def read() -> dict[str, float]:
    """Return points by exercise, such as {"01.distance": 10.0}; empty if there is no readable file."""
    try:
        kept = json.loads(file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {
        str(name): float(points) for name, points in kept.items() if isinstance(points, int | float)
    }


def remember(exercise: str, points: float) -> None:
    """Store an exercise's points if it never had more.

    The file is written completely or not at all. If it cannot be written, a message is printed and the
    notebook goes on.
    """
    kept = read()
    if kept.get(exercise, -1.0) >= points:
        return
    path = file()
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(kept | {exercise: points}, indent=1) + "\n", "utf-8")
        os.replace(temporary, path)
    except OSError as error:
        print(f"Your points cannot be kept ({error.strerror}).", file=sys.stderr)


def in_notebook() -> bool:
    """Whether this runs in a notebook's kernel: points are stored only there."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


class Progress:
    """The points of each notebook: a bar chart in a notebook, a line of text elsewhere."""

    def __init__(self, kept: dict[str, float]):
        self.points = {
            number: sum(points for name, points in kept.items() if name.startswith(f"{number}."))
            for number in NOTEBOOKS
        }

    def __repr__(self) -> str:
        each = ", ".join(f"{n} {NOTEBOOKS[n]} {points:g}" for n, points in self.points.items())
        total = sum(self.points.values())
        return f"{total:g} of {POINTS * len(NOTEBOOKS)} points ({each})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><td style="text-align: left">{number} {NOTEBOOKS[number]}</td><td><div role="img" '
            f'aria-label="{points:g} of {POINTS} points" style="background: #8884; width: 16em; height: 0.9em">'
            f'<div style="background: #1f6f8b; height: 100%; width: {points / POINTS:.0%}"></div></div></td>'
            f"<td>{points:g}</td></tr>"
            for number, points in self.points.items()
        )
        total = sum(self.points.values())
        return f"<b>{total:g} of {POINTS * len(NOTEBOOKS)} points</b><table>{rows}</table>"


def progress() -> Progress:
    """Return the points of all notebooks: the most that each exercise has had on this machine."""
    return Progress(read())
