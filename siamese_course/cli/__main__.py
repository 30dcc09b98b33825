"""``python -m siamese_course.cli`` is ``siamese-course``."""

from siamese_course.cli import app

app()
