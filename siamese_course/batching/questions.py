"""From questions to arrays: tokenize, build the vocabulary, encode, pad, and make batches."""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

import numpy as np

from siamese_course.datasets.fetch import fetch_file, unpack
from siamese_course.datasets.registry import dataset
from siamese_course.runtime import settings
from siamese_course.runtime.errors import NetworkError
from siamese_course.validation import require_between

UNKNOWN, PAD = 0, 1
PAD_TOKEN = "<PAD>"
LONGEST = 128
"""Tokens of a question that are read; the longest of Quora has 270 words, and one in 5,000 has over 100."""

LENGTH_BUCKETS = 8

Tokenizer = Callable[[str], list[str]]


@cache
def word_tokenizer(verbose: bool = True) -> Tokenizer:
    """nltk's ``word_tokenize``, as the classic recipe uses it.

    It needs the punkt_tab data: from SIAMESE_COURSE_DATA (folder nltk_data), the cache, or a download.
    Where there is none, the same tokenizer runs without splitting into sentences first, which needs no
    data. The two differ where a sentence ends inside a question, mostly at its full stop: in about 2% of
    Quora's questions.

    Returns:
        A function from a question to its tokens.
    """
    import nltk
    from nltk.tokenize import NLTKWordTokenizer, word_tokenize

    folder = settings.data_directory() and settings.data_directory() / "nltk_data"
    try:
        if not folder or not (folder / "tokenizers" / "punkt_tab").is_dir():
            folder = _fetch_punkt()
    except NetworkError as error:
        if verbose and "rules out" not in str(error):
            print(f"word_tokenize goes without its sentence data: {error}")
        return NLTKWordTokenizer().tokenize
    if str(folder) not in nltk.data.path:
        nltk.data.path.insert(0, str(folder))
    return word_tokenize


def _fetch_punkt():
    data = dataset("punkt_tab")
    if settings.only_shipped_data():
        raise NetworkError("SIAMESE_COURSE_DATA=shipped rules out downloads.")
    archive = fetch_file(data, data.files[0])
    folder = archive.with_name("tokenizers")
    if not folder.is_dir():
        unpack(archive, folder)
    return folder.parent


def simple_tokenizer(question: str) -> list[str]:
    """Lower-case words and numbers without punctuation: "What's a CPU?" -> what, s, a, cpu."""
    return re.findall(r"\w+", question.lower())


def stem_tokenizer(question: str) -> list[str]:
    """As ``simple_tokenizer``, every word cut to its stem: "stopping", "stops" and "stop" become one.

    It helps where the questions are too few to meet each form of a word. Snowball stemmer (Porter 2001),
    from nltk; it needs no data.
    """
    return [_stem(word) for word in simple_tokenizer(question)]


@cache
def _stem(word: str) -> str:
    return _stemmer().stem(word)


@cache
def _stemmer():
    from nltk.stem import SnowballStemmer

    return SnowballStemmer("english")


def build_vocabulary(
    questions: Iterable[str], tokenize: Tokenizer, *, least: int = 1
) -> dict[str, int]:
    """Number the words of the training questions.

    Args:
        questions: of the training set only: a word that only the test knows must stay unknown.
        tokenize: from a question to its tokens.
        least: how often a word must occur to get a number.

    Returns:
        word -> id, from 2 on, in order of first appearance, and ``<PAD>`` -> 1. The id 0 is for unknown
        words and belongs to none.
    """
    counts = Counter(token for question in questions for token in tokenize(question))
    words = [word for word, count in counts.items() if count >= least and word != PAD_TOKEN]
    return {PAD_TOKEN: PAD, **{word: number for number, word in enumerate(words, start=2)}}


