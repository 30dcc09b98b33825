"""The results of a class as tables: CSV files, exports for Canvas and Moodle, and nbgrader's gradebook."""

import contextlib
import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from siamese_course.grading.authoring import own_programs_first
from siamese_course.grading.cells import release
from siamese_course.notebooks.catalog import NAMES

Chosen = dict[tuple[str, str], dict]


def points(result: dict) -> float:
    """Return the points of a notebook."""
    return sum(outcome["points"] for outcome in result["outcomes"])


def max_points(name: str) -> float:
    """Return the points that a notebook is worth."""
    return sum(exercise.points for exercise in release(name).exercises.values())


def best(results: Sequence[dict]) -> Chosen:
    """Return the result that counts for each (learner, notebook): the most points, the last of equals."""
    chosen: Chosen = {}
    for result in sorted(results, key=lambda each: (each["file"], each["key"])):
        key = (result["learner"], result["notebook"])
        if result["notebook"] and (key not in chosen or points(result) >= points(chosen[key])):
            chosen[key] = result
    return chosen


def total(own: Sequence[dict]) -> str:
    """Return the points of a learner's notebooks together; nothing if none was graded."""
    chosen = best(own).values()
    return f"{sum(map(points, chosen)):g}" if chosen else ""


def attempts(own: Sequence[dict]) -> Counter[str]:
    """Return how many files of each notebook of a learner were graded."""
    return Counter(result["notebook"] for result in own if result["notebook"])


def handed_in(by_learner: dict[str, list[dict]]) -> list[str]:
    """Return the notebooks that anybody handed in."""
    found = {result["notebook"] for own in by_learner.values() for result in own}
    return [name for name in NAMES if name in found]


def problems(results: Sequence[dict]) -> list[str]:
    """Return what was not graded of a learner's work, and why."""
    return [f"{r['file']}: {r['problem']}" for r in results if r["problem"] and r["matters"]]


def status_of(results: Sequence[dict]) -> str:
    """Return one word or two about what a learner handed in."""
    graded = any(not each["problem"] for each in results)
    if problems(results):
        return "partly graded" if graded else "not graded"
    return "graded" if graded else "missing"


def write_exercises(results: Sequence[dict], path: Path) -> Path:
    """Write a row for each exercise of each learner, and for each file that was not graded."""
    columns = ("learner", "notebook", "file", "exercise", "points", "of", "status", "message")
    rows: list[dict] = [
        {name: each[name] for name in ("learner", "file", "problem")}
        | {"status": "not graded" if each["matters"] else "ignored"}
        for each in sorted(results, key=lambda each: (each["learner"], each["file"]))
        if each["problem"]
    ]
    for (learner, name), result in sorted(best(results).items()):
        for o in result["outcomes"]:
            numbers = {"points": f"{o['points']:g}", "of": f"{o['max_points']:g}"}
            about = {"learner": learner, "notebook": name, "file": result["file"]}
            told = {"status": o["status"], "message": "".join(o["messages"][:1])}
            rows.append(about | {"exercise": o["exercise"]} | numbers | told)
    return _write((*columns, "problem"), rows, path)


def write_class(by_learner: dict[str, list[dict]], path: Path) -> Path:
    """Write a row for each learner: points of each notebook, total, status, attempts, problems."""
    columns = ("learner", *NAMES, "total", "of", "status", "attempts", "problems")
    rows = [
        {
            "learner": learner,
            **_points(own),
            "total": total(own),
            "of": f"{sum(map(max_points, NAMES)):g}",
            "status": status_of(own),
            "attempts": "; ".join(f"{n[:2]}: {c}" for n, c in sorted(attempts(own).items())),
            "problems": "; ".join(problems(own)),
        }
        for learner, own in sorted(by_learner.items())
    ]
    return _write(columns, rows, path)


