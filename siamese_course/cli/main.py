"""The command line, one command a task: ``siamese-course --help`` lists them."""

import io
import sys
from typing import Annotated

import typer

from siamese_course import __version__
from siamese_course.cli import collection, doctor, embed, notebooks, score
from siamese_course.cli.data import data_app
from siamese_course.cli.grade import grade_app
from siamese_course.cli.train import train_app
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.quiet import quiet_tensorflow

typer_app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"siamese-course {__version__}")
        raise typer.Exit


@typer_app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="print the version", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Siamese networks: run, grade and publish the course, train and score its models."""
    if context.invoked_subcommand != "doctor":  # which reports it with the rest
        settings.require_backend()


for command in (
    doctor.doctor,
    notebooks.copy,
    notebooks.run,
    notebooks.lab,
    notebooks.notebooks,
    notebooks.publish,
    score.score,
    embed.embed,
    collection.search,
    collection.duplicates,
    collection.cluster,
):
    typer_app.command()(command)
typer_app.command("map")(collection.draw_map)
typer_app.add_typer(data_app, name="data")
typer_app.add_typer(train_app, name="train")
typer_app.add_typer(grade_app, name="grade")


def app() -> None:
    """Run the command line; a CourseError prints one line and exits with code 1."""
    quiet_tensorflow()
    # On Windows, a pipe or file would take only the characters of its code page
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        typer_app()
    except CourseError as error:
        print(f"siamese-course: {error}", file=sys.stderr)
        sys.exit(1)
