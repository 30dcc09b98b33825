"""The nine exercises of notebook 02, 100 points."""

import contextlib
import io
from collections import Counter
from collections.abc import Mapping
from itertools import chain

import numpy as np

from siamese_course import evaluation
from siamese_course.batching import padding, tokens
from siamese_course.batching import questions as batching
from siamese_course.exercises import observe
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    as_array,
    compare,
    is_hidden,
    seeded,
)
from siamese_course.exercises.explain import watch
from siamese_course.models import questions_trax as models
from siamese_course.models.trax_patch import training, trax

tl = trax.layers
jnp = trax.fastmath.numpy

# --- 1: vocabulary ------------------------------------------------------------------------------------

SENTENCES = ("why is the sky Blue ?", "why is the sea salty ?", "who ate the last biscuit ?")


WORDS_TO_DRAW = (
    "when",
    "did",
    "Paris",
    "grow",
    "that",
    "old",
    "garden",
    "Why",
    "owl",
    "sings",
    "bread",
    "?",
)


def _questions() -> tuple[str, ...]:
    """The three sentences, or others for the instructor's check."""
    if not is_hidden():
        return SENTENCES
    rng = seeded(1)
    return tuple(" ".join(["Oslo", *rng.choice(WORDS_TO_DRAW, 6), f"owl{n}"]) for n in range(3))


def tokenize_on_spaces(question: str) -> list[str]:
    """A tokenizer for the checks: it also parts hyphens, so that ``split`` shows; the instructor's, long words."""
    if is_hidden():
        return [part for word in question.split() for part in (word[:4], word[4:]) if part]
    return question.replace("-", " - ").split()


def build_vocabulary(questions, tokenize):
    """The course's answer: word -> id from 2 on, ``<PAD>`` -> 1."""
    return tokens.build_vocabulary(questions, tokenize)


def encode(question, vocabulary, tokenize):
    """The course's answer: the ids of a question, 0 for unknown words."""
    return tokens.encode([question], vocabulary, tokenize)[0]


def _test_vocabulary(answer):
    questions = [*_questions(), "a well-known riddle ?"]
    got = answer(list(questions), tokenize_on_spaces)
    if got is None:
        raise Wrong("The result is `None`: is a `return` missing?")
    if not isinstance(got, Mapping):
        raise Wrong(f"The result is a `{type(got).__name__}`; expected a dictionary, word -> id.")
    words = {token for question in questions for token in tokenize_on_spaces(question)}
    _require_words(got, words, questions)
    ids = sorted(got[word] for word in words)
    if tokens.PAD_TOKEN not in got:
        raise Wrong(f"`{tokens.PAD_TOKEN}` is missing: begin with `{{'{tokens.PAD_TOKEN}': 1}}`.")
    if got[tokens.PAD_TOKEN] != padding.PAD:
        raise Wrong(f"`{tokens.PAD_TOKEN}` must have the id 1; here it has {got[tokens.PAD_TOKEN]}.")
    _require_different_ids(got, words, questions)
    if 0 in ids:
        raise Wrong("A word has the id 0, which is kept for unknown words. Begin with 2.")
    if 1 in ids:
        raise Wrong(f"A word has the id 1, which is kept for `{tokens.PAD_TOKEN}`. Begin with 2.")
    if ids != list(range(2, 2 + len(words))):
        raise Wrong(
            f"{len(words)} words have ids from {ids[0]} to {ids[-1]}; expected 2 to {len(words) + 1}, with no gaps: "
            "a word seen again keeps its id, and the next new word gets the next one."
        )


def _require_different_ids(got, words, questions):
    counts = Counter(token for question in questions for token in tokenize_on_spaces(question))
    if all(got[word] == counts[word] for word in words):
        raise Wrong("These are counts: how often each word occurs. Number the words: 2, 3, 4, ...")
    by_id = {got[word]: word for word in sorted(words)}
    for word in sorted(words):
        if by_id[got[word]] != word:
            raise Wrong(
                f"Two words, `{word}` and `{by_id[got[word]]}`, have the same id. Give an id to *new* words only, "
                "and always the next number: `len(vocabulary) + 1`."
            )


def _require_words(got, words, questions):
    known = set(got) - {tokens.PAD_TOKEN}
    if known == words:
        return
    if known == set("".join(questions)) or known == set("".join(questions)) - {" "}:
        raise Wrong("The keys are single letters. Tokenize each question: `tokenize(question)`.")
    if known == {word.lower() for word in words}:
        raise Wrong(
            "The words are in lower case. This vocabulary takes them as `tokenize` gives them: `Blue` stays `Blue`."
        )
    if known == {word for question in questions for word in question.split()}:
        raise Wrong("The questions are cut at spaces. Use the function `tokenize` that is given.")
    if known == set(tokenize_on_spaces(questions[0])):
        raise Wrong("Only the first question's words are in. Is a `return` inside the loop?")
    if known == set(tokenize_on_spaces(questions[-1])):
        raise Wrong(
            "Only the last question's words are in. Is the dictionary made anew in the loop?"
        )
    if known == set(questions):
        raise Wrong("The keys are whole questions. Tokenize each: `tokenize(question)`.")
    if words <= set(got.values()):
        raise Wrong("The dictionary is turned round, id -> word. It must be word -> id.")
    if known - words:
        extra = sorted(known - words, key=str)[0]
        raise Wrong(
            f"`{extra}` is in the vocabulary and in no question. (Unknown words need no entry: they get 0.)"
        )
    raise Wrong(f"`{sorted(words - known)[0]}` is missing from the vocabulary.")


def _test_encode(answer):
    vocabulary = build_vocabulary(_questions(), tokenize_on_spaces)
    before = dict(vocabulary)
    question = "why is the moon-Blue ? and why the sea salty ?"
    if is_hidden():
        question = " ".join(
            [*_questions()[1].split()[::-1], "unheard-Oslo", *_questions()[2].split()[:4]]
        )
    tokens = tokenize_on_spaces(question)
    expected = [vocabulary.get(token, 0) for token in tokens]
    try:
        got = answer(question, vocabulary, tokenize_on_spaces)
    except KeyError as error:
        raise Wrong(
            f"The word {error} is not in the vocabulary, and stopped your code. Unknown words get the id 0: `.get`."
        ) from None
    if vocabulary != before:
        raise Wrong(
            "Your code added words to the vocabulary. It must come from the training questions only: "
            "a model has learned nothing about a word that first appears in the test."
        )
    if isinstance(got, list | tuple) and got and isinstance(got[0], str):
        raise Wrong("These are the words. Return their ids.")
    if isinstance(got, list | tuple) and None in got:
        raise Wrong("Unknown words became `None`. They get the id 0: `vocabulary.get(token, 0)`.")
    got = as_array(got)
    if np.array_equal(got, [vocabulary.get(word, 0) for word in question.split()]):
        raise Wrong("The question is cut at spaces. Use the function `tokenize` that is given.")
    if got.shape == (len(question),):
        raise Wrong("There is an id for every letter. Tokenize the question: `tokenize(question)`.")
    if got.shape != (len(expected),):
        if np.array_equal(got.ravel(), [i for i in expected if i]):
            raise Wrong(
                "The unknown words are left out. They get the id 0: the order of words counts."
            )
        raise Wrong(
            f"The result has shape {got.shape}; expected {(len(expected),)}, an id a token."
        )
    if np.array_equal(got, expected):
        return
    if np.array_equal(got, [i or 1 for i in expected]):
        raise Wrong(f"Unknown words got the id 1, which is `{tokens.PAD_TOKEN}`. They get 0.")
    if np.array_equal(got, sorted(expected)):
        raise Wrong("The ids are sorted. Keep them in the order of the words.")
    if np.array_equal(got, [vocabulary.get(word.lower(), 0) for word in tokens]):
        raise Wrong("The words are looked up in lower case. Take them as `tokenize` gives them.")
    if np.array_equal(got, np.array(expected) - 2) or np.array_equal(got, np.array(expected) + 1):
        raise Wrong("The ids are shifted. Take them as the vocabulary has them.")
    at = int(np.flatnonzero(got != expected)[0])
    raise Wrong(f"`{tokens[at]}` became {got[at]:g}; expected {expected[at]}.")


