"""What grading costs: a class of notebook 01, with right, wrong and harmful answers of tests/submissions.

A class is graded by ``siamese-course grade run`` in a process of its own.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.common import peak_of
from siamese_course.grading import cells
from siamese_course.notebooks.catalog import NAMES

ANSWERS = Path(__file__).resolve().parents[1] / "tests" / "submissions" / "01"
HARMFUL = "import os\n\nos._exit(1)\n"


def course(submissions: int, jobs: int = 2) -> dict:
    """Seconds a submission, and the peak memory of the grader, its processes together."""
    with tempfile.TemporaryDirectory() as folder:
        hand_in(Path(folder, "handed_in"), submissions)
        command = [sys.executable, "-m", "siamese_course.cli", "grade", "run"]
        command += [f"{folder}/handed_in", "--out", f"{folder}/class", "--jobs", str(jobs)]
        output, peak = peak_of(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    graded = json.loads(output.splitlines()[-1])
    return {
        "seconds a submission": graded["seconds_per_notebook"],
        "seconds": graded["seconds"],
        "GiB, all processes": peak / 2**30,
    }


def hand_in(folder: Path, count: int, seed: int = 0) -> None:
    """Notebooks of as many learners: three answers in four are right, one in forty ends its process."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        answers = {}
        for exercise in cells.release(NAMES[0]).functions:
            kind = "right" if rng.random() < 0.75 else "wrong"
            files = sorted((ANSWERS / exercise / kind).glob("*.py"))
            answers[exercise] = HARMFUL if rng.random() < 0.025 else rng.choice(files).read_text()
        place = folder / f"learner-{number:03d}"
        place.mkdir(parents=True)
        notebook = cells.with_answers(NAMES[0], answers)
        (place / f"{NAMES[0]}.ipynb").write_text(json.dumps(notebook))
