"""Data of one's own: images in folders or .npz files, and tables of questions, sentences or triplets.

=============  =====================================================================================
data           layout
=============  =====================================================================================
images         a folder with one subfolder a class; or .npz with ``images``, and ``labels`` to train
questions      a table with the columns question1, question2, is_duplicate (1 or 0)
sentences      a table with the columns sentence1, sentence2, score (0 to 5, or 0 to 1)
triplets       a table with the columns anchor, positive, negative
a collection   a text file with one item a line, a table with a column to choose, or images
=============  =====================================================================================

A table is .tsv, .csv (with commas, or with semicolons), .jsonl or .parquet; .tsv and .csv may be compressed as .gz.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from siamese_course.datasets.question_pairs import (
    QUESTION_COLUMNS,
    QuestionPairs,
    ReadingReport,
    number_questions,
    read_pairs,
)
from siamese_course.datasets.question_splits import components, draw_to_fraction, split_components
from siamese_course.datasets.quora import QuestionData
from siamese_course.datasets.sentence_tables import (
    HIGHEST_SCORE,
    PAIR_COLUMNS,
    ScoredPairs,
    Triplets,
    delimiter_of,
    read_scored_pairs,
    read_triplets,
)
from siamese_course.datasets.sentences import ScoredData, TripletData
from siamese_course.datasets.tables import text_lines
from siamese_course.runtime.errors import DataError
from siamese_course.validation import require_images

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff")
RECORDS = ("jsonl", "ndjson", "parquet")
"""Tables that pandas reads; of text files the course's own readers name the line of an error."""
TABLES = ("tsv", "csv", *RECORDS)
SPREADSHEETS = ("xlsx", "xls", "ods", "numbers")
FRACTIONS = (0.8, 0.1, 0.1)
TRIES = 20
"""Seeds to try for a split whose parts all hold duplicates and others."""


# --- images ---


@dataclass(frozen=True)
class Images:
    """Images (n, height, width[, channels]) or (n, pixels) in [0, 1], with a label and a name each.

    ``labels`` are (n,) int64 indices of ``classes``, or None for a collection without classes.
    """

    images: np.ndarray
    labels: np.ndarray | None
    classes: list[str]
    names: list[str]

    def __len__(self) -> int:
        return len(self.images)


def read_images(path: Path | str, size: tuple[int, int] | None = None, channels: int = 3) -> Images:
    """Read images from a folder or an .npz file.

    Args:
        path: a folder with one subfolder a class, or with images only; or .npz with ``images`` and maybe
            ``labels``.
        size: (height, width) to scale files to; the size of the first one if not given.
        channels: 1 to read files as gray, 3 as color.

    Raises:
        DataError: nothing there, no image, or a file that cannot be read.
    """
    path = Path(path)
    if not path.exists():
        raise DataError(f"{path} does not exist.")
    if not path.is_dir():
        return _read_npz(path)
    files = [file for file in sorted(path.rglob("*")) if _is_image(file.relative_to(path))]
    if not files:
        raise DataError(f"{path} holds no image: {', '.join(IMAGE_SUFFIXES)}, or an .npz file.")
    pixels = []
    for file in files:
        pixels.append(read_image(file, size, channels))
        size = size or pixels[0].shape[:2]
    names = [str(file.relative_to(path)) for file in files]
    folders = [Path(name).parts[0] if len(Path(name).parts) > 1 else "" for name in names]
    if "" in folders:
        return Images(np.stack(pixels), None, [], names)
    classes, labels = np.unique(folders, return_inverse=True)
    others = {file.name for file in path.iterdir() if file.is_dir() and file.name[0] != "."}
    if empty := sorted(others - set(classes.tolist())):
        print(f"{path}: no image in {', '.join(empty)}; left out.")
    return Images(np.stack(pixels), labels.astype("int64"), classes.tolist(), names)


def _is_image(file: Path) -> bool:
    """Whether a name is that of an image; what Jupyter or macOS hide beside them is none of the classes."""
    return file.suffix.lower() in IMAGE_SUFFIXES and not any(part[0] == "." for part in file.parts)


