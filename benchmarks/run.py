"""Measure rows of ``benchmarks/rows.py`` and write benchmarks/results: a JSON file a row, and one table.

README.md shows one line of each of six rows, the preset's card its own row, both between two marks, and
docs/scale.md what follows from the results.

    make bench                          # every row
    make bench ROWS="losses search"     # these
    python -m benchmarks.run --tiny --out FOLDER losses
    python -m benchmarks.run --add --repeats 1 search   # one repeat more, beside those on file

Each measurement is a process of its own. The sides of a case take turns, the order turned round every time, so
that what else the machine does meets all of them; a ratio is of two measurements of the same repeat. Given are
medians with the smallest and the largest value. Only ratios of one run are to be compared. A long row can be measured
a repeat at a time, on the same machine and with the same versions; its file then names every commit and day.
"""

import argparse
import contextlib
import json
import math
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

from benchmarks import scale
from benchmarks.common import figure
from benchmarks.rows import ROWS, Row

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
OTHER = "other_machine"  # folder of the last results that another machine had
WORK = ROOT / "build" / "bench"
CARD = ROOT / "data" / "presets" / "course_roberta_en" / "README.md"
SCALE = ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- written by make bench -->", "<!-- end -->"
PACKAGES = [
    "tensorflow",
    "keras",
    "keras-hub",
    "jax",
    "trax",
    "torch",
    "openvino",
    "sentence-transformers",
    "transformers",
    "pytorch-metric-learning",
    "faiss-cpu",
    "numpy",
    "scikit-learn",
    "nltk",
    "tokenizers",
    "nbgrader",
]
ENVIRONMENT = {
    "KERAS_BACKEND": "tensorflow",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "CUDA_VISIBLE_DEVICES": "",  # every side on the processor
    "PYTHONHASHSEED": "0",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}
UNSAID = (
    "sides",
    "repeats",
    "steps",
    "count",
    "tuned",
    "exactly",
    "queries",
)  # of a case, in the table
MOST_SECONDS = 7200  # that one measurement may take


class SideFailed(Exception):
    """A side ended with an error, or the sides did not see the same data."""


# --- measuring ---


