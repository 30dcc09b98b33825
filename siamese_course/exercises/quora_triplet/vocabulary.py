"""Exercise 1 of notebook 02: the vocabulary."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from siamese_course.batching import tokens
from siamese_course.batching.padding import PAD
from siamese_course.batching.tokens import PAD_TOKEN, build_vocabulary
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    as_array,
    is_hidden,
    require_returned,
    seeded,
)
from siamese_course.exercises.observe import REUSED_RESULT

QUESTIONS = ("why is the sky Blue ?", "why is the sea salty ?", "who ate the last biscuit ?")
WORDS = ("when", "did", "Paris", "grow", "that", "old", "garden", "Why", "owl", "sings", "?")
CUT_AT_SPACES = "The questions are split at spaces. Use the function `tokenize` instead."


def encode(question, vocabulary, tokenize):
    """The ids of one question."""
    return tokens.encode([question], vocabulary, tokenize)[0]


def _questions() -> tuple[str, ...]:
    """Three questions, or others for the instructor's check."""
    if not is_hidden():
        return QUESTIONS
    rng = seeded(1)
    return tuple(" ".join(["Oslo", *rng.choice(WORDS, 6), f"owl{n}"]) for n in range(3))


def _tokenize(question: str) -> list[str]:
    """Split hyphens too, so that an answer's ``split`` shows; the instructor's splits long words."""
    if is_hidden():
        return [part for word in question.split() for part in (word[:4], word[4:]) if part]
    return question.replace("-", " - ").split()


# --- building -----------------------------------------------------------------------------------------


def _test_build(answer):
    questions = [*_questions(), "a well-known riddle ?"]
    given = list(questions)
    got = answer(given, _tokenize)
    require_returned(got)
    if given != questions:
        raise Wrong("Your code changes the list of questions. Work on a copy.", "changed")
    if not isinstance(got, Mapping):
        raise Wrong(
            f"The result is a `{type(got).__name__}`; expected a dictionary, word -> id.", "type"
        )
    words = {token for question in questions for token in _tokenize(question)}
    _require_words(got, words, questions)
    if PAD_TOKEN not in got:
        raise Wrong(f"`{PAD_TOKEN}` is missing: begin with `{{'{PAD_TOKEN}': 1}}`.", "no_pad")
    if got[PAD_TOKEN] != PAD:
        raise Wrong(f"`{PAD_TOKEN}` must have the id 1; here it has {got[PAD_TOKEN]}.", "other_pad")
    _require_ids(got, words, questions)
    before = dict(got)
    other = "one other question"
    _require_same(answer([other, ""], _tokenize), len(set(_tokenize(other))), "Another call")
    _require_same(answer([], _tokenize), 0, "A call without questions")
    if set(whole := answer(["who ate it ?", "why"], lambda question: [question])) - {PAD_TOKEN} != {
        "who ate it ?",
        "why",
    }:
        raise Wrong(
            f"With a tokenizer that returns each question as one word, the vocabulary is {whole!r}; expected these "
            "questions as words. Call `tokenize` for each question.",
            "joined",
        )
    if got != before:
        raise Wrong(
            "Another call adds its words to the first vocabulary. Make a new dictionary in each call.",
            "shared",
        )


def _require_same(got, words, what):
    """The vocabulary of that many words, whichever they are."""
    ids = sorted(got.values()) if isinstance(got, Mapping) else None
    if ids != [PAD, *range(2, 2 + words)]:
        raise Wrong(
            f"{what} (with {words} words in all) gives {got!r}; expected `{PAD_TOKEN}` and {words} words, from id 2 on. "
            "Is something left over from an earlier call?",
            "other_call",
        )


