"""From questions to ids: tokenizers, vocabulary and encoding, against loops by hand."""

import time
import zlib

import nltk
import numpy as np
import pytest

from siamese_course.batching import padding, tokens
from siamese_course.runtime.errors import CourseError

# --- tokenizers ---


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What's a CPU?", ["what", "s", "a", "cpu"]),
        ("  3.5 or 1,000 km/h?!", ["3", "5", "or", "1", "000", "km", "h"]),
        ("Naïve café – STRASSE", ["naïve", "café", "strasse"]),
        ("מה השעה? كم عمرك؟", ["מה", "השעה", "كم", "عمرك"]),
        ("你好吗", ["你好吗"]),
        ("🤷 😀?!", []),
        ("", []),
        (" \t\n", []),
        ("<PAD>", ["pad"]),
        ("a\ud800b", ["a", "b"]),
    ],
)
def test_simple_tokens(question, expected):
    assert tokens.simple_tokenizer(question) == expected


# --- vocabulary ---


TRAINING = ["is it red or green", "is it red", "what is red"]


def test_words_are_numbered_in_order_of_appearance():
    vocabulary = tokens.build_vocabulary(TRAINING, str.split)
    assert list(vocabulary.items()) == [
        ("<PAD>", 1),
        *zip(["is", "it", "red", "or", "green", "what"], range(2, 8), strict=True),
    ]
    assert tokens.UNKNOWN not in vocabulary.values()
    assert vocabulary == tokens.build_vocabulary(iter(TRAINING), str.split)


@pytest.mark.parametrize("min_count", [0, 1, 2, 3, 4])
def test_rare_words_get_no_number(min_count):
    vocabulary = tokens.build_vocabulary(TRAINING, str.split, min_count=min_count)
    expected = {"<PAD>": 1}
    for word in " ".join(TRAINING).split():
        occurs = sum(word == other for question in TRAINING for other in question.split())
        if occurs >= min_count and word not in expected:
            expected[word] = len(expected) + 1
    assert vocabulary == expected


def test_a_vocabulary_of_nothing_is_the_padding():
    assert tokens.build_vocabulary([], str.split) == {"<PAD>": 1}
    assert tokens.build_vocabulary(["", "😀"], tokens.simple_tokenizer) == {"<PAD>": 1}


def test_padding_in_a_question_takes_no_number_of_a_word():
    assert tokens.build_vocabulary(["<PAD> a <PAD> b"], str.split) == {"<PAD>": 1, "a": 2, "b": 3}


# --- encoding ---


VOCABULARY = tokens.build_vocabulary(TRAINING, tokens.simple_tokenizer)


def encode(*questions, **options):
    return tokens.encode(questions, VOCABULARY, tokens.simple_tokenizer, **options)


def test_words_of_the_training_set_and_no_others_are_known():
    assert encode("Is it BLUE?", "what, or what?") == [[2, 3, 0], [7, 5, 7]]
    assert encode() == []
    assert tokens.encode(iter(["red"]), VOCABULARY, tokens.simple_tokenizer) == [[4]]


@pytest.mark.parametrize("question", ["", "   ", "?!", "🤷‍♀️ 😀", "\n"])
def test_a_question_without_a_word_is_one_unknown_word(question):
    assert encode(question) == encode(question, buckets=10) == [[tokens.UNKNOWN]]


@pytest.mark.parametrize(
    "question", [None, 7, 1.5, float("nan"), b"red", ["red"], np.int64(1)], ids=repr
)
def test_what_is_no_string_is_named(question):
    with pytest.raises(TypeError, match=r"item 1 of questions is .*expected a string") as error:
        encode("red", question)
    assert type(question).__name__ in str(error.value)


def test_one_question_is_not_taken_for_a_list_of_letters():
    with pytest.raises(TypeError, match="questions is one string; expected a list"):
        tokens.encode("red", VOCABULARY, tokens.simple_tokenizer)


def test_numpy_strings_are_strings():
    assert tokens.encode(np.array(["red", "what"]), VOCABULARY, tokens.simple_tokenizer) == [
        [4],
        [7],
    ]


