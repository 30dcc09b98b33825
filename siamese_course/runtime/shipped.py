"""The small data that ships with the course: in data/ of the repository, inside an installed package."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path:
    """Return the folder of that name among the data that ships with the course.

    Raises:
        FileNotFoundError: there is no such folder, so the installation is incomplete.
    """
    places = [PACKAGE / "shipped" / name, PACKAGE.parent / "data" / name]
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(
        f"The data {name!r}, which ships with the course, is not in {places[0]} or {places[1]}. "
        "Install the course again."
    )
