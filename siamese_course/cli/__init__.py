"""The command line: one file a group of commands."""

from siamese_course.cli.main import app

__all__ = ["app"]