@pytest.mark.parametrize("buckets", [1, 7, 1000])
def test_unknown_words_share_buckets_by_a_hash(buckets):
    first = len(VOCABULARY) + 1
    words = [f"word{n}" for n in range(300)]
    (ids,) = encode(" ".join(["red", *words]), max_length=400, buckets=buckets)
    assert ids[0] == VOCABULARY["red"]
    for word, number in zip(words, ids[1:], strict=True):
        assert number == first + zlib.crc32(word.encode()) % buckets
    assert first <= min(ids[1:]) <= max(ids[1:]) < first + buckets
    assert len(set(ids[1:])) > 0.8 * min(buckets, 300) * (1 if buckets < 300 else 0.9)
    assert max(VOCABULARY.values()) < first


def test_the_same_unknown_word_agrees_in_two_questions():
    (left, right) = encode("a zebra is red", "ZEBRA?", buckets=1000)
    assert left[1] == right[0] == 8 + zlib.crc32(b"zebra") % 1000  # the same on every machine
    assert encode("zebra") == [[0]]


@pytest.mark.parametrize("buckets", [0, 1000])
def test_of_ten_thousand_words_the_first_are_read(buckets):
    words = [f"{n % 6}" for n in range(10_000)]
    for longest in (1, 24, tokens.MAX_LENGTH):
        (ids,) = encode(" ".join(words), max_length=longest, buckets=buckets)
        assert [ids] == encode(" ".join(words[:longest]), buckets=buckets)
        assert len(ids) == longest
    (ids,) = encode(" ".join(["red", "or", "what"] * 4000))
    assert ids == ([4, 5, 7] * 43)[: tokens.MAX_LENGTH]


def test_a_book_without_a_space_is_read_quickly(shipped):
    started = time.process_time()
    for tokenize in (tokens.simple_tokenizer, tokens.word_tokenizer(sentence_data=False)):
        for book in ("x" * 5_000_000, "." * 5_000_000, "'" * 5_000_000, " " * 5_000_000):
            (ids,) = tokens.encode([book], VOCABULARY, tokenize)
            assert 1 <= len(ids) <= tokens.MAX_LENGTH
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "question",
    [
        "מה השעה?",
        "كم عمرك؟",
        "😀 red 😀",
        "\ud800 red",
        "red\udfff",
        "\u202ered\u202c",
        "\0red",
        "ﬁ",
    ],
    ids=ascii,
)
@pytest.mark.parametrize("buckets", [0, 50])
def test_any_text_has_ids_within_bounds(shipped, question, buckets):
    for tokenize in (tokens.simple_tokenizer, tokens.word_tokenizer(sentence_data=False)):
        (ids,) = tokens.encode([question], VOCABULARY, tokenize, buckets=buckets)
        assert ids
        assert all(0 <= number <= len(VOCABULARY) + buckets for number in ids)
        assert padding.PAD not in ids


def test_a_typed_padding_is_not_padding(shipped):
    for tokenize in (tokens.simple_tokenizer, tokens.word_tokenizer(sentence_data=False)):
        for question in ("<PAD>", "<PAD> <PAD>", "a<PAD>b"):
            (ids,) = tokens.encode([question], VOCABULARY, tokenize)
            assert padding.PAD not in ids


# --- tokenizers by name ---


def test_tokenizers_by_name():
    question = "What's stopping the dogs? Dr. Who isn't."
    assert tokens.tokenizer("simple")(question) == tokens.simple_tokenizer(question)
    assert tokens.tokenizer("stems")("stopping stops stop") == ["stop"] * 3
    plain = tokens.tokenizer("word_tokenize", sentence_data=False)
    assert plain(question) == tokens.word_tokenizer(sentence_data=False)(question)
    with pytest.raises(ValueError, match="name is 'words'; expected one of word_tokenize, simple"):
        tokens.tokenizer("words")


SENTENCES = "What's up? Dr. Smith isn't here. Go."


def test_word_tokens_without_sentence_data():
    tokenize = tokens.word_tokenizer(sentence_data=False)
    assert tokenize(SENTENCES) == [
        *("What", "'s", "up", "?", "Dr.", "Smith", "is", "n't", "here.", "Go", ".")
    ]
    assert tokenize("How old are you?") == ["How", "old", "are", "you", "?"]
    assert tokenize("<PAD>") == ["<", "PAD", ">"]
    assert tokenize("") == tokenize("  ") == []


def test_missing_sentence_data_is_never_silently_done_without(monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [])
    for ask in (tokens.word_tokenizer, lambda: tokens.tokenizer("word_tokenize")):
        with pytest.raises(CourseError, match=r"punkt_tab data, which is not available.*prepare"):
            ask()
