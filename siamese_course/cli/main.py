"""The command line: siamese-course doctor, data, run, lab, train, score, embed, grade, notebooks."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from siamese_course.grading.commands import grade_app
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.interrupts import finished_first
from siamese_course.runtime.quiet import quiet_stderr
from siamese_course.runtime.startup import halve_cores

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before the first import of TensorFlow

OWN_PRESET = "course_roberta_en"  # as models.sentence names it, which is slow to import

typer_app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__
)
data_app = typer.Typer(no_args_is_help=True, help="Data sets: where they are, fetch, verify.")
train_app = typer.Typer(no_args_is_help=True, help="Train a recipe; the last line is JSON.")
typer_app.add_typer(data_app, name="data")
typer_app.add_typer(train_app, name="train")
typer_app.add_typer(grade_app, name="grade")
console = Console()


def app() -> None:
    """Run the command line; a CourseError is one clear line and exit code 1, not a traceback."""
    try:
        typer_app()
    except CourseError as error:
        print(f"siamese-course: {error}", file=sys.stderr)
        sys.exit(1)


@typer_app.command()
def doctor() -> None:
    """Check Python, versions, memory, backend, data and write access, one line each."""
    from siamese_course.cli.doctor import examine

    findings = examine()
    for finding in findings:
        console.print(
            "[green]ok   [/green]" if finding.ok else "[red]fault[/red]",
            f"{finding.what}: {finding.found}",
            highlight=False,
            soft_wrap=True,
        )
        if not finding.ok:
            console.print(f"      -> {finding.remedy}", highlight=False, soft_wrap=True)
    raise typer.Exit(any(not finding.ok for finding in findings))


@data_app.command("status")
def data_status() -> None:
    """Say of each data set where a loader would take it from."""
    from siamese_course.datasets.status import whereabouts

    table = Table("data set", "taken from", "licence", "what it is")
    for data, where in whereabouts():
        table.add_row(data.name, where, data.licence, data.title)
    console.print(table)


@data_app.command("fetch")
def data_fetch(names: Annotated[list[str], typer.Argument(help="data sets, as status lists them")]):
    """Download, verify and unpack data sets into the cache; damaged files are replaced."""
    from siamese_course.datasets.fetch import fetch

    for name in names:
        for path in fetch(name):
            print(path)


@data_app.command("verify")
def data_verify(names: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Verify the files at hand: by sha256 where known, else by structure and row count."""
    from siamese_course.datasets.registry import dataset, registry
    from siamese_course.datasets.verify import verify

    failed = found = 0
    for name in names or registry():
        for finding in verify(dataset(name)):
            word = {True: "ok", False: "FAULT", None: "absent, optional"}[finding.ok]
            print(f"{word}: {finding.path} - {finding.how}")
            found += 1
            failed += finding.ok is False
    print(f"{found} files looked at, {failed} faults")
    raise typer.Exit(failed > 0)


@typer_app.command()
def run(
    notebooks: Annotated[
        list[Path] | None, typer.Argument(help="notebooks or folders; default: the solutions")
    ] = None,
    out: Annotated[Path, typer.Option(help="where the HTML pages go")] = Path("build"),
) -> None:
    """Execute notebooks with a progress bar; print time, peak memory and points; write HTML."""
    from siamese_course.notebooks.run import SOLUTIONS, collect, run_notebooks

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


@typer_app.command()
def lab(
    arguments: Annotated[
        list[str] | None, typer.Argument(help="passed on to jupyter lab, after --")
    ] = None,
    root: Annotated[
        Path | None, typer.Option(help="folder to open; default: the course's notebooks")
    ] = None,
) -> None:
    """Open the notebooks in JupyterLab, on this machine only."""
    from siamese_course.notebooks.run import NOTEBOOKS

    if root is None:
        root = NOTEBOOKS if NOTEBOOKS.is_dir() else Path.cwd()  # installed without the repository
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={root.resolve()}",
        "--ServerApp.ip=127.0.0.1",  # this machine only; the token stays on
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    if (
        hasattr(os, "geteuid") and os.geteuid() == 0
    ):  # in a container, where JupyterLab would refuse
        command.append("--allow-root")
    raise typer.Exit(subprocess.call([*command, *(arguments or [])]))


@typer_app.command()
def notebooks(
    names: Annotated[
        list[str] | None, typer.Argument(help="names of sources, such as 01; default: all")
    ] = None,
) -> None:
    """Make the learner's and the solution notebooks from notebooks/source."""
    from siamese_course.grading.authoring import build

    for path in build(names or []):
        print(path)