def read_image(
    file: Path | str, size: tuple[int, int] | None = None, channels: int = 3
) -> np.ndarray:
    """Read one image file, as ``read_images``: (height, width) or (height, width, 3) float32 in [0, 1].

    Transparent pixels become white, and of 16 bits the upper 8 are kept.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(file) as opened:
            image = ImageOps.exif_transpose(opened)
            if image.mode == "F":
                raise UnidentifiedImageError("its pixels are decimal numbers")
            if image.mode.startswith("I"):  # Pillow would make white of all above 255
                image = Image.fromarray((np.asarray(image) // 256).clip(0, 255).astype("uint8"))
            if image.has_transparency_data:
                image = image.convert("RGBA")
                image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
            image = image.convert("L" if channels == 1 else "RGB")
            if size:
                image = image.resize((size[1], size[0]))
            return np.asarray(image, "float32") / 255
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise DataError(
            f"{file} cannot be read as an image ({error}). Replace or remove it."
        ) from error


def _read_npz(path: Path) -> Images:
    if path.suffix.lower() != ".npz":
        raise DataError(f"{path} is neither a folder of images nor an .npz file.")
    try:
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
        images = arrays["images"]
    except (
        OSError,
        ValueError,
        LookupError,
        AttributeError,
        TypeError,
        EOFError,
        BadZipFile,
    ) as error:
        raise DataError(
            f"{path} holds no array 'images' of numbers; expected an .npz file, as np.savez writes it."
        ) from error
    if images.dtype == np.uint8:
        images = images.astype("float32") / 255
    try:
        images = require_images(images)
    except (TypeError, ValueError) as error:
        raise DataError(f"{path}: {error}.") from error
    names = [str(row) for row in range(len(images))]
    if "labels" not in arrays:
        return Images(images, None, [], names)
    labels = arrays["labels"]
    if labels.shape != (len(images),) or (labels.dtype.kind == "f" and np.isnan(labels).any()):
        raise DataError(
            f"{path} holds {len(images)} images and labels of shape {labels.shape}; expected one for each, not NaN."
        )
    classes, numbers = np.unique(labels, return_inverse=True)
    return Images(images, numbers.astype("int64"), classes.astype(str).tolist(), names)


def split_images(data: Images, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Split images in five, keeping the classes' fractions: (training rows, test rows).

    Copies of an image are in one split.

    Raises:
        DataError: no classes, or a class with fewer than five different images.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    if data.labels is None and not any(Path(name).suffix for name in data.names):
        raise DataError("Training needs labels, and the .npz file holds no array 'labels'.")
    if data.labels is None or len(data.classes) < 2:
        outside = [name for name in data.names if len(Path(name).parts) == 1]
        named = f"; {outside[0]} is in none" if data.labels is None and outside else ""
        raise DataError(
            f"Training needs two classes or more: a folder with one subfolder a class{named}."
        )
    hashes = [hashlib.sha1(np.ascontiguousarray(image).tobytes()).digest() for image in data.images]
    numbers = {digest: number for number, digest in enumerate(dict.fromkeys(hashes))}
    groups = np.array([numbers[digest] for digest in hashes])
    for label, name in enumerate(data.classes):
        count = len(np.unique(groups[data.labels == label]))
        if count < 5:
            raise DataError(
                f"The class {name!r} has {count} different images; expected five or more."
            )
    folds = StratifiedGroupKFold(5, shuffle=True, random_state=seed)
    return next(folds.split(data.images, data.labels, groups))


# --- tables ---


def read_table(path: Path | str, columns: Sequence[str]) -> list[list[Any]]:
    """Return columns of a table, by name: n values each.

    Raises:
        DataError: the file cannot be read, or a column is missing or has empty cells.
    """
    import pandas as pd

    path = Path(path)
    _require_table(path)
    suffix = _suffix(path)
    try:
        if suffix == "parquet":
            table = pd.read_parquet(path)
        elif suffix in ("jsonl", "ndjson"):
            table = pd.read_json(path, lines=True, dtype=False, convert_dates=False)
        else:
            separator = delimiter_of(path, "," if suffix == "csv" else "\t")
            table = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    except ImportError as error:
        raise DataError(f"Parquet files need pyarrow: pip install pyarrow ({error}).") from error
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path} cannot be read as a table: {' '.join(str(error).split())}."
        ) from error
    if not isinstance(
        table.index, pd.RangeIndex
    ):  # pandas takes the first cell of such rows as their name
        raise DataError(
            f"{path}: rows have more columns than the first line. Quote texts that hold a comma."
        )
    table.columns = [str(name).strip().lower() for name in table.columns]
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise DataError(
            f"{path} has the columns {', '.join(table.columns)}; missing: {', '.join(missing)}."
        )
    found = []
    for name in columns:
        values = table[name].tolist()
        for row, value in enumerate(values, 1):
            if isinstance(value, list | dict):
                raise DataError(f"{path}, row {row}: {name} is a {type(value).__name__}.")
            if value is None or value != value or not str(value).strip():
                raise DataError(f"{path}, row {row}: {name} is empty.")
        found.append(values)
    if not found[0]:
        raise DataError(f"{path} holds no row.")
    return found


def _suffix(path: Path) -> str:
    """The kind of a table: tsv, csv, ...; .gz around it makes no difference."""
    return path.name.lower().removesuffix(".gz").rpartition(".")[2]


def _require_table(path: Path) -> None:
    """Require a name of a table; a name without a suffix, or with .txt, may be one."""
    if "." in path.name and _suffix(path) not in ("txt", *TABLES):
        raise DataError(
            f"{path} is no table: expected {', '.join(f'.{kind}' for kind in TABLES)}. "
            "Save Excel files as .csv."
        )


def require_lines(path: Path) -> None:
    """Require a text file with one item a line, not a table.

    Raises:
        DataError: by its name, the file is a table.
    """
    if _suffix(path) in SPREADSHEETS:
        _require_table(path)
    if _suffix(path) in TABLES:
        raise DataError(f"{path} is a table; name the column that holds the texts with --column.")


def _texts(column: Sequence[Any]) -> list[str]:
    return [str(value) for value in column]


def _to_numbers(path: Path, name: str, values: Sequence[Any]) -> np.ndarray:
    try:
        return np.array([float(value) for value in values])
    except (TypeError, ValueError) as error:
        raise DataError(f"{path}: {name} must be a number ({error}).") from error


def read_question_pairs(path: Path | str) -> QuestionPairs:
    """Read labeled question pairs of one's own; rows of a .tsv that cannot be read are reported and left out.

    Raises:
        DataError: the file cannot be read, or lacks columns, or a label is not 0 or 1.
    """
    path = Path(path)
    _require_table(path)
    if _suffix(path) not in ("csv", *RECORDS):
        report = ReadingReport()
        pairs = read_pairs(path, report, require_both=True)
        if report.malformed:
            print(report)
        return pairs
    question1, question2, same = read_table(path, QUESTION_COLUMNS)
    labels = _to_numbers(path, "is_duplicate", same)
    if set(labels) != {0, 1}:
        raise DataError(
            f"{path}: is_duplicate holds {sorted(set(labels.tolist()))[:5]}; expected both 0 and 1."
        )
    sides = _texts(question1), _texts(question2)
    return QuestionPairs(*sides, labels.astype("int8"), *number_questions(*sides))


def read_own_scores(path: Path | str) -> ScoredPairs:
    """Read scored pairs of one's own; scores from 0 to 1 are multiplied by 5.

    Raises:
        DataError: the file cannot be read, or lacks columns, or a score is outside 0 to 5.
    """
    path = Path(path)
    _require_table(path)
    if _suffix(path) not in RECORDS:
        pairs = read_scored_pairs(path)
    else:
        score, sentence1, sentence2 = read_table(path, PAIR_COLUMNS)
        scores = _to_numbers(path, "score", score)
        try:
            pairs = ScoredPairs(_texts(sentence1), _texts(sentence2), scores)
        except ValueError as error:
            raise DataError(f"{path}: {error}.") from error
    if 0 < pairs.score.max() <= 1:
        print(f"{path}: the scores go from 0 to 1, and are multiplied by 5.")
        pairs = replace(pairs, score=HIGHEST_SCORE * pairs.score)
    return pairs


def read_own_triplets(path: Path | str) -> Triplets:
    """Read triplets of one's own; reports those whose positive is the negative. Errors as ``read_question_pairs``."""
    path = Path(path)
    _require_table(path)
    if _suffix(path) in RECORDS:
        triplets = Triplets(*map(_texts, read_table(path, ("anchor", "positive", "negative"))))
    else:
        triplets = read_triplets(path)
    if equal := sum(map(str.__eq__, triplets.positive, triplets.negative)):
        print(
            f"{path}: in {equal:,} of {len(triplets):,} triplets the positive and the negative are the same text."
        )
    return triplets


