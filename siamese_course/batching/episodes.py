"""Batches of characters: episodes of the one-shot task, classes times drawings, and distorted drawings.

Drawings are ``(characters, drawings, height, width)``: every character is a class, and the second axis holds
its drawings. All choices come from the generator that is passed in.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from keras import ops

from siamese_course.validation import (
    require_between,
    require_count,
    require_labels,
    require_numbers,
    require_rng,
)


class Episode(NamedTuple):
    """One N-way K-shot task, as indices: pairs (character, drawing) in the last axis.

    Attributes:
        support: (ways, shots, 2), the examples of each class.
        queries: (ways * queries, 2), what is to be classified, in random order.
        answers: (ways * queries,), the row of ``support`` that shows the query's character.
    """

    support: np.ndarray
    queries: np.ndarray
    answers: np.ndarray


def _require_drawings(drawings: npt.ArrayLike) -> np.ndarray:
    """Return drawings as float32 (characters, drawings, height, width) in [0, 1]."""
    drawings = require_numbers(
        drawings, "drawings", (None,) * 4, "(characters, drawings, height, width)"
    )
    low, high = drawings.min(), drawings.max()
    if low < 0 or high > 1:
        raise ValueError(
            f"drawings holds values from {low:g} to {high:g}; expected values in [0, 1]"
        )
    return drawings.astype("float32", copy=False)


def split_alphabets(
    alphabets: npt.ArrayLike, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Hold out all characters of some alphabets, drawn at random.

    A character belongs to one alphabet, so no alphabet and no character is on both sides.

    Args:
        alphabets: (n,) the alphabet of each character.
        count: alphabets to hold out, at least 1 and fewer than there are.

    Returns:
        (train, held_out): indices of characters, ascending.

    Raises:
        ValueError: labels that are not integers, or ``count`` out of range.
    """
    alphabets = require_labels(alphabets, name="alphabets")
    require_rng(rng)
    names = np.unique(alphabets)
    require_count(count, "count", len(names) - 1, f"one of the {len(names)} alphabets must be left")
    chosen = np.isin(alphabets, rng.choice(names, count, replace=False))
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)


def draw_episode(
    groups: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    ways: int = 20,
    shots: int = 1,
    queries: int = 1,
    drawings: int = 20,
) -> Episode:
    """Draw one N-way K-shot episode from the characters of one group, such as an alphabet.

    A drawer is a column of the drawings: the support of all classes comes from the same ``shots`` drawers,
    the queries from ``queries`` others. With the defaults it is a run of Omniglot's official test, made of
    other characters.

    Args:
        groups: (characters,) integers, the alphabet of each; all equal for tasks of mixed alphabets. A
            group is drawn among those with enough characters.
        ways: classes, N.
        shots: examples of each class, K.
        queries: queries of each class.
        drawings: how many drawings each character has.

    Raises:
        ValueError: no group has ``ways`` characters, or there are fewer drawings than shots and queries.
    """
    groups = require_labels(groups, name="groups")
    require_rng(rng)
    names, counts = np.unique(groups, return_counts=True)
    require_count(ways, "ways", int(counts.max()), "the characters of the largest group")
    require_count(shots, "shots", drawings - 1, "one fewer than there are")
    require_count(queries, "queries", drawings - shots, "the drawings that are left")
    group = rng.choice(names[counts >= ways])
    characters = rng.choice(np.flatnonzero(groups == group), ways, replace=False)
    drawers = rng.choice(drawings, shots + queries, replace=False)
    pairs = np.stack(np.broadcast_arrays(characters[:, None], drawers[None]), axis=-1)
    answers = rng.permutation(np.repeat(np.arange(ways), queries))
    # Which query of its class: the first, the second, ... time that the class comes up
    turn = np.empty_like(answers)
    turn[np.argsort(answers, kind="stable")] = np.tile(np.arange(queries), ways)
    return Episode(pairs[:, :shots], pairs[answers, shots + turn], answers)


