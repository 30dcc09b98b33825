"""The learner's notebook, made by nbgrader from the one with solutions."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbformat import NotebookNode
from nbgrader import preprocessors
from traitlets.config import Config

STUB = '# YOUR CODE HERE\nraise NotImplementedError("not attempted")'
STEPS = ("LockCells", "ClearSolutions", "ClearOutput", "CheckCellMetadata", "ComputeChecksums")


def release(notebook: NotebookNode) -> NotebookNode:
    """Return the learner's notebook: solutions replaced by stubs, checks locked and signed."""
    config = Config()
    config.ClearSolutions.code_stub = {"python": STUB}
    resources: dict = {}
    for step in STEPS:
        preprocessor = getattr(preprocessors, step)(config=config)
        notebook, resources = preprocessor.preprocess(notebook, resources)
    return notebook


@contextmanager
def own_programs_first() -> Iterator[None]:
    """Let nbgrader, which calls ``alembic`` by name, find the one beside this Python."""
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before
