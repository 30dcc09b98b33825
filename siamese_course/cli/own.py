"""``siamese-course train images``, ``questions`` and ``sentences``, on data of one's own; ``train triplets`` finishes here."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from siamese_course.cli.options import (
    CHECKPOINTS,
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
from siamese_course.runtime.files import whole_folder
from siamese_course.runtime.interrupts import finished_first
from siamese_course.runtime.quiet import quiet_stderr
from siamese_course.runtime.startup import halve_cores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from siamese_course.datasets.sentences import Triplets
    from siamese_course.models.encoder import Encoder
    from siamese_course.models.sentences import SentenceEncoder

EPOCHS = 60
"""Passes over images, at most: a few photos need fewer steps than MNIST's budget."""
USE = """# An encoder of {kind}

Trained by siamese-course {version} on {source}. On data that it has not seen: {figures}.

```python
from siamese_course.models.encoder import load

encoder = load("{out}")
embeddings = encoder.encode(items)
cosines, indices = encoder.search(queries, items, k=5)
```

```
siamese-course search {folder} COLLECTION {query}
siamese-course map {folder} COLLECTION --out map.html
```

![{alt}](chart.png)
"""
FINISHED = (REPORT, "README.md", "chart.png")
"""What ``finish`` writes beside the encoder."""
CHARTS = {
    "images": "A map of the test images, colored by class",
    "questions": "The ROC curve of the test pairs",
    "sentences": "Cosines and scores of the test pairs",
    "triplets": "Distances of the test triplets",
}


def finish(
    out: Path, encoder: "Encoder", report: dict[str, Any], kind: str, chart: "Figure"
) -> None:
    """Save the encoder, its report, chart and README.md, and print the report as one line of JSON."""
    from siamese_course import __version__

    path = out.as_posix()  # a backslash of Windows would begin an escape
    figures = ", ".join(f"{name} {value}" for name, value in report["test"].items())
    text = USE.format(
        kind=kind,
        version=__version__,
        source=report["data_source"],
        figures=figures,
        out=path,
        folder=f'"{path}"' if " " in path else path,
        query="QUERY.png" if kind == "images" else '"a query"',
        alt=CHARTS[kind],
    )
    with finished_first():
        encoder.save(out)
        with whole_folder(out) as part:
            chart.savefig(part / "chart.png", dpi=100)
            (part / "README.md").write_text(text, "utf-8")
            write_json(report, part / REPORT)
        shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    print(json.dumps(report))


def train_images(
    data: Annotated[
        Path, typer.Option(help="a folder with one subfolder per class, or .npz: images, labels")
    ],
    out: Out,
    dim: Annotated[int, typer.Option(help="dimensions of the embedding", min=1)] = 32,
    size: Annotated[
        int,
        typer.Option(help="height and width that a folder's images are scaled to", min=4, max=1024),
    ] = 64,
    gray: Annotated[
        bool, typer.Option("--gray", help="read a folder's images without colors")
    ] = False,
    budget: Budget = None,
    seed: Seed = 0,
    resume: Resume = False,
) -> None:
    """Train an encoder on images of your own, by the course's recipe; the last line is one JSON object."""
    budget = settings.budget(budget)
    require_folder(out, *SAVED["images"], *FINISHED)
    with quiet_stderr():
        from siamese_course import own_data, plotting
        from siamese_course.cli.collection import _plane
        from siamese_course.evaluation import knn_score
        from siamese_course.models.images import ImageEncoder
        from siamese_course.recipes import images as recipes
    found = own_data.read_images(data, (size, size), 1 if gray else 3)
    train, test = own_data.split_images(found, seed)
    labels = found.labels
    assert labels is not None  # or split_images raises
    print(
        f"{data}: {len(train):,} training and {len(test):,} test images of {len(found.classes)} classes"
    )
    most = settings.mnist_sizes(budget).course_kilo_images
    kilo_images = min(most, EPOCHS * len(train) / 1000)
    with reports_interrupts(out, checkpoints=True):
        run = recipes.train_course(
            found.images[train],
            labels[train],
            kilo_images=kilo_images,
            dim=dim,
            seed=seed,
            folder=checkpoint_folder(out, resume),
        )
    _, *shape = found.images.shape
    scaled = (shape[0], shape[1]) if len(shape) > 1 else None
    channels = shape[2] if len(shape) > 2 else 1
    encoder = ImageEncoder(run.encoder, found.classes, scaled, channels)
    rows = {
        name: encoder.encode(found.images[part])
        for name, part in (("train", train), ("test", test))
    }
    k = min(5, len(train))
    accuracy = knn_score(rows["train"], labels[train], rows["test"], labels[test], k)
    report = {
        "recipe": "course",
        "budget": budget,
        "seconds": round(run.history.seconds, 2),
        "steps": run.steps,
        "test": {"n": len(test), f"knn{k}_accuracy": round(accuracy, 4)},
        "classes": len(found.classes),
        "train_rows": len(train),
        "data_source": data.name,
        "last_loss": round(run.history.losses[-1], 4),
        "seed": seed,
    }
    title = ", ".join(f"{i}: {name}" for i, name in enumerate(found.classes[:8]))
    chart = plotting.scatter(_plane(rows["test"]), labels[test], title)
    finish(out, encoder, report, "images", chart)


