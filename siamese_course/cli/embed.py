"""``siamese-course embed``: embed a large collection of sentences."""

import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from siamese_course.cli.collection import embed_collection, is_images
from siamese_course.cli.options import TRAINED, require_folder
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.quiet import quiet_stderr
from siamese_course.runtime.startup import halve_cores


def embed(
    text: Annotated[
        Path,
        typer.Argument(
            help="one sentence per line, plain or .gz or .xz; or a table, or images, embedded at once"
        ),
    ],
    encoder: Annotated[Path, typer.Option(help=TRAINED)],
    out: Annotated[Path, typer.Option(help="folder for the embeddings")],
    workers: Annotated[int | None, typer.Option(help="Dask workers on this machine", min=1)] = None,
    scheduler: Annotated[str | None, typer.Option(help="address of a Dask scheduler")] = None,
    lines: Annotated[int, typer.Option(help="sentences per shard", min=1)] = 8_192,
    column: Annotated[str | None, typer.Option(help="the column of a table with texts")] = None,
) -> None:
    """Embed a large collection of sentences in shards, here or on a cluster; run it again to resume.

    Images, a column of a table, and texts for an encoder of questions or of sentence-transformers are embedded
    whole: embeddings.npy and items.tsv, and the folder projector for TensorBoard's Embedding Projector.
    """
    if workers and scheduler:
        raise CourseError("Give --workers or --scheduler, not both.")
    for path in (text, encoder):
        if not path.exists():
            raise CourseError(f"{path} does not exist.")
    halve_cores()
    others = ("encoder.json", "image_encoder.json", "modules.json")
    if column or is_images(text) or any((encoder / name).is_file() for name in others):
        if workers or scheduler:
            option = "--workers" if workers else "--scheduler"
            raise CourseError(
                f"{option} is for lines of text and a sentence encoder that train wrote; "
                f"{text} is embedded whole, by this process. Leave {option} out."
            )
        require_folder(out)
        print(json.dumps(embed_collection(text, encoder, out, column)))
        return
    from tqdm import tqdm

    with quiet_stderr():
        from siamese_course.own_data import require_lines
        from siamese_course.scale.embedding import embed_text

    require_lines(text)
    require_folder(out)
    started = time.perf_counter()
    with tqdm(desc="embedding", unit=" sentences", unit_scale=True, file=sys.stdout) as bar:
        result = embed_text(
            text,
            encoder,
            out,
            size=lines,
            scheduler=scheduler,
            workers=workers,
            on_shard=lambda sentences, is_new: bar.update(sentences),
        )
    seconds = time.perf_counter() - started
    result |= {
        "seconds": round(seconds, 2),
        "sentences_per_second": round(result["embedded"] / seconds, 1),
    }
    print(json.dumps(result))
