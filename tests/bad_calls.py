"""Calls with one wrong argument each, of every public function that takes data: what comes of them?

``python -m tests.bad_calls`` prints the table. A call is *clear* if it raises a ValueError or TypeError that
names the argument, *unclear* if it raises anything else or takes more than a few seconds, and otherwise
*accepted*, *NaN* or *infinite*.
"""

import os
import re
import signal
import warnings
from collections import Counter
from collections.abc import Iterator

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

from siamese_course import evaluation, losses, search
from siamese_course.batching import episodes, images, padding, questions, sentences, tokens
from siamese_course.datasets import question_splits
from siamese_course.recipes import question_batches
from siamese_course.sources import question_pairs, sentence_tables

RNG = np.random.default_rng(0)
N, DIM = 6, 4
SECONDS = 3
ROWS = RNG.normal(size=(N, DIM)).astype("float32")
PAIRS = RNG.normal(size=(N, 2, DIM)).astype("float32")
TRIPLETS = RNG.normal(size=(N, 3, DIM)).astype("float32")
SAME = np.array([1, 0, 1, 0, 1, 0])
LABELS = np.array([0, 0, 1, 1, 2, 2])
SCORES = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "float32")
VALUES = np.linspace(0.1, 0.9, N)
PIXELS = RNG.random((N, 9)).astype("float32")
DRAWINGS = RNG.random((N, 2, 3, 3)).astype("float32")
IDS = [[2, 3], [4], [5, 6, 7], [2], [3, 4], [5]]
TEXTS = ["How old are you?", "What is it?", "Who?", "Why not?", "Where to?", "When?"]
QIDS = np.arange(N)


def spoiled(array, value):
    """A copy whose first number is another."""
    array = np.array(array, "float64")
    array.flat[0] = value
    return array


def numbers(array) -> dict[str, object]:
    """Wrong values for any argument that is an array of finite numbers."""
    return {
        "NaN": spoiled(array, np.nan),
        "infinity": spoiled(array, np.inf),
        "None": None,
        "text": "text",
        "strings": np.asarray(array).astype(str),
        "ragged": [[1.0], [1.0, 2.0]],
        "empty": np.asarray(array)[:0],
        "scalar": 3.0,
    }


def of_rows(array) -> dict[str, object]:
    return {
        **numbers(array),
        "one row": np.asarray(array)[0],
        "no columns": np.asarray(array)[..., :0],
    }


def of_sides(array) -> dict[str, object]:
    return {
        **of_rows(array),
        "a side more": np.concatenate([array, array[:, :1]], axis=1),
        "one side": array[:, :1],
        "huge": spoiled(array, 1e30).astype("float32"),
    }


def of_labels(labels) -> dict[str, object]:
    return {
        **{k: v for k, v in numbers(labels).items() if k != "text"},
        "one less": labels[:-1],
        "a matrix": np.stack([labels, labels], axis=1),
        "fractions": labels + 0.5,
    }


SAME_WRONG = {**of_labels(SAME), "-1 and 1": 2 * SAME - 1, "a 2": np.array([1, 0, 2, 0, 1, 0])}
SCORES_WRONG = {k: v for k, v in of_labels(SCORES).items() if k != "fractions"}
VALUES_WRONG = {k: v for k, v in of_labels(VALUES).items() if k != "fractions"}
POSITIVE = {
    "zero": 0.0,
    "negative": -1.0,
    "NaN": np.nan,
    "infinity": np.inf,
    "None": None,
    "text": "1",
}
NUMBER = {"NaN": np.nan, "None": None, "text": "0.5", "a list": [0.5]}
COUNT = {
    "zero": 0,
    "negative": -1,
    "a fraction": 2.5,
    "NaN": np.nan,
    "None": None,
    "text": "2",
    "too many": 10**6,
}
SIZE = {k: v for k, v in COUNT.items() if k != "too many"}
TEXTS_WRONG = {
    "one string": "text",
    "None": None,
    "numbers": [1, 2, 3, 4, 5, 6],
    "None inside": [*TEXTS[:5], None],
    "bytes": [text.encode() for text in TEXTS],
}
TEXTS_OF_ROW = {**TEXTS_WRONG, "one less": TEXTS[:-1]}
ID_ROWS = {
    "None": None,
    "text": "text",
    "strings": [["a"]] * N,
    "fractions": [[1.5]] * N,
    "flat": [1, 2, 3, 4, 5, 6],
}
COUNT_OF_SHOTS = {"zero": 0, "negative": -1, "a fraction": 1.5, "None": None, "text": "1"}
RNG_WRONG = {"None": None, "a seed": 0, "text": "rng"}
FRACTION = {"zero": 0.0, "one": 1.0, "NaN": np.nan, "None": None, "text": "0.5", "negative": -0.5}


