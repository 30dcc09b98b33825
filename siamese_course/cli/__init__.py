"""The command line, one file per group of commands."""

from siamese_course.cli.main import app

__all__ = ["app"]