def encode(
    questions: Iterable[str],
    vocabulary: Mapping[str, int],
    tokenize: Tokenizer,
    *,
    longest: int = LONGEST,
    buckets: int = 0,
) -> list[list[int]]:
    """Questions as lists of ids.

    A question without a token becomes a single unknown word, and of a very long one the first
    ``longest`` tokens are read: every question has an embedding, and none can exhaust the memory.

    Args:
        questions: n strings.
        vocabulary: as ``build_vocabulary`` makes it.
        tokenize: the same as for the vocabulary.
        longest: most tokens to read.
        buckets: ids after the vocabulary's that unknown words share by a hash, so that two questions
            with the same unknown word still agree in something; 0 gives every unknown word the id 0.

    Returns:
        n lists of 1 to ``longest`` ids, below ``len(vocabulary) + 1 + buckets``.

    Raises:
        ValueError: something among the questions is not a string, or they are one string.
    """
    if isinstance(questions, str):
        raise ValueError(f"questions is the string {questions!r}; expected a list of strings")

    def number_of(token: str) -> int:
        known = vocabulary.get(token)
        if known is None and buckets:
            return len(vocabulary) + 1 + zlib.crc32(token.encode("utf-8", "replace")) % buckets
        return UNKNOWN if known is None else known

    encoded = []
    for number, question in enumerate(questions):
        if not isinstance(question, str):
            raise ValueError(
                f"question {number} is {question!r}, a {type(question).__name__}; expected a string"
            )
        tokens = tokenize(question[: 40 * longest])[
            :longest
        ]  # do not read a book to keep its start
        encoded.append([number_of(token) for token in tokens] or [UNKNOWN])
    return encoded


def power_of_two(length: int) -> int:
    """The power of two at or above a length: 1, 2, 4, 8, ..."""
    return 1 << max(0, int(length) - 1).bit_length()


def pad(rows: Sequence[Sequence[int]], length: int | None = None) -> np.ndarray:
    """Rows of ids as one array, filled up with ``<PAD>`` to the power of two at or above the longest.

    Args:
        rows: n lists of ids.
        length: pad to this length instead.

    Returns:
        (n, length) int32.
    """
    length = length or power_of_two(max(map(len, rows), default=1))
    padded = np.full((len(rows), length), PAD, "int32")
    for place, row in zip(padded, rows, strict=True):
        place[: len(row)] = row
    return padded


def pad_pair(left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]):
    """Both sides of a batch, padded to one common length: two (n, length) int32 arrays."""
    length = power_of_two(max(map(len, [*left, *right]), default=1))
    return pad(left, length), pad(right, length)


