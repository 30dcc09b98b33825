"""From text to ids: tokenizers, the vocabulary, and encoding."""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache

import numpy as np

from siamese_course.batching.padding import PAD
from siamese_course.runtime.errors import CourseError
from siamese_course.validation import (
    require_callable,
    require_choice,
    require_count,
    require_instance,
    require_texts,
)

UNKNOWN = 0
"""The id of a word that is not in the vocabulary."""

PAD_TOKEN = "<PAD>"
MAX_LENGTH = 128
"""Tokens of a question that are read. Quora's longest has 270; one in 5,000 has more than 100."""

# A prime; times a vocabulary of 270,000 it still fits an int32
NEIGHBOR_FACTOR = 7919

Tokenizer = Callable[[str], list[str]]


def word_tokenizer(*, sentence_data: bool = True) -> Tokenizer:
    """Return nltk's ``word_tokenize``, as the classic recipe uses it.

    It splits a text into sentences first, with the punkt_tab data, which it finds in
    ``nltk.data.path``. Without that step the same tokenizer needs no data. The two differ where a
    sentence ends inside a question, mostly at its period: in about 2% of Quora's questions.

    Args:
        sentence_data: split into sentences first. ``datasets.punkt.prepare()`` looks for the data,
            downloads it if needed, and returns whether it is available.

    Raises:
        CourseError: punkt_tab is not available.
    """
    import nltk
    from nltk.tokenize import NLTKWordTokenizer, word_tokenize

    if not sentence_data:
        return NLTKWordTokenizer().tokenize
    try:
        nltk.data.find("tokenizers/punkt_tab")
    except LookupError as error:
        raise CourseError(
            "nltk's word_tokenize needs the punkt_tab data, which is not available. Call "
            "siamese_course.datasets.punkt.prepare() first; to go without, pass "
            "sentence_data=False: about 2% of the questions are then tokenized differently."
        ) from error
    return word_tokenize


def simple_tokenizer(question: str) -> list[str]:
    """Return lower-case words and numbers: "What's a CPU?" -> what, s, a, cpu."""
    return re.findall(r"\w+", question.lower())


def stem_tokenizer(question: str) -> list[str]:
    """Return the words of ``simple_tokenizer``, each cut to its stem.

    "stopping", "stops" and "stop" become one word. This helps where there are too few questions to
    learn every form of a word. Snowball stemmer (Porter 2001), from nltk; it needs no data.
    """
    stem = _stemmer()
    return [stem(word) for word in simple_tokenizer(question)]


@cache
def _stemmer() -> Callable[[str], str]:
    from nltk.stem import SnowballStemmer

    return cache(SnowballStemmer("english").stem)


TOKENIZERS = ("word_tokenize", "simple", "stems")


def tokenizer(name: str, *, sentence_data: bool = True) -> Tokenizer:
    """Return the tokenizer of that name; ``sentence_data`` and errors as ``word_tokenizer``.

    Raises:
        ValueError: the name is not one of ``TOKENIZERS``.
    """
    require_choice(name, "name", TOKENIZERS)
    if name == "word_tokenize":
        return word_tokenizer(sentence_data=sentence_data)
    return simple_tokenizer if name == "simple" else stem_tokenizer


def build_vocabulary(
    questions: Iterable[str], tokenize: Tokenizer, *, min_count: int = 1
) -> dict[str, int]:
    """Number the words of the training questions.

    Args:
        questions: the training set only: a word that only the test set has must stay unknown.
        tokenize: maps a question to its tokens.
        min_count: how often a word must occur to get an id.

    Returns:
        word -> id, from 2 on, in order of first appearance, and ``<PAD>`` -> 1. The id 0 is for
        unknown words and belongs to none.

    Raises:
        TypeError: one string instead of a list, or something in the list is not a string.
        ValueError: ``min_count`` is negative.
    """
    questions = require_texts(questions, "questions")
    require_callable(tokenize, "tokenize")
    require_count(min_count, "min_count", low=0)
    counts = Counter(token for question in questions for token in tokenize(question))
    words = [word for word, count in counts.items() if count >= min_count and word != PAD_TOKEN]
    return {PAD_TOKEN: PAD, **{word: number for number, word in enumerate(words, start=2)}}


def encode(
    questions: Iterable[str],
    vocabulary: Mapping[str, int],
    tokenize: Tokenizer,
    *,
    max_length: int = MAX_LENGTH,
    buckets: int = 0,
) -> list[list[int]]:
    """Return questions as lists of ids.

    A question without a token becomes a single unknown word, and only the first ``max_length`` tokens
    of a very long one are read: every question has an embedding, and none can exhaust the memory.

    Args:
        questions: n strings.
        vocabulary, tokenize: as ``build_vocabulary`` returns and takes them.
        max_length: how many tokens to read.
        buckets: number of extra ids, after the vocabulary's, that unknown words share by a hash, so that
            questions with the same unknown word have something in common. With 0, all have the id 0.

    Returns:
        n lists of 1 to ``max_length`` ids, below ``len(vocabulary) + 1 + buckets``.

    Raises:
        TypeError: one string instead of a list, or something in the list is not a string.
    """
    questions = require_texts(questions, "questions")
    require_instance(vocabulary, "vocabulary", Mapping)
    require_callable(tokenize, "tokenize")
    require_count(max_length, "max_length")
    require_count(buckets, "buckets", low=0)

    def id_of(token: str) -> int:
        known = vocabulary.get(token)
        if known is None and buckets:
            return len(vocabulary) + 1 + zlib.crc32(token.encode("utf-8", "replace")) % buckets
        return UNKNOWN if known is None else known

    encoded = []
    for question in questions:
        # Tokenizing a whole book to keep its first words would take minutes
        tokens = tokenize(question[: 40 * max_length])[:max_length]
        encoded.append([id_of(token) for token in tokens] or [UNKNOWN])
    return encoded


def log_importance(vocabulary_size: int, buckets: int) -> np.ndarray:
    """Return the initial log weights of the words: 0, and log 2 for unknown ones; (vocabulary_size, 1)."""
    start = np.zeros((vocabulary_size, 1), "float32")
    start[vocabulary_size - buckets :] = np.log(2.0)
    return start
