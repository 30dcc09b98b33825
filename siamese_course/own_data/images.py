"""Images of one's own: a folder with one subfolder a class, or an .npz file."""

import hashlib
import os
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from siamese_course.runtime.errors import DataError
from siamese_course.validation import require_images

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff")

DAMAGED = (OSError, RuntimeError, TypeError, ValueError, struct.error, zlib.error)
"""What Pillow and NumPy raise for damaged files, besides errors of their own."""


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
    seen = [file for file in sorted(_below(path)) if not _is_hidden(file.relative_to(path))]
    files = [file for file in seen if file.suffix.lower() in IMAGE_SUFFIXES]
    if not files:
        raise DataError(f"{path} holds no image: {', '.join(IMAGE_SUFFIXES)}, or an .npz file.")
    kinds = Counter(f.suffix.lower() or f.name for f in set(seen) - set(files) if f.is_file())
    if kinds:
        skipped = ", ".join(f"{count:,} {_readable(kind)}" for kind, count in sorted(kinds.items()))
        print(
            f"{path}: files that are skipped, since the course doesn't read them as images: {skipped}."
        )
    pixels = []
    for file in files:
        pixels.append(read_image(file, size, channels))
        size = size or pixels[0].shape[:2]
    names = [_readable(str(file.relative_to(path))) for file in files]
    folders = [Path(name).parts[0] if len(Path(name).parts) > 1 else "" for name in names]
    if "" in folders:
        return Images(np.stack(pixels), None, [], names)
    classes, labels = np.unique(folders, return_inverse=True)
    folders_there = (file.name for file in path.iterdir() if file.is_dir())
    others = {_readable(name) for name in folders_there if name[0] != "."}
    if empty := sorted(others - set(classes.tolist())):
        print(f"{path}: no image in {', '.join(empty)}; left out.")
    return Images(np.stack(pixels), labels.astype("int64"), classes.tolist(), names)


def _below(path: Path) -> Iterator[Path]:
    """Yield every file below a folder, also in linked folders, each folder once."""
    known = set()
    for folder, inside, names in os.walk(path, followlinks=True):
        if (real := os.path.realpath(folder)) in known:
            inside.clear()
            continue
        known.add(real)
        yield from (Path(folder, name) for name in names)


def _readable(name: str) -> str:
    """A file's name as text that can be written: on Linux it may hold bytes that are no UTF-8."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _is_hidden(file: Path) -> bool:
    """Whether a file is one of those that Jupyter or macOS hide beside images."""
    return any(part[0] == "." for part in file.parts)


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
    except (*DAMAGED, SyntaxError, Image.DecompressionBombError) as error:
        raise DataError(
            f"{file} cannot be read as an image ({error}). Replace or remove it."
        ) from error


def _read_npz(path: Path) -> Images:
    if path.suffix.lower() != ".npz":
        raise DataError(f"{path} is neither a folder of images nor an .npz file.")
    try:
        with np.load(path) as stored:
            images, labeled = stored["images"], "labels" in stored.files
    except (*DAMAGED, LookupError, AttributeError, EOFError, BadZipFile) as error:
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
    if not labeled:
        return Images(images, None, [], names)
    try:
        with np.load(path) as stored:
            labels = stored["labels"]
    except (*DAMAGED, EOFError, BadZipFile) as error:
        raise DataError(
            f"{path}: the labels cannot be read ({error}). Save them as numbers or as text: labels.astype(str)."
        ) from error
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