vocabulary = Exercise(
    name="02.vocabulary",
    title="Vocabulary",
    parts=[
        Part(6, lambda build, encode: _test_vocabulary(build)),
        Part(4, lambda build, encode: _test_encode(encode)),
    ],
    reference=[build_vocabulary, encode],
    hints=(
        "A network reads numbers. The vocabulary numbers the words of the training questions; `encode` looks each "
        "word of a question up, and a word that is not there is unknown, 0.",
        "Begin with `{'<PAD>': 1}`. For each token of each question: if it is not in the dictionary yet, give it "
        "the next number, `len(vocabulary) + 1`. To look up with a default: `vocabulary.get(token, 0)`.",
        "`if token not in vocabulary: vocabulary[token] = len(vocabulary) + 1`, and "
        "`[vocabulary.get(..., ...) for token in tokenize(...)]`.",
    ),
)

# --- 2: data generator --------------------------------------------------------------------------------


def data_generator(left, right, batch_size, shuffle, rng):
    """The course's answer: endless batches, as ``batching.classic_batches`` makes them."""
    return batching.classic_batches(left, right, batch_size, shuffle=shuffle, rng=rng)


def _rows(count: int, longest: int, seed: int) -> list[list[int]]:
    """Rows of ids without the padding's: the first id, which is the largest, tells the row."""
    rng = seeded(seed)
    return [
        [1000 * (seed + 1) + n, *rng.integers(2, 900, rng.integers(0, longest))]
        for n in range(count)
    ]


def _draw(answer, left, right, batch_size, shuffle, rng, count):
    """Batches of the answer, with a word for what is not a generator of pairs of arrays."""
    made = answer(left, right, batch_size, shuffle, rng)
    if made is None:
        raise Wrong("The result is `None`: `yield` the batches.")
    if not hasattr(made, "__next__"):
        raise Wrong(
            f"The function returns a `{type(made).__name__}`. Make it a generator: `yield` the batches, in a loop."
        )
    rows = [*left, *right]
    before = [list(row) for row in rows]
    batches = []
    try:
        with _told_to_pad():
            for _ in range(count):
                batches.append(next(made))
    except StopIteration:
        raise Wrong(
            f"The generator ends after {len(batches)} batch(es). Training goes on over many epochs: put a "
            "`while True:` round it."
        ) from None
    except IndexError:
        if (len(batches) + 1) * batch_size <= len(left):
            raise
        raise Wrong(
            f"IndexError after {len(batches)} batches, at the end of the data: the index must go back to 0 there, "
            "not to the length of the data. (This is the very flaw of the published version.)"
        ) from None
    for batch in batches:
        if not isinstance(batch, tuple | list) or len(batch) != 2:
            raise Wrong("Each batch must be two arrays: (left, right).")
    if any(list(row) != old for row, old in zip(rows, before, strict=True)):
        raise Wrong(
            "Your code pads the questions themselves (`append` or `+=`): in the next epoch they are longer. Pad a "
            "copy: `row + [1] * ...`."
        )
    return [[_ids(side) for side in batch] for batch in batches]


@contextlib.contextmanager
def _told_to_pad():
    """NumPy's words for rows of different lengths, in ours."""
    try:
        yield
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise Wrong("The rows of a batch have different lengths: pad them.") from None


def _ids(side) -> np.ndarray:
    with _told_to_pad():
        array = np.asarray(side)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise Wrong(
            f"A side of a batch has shape {array.shape} and type {array.dtype}; expected (batch, length) of "
            "whole numbers."
        )
    return array


def _row_of(side) -> list[int]:
    """Which rows these are, wherever the padding stands."""
    return side.max(axis=1).tolist()


def _belong_together(left, right) -> bool:
    return [row + 1000 for row in _row_of(left)] == _row_of(right)


def _test_generator_order(answer):
    """Without shuffling: the rows in order, over the end of the data and on."""
    n, size, count = (13, 5, 9) if is_hidden() else (10, 4, 6)
    left, right = _rows(n, 6, 0), _rows(n, 6, 1)
    batches = _draw(answer, left, right, size, False, seeded(0), count)
    for a, b in batches:
        if len(a) != size or len(b) != size:
            if len(a) == len(b) == n % size:
                raise Wrong(
                    "At the end of the data a short batch comes out. Fill it up with the first rows of the next epoch."
                )
            raise Wrong(f"A batch has {len(a)} and {len(b)} rows; expected batch_size = {size}.")
    firsts = [_row_of(a) for a, _ in batches]
    expected = [[1000 + (size * k + i) % n for i in range(size)] for k in range(count)]
    if all(2000 <= first < 3000 for row in firsts for first in row):
        raise Wrong("Left and right are exchanged.")
    for a, b in batches:
        if not _belong_together(a, b):
            raise Wrong("The rows of left and right do not belong together: a pair is torn apart.")
    if firsts != expected:
        epoch = list(chain(*firsts[:2]))
        if len(set(epoch)) == len(epoch) and firsts[2] == firsts[0]:
            raise Wrong("The last rows of an epoch are dropped. Carry a half-filled batch over.")
        if firsts[0] == firsts[1]:
            raise Wrong("Every batch is the same: the index does not move on.")
        raise Wrong(
            f"With shuffle=False the first rows are {firsts[0]}, {firsts[1]}, {firsts[2]} (less 1000: row numbers); "
            f"expected {expected[0]}, {expected[1]}, {expected[2]}."
        )


