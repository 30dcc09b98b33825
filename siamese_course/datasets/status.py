"""Where a loader takes each data set from."""

from collections.abc import Iterator

from siamese_course.datasets.fetch import cache_path, plain_or_gz
from siamese_course.datasets.registry import DataSet, registry
from siamese_course.runtime import settings


def whereabouts() -> Iterator[tuple[DataSet, str]]:
    """Yield every data set with the place its loader would use, in the order it looks."""
    root = settings.data_directory()
    for data in registry().values():
        needed = [file for file in data.local if not file.optional]
        folder = None if root is None else root / data.folder
        if folder and needed and all(plain_or_gz(folder / file.path) for file in needed):
            where = "SIAMESE_COURSE_DATA"
        elif settings.only_shipped_data() or data.complete or not data.files:
            where = data.shipped or "not available"
        elif all(cache_path(data, file).exists() for file in data.files):
            where = "cache"
        elif data.on_request:
            where = f"{data.shipped} (larger: siamese-course data fetch {data.name})"
        else:
            where = f"download{f', else: {data.shipped}' if data.shipped else ''}"
        yield data, where
