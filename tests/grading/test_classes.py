"""Three classes: habits of notebook users, damaged files, and submissions that would take points or the machine."""

import contextlib
import copy
import json
import shutil
from pathlib import Path

import pytest

from siamese_course.exercises import engine
from siamese_course.grading import cells, report, run
from siamese_course.grading.submissions import collect
from siamese_course.notebooks.catalog import NAMES
from tests.submissions import damaged, habits, hostile

NAME = NAMES[0]
SANDBOX = "bubblewrap" if shutil.which("bwrap") else "limits"
QUICK_HABITS = {
    "global used again later",
    "star import",
    "star import for a model",
    "helper below an open hint",
    "display in the function",
    "shell into a variable",
}
QUICK_HARM = {"SystemExit at the top", "nested lambdas", "numbers kept in builtins"}


def notebook(habit: str) -> dict:
    """The release with the cells of a habit where 01.distance is answered."""
    own = habits.cells_of(habit)
    answer = next(
        n for n, text in enumerate(own) if "def euclidean" in text or "euclidean_distance =" in text
    )
    made = json.loads(json.dumps(cells.release(NAME).notebook))
    place = next(n for n, cell in enumerate(made["cells"]) if cells.grade_id(cell) == "distance")
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    around = [code | {"source": text} for text in own]
    around[answer] = made["cells"][place] | {"source": own[answer]}
    made["cells"][place : place + 1] = around
    return made


def graded(folder: Path, out: Path, seconds: float = 20) -> dict[str, dict]:
    """Grade a folder; return the results by learner. Everybody has one."""
    results = run.grade_class(collect(folder), out, sandbox=SANDBOX, seconds=seconds)
    report.write(results, out)
    found = {result["learner"]: result for result in results if result["matters"]}
    assert found.keys() == {path.name for path in folder.iterdir()}
    return found


def hand_in(folder: Path, learner: str, file: str, data: bytes) -> None:
    (folder / learner).mkdir(parents=True)
    (folder / learner / file).write_bytes(data)


def points(result: dict) -> float:
    return sum(outcome["points"] for outcome in result["outcomes"])


def told(result: dict) -> list:
    return [result["problem"], *(each for o in result["outcomes"] for each in o["messages"][:1])]


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        sorted(QUICK_HABITS),
        pytest.param(sorted(habits.HABITS.keys() - QUICK_HABITS), marks=pytest.mark.release),
    ],
    ids=["some", "all others"],
)
def test_habits_have_full_points(names, tmp_path):
    for habit in names:
        hand_in(tmp_path / "in", habit, f"{NAME}.ipynb", json.dumps(notebook(habit)).encode())
    results = graded(tmp_path / "in", tmp_path / "out")
    deserved = dict.fromkeys(results, 10) | habits.POINTS
    assert {habit: told(r) for habit, r in results.items() if points(r) < deserved[habit]} == {}


@pytest.mark.release
def test_damaged_files_have_the_points_of_what_is_in_them_or_a_reason(tmp_path):
    right = notebook("plain")
    for damage, (file, make) in damaged.DAMAGES.items():
        hand_in(tmp_path / "in", damage, file, make(copy.deepcopy(right)))
    for damage, (file, data) in damaged.HOPELESS.items():
        hand_in(tmp_path / "in", f"hopeless, {damage}", file, data)
    results = graded(tmp_path / "in", tmp_path / "out")
    wrong = {
        damage: told(result)
        for damage, result in results.items()
        if (points(result) != 10 if damage in damaged.DAMAGES else not result["problem"])
    }
    assert wrong == {}


@pytest.mark.parametrize("short", ["encoder", "siamese"])
def test_forged_observations_would_have_all_points_where_they_arrive(short):
    space: dict = {}
    exec(hostile.FAKE, space)
    for part in cells.release(NAME).exercises[short].parts:
        for numbers in (contextlib.nullcontext(), engine.hidden_numbers(7)):
            with numbers:
                case = part.case()
                part.test(space["seen"](part.look.__name__, case), *case)


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        sorted(QUICK_HARM),
        pytest.param(sorted(hostile.HOSTILE.keys() - QUICK_HARM), marks=pytest.mark.release),
    ],
    ids=["some", "all others"],
)
def test_hostile_submissions_get_no_points_and_stop_nobody(names, tmp_path, capfd):
    if SANDBOX != "bubblewrap":
        pytest.skip("bubblewrap is not installed")
    for name in names:
        short, text = hostile.HOSTILE[name]
        made = json.dumps(cells.with_answers(NAME, {short: text})).encode()
        hand_in(tmp_path / "in", name, f"{NAME}.ipynb", made)
    results = graded(tmp_path / "in", tmp_path / "out", seconds=4)
    assert {name: points(result) for name, result in results.items() if points(result)} == {}
    assert {name: told(r) for name, r in results.items() if not any(told(r))} == {}
    assert {name for name, r in results.items() if not r["kept"]} == set()
    # one call with the notebook's numbers was seen, and nothing of another exercise or the instructor's
    if "numbers kept in builtins" in results:
        assert "SEEN" in str(told(results["numbers kept in builtins"]))
    for name, nothing in (
        ("secrets of other processes", "SECRETS []"),
        ("the first process's memory", "OPENED []"),
    ):
        assert name not in results or nothing in str(told(results[name]))
    pages = "".join(path.read_text("utf-8") for path in (tmp_path / "out").rglob("*.html"))
    everything = json.dumps(results) + pages
    assert not [c for c in everything if not c.isprintable() and c != "\n"]
    assert "<script>" not in pages
    assert capfd.readouterr().out == ""
