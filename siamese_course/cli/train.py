"""``siamese-course train``: one command per data set."""

import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from siamese_course.cli import own
from siamese_course.cli.options import (
    CHECKPOINTS,
    MODELS,
    OWN_PRESET,
    REPORT,
    SAVED,
    Budget,
    Out,
    Resume,
    Seed,
    checkpoint_folder,
    reports_interrupts,
    require_choice,
    require_folder,
    write_json,
)
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import whole_folder
from siamese_course.runtime.interrupts import finished_first
from siamese_course.runtime.startup import halve_cores

if TYPE_CHECKING:
    from siamese_course.models.sentences import SentenceEncoder
    from siamese_course.recipes.sentences import Team

train_app = typer.Typer(no_args_is_help=True, help="Train a recipe; the last line is JSON.")


@train_app.command("mnist")
def train_mnist(
    recipe: Annotated[str, typer.Option(help="classic, course, or compare for both in turn")],
    out: Out,
    budget: Budget = None,
    seed: Seed = 0,
) -> None:
    """Train the MNIST encoder, save it, score it by k-NN; the last line is one JSON object."""
    require_choice("recipe", recipe, ("classic", "course", "compare"))
    budget = settings.budget(budget)
    from siamese_course.datasets.mnist import load_mnist
    from siamese_course.recipes import images as recipes

    require_folder(out, *MODELS)
    _require_same_data(out, "knn5_accuracy")
    _train_images(recipes, recipe, load_mnist(), budget, seed, out, "encoder")


@train_app.command("omniglot")
def train_omniglot(
    recipe: Annotated[str, typer.Option(help="classic, course, or compare for both in turn")],
    out: Annotated[Path, typer.Option(help="folder for the model and the report")],
    budget: Budget = None,
    seed: Seed = 0,
) -> None:
    """Train on Omniglot's background characters, save the model, score it on the official one-shot runs; the last line is one JSON object."""
    require_choice("recipe", recipe, ("classic", "course", "compare"))
    budget = settings.budget(budget)
    from siamese_course.datasets.omniglot import load_omniglot
    from siamese_course.recipes import omniglot as recipes

    require_folder(out, *MODELS)
    _require_same_data(out, "one_shot_accuracy")
    _train_images(recipes, recipe, load_omniglot(), budget, seed, out, "model")


def _require_same_data(out: Path, figure: str) -> None:
    """Refuse a folder with models of the other data set, which have the same names; its reports have another figure."""
    for name in MODELS:
        report = (out / name).with_suffix(".json")
        if report.is_file() and f'"{figure}"' not in report.read_text("utf-8", errors="replace"):
            raise CourseError(
                f"--out {out} holds another kind of encoder ({name}). Choose another folder."
            )


def _train_images(
    recipes: ModuleType, recipe: str, data: Any, budget: str, seed: int, out: Path, saved: str
) -> None:
    """Train the recipes of a module in turn; save this part of each run with its report, and print the reports."""
    reports: dict[str, dict] = {}
    for name in recipes.RECIPES if recipe == "compare" else [recipe]:
        with reports_interrupts(out, saved=[f"{done}.keras" for done in reports]):
            trained, reports[name] = recipes.run(name, data, budget, seed=seed)
        with finished_first(), whole_folder(out) as part:
            getattr(trained, saved).save(part / f"{name}.keras")
            write_json(reports[name], part / f"{name}.json")
    _print_reports(recipe, reports)


@train_app.command("quora")
def train_quora(
    recipe: Annotated[str, typer.Option(help="classic, course, or compare for both in turn")],
    out: Out,
    framework: Annotated[str, typer.Option(help="trax or keras")] = "keras",
    budget: Budget = None,
    longer: Annotated[float, typer.Option(help="multiple of the budget's training steps")] = 1.0,
    resume: Annotated[bool, typer.Option(help="Trax: continue from the last checkpoint")] = False,
    seed: Seed = 0,
) -> None:
    """Train the question encoder, choose its threshold, save it; the last line is one JSON object.

    ``compare`` trains the classic recipe in Trax, then the course's recipe in the chosen framework, and
    writes each to a folder of its name inside OUT.
    """
    require_choice("recipe", recipe, ("classic", "course", "compare"))
    require_choice("framework", framework, ("trax", "keras"))
    if not 0 < longer <= 100:
        raise CourseError(f"--longer is {longer}, and must be above 0 and at most 100.")
    budget = settings.budget(budget)
    halve_cores()
    from siamese_course.datasets.quora import load_questions
    from siamese_course.recipes import questions as recipes

    both = recipe == "compare"
    folders = {name: out / name for name in recipes.RECIPES} if both else {recipe: out}
    for folder in folders.values():
        require_folder(folder, *SAVED["questions"], REPORT)
    data = load_questions()
    reports = {}
    for name, folder in folders.items():
        checkpoints = checkpoint_folder(folder, resume)
        used = "trax" if both and name == "classic" else framework
        with reports_interrupts(folder, checkpoints=used == "trax"):
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
            trained.encoder.save(folder)
            write_json(reports[name], folder / REPORT)
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
Process = Annotated[
    int, typer.Option(help="number of this process, from 0; number 0 saves the encoder")
]


