"""The command line, one file per group of commands, and the readers of one's own files."""

from siamese_course.cli.main import app

__all__ = ["app"]