def _require_words(got, words, questions):
    known = set(got) - {PAD_TOKEN}
    if known == words:
        return
    letters = set("".join(questions))
    if known in (letters, letters - {" "}):
        raise Wrong(
            "The keys are single letters. Tokenize each question: `tokenize(question)`.", "letters"
        )
    if known == {word.lower() for word in words}:
        raise Wrong(
            "The words are in lower case. This vocabulary takes them as `tokenize` returns them: `Blue` stays `Blue`.",
            "lower_case",
        )
    if known == {word for question in questions for word in question.split()}:
        raise Wrong(CUT_AT_SPACES, "split")
    if known == set(_tokenize(questions[0])):
        raise Wrong(
            "The vocabulary has only the first question's words. Is a `return` inside the loop?",
            "first_only",
        )
    if known == set(_tokenize(questions[-1])):
        raise Wrong(
            "The vocabulary has only the last question's words. Is the dictionary created inside the loop?",
            "last_only",
        )
    if known == set(questions):
        raise Wrong(
            "The keys are whole questions. Tokenize each: `tokenize(question)`.", "questions"
        )
    if words <= set(got.values()):
        raise Wrong("The dictionary is inverted, id -> word. It must be word -> id.", "inverted")
    if known - words:
        extra = sorted(known - words, key=str)[0]
        raise Wrong(
            f"`{extra}` is in the vocabulary but in no question. (Unknown words need no entry: they get 0.)",
            "extra_word",
        )
    raise Wrong(
        f"`{sorted(words - known)[0]}` is missing from the vocabulary.",
        "missing_word",
    )


def _require_ids(got, words, questions):
    counts = Counter(token for question in questions for token in _tokenize(question))
    if all(got[word] == counts[word] for word in words):
        raise Wrong(
            "These are counts: how often each word occurs. Number the words: 2, 3, 4, ...", "counts"
        )
    by_id = {got[word]: word for word in sorted(words)}
    for word in sorted(words):
        if by_id[got[word]] != word:
            raise Wrong(
                f"Two words, `{word}` and `{by_id[got[word]]}`, have the same id. Give an id to *new* words only, "
                "and always the next number: `len(vocabulary) + 1`.",
                "same_id",
            )
    ids = sorted(by_id)
    for kept, purpose in ((0, "unknown words"), (1, f"`{PAD_TOKEN}`")):
        if kept in ids:
            raise Wrong(
                f"A word has the id {kept}, which is reserved for {purpose}. Start at 2.",
                f"id_{kept}",
            )
    if ids != list(range(2, 2 + len(words))):
        raise Wrong(
            f"{len(words)} words have ids from {ids[0]} to {ids[-1]}; expected 2 to {len(words) + 1}, with no gaps: "
            "a word seen again keeps its id, and the next new word gets the next one.",
            "gaps",
        )


# --- encoding -----------------------------------------------------------------------------------------


def _question() -> str:
    if not is_hidden():
        return "why is the moon-Blue ? and Why the sea salty ?"
    first, second = (_questions()[n].split() for n in (1, 2))
    return " ".join([*first[::-1], "unheard-Oslo", *second[:4], first[1].swapcase()])