def _table() -> list[tuple]:
    """(function, valid arguments, {argument: wrong values})."""
    rng = np.random.default_rng
    margin = {"margin": POSITIVE}
    pairs = question_pairs.QuestionPairs(TEXTS, TEXTS[::-1], SAME.astype("int8"), QIDS, QIDS + N)
    two_rows = {"left": of_rows(ROWS), "right": {**of_rows(ROWS), "another dim": ROWS[:, :3]}}
    series = {"predicted": VALUES_WRONG, "expected": {**VALUES_WRONG, "constant": np.ones(N)}}
    same_of = {"same": {**SAME_WRONG, "all 1": np.ones(N)}}
    distances = {"distances": VALUES_WRONG, **same_of}
    similarities = {"similarities": VALUES_WRONG, **same_of}
    by_value = {"similarities": VALUES, "same": SAME}
    by_distance = {"distances": VALUES, "same": SAME}
    return [
        (
            losses.euclidean_distance,
            {"left": ROWS, "right": ROWS},
            {
                k: {n: v for n, v in w.items() if n not in ("one row", "scalar")}
                for k, w in two_rows.items()
            },
        ),
        (
            losses.contrastive_loss,
            {"same": SAME, "embeddings": PAIRS, "margin": 5.0},
            {"same": SAME_WRONG, "embeddings": of_sides(PAIRS), **margin},
        ),
        (losses.squared_distances, {"embeddings": ROWS}, {"embeddings": of_rows(ROWS)}),
        (
            losses.all_pairs_contrastive_loss,
            {"labels": LABELS, "embeddings": ROWS, "margin": 5.0},
            {"labels": of_labels(LABELS), "embeddings": of_rows(ROWS), **margin},
        ),
        (
            losses.supervised_contrastive_loss,
            {"labels": LABELS, "embeddings": ROWS, "temperature": 0.1},
            {"labels": of_labels(LABELS), "embeddings": of_rows(ROWS), "temperature": POSITIVE},
        ),
        (
            losses.prototypical_loss,
            {"labels": LABELS, "embeddings": ROWS, "shots": 1},
            {"labels": of_labels(LABELS), "embeddings": of_rows(ROWS), "shots": COUNT_OF_SHOTS},
        ),
        (
            losses.mined_triplet_loss,
            {"labels": LABELS, "embeddings": ROWS, "margin": 0.2, "mining": "hard"},
            {
                "labels": of_labels(LABELS),
                "embeddings": of_rows(ROWS),
                "mining": {"another": "easy", "None": None, "a number": 1},
                **margin,
            },
        ),
        (losses.similarity_matrix, {"left": ROWS, "right": ROWS}, two_rows),
        (
            losses.hard_negatives,
            {"similarities": ROWS @ ROWS.T},
            {
                "similarities": {
                    **of_rows(ROWS @ ROWS.T),
                    "not square": ROWS,
                    "a single row": ROWS[:1, :1],
                }
            },
        ),
        (
            losses.triplet_loss,
            {"targets": SAME, "embeddings": PAIRS, "margin": 0.25},
            {"embeddings": {**of_sides(PAIRS), "a single pair": PAIRS[:1]}, **margin},
        ),
        (
            losses.in_batch_softmax_loss,
            {"same": SAME, "embeddings": PAIRS, "temperature": 0.05},
            {"same": SAME_WRONG, "embeddings": of_sides(PAIRS), "temperature": POSITIVE},
        ),
        (
            losses.labeled_pairs_loss,
            {"same": SAME, "embeddings": PAIRS, "scale": 20.0, "threshold": 0.6},
            {
                "same": SAME_WRONG,
                "embeddings": of_sides(PAIRS),
                "scale": POSITIVE,
                "threshold": NUMBER,
            },
        ),
        (
            losses.scale_scores,
            {"score": SCORES},
            {
                "score": {
                    k: v
                    for k, v in numbers(SCORES).items()
                    if k in ("NaN", "infinity", "None", "text", "strings")
                }
            },
        ),
        (
            losses.unit_length,
            {"embeddings": ROWS},
            {
                "embeddings": {
                    k: v for k, v in of_rows(ROWS).items() if k not in ("one row", "empty")
                }
            },
        ),
        (losses.row_cosines, {"embeddings": PAIRS}, {"embeddings": of_sides(PAIRS)}),
        (
            losses.cosine_regression_loss,
            {"targets": SCORES / 5, "embeddings": PAIRS},
            {"targets": {**SCORES_WRONG, "0 to 5": SCORES}, "embeddings": of_sides(PAIRS)},
        ),
        (
            losses.score_ranking_loss,
            {"scores": SCORES, "embeddings": PAIRS, "scale": 20.0},
            {"scores": SCORES_WRONG, "embeddings": of_sides(PAIRS), "scale": POSITIVE},
        ),
        (
            losses.distance_triplet_loss,
            {"targets": SAME, "embeddings": TRIPLETS, "margin": 1.0},
            {"embeddings": of_sides(TRIPLETS), **margin},
        ),
        (
            evaluation.knn_score,
            {
                "train_embeddings": ROWS,
                "train_labels": LABELS,
                "test_embeddings": ROWS,
                "test_labels": LABELS,
                "k": 1,
            },
            {
                "train_embeddings": of_rows(ROWS),
                "train_labels": of_labels(LABELS),
                "test_embeddings": {**of_rows(ROWS), "another dim": ROWS[:, :3]},
                "test_labels": of_labels(LABELS),
                "k": COUNT,
            },
        ),
        (
            evaluation.verify_one_shot,
            {"reference": ROWS[0], "queries": ROWS, "threshold": 1.0},
            {
                "reference": numbers(ROWS[0]),
                "queries": {**of_rows(ROWS), "another dim": ROWS[:, :3]},
                "threshold": NUMBER,
            },
        ),
        (
            evaluation.balanced_accuracy,
            {**by_distance, "threshold": 0.5},
            {**distances, "threshold": NUMBER},
        ),
        (evaluation.choose_threshold, by_distance, distances),
        (
            evaluation.accuracy_at,
            {**by_value, "threshold": 0.5},
            {**similarities, "threshold": NUMBER},
        ),
        (evaluation.accuracy_curve, by_value, similarities),
        (evaluation.choose_similarity_threshold, by_value, similarities),
        (evaluation.roc_auc, by_value, similarities),
        (evaluation.pearson, {"predicted": VALUES, "expected": SCORES}, series),
        (evaluation.spearman, {"predicted": VALUES, "expected": SCORES}, series),
        (
            evaluation.triplet_accuracy,
            {"anchor": ROWS, "positive": ROWS, "negative": ROWS},
            {
                "anchor": of_rows(ROWS),
                "positive": {**of_rows(ROWS), "one less": ROWS[:-1]},
                "negative": of_rows(ROWS),
            },
        ),
        (
            evaluation.same_clusters,
            {"labels": LABELS, "expected": LABELS},
            {"labels": of_labels(LABELS), "expected": of_labels(LABELS)},
        ),
        (
            search.semantic_search,
            {"queries": ROWS, "collection": ROWS, "k": 2},
            {
                "queries": {**of_rows(ROWS), "another dim": ROWS[:, :3]},
                "collection": of_rows(ROWS),
                "k": COUNT,
            },
        ),
        (
            search.build_index,
            {"collection": ROWS, "approximate": False},
            {"collection": of_rows(ROWS)},
        ),
        (
            search.mine_pairs,
            {"embeddings": ROWS, "top": 2, "block": 4},
            {"embeddings": of_rows(ROWS), "top": COUNT, "block": SIZE},
        ),
        (
            search.cluster,
            {"embeddings": ROWS, "k": 2, "seed": 0, "restarts": 1},
            {
                "embeddings": of_rows(ROWS),
                "k": COUNT,
                "seed": {"negative": -1, "text": "0", "a fraction": 0.5},
                "restarts": SIZE,
            },
        ),
        (
            images.classic_pairs,
            {"labels": LABELS, "batch_size": 2, "rng": rng(0)},
            {
                "labels": {"None": None, "scalar": 3, "a matrix": ROWS},
                "batch_size": COUNT,
                "rng": RNG_WRONG,
            },
        ),
        (
            images.balanced_pairs,
            {"labels": LABELS, "batch_size": 2, "rng": rng(0)},
            {
                "labels": {
                    k: v for k, v in of_labels(LABELS).items() if k not in ("strings", "one less")
                },
                "batch_size": COUNT,
                "rng": RNG_WRONG,
            },
        ),
        (
            images.pair_batches,
            {"images": PIXELS, "labels": LABELS, "pairs": [(QIDS, QIDS)]},
            {
                "images": {**of_rows(PIXELS), "0 to 255": 255 * PIXELS},
                "labels": of_labels(LABELS),
                "pairs": {
                    "None": None,
                    "a row that is not there": [(QIDS + 3, QIDS)],
                    "unequal": [(QIDS, QIDS[:3])],
                },
            },
        ),
        (
            images.all_pairs_batches,
            {"images": PIXELS, "labels": LABELS, "batch_size": 3, "rng": rng(0)},
            {
                "images": {**of_rows(PIXELS), "0 to 255": 255 * PIXELS},
                "labels": of_labels(LABELS),
                "batch_size": COUNT,
                "rng": RNG_WRONG,
            },
        ),
        (
            images.shift_images,
            {"images": PIXELS, "rng": rng(0), "max_shift": 1},
            {
                "images": {**of_rows(PIXELS), "no square": PIXELS[:, :8]},
                "rng": RNG_WRONG,
                "max_shift": {k: v for k, v in SIZE.items() if k != "zero"},
            },
        ),
        (
            evaluation.cosine_similarities,
            {"queries": ROWS, "references": ROWS},
            {
                "queries": of_rows(ROWS),
                "references": {**of_rows(ROWS), "another dim": ROWS[:, :3]},
            },
        ),
        (
            episodes.split_alphabets,
            {"alphabets": LABELS, "count": 2, "rng": rng(0)},
            {
                "alphabets": {
                    k: v for k, v in of_labels(LABELS).items() if k not in ("one less", "text")
                },
                "count": {**COUNT, "all": 3},
                "rng": RNG_WRONG,
            },
        ),
        (
            episodes.draw_episode,
            {"groups": LABELS, "rng": rng(0), "ways": 2},
            {"groups": VALUES_WRONG, "rng": RNG_WRONG, "ways": COUNT_OF_SHOTS},
        ),
        (
            episodes.distort,
            {"images": DRAWINGS[0, ..., None], "rng": rng(0)},
            {"images": numbers(DRAWINGS[0, ..., None]), "rng": RNG_WRONG},
        ),
        (
            episodes.rotated_classes,
            {"drawings": DRAWINGS},
            {"drawings": {**numbers(DRAWINGS), "0 to 255": 255 * DRAWINGS}},
        ),
        (padding.power_of_two, {"length": 3}, {"length": NUMBER}),
        (
            padding.pad,
            {"rows": IDS, "length": 4},
            {
                "rows": ID_ROWS,
                "length": {"too short": 2, "negative": -1, "a fraction": 4.5, "text": "4"},
            },
        ),
        (
            padding.pad_pair,
            {"left": IDS, "right": IDS},
            {"left": ID_ROWS, "right": {**ID_ROWS, "one less": IDS[:-1]}},
        ),
        (
            questions.classic_batches,
            {"left": IDS, "right": IDS, "batch_size": 2, "rng": rng(0)},
            {
                "left": {"None": None, "text": "text"},
                "right": {"None": None, "one less": IDS[:-1]},
                "batch_size": COUNT,
                "rng": RNG_WRONG,
            },
        ),
        (
            questions.group_batches,
            {"groups": LABELS, "batch_size": 2, "rng": rng(0), "lengths": QIDS},
            {
                "groups": {
                    k: v
                    for k, v in of_labels(LABELS).items()
                    if k not in ("strings", "one less", "infinity", "fractions")
                },
                "batch_size": COUNT,
                "rng": RNG_WRONG,
                "lengths": {"one less": QIDS[:-1], "NaN": spoiled(QIDS, np.nan), "text": "text"},
            },
        ),
        (
            questions.false_negatives,
            {"groups": LABELS, "batches": [QIDS[:3], QIDS[3:]]},
            {
                "groups": {
                    "None": None,
                    "scalar": 3,
                    "a matrix": ROWS,
                    "NaN": spoiled(LABELS, np.nan),
                },
                "batches": {
                    "None": None,
                    "none": [],
                    "a row that is not there": [QIDS + 3],
                    "fractions": [QIDS + 0.5],
                },
            },
        ),
        (
            question_batches.course_batches,
            {
                "left": IDS,
                "right": IDS[::-1],
                "same": SAME,
                "groups": LABELS,
                "rng": rng(0),
                "batch_size": 4,
            },
            {
                "left": ID_ROWS,
                "right": {**ID_ROWS, "one less": IDS[:-1]},
                "same": SAME_WRONG,
                "groups": {
                    k: v
                    for k, v in of_labels(LABELS).items()
                    if k not in ("strings", "infinity", "fractions")
                },
                "rng": RNG_WRONG,
                "batch_size": SIZE,
            },
        ),
        (
            sentences.pad_rows,
            {"rows": IDS, "pad_id": 1, "length": 4},
            {
                "rows": {**ID_ROWS, "none": []},
                "pad_id": {"None": None, "a fraction": 1.5, "text": "1"},
                "length": {"too short": 2, "negative": -1, "a fraction": 4.5, "text": "4"},
            },
        ),
        (
            sentences.length_batches,
            {"rows": IDS, "batch_size": 2, "pad_id": 1},
            {"rows": ID_ROWS, "batch_size": SIZE, "pad_id": {"None": None, "text": "1"}},
        ),
        (
            sentences.random_batches,
            {"sides": [IDS, IDS], "targets": SCORES, "batch_size": 2, "rng": rng(0), "pad_id": 1},
            {
                "sides": {"None": None, "one less": [IDS, IDS[:5]], "none": [[], []]},
                "targets": {k: v for k, v in SCORES_WRONG.items() if k != "a matrix"},
                "batch_size": SIZE,
                "rng": RNG_WRONG,
                "pad_id": {"None": None, "text": "1"},
            },
        ),
        (
            tokens.build_vocabulary,
            {"questions": TEXTS, "tokenize": str.split, "min_count": 1},
            {
                "questions": TEXTS_WRONG,
                "tokenize": {"None": None, "text": "simple"},
                "min_count": {k: v for k, v in SIZE.items() if k != "zero"},
            },
        ),
        (
            tokens.encode,
            {
                "questions": TEXTS,
                "vocabulary": {"<PAD>": 1},
                "tokenize": str.split,
                "max_length": 4,
                "buckets": 2,
            },
            {
                "questions": TEXTS_WRONG,
                "vocabulary": {"None": None, "a list": TEXTS},
                "tokenize": {"None": None, "text": "simple"},
                "max_length": SIZE,
                "buckets": {k: v for k, v in SIZE.items() if k != "zero"},
            },
        ),
        (
            tokens.tokenizer,
            {"name": "simple"},
            {"name": {"unknown": "words", "None": None, "a number": 1}},
        ),
        (
            question_pairs.QuestionPairs,
            vars(pairs),
            {
                "question1": TEXTS_OF_ROW,
                "question2": TEXTS_OF_ROW,
                "same": SAME_WRONG,
                "qid1": {k: v for k, v in of_labels(QIDS).items() if k != "strings"},
                "qid2": {"one less": QIDS[:-1]},
            },
        ),
        (
            question_pairs.number_questions,
            {"question1": TEXTS, "question2": TEXTS},
            {"question1": TEXTS_WRONG, "question2": TEXTS_OF_ROW},
        ),
        (question_splits.components, {"pairs": pairs}, {"pairs": {"None": None, "a list": TEXTS}}),
        (
            question_splits.split_pairs,
            {"pairs": pairs, "fractions": (0.5, 0.5), "seed": 0},
            {
                "pairs": {"None": None, "a list": TEXTS},
                "fractions": {
                    "too much": (0.9, 0.9),
                    "negative": (1.5, -0.5),
                    "none": (),
                    "NaN": (np.nan, 0.5),
                    "text": "ab",
                    "None": None,
                },
                "seed": {"negative": -1, "text": "0"},
            },
        ),
        (
            question_splits.draw_to_fraction,
            {"pairs": pairs, "fraction": 0.5, "seed": 0},
            {
                "pairs": {"None": None, "one kind": pairs.duplicates()},
                "fraction": FRACTION,
            },
        ),
        (
            sentence_tables.ScoredPairs,
            {"sentence1": TEXTS, "sentence2": TEXTS, "score": SCORES},
            {
                "sentence1": TEXTS_OF_ROW,
                "sentence2": TEXTS_OF_ROW,
                "score": {**SCORES_WRONG, "0 to 100": 20 * SCORES, "negative": SCORES - 1},
            },
        ),
        (
            sentence_tables.Triplets,
            {"anchor": TEXTS, "positive": TEXTS, "negative": TEXTS},
            dict.fromkeys(("anchor", "positive", "negative"), TEXTS_OF_ROW),
        ),
    ]


