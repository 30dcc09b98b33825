"""``siamese-course run``, ``lab`` and ``notebooks``: execute, open and build the notebooks."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from siamese_course.cli.options import console


def run(
    notebooks: Annotated[
        list[Path] | None, typer.Argument(help="notebooks or folders; default: the solutions")
    ] = None,
    out: Annotated[Path, typer.Option(help="where the HTML pages go")] = Path("build"),
) -> None:
    """Execute notebooks with a progress bar; print time, peak memory and points; write HTML."""
    from siamese_course.notebooks.catalog import SOLUTIONS
    from siamese_course.notebooks.run import collect, run_notebooks

    paths = collect(notebooks or [SOLUTIONS])
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
    incomplete = notebooks is None and any(report.points < report.max_points for report in reports)
    if incomplete:
        print("A solution notebook did not get all its points.", file=sys.stderr)
    if incomplete or any(report.error for report in reports):
        raise typer.Exit(1)
    print("Your own copies are in notebooks/. Open them with: make lab")


def lab(
    arguments: Annotated[
        list[str] | None, typer.Argument(help="passed on to jupyter lab, after --")
    ] = None,
    root: Annotated[
        Path | None, typer.Option(help="folder to open; default: the course's notebooks")
    ] = None,
) -> None:
    """Open the notebooks in JupyterLab, on this machine only."""
    from siamese_course.notebooks.catalog import NOTEBOOKS

    if root is None:
        # Installed without the repository, there is no folder of notebooks
        root = NOTEBOOKS if NOTEBOOKS.is_dir() else Path.cwd()
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
    raise typer.Exit(subprocess.call([*command, *(arguments or [])]))


def notebooks(
    names: Annotated[
        list[str] | None, typer.Argument(help="notebooks to build, such as 03; default: all")
    ] = None,
) -> None:
    """Build the learner's and the solution notebooks from notebooks/source."""
    from siamese_course.grading.authoring import release
    from siamese_course.notebooks.build import build

    for path in build(release, names or []):
        print(path)
