"""The command line: siamese-course doctor, data, run, lab, train, score, embed, grade, notebooks."""

import os
import sys

import typer

from siamese_course.cli import doctor, embed, notebooks, score
from siamese_course.cli.data import data_app
from siamese_course.cli.grade import grade_app
from siamese_course.cli.train import train_app
from siamese_course.runtime.errors import CourseError

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before the first import of TensorFlow

typer_app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__
)
for command in (
    doctor.doctor,
    notebooks.run,
    notebooks.lab,
    notebooks.notebooks,
    score.score,
    embed.embed,
):
    typer_app.command()(command)
typer_app.add_typer(data_app, name="data")
typer_app.add_typer(train_app, name="train")
typer_app.add_typer(grade_app, name="grade")


def app() -> None:
    """Run the command line; a CourseError prints one line and exits with code 1."""
    try:
        typer_app()
    except CourseError as error:
        print(f"siamese-course: {error}", file=sys.stderr)
        sys.exit(1)
