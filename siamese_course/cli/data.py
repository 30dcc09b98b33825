"""``siamese-course data``: where the data sets are, download, verify."""

from typing import Annotated

import typer
from rich.table import Table

from siamese_course.cli.options import console

data_app = typer.Typer(no_args_is_help=True, help="Data sets: where they are, fetch, verify.")


@data_app.command("status")
def data_status() -> None:
    """List the data sets, and where a loader would read each from."""
    from siamese_course.datasets.status import whereabouts

    table = Table("data set", "taken from", "license", "what it is")
    for data, where in whereabouts():
        table.add_row(data.name, where, data.license, data.title)
    console.print(table)


@data_app.command("fetch")
def data_fetch(
    names: Annotated[list[str], typer.Argument(help="data sets, as status lists them")],
) -> None:
    """Download, verify and unpack data sets into the cache; damaged files are replaced."""
    from siamese_course.datasets.fetch import fetch

    for name in names:
        for path in fetch(name):
            print(path)


@data_app.command("verify")
def data_verify(names: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Verify local files: by sha256 if it is known, else by structure and row count."""
    from siamese_course.datasets.registry import dataset, registry
    from siamese_course.datasets.verify import verify

    failed = found = 0
    for name in names or registry():
        for finding in verify(dataset(name)):
            word = {True: "ok", False: "FAULT", None: "absent, optional"}[finding.ok]
            print(f"{word}: {finding.path} - {finding.how}")
            found += 1
            failed += finding.ok is False
    print(f"{found} files looked at, {failed} faults")
    raise typer.Exit(failed > 0)
