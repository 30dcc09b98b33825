"""Grading on a Dask cluster of two workers, one of which is lost half way."""

import json
import os
import shutil
import signal
import threading
import time

import pytest

from siamese_course.grading import cells, run
from siamese_course.grading.submissions import collect
from siamese_course.notebooks.catalog import NAMES

distributed = pytest.importorskip("distributed")
NAME = NAMES[0]
SANDBOX = "bubblewrap" if shutil.which("bwrap") else "limits"
RIGHT = "def euclidean_distance(left, right):\n    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + 1e-6)\n"


@pytest.mark.slow
def test_a_lost_worker_costs_no_grade_and_none_is_counted_twice(tmp_path):
    learners = [f"learner {number}" for number in range(6)]
    for learner in learners:
        folder = tmp_path / "handed_in" / learner
        folder.mkdir(parents=True)
        answers = {"distance": RIGHT} if learner[-1] in "024" else {}
        (folder / f"{NAME}.ipynb").write_text(json.dumps(cells.with_answers(NAME, answers)))
    told, lost = [], []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]

        def lose_one():
            while not told:
                time.sleep(0.1)
            os.kill(pids[0], signal.SIGKILL)
            lost.append(pids[0])

        killer = threading.Thread(target=lose_one, daemon=True)
        killer.start()
        results = run.grade_class(
            collect(tmp_path / "handed_in"),
            tmp_path / "class",
            sandbox=SANDBOX,
            scheduler=cluster.scheduler_address,
            callback=lambda result, fresh: told.append(result["learner"]),
        )
        killer.join()
    assert lost
    assert sorted(told) == learners
    points = {r["learner"]: sum(o["points"] for o in r["outcomes"]) for r in results}
    assert points == {learner: 10.0 * (learner[-1] in "024") for learner in learners}
    assert len(run.results(tmp_path / "class")) == len(learners)