def _test_encode(answer):
    vocabulary = build_vocabulary(_questions(), _tokenize)
    before, question = dict(vocabulary), _question()
    words = _tokenize(question)
    expected = [vocabulary.get(token, 0) for token in words]
    try:
        got = answer(question, vocabulary, _tokenize)
    except KeyError as error:
        raise Wrong(
            f"The word {error} is not in the vocabulary and stopped your code. Unknown words get the id 0: `.get`.",
            "unknown_word",
        ) from None
    if vocabulary != before:
        raise Wrong(
            "Your code added words to the vocabulary. It must come from the training questions only: "
            "a model has learned nothing about a word that first appears in the test.",
            "vocabulary_changed",
        )
    if isinstance(got, list | tuple) and got and isinstance(got[0], str):
        raise Wrong("These are the words. Return their ids.", "words")
    if isinstance(got, list | tuple) and None in got:
        raise Wrong(
            "Unknown words became `None`. They get the id 0: `vocabulary.get(token, 0)`.",
            "unknown_none",
        )
    ids = as_array(got)
    _require_encoded(ids, expected, question, words, vocabulary)
    if (kind := np.asarray(got).dtype).kind not in "iu":
        raise Wrong(f"The ids are of type {kind}; expected integers.", "no_integers")
    answer(" ".join(question.split()[::-1]), vocabulary, _tokenize)
    if not np.array_equal(as_array(got), ids):
        raise Wrong(*REUSED_RESULT)
    ids = [vocabulary.get(token, 0) for token in _tokenize(words[0])]
    if (got := as_array(answer(words[0], vocabulary, _tokenize)).tolist()) != ids:
        raise Wrong(f"The question `{words[0]}` became {got}; expected {ids}.", "value")
    # another vocabulary and another tokenizer: the letters
    letters = {PAD_TOKEN: PAD, "b": 2, "a": 3}
    if (got := as_array(answer("abc", letters, lambda text: list(text))).tolist()) != [3, 2, 0]:
        raise Wrong(
            f"With the vocabulary {letters}, and a tokenizer that returns letters, `abc` became {got}; expected [3, 2, 0]. "
            "Use the arguments of each call.",
            "other_arguments",
        )
    # the package makes an unknown word of it, so that it has an embedding
    if (got := as_array(answer("", vocabulary, _tokenize)).tolist()) not in ([], [0]):
        raise Wrong(f"A question without words became {got}; expected no ids, [].", "empty")


def _require_encoded(got, expected, question, words, vocabulary):
    if np.array_equal(got, [vocabulary.get(word, 0) for word in question.split()]):
        raise Wrong(CUT_AT_SPACES, "split")
    if got.shape == (len(question),):
        raise Wrong(
            "There is an id for every letter. Tokenize the question: `tokenize(question)`.",
            "letters",
        )
    if got.shape != (len(expected),):
        if np.array_equal(got.ravel(), [i for i in expected if i]):
            raise Wrong(
                "The unknown words are left out. They get the id 0: word order matters.",
                "unknown_left_out",
            )
        raise Wrong(
            f"The result has shape {got.shape}; expected {(len(expected),)}, one id per token.",
            "shape",
        )
    if np.array_equal(got, expected):
        return
    known = (
        (
            [i or 1 for i in expected],
            f"Unknown words got the id 1, which is `{PAD_TOKEN}`. They get 0.",
            "unknown_is_pad",
        ),
        (
            [vocabulary.get(word, vocabulary.get(word.lower(), 0)) for word in words],
            "A word that is not in the vocabulary gets the id of its lower-case form. Unknown words get the id 0.",
            "lower_case_fallback",
        ),
        (sorted(expected), "The ids are sorted. Keep them in the order of the words.", "sorted"),
        (
            [vocabulary.get(word.lower(), 0) for word in words],
            "The words are looked up in lower case. Take them as `tokenize` returns them.",
            "lower_case",
        ),
        (np.array(expected) - 2, "The ids are shifted. Take them from the vocabulary.", "shifted"),
        (np.array(expected) + 1, "The ids are shifted. Take them from the vocabulary.", "shifted"),
    )
    for values, message, tag in known:
        if np.array_equal(got, values):
            raise Wrong(message, tag)
    at = int(np.flatnonzero(got != expected)[0])
    raise Wrong(f"`{words[at]}` became {got[at]:g}; expected {expected[at]}.", "value")


vocabulary = Exercise(
    name="02.vocabulary",
    title="Vocabulary",
    parts=[Part(5, _test_build, of=0), Part(3, _test_encode, of=1)],
    reference=[build_vocabulary, encode],
    hints=(
        "A network reads numbers. The vocabulary numbers the words of the training questions; `encode` looks up each "
        "word of a question, and a word that is not there is unknown, 0.",
        "Begin with `{'<PAD>': 1}`. For each token of each question: if it is not in the dictionary yet, give it "
        "the next number, `len(vocabulary) + 1`. To look up with a default: `vocabulary.get(token, 0)`.",
        "`if token not in vocabulary: vocabulary[token] = len(vocabulary) + 1`, and "
        "`[vocabulary.get(..., ...) for token in tokenize(...)]`.",
    ),
)