def class_batches(
    drawings: npt.ArrayLike, rng: np.random.Generator, *, classes: int = 64, per_class: int = 4
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield batches of P classes times K drawings without end, for a loss that forms every pair itself.

    Args:
        drawings: (characters, drawings, height, width) in [0, 1].
        classes: different characters in a batch, P.
        per_class: different drawings of each, K.

    Yields:
        (images, labels): (P K, height, width, 1) float32, and (P K,) int64, the index of the character; the
        K drawings of a character follow each other.

    Raises:
        ValueError: drawings of another shape or range, or more classes or drawings than there are.
    """
    drawings = _require_drawings(drawings)
    require_rng(rng)
    characters, count = drawings.shape[:2]
    require_count(classes, "classes", characters, "the characters there are", 2)
    require_count(per_class, "per_class", count, "the drawings of a character")
    while True:
        labels = np.repeat(rng.choice(characters, classes, replace=False), per_class)
        order = rng.permuted(np.tile(np.arange(count), (classes, 1)), axis=1)
        yield drawings[labels, order[:, :per_class].ravel()][..., None], labels


def rotated_classes(drawings: npt.ArrayLike) -> np.ndarray:
    """Make four classes of each character: its drawings rotated by 0, 90, 180 and 270 degrees.

    A rotated character is another character, as "p" and "d" are. (Some characters look the same when rotated;
    they are few.)

    Args:
        drawings: (characters, drawings, side, side) in [0, 1].

    Returns:
        (4 characters, drawings, side, side) float32: all of them upright first, then all rotated once, ...

    Raises:
        ValueError: not squares, or values outside [0, 1].
    """
    drawings = _require_drawings(drawings)
    if drawings.shape[2] != drawings.shape[3]:
        raise ValueError(f"drawings has shape {drawings.shape}; expected squares")
    return np.concatenate([np.rot90(drawings, turns, axes=(2, 3)) for turns in range(4)])


def distort(
    images: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    rotation: float = 15.0,
    shear: float = 15.0,
    zoom: float = 0.2,
    shift: float = 2.5,
) -> np.ndarray:
    """Distort every image by a random affine map about its center: as if drawn by another hand.

    Each value is drawn uniformly between plus and minus its bound.

    Args:
        images: (n, height, width, 1) float32, paper 0.
        rotation: degrees.
        shear: degrees by which upright lines lean.
        zoom: the natural logarithm of the scale, of height and width separately; 0.2 is 0.82 to 1.22.
        shift: pixels, down and to the right.

    Returns:
        (n, height, width, 1) float32, bilinear.

    Raises:
        ValueError: images of another shape, or a bound out of range.
    """
    images = require_numbers(images, "images", (None, None, None, 1), "(n, height, width, 1)")
    require_rng(rng)
    bounds = {"rotation": (rotation, 180), "shear": (shear, 60), "zoom": (zoom, 1)}
    for name, (value, largest) in {**bounds, "shift": (shift, math.inf)}.items():
        require_between(value, name, 0, largest)
    turn, lean = np.deg2rad(rng.uniform(-1, 1, (2, len(images))) * [[rotation], [shear]])
    wide, high = np.exp(rng.uniform(-zoom, zoom, (2, len(images))))
    moved = rng.uniform(-shift, shift, (2, len(images)))
    return affine_images(images, turn, lean, (wide, high), moved)


def affine_images(
    images: np.ndarray,
    turn: npt.ArrayLike,
    lean: npt.ArrayLike,
    scales: tuple[npt.ArrayLike, npt.ArrayLike],
    moved: np.ndarray | tuple[float, float],
) -> np.ndarray:
    """Sample images through an affine map about their center, from the result to the source: scale, shear, rotate, shift.

    Args:
        images: (n, height, width, 1) float32.
        turn, lean: (n,) or one number, in radians.
        scales: source pixels for one pixel of the result, across and down: each (n,) or one number.
        moved: how far the source point moves to the right and down, in pixels: (2, n), or two numbers.

    Returns:
        (n, height, width, 1) float32, bilinear, zero outside.
    """
    count, height, width = images.shape[:3]
    turn, lean, wide, high = (
        np.broadcast_to(value, count) for value in (turn, np.tan(lean), *scales)
    )
    cos, sin = np.cos(turn), np.sin(turn)
    # Where each pixel of the result comes from: x' = a0 x + a1 y + a2, y' = b0 x + b1 y + b2
    a0, a1 = cos * wide, (cos * lean - sin) * high
    b0, b1 = sin * wide, (sin * lean + cos) * high
    x, y = (width - 1) / 2, (height - 1) / 2
    right, down = (np.broadcast_to(value, count) for value in moved)
    a2, b2 = x - a0 * x - a1 * y + right, y - b0 * x - b1 * y + down
    zero = np.zeros(count)
    maps = np.stack([a0, a1, a2, b0, b1, b2, zero, zero], axis=1).astype("float32")
    return ops.convert_to_numpy(
        ops.image.affine_transform(
            images, maps, interpolation="bilinear", data_format="channels_last"
        )
    )