def calls() -> Iterator[tuple]:
    """(function, valid arguments, argument, what is wrong, its value)."""
    for function, valid, wrong in _table():
        for argument, values in wrong.items():
            for what, value in values.items():
                yield function, valid, argument, what, value


def _too_long(number, frame):
    raise TimeoutError(f"more than {SECONDS} s")


def outcome(function, arguments, argument=None) -> tuple[str, str]:
    """What comes of a call, and the message or the result."""
    has_alarm = hasattr(signal, "SIGALRM")  # not on Windows
    if has_alarm:
        signal.signal(signal.SIGALRM, _too_long)
        signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(**arguments)
            if isinstance(result, Iterator):
                result = next(result)
    except Exception as error:
        message = " ".join(str(error).split())
        named = argument is not None and re.search(rf"\b{argument}\b", message)
        clear = named and isinstance(error, ValueError | TypeError) and len(message) < 400
        return ("clear" if clear else "unclear"), f"{type(error).__name__}: {message[:110]}"
    finally:
        if has_alarm:
            signal.alarm(0)
    if hasattr(result, "__dataclass_fields__") or isinstance(result, dict):
        return "accepted", type(result).__name__
    try:
        flat = np.concatenate(
            [
                np.ravel(np.asarray(part, "float64"))
                for part in (result if isinstance(result, tuple) else (result,))
            ]
        )
    except (ValueError, TypeError):
        return "accepted", type(result).__name__
    if np.isnan(flat).any():
        return "NaN", ""
    return ("infinite" if np.isinf(flat).any() else "accepted"), str(flat[:3])


KINDS = ("clear", "accepted", "unclear", "NaN", "infinite")


def main() -> None:
    """Print how many calls of each module came to what, then each that was not clear."""
    counts: dict[str, Counter] = {}
    others = []
    for function, valid, argument, what, value in calls():
        kind, detail = outcome(function, {**valid, argument: value}, argument)
        module = function.__module__.removeprefix("siamese_course.").split(".")[0]
        counts.setdefault(module, Counter())[kind] += 1
        if kind != "clear":
            others.append(f"{kind:9} {function.__name__}({argument}: {what}) {detail}")
    print("\n".join(others))
    total = sum(counts.values(), Counter())
    print(f"{'module':12}{'calls':>8}" + "".join(f"{kind:>10}" for kind in KINDS))
    for name, found in [*counts.items(), ("all", total)]:
        print(f"{name:12}{found.total():8}" + "".join(f"{found[kind]:10}" for kind in KINDS))


if __name__ == "__main__":
    main()
