"""``siamese-course score``: score a trained encoder on the user's own file."""

import json
from pathlib import Path
from typing import Annotated

import typer

from siamese_course.cli.collection import read_images_for
from siamese_course.cli.options import TRAINED
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.quiet import quiet_stderr


def score(
    folder: Annotated[Path, typer.Argument(help=TRAINED)],
    pairs: Annotated[
        Path | None,
        typer.Option(
            help="question1, question2, is_duplicate for a question encoder; "
            "sentence1, sentence2, score for a sentence encoder"
        ),
    ] = None,
    triplets: Annotated[
        Path | None,
        typer.Option(help="anchor, positive, negative, or Sentence1 to 3, for a sentence encoder"),
    ] = None,
    images: Annotated[
        Path | None,
        typer.Option(help="a folder with one subfolder per class, or .npz, for an image encoder"),
    ] = None,
) -> None:
    """Score an encoder on labeled pairs, triplets or images; the last line is one JSON object."""
    if [pairs, triplets, images].count(None) != 2:
        raise CourseError("Give one of --pairs FILE, --triplets FILE and --images FOLDER.")
    names = ("sentence_encoder.json", "modules.json")
    if images:
        result = _score_images(folder, images)
    elif any((folder / name).exists() for name in names):
        result = _score_sentences(folder, pairs, triplets)
    elif pairs and (folder / "encoder.json").exists():
        result = _score_questions(folder, pairs)
    else:
        kind = "question or sentence" if pairs else "sentence"
        raise CourseError(f"{folder} contains no {kind} encoder. Make one: siamese-course train")
    print(json.dumps(result))


def _score_sentences(folder: Path, pairs: Path | None, triplets: Path | None) -> dict:
    with quiet_stderr():  # so that an error in the file is the only line on stderr
        from siamese_course import own_data
        from siamese_course.models.sentences import load_encoder
        from siamese_course.recipes import sentences as recipes
    if pairs:
        return recipes.score_pairs(load_encoder(folder), own_data.read_own_scores(pairs))
    assert triplets
    return recipes.score_triplets(load_encoder(folder), own_data.read_own_triplets(triplets))


def _score_questions(folder: Path, pairs: Path) -> dict:
    with quiet_stderr():
        from siamese_course.own_data import read_question_pairs
        from siamese_course.recipes import questions as recipes
    labeled = read_question_pairs(pairs)
    return recipes.score(recipes.load(folder), labeled)


def _score_images(folder: Path, images: Path) -> dict:
    """The k-NN accuracy on one fifth of the images, with the others as neighbors."""
    with quiet_stderr():
        from siamese_course import own_data
        from siamese_course.evaluation import knn_score
        from siamese_course.models.images import load_encoder
    encoder = load_encoder(folder)
    data = read_images_for(encoder, images)
    neighbors, test = own_data.split_images(data)
    rows, labels, k = encoder.encode(data.images), data.labels, min(5, len(neighbors))
    assert labels is not None  # or split_images raises
    accuracy = knn_score(rows[neighbors], labels[neighbors], rows[test], labels[test], k)
    return {"n": len(test), "neighbors": len(neighbors), f"knn{k}_accuracy": round(accuracy, 4)}
