"""``siamese-course copy``, ``run``, ``lab``, ``notebooks`` and ``publish``: the notebooks, for learners and for publishers."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from siamese_course.cli.options import console, require_folder, require_package
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import write_whole
from siamese_course.runtime.settings import environment_of_course


def copy(
    folder: Annotated[Path, typer.Argument(help="created if it does not exist")],
) -> None:
    """Copy the learner's notebooks into a folder; notebooks that are there already stay as they are."""
    from siamese_course.notebooks.catalog import CATALOG

    require_folder(folder).mkdir(parents=True, exist_ok=True)
    for entry in CATALOG:
        target = folder / entry.learner.name
        if target.exists():
            print(f"{target} is there already, and stays as it is")
        else:
            write_whole(target, entry.learner.read_text("utf-8"))
            print(target)
    print(f"Open them with: siamese-course lab --root {folder}")


def run(
    notebooks: Annotated[
        list[Path] | None,
        typer.Argument(
            help="notebooks or folders; default: the solutions, or those of this folder"
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="where the HTML pages go")] = Path("build"),
) -> None:
    """Execute notebooks with a progress bar; print time, peak memory and points; write HTML."""
    from siamese_course.notebooks.catalog import SOLUTIONS, in_repository

    _require_lab()
    from siamese_course.notebooks.run import collect, run_notebooks

    solutions = notebooks is None and in_repository()
    paths = collect(notebooks or [SOLUTIONS if solutions else _folder_with_notebooks()])
    require_folder(out).mkdir(parents=True, exist_ok=True)
    reports = run_notebooks(paths, out)
    table = Table("notebook", "seconds", "peak memory", "points")
    for report in reports:
        table.add_row(
            report.name,
            f"{report.seconds:.1f}",
            f"{report.peak_bytes / 2**30:.2f} GiB",
            f"{report.points:g}/{report.max_points:g}",
        )
    console.print(table)
    print(f"pages and charts: {out / 'index.html'}")
    for report in reports:
        if report.error:
            print(f"{report.name} stopped early: {report.error}", file=sys.stderr)
    incomplete = solutions and any(report.points < report.max_points for report in reports)
    if incomplete:
        print("A solution notebook did not get all its points.", file=sys.stderr)
    if incomplete or any(report.error for report in reports):
        raise typer.Exit(1)
    if solutions:
        print(
            "Your own copies are in notebooks/. Open them with: siamese-course lab (or: make lab)"
        )


def lab(
    arguments: Annotated[
        list[str] | None, typer.Argument(help="passed on to jupyter lab, after --")
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(help="folder to open; default: the course's notebooks, or this folder"),
    ] = None,
) -> None:
    """Open the notebooks in JupyterLab, on this machine only."""
    from siamese_course.notebooks.catalog import NOTEBOOKS, in_repository

    _require_lab()
    if root is None:
        root = NOTEBOOKS if in_repository() else _folder_with_notebooks()
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={root.resolve()}",
        # Reachable from this machine only, and with a token
        "--ServerApp.ip=127.0.0.1",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    # In a container the user is often root, and JupyterLab would refuse
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    variables = environment_of_course()
    raise typer.Exit(subprocess.call([*command, *(arguments or [])], env=variables))


def notebooks(
    names: Annotated[
        list[str] | None, typer.Argument(help="notebooks to build, such as 03; default: all")
    ] = None,
    text_only: Annotated[
        bool,
        typer.Option("--text-only", help="keep the outputs of notebooks whose code is the same"),
    ] = False,
) -> None:
    """Build the learner's and the solution notebooks from notebooks/source."""
    _require_build()
    from siamese_course.grading.authoring import release
    from siamese_course.notebooks.build import build

    for path in build(release, names or [], text_only=text_only):
        print(path)


def publish(
    github: Annotated[str, typer.Option(help='OWNER/NAME on GitHub; "" removes the address')],
    branch: Annotated[
        str, typer.Option(help="branch that badges and first cells link to")
    ] = "main",
) -> None:
    """Write the course's address into README, notebooks and metadata, to publish it."""
    _require_build()
    from siamese_course.grading.authoring import release
    from siamese_course.notebooks.publish import publish as write_address

    for path in write_address(release, github, branch):
        print(path)


def _folder_with_notebooks() -> Path:
    """This folder, where the course was installed without its repository."""
    if not list(Path().glob("*.ipynb")):
        raise CourseError(
            "There are no notebooks here. Get them: siamese-course copy FOLDER, and go into that folder."
        )
    return Path()


def _require_lab() -> None:
    require_package("jupyterlab", "lab")


def _require_build() -> None:
    from siamese_course.notebooks.catalog import require_repository

    require_repository()
    require_package("nbgrader", "instructor")