@train_app.command("mnist")
def train_mnist(
    recipe: Annotated[str, typer.Option(help="classic, course, or compare for both in turn")],
    out: Annotated[Path, typer.Option(help="folder for the encoder and the report")],
    budget: Annotated[str | None, typer.Option(help="smoke, course or full")] = None,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train the MNIST encoder, save it, score it by k-NN; the last line is one JSON object."""
    _require_choice("recipe", recipe, ("classic", "course", "compare"))
    budget = settings.budget(budget)
    from siamese_course.datasets.mnist import load_mnist
    from siamese_course.training import images as recipes

    _make_folder(out)
    digits = load_mnist()
    reports = {}
    for name in recipes.RECIPES if recipe == "compare" else [recipe]:
        trained, reports[name] = recipes.run(name, digits, budget, seed=seed)
        with finished_first():
            trained.encoder.save(out / f"{name}.keras")
            _write_json(reports[name], out / f"{name}.json")
    _print_reports(recipe, reports)


@train_app.command("quora")
def train_quora(
    recipe: Annotated[str, typer.Option(help="classic, course, or compare for both in turn")],
    out: Annotated[Path, typer.Option(help="folder for the encoder and the report")],
    framework: Annotated[str, typer.Option(help="trax or keras")] = "keras",
    budget: Annotated[str | None, typer.Option(help="smoke, course or full")] = None,
    longer: Annotated[float, typer.Option(help="times the budget's training steps")] = 1.0,
    resume: Annotated[bool, typer.Option(help="Trax: go on from the last checkpoint")] = False,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train the question encoder, choose its threshold, save it; the last line is one JSON object.

    ``compare`` trains the classic recipe in Trax and then the course's in the framework named, into folders
    of these names inside OUT.
    """
    _require_choice("recipe", recipe, ("classic", "course", "compare"))
    _require_choice("framework", framework, ("trax", "keras"))
    if not 0 < longer <= 100:
        raise CourseError(f"--longer is {longer}, and must be above 0 and at most 100.")
    budget = settings.budget(budget)
    from siamese_course.datasets.quora import load_questions
    from siamese_course.training import questions as recipes

    data = load_questions()
    both = recipe == "compare"
    reports = {}
    for name in recipes.RECIPES if both else [recipe]:
        folder = _make_folder(out / name if both else out)
        checkpoints = folder / "checkpoints"
        if not resume:
            shutil.rmtree(checkpoints, ignore_errors=True)
        used = "trax" if both and name == "classic" else framework
        trained, reports[name] = recipes.run(
            used,
            name,
            data,
            budget,
            longer=1.0 if both and name == "classic" else longer,
            seed=seed,
            folder=checkpoints if used == "trax" else None,
        )
        with finished_first():
            recipes.save(trained.encoder, folder)
            _write_json(reports[name], folder / "report.json")
    _print_reports(recipe, reports)


FromScratch = Annotated[
    bool,
    typer.Option("--from-scratch", help="random weights of the backbone's shape, as a control"),
]


Processes = Annotated[
    str | None,
    typer.Option(
        help="addresses of the processes that train together, the first with a port: 10.0.0.1:12345,10.0.0.2"
    ),
]
Process = Annotated[int, typer.Option(help="number of this one among them, from 0; 0 saves")]


def _require_processes(processes: str | None, process: int) -> None:
    if process and not processes:
        raise CourseError("--process says which of --processes this is, and these are not given.")


def _join(processes: str | None, process: int) -> None:
    if processes:
        from siamese_course.scale import parallel

        parallel.join(processes.split(","), process)


@train_app.command("stsb")
def train_stsb(
    recipe: Annotated[str, typer.Option(help="classic or course")],
    out: Annotated[Path, typer.Option(help="folder for the encoder and the report")],
    backbone: Annotated[str, typer.Option(help="a preset's name, or a folder")] = OWN_PRESET,
    budget: Annotated[str | None, typer.Option(help="smoke, course or full")] = None,
    seed: Annotated[int, typer.Option()] = 0,
    from_scratch: FromScratch = False,
    pooling: Annotated[
        str | None,
        typer.Option(help="mean, max, cls or views; by default what the recipe is made for"),
    ] = None,
    processes: Processes = None,
    process: Process = 0,
) -> None:
    """Fine-tune a backbone on scored sentence pairs, save it; the last line is one JSON object."""
    _require_choice("recipe", recipe, ("classic", "course"))
    _require_processes(processes, process)
    budget = settings.budget(budget)
    halve_cores()
    from siamese_course.datasets.sentences import load_scored_pairs
    from siamese_course.models.sentences import POOLINGS, VIEWS
    from siamese_course.training import sentences as recipes

    if pooling:
        _require_choice("pooling", pooling, (*POOLINGS, VIEWS))
    _join(processes, process)
    _make_folder(out)
    data = load_scored_pairs()
    encoder, report = recipes.run_pairs(
        recipe,
        backbone,
        data,
        budget,
        pooling=pooling,
        load_weights=not from_scratch,
        seed=seed,
        verbose=process == 0,
    )
    _save_sentence_encoder(encoder, report, out, process)


@train_app.command("triplets")
def train_triplets(
    recipe: Annotated[str, typer.Option(help="classic or course")],
    out: Annotated[Path, typer.Option(help="folder for the encoder and the report")],
    backbone: Annotated[str, typer.Option(help="a preset's name, or a folder")] = OWN_PRESET,
    budget: Annotated[str | None, typer.Option(help="smoke, course or full")] = None,
    seed: Annotated[int, typer.Option()] = 0,
    from_scratch: FromScratch = False,
    processes: Processes = None,
    process: Process = 0,
) -> None:
    """Fine-tune a backbone on section triplets, save it; the last line is one JSON object."""
    _require_choice("recipe", recipe, ("classic", "course"))
    _require_processes(processes, process)
    budget = settings.budget(budget)
    halve_cores()
    from siamese_course.datasets.sentences import load_triplets
    from siamese_course.training import sentences as recipes

    _join(processes, process)
    _make_folder(out)
    data = load_triplets()
    encoder, report = recipes.run_triplets(
        recipe,
        backbone,
        data,
        budget,
        load_weights=not from_scratch,
        seed=seed,
        verbose=process == 0,
    )
    _save_sentence_encoder(encoder, report, out, process)


def _save_sentence_encoder(encoder, report: dict, out: Path, process: int) -> None:
    if process == 0:
        with finished_first():
            encoder.save(out)
            _write_json(report, out / "report.json")
    print(json.dumps(report))


@typer_app.command()
def score(
    folder: Annotated[Path, typer.Argument(help="an encoder that train wrote")],
    pairs: Annotated[
        Path | None,
        typer.Option(
            help="question1, question2, is_duplicate for a question encoder; "
            "sentence1, sentence2, score for a sentence encoder"
        ),
    ] = None,
    triplets: Annotated[
        Path | None, typer.Option(help="Sentence1, Sentence2, Sentence3 for a sentence encoder")
    ] = None,
) -> None:
    """Score an encoder on a file of labelled pairs, or of triplets; the last line is one JSON object."""
    if (pairs is None) == (triplets is None):
        raise CourseError("Give one of --pairs FILE and --triplets FILE.")
    if (folder / "sentence_encoder.json").exists():
        with quiet_stderr():  # a mistake in the file is one line, not one among the backend's
            from siamese_course.datasets import sentences
            from siamese_course.models.sentences import load_encoder
            from siamese_course.training import sentences as recipes

        if pairs:
            result = recipes.score_pairs(load_encoder(folder), sentences.read_scored_pairs(pairs))
        else:
            result = recipes.score_triplets(load_encoder(folder), sentences.read_triplets(triplets))
        print(json.dumps(result))
        return
    if triplets:
        raise CourseError(f"{folder} holds no sentence encoder. Make one: siamese-course train")
    with quiet_stderr():
        from siamese_course.training import questions as recipes

    labelled = recipes.read_labelled_pairs(pairs)
    print(json.dumps(recipes.score(recipes.load(folder), labelled)))


@typer_app.command()
def embed(
    text: Annotated[Path, typer.Argument(help="one sentence a line, plain or .gz or .xz")],
    encoder: Annotated[Path, typer.Option(help="a sentence encoder that train wrote")],
    out: Annotated[Path, typer.Option(help="folder for the embeddings")],
    workers: Annotated[int | None, typer.Option(help="Dask workers on this machine", min=1)] = None,
    scheduler: Annotated[str | None, typer.Option(help="address of a Dask scheduler")] = None,
    lines: Annotated[int, typer.Option(help="sentences of a part", min=1)] = 8_192,
) -> None:
    """Embed a large collection in parts, here or on a cluster; the same command goes on where it was cut off."""
    if workers and scheduler:
        raise CourseError("Give --workers or --scheduler, not both.")
    halve_cores()
    from tqdm import tqdm

    with quiet_stderr():
        from siamese_course.scale.embedding import embed_text

    _make_folder(out)
    started = time.perf_counter()
    with tqdm(desc="embedding", unit=" sentences", unit_scale=True, file=sys.stdout) as bar:
        result = embed_text(
            text,
            encoder,
            out,
            size=lines,
            scheduler=scheduler,
            workers=workers,
            tell=lambda sentences, fresh: bar.update(sentences),
        )
    seconds = time.perf_counter() - started
    result |= {
        "seconds": round(seconds, 2),
        "sentences_per_second": round(result["embedded"] / seconds, 1),
    }
    print(json.dumps(result))


def _require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise CourseError(f"The {name} is {value!r}, and must be one of {', '.join(choices)}.")


def _make_folder(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CourseError(f"--out {out} cannot be used as a folder: {error.strerror}.") from error
    return out


def _write_json(report: dict, path: Path) -> None:
    path.write_text(json.dumps(report, indent=1) + "\n")


def _print_reports(recipe: str, reports: dict[str, dict]) -> None:
    """One JSON object: the report, or both and how the second's time compares with the first's."""
    if recipe == "compare":
        ratio = reports["course"]["seconds"] / reports["classic"]["seconds"]
        print(json.dumps({"recipe": "compare", **reports, "time_ratio": round(ratio, 3)}))
    else:
        print(json.dumps(reports[recipe]))
