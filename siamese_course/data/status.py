"""Where a loader would take each data set from."""

from collections.abc import Iterator

from siamese_course import settings
from siamese_course.data.fetch import cache_path
from siamese_course.data.registry import DataSet, registry


def whereabouts() -> Iterator[tuple[DataSet, str]]:
    """Every data set with the place its loader would use, in the order a loader looks."""
    root = settings.data_directory()
    for data in registry().values():
        if root is not None and any(
            (root / data.folder / file.path).exists() for file in data.local
        ):
            where = "SIAMESE_COURSE_DATA"
        elif settings.only_shipped_data() or not data.files:
            where = data.shipped or "not at hand"
        elif all(cache_path(data, file).exists() for file in data.files):
            where = "cache"
        else:
            where = f"download{f', else: {data.shipped}' if data.shipped else ''}"
        yield data, where