def measure(address: str, case: dict, work: Path) -> dict:
    """What a side returns, from a process of its own.

    Raises:
        SideFailed: with the end of what it wrote.
    """
    command = [sys.executable, "-m", "benchmarks.side", address, json.dumps(case)]
    environment = {**os.environ, **ENVIRONMENT, "BENCH_WORK": str(work)}
    side = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment,
        start_new_session=True,
    )
    try:
        output, errors = side.communicate(timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise SideFailed(f"{address} {case}: more than {MOST_SECONDS:,} seconds") from error
    finally:
        if side.poll() is None:  # also at Ctrl-C: what it started would spoil what comes next
            os.killpg(side.pid, signal.SIGKILL)
    if side.returncode:
        raise SideFailed(f"{address} {case}\n{(output + errors)[-3000:]}")
    return json.loads(output.splitlines()[-1])


def run_case(
    row: Row, case: dict, repeats: int, work: Path, say=print, earlier: dict | None = None
) -> dict[str, list[dict]]:
    """Every side's findings, one for each repeat, after the ``earlier`` ones; a side with fewer of these catches up."""
    case = dict(case)
    labels = case.pop("sides", list(row.sides))
    repeats = case.pop("repeats", repeats)
    findings = {label: list((earlier or {}).get(label, [])) for label in labels}
    total = max(map(len, findings.values())) + repeats
    for number in range(total):
        for label in labels if number % 2 == 0 else labels[::-1]:
            if number < len(findings[label]):
                continue
            started = time.perf_counter()
            findings[label].append(measure(row.sides[label], case, work))
            seconds = time.perf_counter() - started
            say(f"  {label}, {number + 1} of {total}: {seconds:.1f} s")
    seen = {one["data"] for found in findings.values() for one in found if "data" in one}
    if len(seen) > 1:
        raise SideFailed(f"{case}: the sides were measured on different data: {sorted(seen)}")
    return findings


def run_row(
    name: str,
    row: Row,
    tiny: bool,
    repeats: int | None,
    out: Path,
    work: Path,
    add: bool = False,
) -> dict:
    """Measure all cases of a row and write its JSON file; what failed is said there and left out.

    Where no case has results, the file stays as it was.

    Args:
        name: of the row and its file.
        row: what to measure.
        tiny: the sizes that take seconds.
        repeats: of each case; the row's own number if None.
        out: folder of the results.
        work: folder for what the sides share.
        add: to the repeats on file.

    Raises:
        SideFailed: the repeats on file are of another machine, other versions or other data.
    """
    cases = row.tiny if tiny else row.cases
    options = " --add" * add + " --tiny" * tiny + (f" --repeats {repeats}" if repeats else "")
    repeats = repeats or (1 if tiny else row.repeats)
    started = time.time()
    circumstances = {"data": data_source(), "machine": machine(), "versions": versions()}
    file = out / f"{name}.json"
    before = json.loads(file.read_text()) if add and file.exists() else None
    if before and (other := [key for key in circumstances if before[key] != circumstances[key]]):
        raise SideFailed(f"{file} was measured with other {' and '.join(other)}; measure it anew")
    load, measured_commit = round(os.getloadavg()[0], 2), commit()
    measured, failed = [], []
    for case in cases:
        print(f"{name}: {case_name(case) or row.title}", flush=True)
        arguments = {k: v for k, v in case.items() if k not in ("sides", "repeats")}
        earlier = findings_of(before, arguments) if before else {}
        try:
            if row.prepare:
                measure(row.prepare, arguments, work)
            findings = run_case(
                row, case, repeats, work, lambda line: print(line, flush=True), earlier
            )
        except (SideFailed, subprocess.TimeoutExpired) as error:
            print(f"failed: {error}", file=sys.stderr, flush=True)
            failed.append(case_name(case))
            if not earlier:
                continue
            findings = earlier
        for label, found in findings.items():
            if text := found[-1].pop("text", None):
                suffix = "-".join(map(str, arguments.values())) or label
                (out / f"{name}_{suffix}.txt").write_text(text)
        measured.append({"case": arguments, "name": case_name(case), **summary(findings)})
    report = {
        "row": name,
        "title": row.title,
        "command": f"python -m benchmarks.run {name}{options}",
        "commit": measured_commit,
        "date": time.strftime("%Y-%m-%d", time.gmtime(started)),
        "minutes": round((time.time() - started) / 60, 1),
        "load_before": load,
        **circumstances,
        "failed": failed,
        "cases": measured,
    }
    if not measured:
        return report
    if before:
        report |= {
            key: ", ".join(dict.fromkeys([*before[key].split(", "), report[key]]))
            for key in ("commit", "date", "command")
        }
        report["minutes"] = round(before["minutes"] + report["minutes"], 1)
    if row.grows:
        report |= {"size": row.grows, "growth": growth(measured, row.grows)}
    keep_other_machine(file, report)
    file.write_text(json.dumps(report, indent=1) + "\n")
    return report


def keep_other_machine(file: Path, report: dict) -> None:
    """Move results from another processor to ``OTHER``: ratios differ between processors."""
    if not file.exists():
        return
    before = json.loads(file.read_text())["machine"]
    if before["processor"] != report["machine"]["processor"]:
        kept = file.parent / OTHER / file.name
        kept.parent.mkdir(exist_ok=True)
        file.replace(kept)


def findings_of(report: dict, case: dict) -> dict[str, list[dict]]:
    """What ``run_case`` returned for a case of a report; nothing where the report has no such case."""
    for one in report["cases"]:
        if one["case"] == case:
            return {
                label: [
                    {**side["more"], **dict(zip(side["measures"], values, strict=True))}
                    for values in zip(
                        *(found["values"] for found in side["measures"].values()), strict=True
                    )
                ]
                for label, side in one["sides"].items()
            }
    return {}


# --- figures ---


def is_number(value) -> bool:
    """Whether a finding is a measure."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def spread(values: list[float]) -> dict:
    """All values, their median, the smallest and the largest."""
    return {
        "median": statistics.median(values),
        "least": min(values),
        "most": max(values),
        "values": values,
    }


def summary(findings: dict[str, list[dict]]) -> dict:
    """Measures of each side, and the ratios of the first side to the others, repeat by repeat."""
    values = {
        label: {
            key: [found[key] for found in repeats]
            for key in repeats[0]
            if all(is_number(found.get(key)) for found in repeats)
        }
        for label, repeats in findings.items()
    }
    first, *others = values
    ratios = {
        other: {
            key: spread(
                [a / b for a, b in zip(values[first][key], values[other][key], strict=True)]
            )
            for key in values[first]
            if key in values[other] and all(values[other][key])
        }
        for other in others
    }
    return {
        "sides": {
            label: {
                "measures": {key: spread(found) for key, found in measures.items()},
                "more": {k: v for k, v in findings[label][-1].items() if not is_number(v)},
            }
            for label, measures in values.items()
        },
        "ratios": ratios,
    }


def growth(measured: list[dict], size: str) -> dict:
    """How the measures of each side grow with one of them, a size: the exponent p of measure ~ size^p.

    By least squares of the logarithms, over the cases that have both; two sizes at least.
    """
    points = {}
    for one in measured:
        for label, side in one["sides"].items():
            measures = {key: found["median"] for key, found in side["measures"].items()}
            for key, value in measures.items():
                if key != size and value > 0 and measures.get(size, 0) > 0:
                    point = math.log(measures[size]), math.log(value)
                    points.setdefault(label, {}).setdefault(key, []).append(point)
    return {
        label: {
            key: round(statistics.linear_regression(*zip(*found, strict=True)).slope, 2)
            for key, found in measures.items()
            if len({size for size, _ in found}) > 1
        }
        for label, measures in points.items()
    }


# --- circumstances ---


def commit() -> str:
    """The commit that is checked out, with a mark where tracked files differ from it, but for what is written here."""

    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=ROOT)

    name = git("rev-parse", "--short=10", "HEAD").stdout.strip()
    if not name:
        return "unknown"
    differs = git(
        "diff",
        "--quiet",
        "HEAD",
        "--",
        ".",
        ":!benchmarks/results",
        ":!*README.md",
        ":!docs/scale.md",
    )
    return name + "-dirty" * differs.returncode


def data_source() -> str:
    """Where loaders look first; the mark of what they found is with each side."""
    value = os.environ.get("SIAMESE_COURSE_DATA")
    return value if value == "shipped" else "SIAMESE_COURSE_DATA" if value else "cache or download"


def machine() -> dict:
    """Processor, cores that may be used, memory, system."""
    import psutil

    cpuinfo = Path("/proc/cpuinfo")
    return {
        "processor": processor(cpuinfo.read_text() if cpuinfo.exists() else ""),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def processor(cpuinfo: str) -> str:
    """The processor's name, and whether it has matrix instructions: virtual machines hide model numbers and AMX alike.

    Args:
        cpuinfo: what Linux says of it, or nothing.
    """
    names = re.findall(r"model name\s*: (.+)", cpuinfo)
    name = names[0] if names else platform.processor()
    return f"{name}, AMX" if "amx_tile" in cpuinfo else name


def versions() -> dict[str, str]:
    """Of the packages that take part, where they are installed."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


# --- the table ---


def case_name(case: dict) -> str:
    """The case in words; lists, and what says how to measure, are left out."""
    said = []
    for key, value in case.items():
        if key in UNSAID or isinstance(value, list | dict):
            continue
        said.append(f"{key.replace('_', ' ')} {value:,}" if is_number(value) else str(value))
    return ", ".join(said)


def with_spread(found: dict) -> str:
    """Median, and the smallest and the largest value where these differ."""
    median, least, most = (figure(found[key]) for key in ("median", "least", "most"))
    return median if least == most else f"{median} ({least}–{most})"


def table_lines(report: dict, shown: str, chosen: str = ".*") -> list[str]:
    """Return the lines of one row: each measure of the first side, the others beside it, and the ratios.

    Only measures that ``shown`` matches, and lines whose first cell ``chosen`` matches.
    """
    lines = []
    for one in report["cases"]:
        first, *others = one["sides"]
        measures = {
            label: {k: v for k, v in side["measures"].items() if re.fullmatch(shown, k)}
            for label, side in one["sides"].items()
        }
        for key in dict.fromkeys(key for found in measures.values() for key in found):
            own = measures[first].get(key)
            beside = []
            for label in others if key != report.get("size") else ():
                if other := measures[label].get(key):
                    ratio = one["ratios"][label].get(key)
                    said = f"; ratio {with_spread(ratio)}" if ratio else ""
                    beside.append(f"{label}: {with_spread(other)}{said}")
            what = ", ".join(filter(None, [one["name"], key]))
            if not re.fullmatch(chosen, what):
                continue
            left = f"{first}: {with_spread(own)}" if own else f"{first}: –"
            lines.append(f"| {what} | {left} | {'<br>'.join(beside)} |")
    for label, exponents in report.get("growth", {}).items():
        said = [f"{key} {value}" for key, value in exponents.items() if re.fullmatch(shown, key)]
        what = f"growth with {report['size']}, exponent"
        if said and re.fullmatch(chosen, what):
            lines.append(f"| {what} | {label}: {', '.join(said)} | |")
    return lines


def markdown(folder: Path) -> str:
    """All results of a folder as one Markdown table, with the circumstances below it."""
    reports, others = all_reports(folder), all_reports(folder / OTHER)
    lines = [
        "# Measured",
        "",
        "Written by `make bench`. Medians, with the smallest and the largest value in parentheses if they differ. Each "
        "ratio is the first side's figure divided by the other's, within one repeat. Seeds are fixed, so any spread "
        "comes from the machine. The numbers of repeats are below.",
        "",
        *table(reports),
        *circumstances_of(reports),
    ]
    if others:
        lines += ["", "## Earlier results from another machine", "", *table(others, gaps=False)]
        lines += circumstances_of(others)
    return "\n".join(lines) + "\n"


def circumstances_of(reports: list[dict]) -> list[str]:
    """Machine, versions, commits, and days, in a paragraph for each machine."""
    lines, circumstances = [], {}
    for report in reports:
        about = json.dumps([report["machine"], report["versions"]])
        done = (
            f"`{report['row']}` ({repeats_of(report)}, {report['commit']}, {report['date']}, "
            f"data: {report['data']})"
        )
        circumstances.setdefault(about, []).append(done)
    for about, rows in circumstances.items():
        where, what = json.loads(about)
        said = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in where.items())
        packages = ", ".join(f"{name} {version}" for name, version in what.items())
        lines += ["", f"Rows {', '.join(rows)}: {said}; {packages}."]
    return lines