def classic_batches(
    left: Sequence[Sequence[int]],
    right: Sequence[Sequence[int]],
    batch_size: int,
    *,
    shuffle: bool = True,
    rng: np.random.Generator | None = None,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Batches of duplicates without end, as the classic generator makes them.

    A batch that is half full at the end of an epoch is filled up from the next one. (The published
    version sets its index to the length of the data there, instead of 0, and dies with an IndexError.)
    Nothing keeps two rows of one duplicate group out of a batch.

    Args:
        left, right: n lists of ids each; row i of both is a duplicate pair.
        batch_size: rows in a batch, from 1 to n.
        shuffle: draw a new order for every epoch.
        rng: source of the orders; needed if ``shuffle``.

    Yields:
        (left, right): two (batch_size, length) int32 arrays, length a power of two.

    Raises:
        ValueError: sides of unequal length, a batch size out of range, or ``shuffle`` without ``rng``.
    """
    _require_rows(left, right, batch_size)
    if shuffle and rng is None:
        raise ValueError("shuffle is True and rng is None; expected a NumPy random generator")
    return _classic_batches(left, right, batch_size, shuffle, rng)


def _classic_batches(left, right, batch_size, shuffle, rng):
    n, rows = len(left), []
    while True:
        for row in rng.permutation(n) if shuffle else range(n):
            rows.append(row)
            if len(rows) == batch_size:
                yield pad_pair([left[r] for r in rows], [right[r] for r in rows])
                rows = []


def group_batches(
    groups: Sequence[int],
    batch_size: int,
    rng: np.random.Generator,
    lengths: Sequence[int] | None = None,
) -> list[np.ndarray]:
    """One epoch of batches, as row numbers: every row once, and no two rows of one group together.

    The rows are dealt like cards: group by group, one row to each batch in turn, so that the rows of a
    group fall into different batches as long as there are as many batches as the largest group has
    rows. With ``lengths``, groups of similar length are dealt together, and less padding is computed.

    Args:
        groups: (n,) the duplicate group of each row.
        batch_size: at most so many rows in a batch.
        rng: source of the order.
        lengths: (n,) number of tokens of each row.

    Returns:
        Row numbers of each batch. There are at least as many batches as the largest group has rows, so
        that one very large group makes all batches smaller.

    Raises:
        ValueError: ``batch_size`` is not between 1 and n, or ``lengths`` has another length.
    """
    groups = np.asarray(groups)
    require_between(batch_size, "batch_size", 1, len(groups), f"the {len(groups)} rows there are")
    if lengths is not None and len(lengths) != len(groups):
        raise ValueError(f"lengths has {len(lengths)} rows; expected {len(groups)}, as groups")
    _, groups = np.unique(groups, return_inverse=True)
    place = rng.permutation(groups.max() + 1)[groups]  # the groups in random order
    shuffled = rng.permutation(len(groups))
    dealt = shuffled[np.argsort(place[shuffled], kind="stable")]
    # so many batches that every row of the largest group finds one of its own
    count = max(-(-len(groups) // batch_size), int(np.bincount(groups).max()))
    if lengths is None or count < 2 * LENGTH_BUCKETS:
        batches = _deal(dealt, count)
    else:
        batches = _deal_by_length(dealt, groups, np.asarray(lengths), count)
    return [batches[number] for number in rng.permutation(len(batches))]


def _deal(rows: np.ndarray, count: int) -> list[np.ndarray]:
    """One row to each of ``count`` batches in turn: neighbours fall into different ones."""
    return [rows[start::count] for start in range(count)]


def _deal_by_length(dealt, groups, lengths, count) -> list[np.ndarray]:
    """Each batch from one bucket of lengths; the rows of groups too large for a bucket go to all batches."""
    sizes = np.bincount(groups)
    mean = np.bincount(groups, lengths) / sizes
    is_large = sizes[groups[dealt]] > count // LENGTH_BUCKETS
    large, small = dealt[is_large], dealt[~is_large]
    small = small[np.argsort(mean[groups[small]], kind="stable")]  # groups stay whole
    ends = np.linspace(0, count, LENGTH_BUCKETS + 1).round().astype(int)
    cuts = (ends * len(small) / count).round().astype(int)
    batches = [
        batch
        for start, end, first, last in zip(cuts[:-1], cuts[1:], ends[:-1], ends[1:], strict=True)
        for batch in _deal(_by_group(small[start:end], groups), last - first)
    ]
    by_size = np.argsort([len(batch) for batch in batches], kind="stable")
    for number, rows in zip(by_size, _deal(large, count), strict=True):
        batches[number] = np.concatenate([batches[number], rows])
    return batches


def _by_group(rows, groups) -> np.ndarray:
    """Rows of one group side by side."""
    return rows[np.argsort(groups[rows], kind="stable")]


def doubles(groups: Sequence[int], batches: Iterable[np.ndarray]) -> float:
    """Share of rows that meet another row of their own duplicate group in their batch: false negatives."""
    groups = np.asarray(groups)
    met = total = 0
    for batch in batches:
        _, codes, counts = np.unique(groups[batch], return_inverse=True, return_counts=True)
        met += int((counts[codes] > 1).sum())
        total += len(batch)
    return met / total


def _require_rows(left, right, batch_size) -> None:
    if len(left) != len(right):
        raise ValueError(f"left has {len(left)} rows and right has {len(right)}; expected as many")
    require_between(batch_size, "batch_size", 1, len(left), f"the {len(left)} rows there are")
