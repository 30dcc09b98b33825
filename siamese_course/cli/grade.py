"""``siamese-course grade``: the instructor's commands; learners can use ``check``, too."""

import json
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from siamese_course.cli.options import console, require_folder, require_package
from siamese_course.notebooks.catalog import CATALOG, NAMES
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import write_whole
from siamese_course.runtime.quiet import quiet_stderr

grade_app = typer.Typer(
    no_args_is_help=True,
    help="Release, check, grade and report; see docs/instructors.md.",
)
Class = Annotated[Path, typer.Option("--out", help="the class's folder")]
Sandbox = Annotated[
    str,
    typer.Option(help="bubblewrap, or limits: limits memory and processes, not files and network"),
]


@grade_app.command()
def release(out: Class = Path("class")) -> None:
    """Write the learner's notebooks to CLASS/release, and draw the seed of the class's hidden tests."""
    from siamese_course.grading.run import settings

    settings(require_folder(out))
    for entry in CATALOG:
        target = out / "release" / entry.name / entry.learner.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(entry.learner, target)
        print(target)


@grade_app.command()
def check(
    notebook: Annotated[
        Path, typer.Argument(help="a notebook to be submitted, or a submitted one")
    ],
    repair: Annotated[
        Path | None, typer.Option(help="write the repaired notebook to this file")
    ] = None,
) -> None:
    """Report what is wrong with a notebook file and which answers are missing; repair it on request."""
    with quiet_stderr():
        from siamese_course.grading import reading
    if not notebook.is_file():
        raise CourseError(f"{notebook} is not a file.")
    if repair and repair.exists():
        raise CourseError(f"--repair {repair} already exists: choose another name.")
    checked = reading.read(notebook.read_bytes(), notebook.name)
    for each in checked.found:
        console.print(f"- {each}", highlight=False, markup=False, soft_wrap=True)
    if not checked.found:
        print("Nothing is wrong with the file.")
    if checked.unanswered:
        print(f"Not answered yet: {', '.join(checked.unanswered)}.")
    if repair:
        try:
            write_whole(repair, json.dumps(checked.notebook, indent=1) + "\n")
        except OSError as error:
            raise CourseError(f"--repair {repair} cannot be written: {error.strerror}.") from error
        print(f"Repaired: {repair}")


@grade_app.command()
def answer(
    exercise: Annotated[str, typer.Argument(help="such as 01.distance")],
    file: Annotated[Path, typer.Argument(help="a Python file with the functions of the answer")],
    sandbox: Sandbox = "bubblewrap",
    hidden_seed: Annotated[int, typer.Option(help="seed of the hidden tests")] = 0,
) -> None:
    """Check one answer in a file; print the points and the hint."""
    with quiet_stderr():
        from siamese_course.grading import cells, reading, session
        from siamese_course.grading.run import copy_for
        from siamese_course.grading.sandbox import trial
    number, _, short = exercise.partition(".")
    name = next((each for each in NAMES if each.startswith(number) and number), None)
    if name is None or short not in cells.release(name).functions:
        known = [f"{n[:2]}.{e}" for n in NAMES for e in cells.release(n).functions]
        raise CourseError(f"There is no exercise {exercise!r}. There are: {', '.join(known)}.")
    if not file.is_file():
        raise CourseError(f"{file} is not a file.")
    notebook = cells.with_answers(name, {short: file.read_text("utf-8-sig", errors="replace")})
    with quiet_stderr():
        copy = copy_for(sandbox)
        trial(sandbox, copy)
        plan = reading.read(json.dumps(notebook).encode(), f"{name}.ipynb")
        outcomes = session.grade_notebook(plan, sandbox, copy, hidden_seed)
    [outcome] = (each for each in outcomes if each.exercise == short)
    print(f"{outcome.points:g} of {outcome.max_points:g} points ({outcome.status})")
    for message in outcome.messages:
        print(message)


@grade_app.command()
def run(
    submissions: Annotated[
        Path, typer.Argument(help="a folder with one folder or one notebook per learner")
    ],
    out: Class = Path("class"),
    jobs: Annotated[
        int | None, typer.Option(min=1, help="notebooks graded at once; default: one per core")
    ] = None,
    sandbox: Sandbox = "bubblewrap",
    scheduler: Annotated[str | None, typer.Option(help="address of a Dask scheduler")] = None,
    again: Annotated[
        list[str] | None, typer.Option(help="grade this learner's notebooks again; may be repeated")
    ] = None,
    again_all: Annotated[
        bool, typer.Option("--again-all", help="grade every notebook again")
    ] = False,
) -> None:
    """Grade what is new or changed, then write the report; the last line is one JSON object.

    It can be interrupted: graded notebooks are kept. The exit status is 1 if something that a learner handed in
    could not be graded.
    """
    import time

    from tqdm import tqdm

    require_package("nbgrader", "instructor")
    if scheduler:
        require_package("distributed", "cluster")
    with quiet_stderr():
        from siamese_course.grading import report
        from siamese_course.grading import run as running
        from siamese_course.grading.submissions import collect
    if out.resolve().is_relative_to(submissions.resolve()):
        raise CourseError(
            f"--out {out} is in {submissions}, and would be graded with it. Choose another folder."
        )
    require_folder(out)
    found = collect(submissions)
    learners = {each.learner for each in found if each.matters}
    if unknown := sorted(set(again or ()) - learners):
        raise CourseError(f"--again {unknown[0]}: there is no such learner in {submissions}.")
    started, fresh = time.perf_counter(), []
    to_grade = sum(each.reason is None for each in found)
    try:
        with tqdm(total=to_grade, unit="notebook", desc="grading") as bar:

            def callback(result: dict, is_fresh: bool) -> None:
                if is_fresh:
                    fresh.append(result)
                    bar.set_postfix_str(result["learner"][:30], refresh=False)
                bar.update()

            results = running.grade_class(
                found,
                out,
                sandbox=sandbox,
                jobs=jobs,
                scheduler=scheduler,
                again=None if again_all else again or (),
                callback=callback,
            )
    except KeyboardInterrupt:
        print(
            f"\nStopped: {len(fresh)} notebooks were graded now and are kept; "
            "run the same command to grade the others.",
            file=sys.stderr,
        )
        raise
    seconds = time.perf_counter() - started
    report.write(results, out)
    left_out = [r for r in results if r["problem"]]
    # An earlier result stands in the report for one that could not be computed again
    left_out += [r for r in fresh if r["problem"] and r not in left_out]
    for each in left_out:
        line = " ".join(f"- {each['learner']}, {each['file']}: {each['problem']}".splitlines())
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    not_graded = sum(r["matters"] for r in left_out)
    print(
        json.dumps(
            {
                "learners": len(learners),
                "notebooks": to_grade,
                "graded_now": sum(not r["problem"] for r in fresh),
                "not_graded": not_graded,
                "ignored": len(left_out) - not_graded,
                "seconds": round(seconds, 1),
                "seconds_per_notebook": round(seconds / len(fresh), 2) if fresh else None,
                "overview": str(out / "index.html"),
            }
        )
    )
    if not_graded:
        raise typer.Exit(1)


@grade_app.command("report")
def write_report(out: Class = Path("class")) -> None:
    """Write the tables, gradebook.db, a page per learner and the overview from the stored results."""
    require_package("nbgrader", "instructor")
    with quiet_stderr():
        from siamese_course.grading import report
        from siamese_course.grading.run import results
    for path in report.write(results(require_folder(out)), out):
        print(path)