def train_questions(
    data: Annotated[Path, typer.Option(help="a table: question1, question2, is_duplicate")],
    out: Out,
    budget: Budget = None,
    seed: Seed = 0,
    resume: Resume = False,
) -> None:
    """Train an encoder on question pairs of your own, by the course's recipe; the last line is one JSON object."""
    budget = settings.budget(budget)
    require_folder(out, *SAVED["questions"], *FINISHED)
    halve_cores()
    with quiet_stderr():
        from siamese_course import own_data, plotting
        from siamese_course.recipes import questions as recipes
    pairs = own_data.read_question_pairs(data)
    rows = own_data.split_question_pairs(pairs, data.name, seed)
    print(rows)
    with reports_interrupts(out, checkpoints=True):
        folder = checkpoint_folder(out, resume)
        run, report = recipes.run("keras", "course", rows, budget, seed=seed, folder=folder)
    similarities = run.encoder.similarity(rows.test.question1, rows.test.question2)
    chart = plotting.roc_chart({"test pairs": (similarities, rows.test.same)})
    finish(out, run.encoder, report, "questions", chart)


def train_sentences(
    data: Annotated[
        Path, typer.Option(help="a table: sentence1, sentence2, score (0 to 5, or 0 to 1)")
    ],
    out: Out,
    backbone: Annotated[str, typer.Option(help="a preset's name, or a folder")] = OWN_PRESET,
    pooling: Annotated[str, typer.Option(help="mean, max or cls")] = "mean",
    budget: Budget = None,
    seed: Seed = 0,
    resume: Resume = False,
) -> None:
    """Fine-tune a backbone on scored pairs of your own, by the course's recipe; the last line is one JSON object."""
    require_choice("pooling", pooling, ("mean", "max", "cls"))
    budget = settings.budget(budget)
    require_folder(out, *SAVED["sentences"], *FINISHED)
    halve_cores()
    with quiet_stderr():
        from siamese_course import own_data, plotting
        from siamese_course.recipes import sentences as recipes
    rows = own_data.split_scored_pairs(own_data.read_own_scores(data), data.name, seed)
    print(rows)
    assert rows.test is not None  # as split_scored_pairs makes it
    with reports_interrupts(out, checkpoints=True):
        encoder, report = recipes.run_pairs(
            "course",
            backbone,
            rows,
            budget,
            pooling=pooling,
            seed=seed,
            folder=checkpoint_folder(out, resume),
        )
    report["test"] = recipes.score_pairs(encoder, rows.test)
    cosines = encoder.similarity(rows.test.sentence1, rows.test.sentence2)
    chart = plotting.score_scatter({"test pairs": cosines}, rows.test.score, lowest=0.0)
    finish(out, encoder, report, "sentences", chart)


def triplet_chart(encoder: "SentenceEncoder", triplets: "Triplets") -> "Figure":
    """A histogram of the distances from the anchors to positives and negatives."""
    import numpy as np

    from siamese_course import plotting

    anchor, positive, negative = (
        encoder.encode(side, verbose=False)
        for side in (triplets.anchor, triplets.positive, triplets.negative)
    )
    near, far = (np.linalg.norm(anchor - side, axis=1) for side in (positive, negative))
    same = np.repeat([1, 0], len(near))
    return plotting.distance_histogram(np.r_[near, far], same, float(np.median(np.r_[near, far])))
