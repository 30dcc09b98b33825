"""``siamese-course score``: score a trained encoder on the user's own file."""

import json
from pathlib import Path
from typing import Annotated

import typer

from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.quiet import quiet_stderr


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
    """Score an encoder on a file of labeled pairs or triplets; the last line is one JSON object."""
    if (pairs is None) == (triplets is None):
        raise CourseError("Give one of --pairs FILE and --triplets FILE.")
    if (folder / "sentence_encoder.json").exists():
        with quiet_stderr():  # so that an error in the file is the only line on stderr
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