def read_texts(path: Path | str, column: str | None = None) -> list[str]:
    """Read a collection of texts: the lines of a text file, or a column of a table.

    Raises:
        DataError: the file cannot be read, or is empty, or the column is missing.
    """
    path = Path(path)
    if column:
        return _texts(read_table(path, [column.lower()])[0])
    require_lines(path)
    texts = [text for _, line in text_lines(path) if (text := line.strip())]
    if not texts:
        raise DataError(f"{path} holds no text.")
    return texts


# --- splits ---


def split_question_pairs(pairs: QuestionPairs, source: str, seed: int = 0) -> QuestionData:
    """Split question pairs so that no question is in two splits, and each holds both kinds of pairs.

    Groups of duplicates go to one split whole; a different pair whose questions are in two splits is left out.

    Raises:
        DataError: there is no such split.
    """
    turned = QuestionPairs(pairs.question2, pairs.question1, pairs.same, pairs.qid2, pairs.qid1)
    groups = [components(side, duplicates_only=True) for side in (pairs, turned)]
    for number in range(seed, seed + TRIES):
        split_of = np.empty(2 * len(pairs), int)
        for split, rows in enumerate(_split(np.concatenate(groups), "pairs", number)):
            split_of[rows] = split
        left, right = np.split(split_of, 2)
        splits = [pairs.take((left == split) & (right == split)) for split in range(len(FRACTIONS))]
        try:
            # A threshold holds for one fraction of duplicates: that of all pairs
            fraction = float(pairs.same.mean())
            validation, test = (draw_to_fraction(split, fraction, number) for split in splits[1:])
        except ValueError:
            continue
        if left_out := len(pairs) - sum(map(len, splits)):
            print(f"{left_out:,} pairs left out: their questions are in two splits.")
        if drawn := sum(map(len, splits[1:])) - len(validation) - len(test):
            print(
                f"{drawn:,} pairs left out of validation and test: there, the fraction of duplicates is that of all pairs."
            )
        return QuestionData(splits[0], validation, test, [], source)
    raise DataError(
        f"{source}: no split of {len(pairs)} pairs has duplicates and others for training, validation and "
        "test. Add pairs of questions that occur nowhere else."
    )


