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
        result = _score_sentences(folder, pairs, triplets)
    elif pairs:
        result = _score_questions(folder, pairs)
    else:
        raise CourseError(f"{folder} contains no sentence encoder. Make one: siamese-course train")
    print(json.dumps(result))


def _score_sentences(folder: Path, pairs: Path | None, triplets: Path | None) -> dict:
    with quiet_stderr():  # so that an error in the file is the only line on stderr
        from siamese_course.datasets import sentence_tables
        from siamese_course.models.sentences import load_encoder
        from siamese_course.training import sentences as recipes
    if pairs:
        return recipes.score_pairs(load_encoder(folder), sentence_tables.read_scored_pairs(pairs))
    assert triplets
    return recipes.score_triplets(load_encoder(folder), sentence_tables.read_triplets(triplets))


def _score_questions(folder: Path, pairs: Path) -> dict:
    with quiet_stderr():
        from siamese_course.datasets.question_pairs import ReadingReport, read_pairs
        from siamese_course.training import questions as recipes
    report = ReadingReport()
    labeled = read_pairs(pairs, report, require_both=True)
    if report.malformed:
        print(report)
    return recipes.score(recipes.load(folder), labeled)
