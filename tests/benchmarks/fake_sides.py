"""Sides that cost nothing, for the tests of the runner."""

import os
import subprocess
from pathlib import Path

ALSO = {"data": "same", "curve": [[1, 2]], "text": "where"}


def one(size=1, **unused):
    return {"seconds": 2.0 * size, "AUC": 0.5, "rows": size, **ALSO}


def other(size=1, **unused):
    return {"seconds": 4.0 * size**2, "pid": os.getpid(), "rows": size, "data": "same"}


def other_data(**unused):
    return {"seconds": 1.0, "data": "another"}


def failing(**unused):
    raise ValueError("too large")


def where_data_are(**case):
    return {"setting": os.environ.get("SIAMESE_COURSE_DATA"), "case": case}


def with_a_child(note):
    child = subprocess.Popen(["sleep", "60"])
    Path(note).write_text(str(child.pid))
    child.wait()
    return {}
