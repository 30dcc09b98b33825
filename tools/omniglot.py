"""Make data/omniglot/omniglot.npz from the original drawings and the official runs.

    python tools/omniglot.py FOLDER

FOLDER holds images_background.npz, images_evaluation.npz and all_runs.zip. Every image of a run is looked
up among the evaluation drawings, pixel by pixel, so that a run is 40 pairs (character, drawer).
"""

import io
import sys
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

from siamese_course.datasets.omniglot import LEVELS, SPLITS

OUT = Path(__file__).resolve().parents[1] / "data" / "omniglot" / "omniglot.npz"

# Alphabets in the order of the arrays, which do not hold the names, with the published number of characters
ALPHABETS = {
    "background": {
        "Arcadian": 26,
        "Armenian": 41,
        "Asomtavruli (Georgian)": 40,
        "Balinese": 24,
        "Bengali": 46,
        "Blackfoot (Canadian Aboriginal Syllabics)": 14,
        "Braille": 26,
        "Cyrillic": 33,
        "Early Aramaic": 22,
        "Syriac (Estrangelo)": 23,
        "Anglo-Saxon Futhorc": 29,
        "Futurama": 26,
        "Grantha": 43,
        "Greek": 24,
        "Gujarati": 48,
        "Hebrew": 22,
        "Japanese (hiragana)": 52,
        "Inuktitut (Canadian Aboriginal Syllabics)": 16,
        "Malay (Jawi - Arabic)": 40,
        "Japanese (katakana)": 47,
        "Korean": 40,
        "Latin": 26,
        "Alphabet of the Magi": 20,
        "Mkhedruli (Georgian)": 41,
        "Burmese (Myanmar)": 34,
        "N'Ko": 33,
        "Ojibwe (Canadian Aboriginal Syllabics)": 14,
        "Sanskrit": 42,
        "Tagalog": 17,
        "Tifinagh": 55,
    },
    "evaluation": {
        "Angelic": 20,
        "Atemayar Qelisayer": 26,
        "Atlantean": 26,
        "Aurek-Besh": 26,
        "Avesta": 26,
        "Ge'ez": 26,
        "Glagolitic": 45,
        "Gurmukhi": 45,
        "Kannada": 41,
        "Keble": 26,
        "Malayalam": 47,
        "Manipuri": 40,
        "Mongolian": 30,
        "Old Church Slavonic (Cyrillic)": 45,
        "Oriya": 46,
        "Syriac (Serto)": 23,
        "Sylheti": 28,
        "Tengwar": 25,
        "Tibetan": 42,
        "ULOG": 26,
    },
}


def read_drawings(path: Path, count: int) -> np.ndarray:
    """Read the original drawings of ``count`` characters: (count, 20, 105, 105) bool, ink True.

    Raises:
        ValueError: the file holds something else.
    """
    with np.load(path, allow_pickle=False) as file:
        paper = file["images"]
    if paper.shape != (count, 20, 105, 105) or paper.dtype != bool:
        raise ValueError(
            f"{path} has images of shape {paper.shape} and type {paper.dtype}; expected "
            f"({count}, 20, 105, 105) of bool"
        )
    return ~paper


def ink_levels(drawings: np.ndarray, size: int = 28) -> np.ndarray:
    """Scale square drawings down, in whole steps of ink; a pixel has the mean ink of the area that it covers.

    Args:
        drawings: (..., side, side), ink 1 and paper 0.
        size: the new side, at most the old one.

    Returns:
        (..., size, size) uint8, from 0 to 15.
    """
    side = drawings.shape[-1]
    edges = np.arange(size + 1) * side / size
    # The overlap of new pixel i with old pixel j, as a fraction of the new one
    pixels = np.arange(side)
    overlap = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    weights = (np.maximum(overlap, 0) * size / side).astype("float32")
    flat = drawings.reshape(-1, side, side)
    # In pieces: as floats, all drawings at once would take a gigabyte
    pieces = [
        np.rint(weights @ flat[start : start + 1000].astype("float32") @ weights.T * LEVELS)
        for start in range(0, len(flat), 1000)
    ]
    return np.concatenate(pieces).astype("uint8").reshape(*drawings.shape[:-2], size, size)


def read_runs(path: Path, evaluation: np.ndarray) -> np.ndarray:
    """Return the official runs as indices: (20, 2, 20, 2) of run, train or test, item, (character, drawer)."""
    places = {
        drawing.tobytes(): (character, drawer)
        for character, drawings in enumerate(evaluation)
        for drawer, drawing in enumerate(drawings)
    }
    with zipfile.ZipFile(path) as archive:

        def place(name: str) -> tuple[int, int]:
            image = np.array(Image.open(io.BytesIO(archive.read(name))).convert("L"))
            return places[(image < 128).tobytes()]

        runs = []
        for run in (f"run{number:02d}" for number in range(1, 21)):
            train = {f"{run}/training/class{i:02d}.png": None for i in range(1, 21)}
            test = {f"{run}/test/item{i:02d}.png": None for i in range(1, 21)}
            found = {name: place(name) for name in (*train, *test)}
            # The published answers must be what the drawings show
            for line in archive.read(f"{run}/class_labels.txt").decode().splitlines():
                item, answer = line.split()
                assert found[item][0] == found[answer][0], line
            runs.append([[found[name] for name in names] for names in (train, test)])
    return np.array(runs, dtype="int16")


def main(folder: Path) -> None:
    """Write the file."""
    arrays = {}
    for split in SPLITS:
        names, counts = zip(*ALPHABETS[split].items(), strict=True)
        drawings = read_drawings(folder / f"images_{split}.npz", sum(counts))
        arrays[f"{split}_levels"] = ink_levels(drawings)
        arrays[f"{split}_alphabets"] = np.repeat(np.arange(len(names), dtype="uint8"), counts)
        arrays[f"{split}_names"] = np.array(names)
    # The last drawings read are those of the evaluation characters
    arrays["runs"] = read_runs(folder / "all_runs.zip", drawings)
    np.savez_compressed(OUT, **arrays)
    print(f"{OUT}: {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
