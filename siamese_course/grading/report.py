"""Write the results of a class: tables, a page per learner, and an overview."""

import html
import statistics
from collections import Counter
from pathlib import Path

from siamese_course.exercises.engine import ATTEMPT_MARK, inline
from siamese_course.grading import tables
from siamese_course.grading.cells import release
from siamese_course.grading.plain import plain_name
from siamese_course.grading.tables import best, max_points, points
from siamese_course.notebooks.catalog import NAMES

MARKS = {"right": "✔", "wrong": "✘", "stopped": "■", "refused": "✘"}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem;
  border-bottom: 1px solid #ddd; vertical-align: top; } td.n, th.n { text-align: right; }
.bar { background: #e6e6e6; width: 10rem; max-width: 20vw; height: .9rem; } .bar div { background: #1f6f8b; height: 100%; }
.wide { overflow-x: auto; } .faint { color: #666; } code { background: #f3f3f3; padding: 0 .2em; overflow-wrap: anywhere; }
td { overflow-wrap: anywhere; } svg { width: 8rem; height: 2rem; } svg rect { fill: #1f6f8b; }
"""


def write(results: list[dict], out: Path) -> list[Path]:
    """Write everything to the class's folder; return the files."""
    by_learner: dict[str, list[dict]] = {}
    for result in sorted(results, key=lambda each: (each["learner"], each["file"])):
        by_learner.setdefault(result["learner"], []).append(result)
    by_learner = {  # a file of the system beside the folders is nobody's
        learner: own for learner, own in by_learner.items() if any(r["matters"] for r in own)
    }
    written = [
        tables.write_exercises(results, out / "grades.csv"),
        tables.write_class(by_learner, out / "class.csv"),
        tables.write_canvas(by_learner, out / "canvas.csv"),
        tables.write_moodle(by_learner, out / "moodle.csv"),
        tables.write_gradebook(by_learner, out / "gradebook.db"),
    ]
    for learner, own in by_learner.items():
        path = out / "feedback" / f"{plain_name(learner)}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(learner_page(learner, own), "utf-8")
        written.append(path)
    overview = out / "index.html"
    overview.write_text(overview_page(by_learner, results), "utf-8")
    return [*written, overview]


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
        if result["problem"] and result["matters"]:
            parts.append(
                f"<h2>{html.escape(result['file'])}: not graded</h2><p>{inline(result['problem'])}</p>"
            )
    for (_, name), result in sorted(best(results).items()):
        parts.append(f"<h2>{name}: {points(result):g} of {max_points(name):g} points</h2>")
        attempts = [each for each in results if each["notebook"] == name]
        if len(attempts) > 1:
            parts.append(
                f"<p>{len(attempts)} files of this notebook were handed in; the one with the most points counts: "
                f"<code>{html.escape(result['file'])}</code>.</p>"
            )
        if result["found"]:
            items = "".join(f"<li>{inline(each)}</li>" for each in result["found"])
            parts.append(f"<p>Found in the file, and repaired for grading:</p><ul>{items}</ul>")
        rows = "".join(_row(name, outcome) for outcome in result["outcomes"])
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


def overview_page(by_learner: dict[str, list[dict]], results: list[dict]) -> str:
    """Return the instructor's page: points, what to look at, exercises, the most frequent mistakes, seconds."""
    chosen = [result for own in by_learner.values() for result in best(own).values()]
    parts = [_summary(by_learner), _overview_of_class(by_learner)]
    for name in NAMES:
        own = [result for result in chosen if result["notebook"] == name]
        if own:
            parts += [f"<h2>{name}</h2>", _exercises(name, own), _mistakes(name, own)]
    ignored = [r for r in results if r["problem"] and not r["matters"]]
    if ignored:
        items = "".join(
            f"<li>{html.escape(r['file'])}: {html.escape(r['problem'])}</li>" for r in ignored
        )
        parts.append(f"<h2>Files that are not submissions</h2><ul>{items}</ul>")
    graded = [r for r in results if not r["problem"]]
    seconds = sum(result["seconds"] for result in graded)
    parts.append(
        f'<p class="faint">{len(graded)} notebooks of {len(by_learner)} learners; '
        f"{seconds:.0f} seconds of grading, {seconds / max(1, len(graded)):.1f} per notebook.</p>"
    )
    return _page("The class", "\n".join(parts))


def _summary(by_learner: dict[str, list[dict]]) -> str:
    totals = [_total(own) for own in by_learner.values() if best(own)]
    if not totals:
        return "<p>Nothing was graded.</p>"
    return (
        f"<p>{len(totals)} of {len(by_learner)} learners with graded work. Points of {sum(map(max_points, NAMES)):g}: "
        f"mean {statistics.mean(totals):.1f}, median {statistics.median(totals):.1f}.</p>"
    )


def _total(own: list[dict]) -> float:
    return sum(map(points, best(own).values()))


def to_look_at(own: list[dict]) -> list[str]:
    """Return why an instructor should look at a learner's work."""
    notes = [f"{r['file']}: {r['problem']}" for r in own if r["problem"] and r["matters"]]
    for (_, name), result in sorted(best(own).items()):
        statuses = {outcome["status"] for outcome in result["outcomes"]}
        notes += [f"{name[:2]}: {each}" for each in ("stopped", "refused") if each in statuses]
        if statuses == {ATTEMPT_MARK}:
            notes.append(f"{name[:2]}: blank")
        notes += [f"{name[:2]}: {each}" for each in result["found"] if "is damaged" in each]
    attempts = Counter(r["notebook"] for r in own if r["notebook"])
    notes += [f"{name[:2]}: {count} attempts" for name, count in attempts.items() if count > 1]
    return notes


def _overview_of_class(by_learner: dict[str, list[dict]]) -> str:
    names = [
        n for n in NAMES if any(r["notebook"] == n for own in by_learner.values() for r in own)
    ]
    head = "".join(f'<th class="n">{name}</th>' for name in names)
    rows = []
    for learner, own in sorted(by_learner.items()):
        of = {name: result for (_, name), result in best(own).items()}
        points_of = "".join(
            f'<td class="n">{points(of[n]):g}</td>' if n in of else "<td></td>" for n in names
        )
        link = f'<a href="feedback/{html.escape(plain_name(learner), quote=True)}.html">{html.escape(learner)}</a>'
        rows.append(
            f'<tr><td>{link}</td>{points_of}<td class="n">{_total(own):g}</td>'
            f"<td>{html.escape(tables.status_of(own))}</td><td>{inline('; '.join(to_look_at(own)))}</td></tr>"
        )
    total = sum(map(max_points, NAMES))
    return (
        f'<div class="wide"><table><thead><tr><th>Learner</th>{head}<th class="n">Total of {total:g}</th><th>Status</th>'
        f"<th>To look at</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
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
            f'<td class="n">{right} of {len(own)}</td><td>{_distribution(own, exercise.points)}</td></tr>'
        )
    return (
        '<div class="wide"><table><thead><tr><th>Exercise</th><th>Points</th><th class="n">Percent</th><th class="n">All right</th>'
        f"<th>Learners by points</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _distribution(outcomes: list[dict], of: float, bins: int = 6) -> str:
    """A histogram: from no point on the left to all points on the right."""
    counts = [0] * bins
    for outcome in outcomes:
        counts[round(outcome["points"] / of * (bins - 1))] += 1
    highest = max(1, *counts)
    bars = "".join(
        f'<rect x="{10 * place}" y="{20 - 20 * count / highest:.1f}" width="8" height="{20 * count / highest:.1f}"/>'
        for place, count in enumerate(counts)
    )
    label = f"learners from 0 to {of:g} points: {', '.join(map(str, counts))}"
    return f'<svg viewBox="0 0 {10 * bins} 20" role="img" aria-label="{label}" preserveAspectRatio="none">{bars}</svg>'


def _mistakes(name: str, results: list[dict], top: int = 10) -> str:
    counts: Counter[tuple[str, str]] = Counter()
    messages: dict[tuple[str, str], str] = {}
    for result in results:
        for outcome in result["outcomes"]:
            if outcome["status"] in ("wrong", "stopped", "refused") and outcome["messages"]:
                tags = [tag for tag in outcome["tags"] if tag] or [outcome["messages"][0]]
                for tag, message in zip(tags, outcome["messages"], strict=False):
                    counts[outcome["exercise"], tag] += 1
                    messages.setdefault((outcome["exercise"], tag), message)
    if not counts:
        return "<p>No mistakes.</p>"
    rows = "".join(
        f'<tr><td class="n">{count}</td><td>{html.escape(release(name).exercises[key[0]].title)}</td>'
        f"<td>{inline(messages[key])}</td></tr>"
        for key, count in counts.most_common(top)
    )
    return (
        '<h3>Most frequent mistakes</h3><table><thead><tr><th class="n">Times</th><th>Exercise</th><th>Hint</th></tr>'
        f"</thead><tbody>{rows}</tbody></table>"
    )
