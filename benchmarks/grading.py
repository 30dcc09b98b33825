"""What grading costs: notebook 01 of a class, or all notebooks, with right, wrong and harmful answers.

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

ANSWERS = Path(__file__).resolve().parents[1] / "tests" / "submissions"
HARMFUL = "import os\n\nos._exit(1)\n"


def course(submissions: int, jobs: int = 2, notebooks: int = 1) -> dict:
    """Seconds a submission of this number of notebooks, and the peak memory of the grader, its processes together."""
    with tempfile.TemporaryDirectory() as folder:
        hand_in(Path(folder, "handed_in"), submissions, notebooks)
        command = [sys.executable, "-m", "siamese_course.cli", "grade", "run"]
        command += [f"{folder}/handed_in", "--out", f"{folder}/class", "--jobs", str(jobs)]
        output, peak = peak_of(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    graded = json.loads(output.splitlines()[-1])
    return {
        "seconds a submission": round(graded["seconds"] / submissions, 2),
        "seconds": graded["seconds"],
        "GiB, all processes": peak / 2**30,
    }


def hand_in(folder: Path, count: int, notebooks: int = 1) -> None:
    """Notebooks of as many learners: three answers in four are right, one in forty ends its process."""
    rng = np.random.default_rng(0)
    for number in range(count):
        place = folder / f"learner-{number:03d}"
        place.mkdir(parents=True)
        for name in NAMES[:notebooks]:
            answers = {}
            for exercise in cells.release(name).functions:
                kind = "right" if rng.random() < 0.75 else "wrong"
                files = sorted((ANSWERS / name[:2] / exercise / kind).glob("*.py"))
                harmful = rng.random() < 0.025
                answers[exercise] = HARMFUL if harmful else rng.choice(files).read_text("utf-8")
            (place / f"{name}.ipynb").write_text(json.dumps(cells.with_answers(name, answers)))
