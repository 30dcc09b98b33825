"""``siamese-course data``: where the data sets are, download, verify."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from siamese_course.cli.options import console
from siamese_course.runtime import settings
from siamese_course.runtime.errors import DataError
from siamese_course.sources.registry import DataSet, RemoteFile, dataset, is_archive, registry

data_app = typer.Typer(no_args_is_help=True, help="Data sets: where they are, fetch, verify.")


def whereabouts() -> Iterator[tuple[DataSet, str]]:
    """Yield every data set with the place its loader would use, in the order it looks."""
    from siamese_course.sources.fetch import cache_path, plain_or_gz

    root = settings.data_directory()
    for data in registry().values():
        needed = [file for file in data.local if not file.optional]
        folder = None if root is None else root / data.folder
        present = [folder and plain_or_gz(folder / file.path) for file in needed]
        if present and all(present) and not data.complete:
            where = "SIAMESE_COURSE_DATA"
        elif not data.files and not settings.only_shipped_data():
            where = "KerasHub, which downloads it when it's first used"
        elif settings.only_shipped_data() or data.complete:
            where = data.shipped or "not available"
        elif all(cache_path(data, file).exists() for file in data.files):
            where = "cache"
        elif data.on_request:
            where = f"{data.shipped} (larger: siamese-course data fetch {data.name})"
        else:
            where = f"download{f', else: {data.shipped}' if data.shipped else ''}"
        yield data, where


@data_app.command("status")
def data_status() -> None:
    """List the data sets, and where a loader would read each from."""
    table = Table("data set", "taken from", "license", "what it is")
    for data, where in whereabouts():
        table.add_row(data.name, where, data.license, data.title)
    console.print(table)


@data_app.command("fetch")
def data_fetch(
    names: Annotated[list[str], typer.Argument(help="data sets, as status lists them")],
) -> None:
    """Download, verify and unpack data sets into the cache; damaged files are replaced."""
    for data in map(dataset, names):
        if not data.files:
            print(f"{data.name}: nothing to fetch; KerasHub downloads it when it's first used")
        for file in data.files:
            print(fetch(data, file))


def fetch(data: DataSet, file: RemoteFile) -> Path:
    """Download a file, or replace it if it is damaged; return its path, or the folder it is unpacked into.

    Raises:
        DataError: as ``fetch_file``.
    """
    from siamese_course.sources.fetch import cache_path, fetch_file, unpack, unpacked

    target = cache_path(data, file)
    try:
        fetch_file(data, file)
    except DataError:
        if not target.exists():
            raise
        target.unlink()
        fetch_file(data, file)
    return unpack(target, unpacked(target)) if is_archive(file.name) else target


@data_app.command("verify")
def data_verify(names: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Verify local files: by sha256 if it is known, else by structure and row count."""
    from siamese_course.cli.verify import verify

    failed = found = 0
    for name in names or registry():
        for finding in verify(dataset(name)):
            word = {True: "ok", False: "FAULT", None: "absent, optional"}[finding.ok]
            print(f"{word}: {finding.path} - {finding.how}")
            found += 1
            failed += finding.ok is False
    print(f"{found} files looked at, {failed} faults")
    raise typer.Exit(failed > 0)
