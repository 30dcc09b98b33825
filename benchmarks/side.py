"""One side of one case, measured in a process of its own; the last line is JSON.

    python -m benchmarks.side benchmarks.losses:course '{"loss": "triplet"}'

The function gets the case as keyword arguments, but for ``data``, which is what SIAMESE_COURSE_DATA is set to,
and returns a dictionary. Numbers are measures; a string under
``data`` says what was measured on and must be the same on every side; a string under ``text`` is kept as a
file; all else is kept as it is. Added is ``process MiB``, the process' largest resident memory.

Nothing is imported here that a side may want to measure the import of.
"""

import importlib
import json
import os
import sys


def peak_bytes() -> int:
    """Largest resident memory of this process so far."""
    import resource  # not on Windows, where only this cannot be measured

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # kilobytes, but on a Mac


def function_of(address: str):
    """The function that ``module:name`` names."""
    module, name = address.split(":")
    return getattr(importlib.import_module(module), name)


def main() -> None:
    """Measure."""
    address, case = sys.argv[1], json.loads(sys.argv[2])
    if data := case.pop("data", None):
        os.environ["SIAMESE_COURSE_DATA"] = data
    found = function_of(address)(**case) or {}
    print()
    print(json.dumps({**found, "process MiB": peak_bytes() / 2**20}))


if __name__ == "__main__":
    main()
