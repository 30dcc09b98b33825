"""Exercise 13 of notebook 02: predict."""

import contextlib
import io
from functools import partial

import numpy as np

from siamese_course.batching.padding import PAD, pad_pair
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
    ("Where ARE you from", " ".join(f"word{n}" for n in range(40))),
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


def _to_ids(question, shift=0):
    return [2 + (shift + sum(map(ord, word))) % 1900 for word in question.split()] or [UNKNOWN]


def _predict(answer, question1, question2, threshold, to_ids=_to_ids, **options):
    embed, shown = Embedder(), io.StringIO()
    with contextlib.redirect_stdout(shown), told_to_pad():
        got = answer(question1, question2, to_ids, embed, threshold, **options)
    return got, shown.getvalue(), embed


def _test(answer):
    for shift, (question1, question2) in enumerate([*CASES, *[HIDDEN_CASE] * is_hidden()]):
        to_ids = partial(_to_ids, shift=shift)  # other ids in each case, and other embeddings
        cosine = _similarity(question1, question2, to_ids, Embedder())
        thresholds, decisions = (cosine - 0.05, cosine + 0.05), []
        for threshold in thresholds:
            got, _, embed = _predict(answer, question1, question2, threshold, to_ids)
            decision = _decision(got, cosine)
            if not embed.shapes:
                raise Wrong(
                    f"For the questions {question1!r} and {question2!r}, this call's `embed` is not called. The answer must "
                    "always come from the cosine and the threshold.",
                    "no_embed",
                )
            decisions.append(decision)
        if decisions != [True, False]:
            _require_ids(embed.rows, [to_ids(question1), to_ids(question2)])
            first, second = (f"{threshold:.3f}" for threshold in thresholds)
            raise Wrong(
                f"With similarity {cosine:.3f} the answer is {decisions[0]} at threshold {first} and {decisions[1]} at "
                f"threshold {second}; expected True and False. Duplicates are those *above* the threshold.",
                "decision",
            )
        if any(len(shape) != 2 or shape[0] > 2 for shape in embed.shapes):
            raise Wrong(
                f"The model got arrays of shape {embed.shapes}; expected batches of one: (1, length).",
                "batch_size",
            )
    _require_at_threshold(answer)
    _require_sign(answer)
    _require_unrounded(answer)


def _require_ids(rows, questions):
    """The model got both questions, whole, and nothing but padding behind them."""
    made = [[_is_padded(row, ids) for ids in questions] for row in rows]
    for row, fits in zip(rows, made, strict=True):
        if not any(fits):
            raise Wrong(
                f"`embed` got the row {row}. The ids of the questions are {questions[0]} and {questions[1]}; only the "
                f"padding, {PAD}, may follow them.",
                "ids",
            )
    for number, ids in enumerate(questions):
        if not any(fits[number] for fits in made):
            raise Wrong(
                f"Question {number + 1} is never embedded: `embed` got {rows}, and its ids are {ids}.",
                "one_question",
            )


def _is_padded(row, ids):
    return row[: len(ids)] == ids and set(row[len(ids) :]) <= {PAD}


def _require_at_threshold(answer):
    """A similarity of exactly 1, and that threshold."""

    def embed(ids):
        return np.tile([1.0, 0.0], (len(ids), 1))

    got = answer("one", "one more", _to_ids, embed, 1.0)
    require_returned(got)
    if as_array(got).ravel().tolist() != [0.0]:
        raise Wrong(
            "A similarity equal to the threshold counts as a duplicate. Only one above it should: use `>`.",
            "at_least",
        )


def _require_sign(answer):
    """Embeddings that point in opposite directions: a similarity of -1."""
    (first,) = _to_ids("one")

    def embed(ids):
        return np.where(np.asarray(ids)[:, :1] == first, [1.0, 0.0], [-1.0, 0.0])

    got = answer("one", "more", _to_ids, embed, 0.5)
    require_returned(got)
    if as_array(got).ravel().tolist() != [0.0]:
        raise Wrong(
            "Questions with opposite embeddings, similarity -1, count as duplicates at threshold 0.5. Keep the sign.",
            "sign",
        )


def _require_unrounded(answer):
    """Thresholds so near the similarity that three or four digits of it don't decide."""
    for question1, question2 in CASES:
        cosine = _similarity(question1, question2, _to_ids, Embedder())
        for threshold in (cosine - 5e-5, cosine + 5e-5):
            got, _, _ = _predict(answer, question1, question2, threshold)
            if bool(got) != (cosine > threshold):
                raise Wrong(
                    f"With similarity {cosine:.6f} and threshold {threshold:.6f} the answer is {bool(got)}. Compare the "
                    "similarity as it is, not rounded.",
                    "rounded",
                )


def _decision(got, cosine) -> bool:
    require_returned(got)
    if isinstance(got, str):
        raise Wrong("The result is a string. Return True or False.", "text")
    array = as_array(got)
    if array.size != 1:
        raise Wrong(f"The result has shape {array.shape}; expected one True or False.", "shape")
    value = float(array.ravel()[0])
    if np.isclose(value, cosine, atol=1e-5) and value not in (0.0, 1.0):
        raise Wrong(
            "This is the similarity. Compare it with the threshold: True or False.", "similarity"
        )
    if value not in (0.0, 1.0):
        raise Wrong(f"The result is {value:g}; expected True or False.", "no_bool")
    return bool(value)


def _test_verbose(answer):
    for question1, question2 in CASES[::2]:
        cosine = _similarity(question1, question2, _to_ids, Embedder())
        quiet, shown, _ = _predict(answer, question1, question2, 0.3)
        if shown and _predict(answer, question1, question2, 0.3, verbose=False)[1]:
            raise Wrong("Your code prints even though verbose is False.", "always_prints")
        if shown:
            raise Wrong(
                "Your code prints when it's called without `verbose`. Its default must be False: `verbose=False` in the first "
                "line.",
                "default",
            )
        got, shown, _ = _predict(answer, question1, question2, 0.3, verbose=True)
        if not shown:
            raise Wrong("With verbose=True it should print the similarity.", "never_prints")
        if f"{cosine:.2f}"[:-1] not in shown and f"{cosine:.3f}"[:-1] not in shown:
            raise Wrong(
                f"With verbose=True this was printed: `{shown[:200].strip()}`. The similarity, {cosine:.3f}, should be in it.",
                "no_similarity",
            )
        if got is None and quiet is not None:
            raise Wrong(
                "With verbose=True the result is `None`. Print the similarity, *and* return True or False.",
                "only_prints",
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
