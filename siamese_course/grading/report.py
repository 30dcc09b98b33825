"""Write the results of a class: tables, a page per learner, and an overview."""

import html
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from siamese_course.exercises.engine import ATTEMPT_MARK, inline
from siamese_course.grading import tables
from siamese_course.grading.cells import release
from siamese_course.grading.plain import plain_name
from siamese_course.grading.tables import best, max_points, points, total
from siamese_course.notebooks.catalog import NAMES

MARKS = {"right": "✔", "wrong": "✘", "stopped": "■", "refused": "✘"}
BINS = 6  # of the distribution of points
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
        *tables.write_moodle(by_learner, out),
        tables.write_gradebook(by_learner, out / "gradebook.db"),
    ]
    feedback = out / "feedback"
    feedback.mkdir(parents=True, exist_ok=True)
    for earlier in feedback.glob("*.html"):  # perhaps of learners who are gone
        earlier.unlink()
    for learner, own in by_learner.items():
        path = feedback / f"{plain_name(learner)}.html"
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


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are HTML; the head of a column with numbers begins with #."""
    kinds = [' class="n"' if title.startswith("#") else "" for title in head]

    def row(tag: str, cells: Sequence[str]) -> str:
        made = (f"<{tag}{kind}>{cell}</{tag}>" for kind, cell in zip(kinds, cells, strict=True))
        return f"<tr>{''.join(made)}</tr>"

    titles = row("th", [title.removeprefix("#") for title in head])
    body = "".join(row("td", cells) for cells in rows)
    return f'<div class="wide"><table><thead>{titles}</thead><tbody>{body}</tbody></table></div>'


def learner_page(learner: str, results: list[dict]) -> str:
    """Return the page that one learner may see: points, what was found in the notebook, and hints."""
    parts = []
    for result in results:
        if result["problem"] and result["matters"]:
            file, problem = html.escape(result["file"]), inline(result["problem"])
            parts.append(f"<h2>{file}: not graded</h2><p>{problem}</p>")
    for (_, name), result in sorted(best(results).items()):
        parts.append(f"<h2>{name}: {points(result):g} of {max_points(name):g} points</h2>")
        attempts = tables.attempts(results)[name]
        if attempts > 1:
            parts.append(
                f"<p>{attempts} files of this notebook were handed in; the one with the most points counts: "
                f"<code>{html.escape(result['file'])}</code>.</p>"
            )
        if result["found"]:
            items = "".join(f"<li>{inline(each)}</li>" for each in result["found"])
            parts.append(f"<p>Found in the file, and repaired for grading:</p><ul>{items}</ul>")
        rows = [
            (
                f"{MARKS.get(each['status'], '…')} {_title(name, each['exercise'])}",
                f"{each['points']:g} of {each['max_points']:g}",
                "<br>".join(map(inline, each["messages"])) or html.escape(each["status"]),
            )
            for each in result["outcomes"]
        ]
        parts.append(_table(["Exercise", "#Points", "What was found"], rows))
    return _page(f"Feedback for {learner}", "\n".join(parts))


def _title(name: str, short: str) -> str:
    return html.escape(release(name).exercises[short].title)


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
        texts = (html.escape(f"{r['file']}: {r['problem']}") for r in ignored)
        items = "".join(f"<li>{text}</li>" for text in texts)
        parts.append(f"<h2>Files that are not submissions</h2><ul>{items}</ul>")
    seconds = [r["seconds"] for r in results if not r["problem"]]
    parts.append(
        f'<p class="faint">{len(seconds)} notebooks of {len(by_learner)} learners; {sum(seconds):.0f} seconds of '
        f"grading, {sum(seconds) / max(1, len(seconds)):.1f} per notebook.</p>"
    )
    return _page("The class", "\n".join(parts))


def _summary(by_learner: dict[str, list[dict]]) -> str:
    totals = [float(total(own)) for own in by_learner.values() if best(own)]
    if not totals:
        return "<p>Nothing was graded.</p>"
    return (
        f"<p>{len(totals)} of {len(by_learner)} learners with graded work. Points of {sum(map(max_points, NAMES)):g}: "
        f"mean {statistics.mean(totals):.1f}, median {statistics.median(totals):.1f}.</p>"
    )