def _require_processes(processes: str | None, process: int) -> None:
    if process and not processes:
        raise CourseError(
            "--process needs --processes: it is the number of this process among them."
        )


def _join(processes: str | None, process: int) -> "Team":
    """The processes that train together: those of ``--processes``, or this one alone."""
    if processes:
        from siamese_course.scale import parallel

        return parallel.join(processes.split(","), process)
    from siamese_course.recipes.sentences import ALONE

    return ALONE


@train_app.command("stsb")
def train_stsb(
    recipe: Annotated[str, typer.Option(help="classic or course")],
    out: Out,
    backbone: Annotated[str, typer.Option(help="a preset's name, or a folder")] = OWN_PRESET,
    budget: Budget = None,
    seed: Seed = 0,
    from_scratch: FromScratch = False,
    pooling: Annotated[str, typer.Option(help="mean, max or cls")] = "mean",
    processes: Processes = None,
    process: Process = 0,
) -> None:
    """Fine-tune a backbone on scored sentence pairs, save it; the last line is one JSON object."""
    require_choice("recipe", recipe, ("classic", "course"))
    _require_processes(processes, process)
    budget = settings.budget(budget)
    halve_cores()
    from siamese_course.datasets.sentences import load_scored_pairs
    from siamese_course.models.sentences import POOLINGS
    from siamese_course.recipes import sentences as recipes

    require_choice("pooling", pooling, POOLINGS)
    team = _join(processes, process)
    require_folder(out, *SAVED["sentences"], REPORT)
    data = load_scored_pairs()
    with reports_interrupts(out):
        encoder, report = recipes.run_pairs(
            recipe,
            backbone,
            data,
            budget,
            pooling=pooling,
            load_weights=not from_scratch,
            seed=seed,
            team=team,
            verbose=process == 0,
        )
    _save_sentence_encoder(encoder, report, out, process)


@train_app.command("triplets")
def train_triplets(
    out: Out,
    recipe: Annotated[str, typer.Option(help="classic or course")] = "course",
    data: Annotated[
        Path | None, typer.Option(help="a table of your own: anchor, positive, negative")
    ] = None,
    backbone: Annotated[str, typer.Option(help="a preset's name, or a folder")] = OWN_PRESET,
    budget: Budget = None,
    seed: Seed = 0,
    from_scratch: FromScratch = False,
    processes: Processes = None,
    process: Process = 0,
    resume: Resume = False,
) -> None:
    """Fine-tune a backbone on triplets, yours or Wikipedia's; the last line is one JSON object."""
    require_choice("recipe", recipe, ("classic", "course"))
    _require_processes(processes, process)
    if processes and resume:
        raise CourseError("--resume is for one process, not for --processes.")
    budget = settings.budget(budget)
    halve_cores()
    from siamese_course import own_data
    from siamese_course.datasets.sentences import load_triplets
    from siamese_course.recipes import sentences as recipes

    require_folder(out, *SAVED["sentences"], *(own.FINISHED if data else (REPORT,)))
    if data:
        rows = own_data.split_triplets(own_data.read_own_triplets(data), data.name, seed)
        print(rows)
    else:
        rows = load_triplets()
    team = _join(processes, process)
    folder = None if processes else checkpoint_folder(out, resume)
    with reports_interrupts(out, checkpoints=folder is not None):
        encoder, report = recipes.run_triplets(
            recipe,
            backbone,
            rows,
            budget,
            load_weights=not from_scratch,
            seed=seed,
            team=team,
            verbose=process == 0,
            folder=folder,
        )
    if data and process == 0:
        assert rows.test is not None  # as split_triplets makes it
        report["test"] = recipes.score_triplets(encoder, rows.test)
        own.finish(out, encoder, report, "triplets", own.triplet_chart(encoder, rows.test))
        return
    _save_sentence_encoder(encoder, report, out, process)
    shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)


train_app.command("images")(own.train_images)
train_app.command("questions")(own.train_questions)
train_app.command("sentences")(own.train_sentences)


def _save_sentence_encoder(
    encoder: "SentenceEncoder", report: dict, out: Path, process: int
) -> None:
    if process == 0:
        with finished_first():
            encoder.save(out)
            write_json(report, out / REPORT)
    print(json.dumps(report))


def _print_reports(recipe: str, reports: dict[str, dict]) -> None:
    """Print one JSON object: the report, or both reports and the ratio of their seconds."""
    if recipe == "compare":
        ratio = reports["course"]["seconds"] / reports["classic"]["seconds"]
        print(json.dumps({"recipe": "compare", **reports, "time_ratio": round(ratio, 3)}))
    else:
        print(json.dumps(reports[recipe]))
