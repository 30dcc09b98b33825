"""The learner's points over all notebooks, kept in one small file on the learner's own machine."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from siamese_course.runtime import settings

NOTEBOOKS = {"01": "MNIST", "02": "Quora", "03": "SBERT", "04": "Omniglot"}
POINTS = 100  # of each notebook
# The value of SIAMESE_COURSE_PROGRESS with which nothing is kept
OFF = "off"
SHOWN = "solutions shown"


def file() -> Path | None:
    """Return the file of points: SIAMESE_COURSE_PROGRESS, or one in the course's cache folder; None if off."""
    named = os.environ.get("SIAMESE_COURSE_PROGRESS")
    if named == OFF:
        return None
    return Path(named).expanduser() if named else settings.cache_directory() / "progress.json"


def _load() -> dict[str, Any]:
    path = file()
    if path is None:
        return {}
    try:
        kept = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _store(kept: dict[str, Any]) -> None:
    """Write the file completely or not at all; if it cannot be written, print a message."""
    path = file()
    if path is None:
        return
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
        os.replace(temporary, path)
    except OSError as error:
        print(f"Your points can't be saved ({error.strerror}).", file=sys.stderr)


def read() -> dict[str, float]:
    """Return points by exercise, such as {"01.distance": 10.0}; empty if there is no readable file."""
    return {
        name: float(points) for name, points in _load().items() if isinstance(points, int | float)
    }


def shown() -> list[str]:
    """Return the exercises whose solution was shown before they were solved."""
    names = _load().get(SHOWN, [])
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def remember(exercise: str, points: float) -> None:
    """Store an exercise's points if it never had more."""
    kept = read()
    if kept.get(exercise, -1.0) < points:
        _store(kept | {exercise: points} | ({SHOWN: names} if (names := shown()) else {}))


def remember_shown(exercise: str, points: float) -> None:
    """Store that an exercise's solution was shown, unless it had these points, all it is worth, before."""
    kept, names = read(), shown()
    if kept.get(exercise, -1.0) < points and exercise not in names:
        _store(kept | {SHOWN: [*names, exercise]})


def reset(exercise: str | None = None) -> None:
    """Forget the points of an exercise, such as "01.distance", or of all."""
    kept, names = read(), shown()
    if exercise is None:
        kept, names = {}, []
    kept.pop(exercise, None)  # type: ignore[arg-type]
    _store(kept | {SHOWN: [name for name in names if name != exercise]})


def in_notebook() -> bool:
    """Whether this runs in a notebook's kernel: points are stored only there."""
    return hasattr(shell(), "kernel")


def shell() -> Any:
    """IPython's shell, or None."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


class Progress:
    """The points of each notebook: a bar chart in a notebook, a line of text elsewhere."""

    def __init__(self, kept: dict[str, float], shown: list[str]):
        self.points = {
            number: sum(points for name, points in kept.items() if name.startswith(f"{number}."))
            for number in NOTEBOOKS
        }
        self.after_solution = sorted(name for name in shown if kept.get(name, 0))

    @property
    def _note(self) -> str:
        names = ", ".join(self.after_solution)
        return f"Solved after the solution was shown: {names}." if names else ""

    def __repr__(self) -> str:
        each = ", ".join(f"{n} {NOTEBOOKS[n]} {points:g}" for n, points in self.points.items())
        total = sum(self.points.values())
        return f"{total:g} of {POINTS * len(NOTEBOOKS)} points ({each}) {self._note}".rstrip()

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><td style="text-align: left">{number} {NOTEBOOKS[number]}</td><td><div role="img" '
            f'aria-label="{points:g} of {POINTS} points" style="background: #8884; width: 16em; height: 0.9em">'
            f'<div style="background: #1f6f8b; height: 100%; width: {points / POINTS:.0%}"></div></div></td>'
            f"<td>{points:g}</td></tr>"
            for number, points in self.points.items()
        )
        total = sum(self.points.values())
        return (
            f"<b>{total:g} of {POINTS * len(NOTEBOOKS)} points</b><table>{rows}</table>{self._note}"
        )


def progress() -> Progress:
    """Return the points of all notebooks: the most that each exercise has had on this machine."""
    return Progress(read(), shown())
