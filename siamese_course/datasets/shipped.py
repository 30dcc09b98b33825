"""The small data that ships with the course: in data/ of the repository, inside an installed package."""

from pathlib import Path

HERE = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """The folder of that name among the data that ships.

    Raises:
        FileNotFoundError: there is none, so the installation is not whole.
    """
    places = [HERE / "shipped" / name, HERE.parents[1] / "data" / name]
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(
        f"The data {name!r}, which ships with the course, is not in {places[0]} or {places[1]}. "
        "Install the course again."
    )