def repeats_of(report: dict) -> str:
    """How often the cases of a row were measured, in words."""
    counts = {
        len(found["values"])
        for one in report["cases"]
        for side in one["sides"].values()
        for found in side["measures"].values()
    }
    said = "–".join(map(str, sorted({min(counts), max(counts)}))) if counts else "0"
    return f"{said} repeat{'s' * (said != '1')}"


def all_reports(folder: Path) -> list[dict]:
    """The JSON files of a folder, in the order of the rows."""
    paths = sorted(folder.glob("*.json"), key=lambda path: _place(path.stem))
    return [json.loads(path.read_text()) for path in paths]


def table(reports: list[dict], gaps: bool = True) -> list[str]:
    """Return all rows as a Markdown table; with ``gaps`` it names the cases without results."""
    lines = []
    for report in reports:
        row = ROWS.get(report["row"], Row("", {}, []))
        found = table_lines(report, row.shown)
        if gaps:
            found += missing_line(report, row)
        if found:
            title = row.title or report["title"]
            lines += [f"| **{title}** (`{report['row']}`) | | |", *found]
    return ["| what | | compared with |", "|---|---|---|", *lines] if lines else []


def missing_line(report: dict, row: Row) -> list[str]:
    """Return a line that names the cases of a row that have no results, if there are any."""
    cases = row.tiny if "--tiny" in report["command"] else row.cases
    names = dict.fromkeys([*report["failed"], *map(case_name, cases)])
    there = {one["name"] for one in report["cases"]}
    said = [name + " (failed)" * (name in report["failed"]) for name in names if name not in there]
    return [f"| not measured: {'; '.join(said)} | | |"] if said else []