def write_canvas(by_learner: dict[str, list[dict]], path: Path) -> Path:
    """Write what Canvas imports under Grades: the points of what was graded, nothing where nothing was."""
    names = handed_in(by_learner)
    columns = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", *names)
    rows = [{"Student": "    Points Possible"} | {name: f"{max_points(name):g}" for name in names}]
    for learner, own in sorted(by_learner.items()):
        if own[0]["system"] == "canvas":
            about = {"Student": learner.rpartition("_")[0], "ID": own[0]["number"]}
            rows.append(about | _points(own))
        elif not own[0]["system"]:
            rows.append({"Student": learner, "SIS Login ID": learner} | _points(own))
    return _write(columns, rows, path)


def write_moodle(by_learner: dict[str, list[dict]], folder: Path) -> list[Path]:
    """Write what Moodle imports: a grading worksheet for each notebook, and a table of the instructor's names.

    The numbers in Moodle's names belong to one assignment; only its worksheets have them. Under Grades, Moodle
    finds learners by their username. A file without learners is not written.
    """
    files: dict[str, list[dict]] = {f"moodle-{notebook}.csv": [] for notebook in NAMES}
    files["moodle.csv"] = []
    for learner, own in sorted(by_learner.items()):
        if own[0]["system"] == "moodle":
            whose = {"Identifier": f"Participant {own[0]['number']}"}
            whose["Full name"] = learner.rpartition("_")[0]
            for notebook, grade in _points(own).items():
                row = whose | {"Grade": grade, "Last modified (grade)": ""}
                files[f"moodle-{notebook}.csv"].append(row)
        elif not own[0]["system"]:
            nothing = dict.fromkeys(handed_in(by_learner), "")
            files["moodle.csv"].append({"username": learner} | nothing | _points(own))
    for name in files:
        (folder / name).unlink(missing_ok=True)
    return [_write(tuple(rows[0]), rows, folder / name) for name, rows in files.items() if rows]


def _points(own: Sequence[dict]) -> dict[str, str]:
    """The points of each notebook that was graded."""
    return {name: f"{points(result):g}" for (_, name), result in best(own).items()}


def _write(columns: Sequence[str], rows: Sequence[dict], path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        writer.writerows({key: _safe(str(cell)) for key, cell in row.items()} for row in rows)
    return path


def _safe(text: str) -> str:
    """A cell that no spreadsheet reads as a formula."""
    formula = text.lstrip().startswith(("=", "+", "-", "@"))
    return f"'{text}" if formula or text.startswith(("\t", "\r", "\n")) else text


def write_gradebook(by_learner: dict[str, list[dict]], path: Path) -> Path:
    """Write the points to nbgrader's own database, made anew.

    nbgrader exports 0 for a learner without points. So a learner whose work could not all be graded is not in it.
    """
    path.unlink(missing_ok=True)
    address = f"sqlite:///{path.resolve()}"
    # nbgrader connects objects before it adds them, of which SQLAlchemy warns if it flushes in between
    with own_programs_first(), Gradebook(address) as gradebook, gradebook.db.no_autoflush:
        for name in handed_in(by_learner):
            gradebook.update_or_create_assignment(name)
            gradebook.update_or_create_notebook(name, name)
            for short, exercise in release(name).exercises.items():
                gradebook.update_or_create_grade_cell(
                    f"{short}-check", name, name, max_score=exercise.points, cell_type="code"
                )
        for learner, own in by_learner.items():
            if status_of(own) != "graded":
                continue
            gradebook.update_or_create_student(learner)
            for (_, name), result in best(own).items():
                with contextlib.suppress(MissingEntry):
                    gradebook.remove_submission(name, learner)
                gradebook.add_submission(name, learner)
                for outcome in result["outcomes"]:
                    cell = f"{outcome['exercise']}-check"
                    grade = gradebook.find_grade(cell, name, name, learner)
                    grade.auto_score, grade.needs_manual_grade = outcome["points"], False
        gradebook.db.commit()
    return path