def split_scored_pairs(pairs: ScoredPairs, source: str, seed: int = 0) -> ScoredData:
    """Split scored pairs so that no sentence is in two splits.

    Raises:
        DataError: the pairs are too few, or all linked, or have all the same score.
    """
    component = _linked(pairs.sentence1, pairs.sentence2)
    for number in range(seed, seed + TRIES):
        train, validation, test = map(pairs.take, _split(component, "pairs", number))
        if min(len(np.unique(rows.score)) for rows in (train, validation, test)) > 1:
            return ScoredData(train, validation, test, source)
    raise DataError(
        f"{source}: no split of {len(pairs)} pairs has different scores for training, validation and test. "
        "Add pairs of sentences that occur nowhere else."
    )


def split_triplets(triplets: Triplets, source: str, seed: int = 0) -> TripletData:
    """Split triplets so that no sentence is in two splits; errors as ``split_scored_pairs``."""
    anchors = triplets.anchor * 2
    component = _linked(anchors, triplets.positive + triplets.negative)[: len(triplets)]
    rows = _split(component, "triplets", seed)
    train, validation, test = map(triplets.take, rows)
    return TripletData(train, validation, test, source)


def _linked(left: list[str], right: list[str]) -> np.ndarray:
    """The component of each pair of texts, linked by those they share."""
    ids = number_questions(left, right)
    return components(QuestionPairs(left, right, np.zeros(len(left), "int8"), *ids))


def _split(component: np.ndarray, what: str, seed: int) -> list[np.ndarray]:
    try:
        return split_components(component, FRACTIONS, seed)
    except ValueError as error:
        raise DataError(
            f"The {what} share too many texts and cannot be split into training, validation and test "
            f"({error})."
        ) from error
