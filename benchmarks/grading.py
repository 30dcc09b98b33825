"""What grading costs: classes of notebook 01, with right, wrong and harmful answers drawn from tests/submissions.

    python benchmarks/grading.py [--counts 20 60] [--jobs 2]

Each class is graded by ``siamese-course grade run`` in a process of its own. Printed are the seconds of each
submission and the grader's peak memory, its processes together, as one JSON object.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil

from siamese_course.grading import cells

ANSWERS = Path(__file__).resolve().parents[1] / "tests" / "submissions" / "01"
HARMFUL = "import os\n\nos._exit(1)\n"


def hand_in(folder: Path, count: int, seed: int = 0) -> None:
    """Notebooks of as many learners: three answers in four are right, one in forty ends its process."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        answers = {}
        for exercise in cells.release(cells.NAMES[0]).functions:
            kind = "right" if rng.random() < 0.75 else "wrong"
            files = sorted((ANSWERS / exercise / kind).glob("*.py"))
            answers[exercise] = HARMFUL if rng.random() < 0.025 else rng.choice(files).read_text()
        place = folder / f"learner-{number:03d}"
        place.mkdir(parents=True)
        notebook = cells.with_answers(cells.NAMES[0], answers)
        (place / f"{cells.NAMES[0]}.ipynb").write_text(json.dumps(notebook))


def peak_of(process: subprocess.Popen) -> tuple[str, int]:
    """(output, peak bytes of the process and all below it)."""
    peak = 0

    def watch():
        nonlocal peak
        while process.poll() is None:
            try:
                root = psutil.Process(process.pid)
                family = [root, *root.children(recursive=True)]
                peak = max(peak, sum(p.memory_info().rss for p in family if p.is_running()))
            except psutil.NoSuchProcess:
                pass
            time.sleep(0.5)

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    watcher.join()
    return output, peak


def main() -> None:
    """Grade the classes one after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--counts", type=int, nargs="+", default=[20, 60])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    report = {}
    for count in options.counts:
        with tempfile.TemporaryDirectory() as folder:
            hand_in(Path(folder, "handed_in"), count)
            command = [
                sys.executable,
                "-m",
                "siamese_course.cli",
                "grade",
                "run",
                f"{folder}/handed_in",
            ]
            command += ["--out", f"{folder}/class", "--jobs", str(options.jobs)]
            output, peak = peak_of(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            graded = json.loads(output.splitlines()[-1])
        report[str(count)] = {
            "seconds": graded["seconds"],
            "seconds_per_submission": graded["seconds_per_notebook"],
            "peak_gib": round(peak / 2**30, 2),
        }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
