"""Exercise 13 of notebook 02: predict."""

import contextlib
import io

import numpy as np

from siamese_course.batching.padding import pad_pair
from siamese_course.batching.tokens import UNKNOWN
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    as_array,
    is_hidden,
    require_returned,
)
from siamese_course.exercises.quora_triplet.rows import Embedder, told_to_pad

CASES = [
    ("how old are you", "how old is the sun really"),
    ("what is your age", "what is your age"),
    ("where are you from", "where are you going"),
    ("a", "b c d e f g"),
]
HIDDEN_CASE = ("how many of the words in this long question does it really read", "a b c")


def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    """Whether two typed questions are duplicates."""
    similarity = _similarity(question1, question2, to_ids, embed)
    if verbose:
        print(f"similarity {similarity:.3f}, threshold {threshold:.3f}")
    return similarity > threshold


def _similarity(question1, question2, to_ids, embed) -> float:
    first, second = pad_pair([to_ids(question1)], [to_ids(question2)])
    return float(np.sum(embed(first) * embed(second)))


def _to_ids(question):
    return [2 + sum(map(ord, word)) % 1900 for word in question.split()] or [UNKNOWN]


def _predict(answer, question1, question2, threshold, **options):
    embed, shown = Embedder(), io.StringIO()
    with contextlib.redirect_stdout(shown), told_to_pad():
        got = answer(question1, question2, _to_ids, embed, threshold, **options)
    return got, shown.getvalue(), embed


def _test(answer):
    for question1, question2 in [*CASES, *[HIDDEN_CASE] * is_hidden()]:
        cosine = _similarity(question1, question2, _to_ids, Embedder())
        for threshold in (cosine - 0.05, cosine + 0.05):
            got, _, embed = _predict(answer, question1, question2, threshold)
            if isinstance(got, bool | np.bool_) and not embed.shapes:
                raise Wrong(
                    "`embed` is never called: the answer does not depend on the questions.",
                    "no_embed",
                )
            _require_decision(got, cosine, threshold)
            if any(len(shape) != 2 or shape[0] > 2 for shape in embed.shapes):
                raise Wrong(
                    f"The model got arrays of shape {embed.shapes}; expected batches of one: (1, length).",
                    "batch_size",
                )
    _require_at_threshold(answer)
    _require_unrounded(answer)


def _require_at_threshold(answer):
    """A similarity of exactly 1, and that threshold."""

    def embed(ids):
        return np.tile([1.0, 0.0], (len(ids), 1))

    got = answer("one", "one more", _to_ids, embed, 1.0)
    require_returned(got)
    if as_array(got).ravel().tolist() != [0.0]:
        raise Wrong(
            "A similarity equal to the threshold counts as duplicate. Only above it does: `>`.",
            "at_least",
        )


def _require_unrounded(answer):
    """Thresholds so near the similarity that two or three digits of it don't decide."""
    for question1, question2 in CASES[:3]:
        cosine = _similarity(question1, question2, _to_ids, Embedder())
        for threshold in (cosine - 4e-4, cosine + 4e-4):
            got, _, _ = _predict(answer, question1, question2, threshold)
            if bool(got) != (cosine > threshold):
                raise Wrong(
                    f"With similarity {cosine:.5f} and threshold {threshold:.5f} the answer is {bool(got)}. Compare the "
                    "similarity as it is, not rounded.",
                    "rounded",
                )


def _require_decision(got, cosine, threshold):
    require_returned(got)
    if isinstance(got, str):
        raise Wrong("The result is a text. Return True or False.", "text")
    value = as_array(got)
    if value.size != 1:
        raise Wrong(f"The result has shape {value.shape}; expected one True or False.", "shape")
    value = float(value.ravel()[0])
    if np.isclose(value, cosine, atol=1e-5) and value not in (0.0, 1.0):
        raise Wrong(
            "This is the similarity. Compare it with the threshold: True or False.", "similarity"
        )
    if value not in (0.0, 1.0):
        raise Wrong(f"The result is {value:g}; expected True or False.", "no_bool")
    if bool(value) != (cosine > threshold):
        raise Wrong(
            f"With similarity {cosine:.3f} and threshold {threshold:.3f} the answer is {bool(value)}. Duplicates are "
            "those *above* the threshold that is given. Are both questions used, and is it the argument `threshold`?",
            "decision",
        )


def _test_verbose(answer):
    question1, question2 = CASES[0]
    _, quiet, _ = _predict(answer, question1, question2, 0.3)
    if quiet:
        raise Wrong("It prints although verbose is False.", "always_prints")
    _, shown, _ = _predict(answer, question1, question2, 0.3, verbose=True)
    if not shown:
        raise Wrong("With verbose=True it should print the similarity.", "never_prints")
    cosine = _similarity(question1, question2, _to_ids, Embedder())
    if f"{cosine:.2f}"[:-1] not in shown and f"{cosine:.3f}"[:-1] not in shown:
        raise Wrong(
            f"With verbose=True the similarity, {cosine:.3f}, should be in what is printed.",
            "no_similarity",
        )


prediction = Exercise(
    name="02.prediction",
    title="Predict",
    parts=[Part(2, _test), Part(1, _test_verbose)],
    reference=[predict],
    hints=(
        "The same as for a batch of pairs, with a batch of one: ids, padding, embedding, cosine, threshold.",
        "`pad_pair([ids1], [ids2])` makes two arrays of shape (1, length). The cosine is the sum of the product of the "
        "two embeddings.",
        "`first, second = pad_pair([to_ids(question1)], [...])`, `similarity = float(np.sum(embed(first) * ...))`, "
        "`return similarity > ...`.",
    ),
)
