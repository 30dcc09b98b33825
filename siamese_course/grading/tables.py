"""The results of a class as tables: CSV files, exports for Canvas and Moodle, and nbgrader's gradebook."""

import contextlib
import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from siamese_course.grading.authoring import own_programs_first
from siamese_course.grading.cells import release
from siamese_course.notebooks.catalog import NAMES

# A learner as ``submissions.learner_of`` names those of Moodle and Canvas
NUMBERED = re.compile(r"(.+)_(\d+)")
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
    for result in sorted(results, key=lambda each: each["file"]):
        key = (result["learner"], result["notebook"])
        if result["notebook"] and (key not in chosen or points(result) >= points(chosen[key])):
            chosen[key] = result
    return chosen


def status_of(results: Sequence[dict]) -> str:
    """Return one word or two about what a learner handed in."""
    problems = [each for each in results if each["problem"] and each["matters"]]
    graded = any(not each["problem"] for each in results)
    if problems:
        return "partly graded" if graded else "not graded"
    return "graded" if graded else "missing"


def write_exercises(results: Sequence[dict], path: Path) -> Path:
    """Write a row for each exercise of each learner, and for each file that was not graded."""
    rows: list[list] = [
        ["learner", "notebook", "file", "exercise", "points", "of", "status", "message", "problem"]
    ]
    for result in sorted(results, key=lambda each: (each["learner"], each["file"])):
        if result["problem"] and result["matters"]:
            rows.append(
                [
                    result["learner"],
                    "",
                    result["file"],
                    "",
                    "",
                    "",
                    "not graded",
                    "",
                    result["problem"],
                ]
            )
    for (learner, name), result in sorted(best(results).items()):
        for o in result["outcomes"]:
            first = o["messages"][0] if o["messages"] else ""
            numbers = [f"{o['points']:g}", f"{o['max_points']:g}"]
            rows.append(
                [learner, name, result["file"], o["exercise"], *numbers, o["status"], first, ""]
            )
    return _write(rows, path)


def write_class(by_learner: dict[str, list[dict]], path: Path) -> Path:
    """Write a row for each learner: points of each notebook, total, status, attempts, problems."""
    total = sum(map(max_points, NAMES))
    rows: list[list] = [["learner", *NAMES, "total", "of", "status", "attempts", "problems"]]
    for learner, own in sorted(by_learner.items()):
        chosen = best(own)
        each = [chosen.get((learner, name)) for name in NAMES]
        problems = "; ".join(
            f"{r['file']}: {r['problem']}" for r in own if r["problem"] and r["matters"]
        )
        rows.append(
            [
                learner,
                *("" if r is None else f"{points(r):g}" for r in each),
                f"{sum(points(r) for r in each if r):g}",
                f"{total:g}",
                status_of(own),
                sum(r["notebook"] is not None for r in own),
                problems,
            ]
        )
    return _write(rows, path)


def write_canvas(by_learner: dict[str, list[dict]], path: Path) -> Path:
    """Write what Canvas imports under Grades: the points of what was graded, nothing where nothing was."""
    rows: list[list] = [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *NAMES],
        ["    Points Possible", "", "", "", "", *(f"{max_points(name):g}" for name in NAMES)],
    ]
    for learner, own in sorted(by_learner.items()):
        name, number = _name_and_number(learner)
        rows.append([name, number, "", "" if number else learner, "", *_points(learner, own)])
    return _write(rows, path)


def write_moodle(by_learner: dict[str, list[dict]], path: Path) -> Path:
    """Write what Moodle imports under Grades: a row for each learner."""
    rows: list[list] = [["Identifier", "Full name", *NAMES]]
    for learner, own in sorted(by_learner.items()):
        name, number = _name_and_number(learner)
        identifier = f"Participant {number}" if number else learner
        rows.append([identifier, name, *_points(learner, own)])
    return _write(rows, path)


def _name_and_number(learner: str) -> tuple[str, str]:
    match = NUMBERED.fullmatch(learner)
    return (match[1], match[2]) if match else (learner, "")


def _points(learner: str, own: Sequence[dict]) -> list[str]:
    chosen = best(own)
    return [f"{points(chosen[learner, n]):g}" if (learner, n) in chosen else "" for n in NAMES]


def _write(rows: Iterable[Sequence], path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([[_safe(str(cell)) for cell in row] for row in rows])
    return path


def _safe(text: str) -> str:
    """A cell that no spreadsheet reads as a formula."""
    return (
        f"'{text}"
        if text.lstrip()[:1] in ("=", "+", "-", "@") or (text[:1] in "\t\r\n" and text)
        else text
    )


def write_gradebook(by_learner: dict[str, list[dict]], path: Path) -> Path:
    """Write the points to nbgrader's own database, made anew.

    nbgrader exports 0 for a learner without points. So a learner whose work could not all be graded is not in it.
    """
    path.unlink(missing_ok=True)
    with own_programs_first(), Gradebook(f"sqlite:///{path.resolve()}") as gradebook:
        for name in NAMES:
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