def highlights(reports: list[dict], others: list[dict]) -> list[str]:
    """Return README.md's table: one line each of the rows whose highlight was measured, with its conditions.

    ``others`` are reports of another machine, whose ratios are added.
    """
    lines = ["| what | | compared with | conditions |", "|---|---|---|---|"]
    for report in reports:
        row = ROWS.get(report["row"], Row("", {}))
        for line in table_lines(report, row.shown, row.highlight):
            machine = report["machine"]
            conditions = (
                f"{repeats_of(report)} on {machine['cores']} cores ({machine['processor']})"
            )
            for other in others:
                if other["row"] == report["row"]:
                    for found in table_lines(other, row.shown, row.highlight):
                        ratios = re.findall(r"([^|>:]+): [^;<|]*; ratio ([^ <]+)", found)
                        said = ", ".join(f"{ratio} ({label.strip()})" for label, ratio in ratios)
                        conditions += f"; {other['machine']['processor']}: ratio {said}"
            lines.append(f"| {row.title}: {line.removeprefix('| ')} {conditions} |")
    return lines


def write_tables(out: Path) -> None:
    """The table of a folder of results, and if it is the repository's what is shown of it elsewhere."""
    (out / "README.md").write_text(markdown(out), "utf-8")
    if out == RESULTS:
        for path, text in documents().items():
            path.write_text(text, "utf-8")