def to_look_at(own: list[dict]) -> list[str]:
    """Return why an instructor should look at a learner's work."""
    notes = tables.problems(own)
    for (_, name), result in sorted(best(own).items()):
        statuses = {outcome["status"] for outcome in result["outcomes"]}
        notes += [f"{name[:2]}: {each}" for each in ("stopped", "refused") if each in statuses]
        if statuses == {ATTEMPT_MARK}:
            notes.append(f"{name[:2]}: blank")
        notes += [f"{name[:2]}: {each}" for each in result["found"] if "is damaged" in each]
    attempts = tables.attempts(own).items()
    notes += [f"{name[:2]}: {count} attempts" for name, count in attempts if count > 1]
    return notes


def _overview_of_class(by_learner: dict[str, list[dict]]) -> str:
    names = tables.handed_in(by_learner)
    rows = []
    for learner, own in sorted(by_learner.items()):
        of = {name: f"{points(result):g}" for (_, name), result in best(own).items()}
        link = (
            f'<a href="feedback/{html.escape(plain_name(learner))}.html">{html.escape(learner)}</a>'
        )
        about = tables.status_of(own), inline("; ".join(to_look_at(own)))
        rows.append((link, *(of.get(name, "") for name in names), total(own), *about))
    of_all = f"#Total of {sum(map(max_points, NAMES)):g}"
    return _table(["Learner", *(f"#{n}" for n in names), of_all, "Status", "To look at"], rows)


def _exercises(name: str, results: list[dict]) -> str:
    rows = []
    for short, exercise in release(name).exercises.items():
        own = [o for result in results for o in result["outcomes"] if o["exercise"] == short]
        # An earlier release may have given an exercise other points
        fraction = sum(o["points"] for o in own) / (sum(o["max_points"] for o in own) or 1)
        bar = f'<div class="bar" role="img" aria-label="{fraction:.0%}"><div style="width: {fraction:.0%}"></div></div>'
        right = f"{sum(o['status'] == 'right' for o in own)} of {len(own)}"
        picture = _distribution(own, exercise.points)
        rows.append((_title(name, short), bar, f"{fraction:.0%}", right, picture))
    head = ["Exercise", "Points", "#Percent", "#All right", "Learners by points"]
    return _table(head, rows)


def _distribution(outcomes: list[dict], of: float) -> str:
    """A histogram: from no point on the left to all points on the right."""
    counts = [0] * BINS
    for outcome in outcomes:
        counts[round(outcome["points"] / outcome["max_points"] * (BINS - 1))] += 1
    highest = max(1, *counts)
    bars = "".join(
        f'<rect x="{10 * place}" y="{20 - 20 * count / highest:.1f}" width="8" height="{20 * count / highest:.1f}"/>'
        for place, count in enumerate(counts)
    )
    label = f"learners from 0 to {of:g} points: {', '.join(map(str, counts))}"
    return f'<svg viewBox="0 0 {10 * BINS} 20" role="img" aria-label="{label}" preserveAspectRatio="none">{bars}</svg>'


def _mistakes(name: str, results: list[dict]) -> str:
    counts: Counter[tuple[str, str]] = Counter()
    messages: dict[tuple[str, str], str] = {}
    for result in results:
        for outcome in result["outcomes"]:
            if outcome["status"] in ("wrong", "stopped", "refused") and outcome["messages"]:
                # The last messages have no tags: they say where to find help
                tagged = [*zip(outcome["tags"] or [""], outcome["messages"], strict=False)]
                # Of two messages with one tag, the first is shown
                found = {(outcome["exercise"], tag or text): text for tag, text in tagged[::-1]}
                counts.update(found.keys())
                messages = found | messages
    if not counts:
        return "<p>No mistakes.</p>"
    rows = [
        (str(count), _title(name, short), inline(messages[short, tag]))
        for (short, tag), count in counts.most_common(10)
    ]
    return f"<h3>Most frequent mistakes</h3>{_table(['#Times', 'Exercise', 'Hint'], rows)}"
