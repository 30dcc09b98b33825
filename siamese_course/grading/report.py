"""Write the results of a class: a CSV file, nbgrader's gradebook, a page per learner, and an overview."""

import contextlib
import csv
import html
from collections import Counter
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from siamese_course.exercises.engine import inline
from siamese_course.grading.authoring import own_programs_first
from siamese_course.grading.cells import release
from siamese_course.grading.run import plain_name
from siamese_course.notebooks.catalog import NAMES

MARKS = {"right": "✔", "wrong": "✘", "stopped": "■"}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem;
  border-bottom: 1px solid #ddd; vertical-align: top; } td.n, th.n { text-align: right; }
.bar { background: #e6e6e6; width: 10rem; max-width: 20vw; height: .9rem; } .bar div { background: #1f6f8b; height: 100%; }
.wide { overflow-x: auto; } .faint { color: #666; } code { background: #f3f3f3; padding: 0 .2em; overflow-wrap: anywhere; }
td { overflow-wrap: anywhere; }
"""


def best(results: list[dict]) -> dict[tuple[str, str], dict]:
    """Return the result that counts for each (learner, notebook): the most points, the last of equals."""
    chosen: dict[tuple[str, str], dict] = {}
    for result in results:
        key = (result["learner"], result["notebook"] or result["file"])
        if key not in chosen or points(result) >= points(chosen[key]):
            chosen[key] = result
    return chosen


def points(result: dict) -> float:
    """Return the points of a notebook."""
    return sum(outcome["points"] for outcome in result["outcomes"])


def write(results: list[dict], out: Path) -> list[Path]:
    """Write everything to the class's folder; return the files."""
    chosen = best(results)
    written = [write_csv(chosen, out / "grades.csv"), write_gradebook(chosen, out / "gradebook.db")]
    by_learner: dict[str, list[dict]] = {}
    for (learner, _), result in sorted(chosen.items()):
        by_learner.setdefault(learner, []).append(result)
    for learner, own in by_learner.items():
        path = out / "feedback" / f"{plain_name(learner)}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(learner_page(learner, own), "utf-8")
        written.append(path)
    overview = out / "index.html"
    overview.write_text(overview_page(by_learner), "utf-8")
    return [*written, overview]


def write_csv(chosen: dict, path: Path) -> Path:
    """Write a CSV file with a row for each exercise of each learner."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(
            ["learner", "notebook", "exercise", "points", "of", "status", "message", "problem"]
        )
        for (learner, name), result in sorted(chosen.items()):
            if result["problem"]:
                table.writerow(
                    [_safe(learner), _safe(name), "", 0, 0, "unreadable", "", result["problem"]]
                )
            for o in result["outcomes"]:
                first = o["messages"][0] if o["messages"] else ""
                table.writerow(
                    [
                        _safe(learner),
                        name,
                        o["exercise"],
                        f"{o['points']:g}",
                        f"{o['max_points']:g}",
                        o["status"],
                        _safe(first),
                        "",
                    ]
                )
    return path


def _safe(text: str) -> str:
    """A cell that no spreadsheet reads as a formula."""
    return f"'{text}" if text[:1] in "=+-@\t\r" else text


def write_gradebook(chosen: dict, path: Path) -> Path:
    """Write the points to nbgrader's own database."""
    with own_programs_first(), Gradebook(f"sqlite:///{path.resolve()}") as gradebook:
        for name in NAMES:
            gradebook.update_or_create_assignment(name)
            gradebook.update_or_create_notebook(name, name)
            for short, exercise in release(name).exercises.items():
                gradebook.update_or_create_grade_cell(
                    f"{short}-check", name, name, max_score=exercise.points, cell_type="code"
                )
        for (learner, name), result in chosen.items():
            gradebook.update_or_create_student(learner)
            if not result["outcomes"]:
                continue
            with contextlib.suppress(MissingEntry):
                gradebook.remove_submission(name, learner)
            gradebook.add_submission(name, learner)
            for outcome in result["outcomes"]:
                grade = gradebook.find_grade(f"{outcome['exercise']}-check", name, name, learner)
                grade.auto_score, grade.needs_manual_grade = outcome["points"], False
        gradebook.db.commit()
    return path


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{html.escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{STYLE}</style></head>\n<body><main>\n<h1>{html.escape(title)}</h1>\n{body}</main></body></html>\n"
    )


def learner_page(learner: str, results: list[dict]) -> str:
    """Return the page that one learner may see: points, what was found in the notebook, and hints."""
    parts = []
    for result in results:
        name = result["notebook"] or result["file"]
        max_points = sum(outcome["max_points"] for outcome in result["outcomes"])
        parts.append(f"<h2>{html.escape(name)}: {points(result):g} of {max_points:g} points</h2>")
        if result["problem"]:
            parts.append(f"<p>{inline(result['problem'])}</p>")
        if result["found"]:
            items = "".join(f"<li>{inline(each)}</li>" for each in result["found"])
            parts.append(f"<p>Found in the file, and repaired for grading:</p><ul>{items}</ul>")
        rows = "".join(_row(name, outcome) for outcome in result["outcomes"])
        if rows:
            parts.append(
                '<table><thead><tr><th>Exercise</th><th class="n">Points</th><th>What was found</th></tr></thead>'
                f"<tbody>{rows}</tbody></table>"
            )
    return _page(f"Feedback for {learner}", "\n".join(parts))


def _row(name: str, outcome: dict) -> str:
    title = release(name).exercises[outcome["exercise"]].title
    feedback = "<br>".join(inline(message) for message in outcome["messages"]) or html.escape(
        outcome["status"]
    )
    mark = MARKS.get(outcome["status"], "…")
    return (
        f'<tr><td>{mark} {html.escape(title)}</td><td class="n">{outcome["points"]:g} of '
        f"{outcome['max_points']:g}</td><td>{feedback}</td></tr>"
    )


def overview_page(by_learner: dict[str, list[dict]]) -> str:
    """Return the instructor's page: points, exercises, the most frequent mistakes, seconds."""
    results = [result for own in by_learner.values() for result in own]
    parts = [_overview_of_class(by_learner)]
    for name in NAMES:
        own = [result for result in results if result["notebook"] == name]
        if own:
            parts += [f"<h2>{name}</h2>", _exercises(name, own), _mistakes(name, own)]
    seconds = sum(result["seconds"] for result in results)
    parts.append(
        f'<p class="faint">{len(results)} notebooks of {len(by_learner)} learners; '
        f"{seconds:.0f} seconds of grading, {seconds / max(1, len(results)):.1f} per notebook.</p>"
    )
    return _page("The class", "\n".join(parts))


def _overview_of_class(by_learner: dict[str, list[dict]]) -> str:
    names = [
        n for n in NAMES if any(r["notebook"] == n for own in by_learner.values() for r in own)
    ]
    head = "".join(f'<th class="n">{name}</th>' for name in names)
    rows = []
    for learner, own in sorted(by_learner.items()):
        of = {result["notebook"]: result for result in own}
        points_of = "".join(
            f'<td class="n">{points(of[n]):g}</td>' if n in of else "<td></td>" for n in names
        )
        notes = [result["problem"] for result in own if result["problem"]]
        notes += ["stopped" for r in own if any(o["status"] == "stopped" for o in r["outcomes"])]
        link = f'<a href="feedback/{html.escape(plain_name(learner), quote=True)}.html">{html.escape(learner)}</a>'
        rows.append(f"<tr><td>{link}</td>{points_of}<td>{inline('; '.join(notes))}</td></tr>")
    return (
        f'<div class="wide"><table><thead><tr><th>Learner</th>{head}<th>To look at</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _exercises(name: str, results: list[dict]) -> str:
    rows = []
    for short, exercise in release(name).exercises.items():
        own = [o for result in results for o in result["outcomes"] if o["exercise"] == short]
        fraction = sum(o["points"] for o in own) / (exercise.points * max(1, len(own)))
        right = sum(o["status"] == "right" for o in own)
        rows.append(
            f'<tr><td>{html.escape(exercise.title)}</td><td><div class="bar" role="img" aria-label="{fraction:.0%}">'
            f'<div style="width: {fraction:.0%}"></div></div></td><td class="n">{fraction:.0%}</td>'
            f'<td class="n">{right} of {len(own)}</td></tr>'
        )
    return (
        '<div class="wide"><table><thead><tr><th>Exercise</th><th>Points</th><th class="n">Percent</th><th class="n">All right</th></tr>'
        f"</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _mistakes(name: str, results: list[dict], top: int = 10) -> str:
    counts = Counter(
        (outcome["exercise"], outcome["messages"][0])
        for result in results
        for outcome in result["outcomes"]
        if outcome["messages"] and outcome["status"] in ("wrong", "stopped")
    )
    if not counts:
        return "<p>No mistakes.</p>"
    rows = "".join(
        f'<tr><td class="n">{count}</td><td>{html.escape(release(name).exercises[short].title)}</td>'
        f"<td>{inline(message)}</td></tr>"
        for (short, message), count in counts.most_common(top)
    )
    return (
        '<h3>Most frequent mistakes</h3><table><thead><tr><th class="n">Times</th><th>Exercise</th><th>Hint</th></tr>'
        f"</thead><tbody>{rows}</tbody></table>"
    )