def _test_other_lengths(answer):
    """The instructor's part of the padding: other lengths and batch sizes, short rows and long ones."""
    for lengths, size in (((3, 9, 1, 2), 2), ((1, 1, 2), 3), ((20, 33, 5), 1)):
        left, right = (
            [
                [first, *seeded(first).integers(2, 900, n - 1).tolist()]
                for n, first in zip(ns, firsts, strict=True)
            ]
            for ns, firsts in (
                (lengths, range(1000, 1000 + len(lengths))),
                (lengths[::-1], range(2000, 2000 + len(lengths))),
            )
        )
        batches = _draw(answer, left, right, size, False, seeded(0), len(lengths) // size)
        for number, batch in enumerate(batches):
            rows = slice(number * size, (number + 1) * size)
            for side, padded in zip(padding.pad_pair(left[rows], right[rows]), batch, strict=True):
                if not np.array_equal(side, padded):
                    raise Wrong("The padding is another one.")


def _test_generator_padding(answer):
    if is_hidden():
        _test_other_lengths(answer)
        return
    left = [[1000, 5], [1001, 5, 6], [1002, 7, 8, 9], [1003]]
    right = [[2000], [2001, 4, 5, 6, 7], [2002], [2003, 5]]
    (a, b), (c, d) = _draw(answer, left, right, 2, False, seeded(0), 2)
    if a.shape[1] != b.shape[1]:
        raise Wrong(
            f"The sides are padded to {a.shape[1]} and {b.shape[1]}. Pad both to one length, that of the longest of both."
        )
    if 1 not in a[0] and 0 in a[0]:
        raise Wrong("The padding is 0, which means unknown. Pad with 1, `<PAD>`.")
    if (a[:, -1] > 1).all() and (a[:, 0] == 1).any():
        raise Wrong("The padding stands in front. Put it behind the words.")
    if a.shape[1] == 5:
        raise Wrong(
            "The batch is padded to its longest question, 5. Pad to the power of two at or above it: 8."
        )
    if a.shape[1] == 4:
        raise Wrong(
            "The length is the power of two *below* the longest question, 5, and cuts it. Take the one above: 8."
        )
    if c.shape[1] == 8:
        raise Wrong(
            "The longest question of the second batch has 4 words, which is a power of two already; you padded to 8. "
            "(If the first batch is 8 long too: the length belongs to each batch.)"
        )
    if (a.shape[1], c.shape[1]) != (8, 4):
        raise Wrong(
            f"The two batches have lengths {a.shape[1]} and {c.shape[1]}; expected 8 and 4."
        )
    for rows, side in ((left[:2], a), (right[:2], b), (left[2:], c), (right[2:], d)):
        if not np.array_equal(side, padding.pad(rows, side.shape[1])):
            raise Wrong(f"The ids {rows} became {side.tolist()}.")


def _test_generator_shuffle(answer):
    n = 15 if is_hidden() else 12
    left, right = _rows(n, 4, 0), _rows(n, 4, 1)

    def epochs(seed):
        batches = _draw(answer, left, right, n // 3, True, seeded(seed), 6)
        for a, b in batches:
            if not _belong_together(a, b):
                raise Wrong(
                    "Shuffled, left and right no longer belong together. Use *one* order for both."
                )
        rows = [row for a, _ in batches for row in _row_of(a)]
        return rows[:n], rows[n:]

    first, second = epochs(0)
    in_order = [1000 + row for row in range(n)]
    if first == in_order:
        raise Wrong(
            "With shuffle=True the rows come in their order. Shuffle them, also before the first epoch."
        )
    if sorted(first) != in_order or sorted(second) != in_order:
        raise Wrong(
            "Shuffled, some rows come twice in an epoch and others not at all. Draw a permutation."
        )
    if first == second:
        raise Wrong("Every epoch has the same order. Shuffle anew at the beginning of each.")
    if epochs(0) != (first, second):
        raise Wrong("The same seed gives another order: take every random number from `rng`.")
    if epochs(1)[0] == first:
        raise Wrong("Another seed gives the same order: take every random number from `rng`.")


def _ready_generator(answer):
    rows = _rows(4, 6, 0)
    sides = next(answer(rows, rows, 2, False, seeded(0)))
    if not all(hasattr(side, "shape") for side in sides):
        raise TypeError("its batches are lists, and Trax takes arrays")


generator = Exercise(
    name="02.generator",
    title="Data generator",
    parts=[
        Part(6, _test_generator_order),
        Part(5, _test_generator_padding),
        Part(4, _test_generator_shuffle),
    ],
    reference=[data_generator],
    ready=_ready_generator,
    hints=(
        "Go through the rows again and again, without end. Collect row numbers; when there are batch_size of them, "
        "pad both sides to one length, yield them, and begin a new collection. What is left at the end of an "
        "epoch simply stays in the collection.",
        "`order = rng.permutation(n) if shuffle else range(n)`, inside a `while True:`. The power of two at or above "
        "n is `2 ** math.ceil(math.log2(n))`. A row is padded by `row + [1] * (length - len(row))`.",
        "`while True: for i in order: rows.append(i); if len(rows) == batch_size: "
        "longest = max(len(q) for q in ...); length = ...; yield np.array(...), np.array(...); rows = []`.",
    ),
)

# --- 3: similarity matrix -----------------------------------------------------------------------------


def _unit(*shape: int, seed: int = 0):
    rows = seeded(seed).normal(size=shape)
    return jnp.array(rows / np.linalg.norm(rows, axis=-1, keepdims=True), dtype=jnp.float32)


def similarity_matrix(left, right):
    """The course's answer: ``left right^T``."""
    return jnp.dot(left, right.T)


SIMILARITY_MISTAKES = [
    (
        lambda a, b: jnp.dot(b, a.T),
        "The matrix is transposed: entry (i, j) must compare *left* row i with *right* row j.",
    ),
    (
        lambda a, b: jnp.sum(a * b, axis=1),
        "These are the positives only, row i with row i. Compare every left row with every right row.",
    ),
    (
        lambda a, b: jnp.diag(jnp.sum(a * b, axis=1)),
        "Only the diagonal is filled. Compare every left row with every right row.",
    ),
    (
        lambda a, b: a * b,
        "This multiplies number by number, (batch, dim). A matrix product is `jnp.dot` or `@`.",
    ),
    (lambda a, b: jnp.dot(a, a.T), "Left is compared with itself. Compare it with right."),
    (lambda a, b: jnp.dot(b, b.T), "Right is compared with itself. Compare left with right."),
    (
        lambda a, b: jnp.dot(a.T, b),
        "The wrong one is transposed: this is (dim, dim). Transpose right: left (batch, dim), right^T (dim, batch).",
    ),
    (
        lambda a, b: jnp.sqrt(jnp.sum((a[:, None] - b[None]) ** 2, axis=-1)),
        "These are distances: small means alike. The cosine of unit vectors is their dot product.",
    ),
    (
        lambda a, b: 1.0 - jnp.dot(a, b.T),
        "This is 1 - cosine, a distance: small means alike. Return the cosine itself.",
    ),
    (
        lambda a, b: jnp.dot(a, b.T) / a.shape[1],
        "The products are divided by the dimensions. Unit vectors need no division.",
    ),
    (
        lambda a, b: trax.layers.Softmax()(jnp.dot(a, b.T)),
        "A softmax is taken. Return the cosines themselves.",
    ),
]


def _test_similarity(answer):
    shapes = ((7, 6), (3, 9), (1, 2)) if is_hidden() else ((4, 3), (2, 5))
    cases = [(_unit(*shape), _unit(*shape, seed=1)) for shape in shapes]
    try:
        compare(answer, similarity_matrix, cases, SIMILARITY_MISTAKES)
    except (TypeError, ValueError) as error:
        if "dot" in str(error) or "matmul" in str(error) or "contract" in str(error):
            raise Wrong(
                "A matrix product needs (batch, dim) times (dim, batch): transpose the right side, `right.T`."
            ) from None
        if "broadcast" in str(error):
            raise Wrong(
                "`*` goes number by number, and these shapes do not fit. A matrix product is `jnp.dot` or `@`."
            ) from None
        raise


def _ready_similarity(answer):
    _require_traceable(lambda left: jnp.sum(answer(left, _unit(4, 3))))


def _require_traceable(function):
    """Trax trains what JAX can differentiate and compile."""
    trax.fastmath.jit(trax.fastmath.grad(function))(_unit(4, 3, seed=1))


similarity = Exercise(
    name="02.similarity",
    title="Similarity matrix",
    parts=[Part(10, _test_similarity)],
    reference=[similarity_matrix],
    ready=_ready_similarity,
    hints=(
        "The cosine of two unit vectors is their dot product. A matrix product takes all dot products of rows with "
        "columns at once; so the right questions must become columns.",
        "`.T` transposes. (batch, dim) times (dim, batch) gives (batch, batch).",
        "`jnp.dot(left, ...)`: one gap to fill.",
    ),
)

# --- 4: hard negatives --------------------------------------------------------------------------------


def hard_negatives(similarities):
    """The course's answer: closest and mean negative of every row."""
    batch = similarities.shape[0]
    diagonal = jnp.eye(batch)
    closest = jnp.max(similarities - 2.0 * diagonal, axis=1)
    mean = jnp.sum(similarities * (1.0 - diagonal), axis=1) / (batch - 1)
    return closest, mean


def _negatives_like(closest=None, mean=None):
    """``hard_negatives`` that differs in one place."""

    def mistaken(s):
        right = hard_negatives(s)
        off = s * (1.0 - jnp.eye(len(s)))
        return (
            right[0] if closest is None else closest(s, off),
            right[1] if mean is None else mean(s, off),
        )

    return mistaken


def _below_diagonal(s, off):
    allowed = (s < jnp.diagonal(s)[:, None]) & (jnp.eye(len(s)) == 0)
    return jnp.max(jnp.where(allowed, s, -2.0), axis=1)


NEGATIVES_MISTAKES = [
    (
        _negatives_like(closest=lambda s, off: jnp.max(s, axis=1)),
        "The closest negative is taken from the diagonal too, which holds the positives. Lower the diagonal by 2 first.",
    ),
    (
        _negatives_like(closest=lambda s, off: jnp.max(s - jnp.eye(len(s)), axis=1)),
        "The diagonal is lowered by 1. That is not enough: a positive of 0.9 becomes -0.1, and can still be the "
        "largest. Lower it by 2.",
    ),
    (
        _negatives_like(closest=lambda s, off: jnp.max(off, axis=1)),
        "The diagonal is set to 0, and where all negatives are below 0 that zero becomes the closest one. Lower it by 2.",
    ),
    (
        _negatives_like(closest=lambda s, off: jnp.max(s - 2.0 * jnp.eye(len(s)), axis=0)),
        "The closest negative is sought in the columns (axis 0). A row is one question of left: use axis=1.",
    ),
    (
        _negatives_like(closest=lambda s, off: jnp.min(s + 2.0 * jnp.eye(len(s)), axis=1)),
        "This is the *least* similar negative. The closest one is the largest.",
    ),
    (
        _negatives_like(closest=_below_diagonal),
        "Only values below the positive are looked at. That is one lecture's definition; it leaves out the negatives "
        "that are wrong by most. Here the closest negative is the largest one outright.",
    ),
    (
        _negatives_like(closest=lambda s, off: jnp.argmax(s - 2.0 * jnp.eye(len(s)), axis=1)),
        "These are the positions of the closest negatives. Return their similarities: `max`, not `argmax`.",
    ),
    (
        _negatives_like(closest=lambda s, off: jnp.max(s - 2.0 * jnp.eye(len(s))) + 0.0 * s[0]),
        "This is the largest negative of the whole batch. Every row has its own: use axis=1.",
    ),
    (
        _negatives_like(mean=lambda s, off: jnp.mean(off, axis=1)),
        "The mean is taken over b values; but the diagonal does not count: divide by b - 1.",
    ),
    (
        _negatives_like(mean=lambda s, off: jnp.mean(s, axis=1)),
        "The mean takes the positives in. Set the diagonal to 0, and divide by b - 1.",
    ),
    (
        _negatives_like(mean=lambda s, off: jnp.sum(off, axis=0) / (len(s) - 1)),
        "The mean runs over the columns (axis 0). A row is one question of left: use axis=1.",
    ),
    (
        _negatives_like(mean=lambda s, off: jnp.sum(off, axis=1)),
        "This is the sum of the negatives. Divide by b - 1.",
    ),
    (
        _negatives_like(
            mean=lambda s, off: jnp.sum(s - 2.0 * jnp.eye(len(s)), axis=1) / (len(s) - 1)
        ),
        "The mean was taken of the matrix whose diagonal is lowered by 2. For the mean the diagonal must be 0.",
    ),
    (
        lambda s: hard_negatives(s)[::-1],
        "The two are exchanged: return the closest negative first, then the mean.",
    ),
    (lambda s: hard_negatives(s)[0], "Only one array came back. Return two: closest, mean."),
    (lambda s: hard_negatives(s)[1], "Only one array came back. Return two: closest, mean."),
]

ASYMMETRIC = [[0.6, 0.7, -0.2], [0.1, 0.3, 0.2], [0.4, -0.5, 0.8]]
ALL_BELOW_ZERO = [[0.9, -0.8, -0.3], [-0.2, 0.5, -0.1], [-0.6, -0.7, 0.95]]


def _negatives_cases():
    rng = seeded(5)
    cases = [ASYMMETRIC, ALL_BELOW_ZERO, np.clip(rng.normal(scale=0.5, size=(5, 5)), -1, 1)]
    if is_hidden():
        cases = [rng.uniform(-1, 1, (n, n)) for n in (2, 4, 6)] + [rng.uniform(-1, -0.1, (7, 7))]
    return [(jnp.array(case, dtype=jnp.float32),) for case in cases]


def _test_negative(place: int, name: str):
    """The test of one of the two arrays, so that two mistakes at once are told one by one."""

    def test(answer):
        try:
            compare(
                lambda s: _two(answer, (s,))[place],
                lambda s: hard_negatives(s)[place],
                _negatives_cases(),
                [
                    (lambda s, mistake=mistake: mistake(s)[place], sentence)
                    for mistake, sentence in NEGATIVES_MISTAKES
                ],
            )
        except Wrong as wrong:
            if str(wrong).startswith("A value is off"):
                raise Wrong(f"`{name}`: {wrong}") from None
            raise

    return test


def _two(answer, case):
    """Both arrays of an answer."""
    got = answer(*case)
    if got is None:
        raise Wrong("The result is `None`: is a `return` missing?")
    if not isinstance(got, tuple | list) or len(got) != 2:
        raise Wrong("Only one array came back. Return two: closest, mean.")
    batch = len(case[0])
    arrays = []
    for name, array in zip(("closest", "mean"), got, strict=True):
        array = as_array(array, f"`{name}`")
        if array.shape == (batch, 1):
            raise Wrong(
                f"`{name}` has shape {array.shape}; expected ({batch},): leave `keepdims` out."
            )
        if array.shape != (batch,):
            raise Wrong(f"`{name}` has shape {array.shape}; expected ({batch},), a number a row.")
        arrays.append(array)
    return arrays


def _ready_negatives(answer):
    _require_traceable(lambda left: jnp.sum(answer(similarity_matrix(left, _unit(4, 3)))[0]))


negatives = Exercise(
    name="02.negatives",
    title="Closest and mean negative",
    parts=[Part(8, _test_negative(0, "closest")), Part(7, _test_negative(1, "mean"))],
    reference=[hard_negatives],
    ready=_ready_negatives,
    hints=(
        "In each row, everything but the diagonal is a negative. Find the largest of them, and their mean. The trick "
        "is to take the diagonal out of the game each time, in the way that suits the operation.",
        "`jnp.eye(b)` has ones on the diagonal. For the maximum lower the diagonal so far that it can never win: by 2. "
        "For the sum multiply it with 0, and divide by the number of values that are left.",
        "`jnp.max(similarities - ... * jnp.eye(b), axis=...)` and "
        "`jnp.sum(similarities * (1 - jnp.eye(b)), axis=...) / (...)`.",
    ),
)

# --- 5: triplet loss ----------------------------------------------------------------------------------


def triplet_loss(left, right, margin=0.25):
    """The course's answer: mean over the batch of L1 + L2."""
    return models.cosine_triplet_loss(left, right, margin)


def _loss_like(
    closest=lambda s: hard_negatives(s)[0],
    mean=lambda s: hard_negatives(s)[1],
    positive=jnp.diagonal,
    turn=lambda s: s,
    hinge=lambda x: jnp.maximum(0.0, x),
    combine=lambda l1, l2: jnp.mean(l1 + l2),
    margin_of=lambda margin: margin,
    sign=1.0,
):
    """``triplet_loss`` that differs in one place."""

    def mistaken(left, right, margin=0.25):
        s = turn(similarity_matrix(left, right))
        m, p = margin_of(margin), positive(s)
        return combine(hinge(m + sign * (closest(s) - p)), hinge(m + sign * (mean(s) - p)))

    return mistaken


LOSS_MISTAKES = [
    (
        _loss_like(sign=-1.0),
        "The sign is turned round: this pushes the positives away. It is margin - positive + negative.",
    ),
    (
        _loss_like(hinge=lambda x: x),
        "`max(0, ...)` is missing: rows that are right already pull the loss below zero and hide the wrong ones.",
    ),
    (
        _loss_like(margin_of=lambda margin: 0.0),
        "The margin is missing: being just a little better than the negative would be enough.",
    ),
    (
        _loss_like(margin_of=lambda margin: 0.25),
        "The margin is always 0.25. Use the argument `margin`.",
    ),
    (
        _loss_like(combine=lambda l1, l2: jnp.mean(l1)),
        "Only L1, with the closest negative, is in. Add L2, with the mean negative.",
    ),
    (
        _loss_like(combine=lambda l1, l2: jnp.mean(l2)),
        "Only L2, with the mean negative, is in. Add L1, with the closest negative.",
    ),
    (
        _loss_like(combine=lambda l1, l2: jnp.mean(l1 + l2) / 2),
        "This is half the loss. L1 and L2 are added; the mean is taken over the batch only.",
    ),
    (
        _loss_like(combine=lambda l1, l2: jnp.sum(l1 + l2)),
        "The batch is summed. Take the mean, so that the loss does not grow with the batch.",
    ),
    (
        _loss_like(combine=lambda l1, l2: l1 + l2),
        "This is one loss a row. Return their mean.",
    ),
    (
        _loss_like(turn=lambda s: s.T),
        "The similarity matrix is transposed: the negatives of a left question are in its row, left times right.T.",
    ),
    (
        _loss_like(closest=lambda s: jnp.max(s, axis=1)),
        "The closest negative is taken from the diagonal: that is the positive. Use your `hard_negatives`.",
    ),
    (
        _loss_like(mean=lambda s: jnp.sum(s * (1.0 - jnp.eye(len(s))), axis=1) / len(s)),
        "The mean negative is divided by b instead of b - 1. Use your `hard_negatives`.",
    ),
    (
        _loss_like(closest=lambda s: _below_diagonal(s, None)),
        "The closest negative is sought below the positive only. Here it is the largest one outright.",
    ),
    (
        _loss_like(positive=lambda s: jnp.max(s, axis=1)),
        "The positive is the largest value of the row. It is the one on the diagonal.",
    ),
    (
        _loss_like(hinge=lambda x: jnp.square(jnp.maximum(0.0, x))),
        "The hinge is squared. This loss takes max(0, ...) as it is.",
    ),
]


def _loss_cases():
    # left = matrix, right = identity: the similarities are the matrix itself
    identity = jnp.eye(3)
    matrices = [jnp.array(m, dtype=jnp.float32) for m in (ASYMMETRIC, ALL_BELOW_ZERO)]
    return [
        (matrices[0], identity, 0.25),
        (matrices[0].T, identity, 0.25),
        (matrices[1], identity, 1.9),
        (_unit(6, 4), _unit(6, 4, seed=1), 0.5),
        (_unit(6, 4), _unit(6, 4, seed=1)),  # the margin that is used where none is given
        *[(_unit(n, 5, seed=n), _unit(n, 5, seed=n + 1), 0.4) for n in (2, 9) if is_hidden()],
    ]


def _test_loss(answer):
    compare(answer, triplet_loss, _loss_cases(), LOSS_MISTAKES)


def _ready_loss(answer):
    _require_traceable(lambda left: answer(left, _unit(4, 3), 0.25))


loss = Exercise(
    name="02.loss",
    title="Triplet loss",
    parts=[Part(15, _test_loss)],
    reference=[triplet_loss],
    ready=_ready_loss,
    hints=(
        "For each row: how far is the positive ahead of the negative? If it is ahead by the margin, there is nothing to "
        "pay. Do this once with the closest negative and once with the mean one, and add the two.",
        "The positives are `jnp.diagonal(similarities)`. `jnp.maximum(0.0, x)` works number by number; `jnp.mean` "
        "at the very end.",
        "`jnp.mean(jnp.maximum(0.0, margin - ... + closest) + jnp.maximum(0.0, margin - ... + ...))`.",
    ),
)

# --- 6: siamese model in Trax -------------------------------------------------------------------------


def build_siamese(vocabulary_size, dim=128):
    """The course's answer: one encoder object, twice."""
    return models.build_siamese(models.build_classic_encoder(vocabulary_size, dim))


WORDS, DIM = 50, 8


def _siamese_case():
    words, dim, batch, length = (70, 6, 4, 9) if is_hidden() else (WORDS, DIM, 5, 6)
    return words, dim, *seeded(0).integers(2, words, (2, batch, length))


def _test_siamese(seen, words, dim, left, right):
    outputs = [as_array(output, "An embedding") for output in seen["outputs"]]
    weights = seen["weights"]
    _require_layers(weights, words, dim)
    batch, length = left.shape
    means = {
        (
            batch,
            length,
            dim,
        ): " Every word still has a vector of its own: `tl.Mean(axis=1)` is missing.",
        (batch, length): " The mean runs over the dimensions. Axis 1 is time: `tl.Mean(axis=1)`.",
        (length, dim): " The mean runs over the batch. Axis 1 is time: `tl.Mean(axis=1)`.",
    }
    for output in outputs:
        if output.shape != (batch, dim):
            raise Wrong(
                f"An embedding has shape {output.shape}; expected (batch, dim) = ({batch}, {dim})."
                + means.get(output.shape, "")
            )
    _require_formula(weights, words, dim, (left, right), outputs)


def _require_layers(weights, words, dim):
    shapes = sorted(leaf.shape for leaf in weights)
    wanted = sorted([(words, dim), (2 * dim, 4 * dim), (4 * dim,)])
    if shapes == wanted:
        return
    if len(shapes) == 2 * len(wanted):
        raise Wrong(
            "The two sides do not share their weights: the same question gets two embeddings. Build *one* encoder, and "
            "hand the same object to `tl.Parallel` twice."
        )
    if (words, dim) not in shapes and any(
        shape[-1] == words or shape[0] == words for shape in shapes if len(shape) == 2
    ):
        raise Wrong(
            f"The embedding must be (vocabulary_size, dim) = ({words}, {dim}): use both arguments."
        )
    if len(shapes) == 1:
        raise Wrong("There is an embedding and no LSTM: the order of words would not count.")
    if not any(len(shape) == 2 and shape[0] == words for shape in shapes):
        raise Wrong(
            f"No weights are ({words}, {dim}): does `tl.Embedding` get `vocabulary_size` and `dim`?"
        )
    raise Wrong(
        "The weights are not those of one Embedding and one LSTM: "
        f"{', '.join(map(str, shapes))}; expected {', '.join(map(str, wanted))}."
    )


def _mean_over_time(states):
    return jnp.mean(states, axis=1)


def _unit_length(vectors):
    return models.unit_length()(vectors)


# what an encoder makes of the LSTM's states, (batch, length, dim) -> (batch, dim)
SIAMESE_MISTAKES = [
    (
        _mean_over_time,
        "The embeddings do not have unit length: the last layer, the normalization, is missing.",
    ),
    (
        lambda states: _unit_length(states[:, -1]),
        "The last state of the LSTM is taken. Take the mean of all states, `tl.Mean(axis=1)`.",
    ),
    (
        lambda states: _unit_length(jnp.max(states, axis=1)),
        "The maximum over time is taken. Take the mean, `tl.Mean(axis=1)`.",
    ),
    (
        lambda states: jnp.sum(states, axis=1),
        "The states are summed over time. Take their mean, `tl.Mean(axis=1)`, and give it unit length.",
    ),
    (
        lambda states: _mean_over_time(_unit_length(states)),
        "Every state is normalized, and then the mean is taken: it is shorter than 1. Take the mean first.",
    ),
    (
        lambda states: (m := _mean_over_time(states)) / jnp.linalg.norm(m, axis=0, keepdims=True),
        "The normalization runs over the batch (axis 0): an embedding would depend on its neighbours. Use the last axis.",
    ),
    (
        lambda states: (m := _mean_over_time(states)) / jnp.linalg.norm(m),
        "The whole batch is divided by one number. Every embedding has its own length: `axis=-1, keepdims=True`.",
    ),
    (
        lambda states: (m := _mean_over_time(states)) / jnp.sum(m**2, axis=-1, keepdims=True),
        "The embeddings are divided by their squared length: the square root is missing.",
    ),
]


def _require_formula(weights, words, dim, questions, got):
    leaves = {leaf.shape: leaf for leaf in weights}
    own = [leaves[shape] for shape in ((words, dim), (2 * dim, 4 * dim), (4 * dim,))]
    lstm = tl.Serial(tl.Embedding(words, dim), tl.LSTM(dim))
    states = lstm(np.concatenate(questions), weights=models.with_leaves(lstm, own))
    sides = jnp.split(states, 2)

    def is_made_by(formula):
        made = [np.asarray(formula(side)) for side in sides]
        return all(np.allclose(g, m, rtol=1e-3, atol=1e-4) for g, m in zip(got, made, strict=True))

    if is_made_by(lambda states: _unit_length(_mean_over_time(states))):
        return
    for mistake, sentence in SIAMESE_MISTAKES:
        if is_made_by(mistake):
            raise Wrong(sentence)
    raise Wrong(
        "The layers are there, but the result is not Embedding, LSTM, mean over time, unit length, in this order."
    )


def _ready_siamese(answer):
    model = answer(WORDS, DIM)
    if not isinstance(model, tl.Parallel) or len(model.sublayers) != 2:
        raise TypeError("the notebook takes the encoder out of `tl.Parallel(encoder, encoder)`")


siamese = Exercise(
    name="02.siamese",
    title="Siamese model in Trax",
    parts=[Part(10, _test_siamese, look=observe.trax_siamese, case=_siamese_case)],
    reference=[build_siamese],
    ready=_ready_siamese,
    hints=(
        "Put the encoder's four layers in a row, and this one encoder beside itself: the same object twice.",
        "`tl.Serial(...)` puts layers in a row, `tl.Parallel(a, b)` side by side. The layers are `tl.Embedding`, "
        "`tl.LSTM`, `tl.Mean(axis=1)`, and `tl.Fn('Normalize', normalize)`.",
        "`encoder = tl.Serial(tl.Embedding(vocabulary_size, dim), tl.LSTM(...), tl.Mean(axis=...), tl.Fn(...))`, "
        "`return tl.Parallel(..., ...)`.",
    ),
)

# --- 7: training loop ---------------------------------------------------------------------------------


def training_loop(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    """The course's answer: TrainTask, EvalTask and Loop, not yet run."""
    train_task = training.TrainTask(
        labeled_data=train_batches,
        loss_layer=loss_layer,
        optimizer=trax.optimizers.Adam(0.01, eps=1e-9),
        lr_schedule=trax.lr.warmup_and_rsqrt_decay(warmup, 0.01),
        n_steps_per_checkpoint=20,
    )
    eval_task = training.EvalTask(
        labeled_data=validation_batches, metrics=[loss_layer], n_eval_batches=2
    )
    return training.Loop(
        model, train_task, eval_tasks=[eval_task], output_dir=folder, random_seed=34
    )


RATE_STEPS = (1, 100, 400, 1600)


def _tasks_case():
    return RATE_STEPS, 150 if is_hidden() else 100


def _test_tasks(seen, steps, warmup):
    if not seen["trains the model"]:
        raise Wrong("The Loop trains another model than the one that was given.")
    if seen["learns from"] == "validation":
        raise Wrong("The TrainTask learns from the validation batches. Give it the training ones.")
    if seen["learns from"] != "training":
        raise Wrong("The TrainTask does not use `train_batches`.")
    if not seen["uses the loss"]:
        raise Wrong("The TrainTask does not use the `loss_layer` that was given.")
    if seen["optimizer"] != "Adam":
        raise Wrong(f"The optimizer is {seen['optimizer']}; expected `trax.optimizers.Adam(0.01)`.")
    if seen["epsilon"] > 1e-7:
        raise Wrong(
            "Adam has Trax's own epsilon, 1e-05. The gradients of a collapsed network are smaller than that, and it "
            "would hardly move: `trax.optimizers.Adam(0.01, eps=1e-9)`."
        )
    _require_schedule(seen["rates"])
    if not seen["measures on"]:
        raise Wrong(
            "There is no EvalTask: without it you would not see how the model does on unseen questions."
        )
    if seen["measures on"][0] == "training":
        raise Wrong(
            "The EvalTask uses the training batches. Whether a model has learned shows on others."
        )
    if seen["measures on"][0] != "validation":
        raise Wrong("The EvalTask does not use `validation_batches`.")
    _require_counts(seen["saves every"], seen["batches"])
    _require_warmup(seen["rates of another warmup"], steps, warmup)


def _require_warmup(rates, steps, warmup):
    if rates is None:
        raise Wrong(
            "The function takes no argument `warmup`, and the notebook gives one: `warmup=400`, last."
        )
    wanted = [trax.lr.warmup_and_rsqrt_decay(warmup, 0.01)(step) for step in steps]
    if not np.allclose(rates, wanted, rtol=0.02):
        raise Wrong(
            "The learning rate does not depend on the argument `warmup`. Use it in the schedule; 400 is its default only."
        )


def _require_counts(steps, batches):
    if steps != 20:
        raise Wrong(
            f"It reports and saves every {steps} steps; expected every 20, `n_steps_per_checkpoint=20`."
        )
    if batches != 2:
        raise Wrong(f"It evaluates {batches} batch(es); expected two, `n_eval_batches=2`.")


def _require_schedule(rates):
    wanted = trax.lr.warmup_and_rsqrt_decay(400, 0.01)
    if np.allclose(rates, [wanted(step) for step in RATE_STEPS], rtol=0.01):
        return
    if len(set(rates)) == 1:
        raise Wrong(
            f"The learning rate is {rates[0]:g} at every step: the schedule is missing, `lr_schedule=`. An LSTM that "
            "begins at the full rate can collapse at once."
        )
    relative = [wanted(step) / wanted(1) for step in RATE_STEPS]
    if np.allclose(np.array(rates) / rates[0], relative, rtol=0.01):
        highest = 0.01 * rates[0] / wanted(1)
        raise Wrong(f"The schedule's highest rate is {highest:.3g}; expected 0.01.")
    raise Wrong(
        "The schedule is another one; expected `trax.lr.warmup_and_rsqrt_decay(400, 0.01)`."
    )


def _test_loop_runs(seen):
    if seen["step"] != 1 or not seen["drawn"]:
        raise Wrong("`loop.run(1)` did not train a step.")
    if not seen["checkpoint"]:
        raise Wrong(
            "No checkpoint is in the folder: give the Loop `output_dir=folder`, or an interrupted training is lost."
        )


loop = Exercise(
    name="02.loop",
    title="Training loop",
    parts=[
        Part(6, _test_tasks, look=observe.trax_tasks, case=_tasks_case),
        Part(4, _test_loop_runs, look=observe.trax_step),
    ],
    reference=[training_loop],
    hints=(
        "Three objects: a TrainTask says what to learn from and how, an EvalTask what to measure on unseen data, and the "
        "Loop puts both to the model and keeps checkpoints.",
        "The optimizer is `trax.optimizers.Adam(0.01, eps=1e-9)`, the schedule `trax.lr.warmup_and_rsqrt_decay(warmup, 0.01)`; the "
        "metric of the EvalTask is the loss layer itself; the folder is the `output_dir` of the Loop.",
        "`train_task = training.TrainTask(labeled_data=..., loss_layer=..., optimizer=..., lr_schedule=..., "
        "n_steps_per_checkpoint=...)`, `eval_task = training.EvalTask(labeled_data=..., metrics=[...], n_eval_batches=...)`, "
        "`return training.Loop(model, train_task, eval_tasks=[...], output_dir=..., random_seed=...)`.",
    ),
)

# --- 8: classify --------------------------------------------------------------------------------------


def pair_similarities(embed, left, right, batch_size):
    """The course's answer: the cosine of every pair, batch by batch."""
    cosines = []
    for start in range(0, len(left), batch_size):
        first, second = padding.pad_pair(
            left[start : start + batch_size], right[start : start + batch_size]
        )
        cosines.append(np.sum(embed(first) * embed(second), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    """The course's answer: threshold from validation, accuracy on test."""
    threshold = evaluation.choose_similarity_threshold(*validation)
    similarities, same = test
    return threshold, np.mean((similarities > threshold) == (same == 1))


class _Embedder:
    """A stand-in for the model: bags of words as unit vectors, padding left out; it notes its batches."""

    def __init__(self):
        self.table = seeded(8).normal(size=(5000, 6))
        self.table[padding.PAD] = 0.0
        self.shapes = []

    def __call__(self, ids):
        with _told_to_pad():
            ids = np.asarray(ids)
        if ids.ndim != 2:
            raise Wrong(
                f"The model got an array of shape {ids.shape}; expected (batch, length). A single question is a batch "
                "of one: `[ids]`."
            )
        self.shapes.append(ids.shape)
        vectors = self.table[ids % 5000].sum(axis=1)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


MATRIX = "This is a similarity matrix. Here only the pairs count: row i with row i."


def _test_pair_similarities(answer):
    if is_hidden():
        _test_other_counts(answer)
        return
    left, right = _rows(10, 6, 0), _rows(10, 6, 1)
    embed = _Embedder()
    expected = pair_similarities(embed, left, right, 4)
    embed.shapes.clear()
    with _told_to_pad():
        got = answer(embed, left, right, 4)
    if isinstance(got, list) and {getattr(part, "ndim", 0) for part in got} == {1}:
        if len(got) == 10:
            raise Wrong(MATRIX)
        raise Wrong("This is a list of batches. Put them together: `np.concatenate`.")
    got = as_array(got)
    if got.shape == (4, 4) or (got.ndim == 2 and got.shape[0] == got.shape[1]):
        raise Wrong(MATRIX)
    if got.shape == (8,):
        raise Wrong("Two pairs are missing: the last batch is short, and must be scored too.")
    if got.shape == (4,) or got.shape == (2,):
        raise Wrong(
            "Only one batch came back. Collect the similarities of all, and put them together at the end."
        )
    if got.shape == (3,):
        raise Wrong("There is one number for each batch. Sum over the last axis only: `axis=1`.")
    if got.shape != (10,):
        raise Wrong(f"The result has shape {got.shape}; expected (10,), a similarity a pair.")
    # left and right of a batch may go together
    if max((shape[0] for shape in embed.shapes), default=0) > 8:
        raise Wrong(
            "More than batch_size pairs were embedded at once. Go batch by batch: the real data has thousands."
        )
    if np.allclose(got, expected, atol=1e-5):
        return
    if np.allclose(got[:8], expected[:8], atol=1e-5):
        raise Wrong("The last two similarities are wrong: mind the last, short batch.")
    if np.allclose(got, 1.0):
        raise Wrong("Every similarity is 1: is left compared with itself?")
    if np.allclose(got, 1 - expected, atol=1e-5):
        raise Wrong("This is 1 - cosine, a distance. Return the cosine.")
    raise Wrong(f"The first similarity is {got[0]:.4f}; expected {expected[0]:.4f}.")


def _test_other_counts(answer):
    """The instructor's part: other numbers of pairs, batch sizes and lengths."""
    for n, size in ((13, 5), (6, 3), (1, 4)):
        left, right, embed = _rows(n, 12, 0), _rows(n, 12, 1), _Embedder()
        expected = pair_similarities(embed, left, right, size)
        embed.shapes.clear()
        got = as_array(answer(embed, left, right, size))
        if got.shape != (n,) or not np.allclose(got, expected, atol=1e-5):
            raise Wrong("The similarities are others.")
        if max(shape[0] for shape in embed.shapes) > 2 * size:
            raise Wrong("More than batch_size pairs were embedded at once.")


def _evaluate_case(seed=136, shift=0.0):
    """Pairs to choose a threshold on, and to test: the seed is one for which every mistake shows."""
    rng = seeded(seed)

    def pairs(n, centre, spread):
        same = (rng.random(n) < 0.37).astype(float)
        # rounded, so that similarities are equal to the threshold now and then
        return np.round(
            np.where(same == 1, rng.normal(centre, spread, n), rng.normal(0.4, 0.15, n)) + shift, 2
        ), same

    return pairs(400, 0.75, 0.12), pairs(300, 0.62, 0.2)


TURNED = "The comparison is turned round, or this is the share of *wrong* answers: *more* similar means duplicate."


def _test_evaluate(answer):
    cases = [_evaluate_case(shift=shift) for shift in (0.0, -0.25)]
    results = [_two_numbers(answer(*(tuple(map(np.copy, p)) for p in case))) for case in cases]
    constant = results[0][0] == results[1][0]
    for (threshold, accuracy), case in zip(results, cases, strict=True):
        _require_evaluation(threshold, accuracy, constant, *case)


def _two_numbers(got) -> tuple[float, float]:
    if got is None:
        raise Wrong("The result is `None`: is a `return` missing?")
    if not isinstance(got, tuple | list | np.ndarray) or len(got) != 2:
        raise Wrong("Return two numbers: the threshold, and the accuracy on the test pairs.")
    threshold, accuracy = (as_array(x, "A result") for x in got)
    if threshold.shape or accuracy.shape:
        raise Wrong(
            f"The results have shapes {threshold.shape} and {accuracy.shape}; expected two numbers."
        )
    return float(threshold), float(accuracy)


def _require_evaluation(threshold, accuracy, constant, validation, test):
    if _is_best(accuracy, validation) and np.isclose(
        threshold, evaluation.accuracy_at(*test, accuracy), atol=1e-4
    ):
        raise Wrong("The two are exchanged: return the threshold first, then the accuracy.")
    _require_threshold(threshold, constant, validation, test)
    similarities, same = test
    right = np.mean((similarities > threshold) == (same == 1))
    if np.isclose(accuracy, right, atol=1e-4):  # rounded to four places it is right, too
        return
    mistakes = {
        np.mean((similarities < threshold) == (same == 1)): TURNED,
        np.mean(
            (similarities >= threshold) == (same == 1)
        ): "A similarity equal to the threshold counts as duplicate. "
        "Only above it does: `>`, as in training the positive must be *ahead*.",
        100 * right: "This is a percentage. Return the share, from 0 to 1.",
        float(
            np.sum((similarities > threshold) == (same == 1))
        ): "This is the number of right answers. Divide by the number of pairs.",
        np.mean(
            similarities > threshold
        ): "This is the share of pairs called duplicates. Compare with `same`.",
        np.mean(
            (similarities > threshold) & (same == 1)
        ): "Only duplicates that were found count here. Refusing a different pair is right, too.",
        np.mean(
            similarities[same == 1] > threshold
        ): "This is the share of duplicates that were found (recall). Accuracy counts both kinds.",
        evaluation.balanced_accuracy(
            -similarities, same, -threshold - 1e-9
        ): "This is balanced accuracy. Here the pairs have the task's own share of duplicates: plain accuracy.",
        evaluation.accuracy_at(
            *validation, threshold
        ): "This is the accuracy on the *validation* pairs. The threshold was chosen on them: report the test.",
        1 - right: TURNED,
    }
    for value, sentence in mistakes.items():
        if np.isclose(accuracy, value, atol=1e-6):
            raise Wrong(sentence)
    raise Wrong(
        f"At your threshold {threshold:.3f} the accuracy on the test pairs is {right:.4f}, not {accuracy:.4f}."
    )


TUNED_ON_TEST = (
    "This threshold is the best one for the *test* pairs. A threshold is part of the model: chosen on the test, it has "
    "seen the answers, and the accuracy promises too much. Choose it on the validation pairs."
)


def _is_best(threshold, pairs, tolerance=0.003):
    """Whether no threshold has a higher accuracy, or hardly any."""
    best = evaluation.accuracy_curve(*pairs)[1].max()
    return evaluation.accuracy_at(*pairs, threshold) >= best - tolerance


def _require_threshold(threshold, constant, validation, test):
    if _is_best(threshold, validation):
        return
    best = evaluation.accuracy_curve(*validation)[1].max()
    reached = evaluation.accuracy_at(*validation, threshold)
    similarities, same = validation
    if threshold > similarities.max() or np.isclose(threshold, best):
        raise Wrong(
            "This is an accuracy or a position, not a threshold. Return the similarity at which to cut."
        )
    if constant:
        raise Wrong(
            f"The threshold {threshold:g} is written down: for other pairs it is the same. Find the best one on the "
            "validation pairs."
        )
    if _is_best(threshold, test, tolerance=0.001):
        raise Wrong(TUNED_ON_TEST)
    if np.isclose(threshold, similarities.mean()) or np.isclose(threshold, np.median(similarities)):
        raise Wrong(
            "This is the mean or median similarity. Try each value, and keep the one with the best accuracy."
        )
    balanced = -evaluation.choose_threshold(-similarities, same)
    if abs(threshold - balanced) < 0.011:
        raise Wrong(
            "This maximises balanced accuracy. Here the pairs have the task's own share of duplicates: plain accuracy."
        )
    raise Wrong(
        f"Accuracy on the validation pairs is {reached:.3f} there; {best:.3f} can be reached. Try every similarity as "
        "threshold, with `>`."
    )


def _ready_classify(similarities, evaluate):
    rows = _rows(3, 6, 0)
    if not hasattr(similarities(_Embedder(), rows, rows, 2), "shape"):
        raise TypeError("the similarities are a list, and the notebook reckons with an array")


classify = Exercise(
    name="02.classify",
    title="Classify with a threshold",
    parts=[
        Part(4, lambda similarities, evaluate: _test_pair_similarities(similarities)),
        Part(6, lambda similarities, evaluate: _test_evaluate(evaluate)),
    ],
    reference=[pair_similarities, evaluate],
    ready=_ready_classify,
    hints=(
        "Two steps. Compute the cosine of every pair, a batch at a time. Then find the threshold at which most "
        "*validation* pairs are right, and count how many *test* pairs are right at that threshold.",
        "`range(0, len(left), batch_size)` gives the beginnings of the batches; a slice beyond the end is simply shorter. "
        "Row-wise dot products: `np.sum(a * b, axis=1)`. Candidates for the threshold: the similarities themselves.",
        "`max(candidates, key=lambda t: np.mean((similarities > t) == (same == 1)))` with the validation pairs; the same "
        "expression with the test pairs is the accuracy.",
    ),
)

# --- 9: predict ---------------------------------------------------------------------------------------


def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    """The course's answer: whether two typed questions are duplicates."""
    first, second = padding.pad_pair([to_ids(question1)], [to_ids(question2)])
    similarity = float(np.sum(embed(first) * embed(second)))
    if verbose:
        print(f"similarity {similarity:.3f}, threshold {threshold:.3f}")
    return similarity > threshold


def _to_ids(question):
    return [2 + sum(map(ord, word)) % 1900 for word in question.split()] or [tokens.UNKNOWN]


PREDICT_CASES = [
    ("how old are you", "how old is the sun really"),
    ("what is your age", "what is your age"),
    ("where are you from", "where are you going"),
    ("a", "b c d e f g"),
]


def _predict(answer, question1, question2, threshold, **options):
    embed, shown = _Embedder(), io.StringIO()
    with contextlib.redirect_stdout(shown), _told_to_pad():
        got = answer(question1, question2, _to_ids, embed, threshold, **options)
    return got, shown.getvalue(), embed


def _test_predict(answer):
    more = [("how many of the words in this long question does it really read", "a b c")]
    for question1, question2 in PREDICT_CASES + (more if is_hidden() else []):
        sides = padding.pad_pair([_to_ids(question1)], [_to_ids(question2)])
        cosine = float(np.sum(_Embedder()(sides[0]) * _Embedder()(sides[1])))
        for threshold in (cosine - 0.05, cosine + 0.05):
            got, _, embed = _predict(answer, question1, question2, threshold)
            if isinstance(got, bool | np.bool_) and not embed.shapes:
                raise Wrong("`embed` is never called: the answer does not depend on the questions.")
            _require_decision(got, cosine, threshold)
            if {len(shape) for shape in embed.shapes} != {2} or {s[0] for s in embed.shapes} - {
                1,
                2,
            }:
                raise Wrong(
                    f"The model got arrays of shape {embed.shapes}; expected batches of one: (1, length)."
                )


def _require_decision(got, cosine, threshold):
    if got is None:
        raise Wrong("The result is `None`: is a `return` missing?")
    if isinstance(got, str):
        raise Wrong("The result is a text. Return True or False.")
    value = as_array(got)
    if value.size != 1:
        raise Wrong(f"The result has shape {value.shape}; expected one True or False.")
    value = float(value.ravel()[0])
    if np.isclose(value, cosine, atol=1e-5) and value not in (0.0, 1.0):
        raise Wrong("This is the similarity. Compare it with the threshold: True or False.")
    if value not in (0.0, 1.0):
        raise Wrong(f"The result is {value:g}; expected True or False.")
    if bool(value) != (cosine > threshold):
        raise Wrong(
            f"With similarity {cosine:.3f} and threshold {threshold:.3f} the answer is {bool(value)}. Duplicates are "
            "those *above* the threshold that is given. Are both questions used, and is it the argument `threshold`?"
        )


def _test_verbose(answer):
    question1, question2 = PREDICT_CASES[0]
    _, quiet, _ = _predict(answer, question1, question2, 0.3)
    if quiet:
        raise Wrong("It prints although verbose is False.")
    _, shown, _ = _predict(answer, question1, question2, 0.3, verbose=True)
    if not shown:
        raise Wrong("With verbose=True it should print the similarity.")
    cosine = pair_similarities(_Embedder(), [_to_ids(question1)], [_to_ids(question2)], 1)[0]
    if f"{cosine:.2f}"[:-1] not in shown and f"{cosine:.3f}"[:-1] not in shown:
        raise Wrong(
            f"With verbose=True the similarity, {cosine:.3f}, should be in what is printed."
        )


prediction = Exercise(
    name="02.prediction",
    title="Predict",
    parts=[Part(4, _test_predict), Part(1, _test_verbose)],
    reference=[predict],
    hints=(
        "The same as for a batch of pairs, with a batch of one: ids, padding, embedding, cosine, threshold.",
        "`pad_pair([ids1], [ids2])` makes two arrays of shape (1, length). The cosine is the sum of the product of the "
        "two embeddings.",
        "`first, second = pad_pair([to_ids(question1)], [...])`, `similarity = float(np.sum(embed(first) * ...))`, "
        "`return similarity > ...`.",
    ),
)

EXERCISES = (
    vocabulary,
    generator,
    similarity,
    negatives,
    loss,
    siamese,
    loop,
    classify,
    prediction,
)

watch(EXERCISES)
