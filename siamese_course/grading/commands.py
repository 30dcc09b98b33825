"""``siamese-course grade``: the instructor's commands, and the check of a notebook that learners use, too."""

import json
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.quiet import quiet_stderr

grade_app = typer.Typer(
    no_args_is_help=True,
    help="Hand out, check, grade and report; docs/instructors.md leads through it.",
)
console = Console()
Class = Annotated[Path, typer.Option("--out", help="the class's folder")]
Sandbox = Annotated[
    str,
    typer.Option(help="bubblewrap, or limits: processes and memory only, files and network open"),
]


@grade_app.command()
def release(out: Class = Path("class")) -> None:
    """Put the learner's notebooks into CLASS/release, and draw the class's own numbers for grading."""
    from siamese_course.grading.cells import NAMES
    from siamese_course.grading.run import settings
    from siamese_course.notebooks.run import NOTEBOOKS

    settings(out)
    for name in NAMES:
        target = out / "release" / name / f"{name}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(NOTEBOOKS / target.name, target)
        print(target)


@grade_app.command()
def check(
    notebook: Annotated[Path, typer.Argument(help="a notebook as it is to be handed in, or was")],
    repair: Annotated[Path | None, typer.Option(help="write the mended notebook here")] = None,
) -> None:
    """Say what is wrong with a notebook file, which answers are missing, and mend it."""
    with quiet_stderr():
        from siamese_course.grading import preflight
    if not notebook.is_file():
        raise CourseError(f"{notebook} is no file.")
    checked = preflight.check(notebook.read_bytes(), notebook.name)
    for each in checked.found:
        console.print(f"- {each}", highlight=False, markup=False, soft_wrap=True)
    if not checked.found:
        print("Nothing is wrong with the file.")
    if checked.unanswered:
        print(f"Not answered yet: {', '.join(checked.unanswered)}.")
    if repair:
        if repair.exists() and repair.samefile(notebook):
            raise CourseError(f"--repair {repair} is the notebook itself: choose another name.")
        repair.write_text(json.dumps(checked.notebook, indent=1) + "\n", "utf-8")
        print(f"Mended: {repair}")


@grade_app.command()
def answer(
    exercise: Annotated[str, typer.Argument(help="such as 01.distance")],
    file: Annotated[Path, typer.Argument(help="a Python file with the answer's functions")],
    sandbox: Sandbox = "bubblewrap",
    hidden_seed: Annotated[int, typer.Option(help="of the numbers that no notebook shows")] = 0,
) -> None:
    """Check one answer on file; prints the points and the hint."""
    import tempfile

    with quiet_stderr():
        from siamese_course.grading import cells, package, session
    number, _, short = exercise.partition(".")
    name = next((each for each in cells.NAMES if each.startswith(number) and number), None)
    if name is None or short not in cells.release(name).functions:
        known = [f"{n[:2]}.{e}" for n in cells.NAMES for e in cells.release(n).functions]
        raise CourseError(f"There is no exercise {exercise!r}. There are: {', '.join(known)}.")
    if not file.is_file():
        raise CourseError(f"{file} is no file.")
    notebook = cells.with_answers(name, {short: file.read_text("utf-8", errors="replace")})
    with tempfile.TemporaryDirectory() as folder, quiet_stderr():
        copy = package.copy_without_answers(Path(folder))
        (outcome,) = session.grade_notebook(name, notebook, sandbox, copy, hidden_seed, only=short)
    print(f"{outcome.points:g} of {outcome.max_points:g} points ({outcome.status})")
    for message in outcome.messages:
        print(message)


@grade_app.command()
def run(
    submissions: Annotated[
        Path, typer.Argument(help="a folder with a folder for each learner, or a notebook for each")
    ],
    out: Class = Path("class"),
    jobs: Annotated[int | None, typer.Option(help="notebooks at once; default: one a core")] = None,
    sandbox: Sandbox = "bubblewrap",
    scheduler: Annotated[str | None, typer.Option(help="address of a Dask scheduler")] = None,
) -> None:
    """Grade what is new or changed, then write the report; the last line is one JSON object.

    It may be interrupted: what is graded is kept.
    """
    import time

    from tqdm import tqdm

    with quiet_stderr():
        from siamese_course.grading import report
        from siamese_course.grading import run as running
    found = running.collect(submissions)
    started, fresh = time.perf_counter(), []
    try:
        with tqdm(total=len(found), unit="notebook", desc="grading") as bar:

            def tell(result, is_fresh):
                if is_fresh:
                    fresh.append(result)
                    bar.set_postfix_str(result["learner"][:30], refresh=False)
                bar.update()

            results = running.grade_class(
                found, out, sandbox=sandbox, jobs=jobs, scheduler=scheduler, tell=tell
            )
    except KeyboardInterrupt:
        print(
            f"\nStopped: {len(fresh)} notebooks were graded now and are kept; "
            "the same command goes on with the others.",
            file=sys.stderr,
        )
        raise
    seconds = time.perf_counter() - started
    report.write(results, out)
    problems = [f"{r['learner']}: {r['problem']}" for r in results if r["problem"]]
    for each in problems:
        console.print(f"- {each}", highlight=False, markup=False, soft_wrap=True)
    print(
        json.dumps(
            {
                "notebooks": len(found),
                "graded_now": len(fresh),
                "unreadable": len(problems),
                "seconds": round(seconds, 1),
                "seconds_per_notebook": round(seconds / len(fresh), 2) if fresh else None,
                "overview": str(out / "index.html"),
            }
        )
    )


@grade_app.command("report")
def write_report(out: Class = Path("class")) -> None:
    """Write grades.csv, gradebook.db, a page for each learner and the overview from what is graded."""
    with quiet_stderr():
        from siamese_course.grading import report
        from siamese_course.grading.run import results
    for path in report.write(results(out), out):
        print(path)
