"""Whole notebooks are executed once in a test run, whichever worker needs them first."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from filelock import FileLock

from siamese_course.notebooks import run as running
from siamese_course.notebooks.build import STORED_SETTING
from siamese_course.notebooks.catalog import BY_NAME, NAMES
from tests.conftest import HUNG, ROOT


@dataclass(frozen=True)
class Executed:
    """A solution notebook that nbval executed: nbval's exit code and report, the fresh outputs."""

    name: str
    returncode: int
    report: str
    notebook: nbformat.NotebookNode


def nbval(path: Path, kept: Path) -> subprocess.CompletedProcess:
    """Run nbval in the one setting in which the stored outputs hold; keep what it executed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-p", "tests.notebooks.keep_outputs", "--nbval-lax", "--nbval-current-env"]
    command += [f"--nbval-cell-timeout={HUNG}", str(path)]
    environment = os.environ | STORED_SETTING | {"KEEP_OUTPUTS": str(kept)}
    for name in ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"):  # as on a learner's machine
        environment.pop(name, None)
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)


@pytest.fixture(
    scope="session",
    params=[NAMES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[1:])],
)
def executed(request, tmp_path_factory) -> Executed:
    """Each solution notebook as nbval executed it."""
    name = request.param
    # With xdist every worker has a folder of its own below the session's
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    kept, report = shared / f"{name}.ipynb", shared / f"{name}.txt"
    with FileLock(shared / f"{name}.lock"):
        if not report.exists():
            run = nbval(BY_NAME[name].solution, kept)
            report.write_text(f"{run.returncode}\n{run.stdout[-4000:]}{run.stderr[-1000:]}")
    code, text = report.read_text().split("\n", 1)
    assert kept.exists(), text
    return Executed(name, int(code), text, nbformat.read(kept, as_version=4))


def require_run_to_the_end(notebook: nbformat.NotebookNode, name: str, solved: int, points: int):
    """Every cell ran, none failed, the exercises left out went on with the course's functions, and earned nothing."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    assert [cell.source for cell in code if not cell.execution_count] == []
    outputs = [output for cell in code for output in cell.outputs]
    assert [output for output in outputs if output.output_type == "error"] == []
    went_on = sum("goes on with the course's own" in o.get("text", "") for o in outputs)
    assert went_on == len(BY_NAME[name].exercises()) - solved
    assert running.score(notebook) == (points, 100)
