"""Silence stderr, where frameworks write start-up messages, also from C++."""

import contextlib
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Discard what is written to stderr, by Python and through file descriptor 2.

    Exceptions pass; only text is discarded. nbgrader gives 0 points to a test cell with any stderr output.
    """
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
        saved = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)


class _QuietTensorFlow(MetaPathFinder):
    """Imports TensorFlow with stderr silenced; others as usual."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def execute_quietly(module: ModuleType) -> None:
                with quiet_stderr():
                    execute(module)

            spec.loader.exec_module = execute_quietly  # type: ignore[method-assign]
        return spec


def quiet_tensorflow() -> None:
    """Let TensorFlow be imported without its messages, whichever module imports it first."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # Later logs would go to the stderr that TensorFlow was imported with, which is closed by then: an error
    logging.getLogger("tensorflow").setLevel("ERROR")
    if "tensorflow" not in sys.modules:
        sys.meta_path.insert(0, _QuietTensorFlow())