def documents() -> dict[Path, str]:
    """Return README.md, the preset's card and docs/scale.md as the results make them."""
    reports = all_reports(RESULTS)
    shown = {
        ROOT / "README.md": highlights(reports, all_reports(RESULTS / OTHER)),
        CARD: table([report for report in reports if report["row"] == "preset"]),
    }
    with contextlib.suppress(FileNotFoundError, scale.NotMeasured):
        shown[SCALE] = scale.tables(scale.measured(RESULTS))
    return {
        path: between(path.read_text("utf-8"), BEGIN, END, "\n".join(lines))
        for path, lines in shown.items()
    }


def between(text: str, begin: str, end: str, lines: str) -> str:
    """The text with other lines between two marks."""
    before, rest = text.split(begin)
    return f"{before}{begin}\n{lines}\n{end}{rest.split(end, 1)[1]}"


def _place(name: str) -> int:
    return list(ROWS).index(name) if name in ROWS else len(ROWS)


# --- command ---


def main() -> None:
    """Measure the rows named, or all, and write the table anew."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--tiny", action="store_true", help="sizes that take seconds, to try")
    parser.add_argument("--repeats", type=int, help="instead of the rows' own number")
    parser.add_argument("--add", action="store_true", help="to the repeats on file")
    parser.add_argument("--out", type=Path, help="folder of the results")
    parser.add_argument("--table", action="store_true", help="only write the tables anew")
    options = parser.parse_args()
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        parser.error(f"there is no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    work = WORK / "tiny" if options.tiny else WORK
    out = options.out or (work / "results" if options.tiny else RESULTS)
    for folder in (out, work):
        folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in () if options.table else options.rows or ROWS:
        try:
            report = run_row(
                name, ROWS[name], options.tiny, options.repeats, out, work, options.add
            )
        except SideFailed as error:
            sys.exit(str(error))
        failed += [f"{name} {case}".strip() for case in report["failed"]]
        write_tables(out)
    write_tables(out)
    print(out / "README.md")
    if failed:
        sys.exit(f"not measured: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
